//! What tests of the pool have in common.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use loyd::engine::Client;
use loyd::engine::pool::{HelperWork, Next, Pool, Task, Turn};
use loyd::engine::rank::Rank;

use crate::fake::{PATIENCE, receive, task};

pub(crate) fn pool(workers: usize, capacity: usize) -> Pool {
    Pool::start(workers, capacity).unwrap()
}

/// Keeps the one worker busy until the sender is dropped.
pub(crate) fn hold_worker(pool: &Pool) -> Sender<()> {
    hold_worker_after(pool, None, None)
}

/// Has a client's task keep the one worker busy until the sender is dropped, after a first slice of this length,
/// if any.
pub(crate) fn hold_worker_after(
    pool: &Pool,
    client: Option<&Client>,
    mut first: Option<Duration>,
) -> Sender<()> {
    let (begun, has_begun) = channel();
    let (release, released) = channel();
    let holds = task(move |_| {
        if let Some(first) = first.take() {
            thread::sleep(first);
            return Next::Again;
        }
        begun.send(()).unwrap();
        // The disconnection is what is waited for.
        let _ = released.recv_timeout(PATIENCE);
        Next::Finished
    });
    pool.submit_for(client, holds).unwrap();
    receive(&has_begun);
    release
}

/// A task that does nothing but send a word.
pub(crate) fn say<T: Send + 'static>(sender: &Sender<T>, word: T) -> Box<dyn Task> {
    let sender = sender.clone();
    let mut word = Some(word);
    task(move |_| {
        sender.send(word.take().unwrap()).unwrap();
        Next::Finished
    })
}

/// A task with a rank.
pub(crate) struct Of(pub(crate) Rank, pub(crate) Box<dyn Task>);

impl Task for Of {
    fn run(&mut self, turn: &Turn<'_>) -> Next {
        self.1.run(turn)
    }

    fn panicked(&mut self) {
        self.1.panicked();
    }

    fn rank(&self) -> Rank {
        self.0
    }
}

/// Submits as soon as there is a place.
pub(crate) fn submit_when_possible(pool: &Pool, mut make: impl FnMut() -> Box<dyn Task>) {
    let begin = Instant::now();
    while pool.submit(make()).is_err() {
        assert!(begin.elapsed() < PATIENCE, "there never was a place");
        thread::yield_now();
    }
}

/// Help that begins with a word and lasts until the other end of the second channel is dropped.
pub(crate) struct Lasting(Sender<()>, Mutex<Receiver<()>>);

impl HelperWork for Lasting {
    fn run(&self, _: &Turn<'_>) -> bool {
        self.0.send(()).unwrap();
        // The disconnection is what is waited for.
        let _ = self.1.lock().unwrap().recv_timeout(PATIENCE);
        false
    }
}

/// Help that lasts, what tells that it has begun, and what ends it.
pub(crate) fn lasting() -> (Arc<Lasting>, Receiver<()>, Sender<()>) {
    let ((begun, has_begun), (end, ended)) = (channel(), channel());
    let help = Arc::new(Lasting(begun, Mutex::new(ended)));
    (help, has_begun, end)
}

/// Help that takes this long.
pub(crate) struct Help(pub(crate) Duration);

impl HelperWork for Help {
    fn run(&self, _: &Turn<'_>) -> bool {
        thread::sleep(self.0);
        false
    }
}

/// Whether others need the worker now, of a task that is owed nothing.
pub(crate) fn is_over(turn: &Turn<'_>) -> bool {
    turn.is_over_but_for(Duration::ZERO, Instant::now())
}
