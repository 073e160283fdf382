//! One solve by the current beam, and what is learned from it.

use std::sync::Arc;

use super::samples::Samples;
use crate::heuristic::learned::Rows;
use crate::puzzle::{Board, Dice, Shape};
use crate::search::beam::{
    Hashes, Layers, Learned, Mark, Settings, State, Trace, bytes_of, deepest,
};

/// How many boards from inside a solve's layers are kept.
const KEPT_BOARDS: usize = 3;

/// The outcome of a solve.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// The boards from the start to the goal, both included; `None` if the beam gave up.
    pub(super) path: Option<Vec<Vec<u8>>>,
    /// Boards from inside the layers: those that the beam has to rank.
    pub(super) inside: Vec<Vec<u8>>,
}

impl Outcome {
    pub(super) fn moves(&self) -> Option<usize> {
        Some(self.path.as_ref()?.len() - 1)
    }

    /// Adds every board of the solution with the number of moves that remained.
    pub(super) fn add_to(&self, samples: &mut Samples) {
        let Some(path) = &self.path else { return };
        for (tiles, moves) in path.iter().zip((0..path.len()).rev()) {
            samples.push(tiles, moves);
        }
    }
}

/// The current beam.
#[derive(Clone, Debug)]
pub(super) struct Beam {
    pub(super) rows: Arc<Rows>,
    pub(super) width: usize,
}

impl Beam {
    /// Solves a board whose blank's home is the last cell.
    pub(super) fn solve(&self, start: &Board, seed: u64) -> Outcome {
        let shape = start.shape();
        let mut dice = Dice::new(seed);
        let hashes = Hashes::new(shape, seed);
        let goal = Board::solved(shape);
        let estimate = Learned::new(Arc::clone(&self.rows), &hashes, &goal);
        let settings = Settings::new(self.width, deepest(shape));
        let mut layers = Layers::new(shape, estimate, hashes, settings, Trace::new());
        let tiles = bytes_of(start);
        layers.add_root(&tiles, 0, Mark::ROOT);
        let mut outcome = Outcome::default();
        let typical = (shape.cells() * (shape.rows() + shape.columns()) / 2) as u32;
        let mut depths: Vec<u32> = (0..KEPT_BOARDS).map(|_| dice.below(typical)).collect();
        loop {
            if !layers.completed().is_empty() {
                let moves = layers.trace().moves(layers.completed().head(0).mark);
                let mut board = start.clone();
                let mut path = vec![tiles];
                for slide in moves {
                    board.slide(slide);
                    path.push(bytes_of(&board));
                }
                if board == goal {
                    outcome.path = Some(path);
                }
                return outcome;
            }
            if layers.advance(2 * self.width as u64) == State::Over {
                return outcome;
            }
            let depth = layers.depth();
            let (nodes, before) = (layers.nodes(), depths.len());
            depths.retain(|&wanted| wanted > depth);
            if depths.len() < before && nodes > 0 {
                let node = dice.below(nodes as u32) as usize;
                outcome.inside.push(layers.board(node).to_vec());
            }
        }
    }
}

/// Solves the boards of a batch on the given number of threads. Returns the outcomes in the order
/// of the boards.
pub(super) fn solve_all(beam: &Beam, starts: &[Board], seed: u64, threads: usize) -> Vec<Outcome> {
    each(starts, threads, |index, start| {
        beam.solve(start, seed.wrapping_add(index))
    })
}

/// Applies `work` to each item and its number on the given number of threads. Returns the results
/// in the order of the items.
pub(super) fn each<T: Sync, R: Send>(
    items: &[T],
    threads: usize,
    work: impl Fn(u64, &T) -> R + Sync,
) -> Vec<R> {
    let share = |thread: usize| {
        let mine = items.iter().enumerate().skip(thread).step_by(threads);
        mine.map(|(index, item)| work(index as u64, item))
            .collect::<Vec<_>>()
    };
    let mut shares: Vec<_> = std::thread::scope(|scope| {
        let share = &share;
        let workers: Vec<_> = (0..threads)
            .map(|thread| scope.spawn(move || share(thread)))
            .collect();
        let shares = workers.into_iter().map(|worker| worker.join());
        shares
            .map(|share| share.expect("work does not panic").into_iter())
            .collect()
    });
    (0..items.len())
        .filter_map(|index| shares[index % threads].next())
        .collect()
}

/// Returns the board of some tiles that slides have brought about.
pub(super) fn board_of(shape: Shape, tiles: &[u8]) -> Board {
    let numbers: Vec<u32> = tiles.iter().map(|&tile| tile.into()).collect();
    Board::new(shape, &numbers).expect("slides leave each tile on one cell")
}
