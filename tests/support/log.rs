//! A log kept in memory for a test to read.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use tracing_subscriber::fmt::MakeWriter;

/// What was written. Clones are the same log.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    /// Writes what this thread logs from now on, an object a line, until the returned values are dropped.
    pub(crate) fn listen(&self) -> impl Sized + use<> {
        // With another subscriber present, tracing also asks this one about callsites that other tests
        // reached first.
        let other = tracing::Dispatch::new(tracing::subscriber::NoSubscriber::new());
        let json = tracing_subscriber::fmt().json().with_writer(self.clone());
        (tracing::subscriber::set_default(json.finish()), other)
    }

    /// Returns what was written since the last call.
    pub(crate) fn take(&self) -> String {
        let bytes = std::mem::take(&mut *self.0.lock().unwrap());
        String::from_utf8(bytes).unwrap()
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Log {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}
