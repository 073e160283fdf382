//! Metrics by labels of which there are few: each is looked up once, since a look takes as long as ten
//! recordings.

use std::sync::{PoisonError, RwLock};

/// A metric for each combination of `N` labels.
pub(super) struct Labelled<const N: usize, M> {
    known: RwLock<Vec<([&'static str; N], M)>>,
    look_up: fn([&'static str; N]) -> M,
}

impl<const N: usize, M> Labelled<N, M> {
    /// Metrics that are looked up so, when they are first recorded: the recorder must be there by then.
    pub(super) const fn new(look_up: fn([&'static str; N]) -> M) -> Self {
        Self {
            known: RwLock::new(Vec::new()),
            look_up,
        }
    }

    /// Records something of the metric with these labels.
    pub(super) fn record(&self, labels: [&'static str; N], record: impl FnOnce(&M)) {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, metric)) = known.iter().find(|(known, _)| *known == labels) {
            return record(metric);
        }
        drop(known);
        let metric = (self.look_up)(labels);
        record(&metric);
        // Two who come at once find the same metric: to keep it twice does no harm.
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.push((labels, metric));
    }
}
