//! The pattern databases, built or mapped from files.

use crate::heuristic::SMALL_CELLS;
use crate::heuristic::pattern_database::{
    self, Bytes, Event, NotBuilt, Partition, RowEntry, Store, Tables, Tier, Watch,
};
use crate::puzzle::Home;
use crate::search::ida_star::batch::Guide;
use crate::search::tables::guides::AnyGuide;
use crate::telemetry;

/// A choice of pattern databases for the problems of a home.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The sizes of the patterns.
    pub name: String,
    partitions: Vec<Partition>,
    /// More partitions, for boards that are hard with the first ones.
    others: Vec<Partition>,
}

/// Builds guides from pattern databases that the guides share. A table goes with the last guide that uses it.
#[derive(Debug)]
pub struct GuideBuilder {
    small: Tables<u64>,
    large: Tables<Bytes>,
}

impl GuideBuilder {
    /// A builder that maps tables from a store, if there is one, and saves new ones there. Building a
    /// table takes somewhat more than its size beside it. Those for which that is more than
    /// `build_memory` bytes are used if they are stored, but not built.
    #[must_use]
    pub fn new(store: Option<Store>, build_memory: u64) -> Self {
        let build_bytes = usize::try_from(build_memory).unwrap_or(usize::MAX);
        Self {
            small: tables(store.clone(), build_bytes),
            large: tables(store, build_bytes),
        }
    }

    /// Whether there are guides for these problems.
    #[must_use]
    pub fn supports(home: Home) -> bool {
        pattern_database::supports(home.shape())
    }

    /// The choices for a home, the best last.
    #[must_use]
    pub fn choices(home: Home) -> Vec<Choice> {
        let tiers = Tier::ALL
            .into_iter()
            .filter(|_| home.shape().rows() == 4 && home.shape().columns() == 4)
            .filter_map(|tier| Choice::of(tier, home.cell()));
        let standard = Partition::standard(home.shape(), home.cell());
        tiers.chain(standard.map(Choice::standard)).collect()
    }

    /// The bytes of a choice's tables, and of those among them that are not there yet.
    pub fn bytes_of(&mut self, choice: &Choice) -> (usize, usize) {
        if choice.is_small() {
            self.small.bytes_of(&choice.all())
        } else {
            self.large.bytes_of(&choice.all())
        }
    }

    /// The bytes that would be held if exactly the tables of these choices were there.
    pub fn bytes_with<'a>(&mut self, choices: impl Iterator<Item = &'a Choice>) -> usize {
        let (small, large): (Vec<_>, Vec<_>) = choices.partition(|choice| choice.is_small());
        let all = |choices: Vec<&Choice>| -> Vec<_> {
            choices.into_iter().flat_map(Choice::all).collect()
        };
        self.small.bytes_of(&all(small)).0 + self.large.bytes_of(&all(large)).0
    }

    /// Whether a choice's tables are there, can be read, or can be built within the memory limit.
    pub fn can_build(&mut self, choice: &Choice) -> bool {
        fn can_make<E: RowEntry>(tables: &mut Tables<E>, choice: &Choice) -> bool {
            let can_make = tables.can_make(&choice.all());
            report_files(tables);
            can_make
        }
        if choice.is_small() {
            can_make(&mut self.small, choice)
        } else {
            can_make(&mut self.large, choice)
        }
    }

    /// Builds a guide.
    ///
    /// # Errors
    /// When the watch was told to cancel, or when a table's file turned out to be damaged and the
    /// table may not be built.
    pub fn build(
        &mut self,
        choice: &Choice,
        threads: usize,
        watch: &Watch,
    ) -> Result<AnyGuide, NotBuilt> {
        const FITS: &str = "no choice has more than eight patterns";
        let partitions = &choice.partitions;
        Ok(if choice.is_small() {
            let mut guide = |partitions: &[Partition]| {
                let additive = self.small.additive(partitions, threads, watch);
                report_files(&mut self.small);
                Ok(Guide::new(additive?).expect(FITS))
            };
            let first = guide(partitions)?;
            if choice.others.is_empty() {
                AnyGuide::Small(first)
            } else {
                AnyGuide::Two(first, guide(&choice.others)?)
            }
        } else {
            let additive = self.large.additive(partitions, threads, watch);
            report_files(&mut self.large);
            AnyGuide::Large(Guide::new(additive?).expect(FITS))
        })
    }

    /// The bytes that the tables take.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.small.bytes() + self.large.bytes()
    }
}

impl Choice {
    fn of(tier: Tier, home: usize) -> Option<Self> {
        Some(Self {
            name: tier.name().to_owned(),
            partitions: tier.partitions(home)?.to_vec(),
            others: tier.others(home).into_iter().flatten().collect(),
        })
    }

    /// The partitions of all guides of the choice.
    fn all(&self) -> Vec<Partition> {
        [&self.partitions[..], &self.others].concat()
    }

    fn standard(partitions: Vec<Partition>) -> Self {
        let patterns = partitions[0].patterns().iter();
        let mut sizes: Vec<usize> = patterns.map(|pattern| pattern.cells().len()).collect();
        sizes.sort_unstable_by_key(|&size| usize::MAX - size);
        let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
        Self {
            name: sizes.join("-"),
            partitions,
            others: Vec::new(),
        }
    }

    fn is_small(&self) -> bool {
        self.partitions[0].shape().cells() <= SMALL_CELLS
    }
}

fn tables<E: RowEntry>(store: Option<Store>, build_bytes: usize) -> Tables<E> {
    store
        .map_or_else(Tables::new, Tables::stored_in)
        .built_within(build_bytes)
}

/// Logs and counts what became of the tables' files.
fn report_files<E: RowEntry>(tables: &mut Tables<E>) {
    for event in tables.take_events() {
        match event {
            Event::Loaded(path) => telemetry::table_file("loaded", &path.display()),
            Event::Saved(path) => telemetry::table_file("saved", &path.display()),
            Event::Refused(error) => telemetry::table_file("refused", &error),
            Event::NotSaved(error) if error.is_read_only() => {
                telemetry::table_file("read_only", &error);
            }
            Event::NotSaved(error) => telemetry::table_file("not_saved", &error),
        }
    }
}
