//! The ranking of whole boards by tiles near each other.

use super::rows::{Between, NearRows, TableBuilder};
use super::weights::NearWeights;
use crate::heuristic::learned::ranking::goal;
use crate::heuristic::learned::shipped::{near_network, network_bytes};
use crate::heuristic::learned::{Network, Ranking, Rows};
use crate::puzzle::{Direction, Shape};

/// The rows of weights that learned to rank whole boards, the weights, and a network beside them.
#[derive(Debug)]
pub struct NearRanking {
    rows: NearRows,
    weights: NearWeights,
    /// The sum of the weights of the goal.
    goal: i32,
    network: Option<Box<Network>>,
}

impl NearRanking {
    /// Creates a ranking by weights alone; their rows are made at once.
    #[must_use]
    pub fn new(weights: NearWeights) -> Self {
        Self::of_rows(TableBuilder::all(weights))
    }

    /// Creates a ranking from rows that are made.
    pub(super) fn of_rows(rows: TableBuilder) -> Self {
        let (rows, weights) = rows.finish();
        Self {
            goal: weights.of_board(&goal(rows.shape())),
            rows,
            weights,
            network: None,
        }
    }

    /// Returns the bytes held for a shape, with the network that is shipped with loyd.
    #[must_use]
    pub fn bytes(shape: Shape) -> usize {
        NearRows::bytes(shape) + NearWeights::bytes(shape) + network_bytes(shape, near_network)
    }
}

/// The moves to go grow as this power of the sum over pairs near each other, on any solution of any
/// shape. Such pairs do not account for all that tiles far from each other contribute.
const POWER: f32 = 0.81;

/// Returns the factor of that power: a constant, plus a term for each line of the mean side, plus a
/// term for each line by which one side is longer. From 3×16 to 10×10 it is within a twentieth.
fn times(shape: Shape) -> f32 {
    let (rows, columns) = (shape.rows() as f32, shape.columns() as f32);
    1.6 + 0.268 * (rows + columns) / 2.0 + 0.06 * (columns - rows).abs()
}

impl Ranking for NearRanking {
    type Between<'a> = Between<'a>;

    fn shape(&self) -> Shape {
        self.rows.shape()
    }

    fn network(&self) -> Option<&Network> {
        self.network.as_deref()
    }

    fn set_network(&mut self, network: Network) {
        assert_eq!(network.shape(), self.shape(), "for the same boards");
        self.network = Some(Box::new(network));
    }

    fn of(&self, tiles: &[u8]) -> i32 {
        self.weights.of_board(tiles) - self.goal
    }

    fn moves(&self, pairs: i32) -> i32 {
        let pairs = pairs.max(0) as f32 / Rows::UNIT as f32;
        (times(self.shape()) * pairs.powf(POWER) * Rows::UNIT as f32) as i32
    }

    fn count(&self) -> usize {
        self.rows.count()
    }

    #[inline]
    fn between(&self, to: usize, direction: Direction) -> Between<'_> {
        self.rows.between(to, direction)
    }
}
