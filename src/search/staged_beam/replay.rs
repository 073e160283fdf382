//! Replays a solution piece by piece: reading back a million moves and replaying them takes longer than many
//! slices.

use crate::puzzle::{Direction, Problem, Recording, Solution, Symmetry};
use crate::search::beam::{Mark, Trace, Way};

/// The moves replayed in the time of a node.
pub(in crate::search) const PLAYED_A_NODE: usize = 16;

/// A solution that is being read back and replayed.
pub(super) struct Replay {
    /// Maps what is solved back to what was asked.
    back: Symmetry,
    /// The moves to a node, as far as they have been read back.
    way: Way,
    /// The moves after it, until they have been added.
    rest: Option<Vec<Direction>>,
    recording: Recording,
    /// The number of moves that have been replayed.
    played: usize,
}

impl Replay {
    /// The path to a node and the moves after it, which solve a problem's image.
    pub(super) fn new(
        mark: Mark,
        rest: Vec<Direction>,
        problem: &Problem,
        symmetry: Symmetry,
    ) -> Self {
        Self {
            back: symmetry.inverse(),
            way: Way::to(mark),
            rest: Some(rest),
            recording: Recording::new(problem),
            played: 0,
        }
    }

    /// The bytes held in addition to the search whose solution it is.
    pub(super) const fn bytes(&self) -> usize {
        self.way.bytes() + self.recording.bytes()
    }

    /// Spends about so many nodes. Returns whether the solution is complete, or not even legal. The trace is
    /// that of the node.
    pub(super) fn advance(&mut self, trace: &Trace, nodes: u64) -> bool {
        let nodes = usize::try_from(nodes).unwrap_or(usize::MAX);
        if !self.way.is_read() {
            self.way.read(trace, nodes);
            return false;
        }
        if let Some(rest) = self.rest.take() {
            self.way.add(&rest);
        }
        let moves = &self.way.moves()[self.played..];
        let piece = &moves[..moves.len().min(nodes.saturating_mul(PLAYED_A_NODE))];
        let image: Vec<_> = piece
            .iter()
            .map(|&slide| self.back.direction(slide))
            .collect();
        self.played += piece.len();
        self.recording.play(&image).is_err() || self.played == self.way.moves().len()
    }

    /// The solution, once it is complete.
    pub(super) fn finish(self) -> Option<Solution> {
        self.recording.finish().ok()
    }
}
