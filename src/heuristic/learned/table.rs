//! The process's rows, built in slices by the searches that need them, and kept.

use std::sync::Arc;

use super::file::Reading;
use super::lift::{Lift, Line};
use super::ranking::Ranking;
use super::rows::{self, Rows};
use super::shipped::{self, Square, all_pairs, landscape, shapes};
use super::weights::Weights;
use crate::heuristic::shared_table::{Slot, Slots, TableBuilder};
use crate::puzzle::Shape;

static SLOTS: Slots<Work> = Slots::new();

/// Returns whether boards of this shape, in either orientation, are ranked by all pairs.
#[must_use]
pub const fn supports(shape: Shape) -> bool {
    shipped::supports(landscape(shape))
}

/// Works on the rows for a shape, for about as long as the given number of search nodes takes.
/// Returns true once nothing is left to do.
pub fn prepare(shape: Shape, nodes: u64) -> bool {
    slot(shape).is_none_or(|slot| slot.build(nodes))
}

/// Returns the rows for a shape if they are ready. The rows of all shapes together take 8 MB, and
/// those for larger boards ([`near`](super::near)) 1.9 GB.
#[must_use]
pub fn ready(shape: Shape) -> Option<Arc<Rows>> {
    slot(shape)?.get()
}

/// Returns whether there is a [`Network`](super::Network) for boards of this shape, in either
/// orientation.
#[must_use]
pub fn has_network(shape: Shape) -> bool {
    shipped::network(landscape(shape)).is_some()
}

fn slot(shape: Shape) -> Option<&'static Slot<Work>> {
    let shape = landscape(shape);
    supports(shape).then(|| SLOTS.of(&shape, shapes()))
}

/// Rows under construction.
struct Work {
    shape: Shape,
    stage: Stage,
    /// The lines that are still to be removed.
    lifts: std::vec::IntoIter<Line>,
}

enum Stage {
    Reading(Reading<'static, Weights>),
    Lifting(Lift),
    Rows(rows::TableBuilder),
    /// The weights are damaged.
    Failed,
}

/// The numbers of weights that are read, lifted or turned into rows in the time of one search node.
const READ_A_NODE: u64 = 16;
const LIFTED_A_NODE: u64 = 8;
const SPREAD_A_NODE: u64 = 16;

impl TableBuilder for Work {
    type Class = Shape;
    type Plan = (Square, Vec<Line>);
    type Table = Rows;

    fn plan(shape: &Shape) -> (Square, Vec<Line>) {
        all_pairs(*shape)
    }

    fn need((square, lifts): &(Square, Vec<Line>)) -> usize {
        most_bytes(*square, lifts)
    }

    fn begin(shape: &Shape, (square, lifts): (Square, Vec<Line>)) -> Self {
        Self {
            shape: *shape,
            stage: Reading::begin(square.bytes).map_or(Stage::Failed, Stage::Reading),
            lifts: lifts.into_iter(),
        }
    }

    fn advance(&mut self, states: u64) -> bool {
        // Each piece of work covers as many weights as the square of the number of cells.
        let cells = self.shape.cells() as u64;
        let pieces = |a_node: u64| states.saturating_mul(a_node).div_ceil(cells * cells);
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
                    self.go_on(weights);
                }
                false
            }
            Stage::Rows(rows) => rows.advance(pieces(SPREAD_A_NODE)),
            Stage::Failed => true,
        }
    }

    fn finish(self) -> Option<Rows> {
        match self.stage {
            Stage::Rows(rows) => shipped::with_network(rows.finish()),
            _ => None,
        }
    }

    fn bytes(rows: &Rows) -> usize {
        bytes_for(rows.shape())
    }
}

/// Returns the most bytes that are held during construction and afterwards: the weights before and
/// after each line that is removed, and the weights beside the rows that are made of them.
fn most_bytes(square: Square, lifts: &[Line]) -> usize {
    let mut shape = square.shape();
    let mut most = 0;
    for line in lifts {
        let after = line.shape(shape).unwrap_or(shape);
        most = most.max(Weights::bytes(shape) + Weights::bytes(after));
        shape = after;
    }
    most.max(Weights::bytes(shape) + Rows::bytes(shape))
        .max(bytes_for(shape))
}

/// Returns the bytes of the rows for a shape, and of the network beside them if there is one.
fn bytes_for(shape: Shape) -> usize {
    Rows::bytes(shape) + shipped::network_bytes(shape)
}

impl Work {
    /// Moves on to the next stage, with the weights that the previous one has made.
    fn go_on(&mut self, weights: Option<Weights>) {
        let next = weights.and_then(|weights| match self.lifts.next() {
            Some(line) => Lift::begin(weights, line).map(Stage::Lifting),
            None => Some(Stage::Rows(rows::TableBuilder::begin(weights))),
        });
        self.stage = next.unwrap_or(Stage::Failed);
    }
}
