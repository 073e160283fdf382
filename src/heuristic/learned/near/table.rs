//! The rows of the process: made bit by bit by whoever needs them, and kept.

use std::sync::Arc;

use super::lift::NearLift;
use super::rows::{self, NearRows};
use super::weights::NearWeights;
use crate::heuristic::learned::file::Reading;
use crate::heuristic::learned::shipped::{NEAR, shapes_within};
use crate::heuristic::shared_table::{Making, Slot, Slots};
use crate::puzzle::Shape;

static SLOTS: Slots<Work> = Slots::new();

/// The side of the largest square that is ranked by all pairs.
const LEAST_SIDE: usize = 8;

/// The longest side of a board with rows, and the most cells of one that is no square: those of 10×10 take 29 MB,
/// of 12×12 87 MB.
const MOST_SIDE: usize = 12;
const MOST_OBLONG: usize = 100;

/// Whether there are weights for boards of this shape, which is at least as wide as it is high: squares from 9×9 to
/// 12×12, and others of at most 100 cells with sides from 8 to 12.
#[must_use]
pub const fn supports(shape: Shape) -> bool {
    let (rows, columns) = (shape.rows(), shape.columns());
    let is_within = rows >= LEAST_SIDE && columns <= MOST_SIDE && columns > LEAST_SIDE;
    is_within && (rows == columns || rows < columns && shape.cells() <= MOST_OBLONG)
}

/// Works on the rows for a shape, about as long as so many nodes of a search take; true once
/// there is no more to do.
pub fn prepare(shape: Shape, nodes: u64) -> bool {
    slot(shape).is_none_or(|slot| slot.build(nodes))
}

/// The rows for a shape, if they are there; none for ever where there is no room for them.
#[must_use]
pub fn ready(shape: Shape) -> Option<Arc<NearRows>> {
    slot(shape)?.get()?.as_ref().clone()
}

/// The weights that are shipped, as those for a shape; none when they are damaged.
#[must_use]
pub fn shipped(shape: Shape) -> Option<NearWeights> {
    let weights = NearWeights::from_bytes(NEAR).ok()?;
    Some(weights.fit(shape))
}

/// The bytes that all rows made so far take. Those of all shapes together take 300 MB.
#[must_use]
pub fn bytes() -> usize {
    SLOTS.bytes()
}

fn slot(shape: Shape) -> Option<&'static Slot<Work>> {
    supports(shape).then(|| SLOTS.of(&shape, shapes()))
}

/// All shapes for which there are weights.
fn shapes() -> impl Iterator<Item = Shape> {
    shapes_within(LEAST_SIDE..=MOST_SIDE).filter(|&shape| supports(shape))
}

/// Rows in the making.
struct Work {
    shape: Shape,
    stage: Stage,
}

enum Stage {
    Reading(Reading<'static, NearWeights>),
    Lifting(NearLift),
    Rows(rows::Making),
    /// The weights are damaged.
    Failed,
}

/// How many weights are read, lifted and made rows of in the time of a node of a search.
const READ_A_NODE: u64 = 16;
const LIFTED_A_NODE: u64 = 16;
const SPREAD_A_NODE: u64 = 16;

impl Making for Work {
    type Class = Shape;
    /// None where the weights are damaged.
    type Table = Option<Arc<NearRows>>;

    fn need(shape: &Shape) -> usize {
        // The weights are there as long as the rows are made.
        NearRows::bytes(*shape) + NearWeights::bytes(*shape)
    }

    fn begin(shape: &Shape) -> Self {
        Self {
            shape: *shape,
            stage: Reading::begin(NEAR).map_or(Stage::Failed, Stage::Reading),
        }
    }

    fn advance(&mut self, states: u64) -> bool {
        // Everything is done by the square of the cells.
        let squared = self.shape.cells().pow(2) as u64;
        let pieces = |a_node: u64| states.saturating_mul(a_node).div_ceil(squared);
        match &mut self.stage {
            Stage::Reading(reading) => {
                if reading.advance(pieces(READ_A_NODE)) {
                    let weights = reading.finish();
                    self.go_on(weights);
                }
                false
            }
            Stage::Lifting(lift) => {
                if lift.advance(pieces(LIFTED_A_NODE)) {
                    let weights = lift.finish();
                    self.go_on(Some(weights));
                }
                false
            }
            Stage::Rows(rows) => rows.advance(pieces(SPREAD_A_NODE)),
            Stage::Failed => true,
        }
    }

    fn finish(self) -> Option<Arc<NearRows>> {
        match self.stage {
            Stage::Rows(rows) => Some(Arc::new(rows.finish())),
            _ => None,
        }
    }

    fn bytes(table: &Self::Table) -> usize {
        table
            .as_ref()
            .map_or(0, |rows| NearRows::bytes(rows.shape()))
    }
}

impl Work {
    /// To the next stage, with the weights that the one before has made.
    fn go_on(&mut self, weights: Option<NearWeights>) {
        let next = weights.and_then(|weights| match weights.next_line(self.shape) {
            Some(line) => NearLift::begin(weights, line).map(Stage::Lifting),
            None => Some(Stage::Rows(rows::Making::begin(weights))),
        });
        self.stage = next.unwrap_or(Stage::Failed);
    }
}
