//! The tables of a process: distance tables, each built when it is first requested, and the guides that
//! others put in.

pub mod guides;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::puzzle::Metric;

use super::distance_table::{Class, DistanceTable};

use guides::Guides;

/// The distance tables of all classes, and pattern databases, shared between threads.
///
/// ```
/// use loyd::search::distance_table::Class;
/// use loyd::search::tables::Tables;
///
/// let tables = Tables::new();
/// let smallest = Class::all()[0];
/// assert!(tables.ready(smallest).is_none());
/// tables.build(smallest);
/// assert!(tables.ready(smallest).is_some());
/// assert_eq!(tables.bytes(), 32);
/// ```
#[derive(Debug)]
pub struct Tables {
    slots: Vec<Slot>,
    guides: Guides,
}

#[derive(Debug)]
struct Slot {
    class: Class,
    /// Locked only to look up a table or to put one in.
    table: Mutex<Option<Arc<DistanceTable>>>,
    /// Locked by the thread that builds the table.
    turn: Mutex<()>,
}

impl Tables {
    /// Tables of which none is built yet.
    #[must_use]
    pub fn new() -> Self {
        let classes = Metric::ALL.into_iter().flat_map(|metric| {
            Class::all()
                .into_iter()
                .filter_map(move |class| class.counted_in(metric))
        });
        let slot = |class| Slot {
            class,
            table: Mutex::default(),
            turn: Mutex::default(),
        };
        Self {
            slots: classes.map(slot).collect(),
            guides: Guides::default(),
        }
    }

    /// The pattern databases.
    #[must_use]
    pub const fn guides(&self) -> &Guides {
        &self.guides
    }

    /// The table of a class if it is ready. Never waits for one that is being built.
    #[must_use]
    pub fn ready(&self, class: Class) -> Option<Arc<DistanceTable>> {
        self.slot(class).table().clone()
    }

    /// The table of a class, built now if it is not ready: in about a millisecond up to 3×3, in a second on
    /// 12 cells. A thread that comes while another builds it waits for that one.
    pub fn build(&self, class: Class) -> Arc<DistanceTable> {
        let slot = self.slot(class);
        if let Some(table) = self.ready(class) {
            return table;
        }
        let _turn = slot.turn.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(table) = self.ready(class) {
            return table;
        }
        self.insert(DistanceTable::new(class))
    }

    /// Inserts a table that was built elsewhere.
    pub fn insert(&self, table: DistanceTable) -> Arc<DistanceTable> {
        let table = Arc::new(table);
        *self.slot(table.class()).table() = Some(Arc::clone(&table));
        table
    }

    /// Removes the table of a class. Whoever holds it keeps it.
    pub fn remove(&self, class: Class) -> Option<Arc<DistanceTable>> {
        self.slot(class).table().take()
    }

    /// The number of distance tables that are ready.
    #[must_use]
    pub fn count(&self) -> usize {
        self.there().count()
    }

    /// The bytes of the distance tables that are ready.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.there().map(|table| table.bytes()).sum()
    }

    fn there(&self) -> impl Iterator<Item = Arc<DistanceTable>> + '_ {
        self.slots.iter().filter_map(|slot| slot.table().clone())
    }

    fn slot(&self, class: Class) -> &Slot {
        self.slots
            .iter()
            .find(|slot| slot.class == class)
            .expect("every class has its slot")
    }
}

impl Slot {
    fn table(&self) -> MutexGuard<'_, Option<Arc<DistanceTable>>> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Tables {
    fn default() -> Self {
        Self::new()
    }
}
