//! Sums of pattern distances, and the tables that they use.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Weak};

use crate::puzzle::{Problem, Shape, Symmetry, plain_tile};

use super::partition::Partition;
use super::pattern::Pattern;
use super::probe::{Descent, Placement, placements};
use super::rank::orders;
use super::region::{RowEntry, Rows};
use super::store::{Store, StoreError};
use super::{NotBuilt, PatternDatabase, Watch, build};

/// A table as a problem uses it: under a symmetry.
#[derive(Clone, Debug)]
pub struct Summand<E> {
    database: Arc<PatternDatabase<E>>,
    /// Maps the problem's board to the table's.
    symmetry: Symmetry,
}

impl<E: RowEntry> Summand<E> {
    /// Returns the table.
    #[must_use]
    pub fn database(&self) -> &Arc<PatternDatabase<E>> {
        &self.database
    }

    /// Returns the symmetry that maps the problem's board to the table's.
    #[must_use]
    pub const fn symmetry(&self) -> Symmetry {
        self.symmetry
    }

    /// Returns the problem's tiles of the pattern, in the order of their homes on the table's
    /// board.
    #[must_use]
    pub fn tiles(&self, home: usize) -> Vec<usize> {
        let back = self.symmetry.inverse();
        let pattern = self.database.pattern();
        let homes = pattern.cells().iter();
        homes
            .map(|cell| usize::from(plain_tile(home, back.cell(pattern.shape(), cell))))
            .collect()
    }

    /// Starts the descent from the placement of the pattern's tiles at the start of a problem.
    fn descent(&self, problem: &Problem) -> Descent<'_, E> {
        let shape = problem.shape();
        let cells = problem.start().cells_by_tile();
        let image = |tile: usize| self.symmetry.cell(shape, usize::from(cells[tile]));
        let tiles: Vec<usize> = self.tiles(problem.home()).into_iter().map(image).collect();
        self.database.descent(&tiles, image(0))
    }
}

/// Patterns whose distances may be added up.
pub type Sum<E> = Vec<Summand<E>>;

/// The maximum of several sums: a lower bound for the problems of one shape and home.
#[derive(Clone, Debug)]
pub struct Additive<E> {
    shape: Shape,
    home: usize,
    sums: Vec<Sum<E>>,
}

impl<E: RowEntry> Additive<E> {
    /// Returns the size of the board.
    #[must_use]
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// Returns the cell where the blank belongs.
    #[must_use]
    pub const fn home(&self) -> usize {
        self.home
    }

    /// Returns the sums.
    #[must_use]
    pub fn sums(&self) -> &[Sum<E>] {
        &self.sums
    }

    /// Returns the bound of a problem's start, in moves. It is consistent: one slide changes it by
    /// one.
    ///
    /// # Panics
    /// If the problem has another shape or home.
    #[must_use]
    pub fn lower_bound(&self, problem: &Problem) -> u32 {
        assert_eq!((problem.shape(), problem.home()), (self.shape, self.home));
        let mut placements = self.placements(problem).into_iter();
        let sum = |sum: &Sum<E>| {
            let summands = placements.by_ref().take(sum.len());
            summands.map(|placement| placement.distance).sum()
        };
        self.sums.iter().map(sum).max().unwrap_or(0)
    }

    /// Returns the placements of all patterns' tiles at the start of a problem, sum by sum.
    pub(crate) fn placements(&self, problem: &Problem) -> Vec<Placement> {
        let summands = self.sums.iter().flatten();
        placements(summands.map(|summand| summand.descent(problem)).collect())
    }
}

/// The tables that somebody uses, and their row numbers, which are shared between tables of equally many tiles
/// on a shape.
#[derive(Debug)]
pub struct Tables<E> {
    /// Each goes with the last sum that uses it.
    databases: HashMap<Pattern, Weak<PatternDatabase<E>>>,
    /// How many rows there are, by shape and number of tiles. Counting takes as long as numbering.
    row_counts: HashMap<(Shape, usize), usize>,
    store: Option<Store>,
    /// Patterns whose files are unusable. They count as not stored, and are reported once.
    refused: HashSet<Pattern>,
    /// The most bytes that building a table may take beside the table.
    build_bytes: usize,
    events: Vec<Event>,
}

impl<E: RowEntry> Default for Tables<E> {
    fn default() -> Self {
        Self::new()
    }
}

/// What happened when a table was loaded or saved.
#[derive(Debug)]
pub enum Event {
    /// The table was loaded from its file.
    Loaded(PathBuf),
    /// The table was built and saved to its file.
    Saved(PathBuf),
    /// The file is unusable: the table is built again, if it may be.
    Refused(StoreError),
    /// The table was built, but is only in this process's memory.
    NotSaved(StoreError),
}

impl<E: RowEntry> Tables<E> {
    /// Creates an empty collection.
    #[must_use]
    pub fn new() -> Self {
        Self {
            databases: HashMap::new(),
            row_counts: HashMap::new(),
            store: None,
            refused: HashSet::new(),
            build_bytes: usize::MAX,
            events: Vec::new(),
        }
    }

    /// Creates an empty collection that loads tables from a store and saves new ones there.
    #[must_use]
    pub fn stored_in(store: Store) -> Self {
        Self {
            store: Some(store),
            ..Self::new()
        }
    }

    /// Limits the bytes that building a table may take beside the table: somewhat more than the
    /// table's size.
    #[must_use]
    pub fn built_within(self, build_bytes: usize) -> Self {
        Self {
            build_bytes,
            ..self
        }
    }

    /// Returns the events since the last call.
    pub fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// Returns the bytes of the tables of some partitions with their row numbers, and of what is
    /// missing of them.
    pub fn bytes_of(&mut self, partitions: &[Partition]) -> (usize, usize) {
        let patterns = partitions.iter().flat_map(Partition::patterns);
        let tables: HashSet<Pattern> = patterns.map(|pattern| pattern.canonical().0).collect();
        let numbered: HashSet<_> = tables.iter().map(numbers).collect();
        let (mut all, mut missing) = (0, 0);
        for pattern in tables {
            let bytes = size_of::<u64>() * pattern.words(self.row_count(&pattern));
            all += bytes;
            if self.database(&pattern).is_none() {
                missing += bytes;
            }
        }
        let there = self.numbers();
        for (shape, tiles) in numbered {
            let bytes = Rows::<E>::bytes(shape, tiles);
            all += bytes;
            if !there.contains(&(shape, tiles)) {
                missing += bytes;
            }
        }
        (all, missing)
    }

    /// Returns whether each table of some partitions is in memory, or in a file, or may be built. A
    /// file of another release, or a truncated one, does not count.
    pub fn can_make(&mut self, partitions: &[Partition]) -> bool {
        let patterns = partitions.iter().flat_map(Partition::patterns);
        let tables: HashSet<Pattern> = patterns.map(|pattern| pattern.canonical().0).collect();
        tables.into_iter().all(|pattern| {
            self.database(&pattern).is_some() || self.may_build(&pattern) || self.is_stored(pattern)
        })
    }

    fn may_build(&mut self, pattern: &Pattern) -> bool {
        build::bytes(pattern, self.row_count(pattern)) <= self.build_bytes
    }

    /// Loads or builds the missing tables of some partitions of one shape and home, the largest
    /// first, with the given number of threads.
    ///
    /// # Errors
    /// If the watch was cancelled, or a table may not be built.
    ///
    /// # Panics
    /// If there are no partitions, or they are of several shapes or homes.
    pub fn additive(
        &mut self,
        partitions: &[Partition],
        threads: usize,
        watch: &Watch,
    ) -> Result<Additive<E>, NotBuilt> {
        let (shape, home) = (partitions[0].shape(), partitions[0].home());
        let is_one = |other: &Partition| (other.shape(), other.home()) == (shape, home);
        assert!(partitions.iter().all(is_one), "of one shape and home");
        let patterns = partitions.iter().flat_map(Partition::patterns);
        let mut used = HashMap::new();
        let mut missing = Vec::new();
        for pattern in patterns.map(|pattern| pattern.canonical().0) {
            match self.database(&pattern) {
                Some(database) => _ = used.insert(pattern, database),
                None => missing.push(pattern),
            }
        }
        missing.sort_unstable_by_key(|pattern| (usize::MAX - pattern.cells().len(), *pattern));
        missing.dedup();
        for pattern in &missing {
            let states = self.row_count(pattern) * orders(pattern.cells().len());
            watch.expect_states(states as u64);
        }
        for pattern in missing {
            if watch.is_cancelled() {
                return Err(NotBuilt::Cancelled);
            }
            let rows = self.rows(&pattern);
            let database = match self.load(pattern, &rows) {
                Some(database) => {
                    watch.skip_states(database.states());
                    database
                }
                None if !self.may_build(&pattern) => return Err(NotBuilt::TooLarge),
                None => {
                    let database = PatternDatabase::new(pattern, rows, threads, watch)?;
                    self.save(&database);
                    database
                }
            };
            let database = Arc::new(database);
            self.databases.retain(|_, there| there.strong_count() > 0);
            self.databases.insert(pattern, Arc::downgrade(&database));
            used.insert(pattern, database);
        }
        Ok(Additive {
            shape,
            home,
            sums: partitions.iter().map(|one| sum(one, &used)).collect(),
        })
    }

    fn load(&mut self, pattern: Pattern, rows: &Arc<Rows<E>>) -> Option<PatternDatabase<E>> {
        let store = self.usable_store(&pattern)?;
        match store.load(pattern, Arc::clone(rows)) {
            Ok(database) => {
                let path = store.path(&pattern);
                self.events.push(Event::Loaded(path));
                Some(database)
            }
            Err(error) => {
                self.refuse(pattern, error);
                None
            }
        }
    }

    /// Returns whether a table has a file, as far as can be told without reading all of it.
    fn is_stored(&mut self, pattern: Pattern) -> bool {
        let rows = self.row_count(&pattern);
        let looked = self
            .usable_store(&pattern)
            .map(|store| store.look(&pattern, rows));
        match looked {
            Some(Ok(())) => true,
            Some(Err(error)) => {
                self.refuse(pattern, error);
                false
            }
            None => false,
        }
    }

    /// Returns the store, unless its file for a table is known to be unusable.
    fn usable_store(&self, pattern: &Pattern) -> Option<&Store> {
        let store = self.store.as_ref();
        store.filter(|_| !self.refused.contains(pattern))
    }

    fn refuse(&mut self, pattern: Pattern, error: StoreError) {
        if !matches!(error, StoreError::Missing(_)) {
            self.refused.insert(pattern);
            self.events.push(Event::Refused(error));
        }
    }

    fn save(&mut self, database: &PatternDatabase<E>) {
        let saved = self.store.as_ref().map(|store| store.save(database));
        self.events.extend(saved.map(|saved| match saved {
            Ok(path) => {
                self.refused.remove(database.pattern());
                Event::Saved(path)
            }
            Err(error) => Event::NotSaved(error),
        }));
    }

    /// Returns the row numbers for a pattern: those of the tables that have them, or new ones.
    fn rows(&self, pattern: &Pattern) -> Arc<Rows<E>> {
        let (shape, tiles) = numbers(pattern);
        let same = self
            .there()
            .find(|database| numbers(database.pattern()) == (shape, tiles));
        same.map_or_else(
            || PatternDatabase::rows(shape, tiles),
            |database| Arc::clone(database.row_numbers()),
        )
    }

    /// Returns the number of rows of a pattern's table.
    fn row_count(&mut self, pattern: &Pattern) -> usize {
        let (shape, tiles) = numbers(pattern);
        let count = self.row_counts.entry((shape, tiles));
        *count.or_insert_with(|| PatternDatabase::<E>::rows(shape, tiles).count())
    }

    /// Returns the bytes of all tables and row numbers.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let databases = self.there().map(|database| database.bytes());
        let rows = self.numbers().into_iter();
        let rows = rows.map(|(shape, tiles)| Rows::<E>::bytes(shape, tiles));
        databases.sum::<usize>() + rows.sum::<usize>()
    }

    fn there(&self) -> impl Iterator<Item = Arc<PatternDatabase<E>>> {
        self.databases.values().filter_map(Weak::upgrade)
    }

    fn numbers(&self) -> HashSet<(Shape, usize)> {
        let there = self.there();
        there.map(|database| numbers(database.pattern())).collect()
    }

    fn database(&self, pattern: &Pattern) -> Option<Arc<PatternDatabase<E>>> {
        self.databases.get(pattern).and_then(Weak::upgrade)
    }
}

fn sum<E>(partition: &Partition, used: &HashMap<Pattern, Arc<PatternDatabase<E>>>) -> Sum<E> {
    let summand = |pattern: &Pattern| {
        let (canonical, symmetry) = pattern.canonical();
        Summand {
            database: Arc::clone(&used[&canonical]),
            symmetry,
        }
    };
    partition.patterns().iter().map(summand).collect()
}

/// Returns what tables that share their row numbers have in common: the shape and the number of tiles.
const fn numbers(pattern: &Pattern) -> (Shape, usize) {
    (pattern.shape(), pattern.cells().len())
}
