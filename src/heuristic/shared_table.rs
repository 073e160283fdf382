//! Tables that belong to the process: each is made bit by bit by whoever needs it, and kept, as long
//! as there is room for it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The most bytes that all tables of all kinds may take, those in the making included.
static MOST: AtomicUsize = AtomicUsize::new(usize::MAX);

/// The bytes that they take.
static TAKEN: AtomicUsize = AtomicUsize::new(0);

/// How many there was no room for.
static REFUSED: AtomicUsize = AtomicUsize::new(0);

/// Bounds the bytes of all tables of this kind in the process, the walking distance's, those of
/// pushes and the learned estimate's. Those for which there is no room are done without, for good:
/// [the best heuristic without tables](super::HeuristicKind::default), the lines of pushes and beams in stages stand in for them.
pub fn limit_tables(bytes: usize) {
    MOST.store(bytes, Ordering::Relaxed);
}

/// How many tables there was no room for.
#[must_use]
pub fn refused_tables() -> usize {
    REFUSED.load(Ordering::Relaxed)
}

/// Sets bytes aside for a table; false when there are not as many left.
fn take(bytes: usize) -> bool {
    let most = MOST.load(Ordering::Relaxed);
    let taken = TAKEN.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |taken| {
        taken.checked_add(bytes).filter(|&taken| taken <= most)
    });
    if taken.is_err() {
        REFUSED.fetch_add(1, Ordering::Relaxed);
    }
    taken.is_ok()
}

/// A table in the making.
pub(super) trait Making {
    /// What it is made for.
    type Class: PartialEq;
    /// What it becomes.
    type Table;

    /// About the most bytes that it takes while it is made, and when it is ready.
    fn need(class: &Self::Class) -> usize;

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
            .filter_map(Slot::get)
            .map(|table| M::bytes(table))
            .sum()
    }
}

/// A table's place.
#[derive(Debug)]
pub(super) struct Slot<M: Making> {
    class: M::Class,
    /// None for ever where there was no room for it.
    ready: OnceLock<Option<Arc<M::Table>>>,
    /// With the bytes that were set aside for it.
    making: Mutex<Option<(M, usize)>>,
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

    /// The table, if it is ready.
    pub(super) fn get(&self) -> Option<&Arc<M::Table>> {
        self.ready.get()?.as_ref()
    }

    /// Whether there was no room for the table.
    pub(super) fn is_refused(&self) -> bool {
        matches!(self.ready.get(), Some(None))
    }

    /// Works on the table for as many states as given; true when there is no more to do: it is
    /// ready, or there is no room for it. Threads that work on the same table take turns.
    pub(super) fn build(&self, states: u64) -> bool {
        if self.ready.get().is_some() {
            return true;
        }
        let mut making = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        if self.ready.get().is_some() || states == 0 {
            return self.ready.get().is_some();
        }
        let (mut building, taken) = match making.take() {
            Some(building) => building,
            None => {
                let need = M::need(&self.class);
                if !take(need) {
                    return self.ready.set(None).is_ok();
                }
                (M::begin(&self.class), need)
            }
        };
        if building.advance(states) {
            let table = building.finish();
            let spare = taken.saturating_sub(M::bytes(&table));
            TAKEN.fetch_sub(spare, Ordering::Relaxed);
            return self.ready.set(Some(Arc::new(table))).is_ok();
        }
        *making = Some((building, taken));
        false
    }
}
