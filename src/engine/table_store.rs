//! The tables of exact distances: the small ones at once, the others when they are wanted, as
//! many as there is memory for.

use std::collections::{HashSet, VecDeque};
use std::fmt;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::puzzle::{Metric, Problem};
use crate::search::distance_table::{Class, DistanceTable, Sweep};
use crate::search::tables::Tables;
use crate::telemetry;

/// Tables of up to this many cells take milliseconds in all, and the constructive solver ends
/// every board with one.
const AT_ONCE_CELLS: usize = 9;

/// Knows which tables are ready, and has the others built in the background, one after the other.
///
/// Those that were used least recently make room for new ones; whoever walks one keeps it until
/// the end of the walk. Dropped, it gives up the build under way and waits for nothing.
#[derive(Debug)]
pub struct TableStore {
    shared: Arc<Shared>,
}

/// Builds the table of a class; none when it is told to go on no longer. It tells now and then
/// how many boards it has reached.
pub type Build = dyn Fn(Class, &dyn Fn(u64) -> bool) -> Option<DistanceTable> + Send + Sync;

struct Shared {
    tables: Arc<Tables>,
    /// The most bytes of tables that are not built at once.
    most_bytes: usize,
    build: Box<Build>,
    closed: AtomicBool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Whether there is a thread that builds.
    is_building: bool,
    /// To be built, the first one being built.
    wanted: VecDeque<Class>,
    /// Ready, or about to be; the least recently used first.
    used: VecDeque<Class>,
    /// Those whose build panicked: it would again.
    given_up: HashSet<Class>,
}

impl TableStore {
    /// Builds the small tables. All others together take `most_bytes` at the most; while one is
    /// built, on so many threads, it takes its own bytes once more.
    #[must_use]
    pub fn new(most_bytes: u64, threads: NonZeroUsize) -> Self {
        let build = move |class, go_on: &dyn Fn(u64) -> bool| {
            let mut sweep = Sweep::new(class);
            while go_on(sweep.reached()) {
                sweep = match sweep.advance(threads) {
                    ControlFlow::Continue(sweep) => sweep,
                    ControlFlow::Break(table) => return Some(table),
                };
            }
            None
        };
        Self::built_by(most_bytes, Box::new(build))
    }

    /// The same, with another way to build those that are wanted later.
    #[must_use]
    pub fn built_by(most_bytes: u64, build: Box<Build>) -> Self {
        let tables = Arc::new(Tables::new());
        for class in Class::all() {
            if class.shape().cells() <= AT_ONCE_CELLS {
                tables.build(class);
            }
        }
        report(&tables);
        Self {
            shared: Arc::new(Shared {
                tables,
                most_bytes: usize::try_from(most_bytes).unwrap_or(usize::MAX),
                build,
                closed: AtomicBool::new(false),
                state: Mutex::default(),
            }),
        }
    }

    /// The tables.
    #[must_use]
    pub fn tables(&self) -> &Arc<Tables> {
        &self.shared.tables
    }

    /// Whether the problem's table is ready. If there is one and it is not, it will be built: the
    /// next one who asks is luckier.
    pub fn ready(&self, problem: &Problem, metric: Metric) -> bool {
        let class = Class::of(problem).and_then(|class| class.counted_in(metric));
        let Some(class) = class else {
            return false;
        };
        let mut state = self.shared.state();
        if self.shared.tables.ready(class).is_some() {
            state.touch(class);
            return true;
        }
        if class.table_bytes() <= self.shared.most_bytes && !state.given_up.contains(&class) {
            state.want(class);
            if !state.is_building {
                let shared = Arc::clone(&self.shared);
                // If there is no thread to be had now, another request will try.
                state.is_building = thread::Builder::new()
                    .name("loyd-tables".into())
                    .spawn(move || shared.build_all())
                    .is_ok();
            }
        }
        false
    }

    /// Gives up the build under way, and begins no other one.
    pub fn close(&self) {
        self.shared.closed.store(true, Ordering::Relaxed);
    }
}

impl Drop for TableStore {
    fn drop(&mut self) {
        self.close();
    }
}

impl Shared {
    /// Builds what is wanted until there is nothing left, or the store is closed.
    fn build_all(&self) {
        while let Some(class) = self.next() {
            telemetry::table_building(Some(0.0));
            let boards = class.boards() as f64;
            let go_on = |reached: u64| {
                telemetry::table_building(Some(reached as f64 / boards));
                !self.closed.load(Ordering::Relaxed)
            };
            let built = catch_unwind(AssertUnwindSafe(|| (self.build)(class, &go_on)));
            let mut state = self.state();
            state.wanted.pop_front();
            match built {
                Ok(Some(table)) => {
                    self.tables.insert(table);
                }
                Ok(None) => state.used.retain(|&other| other != class),
                Err(_) => {
                    telemetry::panic("table");
                    state.used.retain(|&other| other != class);
                    state.given_up.insert(class);
                }
            }
            report(&self.tables);
            telemetry::table_building(None);
        }
    }

    /// The class to build next, for whose table there is room now; if there is none, nobody
    /// builds any longer.
    fn next(&self) -> Option<Class> {
        let mut state = self.state();
        let wanted = state.wanted.front().copied();
        let next = wanted.filter(|_| !self.closed.load(Ordering::Relaxed));
        match next {
            Some(class) => {
                for class in state.admit(class, self.most_bytes) {
                    self.tables.remove(class);
                    telemetry::table_evicted();
                }
            }
            None => state.is_building = false,
        }
        next
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn want(&mut self, class: Class) {
        if !self.wanted.contains(&class) {
            self.wanted.push_back(class);
        }
    }

    fn touch(&mut self, class: Class) {
        if let Some(place) = self.used.iter().position(|&other| other == class) {
            self.used.remove(place);
            self.used.push_back(class);
        }
    }

    /// Makes room for the table of a class; the classes whose tables must go for it.
    fn admit(&mut self, class: Class, most_bytes: usize) -> Vec<Class> {
        self.used.push_back(class);
        let bytes: usize = self.used.iter().map(|class| class.table_bytes()).sum();
        let mut over = bytes.saturating_sub(most_bytes);
        let mut evicted = Vec::new();
        while over > 0
            && let Some(oldest) = self.used.pop_front()
        {
            over = over.saturating_sub(oldest.table_bytes());
            evicted.push(oldest);
        }
        evicted
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared")
            .field("tables", &self.tables)
            .field("most_bytes", &self.most_bytes)
            .field("closed", &self.closed)
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

fn report(tables: &Tables) {
    telemetry::tables(tables.count(), tables.bytes() as u64);
}
