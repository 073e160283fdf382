//! Tables that belong to the process: each is made bit by bit by whoever needs it, and kept.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A table in the making.
pub(super) trait Making {
    /// What it is made for.
    type Class;
    /// What it becomes.
    type Table;

    /// Nothing done yet.
    fn begin(class: &Self::Class) -> Self;

    /// Looks at about so many states; true when there are no more.
    fn advance(&mut self, states: u64) -> bool;

    /// The table, once there are no more.
    fn finish(self) -> Self::Table;
}

/// A table's place.
#[derive(Debug)]
pub(super) struct Slot<M: Making> {
    pub(super) class: M::Class,
    ready: OnceLock<Arc<M::Table>>,
    making: Mutex<Option<M>>,
}

impl<M: Making> Slot<M> {
    /// The place of a table that nobody has asked for yet.
    pub(super) const fn new(class: M::Class) -> Self {
        Self {
            class,
            ready: OnceLock::new(),
            making: Mutex::new(None),
        }
    }

    /// The table, if it is ready.
    pub(super) fn ready(&self) -> Option<&Arc<M::Table>> {
        self.ready.get()
    }

    /// Works on the table for as many states as given; the table, once it is ready. Threads that
    /// work on the same table take turns.
    pub(super) fn build(&self, states: u64) -> Option<&Arc<M::Table>> {
        if let Some(table) = self.ready.get() {
            return Some(table);
        }
        let mut making = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        if self.ready.get().is_none() && states > 0 {
            let mut building = making.take().unwrap_or_else(|| M::begin(&self.class));
            if building.advance(states) {
                return Some(self.ready.get_or_init(|| Arc::new(building.finish())));
            }
            *making = Some(building);
        }
        self.ready.get()
    }
}
