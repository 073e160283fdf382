//! The places of calls: how many may run at once, and how many of them on one connection.

use std::sync::Arc;

use tonic::Status;

use crate::service::peer::{Permit, Permits, Shortage};
use crate::service::status;
use crate::telemetry::Method;

/// The call that watches the health.
const WATCH: &str = "/grpc.health.v1.Health/Watch";

/// The minimum number of places for health checks, and for watches.
const LEAST_ASIDE: usize = 64;

/// One place in so many is kept.
const KEPT: usize = 8;

/// The most kept places for one connection.
const FEW: usize = 8;

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
    calls: PartlyKept,
    checks: PartlyKept,
    watches: Permits,
    reflections: Permits,
    shortage: Arc<Shortage>,
}

impl Places {
    /// Places for so many calls.
    pub(super) fn new(max_calls: usize) -> Self {
        let aside = max_calls.max(LEAST_ASIDE);
        Self {
            calls: PartlyKept::new(max_calls),
            checks: PartlyKept::new(aside),
            watches: Permits::new(aside, WATCHES),
            reflections: Permits::new(REFLECTIONS, REFLECTIONS_OF_ONE),
            shortage: Arc::default(),
        }
    }

    /// The same places for another connection.
    pub(super) fn for_peer(&self) -> Self {
        Self {
            calls: self.calls.for_peer(),
            checks: self.checks.for_peer(),
            watches: self.watches.for_peer(),
            reflections: self.reflections.for_peer(),
            shortage: Arc::clone(&self.shortage),
        }
    }

    /// Where it is told when there are none for calls.
    pub(super) const fn shortage(&self) -> &Arc<Shortage> {
        &self.shortage
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
    ) -> Result<Permit, Status> {
        let (place, refusal): (_, fn() -> Status) = if is_ours {
            let place = self.calls.take();
            if place.is_none() {
                self.shortage.tell();
            }
            (place, status::too_many_calls)
        } else if path == WATCH {
            (self.watches.take(1), status::too_many_watches)
        } else if method == Method::Reflection {
            (self.reflections.take(1), status::too_many_aside)
        } else {
            (self.checks.take(), status::too_many_aside)
        };
        place.ok_or_else(refusal)
    }
}

/// Places of which some are kept from those who hold many: a connection gets few of them.
#[derive(Clone, Debug)]
struct PartlyKept {
    most: Permits,
    kept: Permits,
}

impl PartlyKept {
    fn new(places: usize) -> Self {
        let kept = places / KEPT;
        let most = places - kept;
        Self {
            most: Permits::new(most, most),
            kept: Permits::new(kept, FEW),
        }
    }

    fn for_peer(&self) -> Self {
        Self {
            most: self.most.for_peer(),
            kept: self.kept.for_peer(),
        }
    }

    fn take(&self) -> Option<Permit> {
        self.most.take(1).or_else(|| self.kept.take(1))
    }
}
