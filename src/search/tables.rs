//! The distance tables of a process, each built once, when it is first asked for.

use std::sync::{Arc, OnceLock};

use crate::puzzle::Metric;

use super::distance_table::{Class, DistanceTable};

/// The distance tables of all classes, shared between threads.
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
/// assert_eq!(tables.bytes(), 12);
/// ```
#[derive(Debug)]
pub struct Tables {
    slots: Vec<(Class, OnceLock<Arc<DistanceTable>>)>,
}

impl Tables {
    /// No table built yet.
    #[must_use]
    pub fn new() -> Self {
        Self {
            slots: Metric::ALL
                .into_iter()
                .flat_map(|metric| {
                    Class::all()
                        .into_iter()
                        .map(move |class| class.counted_in(metric))
                })
                .map(|class| (class, OnceLock::new()))
                .collect(),
        }
    }

    /// The table of a class if it is there. Never waits, not even for one that is being built.
    #[must_use]
    pub fn ready(&self, class: Class) -> Option<Arc<DistanceTable>> {
        self.slot(class).get().cloned()
    }

    /// The table of a class, built now if it is not there: milliseconds up to 3×3, some tens of
    /// them for 2×5. A thread that comes while another builds it waits for that one.
    pub fn build(&self, class: Class) -> Arc<DistanceTable> {
        self.slot(class)
            .get_or_init(|| Arc::new(DistanceTable::new(class)))
            .clone()
    }

    /// The bytes that the tables built so far hold.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.slots
            .iter()
            .filter_map(|(_, slot)| slot.get())
            .map(|table| table.bytes())
            .sum()
    }

    fn slot(&self, class: Class) -> &OnceLock<Arc<DistanceTable>> {
        self.slots
            .iter()
            .find(|(of, _)| *of == class)
            .map(|(_, slot)| slot)
            .expect("every class has its slot")
    }
}

impl Default for Tables {
    fn default() -> Self {
        Self::new()
    }
}
