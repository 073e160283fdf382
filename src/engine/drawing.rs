//! What a search for several boards has found.

use super::share::Collect;

/// All that has been drawn.
#[derive(Clone, Debug)]
pub struct Drawings<D>(pub Vec<D>);

impl<D> Default for Drawings<D> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<D: Send + Sync + 'static> Collect for Drawings<D> {
    type Found = D;

    fn collect(&mut self, drawn: D) {
        self.0.push(drawn);
    }

    fn count(&self) -> usize {
        self.0.len()
    }

    fn best_length(&self) -> usize {
        0
    }
}
