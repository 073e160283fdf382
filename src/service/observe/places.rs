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

/// The health checks of one connection that have places even when others hold all: probes come one at a time, and
/// whoever sends none of their requests whole is not to keep them out.
const CHECKS_OF_ONE: usize = 8;

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
    calls: Permits,
    checks: Permits,
    few_checks: Permits,
    watches: Permits,
    reflections: Permits,
    shortage: Arc<Shortage>,
}

impl Places {
    /// Places for so many calls.
    pub(super) fn new(max_calls: usize) -> Self {
        let aside = max_calls.max(LEAST_ASIDE);
        Self {
            calls: Permits::new(max_calls, max_calls),
            checks: Permits::new(aside, aside),
            few_checks: Permits::new(aside, CHECKS_OF_ONE),
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
            few_checks: self.few_checks.for_peer(),
            watches: self.watches.for_peer(),
            reflections: self.reflections.for_peer(),
            shortage: Arc::clone(&self.shortage),
        }
    }

    /// Where it is told when there are too few.
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
            (self.calls.take(1), status::too_many_calls)
        } else if path == WATCH {
            (self.watches.take(1), status::too_many_watches)
        } else if method == Method::Reflection {
            (self.reflections.take(1), status::too_many_aside)
        } else {
            let of_few = || self.few_checks.take(1);
            (self.checks.take(1).or_else(of_few), status::too_many_aside)
        };
        place.ok_or_else(|| {
            self.shortage.tell();
            refusal()
        })
    }
}
