//! What ranks whole boards by tiles near each other.

use super::rows::{Between, Making, NearRows};
use super::weights::NearWeights;
use crate::heuristic::learned::shipped::network_bytes;
use crate::heuristic::learned::{Network, Ranking, Rows};
use crate::puzzle::{Board, Direction, Shape};

/// The rows of weights that learned to rank whole boards, the weights, and a network beside them.
#[derive(Debug)]
pub struct NearRanking {
    rows: NearRows,
    weights: NearWeights,
    /// What the weights of the goal add up to.
    goal: i32,
    network: Option<Box<Network>>,
}

impl NearRanking {
    /// By weights alone, their rows made all at once.
    #[must_use]
    pub fn new(weights: NearWeights) -> Self {
        Self::of_rows(Making::all(weights))
    }

    /// By weights whose rows are made.
    pub(super) fn of_rows(rows: Making) -> Self {
        let (rows, weights) = rows.finish();
        let goal = Board::solved(rows.shape());
        let goal: Vec<u8> = goal.tiles().map(|tile| tile as u8).collect();
        Self {
            goal: weights.of_board(&goal),
            rows,
            weights,
            network: None,
        }
    }

    /// Bytes held for a shape, with the network that loyd comes with.
    #[must_use]
    pub fn bytes(shape: Shape) -> usize {
        NearRows::bytes(shape) + NearWeights::bytes(shape) + network_bytes(shape)
    }
}

/// The moves to go are so many times what pairs near each other come to, and so many times the root of that, as they
/// do not tell all of what tiles far from each other mean: on ways of 10×10 within a tenth.
const NEARLY: f32 = 1.1;
const BEYOND: f32 = 5.0;

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
        ((NEARLY * pairs + BEYOND * pairs.sqrt()) * Rows::UNIT as f32) as i32
    }

    fn count(&self) -> usize {
        self.rows.count()
    }

    #[inline]
    fn between(&self, to: usize, direction: Direction) -> Between<'_> {
        self.rows.between(to, direction)
    }
}
