//! `loyd bench`: how fast boards are solved to optimality, here or by a server.

mod deadline;
mod kept;
mod made;
mod mode;
mod plot;
mod remote;
mod report;
mod served;
mod suites;

use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::backend::call_deadline;
use super::try_out::try_out;
use super::{Exit, Failure, ServerArgs};
use crate::bench::{Case, Figures, Run, Suite, Workers, WrongLength, run};
use crate::config::{TableDirArg, bytes, time};

use deadline::ByDeadline;
use made::Made;
use mode::Mode;
use plot::Curve;
use suites::Name;

/// The most time for a board, unless another is given.
const MAX_TIME: Duration = Duration::from_secs(60);

/// How many boards or calls, unless another number is given.
const COUNT: u64 = 1000;

/// The seed, unless another is given.
const SEED: u64 = 1;

/// The number of rows and of columns, unless others are given.
const SIDE: usize = 4;

const EXAMPLES: &str = "\
Examples:
  loyd bench
  loyd bench --suite korf --suite farthest
  loyd bench --suite uniform --count 10000 --seed 7 --json
  loyd bench --file boards.tsv --max-time 1m --each
  loyd bench --suite farthest --threads 2
  loyd bench --suite deadline
  loyd bench --suite uniform --rows 9 --columns 12 --count 20 --deadline 50ms,500ms --threads 2
  loyd bench --suite uniform --count 10000 --server 127.0.0.1:50051
  loyd bench --suite uniform --rows 5 --columns 5 --server 127.0.0.1:50051 --timeout 100ms
  loyd bench --suite deadline --server 127.0.0.1:50051 --count 10000 --in-flight 1
  loyd bench --suite deadline --deadline 10ms,100ms,1s,10s --plot lengths.svg

A file has one board per line: as `loyd generate` prints it, or in fields separated by tabs. Then
the first field with a comma holds the tiles row by row. The next field, if there is one, is the
length of the shortest solutions, which is checked, or -.

Times are in milliseconds: the CPU time of one thread for the boards that were solved within
--max-time. ns/node includes the other boards. With --threads they are the CPU time of all threads,
and the wall-clock time is printed as well.

With --deadline, loyd looks for the best solutions within that much CPU time or, with --threads,
within that much wall-clock time. The first line of figures is for the first solutions. Lengths are
means; ÷ n³ is the length divided by the number of cells to the power of 3/2; excess is over known
shortest solutions; bound is the proven lower bound.

With --server, a running `loyd serve` solves the boards. Times are then those of whole calls, the
answers are replayed here, and with --timeout the best solutions within that deadline are asked for.
The suite deadline then has boards from 3x3 to 16x16. For each deadline it prints how many calls
ended after it (late, and overrun: by how much the latest was late), how many were refused because
of too many others, and how many were without a solution. With --each the late calls and those
without a solution are listed. A server answers questions that it has proven before from its cache:
to measure searches, start it with --cache-memory 0.

With --json each suite is an object: suite, boards, solved, mean_length, milliseconds (mean,
median, p95, p99, max), nodes (mean, max), ns_per_node, table_bytes, table_seconds (to build or
map); with --threads also threads and wall_milliseconds (mean, max); with --each also runs, an array
of objects: board, length, lower_bound, milliseconds, nodes, and with --threads wall_milliseconds.
With --server and with --deadline it has the figures that are printed without --json, by their
names.

Exit codes: 0 measured, however many boards were solved, 2 a wrong option or file, 3 limits ended
all calls to the server, 4 no server, 5 a defect or a failed write.";

/// Measure how fast boards are solved to optimality.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct BenchArgs {
    /// The suite to solve; may be repeated. Default: korf and uniform, unless --file is given.
    #[arg(long, value_enum, value_name = "SUITE")]
    suite: Vec<Name>,

    /// A file of boards to solve; may be repeated.
    #[arg(long, short, value_name = "PATH")]
    file: Vec<PathBuf>,

    /// Look for the best solutions within this CPU time (with --threads, wall-clock time) instead of
    /// shortest solutions; several times are separated by commas. Default for the suite deadline:
    /// 20ms,100ms,1s or, with --server, call deadlines of 5ms,10ms,20ms,50ms,100ms.
    #[arg(long, value_name = "TIME", value_delimiter = ',', value_parser = call_deadline)]
    deadline: Vec<Duration>,

    /// Plot the lengths by the deadlines into this file, as SVG.
    #[arg(long, value_name = "FILE", conflicts_with = "server")]
    plot: Option<PathBuf>,

    /// For uniform: how many boards. For deadline: at most how many boards of each size or, with
    /// --server, how many calls. Default: 1000.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    count: Option<u64>,

    /// For uniform and deadline: the seed. Default: 1.
    #[arg(long)]
    seed: Option<u64>,

    /// For uniform: the number of rows. Default: 4.
    #[arg(long)]
    rows: Option<usize>,

    /// For uniform: the number of columns. Default: 4.
    #[arg(long)]
    columns: Option<usize>,

    /// The memory for pattern databases; 0 for none.
    #[arg(long, value_name = "BYTES", default_value = "256M", conflicts_with = "server", value_parser = bytes)]
    table_memory: u64,

    #[command(flatten)]
    tables: TableDirArg,

    /// The most CPU time for a board; with --threads, the most wall-clock time. Default: 1m.
    #[arg(long, value_name = "TIME", conflicts_with = "server", value_parser = time)]
    max_time: Option<Duration>,

    /// Solve each board as an otherwise idle server with this many workers would.
    #[arg(long, conflicts_with = "server", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// Print the figures of each board, too.
    #[arg(long)]
    each: bool,

    /// Print one JSON object per suite.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    server: ServerArgs,

    /// With --server: how many calls are in flight at any time.
    #[arg(long, requires = "server", default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..))]
    in_flight: u16,
}

impl BenchArgs {
    /// Runs the suites one after the other, and prints the figures of each when it is done.
    ///
    /// # Errors
    /// When a file or an option is wrong, or the figures cannot be written.
    pub async fn run(&self, output: &mut dyn Write) -> Result<Exit, Failure> {
        match self.mode()? {
            Mode::Proofs => self.prove(output)?,
            Mode::Lengths(deadlines) => self.shorten(output, &deadlines)?,
            Mode::Calls(url) => self.call(output, url).await?,
            Mode::Kept(url) => self.keep(output, url).await?,
        }
        Ok(Exit::Done)
    }

    /// Looks for shortest solutions of the boards of all suites.
    fn prove(&self, output: &mut dyn Write) -> Result<(), Failure> {
        let workers = self.workers()?;
        for suite in self.suites()? {
            let cases = self.cases(&suite)?;
            self.to_the_end(output, &suite, &cases, workers.as_ref())?;
            output.flush()?;
        }
        Ok(())
    }

    /// Looks for the best solutions by each deadline, and plots their lengths if that is asked for.
    fn shorten(&self, output: &mut dyn Write, deadlines: &[Duration]) -> Result<(), Failure> {
        if let Some(path) = &self.plot {
            try_out(path).map_err(|error| {
                Failure::Input(format!("cannot write {}: {error}", path.display()))
            })?;
        }
        let curves = self.curves(output, deadlines)?;
        if let Some(path) = &self.plot {
            fs::write(path, plot::svg(&curves)).map_err(|error| {
                let named = format!("{}: {error}", path.display());
                io::Error::new(error.kind(), named)
            })?;
        }
        Ok(())
    }

    /// Looks for the best solutions of all suites by each deadline, prints their figures, and returns the curves of
    /// their lengths.
    fn curves(
        &self,
        output: &mut dyn Write,
        deadlines: &[Duration],
    ) -> Result<Vec<Curve>, Failure> {
        let workers = self.workers()?;
        let workers = self.threads.zip(workers.as_ref());
        let mut curves = Vec::new();
        for suite in self.suites()? {
            let cases = self.cases(&suite)?;
            let made = Made::of(&cases, self);
            let tables = made.store.tables();
            let by_deadline = ByDeadline::of(&suite, &cases, tables, deadlines, workers)?;
            if self.json {
                writeln!(output, "{}", by_deadline.as_json())?;
            } else {
                by_deadline.print(output)?;
            }
            output.flush()?;
            curves.push(by_deadline.curve());
        }
        Ok(curves)
    }

    fn cases(&self, suite: &Suite) -> Result<Vec<Case>, Failure> {
        suite
            .cases()
            .map_err(|error| Failure::Input(format!("{suite}: {error}")))
    }

    /// Looks for shortest solutions, and prints their figures.
    fn to_the_end(
        &self,
        output: &mut dyn Write,
        suite: &Suite,
        cases: &[Case],
        workers: Option<&Workers>,
    ) -> Result<(), Failure> {
        let made = Made::of(cases, self);
        let tables = made.store.tables();
        let max_time = self.max_time.unwrap_or(MAX_TIME);
        let bar = bar(cases.len(), suite);
        let runs: Result<Vec<Run>, WrongLength> = cases
            .iter()
            .map(|case| {
                let ran = match workers {
                    Some(workers) => workers.run(case, tables, max_time),
                    None => run(case, tables, max_time),
                };
                bar.inc(1);
                ran
            })
            .collect();
        bar.finish_and_clear();
        let runs = runs.map_err(|wrong| refuted(suite, &wrong))?;
        let figures = Figures::of(&runs);
        let boards = cases.iter().map(|case| case.problem.start().to_string());
        let each: Vec<(String, Run)> = boards.zip(runs).filter(|_| self.each).collect();
        if self.json {
            let object = report::as_json(suite, &figures, &made, self.threads, &each);
            writeln!(output, "{object}")?;
        } else {
            report::print(output, suite, &figures, &made, self.threads, &each)?;
        }
        Ok(())
    }

    /// Returns how many boards or calls were asked for.
    fn count(&self) -> u64 {
        self.count.unwrap_or(COUNT)
    }

    /// Returns the seed of the boards that are drawn.
    fn seed(&self) -> u64 {
        self.seed.unwrap_or(SEED)
    }

    fn workers(&self) -> Result<Option<Workers>, Failure> {
        let start = |threads: u16| Workers::start(threads.into());
        self.threads
            .map(start)
            .transpose()
            .map_err(|error| Failure::Input(format!("--threads: {error}")))
    }
}

/// Returns the failure for a wrong length: an input error for a file, a defect for a suite that is part of loyd.
fn refuted(suite: &Suite, wrong: &WrongLength) -> Failure {
    match suite {
        Suite::Listed { .. } => Failure::Input(format!("{suite}: {wrong}")),
        _ => Failure::Broken(format!("{suite}: {wrong}")),
    }
}

/// Returns a progress bar, which is drawn on a terminal only.
fn bar(boards: usize, name: &dyn fmt::Display) -> ProgressBar {
    let target = ProgressDrawTarget::stderr();
    let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len}, {eta} left")
        .expect("a legal template");
    ProgressBar::with_draw_target(Some(boards as u64), target)
        .with_style(style)
        .with_message(name.to_string())
}
