//! A board drawn at random, as a search like any other, so that it is done in slices, too.

use crate::puzzle::generate::{Solvability, Walk, uniform};
use crate::puzzle::{Board, Dice};
use crate::search::{Budget, Progress, Search, Step, Stop};

/// How a board is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Draw {
    /// Every board of this solvability is equally likely.
    Uniform(Solvability),
    /// This many random moves from the goal, none of them undone by the next.
    Scramble(u32),
}

/// A board, and the seed that reproduces it on its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawn {
    /// The board.
    pub board: Board,
    /// Its seed.
    pub seed: u64,
}

/// Draws one board. A node is a cell shuffled or a move made.
#[derive(Clone, Debug)]
pub struct Drawing {
    seed: u64,
    dice: Dice,
    phase: Phase,
    nodes: u64,
}

#[derive(Clone, Debug)]
enum Phase {
    Shuffling { goal: Board, wanted: Solvability },
    Walking { walk: Walk, moves: u32 },
    Over,
}

impl Drawing {
    /// Draws the board of a seed. A scrambled board sets out from `goal`.
    #[must_use]
    pub fn new(goal: Board, draw: Draw, seed: u64) -> Self {
        Self {
            seed,
            dice: Dice::new(seed),
            phase: match draw {
                Draw::Uniform(wanted) => Phase::Shuffling { goal, wanted },
                Draw::Scramble(moves) => Phase::Walking {
                    walk: Walk::new(goal),
                    moves,
                },
            },
            nodes: 0,
        }
    }
}

impl Search for Drawing {
    type Found = Drawn;

    fn advance(&mut self, budget: Budget) -> Step<Drawn> {
        let board = match &mut self.phase {
            Phase::Over => return Step::Done(Stop::FirstFound),
            _ if budget.nodes == 0 => return Step::Working,
            Phase::Shuffling { goal, wanted } => {
                self.nodes += goal.shape().cells() as u64;
                uniform(goal, *wanted, &mut self.dice)
            }
            Phase::Walking { walk, moves } => {
                let now = u32::try_from(budget.nodes).map_or(*moves, |nodes| nodes.min(*moves));
                walk.steps(now, &mut self.dice);
                self.nodes += u64::from(now);
                *moves -= now;
                if *moves > 0 {
                    return Step::Working;
                }
                walk.board().clone()
            }
        };
        self.phase = Phase::Over;
        Step::Found(Drawn {
            board,
            seed: self.seed,
        })
    }

    fn progress(&self) -> Progress {
        Progress {
            expanded: self.nodes,
            generated: self.nodes,
            ..Progress::default()
        }
    }
}
