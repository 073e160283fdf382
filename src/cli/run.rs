//! Runs the program, from the command line to the exit code.

use std::io::{BufWriter, Write, stderr, stdin, stdout};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use rustix::process::Signal;
use tokio::runtime;
use tokio::signal::unix::{SignalKind, signal};

use super::{Cli, Command, Exit, Failure, LimitArgs, serve};
use crate::allocator;
use crate::config::cores;
use crate::engine::{Caps, Engine, EngineConfig, FOREVER};
use crate::heuristic::pattern_database::Store;
use crate::puzzle::Shape;
use crate::service::Puzzles;

/// The default memory limit of a single question, in bytes: a workstation can spare more than a server's share.
const MEMORY: u64 = 1 << 30;

/// The bytes that a question's answer may hold beside the search: moves and messages that wait to be written.
const ANSWER_MEMORY: u64 = 64 << 20;

/// The bytes that tables may take.
const TABLE_MEMORY: u64 = 256 << 20;

/// The bytes for building tables: enough for exact distances of 12 cells, which take a second.
const BUILD_MEMORY: u64 = 32 << 20;

/// The bytes of these for a pattern database: enough for the smallest ones. Larger ones are used if `loyd tables build`
/// or `loyd serve` has built them.
const DATABASE_BUILD_MEMORY: u64 = 4 << 20;

/// Reads the command line, runs the command, and returns how it ended.
#[must_use]
pub fn run() -> ExitCode {
    let ended = match Cli::read() {
        Ok(cli) => block_on(cli.command),
        Err(error) => print(&error),
    };
    match ended {
        Ok(exit) => exit.into(),
        Err(failure) => {
            if failure.exit() != Exit::Done {
                // A failure to write to standard error cannot be reported.
                let _ = writeln!(stderr(), "loyd: {failure}");
            }
            failure.exit().into()
        }
    }
}

/// Prints what is wrong with the command line, or the help or the version if that is asked for.
fn print(error: &clap::Error) -> Result<Exit, Failure> {
    let printed = error.print();
    match error.use_stderr() {
        // A failure to write to standard error cannot be reported.
        true => Ok(Exit::BadInput),
        false => Exit::Done.finish(&mut stdout(), printed),
    }
}

fn block_on(command: Command) -> Result<Exit, Failure> {
    if let Command::Serve(config) = &command {
        allocator::suit(config.engine.memory.limit());
        serve::check_threads(config)?;
    }
    let runtime = runtime(&command)?;
    outlive_full_files(&runtime)?;
    let ended = runtime.block_on(execute(command));
    // Work that is still running, such as the search of an interrupted command, is of no more use.
    runtime.shutdown_background();
    ended
}

/// How many tasks have a turn before a thread that serves clients looks for what has arrived. A busy connection's turn
/// takes up to 0.5 ms, so after the 61 turns of tokio's default a newcomer would have waited for 30 ms.
const TURNS: u32 = 4;

/// Builds the runtime: a server has a thread for each core beside its workers, a single question only one thread.
fn runtime(command: &Command) -> Result<runtime::Runtime, Failure> {
    let mut builder = match command {
        Command::Serve(_) => runtime::Builder::new_multi_thread(),
        Command::Ask(_)
        | Command::Bench(_)
        | Command::Tables(_)
        | Command::Token(_)
        | Command::Top(_)
        | Command::Health(_) => runtime::Builder::new_current_thread(),
    };
    builder
        // What tokio would do, too, were it not for a variable of its own, with a wrong value of which it panics.
        .worker_threads(cores().get())
        .event_interval(TURNS)
        .enable_all()
        .build()
        .map_err(|error| Failure::Broken(format!("cannot start the runtime: {error}")))
}

/// Has a write beyond the limit of a file's size (`ulimit -f`) fail as on a full disk, from now on. The default action of
/// the signal that comes with it would end the process: a server for want of a table or a log line.
fn outlive_full_files(runtime: &runtime::Runtime) -> Result<(), Failure> {
    let _entered = runtime.enter();
    // Once caught, it is for good.
    signal(SignalKind::from_raw(Signal::XFSZ.as_raw()))
        .map(drop)
        .map_err(|error| Failure::Broken(format!("cannot catch SIGXFSZ: {error}")))
}

async fn execute(command: Command) -> Result<Exit, Failure> {
    match command {
        Command::Serve(config) => serve::serve(*config).await,
        Command::Bench(bench) => bench.run(&mut BufWriter::new(stdout())).await,
        Command::Tables(tables) => tables.run(&mut BufWriter::new(stdout())),
        Command::Token(token) => token.run(&mut BufWriter::new(stdout())),
        Command::Top(top) => top.run(&mut BufWriter::new(stdout())).await,
        Command::Health(health) => health.run(&mut BufWriter::new(stdout())).await,
        Command::Ask(ask) => {
            let mut output = BufWriter::new(stdout());
            ask.answer(&mut stdin(), &mut output, local).await
        }
    }
}

/// Starts the service inside this process for one question.
fn local(limits: &LimitArgs) -> Result<Puzzles, Failure> {
    let workers = cores().get();
    let memory = limits.max_memory.unwrap_or(MEMORY);
    let config = EngineConfig {
        workers,
        capacity: 8,
        caps: Caps {
            nodes: u64::MAX,
            // A question without a time limit of its own runs until it is answered or interrupted.
            time: FOREVER,
            memory,
            default_time: Duration::from_secs(1),
        },
        // Times the workers: a job is granted its share among them, and this one search may have all of `memory`.
        memory: memory
            .saturating_mul(workers as u64)
            .saturating_add(ANSWER_MEMORY),
        cache_memory: 0,
        table_memory: TABLE_MEMORY,
        heuristic_memory: u64::MAX,
        build_memory: BUILD_MEMORY,
        // A single answer must not wait for a table that takes seconds to build.
        database_build_memory: DATABASE_BUILD_MEMORY,
        store: limits.tables.path().map(Store::new),
    };
    let engine = Engine::start(config)
        .map_err(|error| Failure::Broken(format!("cannot start the worker threads: {error}")))?;
    Ok(Puzzles::new(Arc::new(engine), Shape::MAX_SIDE))
}
