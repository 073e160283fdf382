//! What is read from files, and read again when they change: certificates and tokens.
//!
//! The bytes are compared, not the times: Kubernetes exchanges a mounted secret by turning a
//! symbolic link over, and a copy may keep the time of its original.

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock, Weak};
use std::thread;
use std::time::Duration;

use ring::digest::{Context, SHA256};

use crate::telemetry;

/// How often the files are looked at.
const LOOK: Duration = Duration::from_secs(1);

/// No certificate and no list of tokens is as large, in bytes.
const LARGEST: u64 = 8 << 20;

/// Makes a value of the contents of the files, in their order.
type Parse<T> = fn(&[Vec<u8>]) -> Result<T, String>;

/// A value that follows its files. What cannot be used does not replace what could.
#[derive(Debug)]
pub struct Reloaded<T> {
    what: &'static str,
    files: Vec<Named>,
    parse: Parse<T>,
    current: RwLock<Arc<T>>,
}

/// A file, by the setting that names it.
pub type Named = (&'static str, PathBuf);

impl<T: Send + Sync + 'static> Reloaded<T> {
    /// Reads the files, and looks at them again for as long as the value is in use. `what` names
    /// them in metrics.
    ///
    /// # Errors
    /// What is wrong with the files.
    pub fn open(
        what: &'static str,
        files: Vec<Named>,
        parse: Parse<T>,
    ) -> Result<Arc<Self>, String> {
        let (contents, seen) = read(&files)?;
        let current = RwLock::new(Arc::new(parse(&contents)?));
        let reloaded = Arc::new(Self {
            what,
            files,
            parse,
            current,
        });
        telemetry::reload(what, Ok(()));
        let watched = Arc::downgrade(&reloaded);
        // Not a task: a volume that hangs must not take one of the few threads that serve calls.
        thread::Builder::new()
            .name("loyd-reload".to_owned())
            .spawn(move || watch(&watched, Ok(seen)))
            .map_err(|error| format!("cannot start the thread that looks at it: {error}"))?;
        Ok(reloaded)
    }

    /// The value as it was last read.
    pub fn current(&self) -> Arc<T> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Looks at the files once, and returns what was seen.
    fn look(&self, last: &Seen) -> Seen {
        let seen = read(&self.files).and_then(|(contents, digest)| {
            if last.as_ref() == Ok(&digest) {
                return Ok(digest);
            }
            let value = Arc::new((self.parse)(&contents)?);
            *self.current.write().unwrap_or_else(PoisonError::into_inner) = value;
            tracing::info!(what = self.what, "read again");
            telemetry::reload(self.what, Ok(()));
            Ok(digest)
        });
        if let Err(error) = &seen
            && seen != *last
        {
            tracing::warn!(
                what = self.what,
                error,
                "the new files cannot be used: going on with the old ones"
            );
            telemetry::reload(self.what, Err(()));
        }
        seen
    }
}

/// What the files held when they were last looked at, or why they could not be used.
type Seen = Result<Digest, String>;

/// The SHA-256 of all that the files hold.
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
    let mut digest = Digest::default();
    digest.copy_from_slice(context.finish().as_ref());
    Ok((contents, digest))
}
