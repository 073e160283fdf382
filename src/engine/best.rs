//! What a search for solutions collects.

use std::sync::Arc;

use super::share::Collect;
use crate::search::chain::Answer;

/// The best solution so far.
#[derive(Clone, Debug, Default)]
pub struct Best {
    /// The number of solutions found, each better than the one before.
    pub revision: u32,
    /// The latest of them.
    pub answer: Option<Arc<Answer>>,
}

impl Collect for Best {
    type Found = Answer;

    fn collect(&mut self, found: Answer) {
        self.revision += 1;
        self.answer = Some(Arc::new(found));
    }

    fn count(&self) -> usize {
        self.revision as usize
    }

    fn best_length(&self) -> usize {
        self.answer.as_ref().map_or(0, |answer| answer.length)
    }
}
