//! `loyd tables train`: learns the weights of the estimate that ranks boards in beams.

use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};

use super::generate::Size;
use super::try_out::try_out;
use super::{Exit, Failure};
use crate::config::cores;
use crate::heuristic::learned::near::{self, NearWeights};
use crate::heuristic::learned::{self, Kind, Network, Weights, WeightsError};
use crate::puzzle::Shape;
use crate::training::{
    Course, LEAST_WIDTH, Report, learn_near_network, learn_network, rank_in_stages, rank_whole,
    rank_whole_near, train,
};

#[derive(Args, Debug)]
pub(super) struct TrainArgs {
    /// The size of the boards, rows by columns, such as 5x5. Boards with sides of up to 6 are ranked by all pairs of tiles, those
    /// of up to 132 cells with a longer side, of up to 16 (20 with up to 40 cells), by tiles near each other.
    #[arg(long)]
    shape: Size,

    /// Train for beams in stages, which narrow beams use on boards of more than 8x8, and all beams on 12x12; default: for beams over
    /// whole boards.
    #[arg(long)]
    staged: bool,

    /// What to learn: the moves that remain; or which board of a layer led to the solution, which improves good weights; or a
    /// network beside such weights. Default: moves; ranks for boards that are ranked by tiles near each other.
    #[arg(long, value_enum)]
    learn: Option<Learn>,

    /// The weights to begin with, which may be those of smaller or larger boards. May be repeated: then the mean of them. Default: the
    /// Manhattan distance, or for boards that are ranked by tiles near each other the weights shipped with loyd.
    #[arg(long, value_name = "FILE")]
    from: Vec<PathBuf>,

    /// The network to continue from, with --learn network; default: an untrained one. With --learn ranks: the network beside which the
    /// weights rank, which stays as it is; default: none.
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,

    /// The seed. The same seed gives the same weights.
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// The number of threads to learn with; default: the cores this process may use.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// How many times boards are solved and learned from; 0 only fits the weights to the size.
    #[arg(long, default_value_t = 3)]
    generations: u32,

    /// The number of boards to solve in a generation. When ranks are learned, each takes up to 0.4 MB until it is over (10x10).
    #[arg(long, default_value = "4096")]
    solves: NonZeroUsize,

    /// The width of the beam that solves them; at least 48 when ranks are learned.
    #[arg(long, default_value = "400")]
    width: NonZeroUsize,

    /// How many times a generation looks at each sample; default: 3, or 1 for ranks.
    #[arg(long)]
    epochs: Option<NonZeroU32>,

    /// The learning rate: how much the first lesson changes an estimate, in moves; later lessons change it less. Default: 2.5;
    /// weights that are already good learn better at half a move. For ranks, how much it changes a weight; default: 0.03, or
    /// 0.004 for networks.
    #[arg(long, value_parser = rate)]
    rate: Option<f32>,

    /// The number of boards that decide which weights are better.
    #[arg(long, default_value = "100")]
    trials: NonZeroUsize,

    /// The width of the beam on those boards.
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
    /// Which board of a layer led to the solution.
    Ranks,
    /// A network for what the weights do not tell about that.
    Network,
}

impl TrainArgs {
    pub(super) fn run(&self, output: &mut dyn Write) -> Result<Exit, Failure> {
        let learn = self.what_to_learn()?;
        let course = self.course(learn);
        try_out(&self.out).map_err(|error| fail(&self.out, &error))?;
        let style = ProgressStyle::with_template("{msg} {wide_bar} {percent} %, {eta} left")
            .expect("a legal template");
        let mut log = Log {
            bar: ProgressBar::new(1).with_style(style),
            output,
            written: Ok(()),
        };
        let bytes = self.learned(learn, &course, &mut |report| log.report(report, &course))?;
        log.bar.finish_and_clear();
        // The result of the long run first: the reader of the lines may be gone, so that they could not be written.
        fs::write(&self.out, bytes).map_err(|error| fail(&self.out, &error))?;
        log.written?;
        writeln!(log.output, "{}: written", self.out.display())?;
        Ok(Exit::Done)
    }

    const fn shape(&self) -> Shape {
        let Size(shape) = self.shape;
        shape
    }

    /// Whether its boards are ranked by tiles near each other.
    const fn is_near(&self) -> bool {
        let shape = self.shape();
        near::supports(shape) || near::supports_whole(shape) && shape.rows() <= shape.columns()
    }

    /// Returns what is to be learned.
    ///
    /// # Errors
    /// When an option does not suit that, or the size.
    fn what_to_learn(&self) -> Result<Learn, Failure> {
        let (shape, is_near) = (self.shape(), self.is_near());
        if self.staged && !near::supports(shape) {
            return Err(Failure::Input(format!(
                "--staged: beams in stages learn nothing on boards of {shape}, only on those of more than 8×8 with sides \
                 from 8 to 12, at least as wide as high"
            )));
        }
        if is_near && !self.staged && !near::supports_whole(shape) {
            return Err(Failure::Input(format!(
                "--shape {shape}: all beams run in stages on such boards; add --staged"
            )));
        }
        let learn = match (self.learn, is_near) {
            (Some(Learn::Network), _) if self.staged => {
                return Err(Failure::Input(
                    "--learn network: beams in stages use no network".to_owned(),
                ));
            }
            (Some(Learn::Moves), true) => {
                return Err(Failure::Input(format!(
                    "--learn moves: boards of {shape} learn ranks, and networks beside them; use --learn ranks"
                )));
            }
            (learn, true) => learn.unwrap_or(Learn::Ranks),
            (learn, false) => learn.unwrap_or(Learn::Moves),
        };
        if self.network.is_some() && self.staged {
            return Err(Failure::Input(
                "--network: beams in stages use no network".to_owned(),
            ));
        }
        if self.network.is_some() && learn == Learn::Moves {
            return Err(Failure::Input(
                "--network: only with --learn network or --learn ranks".to_owned(),
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
        Course {
            seed: self.seed,
            threads: self.threads.map_or(cores().get(), usize::from),
            generations: self.generations,
            solves: self.solves.get(),
            width: self.width.get(),
            epochs: self.epochs.map_or(epochs, NonZeroU32::get),
            rate: self.rate.unwrap_or(rate),
            trials: self.trials.get(),
            trial_width: self.trial_width.get(),
        }
    }

    /// Runs the course, and returns what it learned as the bytes of a file.
    fn learned(
        &self,
        learn: Learn,
        course: &Course,
        report: &mut dyn FnMut(&Report),
    ) -> Result<Vec<u8>, Failure> {
        let (shape, is_near) = (self.shape(), self.is_near());
        let network = self.given_network(shape)?;
        Ok(match learn {
            Learn::Ranks if self.staged => {
                rank_in_stages(course, self.near_beginning(shape)?, report).to_bytes()
            }
            Learn::Ranks if is_near => {
                let from = self.near_beginning(shape)?;
                rank_whole_near(course, from, network.as_ref(), report).to_bytes()
            }
            Learn::Ranks => {
                let from = self.beginning(shape)?;
                rank_whole(course, from, network.as_ref(), report).to_bytes()
            }
            Learn::Network if is_near => {
                let from = self.near_beginning(shape)?;
                learn_near_network(course, from, network, report).to_bytes()
            }
            Learn::Network => {
                let from = self.beginning(shape)?;
                learn_network(course, from, network, report).to_bytes()
            }
            Learn::Moves => train(course, self.beginning(shape)?, report).to_bytes(),
        })
    }

    /// Returns the initial weights, fitted to the size.
    fn beginning(&self, shape: Shape) -> Result<Weights, Failure> {
        if !learned::supports(shape) || shape.rows() > shape.columns() {
            return Err(Failure::Input(format!(
                "--shape {shape}: boards to learn have at most 132 cells and sides of at most 16, or 40 cells and sides of at most 20, or are \
                 12×12 with --staged; and they are at least as wide as they are high"
            )));
        }
        if self.from.is_empty() {
            return Ok(Weights::manhattan(shape));
        }
        let given = self.given(|bytes| Ok(Weights::from_bytes(bytes)?.fit(shape)))?;
        Ok(Weights::mean(&given))
    }

    /// Returns the initial weights that were given, each as it is read.
    fn given<W>(&self, read: impl Fn(&[u8]) -> Result<W, WeightsError>) -> Result<Vec<W>, Failure> {
        let given = self.from.iter().map(|path| {
            let bytes = fs::read(path).map_err(|error| fail(path, &error))?;
            read(&bytes).map_err(|error| fail(path, &error))
        });
        given.collect()
    }

    /// Returns the network that was given, if any.
    fn given_network(&self, shape: Shape) -> Result<Option<Network>, Failure> {
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

    /// Returns the initial weights of tiles near each other, fitted to the size.
    fn near_beginning(&self, shape: Shape) -> Result<NearWeights, Failure> {
        if self.from.is_empty() {
            let shipped = if self.staged {
                near::shipped(shape)
            } else {
                near::shipped_whole(shape)
            };
            return shipped.ok_or_else(|| {
                Failure::Broken("the weights shipped with loyd are damaged".to_owned())
            });
        }
        let given = self.given(|bytes| {
            let weights = match NearWeights::from_bytes(bytes) {
                Err(WeightsError::Other {
                    found: Kind::Weights,
                    ..
                }) => NearWeights::of(&Weights::from_bytes(bytes)?),
                weights => weights?,
            };
            Ok(weights.fit(shape))
        })?;
        Ok(NearWeights::mean(&given))
    }
}

/// Reports a course: its progress by a bar, and the results of its trials by lines.
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
                    // Flushed at once, for readers that follow a file.
                    let write =
                        || writeln!(self.output, "{line}").and_then(|()| self.output.flush());
                    self.written = self.bar.suspend(write);
                }
            }
        }
    }
}

/// The default epochs and rate for learning moves, ranks and networks.
const LESSONS: (u32, f32) = (3, 2.5);
const RANK_LESSONS: (u32, f32) = (1, 0.03);
const NETWORK_LESSONS: (u32, f32) = (1, 0.004);

/// Parses a learning rate.
fn rate(text: &str) -> Result<f32, String> {
    match text.parse() {
        Ok(rate) if rate > 0.0 && rate <= 100.0 => Ok(rate),
        _ => Err("must be a number above 0, at most 100".to_owned()),
    }
}

fn fail(path: &Path, error: &dyn fmt::Display) -> Failure {
    Failure::Input(format!("{}: {error}", path.display()))
}
