//! Work that would keep the other calls of a connection waiting.

use std::collections::HashMap;
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};
use tokio::task::{JoinHandle, spawn_blocking};
use tokio_util::task::AbortOnDropHandle;
use tonic::Status;

use super::access::Identity;
use super::call::Call;
use super::status;
use crate::engine::until;

/// How many do such work at once. More would take the processor from the threads that serve clients.
const AT_ONCE: usize = 2;

/// How much there is to do for an answer: the numbers in its message.
#[derive(Clone, Copy, Debug, Default)]
pub struct Load {
    numbers: usize,
    /// When there is no more time to wait for a place.
    by: Option<Instant>,
}

impl Load {
    /// This many are worked out, and then encoded, on the thread where the call arrived: each of the two
    /// takes up to a fifth of a millisecond.
    const HERE: usize = 64 * 1024;

    /// The most that do not wait until their deadline for a place: a few milliseconds of a thread.
    const HURRIED: usize = 512 * 1024;

    /// Roughly how long a number takes to work out and encode.
    const NANOSECONDS: u64 = 10;

    /// An answer of `numbers` numbers, which is of use until the `deadline`, if any.
    pub(super) fn new(numbers: usize, deadline: Option<Instant>) -> Self {
        let takes = Duration::from_nanos(Self::NANOSECONDS * numbers as u64);
        let by = deadline.and_then(|deadline| deadline.checked_sub(takes));
        Self {
            numbers,
            by: by.filter(|_| numbers <= Self::HURRIED),
        }
    }

    /// Whether it would keep others waiting.
    pub(super) const fn is_large(self) -> bool {
        self.numbers > Self::HERE
    }
}

/// Where calls wait for a place to do such work.
///
/// Clients wait in turn: of each client, or connection without a name, no more calls stand in the line that all
/// share, or do their work, than there are places. However many calls one has, another waits for one of them.
#[derive(Clone, Debug)]
pub struct Line {
    all: Arc<All>,
    /// The turns of a connection.
    own: Arc<Semaphore>,
}

/// What all connections share.
#[derive(Debug)]
struct All {
    places: Arc<Semaphore>,
    /// The turns of the clients whose calls wait.
    clients: Mutex<HashMap<Identity, Weak<Semaphore>>>,
}

/// Is given back when the work is done.
struct Place {
    _place: OwnedSemaphorePermit,
    _turn: OwnedSemaphorePermit,
}

impl Line {
    /// A line in which nobody waits.
    #[must_use]
    pub fn new() -> Self {
        Self {
            all: Arc::new(All {
                places: Arc::new(Semaphore::new(AT_ONCE)),
                clients: Mutex::default(),
            }),
            own: turns(),
        }
    }

    /// The same line for another connection.
    #[must_use]
    pub fn for_peer(&self) -> Self {
        Self {
            all: Arc::clone(&self.all),
            own: turns(),
        }
    }

    /// Answers whoever waits that the server is draining, now and from now on.
    pub fn close(&self) {
        self.all.places.close();
    }

    async fn place(&self, client: Option<Identity>) -> Result<Place, AcquireError> {
        let own = match client {
            Some(client) => self.turns_of(client),
            None => Arc::clone(&self.own),
        };
        let turn = own.acquire_owned().await?;
        let place = Arc::clone(&self.all.places).acquire_owned().await?;
        Ok(Place {
            _place: place,
            _turn: turn,
        })
    }

    fn turns_of(&self, client: Identity) -> Arc<Semaphore> {
        let mut clients = self
            .all
            .clients
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = clients.get(&client).and_then(Weak::upgrade) {
            return own;
        }
        clients.retain(|_, own| own.strong_count() > 0);
        let own = turns();
        clients.insert(client, Arc::downgrade(&own));
        own
    }
}

impl Default for Line {
    fn default() -> Self {
        Self::new()
    }
}

fn turns() -> Arc<Semaphore> {
    Arc::new(Semaphore::new(AT_ONCE))
}

/// Does a part of the work for a call's answer here or, when there is [much](Load) of it, on a thread of its own,
/// once there is a place. Dropping the call cancels that unless it has started.
///
/// # Errors
/// When the server drains while the call waits, or the runtime ends.
///
/// # Panics
/// When the work does: a panic belongs to the call.
#[expect(
    clippy::disallowed_methods,
    reason = "no search: it takes some tens of milliseconds, and there are two at most"
)]
pub(super) async fn apart<T: Send + 'static>(
    call: &Call,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Status> {
    let load = call.load();
    if !load.is_large() {
        return Ok(work());
    }
    let line = call.line().clone();
    let client = call.record().client;
    // A task of its own takes the place that it waits for. A call whose peer reads nothing is not polled, and
    // would keep it from others.
    let task = tokio::spawn(async move {
        let place = tokio::select! {
            biased;
            place = line.place(client) => place.map_err(|_| status::draining())?,
            () = until(load.by) => return Ok(work()),
        };
        ended(spawn_blocking(move || {
            let done = work();
            drop(place);
            done
        }))
        .await
    });
    ended(task).await?
}

/// What a task returns.
async fn ended<T>(task: JoinHandle<T>) -> Result<T, Status> {
    let ended = AbortOnDropHandle::new(task).await;
    ended.map_err(|failed| match failed.try_into_panic() {
        Ok(panic) => resume_unwind(panic),
        Err(_ended) => status::draining(),
    })
}
