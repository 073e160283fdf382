//! Beams that are played, and what was made of them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use loyd::puzzle::{Direction, Problem, Solution};
use loyd::search::anytime::widening::{Beams, Kind, Scale};
use loyd::search::beam::Pass;
use loyd::search::{Budget, Progress, Search, Step, Stop};

use crate::support::problem;

/// One slide from the goal: moving to and fro before it makes solutions of any odd length.
fn one_off() -> Problem {
    problem(2, 2, &[1, 2, 0, 3])
}

pub(crate) fn solution(length: usize) -> Solution {
    let there_and_back = [Direction::Left, Direction::Right];
    let moves = there_and_back.into_iter().cycle().take(length);
    one_off().replay(moves.collect()).unwrap()
}

/// Beams of `layers` layers that each find a solution; the wider they are, the shorter it is.
#[derive(Clone)]
pub(crate) struct Fakes {
    pub(crate) layers: u32,
    pub(crate) made: Arc<Mutex<Vec<Made>>>,
    /// The factor by which the estimate of the rest is wrong.
    pub(crate) error: f64,
    /// Whether a beam of this seed finds anything.
    pub(crate) is_lucky: fn(u64) -> bool,
    /// The width from which two beams are as good as one.
    pub(crate) pair_width: Option<usize>,
    /// The widths from which whole-board beams are best, for one alone and for one of two. Narrower beams are
    /// staged, and take twice as many layers.
    pub(crate) whole: [usize; 2],
    pub(crate) suit_two: bool,
    /// Whether each beam goes on to shorten its solution, by two moves after 2,560 nodes.
    pub(crate) shortens: bool,
    /// How many boards there are. A beam that has expanded them all finds nothing.
    pub(crate) boards: u64,
    /// The fraction of a layer's time, at its end, in which nothing is expanded.
    pub(crate) writing: f64,
    /// How many turns of work the tables for whole boards need, and how many they have had.
    pub(crate) preparation: u64,
    pub(crate) prepared: Arc<AtomicU64>,
    /// The same for the tables without which beams are a little worse.
    pub(crate) refinement: u64,
    pub(crate) refined: Arc<AtomicU64>,
    /// How many turns it takes to free a beam.
    pub(crate) freeing: u64,
    /// How many times more a beam may come to hold than it does.
    pub(crate) spare: u64,
    /// The bytes of a node's path.
    pub(crate) path: u64,
    pub(crate) widest: usize,
}

impl Fakes {
    pub(crate) fn new(layers: u32) -> Self {
        Self {
            layers,
            made: Arc::default(),
            error: 1.0,
            is_lucky: |_| true,
            pair_width: Some(0),
            whole: [0; 2],
            suit_two: true,
            shortens: false,
            boards: u64::MAX,
            writing: 0.0,
            preparation: 0,
            prepared: Arc::default(),
            refinement: 0,
            refined: Arc::default(),
            freeing: 0,
            spare: 1,
            path: 0,
            widest: usize::MAX,
        }
    }

    /// How often the tables have been worked on.
    pub(crate) fn prepared(&self) -> u64 {
        self.prepared.load(Ordering::Relaxed)
    }

    /// How often the tables without which beams are a little worse have been worked on.
    pub(crate) fn refined(&self) -> u64 {
        self.refined.load(Ordering::Relaxed)
    }

    /// The time that all beams and their tables took, in nodes.
    pub(crate) fn spent(&self) -> u64 {
        let made = self.made.lock().unwrap();
        let by_beams: u64 = made.iter().map(|made| made.spent).sum();
        by_beams + (self.prepared() + self.refined()) * A_TURN
    }

    /// The beams made, the first one first.
    pub(crate) fn made(&self) -> Vec<Made> {
        self.made.lock().unwrap().clone()
    }
}

/// The nodes that are worth one turn of work on the tables.
pub(crate) const A_TURN: u64 = 256;

/// A beam that was made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Made {
    pub(crate) seed: u64,
    pub(crate) kind: Kind,
    /// The width that it was made for.
    pub(crate) most: usize,
    /// The length of the longest solution that it looks for.
    pub(crate) most_moves: u32,
    /// The nodes that it has expanded.
    pub(crate) nodes: u64,
    /// The time that it took, in nodes.
    pub(crate) spent: u64,
}

impl Beams for Fakes {
    fn prepare(&self, _nodes: u64) -> bool {
        let is_ready = self.prepared() >= self.preparation;
        if !is_ready {
            self.prepared.fetch_add(1, Ordering::Relaxed);
        }
        is_ready
    }

    fn refine(&self, _scale: Scale, _nodes: u64) -> bool {
        let is_ready = self.refined() >= self.refinement;
        if !is_ready {
            self.refined.fetch_add(1, Ordering::Relaxed);
        }
        is_ready
    }

    fn beam(&self, scale: Scale, most: usize, seed: u64) -> Option<Box<dyn Pass>> {
        let mut made = self.made.lock().unwrap();
        made.push(Made {
            seed,
            kind: scale.kind,
            most,
            most_moves: scale.most_moves,
            nodes: 0,
            spent: 0,
        });
        Some(Box::new(Fake {
            beams: self.clone(),
            number: made.len() - 1,
            most,
            width: scale.width,
            present: scale.width,
            depth: 0,
            in_layer: 0,
            expanded: 0,
            finds: (self.is_lucky)(seed),
            found: None,
            shortening: 0,
            freeing: 0,
        }))
    }

    fn pair_width(&self) -> Option<usize> {
        self.pair_width
    }

    fn suit_two(&self) -> bool {
        self.suit_two
    }

    fn narrowest(&self) -> usize {
        48
    }

    fn widest(&self) -> usize {
        self.widest
    }

    fn kind(&self, width: usize, is_paired: bool) -> Kind {
        let is_ready = self.prepared() >= self.preparation;
        if is_ready && width >= self.whole[usize::from(is_paired)] {
            Kind::Whole
        } else {
            Kind::Staged
        }
    }

    fn bytes(&self, scale: Scale) -> u64 {
        let paths = u64::from(self.layers.min(scale.most_moves)) * self.path;
        scale.width as u64 * (100 + paths)
    }

    fn layers(&self, scale: Scale) -> u32 {
        match scale.kind {
            Kind::Whole => self.layers,
            Kind::Staged => 2 * self.layers,
        }
    }

    fn cost(&self, _scale: Scale) -> f64 {
        // The true cost in these tests is 200: the search has to find out.
        50.0
    }
}

struct Fake {
    beams: Fakes,
    number: usize,
    most: usize,
    /// The width of the layers to come, and of the one being made.
    width: usize,
    present: usize,
    depth: u32,
    in_layer: u64,
    expanded: u64,
    finds: bool,
    /// The length of its solution, and the nodes spent on shortening that.
    found: Option<usize>,
    shortening: u64,
    /// The turns spent on freeing it.
    freeing: u64,
}

impl Fake {
    /// Shortens its solution, if it is to.
    fn shorten(&mut self, length: usize, budget: Budget) -> Step<Solution> {
        const ENOUGH: u64 = 2560;
        if !self.beams.shortens || self.shortening >= ENOUGH {
            return Step::Done(Stop::FirstFound);
        }
        self.shortening += budget.nodes;
        self.expanded += budget.nodes;
        self.beams.made.lock().unwrap()[self.number].spent += budget.nodes;
        if self.shortening < ENOUGH {
            Step::Working
        } else {
            Step::Found(solution(length - 2))
        }
    }
}

impl Pass for Fake {
    fn rest(&self, _expected: u32) -> u32 {
        ((f64::from(self.beams.layers - self.depth) * self.beams.error) as u32).max(1)
    }

    fn is_stuck(&self) -> bool {
        false
    }

    fn set_width(&mut self, width: usize) {
        self.width = width.min(self.most);
    }
}

impl Search for Fake {
    type Found = Solution;

    fn advance(&mut self, budget: Budget) -> Step<Solution> {
        if let Some(length) = self.found {
            return self.shorten(length, budget);
        }
        if self.in_layer < self.present as u64 {
            self.expanded = (self.expanded + budget.nodes).min(self.beams.boards);
        }
        self.in_layer += budget.nodes;
        {
            let made = &mut self.beams.made.lock().unwrap()[self.number];
            made.nodes = self.expanded;
            made.spent += budget.nodes;
        }
        if self.expanded == self.beams.boards {
            return Step::Done(Stop::Exhausted);
        }
        let layer = |nodes| (nodes as f64 / (1.0 - self.beams.writing)) as u64;
        while self.depth < self.beams.layers && self.in_layer >= layer(self.present) {
            self.in_layer -= layer(self.present);
            self.present = self.width;
            self.depth += 1;
        }
        if self.depth < self.beams.layers {
            return Step::Working;
        }
        let mean = self.expanded as f64 / f64::from(self.depth);
        if !self.finds {
            return Step::Done(Stop::Exhausted);
        }
        let shorter = 4 * (mean + 1.0).log2() as usize;
        let layers = self.beams.layers as usize;
        let length = (layers | 1) - shorter;
        self.found = Some(length);
        Step::Found(solution(length))
    }

    fn progress(&self) -> Progress {
        let layers = self.most as u64 * 100 / self.beams.spare;
        let memory = layers + self.expanded * self.beams.path;
        Progress {
            expanded: self.expanded,
            generated: self.expanded,
            memory,
            peak_memory: memory,
            ..Progress::default()
        }
    }

    fn shed(&mut self, _nodes: u64) -> bool {
        self.freeing += 1;
        self.freeing > self.beams.freeing
    }
}
