//! The discrete bound: 0 on the goal, 1 elsewhere.

use super::{Heuristic, Slide, Tiles};

/// A bound on the number of misplaced tiles, capped at 1.
#[derive(Clone, Debug)]
pub struct Discrete<H>(pub H);

impl<H: Heuristic> Heuristic for Discrete<H> {
    type State = H::State;

    fn root<T: Tiles>(&self, board: &T) -> Self::State {
        self.0.root(board)
    }

    fn after_slide<T: Tiles>(&self, state: Self::State, slide: Slide, board: &T) -> Self::State {
        self.0.after_slide(state, slide, board)
    }

    fn value(state: Self::State) -> u32 {
        H::value(state).min(1)
    }

    fn restore<T: Tiles>(&self, board: &T, _: u32) -> Self::State {
        self.0.root(board)
    }
}
