//! The tables that a server would use, built before anything is measured.

use std::collections::HashSet;
use std::thread;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;

use super::BenchArgs;
use crate::bench::Case;
use crate::config::cores;
use crate::engine::guide_builder::GuideBuilder;
use crate::engine::table_store::{IDLE, TableStore};
use crate::heuristic::pattern_database::Store;

/// The tables of a suite.
pub(super) struct Made {
    pub(super) store: TableStore,
    pub(super) bytes: usize,
    /// The time that building or mapping them took.
    pub(super) time: Duration,
}

impl Made {
    /// Builds or maps the tables that a server with `--table-memory` of the same size would use for these boards.
    pub(super) fn of(cases: &[Case], args: &BenchArgs) -> Self {
        let folder = args.tables.path().map(Store::new);
        let builder = GuideBuilder::new(folder, u64::MAX);
        let store = TableStore::new(args.table_memory, u64::MAX, IDLE, cores(), builder);
        let begun = Instant::now();
        let bar = ProgressBar::new_spinner().with_message("building tables");
        let kinds = cases
            .iter()
            .map(|case| (case.problem.shape(), case.problem.home()));
        for (shape, home) in kinds.collect::<HashSet<_>>() {
            store.want_all(shape, home);
            while !store.is_settled() {
                bar.tick();
                thread::sleep(Duration::from_millis(5));
            }
        }
        bar.finish_and_clear();
        Self {
            bytes: store.bytes(),
            time: begun.elapsed(),
            store,
        }
    }
}
