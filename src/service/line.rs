//! Where calls wait whose answers take long to make.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};

use super::access::Identity;
use super::hands::Hands;
use crate::telemetry;

/// How many do such work at once. More would take the processor from the threads that serve clients.
const AT_ONCE: usize = 2;

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
    /// A thread for each place, once they have been started.
    hands: OnceLock<Hands>,
    /// The turns of the clients whose calls wait.
    clients: Mutex<HashMap<Identity, Weak<Semaphore>>>,
}

/// Is given back when the work is done.
pub(super) struct Place {
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
                hands: OnceLock::new(),
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

    /// Starts the threads that do the work.
    ///
    /// # Errors
    /// When the operating system refuses a thread.
    pub fn start(&self) -> io::Result<()> {
        let hands = Hands::start(AT_ONCE)?;
        self.all.hands.get_or_init(|| hands);
        Ok(())
    }

    /// The threads that do the work, if they have been started.
    pub(super) fn hands(&self) -> Option<&Hands> {
        self.all.hands.get()
    }

    /// Answers whoever waits that the server is draining, now and from now on.
    pub fn close(&self) {
        self.all.places.close();
    }

    /// Waits for a place.
    pub(super) async fn place(&self, client: Option<Identity>) -> Result<Place, AcquireError> {
        let _waits = telemetry::large_answer();
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
