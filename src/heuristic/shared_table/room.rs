//! The memory limit of the process's tables, and eviction.

use std::any::Any;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The room of all tables of all kinds.
pub(super) static ROOM: Room = Room {
    most: AtomicUsize::new(usize::MAX),
    period: AtomicU64::new(0),
    ready: AtomicUsize::new(0),
    refused: AtomicUsize::new(0),
    evicted: AtomicUsize::new(0),
    holders: Mutex::new(Holders {
        taken: 0,
        places: Vec::new(),
    }),
};

pub(super) struct Room {
    /// The most bytes that all tables may take, including those under construction.
    most: AtomicUsize,
    period: AtomicU64,
    /// The bytes of the tables that are ready.
    ready: AtomicUsize,
    refused: AtomicUsize,
    evicted: AtomicUsize,
    holders: Mutex<Holders>,
}

/// The tables that have taken some of the room.
struct Holders {
    /// The bytes that all of them have taken.
    taken: usize,
    places: Vec<&'static dyn Holder>,
}

/// The slot of a table of any kind.
pub(super) trait Holder: Sync {
    /// Returns whether searches do without the table nearly as well.
    fn is_extra(&self) -> bool;

    /// Returns the period in which the table was last requested.
    fn last_use(&self) -> u64;

    /// Returns the bytes that the table has taken, if it can be evicted: no search holds it, and no
    /// thread works on it.
    fn idle(&self) -> Option<usize>;

    /// Evicts the table. Returns the bytes that it had taken and the memory to free, or `None` if
    /// it can no longer be evicted.
    fn evict(&self) -> Option<(usize, Box<dyn Any + Send>)>;
}

/// Limits the bytes of all shared tables of the process: those of the walking distance, of pushes
/// and of the learned estimate. If a table has no room, searches do without it: [the best heuristic
/// without tables](crate::heuristic::HeuristicKind::default), the lines bound for pushes and staged
/// beams replace them.
pub fn limit_tables(bytes: usize) {
    ROOM.most.store(bytes, Ordering::Relaxed);
}

/// Sets the current period, a number that grows. A table that was requested neither in this period
/// nor in the previous one can be evicted; one that searches do nearly as well without can be evicted
/// at any time for one that they need, unless a search holds it or works on it, but never the other
/// way round. A table that had no room is tried again in the next period.
pub fn begin_period(number: u64) {
    if ROOM.period() < number {
        ROOM.period.fetch_max(number, Ordering::Relaxed);
    }
}

/// Counts of the process's shared tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableCounts {
    /// The bytes of the tables that are ready.
    pub bytes: usize,
    /// How many tables had no room when they were last requested.
    pub refused: usize,
    /// How many tables have been evicted.
    pub evicted: usize,
}

/// Returns the counts of the process's shared tables up to now.
#[must_use]
pub fn table_counts() -> TableCounts {
    TableCounts {
        bytes: ROOM.ready.load(Ordering::Relaxed),
        refused: ROOM.refused.load(Ordering::Relaxed),
        evicted: ROOM.evicted.load(Ordering::Relaxed),
    }
}

impl Room {
    pub(super) fn period(&self) -> u64 {
        self.period.load(Ordering::Relaxed)
    }

    /// Reserves bytes for a table. Returns false if there is not enough room even after evicting
    /// every table that can be evicted.
    pub(super) fn take(&self, bytes: usize, place: &'static dyn Holder) -> bool {
        let most = self.most.load(Ordering::Relaxed);
        let mut holders = self.holders();
        let wanted = holders.taken.saturating_add(bytes);
        let lacking = wanted.saturating_sub(most);
        let given_up = holders.make_room(lacking, self.period(), place.is_extra());
        self.evicted.fetch_add(given_up.len(), Ordering::Relaxed);
        let has_room = holders.taken.saturating_add(bytes) <= most;
        if has_room {
            holders.taken += bytes;
            holders.places.push(place);
        }
        drop(holders);
        // Freeing large tables takes milliseconds, so it happens after the lock is released.
        drop(given_up);
        has_room
    }

    /// Gives back bytes that a table turned out not to need.
    pub(super) fn give_back(&self, bytes: usize) {
        self.holders().taken -= bytes;
    }

    /// Gives back all bytes of a table that will not be finished.
    pub(super) fn give_back_all(&self, bytes: usize, place: &dyn Holder) {
        let mut holders = self.holders();
        holders.taken -= bytes;
        holders.forget(place);
    }

    /// Adds a table of this many bytes to those that are ready.
    pub(super) fn add_ready(&self, bytes: usize) {
        self.ready.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Removes a table of this many bytes from those that are ready.
    pub(super) fn remove_ready(&self, bytes: usize) {
        self.ready.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Counts a table that had no room.
    pub(super) fn add_refused(&self) {
        self.refused.fetch_add(1, Ordering::Relaxed);
    }

    /// Stops counting a table that is tried again.
    pub(super) fn remove_refused(&self) {
        self.refused.fetch_sub(1, Ordering::Relaxed);
    }

    fn holders(&self) -> MutexGuard<'_, Holders> {
        self.holders.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Holders {
    /// Evicts tables until the given number of bytes is free, least recently requested first.
    /// Evicts none if all that can be evicted would not be enough. Returns the memory to free.
    fn make_room(
        &mut self,
        bytes: usize,
        period: u64,
        is_for_extra: bool,
    ) -> Vec<Box<dyn Any + Send>> {
        let is_of_late = |place: &dyn Holder| place.last_use() + 1 >= period;
        let stays = |place: &dyn Holder| {
            let (is_of_late, is_extra) = (is_of_late(place), place.is_extra());
            is_for_extra && !is_extra || is_of_late && is_extra == is_for_extra
        };
        let unused = self.places.iter().filter(|&&place| !stays(place));
        let mut idle: Vec<_> = unused
            .filter_map(|&place| Some((place.last_use(), place.idle()?, place)))
            .collect();
        let mut given_up = Vec::new();
        if idle.iter().map(|&(_, bytes, _)| bytes).sum::<usize>() < bytes {
            return given_up;
        }
        idle.sort_by_key(|&(last_use, ..)| last_use);
        let mut free = 0;
        for (.., place) in idle {
            if free >= bytes {
                break;
            }
            if let Some((bytes, what)) = place.evict() {
                free += bytes;
                given_up.push(what);
                self.forget(place);
            }
        }
        self.taken -= free;
        given_up
    }

    fn forget(&mut self, place: &dyn Holder) {
        self.places
            .retain(|&other| !std::ptr::addr_eq(other, place));
    }
}
