//! The room for the tables of the process, and which of them make room for others.

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
    /// The most bytes that all of them may take, those in the making included.
    most: AtomicUsize,
    period: AtomicU64,
    /// The bytes of those that are ready.
    ready: AtomicUsize,
    refused: AtomicUsize,
    evicted: AtomicUsize,
    holders: Mutex<Holders>,
}

/// Who has taken some of the room.
struct Holders {
    /// The bytes that all of them have taken.
    taken: usize,
    places: Vec<&'static dyn Holder>,
}

/// The place of a table, of whatever kind.
pub(super) trait Holder: Sync {
    /// The period in which somebody last asked for the table.
    fn last_use(&self) -> u64;

    /// The bytes that it has taken, if they can be given up: no search holds the table, and nobody works on it.
    fn idle(&self) -> Option<usize>;

    /// Gives up what there is of the table: the bytes that it had taken, and what is to be freed. None if it cannot be given up any more.
    fn give_up(&self) -> Option<(usize, Box<dyn Any + Send>)>;
}

/// Bounds the bytes of all tables of this kind in the process, the walking distance's, those of
/// pushes and the learned estimate's. Those for which there is no room are done without:
/// [the best heuristic without tables](crate::heuristic::HeuristicKind::default), the lines of pushes and beams in stages stand in for them.
pub fn limit_tables(bytes: usize) {
    ROOM.most.store(bytes, Ordering::Relaxed);
}

/// Tells which period it is, by a number that grows. A table that nobody has asked for in this period or the one before makes
/// room for others; one for which there was no room is tried again in the next period.
pub fn begin_period(number: u64) {
    if ROOM.period() < number {
        ROOM.period.fetch_max(number, Ordering::Relaxed);
    }
}

/// What has become of the tables of this kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableCounts {
    /// The bytes of those that are ready.
    pub bytes: usize,
    /// How many had no room when they were last asked for.
    pub refused: usize,
    /// How many made room for others.
    pub evicted: usize,
}

/// What has become of the tables of this kind until now.
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

    /// Sets bytes aside for a table; false when there are not as many, even if all others make room that can.
    pub(super) fn take(&self, bytes: usize, place: &'static dyn Holder) -> bool {
        let most = self.most.load(Ordering::Relaxed);
        let mut holders = self.holders();
        let wanted = holders.taken.saturating_add(bytes);
        let given_up = holders.make_room(wanted.saturating_sub(most), self.period());
        self.evicted.fetch_add(given_up.len(), Ordering::Relaxed);
        let has_room = holders.taken.saturating_add(bytes) <= most;
        if has_room {
            holders.taken += bytes;
            holders.places.push(place);
        }
        drop(holders);
        // Large ones take milliseconds.
        drop(given_up);
        has_room
    }

    /// Gives bytes back that a table turned out not to need.
    pub(super) fn give_back(&self, bytes: usize) {
        self.holders().taken -= bytes;
    }

    /// Gives back all bytes of a table that comes to nothing.
    pub(super) fn give_back_all(&self, bytes: usize, place: &dyn Holder) {
        let mut holders = self.holders();
        holders.taken -= bytes;
        holders.forget(place);
    }

    /// A table of so many bytes is ready.
    pub(super) fn add_ready(&self, bytes: usize) {
        self.ready.fetch_add(bytes, Ordering::Relaxed);
    }

    /// It is no longer.
    pub(super) fn remove_ready(&self, bytes: usize) {
        self.ready.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// A table had no room.
    pub(super) fn add_refused(&self) {
        self.refused.fetch_add(1, Ordering::Relaxed);
    }

    /// It is tried again.
    pub(super) fn remove_refused(&self) {
        self.refused.fetch_sub(1, Ordering::Relaxed);
    }

    fn holders(&self) -> MutexGuard<'_, Holders> {
        self.holders.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Holders {
    /// Has tables given up until so many bytes are free, those first that nobody has asked for the longest; none at all if all
    /// that can be are not enough. Tells what is to be freed.
    fn make_room(&mut self, bytes: usize, period: u64) -> Vec<Box<dyn Any + Send>> {
        let of_late = |place: &&&dyn Holder| place.last_use() + 1 >= period;
        let unused = self.places.iter().filter(|place| !of_late(place));
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
            if let Some((bytes, what)) = place.give_up() {
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
