//! The rows of the process: made bit by bit by whoever needs them, and kept.

use std::sync::Arc;

use super::file::Reading;
use super::lift::{Lift, Line};
use super::ranking::Ranking;
use super::rows::{self, Rows};
use super::shipped::{self, Recipe, lying, recipe, shapes};
use super::weights::Weights;
use crate::heuristic::shared_table::{Making, Slot, Slots};
use crate::puzzle::Shape;

static SLOTS: Slots<Work> = Slots::new();

/// Whether there are weights for boards of this shape, however it lies.
#[must_use]
pub const fn supports(shape: Shape) -> bool {
    shipped::supports(lying(shape))
}

/// Works on the rows for a shape, about as long as so many nodes of a search take; true once
/// there is no more to do.
pub fn prepare(shape: Shape, nodes: u64) -> bool {
    slot(shape).is_none_or(|slot| slot.build(nodes))
}

/// The rows for a shape, if they are there. Those of all shapes together take 160 MB, and those for larger boards
/// ([`near`](super::near)) 1.8 GB more.
#[must_use]
pub fn ready(shape: Shape) -> Option<Arc<Rows>> {
    slot(shape)?.get()
}

/// Whether there is a [`Network`](super::Network) for boards of this shape, however it lies.
#[must_use]
pub fn has_network(shape: Shape) -> bool {
    let shape = lying(shape);
    shipped::network(shape)
        .or(shipped::near_network(shape))
        .is_some()
}

fn slot(shape: Shape) -> Option<&'static Slot<Work>> {
    let shape = lying(shape);
    supports(shape).then(|| SLOTS.of(&shape, shapes()))
}

/// Rows in the making.
struct Work {
    shape: Shape,
    stage: Stage,
    /// What is still to be put in or taken out.
    lifts: std::vec::IntoIter<Line>,
}

enum Stage {
    Reading(Reading<'static, Weights>),
    Lifting(Lift),
    Rows(rows::Making),
    /// The weights are damaged.
    Failed,
}

/// How many weights are read, lifted and made rows of in the time of a node of a search.
const READ_A_NODE: u64 = 16;
const LIFTED_A_NODE: u64 = 8;
const SPREAD_A_NODE: u64 = 16;

impl Making for Work {
    type Class = Shape;
    type Plan = Option<Recipe>;
    type Table = Rows;

    fn plan(shape: &Shape) -> Option<Recipe> {
        recipe(*shape)
    }

    fn need(recipe: &Option<Recipe>) -> usize {
        recipe.as_ref().map_or(0, most_bytes)
    }

    fn begin(shape: &Shape, recipe: Option<Recipe>) -> Self {
        let begun =
            recipe.and_then(|recipe| Some((Reading::begin(recipe.bytes).ok()?, recipe.lifts)));
        let (stage, lifts) = match begun {
            Some((reading, lifts)) => (Stage::Reading(reading), lifts),
            None => (Stage::Failed, Vec::new()),
        };
        Self {
            shape: *shape,
            stage,
            lifts: lifts.into_iter(),
        }
    }

    fn advance(&mut self, states: u64) -> bool {
        // Everything is done by the square of the cells.
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
            Stage::Rows(rows) => shipped::with_network(rows.finish(), shipped::network),
            _ => None,
        }
    }

    fn bytes(rows: &Rows) -> usize {
        bytes_for(rows.shape())
    }
}

/// The most bytes that are held on the way to the rows and when they are there: weights as they are read, before and after
/// each line that is put in or taken out, and beside the rows that are made of them.
fn most_bytes(recipe: &Recipe) -> usize {
    let mut shape = recipe.square;
    let mut most = 0;
    for line in &recipe.lifts {
        let after = line.shape(shape).unwrap_or(shape);
        most = most.max(Weights::bytes(shape) + Weights::bytes(after));
        shape = after;
    }
    most.max(Weights::bytes(shape) + Rows::bytes(shape))
        .max(bytes_for(shape))
}

/// What the rows for a shape take, and the network beside them where there is one.
fn bytes_for(shape: Shape) -> usize {
    Rows::bytes(shape) + shipped::network_bytes(shape, shipped::network)
}

impl Work {
    /// To the next stage, with the weights that the one before has made.
    fn go_on(&mut self, weights: Option<Weights>) {
        let next = weights.and_then(|weights| match self.lifts.next() {
            Some(line) => Lift::begin(weights, line).map(Stage::Lifting),
            None => Some(Stage::Rows(rows::Making::begin(weights))),
        });
        self.stage = next.unwrap_or(Stage::Failed);
    }
}
