//! Files of pattern databases.

use std::fs;
use std::sync::Arc;

use loyd::heuristic::pattern_database::{
    CellSet, Pattern, PatternDatabase, Rows, Store, StoreError, Watch,
};
use loyd::puzzle::Shape;
use twox_hash::XxHash3_64;

use super::{Target, Trait, trait_of};

/// The first byte selects which checksums are made to match; the file follows.
pub(crate) const TABLE: Target = Target {
    name: "table",
    run,
    seeds,
    message_at: |_| None,
};

const HEADER: usize = 4096;
const WORDS_SUM: std::ops::Range<usize> = 32..40;
const HEADER_SUM: std::ops::Range<usize> = 40..48;

/// A store of its own, and the pattern whose file is read.
struct Shelf {
    folder: tempfile::TempDir,
    store: Store,
    pattern: Pattern,
    rows: Arc<Rows<u64>>,
}

thread_local! {
    /// The folder goes with the thread of the test: what is static is never dropped.
    static SHELF: Shelf = {
        let folder = tempfile::tempdir().unwrap();
        let shape = Shape::new(4, 4).unwrap();
        let cells: CellSet = [0, 1].into_iter().collect();
        let pattern = Pattern::new(shape, 15, cells).unwrap().canonical().0;
        Shelf {
            store: Store::new(folder.path().to_owned()),
            folder,
            pattern,
            rows: PatternDatabase::rows(shape, 2),
        }
    };
}

fn run(input: &[u8]) -> Trait {
    SHELF.with(|shelf| read(shelf, input))
}

fn read(shelf: &Shelf, input: &[u8]) -> Trait {
    let Some((fit, file)) = input.split_first() else {
        return 0;
    };
    let mut file = file.to_vec();
    if file.len() >= HEADER {
        if fit & 1 != 0 {
            let sum = XxHash3_64::oneshot(&file[HEADER..]);
            file[WORDS_SUM].copy_from_slice(&sum.to_ne_bytes());
        }
        if fit & 2 != 0 {
            file[HEADER_SUM].fill(0);
            let sum = XxHash3_64::oneshot(&file[..HEADER]);
            file[HEADER_SUM].copy_from_slice(&sum.to_ne_bytes());
        }
    }
    let path = shelf.store.path(&shelf.pattern);
    fs::write(&path, &file).unwrap();
    let listed = shelf.store.list().unwrap();
    assert_eq!(listed[0].bytes, file.len() as u64);
    match shelf.store.load(shelf.pattern, Arc::clone(&shelf.rows)) {
        Ok(loaded) => {
            assert_eq!(listed[0].pattern.as_ref().unwrap(), loaded.pattern());
            assert_eq!(loaded.bytes() + HEADER, file.len());
            trait_of("loaded")
        }
        Err(error) => {
            // An empty file cannot be mapped, which is not a fault of its contents.
            let is_io = matches!(error, StoreError::Io { .. });
            assert!(!is_io || file.is_empty());
            let text = error.to_string();
            let fault = text.split_once(path.to_str().unwrap());
            trait_of(fault.expect("the file is named").1)
        }
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let file = SHELF.with(|shelf| {
        let watch = Watch::default();
        let rows = Arc::clone(&shelf.rows);
        let table = PatternDatabase::new(shelf.pattern, rows, 1, &watch).unwrap();
        let saved = shelf.store.save(&table).unwrap();
        assert!(saved.starts_with(shelf.folder.path()));
        fs::read(saved).unwrap()
    });
    let header = file[..HEADER].to_vec();
    [0, 1, 2, 3]
        .into_iter()
        .flat_map(|fit| [[vec![fit], file.clone()], [vec![fit], header.clone()]])
        .map(|parts| parts.concat())
        .collect()
}
