//! Whether a file can be written: better to fail at once than after an hour of work.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::Path;

/// Opens a file for writing, and leaves everything as it was.
pub(super) fn try_out(path: &Path) -> io::Result<()> {
    let is_new = fs::symlink_metadata(path).is_err();
    OpenOptions::new().append(true).create(true).open(path)?;
    if is_new {
        // The file is new and empty.
        drop(fs::remove_file(path));
    }
    Ok(())
}
