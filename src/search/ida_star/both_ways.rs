//! From the start or from the goal: IDA* on whichever side promises less work.
//!
//! A problem and its inverse, with start and goal exchanged, have the same solutions, reversed. But bounds
//! that are good for one can be poor for the other, and the work differs by a factor of several, on large
//! boards of a thousand. So both are begun, the one with fewer nodes first. When both have made some, the one
//! that is expected to reach the same threshold with fewer nodes goes on alone. What either has proven by
//! then holds for both.
//!
//! If the problem turns out to be hard, a rival with other bounds is tried in the same way.

use crate::puzzle::{Direction, Problem, Solution};
use crate::search::{Budget, Iteration, Part, Progress, Search, Solver, Step, Stop};

/// How long to look at both sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probe {
    /// The least number of nodes that each side makes, unless one ends before.
    pub nodes: u64,
    /// The factor by which the next iteration is expected to make more nodes.
    pub growth: f64,
}

impl Probe {
    /// For boards of at most 16 cells.
    pub const SMALL: Self = Self {
        nodes: 300,
        growth: 5.0,
    };
    /// For larger boards.
    pub const LARGE: Self = Self {
        nodes: 300_000,
        growth: 8.5,
    };
}

/// Makes a search with other bounds for the same problem.
pub type Rival = Box<dyn FnOnce(&Problem) -> Option<Solver> + Send>;

/// A rival is tried after this many nodes, and with as many: some hundredths of a second. One uniform
/// 15-puzzle in ten thousand takes more.
const HARD: u64 = 500_000;

/// A search on the better of two sides, or a rival when both are hard.
///
/// `begin` makes a search by iterations for a problem, or returns `None` where it cannot. Then the other side
/// is taken, if there is one.
#[must_use]
pub fn solver(
    problem: &Problem,
    probe: Probe,
    begin: impl Fn(&Problem) -> Option<Solver>,
    rival: Option<Rival>,
) -> Option<Solver> {
    let sides: Vec<Side> = [problem, &problem.reversed()]
        .into_iter()
        .enumerate()
        .filter_map(|(number, side)| Some(Side::new(begin(side)?, number == 1)))
        .collect();
    (!sides.is_empty()).then(|| -> Solver {
        Box::new(BothWays {
            problem: problem.clone(),
            probe,
            sides,
            rival,
            past: Progress::default(),
            past_iterations: Vec::new(),
            solved: false,
        })
    })
}

/// One of the two searches.
struct Side {
    solver: Solver,
    is_inverse: bool,
    /// The last threshold that it has searched through, and the nodes up to then.
    searched: Option<(u32, u64)>,
}

impl Side {
    fn new(solver: Solver, is_inverse: bool) -> Self {
        Self {
            solver,
            is_inverse,
            searched: None,
        }
    }

    fn progress(&self) -> Progress {
        self.solver.progress()
    }

    fn advance(&mut self, budget: Budget) -> Step<Solution> {
        let before = self.progress();
        let step = self.solver.advance(budget);
        let now = self.progress();
        if now.iterations != before.iterations {
            self.searched = Some((now.lower_bound - 2, now.generated));
        }
        step
    }

    /// The number of nodes that it is expected to have made once it has searched through a threshold.
    fn expected(&self, threshold: u32, growth: f64) -> f64 {
        let (searched, nodes) = self.searched.unwrap_or((self.progress().lower_bound, 1));
        let steps = (f64::from(threshold) - f64::from(searched)) / 2.0;
        nodes as f64 * growth.powf(steps)
    }
}

struct BothWays {
    problem: Problem,
    probe: Probe,
    /// Both sides, then the better one; later the rival, too, and again the better one.
    sides: Vec<Side>,
    rival: Option<Rival>,
    /// What the sides that were given up had done.
    past: Progress,
    past_iterations: Vec<Iteration>,
    /// Whether the solution was handed out.
    solved: bool,
}

/// The nodes of a turn while both sides are looked at.
const TURN: u64 = 64;

impl BothWays {
    /// Gives up the side that is expected to take longer.
    fn choose(&mut self) {
        let bounds = self.sides.iter().map(|side| side.progress().lower_bound);
        let threshold = bounds.max().unwrap_or(0);
        let expected = |side: &Side| side.expected(threshold, self.probe.growth);
        let worse = usize::from(expected(&self.sides[0]) <= expected(&self.sides[1]));
        let worse = self.sides.swap_remove(worse);
        self.past = self.past.then(worse.progress().at_rest());
        self.past_iterations.extend(worse.solver.iterations());
    }

    /// Puts the rival beside the better side, which has already made as many nodes as the rival will.
    fn try_rival(&mut self) {
        let rival = self.rival.take().and_then(|begin| begin(&self.problem));
        if let Some(rival) = rival {
            self.sides.push(Side::new(rival, false));
            self.probe.nodes = HARD;
        }
    }

    fn solution(&self, side: usize, found: Solution) -> Solution {
        if !self.sides[side].is_inverse {
            return found;
        }
        let moves = found.moves().iter().rev().copied();
        self.problem
            .replay(moves.map(Direction::opposite).collect())
            .expect("the way back, turned round")
    }
}

impl Search for BothWays {
    type Found = Solution;

    fn advance(&mut self, budget: Budget) -> Step<Solution> {
        if self.solved {
            return match &mut *self.sides {
                // The side may have to wait for parts.
                [side] => side.advance(budget),
                _ => Step::Done(Stop::Proven),
            };
        }
        let until = self.progress().generated.saturating_add(budget.nodes);
        loop {
            let left = until - self.progress().generated.min(until);
            // Without nodes a side alone may still have a goal that a part has brought back.
            let is_last_look = budget.nodes == 0 && self.sides.len() == 1;
            if left == 0 && !is_last_look {
                return Step::Working;
            }
            let (side, nodes) = match &*self.sides {
                [forward, inverse] => {
                    let made = [forward, inverse].map(|side| side.progress().generated);
                    if made[0].min(made[1]) >= self.probe.nodes {
                        self.choose();
                        continue;
                    }
                    (usize::from(made[1] < made[0]), left.min(TURN))
                }
                [side] if self.rival.is_some() => match HARD.checked_sub(side.progress().generated)
                {
                    Some(until) if until > 0 => (0, left.min(until)),
                    _ => {
                        self.try_rival();
                        continue;
                    }
                },
                _ => (0, left),
            };
            let budget = Budget { nodes, ..budget };
            match self.sides[side].advance(budget) {
                Step::Working if is_last_look || self.sides[side].solver.waits() => {
                    return Step::Working;
                }
                Step::Working => {}
                Step::Found(found) => {
                    self.solved = true;
                    return Step::Found(self.solution(side, found));
                }
                Step::Done(stop) => return Step::Done(stop),
            }
        }
    }

    fn progress(&self) -> Progress {
        let sides = self.sides.iter().map(Side::progress);
        sides.fold(self.past, |sum, side| Progress {
            memory: sum.memory + side.memory,
            peak_memory: sum.peak_memory + side.peak_memory,
            ..sum.then(side)
        })
    }

    /// The iterations of both sides, added up threshold by threshold.
    fn iterations(&self) -> Vec<Iteration> {
        let sides = self.sides.iter().flat_map(|side| side.solver.iterations());
        let mut all: Vec<Iteration> = sides.chain(self.past_iterations.clone()).collect();
        all.sort_by_key(|iteration| iteration.threshold);
        all.dedup_by(|next, kept| {
            let is_same = next.threshold == kept.threshold;
            kept.generated += if is_same { next.generated } else { 0 };
            is_same
        });
        all
    }

    /// Splits only once the side is chosen: looking at both takes no time.
    fn split(&mut self, memory: u64) -> Option<Box<dyn Part>> {
        match &mut *self.sides {
            [side] if self.rival.is_none() => side.solver.split(memory),
            _ => None,
        }
    }

    fn waits(&self) -> bool {
        matches!(&*self.sides, [side] if side.solver.waits())
    }

    fn join(&mut self, part: Box<dyn Part>) {
        if let [side] = &mut *self.sides {
            side.solver.join(part);
        }
    }
}
