//! Tables that belong to the process: each is made bit by bit by whoever needs it, and kept.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A table in the making.
pub(super) trait Making {
    /// What it is made for.
    type Class: PartialEq;
    /// What it becomes.
    type Table;

    /// Nothing done yet.
    fn begin(class: &Self::Class) -> Self;

    /// Looks at about so many states; true when there are no more.
    fn advance(&mut self, states: u64) -> bool;

    /// The table, once there are no more.
    fn finish(self) -> Self::Table;

    /// The bytes that a table holds.
    fn bytes(table: &Self::Table) -> usize;
}

/// The places of all tables of one kind.
pub(super) struct Slots<M: Making>(OnceLock<Box<[Slot<M>]>>);

impl<M: Making> Slots<M> {
    /// Nobody has asked for a table yet.
    pub(super) const fn new() -> Self {
        Self(OnceLock::new())
    }

    /// The place of the table of a class, which is one of `all`.
    pub(super) fn of(&self, class: &M::Class, all: impl Iterator<Item = M::Class>) -> &Slot<M> {
        self.0
            .get_or_init(|| all.map(Slot::new).collect())
            .iter()
            .find(|slot| slot.class == *class)
            .expect("every class has its slot")
    }

    /// The bytes that the tables built so far hold.
    pub(super) fn bytes(&self) -> usize {
        let slots = self.0.get().into_iter().flatten();
        slots
            .filter_map(|slot| slot.ready.get())
            .map(|table| M::bytes(table))
            .sum()
    }
}

/// A table's place.
#[derive(Debug)]
pub(super) struct Slot<M: Making> {
    class: M::Class,
    ready: OnceLock<Arc<M::Table>>,
    making: Mutex<Option<M>>,
}

impl<M: Making> Slot<M> {
    /// The place of a table that nobody has asked for yet.
    const fn new(class: M::Class) -> Self {
        Self {
            class,
            ready: OnceLock::new(),
            making: Mutex::new(None),
        }
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
