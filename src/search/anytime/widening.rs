//! Wider and wider beams, for as long as there is time (after the complete anytime beam search of Zhang,
//! 1998).
//!
//! A narrow beam finds a solution at once and shows what a layer costs. The next two are as wide as the time
//! that is left allows, layer by layer, so that the last one ends just before the deadline. Without a
//! deadline each is four times as wide as the one before.
//!
//! If there is help, a beam from the other end has all of the time that is left, and so do the search's own
//! beams meanwhile.

mod pace;
mod share;
mod side_beam;

use std::sync::Arc;
use std::time::Duration;

use crate::puzzle::Solution;
use crate::search::beam::Pass;
use crate::search::{Budget, Part, Progress, Search, Step, Stop};

use pace::Pace;
use share::{Ends, Share};
use side_beam::SideBeams;

pub(super) use share::FIRST_SHARE;

/// Makes the beams of a problem.
pub trait Beams: Send + Sync {
    /// Works on the tables that the best beams need, about as long as so many nodes take. Returns true once
    /// they are ready. Until then other beams are made.
    fn prepare(&self, nodes: u64) -> bool;

    /// A beam, which may later be made as wide as `most`; `None` if the problem has none.
    fn beam(&self, scale: Scale, most: usize, seed: u64) -> Option<Box<dyn Pass>>;

    /// The least width from which two beams, the one with the odd seed from the other end, are together as
    /// good as one of twice the width; `None` where all beams begin at the same end.
    fn pair_width(&self) -> Option<usize>;

    /// Whether two beams side by side are better than one alone that has as much time as either.
    fn suit_two(&self) -> bool;

    /// The narrowest beam: a narrower one would find nothing, or nothing good.
    fn narrowest(&self) -> usize;

    /// The widest beam: a wider one would hold all boards there are.
    fn widest(&self) -> usize {
        usize::MAX
    }

    /// The best kind for beams of this width. `is_paired` says that another beam runs from the other end,
    /// which may find what this one misses.
    fn kind(&self, width: usize, is_paired: bool) -> Kind;

    /// The bytes that a beam can come to hold.
    fn bytes(&self, scale: Scale) -> u64;

    /// About how many layers a beam has to make; rather too many than too few.
    fn layers(&self, scale: Scale) -> u32;

    /// About the nanoseconds that a node of a beam takes. The factor by which it is slower is measured.
    fn cost(&self, scale: Scale) -> f64;
}

/// What is decided about a beam before it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    /// How it solves boards.
    pub kind: Kind,
    /// The nodes of a layer.
    pub width: usize,
    /// The most moves to look for.
    pub most_moves: u32,
}

/// How a beam solves boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Whole boards at once.
    Whole,
    /// In stages.
    Staged,
}

/// The width of the first beam without a deadline.
const FIRST: usize = 128;

/// The factor by which beams grow without a deadline.
const GROWTH: usize = 4;

/// The nanoseconds to find a move of a solution in the trace and replay it, rather too many than too few:
/// with the trace in the caches, and in memory.
const A_MOVE: (f64, f64) = (30.0, 250.0);

/// From this many nodes on a trace is in memory.
const LONG_TRACE: f64 = 8e6;

/// The factor by which a beam may become wider than planned. No guess at the machine's slowness counts for
/// more, so that a beam can still become about as wide as it would have been planned without.
const SLACK: f64 = 1.5;

/// A solution that is longer than the best by more than this fraction of it, as a divisor, is not looked for:
/// shortening it would not be enough, and seldom does it have fewer pushes. Memory is set aside for the paths
/// of all layers, so the fewer they are the wider a beam may be.
const SHORTENED: usize = 8;

/// A search by wider and wider beams. A finding need not be shorter than those before: one with more slides
/// may have fewer pushes.
///
/// Ends with [`Stop::Memory`] when there is not enough memory for the narrowest beam, or for a wider one and
/// there is no deadline; with [`Stop::Time`] when there is no time left for the narrowest, until another
/// asker's time counts; and with [`Stop::Exhausted`] when no wider beam could find anything else.
pub struct Widening {
    beams: Arc<dyn Beams>,
    /// Whether the first beam is the narrowest and later ones grow by a fixed factor, however much time there
    /// is.
    is_hasty: bool,
    pass: Option<Box<dyn Pass>>,
    /// Beams that are over and whose memory is to be freed before anything else is done.
    over: Vec<Box<dyn Pass>>,
    pace: Pace,
    /// The time left at the last call of `advance`, and whose it was.
    left: Option<Duration>,
    asker: u32,
    /// The memory granted then.
    granted: u64,
    is_prepared: bool,
    /// Whether the last turn was spent on the tables.
    has_prepared: bool,
    /// The time left at which work on the tables stops.
    prepares_until: Option<Duration>,
    /// The beam at work, how wide it can be made, the least width that it had, and the width of the widest one
    /// before.
    scale: Scale,
    most: usize,
    least: usize,
    widest: usize,
    /// The kinds of which a beam kept all boards that it came across: a wider one would find nothing else.
    kept_all: Vec<Kind>,
    /// The ends of the beam at work.
    ends: Ends,
    /// The number of beams begun.
    begun: u64,
    /// The seed of the beam at work, or of the last one.
    seed: u64,
    /// Whether the beam at work is the first one, which has little of the time.
    is_first: bool,
    /// Whether one of two beams that share the time has begun.
    is_paired: bool,
    /// Whether the beam at work is made wider and narrower on the way, by how much time is left.
    is_paced: bool,
    /// Whether the last beam found no solution.
    last_failed: bool,
    /// The fewest slides of a known solution.
    best: Option<usize>,
    /// The progress of the beams that are over.
    past: Progress,
    /// The bytes to be granted for the next beam before it is made, or to the beam at work for the paths to come
    /// if it is paced.
    claimed: u64,
    side_beams: SideBeams,
    stop: Option<Stop>,
}

impl Scale {
    /// A beam that looks for solutions of any length.
    #[must_use]
    pub const fn new(kind: Kind, width: usize) -> Self {
        Self {
            kind,
            width,
            most_moves: u32::MAX,
        }
    }

    /// A beam so many times as wide.
    fn times(self, times: f64) -> Self {
        let width = (self.width as f64 * times) as usize;
        Self { width, ..self }
    }
}

impl Widening {
    /// A search that has not begun.
    #[must_use]
    pub fn new(beams: Box<dyn Beams>) -> Self {
        Self::at_pace(Arc::from(beams), 1.0)
    }

    /// The same, for an asker who wants the first solution rather than the best for the time: the first beam
    /// is the narrowest, and later ones grow as if there were no deadline.
    #[must_use]
    pub fn from_narrowest(beams: Box<dyn Beams>) -> Self {
        Self {
            is_hasty: true,
            ..Self::new(beams)
        }
    }

    /// Expects nodes to take `slowness` times as long as where beams were measured, within a factor of 1.5
    /// either way, until this machine's are measured. Where there is time for a single beam, its width is
    /// planned by that.
    #[must_use]
    pub fn at_slowness(self, slowness: f64) -> Self {
        Self {
            pace: Pace::new(slowness.clamp(1.0 / SLACK, SLACK)),
            ..self
        }
    }

    /// Looks for solutions that are better than a known one of so many slides.
    #[must_use]
    pub fn to_improve_on(self, slides: usize) -> Self {
        Self {
            best: Some(slides),
            ..self
        }
    }

    /// A search that has not begun, where nodes take about `slowness` times as long as they should.
    fn at_pace(beams: Arc<dyn Beams>, slowness: f64) -> Self {
        Self {
            beams,
            is_hasty: false,
            pass: None,
            over: Vec::new(),
            pace: Pace::new(slowness),
            left: None,
            asker: 0,
            granted: 0,
            is_prepared: false,
            has_prepared: false,
            prepares_until: None,
            scale: Scale::new(Kind::Staged, 0),
            most: 0,
            least: 0,
            widest: 0,
            kept_all: Vec::new(),
            ends: Ends::default(),
            begun: 0,
            seed: 0,
            is_first: false,
            is_paired: false,
            is_paced: false,
            last_failed: false,
            best: None,
            past: Progress::default(),
            claimed: 0,
            side_beams: SideBeams::default(),
            stop: None,
        }
    }

    /// The width at which a beam of about this scale and this many layers ends in time.
    fn affordable(&self, time: Duration, scale: Scale, layers: u32) -> usize {
        (self.nodes_in(time, scale) / f64::from(layers.max(1))) as usize
    }

    /// The nodes of a beam for which this much time is enough.
    fn nodes_in(&self, time: Duration, scale: Scale) -> f64 {
        time.as_nanos() as f64 / (self.pace.slowness() * self.beams.cost(scale))
    }

    /// The next beam, as wide as the time that it may take allows.
    fn next(&self, time: Option<Duration>, is_paired: bool) -> Scale {
        let Some(time) = time else {
            let width = match self.widest {
                0 if self.is_hasty => self.beams.narrowest(),
                0 => FIRST,
                widest => widest.saturating_mul(GROWTH),
            };
            return self.suitable(width, is_paired);
        };
        let whole = self.widest_by(time, Kind::Whole);
        if self.beams.kind(whole.width, is_paired) == Kind::Whole {
            whole
        } else {
            self.widest_by(time, Kind::Staged)
        }
    }

    /// The widest beam of a kind that ends in time.
    fn widest_by(&self, time: Duration, kind: Kind) -> Scale {
        let width = self.beams.widest();
        let mut scale = self.scale_of(kind, width);
        // Wider beams have fewer layers and cheaper nodes: a few rounds, starting from the widest, reconcile
        // them.
        for _ in 0..3 {
            scale.width = self.affordable(time, scale, self.expected(scale));
        }
        scale
    }

    /// A beam of a width, of the kind that suits it best.
    fn suitable(&self, width: usize, is_paired: bool) -> Scale {
        self.scale_of(self.beams.kind(width, is_paired), width)
    }

    /// A beam that looks for solutions which, once shortened, can be better than the best one.
    fn scale_of(&self, kind: Kind, width: usize) -> Scale {
        let most_moves = self
            .best
            .map_or(u32::MAX, |best| (best + best / SHORTENED) as u32);
        Scale {
            kind,
            width,
            most_moves,
        }
    }

    /// Whether to work on the tables now: every other turn beside the first beam, and once that is over,
    /// until half of the time that was left then has gone, since beams are poor without them.
    fn is_time_to_prepare(&mut self, time: Option<Duration>) -> bool {
        if self.is_prepared {
            return false;
        }
        match time {
            Some(left) if self.pass.is_none() && self.begun > 0 => {
                left > *self.prepares_until.get_or_insert(left / 2)
            }
            _ if self.prepares_until.is_some() => false,
            _ => {
                self.has_prepared = !self.has_prepared;
                self.has_prepared
            }
        }
    }

    /// Begins the next beam, or claims the memory that it takes. If there is no next one, fails with the
    /// reason.
    fn begin(&mut self, budget: Budget) -> Result<(), Stop> {
        if self.widest >= self.beams.widest() {
            return Err(Stop::Exhausted);
        }
        let replay = self.replay(budget.time.unwrap_or_default());
        let left = budget.time.map(|left| left.saturating_sub(replay));
        let share = left.map(|left| self.share(left));
        let given = left.zip(share).map(|(left, share)| share.of(left));
        let is_paired = share == Some(Share::Second)
            || !self.side_beams.is_empty()
            || self.is_paired && !self.last_failed;
        let is_timed = budget.time.is_some() && !self.is_hasty;
        let planned = given.map(Ends::plan).filter(|_| is_timed);
        let mut scale = self.next(planned, is_paired);
        if self.kept_all.contains(&scale.kind) {
            return Err(Stop::Exhausted);
        }
        if let Some(left) = budget.time {
            let widest = self.next(Some(left), is_paired).width;
            if widest.saturating_mul(2) < self.beams.narrowest() {
                return Err(Stop::Time);
            }
        }
        scale.width = scale.width.max(self.beams.narrowest());
        scale.width = scale.width.min(self.beams.widest());
        let slack = if is_timed { SLACK } else { 1.0 };
        let mut most = scale.times(slack);
        most.width = most.width.min(self.beams.widest());
        let memory = self.granted_beside(0);
        if self.beams.bytes(most) > memory {
            if memory > self.claimed {
                // A search that claims memory may be granted more.
                self.claimed = memory;
                return Ok(());
            }
            most = self.widest_in(memory, most, is_paired);
            let is_no_wider = most.width <= self.widest && !is_timed;
            if most.width < self.beams.narrowest() || is_no_wider {
                return Err(Stop::Memory);
            }
            if self.kept_all.contains(&most.kind) {
                return Err(Stop::Exhausted);
            }
        }
        self.scale = Scale {
            width: scale.width.min(most.width),
            ..most
        };
        self.most = most.width;
        self.least = self.scale.width;
        self.seed = self.next_seed(self.side_beams.seed());
        let pass = self.beams.beam(self.scale, self.most, self.seed);
        let pass = pass.ok_or(Stop::Exhausted)?;
        self.is_paced = is_timed;
        self.claimed = self.paths(self.scale.width, self.rest(pass.as_ref()));
        self.pass = Some(pass);
        if let (Some(left), Some(given)) = (budget.time, given) {
            self.ends = Ends::new(left, given);
        }
        self.is_first = matches!(share, Some(Share::First(_)));
        self.is_paired |= share == Some(Share::Second);
        Ok(())
    }

    /// The widest beam of the kind that suits it, up to `most`, that takes no more than `memory` bytes.
    fn widest_in(&self, memory: u64, most: Scale, is_paired: bool) -> Scale {
        let fits = self.widest_of_kind(memory, most);
        let kind = self.beams.kind(fits.width, is_paired);
        if kind == fits.kind {
            return fits;
        }
        self.widest_of_kind(memory, Scale { kind, ..fits })
    }

    fn widest_of_kind(&self, memory: u64, most: Scale) -> Scale {
        let mut fits = Scale { width: 0, ..most };
        for bit in (0..=most.width.max(1).ilog2()).rev() {
            let wider = Scale {
                width: fits.width | 1 << bit,
                ..most
            };
            if wider.width <= most.width && self.beams.bytes(wider) <= memory {
                fits = wider;
            }
        }
        fits
    }

    /// The most bytes that the beam at work can come to hold.
    fn to_come(&self) -> u64 {
        let most = Scale {
            width: self.most,
            ..self.scale
        };
        let pass = self.pass.as_ref();
        pass.map_or(0, |_| self.beams.bytes(most))
    }

    /// The bytes of the paths to so many layers of a width.
    fn paths(&self, width: usize, layers: u32) -> u64 {
        let bytes = |most_moves| {
            self.beams.bytes(Scale {
                width,
                most_moves,
                ..self.scale
            })
        };
        bytes(layers).saturating_sub(bytes(0))
    }

    /// About how many layers a beam has still to make.
    fn rest(&self, pass: &dyn Pass) -> u32 {
        pass.rest(self.expected(self.scale))
    }

    /// The time that must be left to replay the solution of a beam that takes this long.
    fn replay(&self, time: Duration) -> Duration {
        let narrowest = self.suitable(self.beams.narrowest(), false);
        let nodes = self.nodes_in(time, narrowest);
        let (near, far) = A_MOVE;
        let a_move = near + (far - near) * (nodes / LONG_TRACE).min(1.0);
        let moves = self.expected(narrowest);
        Duration::from_nanos((a_move * f64::from(moves)) as u64)
    }

    /// The seed of a new beam, from the end where the beam with the seed `other` does not begin.
    fn next_seed(&mut self, other: Option<u64>) -> u64 {
        let is_same_end = other.is_some_and(|other| (self.begun + other).is_multiple_of(2));
        let seed = self.begun + u64::from(is_same_end);
        self.begun = seed + 1;
        seed
    }

    /// Ends the beam at work, and begins to free its memory.
    fn leave(&mut self, nodes: u64) {
        let before = self.past.expanded;
        self.past = self.own_progress().at_rest();
        // So few boards were none too many for any layer.
        if self.past.expanded - before <= self.least as u64 {
            self.kept_all.push(self.scale.kind);
        }
        self.pace.settle();
        self.widest = self.widest.max(self.scale.width);
        self.over.extend(self.pass.take());
        self.claimed = 0;
        self.shed_over(nodes);
    }

    /// Frees the memory of beams that are over, about as much as can be freed in the time of so many nodes.
    fn shed_over(&mut self, nodes: u64) {
        while self.over.last_mut().is_some_and(|pass| pass.shed(nodes)) {
            self.over.pop();
        }
    }

    /// The progress without the beams that were handed out.
    fn own_progress(&self) -> Progress {
        let now = match &self.pass {
            Some(pass) => {
                let now = self.past.then(pass.progress());
                let to_come = if self.is_paced {
                    now.claimed + self.claimed
                } else {
                    self.to_come().saturating_sub(now.memory)
                };
                Progress {
                    claimed: to_come.min(self.granted_beside(now.memory)),
                    ..now
                }
            }
            None => Progress {
                claimed: self.claimed,
                ..self.past
            },
        };
        let over = self.over.iter().map(|pass| pass.progress().memory);
        Progress {
            memory: now.memory + over.sum::<u64>(),
            ..now
        }
    }

    /// Passes a solution on.
    fn found(&mut self, solution: Solution) -> Step<Solution> {
        let length = solution.len();
        self.best = Some(self.best.map_or(length, |best| best.min(length)));
        Step::Found(solution)
    }

    /// About the number of layers that a beam has to make.
    fn expected(&self, scale: Scale) -> u32 {
        let layers = self.beams.layers(scale);
        self.best.map_or(layers, |best| layers.min(best as u32))
    }

    /// Goes by the time of another asker from now on. The beam at work is for that one, too, and has all of
    /// its time.
    fn go_by_another(&mut self, budget: Budget) {
        self.asker = budget.asker;
        self.pace.pause();
        self.prepares_until = None;
        if self.stop == Some(Stop::Time) {
            // It may not be too late after all.
            self.stop = None;
        }
        if let Some(left) = budget.time {
            self.give_all(left);
        }
    }

    /// How wide the beam at work may be for so many more layers, by the memory that was granted.
    fn fitting(&self, pass: &dyn Pass, layers: u32) -> usize {
        if self.granted_beside(0) >= self.to_come() {
            return self.most;
        }
        let room = self.granted_beside(pass.progress().reserved());
        let fits = room as f64 / self.paths(self.most, layers).max(1) as f64;
        (self.most as f64 * fits.min(1.0)) as usize
    }

    /// The memory that was granted to this search beside so many bytes and the beams that were handed out.
    fn granted_beside(&self, bytes: u64) -> u64 {
        self.granted
            .saturating_sub(self.side_beams.memory())
            .saturating_sub(bytes)
    }

    /// Makes the beam at work as wide as its time and the memory allow.
    fn keep_pace(&mut self, left: Duration) {
        let Some(pass) = &self.pass else {
            return;
        };
        let rest = self.rest(pass.as_ref());
        let width = self.affordable(self.ends.time(left), self.scale, rest);
        let width = width.min(self.fitting(pass.as_ref(), rest));
        let width = width.max(self.beams.narrowest());
        self.claimed = self.paths(width, rest);
        self.least = self.least.min(width);
        if let Some(pass) = &mut self.pass {
            pass.set_width(width);
        }
    }
}

impl Search for Widening {
    type Found = Solution;

    fn advance(&mut self, budget: Budget) -> Step<Solution> {
        if budget.asker != self.asker {
            self.go_by_another(budget);
        }
        self.left = budget.time;
        self.granted = budget.memory;
        if let Some(solution) = self.side_beams.found() {
            return self.found(solution);
        }
        if let Some(stop) = self.stop {
            return if self.side_beams.is_empty() {
                Step::Done(stop)
            } else {
                Step::Working
            };
        }
        if !self.over.is_empty() {
            // What this takes tells nothing about how long nodes take.
            self.pace.pause();
            self.shed_over(budget.nodes);
            return Step::Working;
        }
        if self.is_time_to_prepare(budget.time) {
            if self.pass.is_none() {
                // Work on the tables must not count as a beam's time.
                self.pace.pause();
            }
            self.is_prepared = self.beams.prepare(budget.nodes.max(1));
            return Step::Working;
        }
        if self.pass.is_none() {
            self.stop = self.begin(budget).err();
            return Step::Working;
        }
        let makes_layers = self.pass.as_ref().is_some_and(|pass| pass.makes_layers());
        if !makes_layers {
            self.pace.pause();
        } else if let Some(time) = budget.time {
            let nodes = self.own_progress().expanded;
            let expected = self.beams.cost(self.scale);
            self.pace.note(time, nodes, self.scale.width, expected);
            if !self.is_hasty {
                self.keep_pace(time);
            }
        }
        let Some(pass) = &mut self.pass else {
            return Step::Working;
        };
        if pass.is_stuck() {
            self.last_failed = true;
            self.leave(budget.nodes);
            return Step::Working;
        }
        match pass.advance(budget) {
            Step::Working => Step::Working,
            Step::Done(stop) => {
                self.last_failed = stop != Stop::FirstFound;
                self.leave(budget.nodes);
                Step::Working
            }
            // It may find shorter ones before it is done.
            Step::Found(solution) => self.found(solution),
        }
    }

    fn progress(&self) -> Progress {
        self.own_progress().alongside(self.side_beams.progress())
    }

    fn name(&self) -> &'static str {
        "beam"
    }

    fn gains_by_help(&self) -> bool {
        self.gains_by_a_side_beam()
    }

    fn part_memory(&self) -> u64 {
        let side_beam = self.next_side_beam();
        side_beam.map_or(0, |most| {
            let bytes = self.beams.bytes(most);
            // The search's own next beam will be about as wide.
            let own = if self.pass.is_some() {
                self.to_come()
            } else {
                bytes
            };
            own.saturating_sub(self.own_progress().reserved()) + bytes
        })
    }

    fn split(&mut self, memory: u64) -> Option<Box<dyn Part>> {
        let side_beam = self.hand_out(memory)?;
        Some(Box::new(side_beam))
    }

    fn waits(&self) -> bool {
        self.stop.is_some() && !self.side_beams.is_empty()
    }

    fn join(&mut self, part: Box<dyn Part>) {
        self.take_back(part);
    }

    fn shed(&mut self, nodes: u64) -> bool {
        if self.pass.is_some() {
            self.leave(nodes);
        } else {
            self.shed_over(nodes);
        }
        self.over.is_empty()
    }
}
