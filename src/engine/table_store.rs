//! The tables of exact distances: the small ones at once, the others when they are first wanted.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crate::puzzle::{Metric, Problem};
use crate::search::distance_table::Class;
use crate::search::tables::Tables;
use crate::telemetry;

/// Tables of up to this many cells take milliseconds in all, and the constructive solver ends
/// every board with one.
const AT_ONCE_CELLS: usize = 9;

/// Knows which tables are ready, and has the others built in the background.
#[derive(Debug)]
pub struct TableStore {
    tables: Arc<Tables>,
    wanted: Mutex<HashSet<Class>>,
}

impl TableStore {
    /// Builds the small tables.
    #[must_use]
    pub fn new() -> Self {
        let store = Self {
            tables: Arc::new(Tables::new()),
            wanted: Mutex::default(),
        };
        for class in Class::all() {
            if class.shape().cells() <= AT_ONCE_CELLS {
                store.tables.build(class);
            }
        }
        report(&store.tables);
        store
    }

    /// The tables.
    #[must_use]
    pub const fn tables(&self) -> &Arc<Tables> {
        &self.tables
    }

    /// How many tables are ready.
    #[must_use]
    pub fn count(&self) -> usize {
        count(&self.tables)
    }

    /// Whether the problem's table is ready. If there is one and it is not, it will be built: the
    /// next one who asks is luckier.
    pub fn ready(&self, problem: &Problem, metric: Metric) -> bool {
        let Some(class) = Class::of(problem) else {
            return false;
        };
        let class = class.counted_in(metric);
        if self.tables.ready(class).is_some() {
            return true;
        }
        let mut wanted = self.wanted.lock().unwrap_or_else(PoisonError::into_inner);
        if wanted.insert(class) {
            let tables = Arc::clone(&self.tables);
            let built = thread::Builder::new()
                .name("loyd-tables".into())
                .spawn(move || {
                    if catch_unwind(AssertUnwindSafe(|| tables.build(class))).is_err() {
                        telemetry::panic("table");
                    }
                    report(&tables);
                });
            if built.is_err() {
                // No thread to be had now: let another request try.
                wanted.remove(&class);
            }
        }
        false
    }
}

fn count(tables: &Tables) -> usize {
    let classes = Class::all().into_iter();
    classes
        .flat_map(|class| Metric::ALL.map(|metric| class.counted_in(metric)))
        .filter(|&class| tables.ready(class).is_some())
        .count()
}

fn report(tables: &Tables) {
    telemetry::tables(count(tables), tables.bytes() as u64);
}
