//! Threads that do the long work for answers.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::{io, thread};

use tokio::sync::oneshot;

type Work = Box<dyn FnOnce() + Send>;

/// As many threads as there is such work at once. They are there from the start: the system may have none to give when
/// there is work, and whatever waited for one would wait for ever.
#[derive(Clone, Debug)]
pub(super) struct Hands(mpsc::Sender<Work>);

impl Hands {
    /// Starts the threads. They end when nobody can give them work any more.
    ///
    /// # Errors
    /// When the operating system refuses a thread.
    pub(super) fn start(number: usize) -> io::Result<Self> {
        let (hands, works) = mpsc::channel();
        let works = Arc::new(Mutex::new(works));
        for i in 0..number {
            let works = Arc::clone(&works);
            thread::Builder::new()
                .name(format!("loyd-answer-{i}"))
                .spawn(move || {
                    while let Some(work) = next(&works) {
                        work();
                    }
                })?;
        }
        Ok(Self(hands))
    }

    /// Does the work on one of the threads, and returns what it returns, or its panic.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> thread::Result<T> {
        let (done, ended) = oneshot::channel();
        let work = move || {
            // Nobody waits if the call has gone.
            let _ = done.send(catch_unwind(AssertUnwindSafe(work)));
        };
        self.0
            .send(Box::new(work))
            .expect("the threads last as long as this");
        ended.await.expect("a panic of the work is caught")
    }
}

/// The next work, or `None` when no more can come.
fn next(works: &Mutex<mpsc::Receiver<Work>>) -> Option<Work> {
    let works = works.lock().unwrap_or_else(PoisonError::into_inner);
    works.recv().ok()
}
