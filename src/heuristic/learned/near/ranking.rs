//! The ranking of whole boards by tiles near each other.

use super::pairs::NearWeights;
use super::rows::{Between, NearRows, TableBuilder};
use crate::heuristic::learned::making::RowBuilder;
use crate::heuristic::learned::ranking::goal;
use crate::heuristic::learned::shipped::network_bytes;
use crate::heuristic::learned::{Network, Ranking, Weights};
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
        let last = weights.shape().cells() - 1;
        Self::at_home(weights, last)
    }

    /// Creates a ranking for goals with the blank's home on a cell. Beams name tiles by the goal that
    /// results when the blank goes right and then down to the last.
    #[must_use]
    pub fn at_home(weights: NearWeights, home: usize) -> Self {
        Self::of_rows(TableBuilder::all(weights.at_home(home), home))
    }

    /// Creates a ranking from rows that are made.
    pub(super) fn of_rows(rows: TableBuilder) -> Self {
        let home = rows.home();
        let (rows, weights) = rows.finish();
        Self {
            goal: weights.of_board(&goal(rows.shape(), home)),
            rows,
            weights,
            network: None,
        }
    }

    /// Returns the bytes held for a shape, with the network that is shipped with loyd.
    #[must_use]
    pub fn bytes(shape: Shape) -> usize {
        NearRows::bytes(shape) + NearWeights::bytes(shape) + network_bytes(shape)
    }
}

/// Returns how the moves to go depend on the sum over pairs near each other on boards of a shape that
/// is at least as wide as it is high: they grow as a power of the sum, times a factor. Such pairs do
/// not account for all that tiles far from each other contribute, least of all where they stand in
/// few rows. From 2×9 to 11×12 that is within a fifth on most of a solution.
fn growth(shape: Shape) -> (f32, f32) {
    let (rows, columns) = (shape.rows() as f32, shape.columns() as f32);
    match shape.rows() {
        2 => (6.0 + 0.45 * columns, 0.65),
        3 => (2.4 + 0.4 * columns, 0.72),
        _ => {
            let by_side = 0.268 * (rows + columns) / 2.0 + 0.06 * (columns - rows);
            (1.6 + by_side, 0.81)
        }
    }
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
        let pairs = pairs.max(0) as f32 / Weights::UNIT as f32;
        let (factor, power) = growth(self.shape());
        (factor * pairs.powf(power) * Weights::UNIT as f32) as i32
    }

    fn count(&self) -> usize {
        self.rows.count()
    }

    #[inline]
    fn between(&self, to: usize, direction: Direction) -> Between<'_> {
        self.rows.between(to, direction)
    }
}
