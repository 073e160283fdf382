//! Which push of a tile comes next, judged by some pushes that could follow.

use super::field::{Cell, Field};
use super::push::{PUSHES, Push};
use super::slide_worth::{BARRED, Spot};
use crate::puzzle::Direction;

/// The cost of a move in a score, in units of [`Spot::gain`]: a little less than what a step of a tile along
/// its longer way is worth. Chosen by trial; the lengths hardly depend on it.
pub(super) const MOVE: i32 = 4;

/// The moves added to the estimate where no push is found.
const DETOUR: i32 = 8;

/// A push that looks worse than another by more than this is not followed any further. This leaves lengths
/// within 1 % of what they are without it, and takes half the time with four pushes ahead and a third with
/// six.
const MARGIN: i32 = 16;

/// The position of a tile that is being pushed: its cell, the side that the blank is on, and how far it has
/// to go in each of the two directions.
#[derive(Clone, Copy, Debug)]
pub(super) struct At {
    pub(super) place: Cell,
    pub(super) blank: Direction,
    pub(super) left: [i32; 2],
}

/// A look-ahead of a tile that is pushed in two directions.
pub(super) struct LookAhead<'a> {
    pub(super) field: &'a mut Field,
    /// A vertical and a horizontal direction.
    pub(super) ways: [Direction; 2],
    /// The number of steps looked at.
    pub(super) nodes: u64,
}

/// A push that can be made.
#[derive(Clone, Copy)]
struct Candidate {
    /// Its moves, less what all tiles gain by it.
    score: i32,
    /// The score plus an estimate of the moves to come; the score alone without a look-ahead.
    sum: i32,
    way: usize,
    push: &'static Push,
}

impl LookAhead<'_> {
    /// The push to make next and its score, looking `pushes` pushes ahead: the moves made and to be made,
    /// less what all tiles gain by them. With no look-ahead, the score is that of the push alone.
    pub(super) fn best(&mut self, at: At, pushes: usize) -> Option<(i32, &'static Push)> {
        let mut candidates = [None; 4];
        let mut count = 0;
        let mut least = i32::MAX;
        for way in 0..2 {
            let to = self.ways[way];
            if at.left[way] == 0 {
                continue;
            }
            // For a push in the same direction the blank goes round the tile, for one in the other direction
            // to its side.
            let open = MOVE * effort((at.left[way] - 1, 4), (at.left[1 - way], 2));
            let [short, long] = &PUSHES[at.blank as usize][to as usize];
            for push in [short, long] {
                let Some(score) = self.weigh(at, push) else {
                    continue;
                };
                self.nodes += push.length as u64;
                let sum = if pushes == 0 { score } else { score + open };
                least = least.min(sum);
                candidates[count] = Some(Candidate {
                    score,
                    sum,
                    way,
                    push,
                });
                count += 1;
                if short.length < long.length || at.blank == to {
                    break;
                }
            }
        }
        let mut best: Option<(i32, &'static Push)> = None;
        for candidate in candidates.iter().flatten() {
            let sum = if pushes > 1 && candidate.sum <= least + MARGIN {
                self.follow(at, candidate, pushes - 1)
            } else {
                candidate.sum
            };
            if best.is_none_or(|(best, _)| sum < best) {
                best = Some((sum, candidate.push));
            }
        }
        best
    }

    /// The score of a push and those after it.
    fn follow(&mut self, at: At, candidate: &Candidate, pushes: usize) -> i32 {
        let Candidate {
            score,
            sum,
            way,
            push,
        } = *candidate;
        let mut left = at.left;
        left[way] -= 1;
        if left == [0; 2] {
            return sum;
        }
        let to = self.ways[way];
        let mut passed = [Spot::MARGIN; 7];
        let mut cell = self.field.beside(at.place, at.blank);
        for (&side, passed) in push.steps().iter().zip(&mut passed) {
            *passed = self.field.spot(cell);
            cell = self.field.pretend(cell, side);
        }
        let after = At {
            place: self.field.beside(at.place, to),
            blank: to.opposite(),
            left,
        };
        let rest = self.best(after, pushes);
        let mut cell = self.field.beside(at.place, at.blank);
        for (&side, passed) in push.steps().iter().zip(passed) {
            self.field.restore(cell, passed);
            cell = self.field.beside(cell, side);
        }
        // A dead end ahead does not rule the push out: the blank will find a longer way round.
        rest.map_or(sum + MOVE * DETOUR, |(rest, _)| score + rest)
    }

    /// The moves of a push, less what the tiles that the blank passes gain; `None` if it is barred.
    #[inline]
    fn weigh(&self, at: At, push: &Push) -> Option<i32> {
        let mut cell = self.field.beside(at.place, at.blank);
        let mut score = MOVE * push.length as i32;
        for &side in push.steps() {
            cell = self.field.beside(cell, side);
            score -= self.field.gain(cell, side.opposite());
        }
        (score < -BARRED / 2).then_some(score)
    }
}

/// The fewest moves that bring a tile on in two directions on an open plane. Each direction is given by its
/// steps and by the moves that take the blank round the tile before the first push that way. Between two
/// pushes the blank makes four moves if they have the same direction, and two if they are at right angles.
#[inline]
pub(super) fn effort((some, round): (i32, i32), (other, other_round): (i32, i32)) -> i32 {
    let first = |here: i32, round: i32, there: i32| {
        let turns = if here > there {
            2 * there
        } else {
            2 * here - 1
        };
        if here > 0 {
            round - 2 * turns
        } else {
            i32::MAX
        }
    };
    let least = first(some, round, other).min(first(other, other_round, some));
    if some + other == 0 {
        0
    } else {
        5 * (some + other) - 4 + least
    }
}

/// The moves of the blank round a tile, from one of its sides to the position for a push.
#[inline]
pub(super) fn round(blank: Direction, to: Direction) -> i32 {
    if to == blank {
        0
    } else if to == blank.opposite() {
        4
    } else {
        2
    }
}
