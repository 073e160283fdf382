//! `loyd tables train`: learns the weights of an estimate.

use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::thread;

use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};

use super::generate::Size;
use super::{Exit, Failure};
use crate::heuristic::learned::near::{self, NearWeights};
use crate::heuristic::learned::{self, MAX_CELLS, Network, Weights, WeightsError};
use crate::puzzle::Shape;
use crate::training::{
    Course, LEAST_WIDTH, Report, learn_near_network, learn_network, rank_in_stages, rank_whole,
    rank_whole_near, train,
};

#[derive(Args, Debug)]
pub(super) struct TrainArgs {
    /// The size of the boards, rows by columns, such as 5x5. Those of up to 132 cells with sides of up to 16 that are larger than 8x8,
    /// or have a side of more than 8 and over 40 cells, are ranked by tiles near each other; 7x8 and 8x8 by what --from holds.
    #[arg(long)]
    shape: Size,

    /// For beams in stages, as narrow ones are on boards of more than 8x8, and all on 12x12; default: for beams over whole boards.
    #[arg(long)]
    staged: bool,

    /// What to learn: the moves that remain, or which board of a layer leads on, which makes good weights better, or a network beside
    /// such weights. Default: moves, for boards of more than 8x8 ranks.
    #[arg(long, value_enum)]
    learn: Option<Learn>,

    /// Weights to begin with, those of smaller and larger boards too; default: the Manhattan distance, for boards of more
    /// than 8x8 the weights that loyd comes with.
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,

    /// A network to go on with, where one is learned; default: one that knows nothing.
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,

    /// The same seed gives the same weights.
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Threads to learn on; default: the cores this process may use.
    #[arg(long)]
    threads: Option<NonZeroUsize>,

    /// How often boards are solved and learned from; 0 only fits the weights to the size.
    #[arg(long, default_value_t = 3)]
    generations: u32,

    /// Boards to solve in a generation. Where ranks are learned each takes up to 0.4 MB until it is over (10x10).
    #[arg(long, default_value = "4096")]
    solves: NonZeroUsize,

    /// The width of the beam that solves them; at least 48 where ranks are learned.
    #[arg(long, default_value = "400")]
    width: NonZeroUsize,

    /// How often a generation looks at each sample; default: 3, for ranks 1.
    #[arg(long)]
    epochs: Option<NonZeroU32>,

    /// How much the first lesson changes an estimate, in moves; later ones change less. Default: 2.5; weights that
    /// are good already learn better at half a move. For ranks, how much it changes a weight; default: 0.03, and 0.004
    /// for networks.
    #[arg(long, value_parser = rate)]
    rate: Option<f32>,

    /// Boards that decide which weights are better.
    #[arg(long, default_value = "100")]
    trials: NonZeroUsize,

    /// The width of the beam on those.
    #[arg(long, default_value = "300")]
    trial_width: NonZeroUsize,

    /// Where to write the weights.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// What can be learned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Learn {
    /// The moves that remain.
    Moves,
    /// Which board of a layer leads on.
    Ranks,
    /// A network of what weights do not tell of which board leads on.
    Network,
}

impl TrainArgs {
    pub(super) fn run(&self, output: &mut dyn Write) -> Result<Exit, Failure> {
        let learn = self.what_to_learn()?;
        let course = self.course(learn);
        self.try_out()?;
        let style = ProgressStyle::with_template("{msg} {wide_bar} {percent} %, {eta} left")
            .expect("a legal template");
        let mut log = Log {
            bar: ProgressBar::new(1).with_style(style),
            output,
            written: Ok(()),
        };
        let bytes = self.learned(learn, &course, &mut |report| log.report(report, &course))?;
        log.bar.finish_and_clear();
        // First what took so long: nobody may be reading the lines any more.
        fs::write(&self.out, bytes).map_err(|error| fail(&self.out, &error))?;
        log.written?;
        writeln!(log.output, "{}: written", self.out.display())?;
        Ok(Exit::Done)
    }

    const fn shape(&self) -> Shape {
        let Size(shape) = self.shape;
        shape
    }

    /// Whether its boards are ranked by tiles near each other; where all pairs do that, too, it is as in what is begun with.
    fn is_near(&self) -> bool {
        let shape = self.shape();
        let begins_near = || {
            let bytes = self.from.as_ref().and_then(|from| fs::read(from).ok());
            bytes.is_some_and(|bytes| NearWeights::from_bytes(&bytes).is_ok())
        };
        let is_whole = near::supports_whole(shape) && shape.rows() <= shape.columns();
        near::supports(shape) || is_whole && (!learned::supports(shape) || begins_near())
    }

    /// What is to be learned, where all options suit that and the size.
    fn what_to_learn(&self) -> Result<Learn, Failure> {
        let (shape, is_near) = (self.shape(), self.is_near());
        if self.staged && !near::supports(shape) {
            return Err(Failure::Input(format!(
                "--staged: nothing is learned of boards of {shape} in stages; of those of more than 8×8 with sides \
                 from 8 to 12, at least as wide as high"
            )));
        }
        if is_near && !self.staged && !near::supports_whole(shape) {
            return Err(Failure::Input(format!(
                "--shape {shape}: all beams go in stages there; give --staged"
            )));
        }
        let learn = match (self.learn, is_near) {
            (Some(Learn::Network), _) if self.staged => {
                return Err(Failure::Input(
                    "--learn network: no network belongs to beams in stages".to_owned(),
                ));
            }
            (Some(Learn::Moves), true) => {
                return Err(Failure::Input(format!(
                    "--learn moves: boards of {shape} learn ranks, and networks beside them; give --learn ranks"
                )));
            }
            (learn, true) => learn.unwrap_or(Learn::Ranks),
            (learn, false) => learn.unwrap_or(Learn::Moves),
        };
        if self.network.is_some() && learn != Learn::Network {
            return Err(Failure::Input(
                "--network: only with --learn network".to_owned(),
            ));
        }
        if learn == Learn::Network && shape.cells() > Network::MAX_CELLS {
            let most = Network::MAX_CELLS;
            return Err(Failure::Input(format!(
                "--learn network: networks are for boards of at most {most} cells, not of {shape}"
            )));
        }
        if learn == Learn::Network && self.epochs.is_some() {
            return Err(Failure::Input(
                "--epochs: a network sees each sample once".to_owned(),
            ));
        }
        if learn != Learn::Moves && self.width.get() < LEAST_WIDTH {
            return Err(Failure::Input(format!(
                "--width {}: ranks are not learned from beams of fewer than {LEAST_WIDTH} boards",
                self.width
            )));
        }
        Ok(learn)
    }

    fn course(&self, learn: Learn) -> Course {
        let (epochs, rate) = match learn {
            Learn::Ranks => RANK_LESSONS,
            Learn::Moves => LESSONS,
            Learn::Network => NETWORK_LESSONS,
        };
        let threads = self
            .threads
            .or_else(|| thread::available_parallelism().ok());
        Course {
            seed: self.seed,
            threads: threads.map_or(1, NonZeroUsize::get),
            generations: self.generations,
            solves: self.solves.get(),
            width: self.width.get(),
            epochs: self.epochs.map_or(epochs, NonZeroU32::get),
            rate: self.rate.unwrap_or(rate),
            trials: self.trials.get(),
            trial_width: self.trial_width.get(),
        }
    }

    /// The bytes of what a course comes to.
    fn learned(
        &self,
        learn: Learn,
        course: &Course,
        report: &mut dyn FnMut(&Report),
    ) -> Result<Vec<u8>, Failure> {
        let (shape, is_near) = (self.shape(), self.is_near());
        Ok(match learn {
            Learn::Ranks if self.staged => {
                rank_in_stages(course, self.near_beginning(shape)?, report).to_bytes()
            }
            Learn::Ranks if is_near => {
                rank_whole_near(course, self.near_beginning(shape)?, report).to_bytes()
            }
            Learn::Ranks => rank_whole(course, self.beginning(shape)?, report).to_bytes(),
            Learn::Network if is_near => {
                let from = self.network_beginning(shape)?;
                learn_near_network(course, self.near_beginning(shape)?, from, report).to_bytes()
            }
            Learn::Network => {
                let from = self.network_beginning(shape)?;
                learn_network(course, self.beginning(shape)?, from, report).to_bytes()
            }
            Learn::Moves => train(course, self.beginning(shape)?, report).to_bytes(),
        })
    }

    /// That what is learned can be written: better now than after an hour.
    fn try_out(&self) -> Result<(), Failure> {
        let is_new = fs::symlink_metadata(&self.out).is_err();
        let file = OpenOptions::new().append(true).create(true).open(&self.out);
        file.map_err(|error| fail(&self.out, &error))?;
        if is_new {
            // There is nothing in it yet.
            drop(fs::remove_file(&self.out));
        }
        Ok(())
    }

    /// The weights to begin with, lifted to a size.
    fn beginning(&self, shape: Shape) -> Result<Weights, Failure> {
        if shape.cells() > MAX_CELLS || shape.rows() > shape.columns() {
            return Err(Failure::Input(format!(
                "{shape}: boards to learn have at most {MAX_CELLS} cells, squares up to 12×12, and are at least \
                 as wide as they are high"
            )));
        }
        let Some(from) = &self.from else {
            return Ok(Weights::manhattan(shape));
        };
        let bytes = fs::read(from).map_err(|error| fail(from, &error))?;
        let weights = Weights::from_bytes(&bytes).map_err(|error| fail(from, &error))?;
        Ok(weights.fit(shape))
    }

    /// The network to begin with.
    fn network_beginning(&self, shape: Shape) -> Result<Option<Network>, Failure> {
        let Some(path) = &self.network else {
            return Ok(None);
        };
        let bytes = fs::read(path).map_err(|error| fail(path, &error))?;
        let network = Network::from_bytes(&bytes).map_err(|error| fail(path, &error))?;
        if network.shape() != shape {
            return Err(Failure::Input(format!(
                "{}: a network for boards of {}, not of {shape}",
                path.display(),
                network.shape()
            )));
        }
        Ok(Some(network))
    }

    /// The same of tiles near each other.
    fn near_beginning(&self, shape: Shape) -> Result<NearWeights, Failure> {
        let Some(from) = &self.from else {
            let shipped = if self.staged {
                near::shipped(shape)
            } else {
                near::shipped_whole(shape)
            };
            return shipped.ok_or_else(|| {
                Failure::Broken("the weights that loyd comes with are damaged".to_owned())
            });
        };
        let bytes = fs::read(from).map_err(|error| fail(from, &error))?;
        let weights = match NearWeights::from_bytes(&bytes) {
            Err(WeightsError::Foreign) => {
                Weights::from_bytes(&bytes).map(|weights| NearWeights::of(&weights))
            }
            weights => weights,
        };
        let weights = weights.map_err(|error| fail(from, &error))?;
        Ok(weights.fit(shape))
    }
}

/// Who is told of a course: how far it has come, by a bar, and what was tried, by lines.
struct Log<'a> {
    bar: ProgressBar,
    output: &'a mut dyn Write,
    /// Whether the lines could be written so far.
    written: io::Result<()>,
}

impl Log<'_> {
    fn report(&mut self, report: &Report, course: &Course) {
        match *report {
            Report::Solving {
                generation, tried, ..
            } => {
                let message = format!("generation {generation}: solving");
                self.bar.set_message(message);
                self.bar.set_length(course.solves as u64);
                self.bar.set_position(tried as u64);
            }
            Report::Learning {
                generation,
                samples,
            } => {
                let message = format!("generation {generation}: learning from {samples}");
                self.bar.set_message(message);
            }
            Report::Tried {
                generation,
                what,
                moves,
                failed,
            } => {
                let line =
                    format!("generation {generation}, {what}: {moves:.2} moves, {failed} without");
                if self.written.is_ok() {
                    // At once, for who reads it from a file.
                    let write =
                        || writeln!(self.output, "{line}").and_then(|()| self.output.flush());
                    self.written = self.bar.suspend(write);
                }
            }
        }
    }
}

/// How often samples are looked at, and the rate, where nothing is said; of moves, of ranks and of networks.
const LESSONS: (u32, f32) = (3, 2.5);
const RANK_LESSONS: (u32, f32) = (1, 0.03);
const NETWORK_LESSONS: (u32, f32) = (1, 0.004);

/// Reads a rate.
fn rate(text: &str) -> Result<f32, String> {
    match text.parse() {
        Ok(rate) if rate > 0.0 && rate <= 100.0 => Ok(rate),
        _ => Err("must be a number above 0, at most 100".to_owned()),
    }
}

fn fail(path: &Path, error: &dyn fmt::Display) -> Failure {
    Failure::Input(format!("{}: {error}", path.display()))
}
