//! `loyd bench`: how fast boards are solved to optimality, here or by a server.

mod deadline;
mod report;
mod served;

use std::fs;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::{Exit, Failure, ServerArgs};
use crate::bench::{Case, Figures, Lengths, Run, Suite, Workers, WrongLength, best_by, run};
use crate::config::{TableDirArg, bytes};
use crate::engine::guide_builder::GuideBuilder;
use crate::engine::table_store::TableStore;
use crate::heuristic::pattern_database::Store;
use crate::puzzle::Shape;
use crate::search::beams;
use crate::search::tables::Tables;

use deadline::{ByDeadline, DEADLINES, SIZES};

const EXAMPLES: &str = "\
Examples:
  loyd bench
  loyd bench --suite korf --suite farthest
  loyd bench --suite uniform --count 10000 --seed 7 --json
  loyd bench --file boards.tsv --max-time 1m --each
  loyd bench --suite farthest --threads 2
  loyd bench --suite deadline
  loyd bench --suite uniform --rows 9 --columns 12 --count 20 --deadline 50ms,500ms
  loyd bench --suite uniform --count 10000 --server 127.0.0.1:50051
  loyd bench --suite uniform --rows 5 --columns 5 --server 127.0.0.1:50051 --timeout 100ms

A file has a board a line: fields parted by tabs, of which the first with a comma holds the tiles
row by row, and the next, if there is one, the length of the shortest solutions, which is checked,
or -.

With --deadline the best solutions within so much CPU time are looked for. The first line of figures
is of the first solutions. Lengths are means; ÷ n³ divides by the number of cells to the power of
3/2; excess is over known shortest solutions; bound is what is proven to be the least.

With --server a running `loyd serve` solves them: times are those of whole calls, the answers are
replayed here, and with --timeout the best solutions within that deadline are asked for. Otherwise
times are CPU time of one thread, in milliseconds, of the boards that were solved within
--max-time. ns/node counts the others, too. With --threads they are CPU time of all threads, and
the time by the clock is told, too.

With --json each suite is an object: suite, boards, solved, mean_length, milliseconds (mean,
median, p95, p99, max), nodes (mean, max), ns_per_node, table_bytes, table_seconds (to build or map); with --threads also threads
and wall_milliseconds (mean, max); with --each also runs, an array of objects: board, length,
lower_bound, milliseconds, nodes, and with --threads wall_milliseconds.";

/// The suites that come with loyd.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Name {
    /// Korf's hundred random 15-puzzles of 1985.
    Korf,
    /// The seventeen 15-puzzles that need 80 moves, the most of all.
    Farthest,
    /// Two 15-puzzles that are harder to solve than any of those.
    Hard,
    /// Boards drawn by --seed, each solvable one as likely.
    Uniform,
    /// The best solutions of uniform boards from 5x5 to 100x100 by three deadlines.
    Deadline,
}

/// Measure how fast boards are solved to optimality.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct BenchArgs {
    /// What to solve, once or more often; korf and uniform when neither this nor --file is given.
    #[arg(long, value_enum, value_name = "SUITE")]
    suite: Vec<Name>,

    /// Boards from a file; once or more often.
    #[arg(long, short, value_name = "PATH")]
    file: Vec<PathBuf>,

    /// Look for the best solutions within this CPU time instead of shortest ones; with commas
    /// between several. 20ms,100ms,1s for the suite deadline.
    #[arg(long, value_name = "TIME", value_delimiter = ',', value_parser = humantime::parse_duration)]
    deadline: Vec<Duration>,

    /// For uniform: how many boards.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    count: u64,

    /// For uniform: the seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// For uniform: rows.
    #[arg(long, default_value_t = 4)]
    rows: usize,

    /// For uniform: columns.
    #[arg(long, default_value_t = 4)]
    columns: usize,

    /// The memory for pattern databases; 0 for none.
    #[arg(long, value_name = "BYTES", default_value = "256M", value_parser = bytes)]
    table_memory: u64,

    #[command(flatten)]
    tables: TableDirArg,

    /// The most CPU time for a board; with --threads, the most time by the clock.
    #[arg(long, value_name = "TIME", default_value = "1m", value_parser = humantime::parse_duration)]
    max_time: Duration,

    /// Solve each board as a server with so many workers and nothing else to do would.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// Tell each board, too.
    #[arg(long)]
    each: bool,

    /// Print one JSON object a suite.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    server: ServerArgs,

    /// With --server: how many calls are under way at any time.
    #[arg(long, requires = "server", default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..))]
    in_flight: u16,
}

impl BenchArgs {
    /// Runs the suites one after the other, and prints the figures of each when it is through.
    ///
    /// # Errors
    /// When a file or an option is wrong, or the figures cannot be written.
    pub async fn run(&self, output: &mut dyn Write) -> Result<Exit, Failure> {
        let workers = self.workers()?;
        for suite in self.suites()? {
            let cases = suite
                .cases()
                .map_err(|error| Failure::Input(format!("{suite}: {error}")))?;
            if let Some(url) = &self.server.server {
                self.by_server(output, &suite, cases, url).await?;
            } else if self.deadlines().is_empty() {
                self.to_the_end(output, &suite, &cases, workers.as_ref())?;
            } else {
                self.by_deadlines(output, &suite, &cases)?;
            }
            output.flush()?;
        }
        Ok(Exit::Done)
    }

    /// Has a server solve the boards.
    async fn by_server(
        &self,
        output: &mut dyn Write,
        suite: &Suite,
        cases: Vec<Case>,
        url: &str,
    ) -> Result<(), Failure> {
        let calls = cases.len();
        let served = served::serve(cases, &self.server, url, self.in_flight.into()).await?;
        if self.json {
            writeln!(output, "{}", served.as_json(suite, url, calls))?;
        } else {
            served.print(output, suite, url, calls)?;
        }
        Ok(())
    }

    /// Looks for the best solutions by each deadline.
    fn by_deadlines(
        &self,
        output: &mut dyn Write,
        suite: &Suite,
        cases: &[Case],
    ) -> Result<(), Failure> {
        let made = self.tables_for(cases)?;
        let by_deadline = ByDeadline {
            suite,
            cases,
            lengths: by_deadlines(suite, cases, made.store.tables(), &self.deadlines())?,
        };
        if self.json {
            writeln!(output, "{}", by_deadline.as_json())?;
        } else {
            by_deadline.print(output)?;
        }
        Ok(())
    }

    /// Looks for shortest solutions.
    fn to_the_end(
        &self,
        output: &mut dyn Write,
        suite: &Suite,
        cases: &[Case],
        workers: Option<&Workers>,
    ) -> Result<(), Failure> {
        let made = self.tables_for(cases)?;
        let tables = made.store.tables();
        let bar = bar(cases.len(), suite);
        let runs: Result<Vec<Run>, WrongLength> = cases
            .iter()
            .map(|case| {
                let ran = match workers {
                    Some(workers) => workers.run(case, tables, self.max_time),
                    None => run(case, tables, self.max_time),
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

    fn workers(&self) -> Result<Option<Workers>, Failure> {
        let start = |threads: u16| Workers::start(threads.into());
        self.threads
            .map(start)
            .transpose()
            .map_err(|error| Failure::Input(format!("--threads: {error}")))
    }

    /// The tables that a server with so much memory would use for these boards.
    fn tables_for(&self, cases: &[Case]) -> Result<Made, Failure> {
        let threads = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let folder = self.tables.path().map(Store::new);
        let store = TableStore::new(
            self.table_memory,
            threads,
            GuideBuilder::new(folder, u64::MAX),
        );
        let begun = Instant::now();
        let bar = ProgressBar::new_spinner().with_message("building tables");
        if let Some(case) = cases.first() {
            store.want_all(case.problem.shape(), case.problem.home());
            while !store.is_settled() {
                bar.tick();
                thread::sleep(Duration::from_millis(5));
            }
        }
        bar.finish_and_clear();
        Ok(Made {
            bytes: store.bytes(),
            time: begun.elapsed(),
            store,
        })
    }

    fn deadlines(&self) -> Vec<Duration> {
        if self.deadline.is_empty() && self.suite.contains(&Name::Deadline) {
            DEADLINES.to_vec()
        } else {
            self.deadline.clone()
        }
    }

    fn suites(&self) -> Result<Vec<Suite>, Failure> {
        let shape = Shape::new(self.rows, self.columns)
            .map_err(|error| Failure::Input(format!("--rows, --columns: {error}")))?;
        let uniform = |shape, count| Suite::Uniform {
            shape,
            count,
            seed: self.seed,
        };
        let named = |name| match name {
            Name::Korf => vec![Suite::Korf],
            Name::Farthest => vec![Suite::Farthest],
            Name::Hard => vec![Suite::Hard],
            Name::Uniform => vec![uniform(shape, self.count)],
            Name::Deadline => SIZES
                .into_iter()
                .filter_map(|(rows, columns, count)| {
                    Some(uniform(
                        Shape::new(rows, columns).ok()?,
                        count.min(self.count),
                    ))
                })
                .collect(),
        };
        let mut suites: Vec<Suite> = self.suite.iter().copied().flat_map(named).collect();
        for path in &self.file {
            let text = fs::read_to_string(path)
                .map_err(|error| Failure::Input(format!("{}: {error}", path.display())))?;
            suites.push(Suite::Listed {
                name: path.display().to_string(),
                text,
            });
        }
        if suites.is_empty() {
            suites = [Name::Korf, Name::Uniform]
                .into_iter()
                .flat_map(named)
                .collect();
        }
        Ok(suites)
    }
}

/// The best solutions of all boards by each deadline.
fn by_deadlines(
    suite: &Suite,
    cases: &[Case],
    tables: &Arc<Tables>,
    deadlines: &[Duration],
) -> Result<Vec<(Duration, Lengths)>, Failure> {
    let bar = bar(cases.len() * deadlines.len(), suite);
    // What is made once for all boards of a size is no part of any deadline.
    if let (Some(case), Some(&longest)) = (cases.first(), deadlines.iter().max()) {
        let beams = beams::beams(&case.problem, tables);
        while !beams.prepare(1 << 16) {}
        best_by(case, tables, longest).map_err(|wrong| refuted(suite, &wrong))?;
    }
    let lengths = deadlines.iter().map(|&deadline| {
        let reached: Result<Vec<_>, WrongLength> = cases
            .iter()
            .map(|case| {
                let reached = best_by(case, tables, deadline);
                bar.inc(1);
                reached
            })
            .collect();
        let reached = reached.map_err(|wrong| refuted(suite, &wrong))?;
        Ok((deadline, Lengths::of(cases, &reached)))
    });
    let lengths = lengths.collect();
    bar.finish_and_clear();
    lengths
}

/// A wrong length is the file's fault, or loyd's where it comes with loyd.
fn refuted(suite: &Suite, wrong: &WrongLength) -> Failure {
    match suite {
        Suite::Listed { .. } => Failure::Input(format!("{suite}: {wrong}")),
        _ => Failure::Broken(format!("{suite}: {wrong}")),
    }
}

/// The tables of a suite.
struct Made {
    store: TableStore,
    bytes: usize,
    /// What it took to build or to map them.
    time: Duration,
}

/// Drawn on a terminal only.
fn bar(boards: usize, suite: &Suite) -> ProgressBar {
    let target = ProgressDrawTarget::stderr();
    let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len}, {eta} left")
        .expect("a legal template");
    ProgressBar::with_draw_target(Some(boards as u64), target)
        .with_style(style)
        .with_message(suite.to_string())
}
