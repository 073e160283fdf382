//! Permits that all connections share, and of which each may hold only so many.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The permits, as one connection sees them.
#[derive(Clone, Debug)]
pub struct Permits {
    all: Arc<Semaphore>,
    /// Those of this connection.
    own: Arc<Semaphore>,
    /// How many a connection may hold.
    share: usize,
}

/// Some permits, which are given back when dropped.
#[derive(Debug)]
pub struct Permit {
    of_all: OwnedSemaphorePermit,
    of_own: OwnedSemaphorePermit,
}

impl Permits {
    /// So many permits in all, of which one connection may hold `share`.
    #[must_use]
    pub fn new(all: usize, share: usize) -> Self {
        Self {
            all: permits(all),
            own: permits(share),
            share,
        }
    }

    /// The same permits for another connection.
    #[must_use]
    pub fn for_peer(&self) -> Self {
        Self {
            own: permits(self.share),
            ..self.clone()
        }
    }

    /// Whether so few are left for all connections together.
    #[must_use]
    pub fn are_fewer_than(&self, count: u32) -> bool {
        self.all.available_permits() < count as usize
    }

    /// Takes so many permits, if there are enough.
    #[must_use]
    pub fn take(&self, count: u32) -> Option<Permit> {
        let take = |permits: &Arc<Semaphore>| Arc::clone(permits).try_acquire_many_owned(count);
        // Who has no share left holds none of the others up, not even for a moment.
        let of_own = take(&self.own).ok()?;
        let of_all = take(&self.all).ok()?;
        Some(Permit { of_all, of_own })
    }
}

impl Permit {
    /// The number of permits.
    #[must_use]
    pub fn count(&self) -> usize {
        self.of_own.num_permits()
    }

    /// Adds others from where these come.
    pub fn merge(&mut self, other: Self) {
        self.of_all.merge(other.of_all);
        self.of_own.merge(other.of_own);
    }
}

fn permits(count: usize) -> Arc<Semaphore> {
    Arc::new(Semaphore::new(count.min(Semaphore::MAX_PERMITS)))
}
