//! Values read from files, and read again when the files change: certificates and tokens.
//!
//! Contents are compared, not times: Kubernetes replaces a mounted secret by switching a symbolic
//! link, and a copy may keep the time of its original.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::FileTypeExt;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock, Weak};
use std::thread;
use std::time::Duration;

use ring::digest::{Context, SHA256};

use crate::telemetry;

/// How often the files are checked.
const LOOK: Duration = Duration::from_secs(1);

/// The largest file that is read, in bytes. No certificate and no list of tokens is that large.
const LARGEST: u64 = 8 << 20;

/// Makes a value from the contents of the files, in their order. It may depend on the value that is in use, if there
/// is one.
type Parse<T> = fn(&[Vec<u8>], Option<&T>) -> Result<T, String>;

/// A value that follows its files. Contents that cannot be used do not replace those that could.
#[derive(Debug)]
pub struct Reloaded<T> {
    what: &'static str,
    files: Vec<Named>,
    parse: Parse<T>,
    current: RwLock<Arc<T>>,
}

/// A file, with the setting that names it.
pub type Named = (&'static str, PathBuf);

impl<T: Send + Sync + 'static> Reloaded<T> {
    /// Reads the files, and checks them for changes for as long as the value is in use. `what`
    /// names them in metrics.
    ///
    /// # Errors
    /// What is wrong with the files.
    pub fn open(
        what: &'static str,
        files: Vec<Named>,
        parse: Parse<T>,
    ) -> Result<Arc<Self>, String> {
        let (contents, seen) = read(&files)?;
        let current = RwLock::new(Arc::new(parse(&contents, None)?));
        let reloaded = Arc::new(Self {
            what,
            files,
            parse,
            current,
        });
        telemetry::reload(what, Ok(()));
        let watched = Arc::downgrade(&reloaded);
        // A thread, not a task: a hanging volume must not block one of the few threads that serve calls.
        thread::Builder::new()
            .name("loyd-reload".to_owned())
            .spawn(move || watch(&watched, Ok(seen)))
            .map_err(|error| format!("cannot start the thread that watches it: {error}"))?;
        Ok(reloaded)
    }

    /// The value as last read.
    pub fn current(&self) -> Arc<T> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Checks the files once, and returns what was seen.
    fn look(&self, last: &Seen) -> Seen {
        let seen = read(&self.files).and_then(|(contents, digest)| {
            if last.as_ref() == Ok(&digest) {
                return Ok(digest);
            }
            let value = Arc::new((self.parse)(&contents, Some(&self.current()))?);
            *self.current.write().unwrap_or_else(PoisonError::into_inner) = value;
            tracing::info!(what = self.what, "reloaded");
            telemetry::reload(self.what, Ok(()));
            Ok(digest)
        });
        if let Err(error) = &seen
            && seen != *last
        {
            tracing::warn!(
                what = self.what,
                error,
                "the new files cannot be used: the old ones stay in use"
            );
            telemetry::reload(self.what, Err(()));
        }
        seen
    }
}

/// What the files held at the last check, or why they could not be used.
type Seen = Result<Digest, String>;

/// The SHA-256 of the files' contents.
type Digest = [u8; 32];

fn watch<T: Send + Sync + 'static>(watched: &Weak<Reloaded<T>>, mut seen: Seen) {
    loop {
        thread::sleep(LOOK);
        let Some(reloaded) = watched.upgrade() else {
            return;
        };
        seen = reloaded.look(&seen);
    }
}

/// The contents of the files, and their digest.
fn read(files: &[Named]) -> Result<(Vec<Vec<u8>>, Digest), String> {
    let mut context = Context::new(&SHA256);
    let mut contents = Vec::with_capacity(files.len());
    for (setting, path) in files {
        let failed = |why: &dyn std::fmt::Display| format!("{setting} {}: {why}", path.display());
        // To open a named pipe would wait for its writer, and nothing would be reloaded any more.
        let metadata = fs::metadata(path).map_err(|error| failed(&error))?;
        if metadata.file_type().is_fifo() {
            return Err(failed(&"a pipe: it cannot be read again when it changes"));
        }
        let mut bytes = Vec::new();
        File::open(path)
            .and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes))
            .map_err(|error| failed(&error))?;
        if bytes.len() as u64 > LARGEST {
            return Err(failed(&"larger than 8 MiB"));
        }
        context.update(&(bytes.len() as u64).to_le_bytes());
        context.update(&bytes);
        contents.push(bytes);
    }
    let digest = context.finish().as_ref().try_into();
    Ok((contents, digest.expect("as long as a SHA-256 is")))
}
