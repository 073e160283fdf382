//! `loyd bench`: how fast boards are solved to optimality here.

use std::fs;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};

use super::spelling::count;
use super::{Exit, Failure};
use crate::bench::{Case, Figures, Run, Suite, Workers, WrongLength, run};
use crate::config::{TableDirArg, bytes};
use crate::engine::guide_builder::GuideBuilder;
use crate::engine::table_store::TableStore;
use crate::heuristic::pattern_database::Store;
use crate::puzzle::Shape;

const EXAMPLES: &str = "\
Examples:
  loyd bench
  loyd bench --suite korf --suite farthest
  loyd bench --suite uniform --count 10000 --seed 7 --json
  loyd bench --file boards.tsv --max-time 1m --each
  loyd bench --suite farthest --threads 2

A file has a board a line: fields parted by tabs, of which the first with a comma holds the tiles
row by row, and the next, if there is one, the length of the shortest solutions, which is checked.

Times are CPU time of one thread, in milliseconds, of the boards that were solved within
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
}

/// Measure how fast boards are solved to optimality.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct BenchArgs {
    /// What to solve, once or more often; korf and uniform when neither this nor --file is given.
    #[arg(long, value_enum, value_name = "SUITE")]
    suite: Vec<Name>,

    /// Boards from a file.
    #[arg(long, short, value_name = "PATH")]
    file: Option<PathBuf>,

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
}

impl BenchArgs {
    /// Runs the suites one after the other, and prints the figures of each when it is through.
    ///
    /// # Errors
    /// When a file or an option is wrong, or the figures cannot be written.
    pub fn run(&self, output: &mut dyn Write) -> Result<Exit, Failure> {
        let workers = self.workers()?;
        for suite in self.suites()? {
            let cases = suite
                .cases()
                .map_err(|error| Failure::Input(format!("{suite}: {error}")))?;
            let made = self.tables_for(&cases)?;
            let tables = made.store.tables();
            let bar = bar(cases.len(), &suite);
            let runs: Result<Vec<Run>, WrongLength> = cases
                .iter()
                .map(|case| {
                    let ran = match &workers {
                        Some(workers) => workers.run(case, tables, self.max_time),
                        None => run(case, tables, self.max_time),
                    };
                    bar.inc(1);
                    ran
                })
                .collect();
            bar.finish_and_clear();
            let runs = runs.map_err(|wrong| match suite {
                Suite::Listed { .. } => Failure::Input(format!("{suite}: {wrong}")),
                _ => Failure::Broken(format!("{suite}: {wrong}")),
            })?;
            let figures = Figures::of(&runs);
            let boards = cases.iter().map(|case| case.problem.start().to_string());
            let each: Vec<(String, Run)> = boards.zip(runs).filter(|_| self.each).collect();
            if self.json {
                writeln!(output, "{}", self.as_json(&suite, &figures, &made, &each))?;
            } else {
                self.print(output, &suite, &figures, &made, &each)?;
            }
            output.flush()?;
        }
        Ok(Exit::Done)
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

    fn suites(&self) -> Result<Vec<Suite>, Failure> {
        let shape = Shape::new(self.rows, self.columns)
            .map_err(|error| Failure::Input(format!("--rows, --columns: {error}")))?;
        let named = |name| match name {
            Name::Korf => Suite::Korf,
            Name::Farthest => Suite::Farthest,
            Name::Hard => Suite::Hard,
            Name::Uniform => Suite::Uniform {
                shape,
                count: self.count,
                seed: self.seed,
            },
        };
        let mut suites: Vec<Suite> = self.suite.iter().copied().map(named).collect();
        if let Some(path) = &self.file {
            let text = fs::read_to_string(path)
                .map_err(|error| Failure::Input(format!("{}: {error}", path.display())))?;
            suites.push(Suite::Listed {
                name: path.display().to_string(),
                text,
            });
        }
        if suites.is_empty() {
            suites = [Name::Korf, Name::Uniform].map(named).into();
        }
        Ok(suites)
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

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

impl BenchArgs {
    fn print(
        &self,
        output: &mut dyn Write,
        suite: &Suite,
        figures: &Figures,
        tables: &Made,
        each: &[(String, Run)],
    ) -> io::Result<()> {
        for (board, run) in each {
            let length = match run.length {
                Some(length) => count(length as u64, "move"),
                None => format!("at least {}", count(run.lower_bound.into(), "move")),
            };
            let time = milliseconds(run.time);
            write!(output, "{board}: {length}, {time:.3} ms, ")?;
            if self.threads.is_some() {
                write!(output, "{:.3} ms by the clock, ", milliseconds(run.wall))?;
            }
            writeln!(output, "{}", count(run.nodes, "node"))?;
        }
        let Figures { boards, solved, .. } = figures;
        writeln!(
            output,
            "{suite}: {solved} of {boards} boards solved, mean length {:.3}",
            figures.mean_length
        )?;
        writeln!(
            output,
            "  ms: mean {:.3}, median {:.3}, p95 {:.3}, p99 {:.3}, max {:.3}",
            figures.mean, figures.median, figures.p95, figures.p99, figures.max
        )?;
        if let Some(threads) = self.threads {
            writeln!(
                output,
                "  on {}: mean {:.3} ms by the clock, max {:.3}",
                count(threads.into(), "thread"),
                figures.mean_wall,
                figures.max_wall
            )?;
        }
        writeln!(
            output,
            "  nodes: mean {:.0}, max {}; {:.1} ns/node",
            figures.mean_nodes, figures.max_nodes, figures.per_node
        )?;
        writeln!(
            output,
            "  tables: {:.1} MB, ready after {:.2} s",
            tables.bytes as f64 / 1e6,
            tables.time.as_secs_f64()
        )
    }

    fn as_json(
        &self,
        suite: &Suite,
        figures: &Figures,
        tables: &Made,
        each: &[(String, Run)],
    ) -> Value {
        let mut object = json!({
            "suite": suite.to_string(),
            "boards": figures.boards,
            "solved": figures.solved,
            "mean_length": figures.mean_length,
            "milliseconds": {
                "mean": figures.mean,
                "median": figures.median,
                "p95": figures.p95,
                "p99": figures.p99,
                "max": figures.max,
            },
            "nodes": { "mean": figures.mean_nodes, "max": figures.max_nodes },
            "ns_per_node": figures.per_node,
            "table_bytes": tables.bytes,
            "table_seconds": tables.time.as_secs_f64(),
        });
        if let Some(threads) = self.threads {
            object["threads"] = threads.into();
            object["wall_milliseconds"] =
                json!({ "mean": figures.mean_wall, "max": figures.max_wall });
        }
        if !each.is_empty() {
            let run = |(board, run): &(String, Run)| {
                let mut object = json!({
                    "board": board,
                    "length": run.length,
                    "lower_bound": run.lower_bound,
                    "milliseconds": milliseconds(run.time),
                    "nodes": run.nodes,
                });
                if self.threads.is_some() {
                    object["wall_milliseconds"] = milliseconds(run.wall).into();
                }
                object
            };
            object["runs"] = each.iter().map(run).collect();
        }
        object
    }
}
