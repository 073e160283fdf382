//! Makes boards of a layer comparable that are in different stages, and urges them on to the next stage
//! during a delay.

use std::mem;

/// The fractions of a move in which ranks are counted.
pub(super) const UNIT: i32 = 16;

/// The number of layers in a row without a new stage that does not count as a delay yet. It grows as
/// [`nodes_per_cell`](super::estimate::nodes_per_cell) to the power of the second constant.
const PATIENCE: f64 = 20.0;
const MORE_PATIENCE: f64 = 0.45;

/// By how much a stage's distance weighs more for each layer of a delay, in 64ths.
const HEAVIER: i32 = 2;

/// By how much a completed stage is worth more for each layer of a delay, in 1/[`UNIT`]s of a move.
const DEARER: i32 = 5;

/// Ranks beyond this are not distinguished.
const FARTHEST: i64 = 1 << 28;

/// Where a board stands in its stages, relative to the farthest stage that any board has reached.
///
/// A board that completes a stage suddenly has the next group far away, so boards that do not complete theirs
/// would always seem nearer to the end. So each stage is worth as much as the boards that reached it first
/// were away from its end, on average. Completing a stage then changes nothing by itself, but favours boards
/// whose next group happens to be nearer than that of others. No stage has to end for all boards at once.
///
/// Boards might wait before a stage forever, because completing it would throw the other tiles into disorder.
/// So during a delay the stages weigh ever more and the other tiles ever less.
#[derive(Debug)]
pub(super) struct StageWorth {
    /// The farthest stage reached.
    top: u16,
    /// What it is worth to be in each stage, up to the top.
    worth: Vec<i32>,
    /// How much more the top is worth than the stage before it; 0 at first.
    last_step: i32,
    /// The number of layers since the top was reached.
    waited: i32,
    /// More layers than this are a delay.
    patience: i32,
    /// Of the boards of the next layer that are beyond the top: the farthest stage, the sum of the distances
    /// from the ends of their stages, and their number.
    farthest: u16,
    sum: u64,
    count: u64,
}

impl StageWorth {
    /// The worth for boards that begin in the given stage, in a beam that has this
    /// [`nodes_per_cell`](super::estimate::nodes_per_cell).
    pub(super) fn new(first: u16, nodes_per_cell: f64) -> Self {
        Self {
            top: first,
            worth: vec![0; usize::from(first) + 1],
            last_step: 0,
            waited: 0,
            patience: (PATIENCE * nodes_per_cell.powf(MORE_PATIENCE)) as i32,
            farthest: first,
            sum: 0,
            count: 0,
        }
    }

    /// The farthest stage that a board has reached.
    pub(super) const fn top(&self) -> u16 {
        self.top
    }

    /// What is added to the rank of a board for its stage and for its distance from the end of that stage.
    /// Boards beyond the top count as at its end.
    #[inline]
    pub(super) fn rank(&self, stage: u16, distance: u16) -> i32 {
        let delay = (self.waited - self.patience).max(0);
        let weight = 64 + i64::from(HEAVIER * delay);
        let behind = i32::from(self.top) - i32::from(stage);
        let worth = if behind < 0 {
            0
        } else {
            self.worth[usize::from(self.top)] - self.worth[usize::from(stage)]
                + UNIT * i32::from(distance)
        };
        let lag = i64::from(worth) + i64::from(behind) * i64::from(DEARER * delay);
        (lag * weight / 64).clamp(-FARTHEST, FARTHEST) as i32
    }

    /// Announces the stage and the distance of a board of the next layer.
    #[inline]
    pub(super) fn note(&mut self, stage: u16, distance: u16) {
        if stage > self.top {
            self.farthest = self.farthest.max(stage);
            self.sum += u64::from(distance);
            self.count += 1;
        }
    }

    /// Announces that all boards of the next layer have been announced.
    pub(super) fn next_layer(&mut self) {
        self.waited = self.waited.saturating_add(1).min(1 << 20);
        let (sum, count) = (mem::take(&mut self.sum), mem::take(&mut self.count));
        if self.farthest > self.top {
            let mean = sum * UNIT as u64 / count;
            let mut worth = self.worth[usize::from(self.top)];
            // To be beyond a stage that was skipped is worth as much as the last step. If it were worth
            // nothing, boards at its end would seem nearer than those beyond it, and would wait there.
            for _ in self.top + 1..self.farthest {
                worth += self.last_step;
                self.worth.push(worth);
            }
            self.last_step = mean as i32;
            self.worth.push(worth + self.last_step);
            self.top = self.farthest;
            self.waited = 0;
        }
    }
}
