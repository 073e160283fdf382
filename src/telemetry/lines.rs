//! The log's lines on their way to standard error: collected, and written several at a time.
//!
//! A write per line would cost a call more than formatting the line does, and would make it wait
//! for whoever reads the log.

use std::convert::Infallible;
use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use tracing_subscriber::fmt::MakeWriter;

/// How long lines are collected.
const PAUSE: Duration = Duration::from_millis(5);

/// How long the last lines may take to be written. If nobody reads them, they would take for ever.
const LAST_LINES: Duration = Duration::from_secs(1);

/// The most bytes of lines that may wait to be written.
const MOST_BYTES: usize = 4 << 20;

/// The number of lines lost because too many waited, or because they could not be written.
static LOST: AtomicU64 = AtomicU64::new(0);

/// Returns how many lines were lost because they were not read fast enough or could not be written.
pub(super) fn lost() -> u64 {
    LOST.load(Ordering::Relaxed)
}

#[derive(Debug, Default)]
struct Waiting {
    bytes: Vec<u8>,
    /// How many lines these bytes are.
    lines: u64,
    closed: bool,
}

#[derive(Debug, Default)]
struct Shared {
    waiting: Mutex<Waiting>,
    came: Condvar,
}

/// The end that takes lines.
#[derive(Clone, Debug)]
pub(super) struct Lines(Arc<Shared>);

/// Writes lines until it is dropped, when all remaining lines are written, if somebody reads them.
#[derive(Debug)]
pub struct Log {
    shared: Arc<Shared>,
    /// Disconnected once the thread has ended.
    ended: Receiver<Infallible>,
}

impl Log {
    /// Starts to write. If no thread can be started, nothing is written, and lines are lost once too
    /// many wait.
    pub(super) fn to(output: impl Write + Send + 'static) -> (Self, Lines) {
        let shared = Arc::<Shared>::default();
        let lines = Lines(Arc::clone(&shared));
        let writes = Arc::clone(&shared);
        let (alive, ended) = mpsc::channel();
        let write = move || {
            let _alive = alive;
            writes.write_all(output);
        };
        // There is no log to report a failure to.
        let _ = thread::Builder::new().name("loyd-log".into()).spawn(write);
        (Self { shared, ended }, lines)
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.came.notify_one();
        // Nothing is ever sent. A thread whose write is not read is left behind.
        let _ = self.ended.recv_timeout(LAST_LINES);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        // A line is either there or not; nothing can be left half-changed.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_all(&self, mut output: impl Write) {
        let mut bytes = Vec::new();
        loop {
            let mut waiting = self.lock();
            while waiting.bytes.is_empty() && !waiting.closed {
                waiting = self
                    .came
                    .wait(waiting)
                    .unwrap_or_else(PoisonError::into_inner);
            }
            if !waiting.closed {
                drop(waiting);
                thread::sleep(PAUSE);
                waiting = self.lock();
            }
            std::mem::swap(&mut bytes, &mut waiting.bytes);
            let lines = std::mem::take(&mut waiting.lines);
            let closed = waiting.closed;
            drop(waiting);
            let written = output.write_all(&bytes).and_then(|()| output.flush());
            if written.is_err() {
                // How many of them were written is unknown. The count is the only place to report it.
                LOST.fetch_add(lines, Ordering::Relaxed);
            }
            bytes.clear();
            if closed {
                return;
            }
        }
    }
}

/// Takes one line per write.
impl Write for &Lines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut waiting = self.0.lock();
        if waiting.bytes.len() + line.len() > MOST_BYTES {
            LOST.fetch_add(1, Ordering::Relaxed);
            return Ok(line.len());
        }
        let is_first = waiting.bytes.is_empty();
        waiting.bytes.extend_from_slice(line);
        waiting.lines += 1;
        drop(waiting);
        if is_first {
            self.0.came.notify_one();
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = &'a Self;

    fn make_writer(&'a self) -> &'a Self {
        self
    }
}
