//! A folder of tables, one file each.
//!
//! A file is a page of header followed by the table's words. The header names the pattern, and
//! holds a checksum of itself and one of the words; a file is used only if all of this is correct.
//! Numbers are in the machine's native byte order. A machine with another byte order takes the file
//! for one of another release.
//!
//! A file is written under a temporary name, flushed and then renamed. So a file under a table's
//! name is always complete, and processes that write the same table at the same time do not
//! interfere. What killed writers leave behind is removed when the next table is written.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use memmap2::Mmap;
use thiserror::Error;
use twox_hash::XxHash3_64;

use super::PatternDatabase;
use super::cell_set::CellSet;
use super::pattern::Pattern;
use super::region::{RowEntry, Rows};
use super::words::Words;
use crate::puzzle::Shape;

/// The first bytes of a file.
const MAGIC: [u8; 8] = *b"loyd-pdb";

/// The version of the file layout, raised whenever the same table would have other bytes.
const VERSION: u32 = 1;

/// The header's length in bytes: a page, so that the words are aligned wherever they are mapped.
const HEADER: usize = 4096;

// The positions of the header's fields.
const VERSION_AT: Range<usize> = 8..12;
const SHAPE_AT: usize = 12;
const CELLS_AT: Range<usize> = 16..20;
const REGION_AT: Range<usize> = 20..24;
const WORDS_AT: Range<usize> = 24..32;
const WORDS_SUM_AT: Range<usize> = 32..40;
const HEADER_SUM_AT: Range<usize> = 40..48;

/// The name prefix of files that are being written.
const PART: &str = ".loyd-part-";

/// The age at which an unfinished file is considered abandoned. Writing one takes seconds, and on a
/// slow disk some minutes.
const ABANDONED: Duration = Duration::from_secs(600);

/// Why a table could not be loaded or saved.
#[derive(Debug, Error)]
pub enum StoreError {
    /// There is no such file.
    #[error("{} does not exist", .0.display())]
    Missing(PathBuf),
    /// The file or the folder cannot be read or written.
    #[error("{}: {error}", path.display())]
    Io {
        /// The path that could not be read or written.
        path: PathBuf,
        /// The cause.
        error: io::Error,
    },
    /// The file is not the table that its name promises. It may be deleted.
    #[error("{} is refused: {fault}", path.display())]
    Refused {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        fault: Fault,
    },
}

impl StoreError {
    /// Whether a table could not be saved because its folder is on a file system that is read-only.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        matches!(self, Self::Io { error, .. } if error.kind() == io::ErrorKind::ReadOnlyFilesystem)
    }
}

/// What is wrong with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// The file does not begin as a table does.
    #[error("it is not a table of loyd")]
    Foreign,
    /// The layout is that of another release.
    #[error("it has the layout {0}, but this release reads {VERSION}")]
    Version(u32),
    /// The header was changed.
    #[error("its header is damaged")]
    Header,
    /// The file ends within the header.
    #[error("it is cut off in its header")]
    CutOff,
    /// The file is intact, but is the table of another pattern.
    #[error("it is the table of another pattern")]
    OtherPattern,
    /// The file has the wrong length.
    #[error("it has {found} bytes and should have {expected}")]
    Length {
        /// The actual length in bytes.
        found: u64,
        /// The expected length in bytes.
        expected: u64,
    },
    /// The words were changed.
    #[error("its contents are damaged")]
    Words,
}

/// A folder of tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Store {
    folder: PathBuf,
}

/// A file of a store.
#[derive(Debug)]
pub struct Stored {
    /// The path of the file.
    pub path: PathBuf,
    /// The length of the file in bytes.
    pub bytes: u64,
    /// The pattern that the header names, or what is wrong with it.
    pub pattern: Result<Pattern, StoreError>,
}

impl Store {
    /// Creates a store in a folder. The folder is created when the first table is saved.
    #[must_use]
    pub const fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Returns the folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the path of a pattern's table.
    #[must_use]
    pub fn path(&self, pattern: &Pattern) -> PathBuf {
        let (shape, cells) = (pattern.shape(), pattern.cells().bits());
        let region = pattern.goal_region().bits();
        self.folder.join(format!(
            "{}x{}-{cells:x}-{region:x}.pdb",
            shape.rows(),
            shape.columns()
        ))
    }

    /// Maps a table into memory. All of it is read and checked.
    ///
    /// # Errors
    /// If the table does not exist, cannot be read, or must not be trusted.
    pub fn load<E: RowEntry>(
        &self,
        pattern: Pattern,
        rows: Arc<Rows<E>>,
    ) -> Result<PatternDatabase<E>, StoreError> {
        let (map, words_sum) = self.open(&pattern, rows.count())?;
        if XxHash3_64::oneshot(&map[HEADER..]) != words_sum {
            return Err(StoreError::Refused {
                path: self.path(&pattern),
                fault: Fault::Words,
            });
        }
        let words = Words::Mapped { map, begin: HEADER };
        Ok(PatternDatabase::of(pattern, rows, words))
    }

    /// Checks whether there is a file with the header and the length of a pattern's table. Its
    /// words are only checked by [`Self::load`].
    pub(super) fn look(&self, pattern: &Pattern, rows: usize) -> Result<(), StoreError> {
        self.open(pattern, rows).map(drop)
    }

    /// Opens the file of a table of so many rows and checks everything except the words. Also returns
    /// their checksum.
    fn open(&self, pattern: &Pattern, rows: usize) -> Result<(Mmap, u64), StoreError> {
        let path = self.path(pattern);
        let map = map(&path)?;
        let refused = |fault| StoreError::Refused { path, fault };
        let header = match Header::read(&map) {
            Ok(header) => header,
            Err(fault) => return Err(refused(fault)),
        };
        if header.pattern != Some(*pattern) {
            return Err(refused(Fault::OtherPattern));
        }
        let words = pattern.words(rows);
        let expected = (HEADER + 8 * words) as u64;
        let found = map.len() as u64;
        if header.words != words as u64 || found != expected {
            return Err(refused(Fault::Length { found, expected }));
        }
        Ok((map, header.words_sum))
    }

    /// Writes a table to its file, replacing any existing one.
    ///
    /// # Errors
    /// If the table cannot be written. An existing file is then unchanged.
    pub fn save<E: RowEntry>(&self, database: &PatternDatabase<E>) -> Result<PathBuf, StoreError> {
        let path = self.path(database.pattern());
        self.write(database, &path)
            .map_err(|error| StoreError::Io {
                path: path.clone(),
                error,
            })?;
        Ok(path)
    }

    fn write<E: RowEntry>(&self, database: &PatternDatabase<E>, path: &Path) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        self.sweep();
        let mut builder = tempfile::Builder::new();
        builder.prefix(PART);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // Other users' processes share the table. It is mapped: who writes over it ends them all.
            builder.permissions(fs::Permissions::from_mode(0o444));
        }
        let mut part = builder.tempfile_in(&self.folder)?;
        let words = database.words();
        let mut writer = BufWriter::with_capacity(1 << 20, part.as_file_mut());
        writer.write_all(&Header::bytes(database.pattern(), words))?;
        writer.write_all(bytemuck::cast_slice(words))?;
        writer.into_inner()?.sync_all()?;
        part.persist(path)?;
        Ok(())
    }

    /// Removes unfinished files whose writers were killed, so that they do not fill the folder.
    fn sweep(&self) {
        let entries = fs::read_dir(&self.folder).into_iter().flatten();
        let is_part = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with(PART);
        for entry in entries.flatten().filter(is_part) {
            let modified = entry.metadata().and_then(|file| file.modified());
            let age = modified.ok().and_then(|modified| modified.elapsed().ok());
            if age.is_some_and(|age| age > ABANDONED) {
                // Another process may have removed it first.
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Returns the tables in the folder by name, including those with damaged headers. The list is
    /// empty if there is no folder. The words are only checked by [`Self::load`].
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn list(&self) -> Result<Vec<Stored>, StoreError> {
        let fail = |error| StoreError::Io {
            path: self.folder.clone(),
            error,
        };
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(fail(error)),
        };
        let mut stored = Vec::new();
        for entry in entries {
            let path = entry.map_err(fail)?.path();
            if path.extension().is_some_and(|extension| extension == "pdb") {
                stored.push(Stored::of(path));
            }
        }
        stored.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(stored)
    }
}

impl Stored {
    fn of(path: PathBuf) -> Self {
        let map = map(&path);
        let bytes = map.as_ref().map_or(0, |map| map.len() as u64);
        let pattern = map.and_then(|map| {
            let named = Header::read(&map).and_then(|header| header.pattern.ok_or(Fault::Header));
            named.map_err(|fault| StoreError::Refused {
                path: path.clone(),
                fault,
            })
        });
        Self {
            path,
            bytes,
            pattern,
        }
    }
}

/// The contents of a header.
struct Header {
    /// None if the header names something that is not a pattern.
    pattern: Option<Pattern>,
    words: u64,
    words_sum: u64,
}

impl Header {
    fn read(file: &[u8]) -> Result<Self, Fault> {
        if file.get(..MAGIC.len()) != Some(&MAGIC[..]) {
            return Err(Fault::Foreign);
        }
        let Some(header) = file.get(..HEADER) else {
            return Err(Fault::CutOff);
        };
        let version = u32_at(header, VERSION_AT);
        if version != VERSION {
            return Err(Fault::Version(version));
        }
        if header_sum(header) != u64_at(header, HEADER_SUM_AT) {
            return Err(Fault::Header);
        }
        let [rows, columns] = [header[SHAPE_AT], header[SHAPE_AT + 1]].map(usize::from);
        let cells = CellSet::from_bits(u32_at(header, CELLS_AT));
        let region = CellSet::from_bits(u32_at(header, REGION_AT));
        let pattern = Shape::new(rows, columns)
            .ok()
            .and_then(|shape| Pattern::new(shape, region.iter().next()?, cells))
            .filter(|pattern| pattern.goal_region() == region);
        Ok(Self {
            pattern,
            words: u64_at(header, WORDS_AT),
            words_sum: u64_at(header, WORDS_SUM_AT),
        })
    }

    fn bytes(pattern: &Pattern, words: &[u64]) -> [u8; HEADER] {
        let mut header = [0; HEADER];
        let mut put = |at: Range<usize>, bytes: &[u8]| header[at].copy_from_slice(bytes);
        put(0..MAGIC.len(), &MAGIC);
        put(VERSION_AT, &VERSION.to_ne_bytes());
        let shape = pattern.shape();
        let sides = [shape.rows() as u8, shape.columns() as u8];
        put(SHAPE_AT..SHAPE_AT + 2, &sides);
        put(CELLS_AT, &pattern.cells().bits().to_ne_bytes());
        put(REGION_AT, &pattern.goal_region().bits().to_ne_bytes());
        put(WORDS_AT, &(words.len() as u64).to_ne_bytes());
        let sum = XxHash3_64::oneshot(bytemuck::cast_slice(words));
        put(WORDS_SUM_AT, &sum.to_ne_bytes());
        let sum = header_sum(&header);
        header[HEADER_SUM_AT].copy_from_slice(&sum.to_ne_bytes());
        header
    }
}

/// Returns the checksum of the header without the checksum itself.
fn header_sum(header: &[u8]) -> u64 {
    let mut header = header.to_vec();
    header[HEADER_SUM_AT].fill(0);
    XxHash3_64::oneshot(&header)
}

fn u32_at(header: &[u8], at: Range<usize>) -> u32 {
    u32::from_ne_bytes(header[at].try_into().expect("four bytes"))
}

fn u64_at(header: &[u8], at: Range<usize>) -> u64 {
    u64::from_ne_bytes(header[at].try_into().expect("eight bytes"))
}

#[expect(
    unsafe_code,
    reason = "to share 200 MB between processes there is no other way than to map a file"
)]
fn map(path: &Path) -> Result<Mmap, StoreError> {
    let fail = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => StoreError::Missing(path.to_owned()),
        _ => StoreError::Io {
            path: path.to_owned(),
            error,
        },
    };
    if !fs::metadata(path).map_err(fail)?.is_file() {
        // To open a named pipe would wait for its writer.
        return Err(StoreError::Refused {
            path: path.to_owned(),
            fault: Fault::Foreign,
        });
    }
    let file = File::open(path).map_err(fail)?;
    // SAFETY: a mapped file must not change. Tables are never written in place: a new file replaces
    // the old one atomically, and processes that have mapped the old one keep it. What other
    // programs do to the folder is the responsibility of its owner.
    unsafe { Mmap::map(&file) }.map_err(fail)
}
