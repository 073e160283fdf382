//! Tables that belong to the process. Each is built in slices by the searches that need it, and is
//! kept as long as there is room for it.

mod room;

use std::any::Any;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, TryLockError};
use std::thread;
use std::time::Duration;

use room::{Holder, ROOM};

pub use room::{TableCounts, begin_period, limit_tables, table_counts};

/// A table under construction.
pub(super) trait TableBuilder: Send + Sized + 'static {
    /// What the table is built for.
    type Class: Copy + PartialEq + Send + Sync;
    /// The layout of the table. It is small.
    type Plan;
    /// The finished table.
    type Table: Send + Sync;

    /// Returns whether searches do nearly as well without the table. It then makes room at any time for
    /// tables that they need, and takes none from them.
    fn is_extra(_class: &Self::Class) -> bool {
        false
    }

    /// Returns the layout of the table of a class.
    fn plan(class: &Self::Class) -> Self::Plan;

    /// Returns about the most bytes that the table takes, under construction and when ready.
    fn need(plan: &Self::Plan) -> usize;

    /// Starts the construction.
    fn begin(class: &Self::Class, plan: Self::Plan) -> Self;

    /// Processes about the given number of states. Returns true when no states are left.
    fn advance(&mut self, states: u64) -> bool;

    /// Returns the table once no states are left, or `None` if the data that it is made of is
    /// damaged.
    fn finish(self) -> Option<Self::Table>;

    /// Returns the bytes that a table holds.
    fn bytes(table: &Self::Table) -> usize;
}

/// The slots of the tables of one kind that have been requested. There are so few classes that slots
/// are never freed.
pub(super) struct Slots<M: TableBuilder>(RwLock<Vec<(M::Class, &'static Slot<M>)>>);

impl<M: TableBuilder> Slots<M> {
    /// Creates the slots; no table has been requested yet.
    pub(super) const fn new() -> Self {
        Self(RwLock::new(Vec::new()))
    }

    /// Returns the slot of the table of a class.
    pub(super) fn of(&self, class: M::Class) -> &'static Slot<M> {
        let of_class = |slots: &[(M::Class, &'static Slot<M>)]| {
            let mut slots = slots.iter();
            slots.find_map(|&(other, slot)| (other == class).then_some(slot))
        };
        let known = of_class(&self.0.read().unwrap_or_else(PoisonError::into_inner));
        known.unwrap_or_else(|| {
            let mut slots = self.0.write().unwrap_or_else(PoisonError::into_inner);
            // Another thread may have been first.
            of_class(&slots).unwrap_or_else(|| {
                let slot: &Slot<M> = Box::leak(Box::new(Slot::new(class)));
                slots.push((class, slot));
                slot
            })
        })
    }
}

/// How long a thread sleeps when another one is at work on the table that it wants: about as long as it would have
/// worked itself.
const PAUSE: Duration = Duration::from_micros(50);

/// The slot of a table.
pub(super) struct Slot<M: TableBuilder> {
    class: M::Class,
    table: RwLock<Option<Arc<M::Table>>>,
    work: Mutex<Work<M>>,
    /// The period in which the table was last requested.
    last_use: AtomicU64,
}

/// The state of a table's construction.
enum Work<M> {
    NotBegun,
    /// There was no room for the table in this period.
    Refused(u64),
    /// Under construction, with the bytes that are reserved for it. The builder is not there while it starts or
    /// finishes, which may panic.
    Building(Option<M>, usize),
    /// Ready, with the bytes that it holds.
    Ready(usize),
    /// The data that the table would be made of is damaged.
    Damaged,
}

impl<M: TableBuilder> Slot<M> {
    /// Creates the slot of a table that has not been requested yet.
    const fn new(class: M::Class) -> Self {
        Self {
            class,
            table: RwLock::new(None),
            work: Mutex::new(Work::NotBegun),
            last_use: AtomicU64::new(0),
        }
    }

    /// Returns the table if it is ready.
    pub(super) fn get(&self) -> Option<Arc<M::Table>> {
        let period = ROOM.period();
        // Written once per period, so that the cache line stays shared by all readers.
        if self.last_use.load(Ordering::Relaxed) != period {
            self.last_use.store(period, Ordering::Relaxed);
        }
        let table = self.table.read().unwrap_or_else(PoisonError::into_inner);
        table.clone()
    }

    /// Works on the table for the given number of states. Returns true when nothing is left to do:
    /// the table is ready, its data is damaged, or there is no room for it in this period. Returns
    /// false, [soon](PAUSE), while another thread works on the table: whoever waited for its turn
    /// would not see meanwhile that its own work is no longer wanted.
    pub(super) fn build(&'static self, states: u64) -> bool {
        if self.get().is_some() {
            return true;
        }
        let mut work = match self.work.try_lock() {
            Ok(work) => work,
            Err(TryLockError::WouldBlock) => {
                if states > 0 {
                    thread::sleep(PAUSE);
                }
                return false;
            }
            Err(TryLockError::Poisoned(panicked)) => {
                self.work.clear_poison();
                let mut work = panicked.into_inner();
                // After a panic the state of the table is unknown, so construction starts again.
                if let Work::Building(_, taken) = std::mem::replace(&mut *work, Work::NotBegun) {
                    ROOM.give_back_all(taken, self);
                }
                work
            }
        };
        if work.is_to_begin() {
            if states == 0 {
                return false;
            }
            self.begin(&mut work);
        }
        match &mut *work {
            Work::Building(Some(making), _) => {
                let is_made = states > 0 && making.advance(states);
                if is_made {
                    self.finish(&mut work);
                }
                is_made
            }
            _ => true,
        }
    }

    fn begin(&'static self, work: &mut Work<M>) {
        if let Work::Refused(_) = work {
            ROOM.remove_refused();
        }
        let plan = M::plan(&self.class);
        let need = M::need(&plan);
        if ROOM.take(need, self) {
            *work = Work::Building(None, need);
            *work = Work::Building(Some(M::begin(&self.class, plan)), need);
        } else {
            ROOM.add_refused();
            *work = Work::Refused(ROOM.period());
        }
    }

    fn finish(&self, work: &mut Work<M>) {
        let Work::Building(making, taken) = work else {
            unreachable!("only what is made is finished");
        };
        let taken = *taken;
        let Some(table) = making.take().and_then(M::finish) else {
            *work = Work::Damaged;
            ROOM.give_back_all(taken, self);
            return;
        };
        let bytes = M::bytes(&table).min(taken);
        ROOM.give_back(taken - bytes);
        ROOM.add_ready(bytes);
        *work = Work::Ready(bytes);
        *self.table.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(table));
    }

    /// Returns the state of the construction, unless a thread is working on it.
    fn work_at_rest(&self) -> Option<MutexGuard<'_, Work<M>>> {
        match self.work.try_lock() {
            Ok(work) => Some(work),
            Err(TryLockError::Poisoned(panicked)) => Some(panicked.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

impl<M> Work<M> {
    fn is_to_begin(&self) -> bool {
        match self {
            Self::NotBegun => true,
            Self::Refused(period) => *period < ROOM.period(),
            _ => false,
        }
    }
}

impl<M: TableBuilder> Holder for Slot<M> {
    fn is_extra(&self) -> bool {
        M::is_extra(&self.class)
    }

    fn last_use(&self) -> u64 {
        self.last_use.load(Ordering::Relaxed)
    }

    fn idle(&self) -> Option<usize> {
        let work = self.work_at_rest()?;
        let table = self.table.read().unwrap_or_else(PoisonError::into_inner);
        match *work {
            Work::Building(_, bytes) | Work::Ready(bytes) if !is_held(&table) => Some(bytes),
            _ => None,
        }
    }

    fn evict(&self) -> Option<(usize, Box<dyn Any + Send>)> {
        let mut work = self.work_at_rest()?;
        // From here on nobody else can acquire the table.
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        if is_held(&table) {
            return None;
        }
        match std::mem::replace(&mut *work, Work::NotBegun) {
            Work::Building(making, taken) => Some((taken, Box::new(making))),
            Work::Ready(bytes) => {
                ROOM.remove_ready(bytes);
                Some((bytes, Box::new(table.take())))
            }
            other => {
                *work = other;
                None
            }
        }
    }
}

/// Returns whether searches hold a table.
fn is_held<T>(table: &Option<Arc<T>>) -> bool {
    table
        .as_ref()
        .is_some_and(|table| Arc::strong_count(table) > 1)
}
