//! `loyd tables`: the pattern databases on disk, and the training of the shipped weights.

use std::io::{self, Write, stderr};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use indicatif::{HumanBytes, ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use super::train::TrainArgs;
use super::{Exit, Failure};
use crate::config::{TableDirArg, cores};
use crate::heuristic::SMALL_CELLS;
use crate::heuristic::pattern_database::{
    Bytes, Event, Fault, Pattern, PatternDatabase, Store, StoreError, Stored, Tables, Tier, Watch,
};
use crate::puzzle::{Home, Shape};

const EXAMPLES: &str = "\
Examples:
  loyd tables build
  loyd tables build --tier 7-7-1 --table-dir /var/cache/loyd
  loyd tables list --json
  loyd tables train --shape 6x6 --from weights/5x5.loyd --out 6x6.loyd
  loyd tables train --shape 12x12 --staged --width 300 --out near-12x12.loyd
  rm \"$(loyd tables path)\"/4x4-*.pdb

Each table is a file, which is checked whenever it is opened, mapped into memory and shared by all
processes that use it. A damaged file is refused by name and built anew. Tables may be deleted at
any time: those that are still needed are built again.";

/// Build, list and check the tables that make optimal solving fast.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct TablesArgs {
    #[command(subcommand)]
    command: Command,

    #[command(flatten)]
    folder: TableDirArg,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Build the tables of the 15-puzzle that do not exist yet.
    Build(BuildArgs),
    /// Train the weights of the estimate that ranks boards in beams.
    Train(TrainArgs),
    /// List the tables: what they are for, and how large they are.
    List {
        /// Print one JSON object per table.
        #[arg(long)]
        json: bool,
    },
    /// Read every table to its end and check it. Exit code 5 if one is refused. If there is none, standard error says so, and the exit code is 0.
    Verify {
        /// Print one JSON object per table.
        #[arg(long)]
        json: bool,
    },
    /// Print the path of the folder of the tables.
    Path,
}

#[derive(Args, Debug)]
struct BuildArgs {
    /// Which tables, by the numbers of tiles in their patterns: more tiles take more memory and solve faster. Those of 6-6-3, 3 MB, with which a server starts, are built in any case.
    #[arg(long, default_value = Tier::SevenEight.name(), value_parser = tier())]
    tier: Tier,

    /// The cell where the blank belongs, counted row by row from 0; 15 is the lower right corner.
    #[arg(long, value_name = "CELL", default_value_t = 15, value_parser = clap::value_parser!(u8).range(0..=15))]
    home: u8,

    /// The number of threads to build with; default: the cores this process may use.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

fn tier() -> impl TypedValueParser<Value = Tier> {
    PossibleValuesParser::new(Tier::ALL.map(Tier::name)).map(|name| {
        let named = Tier::ALL.into_iter().find(|tier| tier.name() == name);
        named.expect("only these names are possible")
    })
}

impl TablesArgs {
    /// Runs the command.
    ///
    /// # Errors
    /// When no folder is known, or the folder does not exist or cannot be read or written.
    pub fn run(&self, output: &mut dyn Write) -> Result<Exit, Failure> {
        let store = || self.store();
        let exit = match &self.command {
            Command::Build(build) => build.run(store()?, output)?,
            Command::Train(train) => train.run(output)?,
            Command::List { json } => list(&self.kept()?, output, *json)?,
            Command::Verify { json } => verify(&self.kept()?, output, *json)?,
            Command::Path => {
                writeln!(output, "{}", store()?.folder().display())?;
                Exit::Done
            }
        };
        exit.finish(output, Ok(()))
    }

    /// Returns the store to read. The default folder may be missing, as no table has been built yet; a folder named by
    /// `--table-dir` must exist.
    fn kept(&self) -> Result<Store, Failure> {
        let store = self.store()?;
        let folder = store.folder();
        if self.folder.table_dir.is_some() && !folder.is_dir() {
            let what = if folder.exists() {
                "this is not a folder; choose another"
            } else {
                "there is no such folder; create it with `loyd tables build`, or choose another"
            };
            let folder = folder.display();
            return Err(Failure::Input(format!("--table-dir {folder}: {what}")));
        }
        Ok(store)
    }

    fn store(&self) -> Result<Store, Failure> {
        self.folder.path().map(Store::new).ok_or_else(|| {
            Failure::Input(
                "there is no cache folder: neither HOME nor XDG_CACHE_HOME is set; choose a \
                 folder with --table-dir"
                    .to_owned(),
            )
        })
    }
}

impl BuildArgs {
    fn run(&self, store: Store, output: &mut dyn Write) -> Result<Exit, Failure> {
        let threads = self.threads.map_or(cores().get(), usize::from);
        let shape = Shape::new(4, 4).expect("sides in range");
        let home = usize::from(self.home);
        let home = Home::new(shape, home).cell();
        let partitions = self.tier.on_the_way(home).ok_or_else(|| {
            Failure::Input(format!(
                "--tier {} is for a blank in a corner: use --home 15, or --tier {}",
                self.tier.name(),
                Tier::SevenEight.name(),
            ))
        })?;
        let watch = Arc::new(Watch::default());
        let mut tables = Tables::<u64>::stored_in(store);
        let built = thread::scope(|scope| {
            let building = scope.spawn(|| tables.additive(&partitions, threads, &watch).map(drop));
            show(&watch, || building.is_finished());
            building.join()
        });
        if !matches!(built, Ok(Ok(()))) {
            return Err(Failure::Broken("a table could not be built".to_owned()));
        }
        let events = tables.take_events();
        let is_unsaved = |event: &Event| matches!(event, Event::NotSaved(_));
        let exit = if events.iter().any(is_unsaved) {
            Exit::Broken
        } else {
            Exit::Done
        };
        let written = events.into_iter().try_for_each(|event| match event {
            Event::Loaded(path) => writeln!(output, "{}: already there", path.display()),
            Event::Saved(path) => writeln!(output, "{}: built", path.display()),
            Event::Refused(error) => writeln!(output, "{error}; built anew"),
            Event::NotSaved(error) => writeln!(output, "not saved: {error}"),
        });
        exit.finish(output, written)
    }
}

/// Shows a progress bar with the remaining time, on a terminal only, until the work is finished.
fn show(watch: &Watch, is_finished: impl Fn() -> bool) {
    const PARTS: u64 = 1000;
    let style = ProgressStyle::with_template("building {wide_bar} {percent} %, {eta} left")
        .expect("a legal template");
    let bar = ProgressBar::new(PARTS).with_style(style);
    while !is_finished() {
        bar.set_position((watch.fraction() * PARTS as f64) as u64);
        thread::sleep(Duration::from_millis(50));
    }
    bar.finish_and_clear();
}

/// The tables of a store. Says so if there are none.
fn all(store: &Store) -> Result<Vec<Stored>, Failure> {
    let all = store.list().map_err(unreadable)?;
    if all.is_empty() {
        // A failure to write to standard error cannot be reported.
        let _ = writeln!(stderr(), "loyd: no tables in {}", store.folder().display());
    }
    Ok(all)
}

fn list(store: &Store, output: &mut dyn Write, as_json: bool) -> Result<Exit, Failure> {
    for stored in all(store)? {
        row(output, as_json, stored.path, stored.bytes, stored.pattern)?;
    }
    Ok(Exit::Done)
}

fn verify(store: &Store, output: &mut dyn Write, as_json: bool) -> Result<Exit, Failure> {
    let mut exit = Exit::Done;
    // Every table is read even if nobody reads the lines any more.
    let mut written = Ok(());
    for stored in all(store)? {
        let read = stored.pattern.and_then(|pattern| {
            // An intact table under the name of another one would be refused there.
            if store.path(&pattern) != stored.path {
                return Err(StoreError::Refused {
                    path: stored.path.clone(),
                    fault: Fault::OtherPattern,
                });
            }
            let (shape, tiles) = (pattern.shape(), pattern.cells().len());
            if shape.cells() <= SMALL_CELLS {
                store.load::<u64>(pattern, PatternDatabase::rows(shape, tiles))?;
            } else {
                store.load::<Bytes>(pattern, PatternDatabase::rows(shape, tiles))?;
            }
            Ok(pattern)
        });
        if read.is_err() {
            exit = Exit::Broken;
        }
        written = written.and_then(|()| row(output, as_json, stored.path, stored.bytes, read));
    }
    exit.finish(output, written)
}

fn unreadable(error: StoreError) -> Failure {
    Failure::Input(format!("{error}; choose another folder with --table-dir"))
}

fn row(
    output: &mut dyn Write,
    as_json: bool,
    path: PathBuf,
    bytes: u64,
    pattern: Result<Pattern, StoreError>,
) -> io::Result<()> {
    if as_json {
        let (shape, cells, refused) = match &pattern {
            Ok(pattern) => (
                Some(pattern.shape().to_string()),
                pattern.cells().iter().collect::<Value>(),
                None,
            ),
            Err(error) => (None, Value::Null, Some(error.to_string())),
        };
        let object = json!({
            "file": path,
            "bytes": bytes,
            "shape": shape,
            "tiles_at": cells,
            "refused": refused,
        });
        return writeln!(output, "{object}");
    }
    match pattern {
        Ok(pattern) => writeln!(
            output,
            "{}  {:>10}  {}, tiles {}",
            path.display(),
            HumanBytes(bytes).to_string(),
            pattern.shape(),
            Homes(&pattern)
        ),
        Err(refused @ StoreError::Refused { .. }) => writeln!(
            output,
            "{refused}; `loyd tables build`, or a server that needs it, builds it anew"
        ),
        Err(error) => writeln!(output, "{error}"),
    }
}

/// Formats the cells where a pattern's tiles belong as a board of `x` and `.`.
struct Homes<'a>(&'a Pattern);

impl std::fmt::Display for Homes<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shape: Shape = self.0.shape();
        for cell in 0..shape.cells() {
            if cell > 0 && cell % shape.columns() == 0 {
                f.write_str("/")?;
            }
            let is_home = self.0.cells().contains(cell);
            f.write_str(if is_home { "x" } else { "." })?;
        }
        Ok(())
    }
}
