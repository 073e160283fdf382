//! The thread that builds tables: what comes next, what makes room for it, and the build itself.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread;
use std::time::{Duration, Instant};

use super::{Evictable, Kept, Shared, Wanted};
use crate::allocator;
use crate::engine::guide_builder::{Choice, GuideBuilder};
use crate::heuristic::pattern_database::{NotBuilt, Watch};
use crate::puzzle::Home;
use crate::search::distance_table::Class;
use crate::search::tables::guides::AnyGuide;
use crate::telemetry;

/// How often to check how far a build has come, and whether it is still wanted.
const LOOK: Duration = Duration::from_millis(10);

/// The nice increment of the threads that build tables, higher than that of workers: a request has
/// a deadline now, and the table is for later ones.
const NICENESS: i32 = 5;

/// Tables that make no room for others.
#[derive(Debug, Default)]
struct InUse {
    /// The bytes of those of exact distances.
    distances: usize,
    guides: Vec<Choice>,
}

impl InUse {
    /// The bytes of all of them, plus one more guide.
    fn bytes(&self, guides: &mut GuideBuilder, one_more: Option<&Choice>) -> usize {
        self.distances + guides.bytes_with(self.guides.iter().chain(one_more))
    }
}

impl Shared {
    /// Builds what is wanted until nothing is left or the store is closed.
    pub(super) fn make_all(&self) {
        // Threads started by a build inherit this. If the system refuses, the priority stays as it was.
        let _ = rustix::process::nice(NICENESS);
        while let Some(wanted) = self.next() {
            let made = catch_unwind(AssertUnwindSafe(|| self.make(wanted)));
            let mut state = self.state();
            state.wanted.pop_front();
            if made.is_err() {
                telemetry::panic("table");
                telemetry::table_building(None);
                state.given_up.insert(wanted);
            }
        }
    }

    /// What to build next. If there is nothing, marks the thread as gone.
    fn next(&self) -> Option<Wanted> {
        let mut state = self.state();
        let wanted = state.wanted.front().copied();
        let next = wanted.filter(|_| !self.is_closed());
        state.is_building = next.is_some();
        next
    }

    pub(super) fn make(&self, wanted: Wanted) {
        telemetry::table_building(Some(0.0));
        self.state().crowded_out.remove(&wanted);
        match wanted {
            Wanted::Distances(class) => self.make_distances(class),
            Wanted::FirstGuide(home) | Wanted::BestGuide(home) | Wanted::SpareGuide(home) => {
                self.make_guide(wanted, home);
            }
        }
        // What building it took would stay with the allocator.
        allocator::trim();
        telemetry::table_building(None);
        self.report();
    }

    fn make_distances(&self, class: Class) {
        let bytes = class.table_bytes();
        if self.in_use(None).bytes(&mut self.guides(), None) + bytes > self.most_bytes {
            return self.crowd_out(Wanted::Distances(class));
        }
        self.make_room(bytes, None);
        let boards = class.boards() as f64;
        let go_on = |reached: u64| {
            telemetry::table_building(Some(reached as f64 / boards));
            !self.is_closed()
        };
        if let Some(table) = (self.build)(class, &go_on) {
            // Locked first, so that whoever sees the table finds it among those that are kept.
            let mut state = self.state();
            self.tables.insert(table);
            state.add(Evictable::Distances(class));
        }
    }

    /// Remembers that something has no room beside the tables in use.
    fn crowd_out(&self, wanted: Wanted) {
        self.state().crowded_out.insert(wanted, Instant::now());
    }

    fn make_guide(&self, wanted: Wanted, home: Home) {
        loop {
            let best = self.choose(wanted, home, &InUse::default());
            let choice = self.choose(wanted, home, &self.in_use(Some(home)));
            let grade = |choice: &Option<(usize, Choice)>| choice.as_ref().map(|(grade, _)| *grade);
            if grade(&choice) < grade(&best) {
                self.crowd_out(wanted);
            }
            let Some((grade, choice)) = choice else {
                let mut state = self.state();
                let is_first = matches!(wanted, Wanted::FirstGuide(_));
                if is_first && best.is_none() && !state.grades.contains_key(&home) {
                    // There is not enough memory even for the smallest one, and there never will be.
                    state.given_up.insert(wanted);
                }
                return;
            };
            self.make_room(0, Some((home, &choice)));
            match self.build_guide(&choice) {
                Ok(guide) => return self.hold_guide(wanted, home, grade, choice, guide),
                // A file that seemed whole was damaged. It is not chosen again, and a lesser one may be whole.
                Err(NotBuilt::TooLarge) => {}
                Err(NotBuilt::Cancelled) => return,
            }
        }
    }

    /// Builds a guide, reports how far it has come, and gives it up when the store is closed.
    fn build_guide(&self, choice: &Choice) -> Result<AnyGuide, NotBuilt> {
        let watch = Watch::default();
        thread::scope(|scope| {
            let build = || self.guides().build(choice, self.threads.get(), &watch);
            let Ok(building) = thread::Builder::new().spawn_scoped(scope, build) else {
                // No more threads can be started: build here, without reporting progress.
                return build();
            };
            while !building.is_finished() {
                telemetry::table_building(Some(watch.fraction()));
                if self.is_closed() {
                    watch.cancel();
                }
                thread::sleep(LOOK);
            }
            building.join().unwrap_or_else(|panic| resume_unwind(panic))
        })
    }

    /// Puts a guide where searches find it.
    fn hold_guide(
        &self,
        wanted: Wanted,
        home: Home,
        grade: usize,
        choice: Choice,
        guide: AnyGuide,
    ) {
        let mut state = self.state();
        let replaced = self.tables.guides().insert(guide);
        let name = choice.name.clone();
        let before = state.grades.insert(home, (grade, choice));
        let is_spare = matches!(wanted, Wanted::SpareGuide(_));
        if is_spare {
            state.spares.insert(home);
        } else {
            state.spares.remove(&home);
        }
        if !state.touch(Evictable::Guide(home)) {
            if is_spare {
                // Nobody has asked for it, so it is the first to go.
                let what = Evictable::Guide(home);
                state.kept.push_front(Kept { what, used: None });
            } else {
                state.add(Evictable::Guide(home));
            }
        }
        // Free its tables when nobody waits for the lock.
        drop(state);
        drop(replaced);
        if let Some((_, choice)) = before {
            telemetry::guide(&home.to_string(), &choice.name, false);
        }
        telemetry::guide(&home.to_string(), &name, true);
    }

    /// The best guide that may be built beside the tables in use, if it is better than the one that is there.
    fn choose(&self, wanted: Wanted, home: Home, in_use: &InUse) -> Option<(usize, Choice)> {
        let held = self.bytes();
        let there = self.state().grades.get(&home).map(|(grade, _)| *grade);
        let mut guides = self.guides();
        let mut fits = |choice: &Choice| {
            let bytes = match wanted {
                Wanted::SpareGuide(_) => held.saturating_add(guides.bytes_of(choice).1),
                _ => in_use.bytes(&mut guides, Some(choice)),
            };
            bytes <= self.most_bytes && guides.can_build(choice)
        };
        let mut choices = GuideBuilder::choices(home);
        if matches!(wanted, Wanted::FirstGuide(_)) {
            choices.truncate(1);
        }
        let choices = choices.into_iter().enumerate().rev();
        choices
            .filter(|(grade, _)| there.is_none_or(|there| there < *grade))
            .find(|(_, choice)| fits(choice))
    }

    /// Evicts the least recently used tables until there is room for `bytes` and for the guide of a home,
    /// or until only that guide is left. Evicted tables that searches still hold are not waited for.
    fn make_room(&self, bytes: usize, guide: Option<(Home, &Choice)>) {
        while self.kept_bytes(guide).saturating_add(bytes) > self.most_bytes {
            let mut state = self.state();
            let is_other =
                |kept: &Kept| guide.is_none_or(|(home, _)| kept.what != Evictable::Guide(home));
            let Some(oldest) = state.kept.iter().position(is_other) else {
                return;
            };
            match state.kept.remove(oldest).map(|kept| kept.what) {
                Some(Evictable::Distances(class)) => {
                    let gone = self.tables.remove(class);
                    // Free it when nobody waits for the lock.
                    drop(state);
                    drop(gone);
                }
                Some(Evictable::Guide(home)) => {
                    let guide = self.tables.guides().remove(home);
                    let gone = state.grades.remove(&home);
                    drop(state);
                    drop(guide);
                    if let Some((_, choice)) = gone {
                        telemetry::guide(&home.to_string(), &choice.name, false);
                    }
                }
                None => return,
            }
            telemetry::table_evicted();
        }
    }

    /// The tables that somebody has asked for of late, without the guide of a home.
    fn in_use(&self, but: Option<Home>) -> InUse {
        let state = self.state();
        let mut in_use = InUse::default();
        for kept in &state.kept {
            if kept.used.is_none_or(|used| used.elapsed() >= self.idle) {
                continue;
            }
            match kept.what {
                Evictable::Distances(class) => in_use.distances += class.table_bytes(),
                Evictable::Guide(home) if Some(home) == but => {}
                Evictable::Guide(home) => {
                    let choice = state.grades.get(&home).map(|(_, choice)| choice.clone());
                    in_use.guides.extend(choice);
                }
            }
        }
        in_use
    }

    /// The bytes of the tables that are kept, plus one more guide, not counting the tables built at
    /// startup.
    fn kept_bytes(&self, one_more: Option<(Home, &Choice)>) -> usize {
        let grades = self.state().grades.clone();
        let choices = grades.values().map(|(_, choice)| choice);
        let choices = choices.chain(one_more.map(|(_, choice)| choice));
        self.distance_bytes() + self.guides().bytes_with(choices)
    }

    /// The bytes of the tables that were not built at startup, including evicted pattern databases
    /// that searches still hold.
    pub(super) fn bytes(&self) -> usize {
        self.distance_bytes() + self.guides().bytes()
    }

    fn distance_bytes(&self) -> usize {
        let bytes = |kept: &Kept| match kept.what {
            Evictable::Distances(class) => class.table_bytes(),
            Evictable::Guide(_) => 0,
        };
        self.state().kept.iter().map(bytes).sum()
    }

    pub(super) fn report(&self) {
        let crowded_out = self.state().crowded_out.len();
        telemetry::tables(self.tables.count(), self.tables.bytes() as u64, crowded_out);
    }
}
