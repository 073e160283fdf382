//! The pattern databases that guide searches, as far as they are ready.

use std::collections::HashMap;
use std::fmt;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::heuristic::SMALL_CELLS;
use crate::heuristic::pattern_database::{Additive, RowEntry};
use crate::puzzle::{Home, Problem};
use crate::search::Solver;
use crate::search::ida_star::batch::{Guide, Large, Small};
use crate::search::ida_star::both_ways::{self, Probe, Rival};

/// A guide for boards of any size that has one.
#[derive(Clone)]
pub enum AnyGuide {
    /// For boards of at most 16 cells.
    Small(Guide<Small>),
    /// The same, and another for boards that are hard with the first.
    Two(Guide<Small>, Guide<Small>),
    /// For larger boards.
    Large(Guide<Large>),
}

/// The guides of a process, by the home of the problems they serve. They come and go while searches run; a
/// search keeps the ones that it began with.
#[derive(Default)]
pub struct Guides {
    guides: RwLock<HashMap<Home, (Strength, AnyGuide)>>,
}

/// How much a guide knows, for comparison with others for the same problems: the states of its tables,
/// counted once for each sum that uses them. A guide that was removed and came back is as strong as before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Strength(u64);

impl Strength {
    /// There is no guide. Less than the strength of any guide.
    pub const NONE: Self = Self(0);

    fn of<E: RowEntry>(additive: &Additive<E>) -> Self {
        let summands = additive.sums().iter().flatten();
        Self(summands.map(|summand| summand.database().states()).sum())
    }
}

impl Guides {
    /// Whether there is a guide for these problems.
    #[must_use]
    pub fn is_ready(&self, home: Home) -> bool {
        self.strength(home) > Strength::NONE
    }

    /// The strength of the guide for these problems.
    #[must_use]
    pub fn strength(&self, home: Home) -> Strength {
        let guides = self.read();
        guides.get(&home).map_or(Strength::NONE, |guide| guide.0)
    }

    /// Inserts a guide in place of any previous one for the same problems, which it returns: its tables can take
    /// milliseconds to drop.
    pub fn insert(&self, guide: AnyGuide) -> Option<AnyGuide> {
        let (home, strength) = match &guide {
            AnyGuide::Small(guide) => guide_for(guide.additive()),
            AnyGuide::Two(guide, other) => {
                let (home, Strength(first)) = guide_for(guide.additive());
                let Strength(second) = Strength::of(other.additive());
                (home, Strength(first + second))
            }
            AnyGuide::Large(guide) => guide_for(guide.additive()),
        };
        let replaced = self.write().insert(home, (strength, guide));
        replaced.map(|(_, guide)| guide)
    }

    /// Removes the guide for these problems. Whoever holds it keeps it.
    pub fn remove(&self, home: Home) -> Option<AnyGuide> {
        let removed = self.write().remove(&home);
        removed.map(|(_, guide)| guide)
    }

    /// IDA* for a problem, from its start or from its goal, whichever has guides and promises less work;
    /// `None` when neither has one.
    #[must_use]
    pub fn solver(&self, problem: &Problem) -> Option<Solver> {
        let probe = if problem.shape().cells() <= SMALL_CELLS {
            Probe::SMALL
        } else {
            Probe::LARGE
        };
        let guide = |problem: &Problem| Some(self.read().get(&Home::of(problem))?.1.clone());
        let begin = |problem: &Problem| match guide(problem)? {
            AnyGuide::Small(guide) | AnyGuide::Two(guide, _) => guide.solver(problem),
            AnyGuide::Large(guide) => guide.solver(problem),
        };
        let rival = match guide(problem) {
            Some(AnyGuide::Two(_, other)) => Some(other),
            _ => None,
        };
        let rival = rival.map(|other| -> Rival { Box::new(move |problem| other.solver(problem)) });
        both_ways::solver(problem, probe, begin, rival)
    }

    fn read(&self) -> RwLockReadGuard<'_, HashMap<Home, (Strength, AnyGuide)>> {
        self.guides.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, HashMap<Home, (Strength, AnyGuide)>> {
        self.guides.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The home of the problems that a guide's bounds are for, and its strength.
fn guide_for<E: RowEntry>(additive: &Additive<E>) -> (Home, Strength) {
    let home = Home::new(additive.shape(), additive.home());
    (home, Strength::of(additive))
}

impl fmt::Debug for Guides {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.read().keys()).finish()
    }
}
