use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use loyd::heuristic::pattern_database::{
    CellSet, Fault, Pattern, PatternDatabase, Rows, Store, StoreError, Watch,
};

use crate::support::shape;

/// Returns a small pattern of 4×4 and its rows.
fn pattern(cells: &[usize]) -> (Pattern, Arc<Rows<u64>>) {
    let shape = shape(4, 4);
    let cells: CellSet = cells.iter().copied().collect();
    let pattern = Pattern::new(shape, 15, cells).unwrap().canonical().0;
    (pattern, PatternDatabase::rows(shape, pattern.cells().len()))
}

/// Returns a store with the table of one pattern, and the table's file.
fn stored() -> (tempfile::TempDir, Store, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::new(folder.path().join("tables"));
    let (pattern, rows) = pattern(&[0, 1, 4]);
    let database = PatternDatabase::new(pattern, rows, 1, &Watch::default()).unwrap();
    let path = store.save(&database).unwrap();
    (folder, store, path)
}

fn load(store: &Store) -> Result<PatternDatabase<u64>, StoreError> {
    let (pattern, rows) = pattern(&[0, 1, 4]);
    store.load(pattern, rows)
}

fn fault(store: &Store) -> Fault {
    match load(store).map(|_| ()) {
        Err(StoreError::Refused { fault, path }) => {
            let (pattern, _) = pattern(&[0, 1, 4]);
            assert_eq!(path, store.path(&pattern));
            fault
        }
        other => panic!("{other:?}"),
    }
}

fn change(path: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = fs::read(path).unwrap();
    change(&mut bytes);
    // Written to a new file, as the old one may be mapped.
    fs::remove_file(path).unwrap();
    fs::write(path, bytes).unwrap();
}

/// Writing over the file of a table would end all processes that have mapped it.
#[test]
fn a_table_cannot_be_written_over_but_replaced() {
    let (_folder, store, path) = stored();
    let is_read_only = || fs::metadata(&path).unwrap().permissions().readonly();
    assert!(is_read_only());
    let mapped = load(&store).unwrap();
    let (first, again) = (fs::read(&path).unwrap(), store.save(&mapped).unwrap());
    assert_eq!((again, fs::read(&path).unwrap()), (path.clone(), first));
    assert!(is_read_only());
}

#[test]
fn what_writers_that_were_killed_have_left_is_removed() {
    let (_folder, store, path) = stored();
    let file = |name: &str, minutes: u64| {
        let path = path.with_file_name(name);
        let file = File::create(&path).unwrap();
        let modified = file.metadata().unwrap().modified().unwrap();
        let age = Duration::from_secs(minutes * 60);
        file.set_modified(modified - age).unwrap();
        path
    };
    let abandoned = file(".loyd-part-abandoned", 11);
    let in_the_making = file(".loyd-part-young", 9);
    let others = [file("notes", 11), file("5x5-1f-18.pdb", 11)];
    store.save(&load(&store).unwrap()).unwrap();
    assert!(!abandoned.exists());
    assert!(in_the_making.exists());
    assert!(others.iter().all(|path| path.exists()));
}

#[test]
fn what_is_loaded_is_what_was_saved() {
    let (_folder, store, path) = stored();
    let (pattern, rows) = pattern(&[0, 1, 4]);
    assert_eq!(path, store.path(&pattern));
    let built = PatternDatabase::new(pattern, Arc::clone(&rows), 1, &Watch::default()).unwrap();
    let loaded = load(&store).unwrap();
    assert_eq!(loaded.pattern(), built.pattern());
    assert_eq!(loaded.bytes(), built.bytes());
    for (cells, blank) in [([5, 9, 14], 0), ([15, 11, 10], 14), ([0, 1, 4], 15)] {
        assert_eq!(
            loaded.distance(&cells, blank),
            built.distance(&cells, blank)
        );
    }
    let list = store.list().unwrap();
    assert_eq!(list.len(), 1);
    assert_eq!(list[0].path, path);
    assert_eq!(list[0].bytes, 4096 + built.bytes() as u64);
    assert_eq!(*list[0].pattern.as_ref().unwrap(), pattern);
}

#[test]
fn a_changed_byte_is_seen_wherever_it_is() {
    let (_folder, store, path) = stored();
    let bytes = fs::read(&path).unwrap();
    // All fields of the header, some of its unused bytes, and words here and there.
    let places = (0..64)
        .chain([100, 4095])
        .chain((4096..bytes.len()).step_by(97));
    for place in places {
        change(&path, |bytes| bytes[place] ^= 0x10);
        let expected = match place {
            0..8 => Fault::Foreign,
            8..12 => {
                let version = bytes[8..12].try_into().unwrap();
                let flipped =
                    u32::from_ne_bytes([0x10, 0, 0, 0]).rotate_left(8 * (place as u32 - 8));
                Fault::Version(u32::from_ne_bytes(version) ^ flipped)
            }
            12..4096 => Fault::Header,
            _ => Fault::Words,
        };
        assert_eq!(fault(&store), expected, "byte {place}");
        change(&path, |bytes| bytes[place] ^= 0x10);
    }
    load(&store).unwrap();
}

#[test]
fn a_file_of_another_length_is_refused() {
    let (_folder, store, path) = stored();
    let whole = fs::read(&path).unwrap();
    for length in [0, 7, 8, 4095, 4096, whole.len() - 8, whole.len() - 1] {
        change(&path, |bytes| bytes.truncate(length));
        let expected = match length {
            0..8 => Fault::Foreign,
            8..4096 => Fault::CutOff,
            _ => Fault::Length {
                found: length as u64,
                expected: whole.len() as u64,
            },
        };
        assert_eq!(fault(&store), expected, "{length} bytes");
        change(&path, |bytes| bytes.clone_from(&whole));
    }
    change(&path, |bytes| bytes.push(0));
    assert!(matches!(fault(&store), Fault::Length { .. }));
    // The list reports what each file's header says.
    change(&path, |bytes| bytes.truncate(9));
    assert!(store.list().unwrap()[0].pattern.is_err());
}

#[test]
fn a_named_pipe_is_refused_and_not_waited_for() {
    let (_folder, store, path) = stored();
    fs::remove_file(&path).unwrap();
    let made = Command::new("mkfifo").arg(&path).status().unwrap();
    assert!(made.success());
    assert_eq!(fault(&store), Fault::Foreign);
    assert!(store.list().unwrap()[0].pattern.is_err());
}

#[test]
fn another_patterns_table_is_refused() {
    let (_folder, store, path) = stored();
    let (other, rows) = pattern(&[0, 2, 5]);
    let database = PatternDatabase::new(other, rows, 1, &Watch::default()).unwrap();
    let other = store.save(&database).unwrap();
    fs::rename(other, path).unwrap();
    assert_eq!(fault(&store), Fault::OtherPattern);
}

#[test]
fn what_was_never_finished_is_not_there() {
    let (_folder, store, path) = stored();
    fs::rename(&path, store.folder().join(".loyd-part-x")).unwrap();
    assert!(matches!(load(&store), Err(StoreError::Missing(missing)) if missing == path));
    assert!(store.list().unwrap().is_empty());
    let nowhere = Store::new(store.folder().join("nowhere"));
    assert!(nowhere.list().unwrap().is_empty());
}

#[test]
fn a_folder_that_cannot_be_written_says_so() {
    let (_folder, store, path) = stored();
    let database = load(&store).unwrap();
    // Below a file there can be no folder.
    let below = Store::new(path.join("below"));
    let error = below.save(&database).unwrap_err();
    assert!(matches!(error, StoreError::Io { .. }));
    assert!(error.to_string().contains("below"), "{error}");
    assert!(matches!(load(&below), Err(StoreError::Io { .. })));
}

#[test]
fn what_cannot_be_written_leaves_nothing_behind() {
    let (_folder, store, _) = stored();
    let database = load(&store).unwrap();
    // The one folder that every Linux has and that nobody can write to, not even root.
    let proc = Store::new(PathBuf::from("/proc/self"));
    assert!(matches!(proc.save(&database), Err(StoreError::Io { .. })));
    let names = || fs::read_dir(store.folder()).unwrap().count();
    store.save(&database).unwrap();
    assert_eq!(names(), 1);
}

#[test]
fn many_can_write_and_read_the_same_table_at_once() {
    let (_folder, store, _) = stored();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let database = load(&store).unwrap();
                for _ in 0..20 {
                    store.save(&database).unwrap();
                    load(&store).unwrap();
                }
            });
        }
    });
    assert_eq!(store.list().unwrap().len(), 1);
}
