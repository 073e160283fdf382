//! The places of calls: how many may run at once, and how many of them on one connection.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tonic::Status;

use crate::service::status;
use crate::telemetry::Method;

/// The call that watches the health.
const WATCH: &str = "/grpc.health.v1.Health/Watch";

/// The minimum number of places for health checks, and for watches.
const LEAST_ASIDE: usize = 64;

/// The most watches of the health on one connection. A client has one for each name that it watches, of which there
/// are three; the others are for a balancer that brings several clients.
const WATCHES: usize = 8;

/// The most streams of reflection. A tool has one, for as long as it reads descriptors. They are answered without
/// accounting for the memory: a hundred kilobytes where nobody reads.
const REFLECTIONS: usize = 32;

/// The most of these on one connection.
const REFLECTIONS_OF_ONE: usize = 4;

/// The places for all calls. Nobody needs a token for health, and checks have to work when nothing else does; so
/// checks have places of their own, and so has what can last long: watches, as long as the caller likes, and
/// reflection, as long as a request may take to arrive.
#[derive(Clone, Debug)]
pub(super) struct Places {
    calls: Kind,
    checks: Kind,
    watches: Kind,
    reflections: Kind,
}

/// The places for calls of one kind.
#[derive(Clone, Debug)]
struct Kind {
    all: Arc<Semaphore>,
    /// Those of one connection.
    own: Arc<Semaphore>,
    /// How many these are.
    share: usize,
}

/// The place of a call.
#[derive(Debug)]
pub(super) struct Place {
    _of_all: OwnedSemaphorePermit,
    _of_own: OwnedSemaphorePermit,
}

impl Places {
    /// Places for so many calls.
    pub(super) fn new(max_calls: usize) -> Self {
        let aside = max_calls.max(LEAST_ASIDE);
        Self {
            calls: Kind::new(max_calls, max_calls),
            checks: Kind::new(aside, aside),
            watches: Kind::new(aside, WATCHES),
            reflections: Kind::new(REFLECTIONS, REFLECTIONS_OF_ONE),
        }
    }

    /// The same places for another connection.
    pub(super) fn for_peer(&self) -> Self {
        Self {
            calls: self.calls.for_peer(),
            checks: self.checks.for_peer(),
            watches: self.watches.for_peer(),
            reflections: self.reflections.for_peer(),
        }
    }

    /// Takes the place of a call.
    ///
    /// # Errors
    /// When there is none. A watch counts as not implemented then: for anything else, clients that watch the health
    /// would take the server for ill and make no calls, however well they would be answered.
    pub(super) fn take(
        &self,
        (method, is_ours): (Method, bool),
        path: &str,
    ) -> Result<Place, Status> {
        let (kind, refusal): (_, fn() -> Status) = if is_ours {
            (&self.calls, status::too_many_calls)
        } else if path == WATCH {
            (&self.watches, status::too_many_watches)
        } else if method == Method::Reflection {
            (&self.reflections, status::too_many_aside)
        } else {
            (&self.checks, status::too_many_aside)
        };
        kind.take().ok_or_else(refusal)
    }
}

impl Kind {
    fn new(all: usize, share: usize) -> Self {
        let places = |count: usize| Arc::new(Semaphore::new(count.min(Semaphore::MAX_PERMITS)));
        Self {
            all: places(all),
            own: places(share),
            share,
        }
    }

    fn for_peer(&self) -> Self {
        Self {
            own: Self::new(0, self.share).own,
            ..self.clone()
        }
    }

    fn take(&self) -> Option<Place> {
        Some(Place {
            _of_own: Arc::clone(&self.own).try_acquire_owned().ok()?,
            _of_all: Arc::clone(&self.all).try_acquire_owned().ok()?,
        })
    }
}
