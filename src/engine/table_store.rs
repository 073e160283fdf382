//! The tables of a process: small ones at startup, the others when they are wanted, as many as fit
//! in memory.

mod making;

use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::puzzle::{Home, Metric, Problem, Shape};
use crate::search::distance_table::{Class, DistanceTable, Sweep};
use crate::search::plan::Ready;
use crate::search::tables::Tables;

use super::guide_builder::{Choice, GuideBuilder};

/// Tables of up to this many cells are built at startup. They take milliseconds in all, and the
/// constructive solver finishes every board with one.
const AT_ONCE_CELLS: usize = 9;

/// The least time that a table goes unused before it makes room for others.
pub const IDLE: Duration = Duration::from_secs(60);

/// Knows which tables are ready, and has the others built in the background, one after the other.
///
/// Tables that nobody has asked for of late make room for new ones, the least recently used first; a search that
/// uses a table keeps it until it ends. Dropping the store abandons the build in progress and waits for nothing.
#[derive(Debug)]
pub struct TableStore {
    shared: Arc<Shared>,
}

/// Builds the table of a class. It calls its second argument now and then with the number of boards
/// reached so far, and returns `None` once that returns false.
pub type Build = dyn Fn(Class, &dyn Fn(u64) -> bool) -> Option<DistanceTable> + Send + Sync;

/// What is to be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Wanted {
    /// The exact distances of a class.
    Distances(Class),
    /// The smallest guide, if there is none yet. It takes a fraction of a second.
    FirstGuide(Home),
    /// The best guide that fits in memory.
    BestGuide(Home),
    /// The best guide that fits without evicting anything.
    SpareGuide(Home),
}

/// What can be evicted to make room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Evictable {
    Distances(Class),
    Guide(Home),
}

/// A table or a guide that is ready.
#[derive(Clone, Copy, Debug)]
struct Kept {
    what: Evictable,
    /// When somebody last asked for it, if anybody has.
    used: Option<Instant>,
}

struct Shared {
    tables: Arc<Tables>,
    /// The most bytes of tables other than those built at startup.
    most_bytes: usize,
    /// How long after it was last asked for a table may make room for others. Without that, tables that do not
    /// all fit would take turns, and nothing would be done but building them.
    idle: Duration,
    /// The most bytes that building a table of exact distances may take beside the table.
    build_bytes: usize,
    threads: NonZeroUsize,
    build: Box<Build>,
    closed: AtomicBool,
    state: Mutex<State>,
    /// Only for the thread that builds.
    guides: Mutex<GuideBuilder>,
}

#[derive(Debug, Default)]
struct State {
    /// Whether there is a thread that builds.
    is_building: bool,
    /// What is to be built; the first one is being built.
    wanted: VecDeque<Wanted>,
    /// What is ready, least recently used first.
    kept: VecDeque<Kept>,
    /// The guide of each home that has one: its place among the choices for that home, and the choice.
    grades: HashMap<Home, (usize, Choice)>,
    /// The homes whose guide, if it is still there, was made in what was left, and that nobody has asked for since.
    spares: HashSet<Home>,
    /// What cannot be made: there is no memory for it, or its build panicked.
    given_up: HashSet<Wanted>,
    /// What had no room beside the tables in use, and when that was.
    crowded_out: HashMap<Wanted, Instant>,
}

impl TableStore {
    /// Builds the small tables. All others together take at most `most_bytes`. Each build uses `threads`
    /// threads. While one of exact distances runs, it takes the table's size once more; tables for which that
    /// is more than `build_bytes` are not built. A table that has been asked for within `idle` makes no room for
    /// another, which is tried again after as long.
    #[must_use]
    pub fn new(
        most_bytes: u64,
        build_bytes: u64,
        idle: Duration,
        threads: NonZeroUsize,
        guides: GuideBuilder,
    ) -> Self {
        let build = move |class: Class, go_on: &dyn Fn(u64) -> bool| {
            if class.metric() == Metric::MultiTile {
                // Of ten cells at most, it takes some tens of milliseconds.
                return Some(DistanceTable::new(class));
            }
            let mut sweep = Sweep::new(class);
            while go_on(sweep.reached()) {
                sweep = match sweep.advance(threads) {
                    ControlFlow::Continue(sweep) => sweep,
                    ControlFlow::Break(table) => return Some(table),
                };
            }
            None
        };
        let build = Box::new(build);
        Self::built_by(most_bytes, build_bytes, idle, threads, guides, build)
    }

    /// Like [`Self::new`], with another way to build the exact distances wanted later.
    #[must_use]
    pub fn built_by(
        most_bytes: u64,
        build_bytes: u64,
        idle: Duration,
        threads: NonZeroUsize,
        guides: GuideBuilder,
        build: Box<Build>,
    ) -> Self {
        let tables = Arc::new(Tables::new());
        for class in Class::all() {
            if class.shape().cells() <= AT_ONCE_CELLS {
                tables.build(class);
            }
        }
        let shared = Shared {
            tables,
            most_bytes: usize::try_from(most_bytes).unwrap_or(usize::MAX),
            build_bytes: usize::try_from(build_bytes).unwrap_or(usize::MAX),
            idle,
            threads,
            build,
            closed: AtomicBool::new(false),
            state: Mutex::default(),
            guides: Mutex::new(guides),
        };
        shared.report();
        Self {
            shared: Arc::new(shared),
        }
    }

    /// Builds the smallest guide for a home now, and has the best one built in the background.
    pub fn prepare(&self, shape: Shape, home: usize) {
        let home = Home::new(shape, home);
        self.shared.make(Wanted::FirstGuide(home));
        self.want_guides(home);
    }

    /// The tables.
    #[must_use]
    pub fn tables(&self) -> &Arc<Tables> {
        &self.shared.tables
    }

    /// Which of the problem's tables are ready. Those that are not will be built, for the benefit
    /// of later requests.
    pub fn ready(&self, problem: &Problem, metric: Metric) -> Ready {
        let home = Home::of(problem);
        let has_guide = metric == Metric::SingleTile && GuideBuilder::supports(home);
        Ready {
            guide: has_guide && self.has_guide(home),
            ..self.ready_without_guide(problem, metric)
        }
    }

    /// Like [`Self::ready`], for a question that pattern databases cannot help with.
    pub fn ready_without_guide(&self, problem: &Problem, metric: Metric) -> Ready {
        let class = Class::of(problem).and_then(|class| class.counted_in(metric));
        Ready {
            distances: class.is_some_and(|class| self.has_distances(class)),
            guide: false,
        }
    }

    fn has_distances(&self, class: Class) -> bool {
        let mut state = self.shared.state();
        if self.shared.tables.ready(class).is_some() {
            state.touch(Evictable::Distances(class));
            return true;
        }
        let bytes = class.table_bytes();
        if bytes <= self.shared.most_bytes.min(self.shared.build_bytes) {
            self.want(&mut state, Wanted::Distances(class));
        }
        false
    }

    fn has_guide(&self, home: Home) -> bool {
        let mut state = self.shared.state();
        state.touch(Evictable::Guide(home));
        if self.shared.tables.guides().is_ready(home) {
            let best = Wanted::BestGuide(home);
            // Made for searches from the other end or in what others left, it may be less than the best.
            if state.spares.remove(&home) || state.crowded_out.contains_key(&best) {
                self.want(&mut state, best);
            }
            return true;
        }
        drop(state);
        self.want_guides(home);
        false
    }

    /// Requests the guide for a home, and those for the other homes of the same shape so that
    /// searches can start from either end.
    fn want_guides(&self, home: Home) {
        if !GuideBuilder::supports(home) {
            return;
        }
        let mut state = self.shared.state();
        let first = Wanted::FirstGuide(home);
        if state.given_up.contains(&first) || self.shared.is_crowded_out(&state, first) {
            return;
        }
        self.want(&mut state, first);
        self.want(&mut state, Wanted::BestGuide(home));
        for other in Home::all(home.shape()).filter(|&other| other != home) {
            self.want(&mut state, Wanted::SpareGuide(other));
        }
    }

    fn want(&self, state: &mut State, wanted: Wanted) {
        let is_in_vain =
            state.given_up.contains(&wanted) || self.shared.is_crowded_out(state, wanted);
        if self.shared.is_closed() || is_in_vain {
            return;
        }
        if !state.wanted.contains(&wanted) {
            state.wanted.push_back(wanted);
        }
        if !state.is_building {
            let shared = Arc::clone(&self.shared);
            // If no thread can be started now, another request will try again.
            state.is_building = thread::Builder::new()
                .name("loyd-tables".into())
                .spawn(move || shared.make_all())
                .is_ok();
        }
    }

    /// Requests the best tables for a shape and home, as far as there is room.
    pub fn want_all(&self, shape: Shape, home: usize) {
        if let Some(class) = Class::new(shape, home) {
            self.has_distances(class);
        }
        self.want_guides(Home::new(shape, home));
    }

    /// Whether nothing is being built or waiting to be.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        !self.shared.state().is_building
    }

    /// The bytes of the tables that were not built at startup.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.shared.bytes()
    }

    /// Abandons the build in progress, and starts no other.
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
    fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether something has only just had no room.
    fn is_crowded_out(&self, state: &State, wanted: Wanted) -> bool {
        let since = state.crowded_out.get(&wanted);
        since.is_some_and(|since| since.elapsed() < self.idle)
    }

    fn guides(&self) -> MutexGuard<'_, GuideBuilder> {
        self.guides.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Marks a table as just used. Returns false if it is not there.
    fn touch(&mut self, what: Evictable) -> bool {
        let place = self.kept.iter().position(|kept| kept.what == what);
        let is_there = place.and_then(|place| self.kept.remove(place)).is_some();
        if is_there {
            self.add(what);
        }
        is_there
    }

    /// Adds a table that is in use.
    fn add(&mut self, what: Evictable) {
        let used = Some(Instant::now());
        self.kept.push_back(Kept { what, used });
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared")
            .field("tables", &self.tables)
            .field("most_bytes", &self.most_bytes)
            .field("build_bytes", &self.build_bytes)
            .field("closed", &self.closed)
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}
