//! How long calls wait for their peer, and when a connection should go: its peer takes no answers, or makes no calls,
//! or has been there for long.
//!
//! In short, where S is `--stall-timeout` and M is `--max-time`:
//!
//! | What the peer does not do | What ends | While others find no place, the call ends |
//! |---|---|---|
//! | send all of a request | the call after S, or 2 s for health | |
//! | send the next 4 KiB of a request | | after 1 s |
//! | take the first piece of an answer | the connection after S | after 1 s |
//! | take the next piece | the call after S | after 10 s, or S if that is less |
//! | take all pieces, which wait so long together | the call after M + S | after M + S |
//! | take the rest of an answer that is over for us | the connection after 2 S | |
//! | take anything that is ready to be sent | the connection after S | |
//!
//! A call that ends is refused if its request was arriving, and otherwise given up: its stream is reset. Places are
//! those of calls: health checks, watches and reflection have others, and end only as usual. While others find no
//! memory for their requests, those that hold some are refused after 1 s, too. Near the end of a drain, all requests
//! are refused that have not arrived. A connection that ends is told to go, and is closed after another S.

use std::time::{Duration, Instant};

use super::{End, Gather, Stream};
use crate::config::ServeConfig;
use crate::service::peer::{Patience, Peer};
use crate::telemetry;

/// The relative variation of connection ages, in both directions, so that clients that connected
/// together do not reconnect together.
const JITTER: f64 = 0.1;

/// How long a call waits for [`Progress`](crate::service::peer::Progress) of its request, and for its peer to begin to
/// take the answer, while others find no place, or no memory for their requests. Either follows at once.
pub(super) const IN_SHORTAGE: Duration = Duration::from_secs(1);

/// How long it waits then for its peer to take another piece of the answer, of 64 KiB mostly. Some peers are slow.
const PIECE_IN_SHORTAGE: Duration = Duration::from_secs(10);

/// Why a connection was told to go, and when it is closed if it has not gone. In a drain, `close`
/// is `None`: whoever drains closes it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaving {
    pub(super) why: End,
    told: Instant,
    close: Option<Instant>,
}

impl Leaving {
    /// It leaves because the server does.
    pub(super) fn for_drain() -> Self {
        Self {
            why: End::Drain,
            told: Instant::now(),
            close: None,
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.close.is_some_and(|close| close <= Instant::now())
    }
}

/// Whether a connection may stay. It is looked at from time to time.
pub(super) struct Stay<'c> {
    config: &'c ServeConfig,
    peer: &'c Peer,
    /// When the connection reaches its maximum age.
    old: Option<Instant>,
    /// Since when answers that are over for us have waited on the wire.
    overdue: Option<Instant>,
}

impl<'c> Stay<'c> {
    pub(super) fn new(config: &'c ServeConfig, peer: &'c Peer) -> Self {
        let age = config.max_connection_age;
        let chance = f64::from(getrandom::u32().unwrap_or_default()) / f64::from(u32::MAX);
        let age = age.mul_f64(1.0 + JITTER * (2.0 * chance - 1.0));
        Self {
            config,
            peer,
            old: Instant::now().checked_add(age).filter(|_| !age.is_zero()),
            overdue: None,
        }
    }

    /// Often enough to keep each of the times to within a quarter.
    pub(super) fn interval(&self) -> Duration {
        let config = self.config;
        [
            config.stall_timeout,
            config.max_connection_age,
            config.max_connection_idle,
        ]
        .into_iter()
        .filter(|time| !time.is_zero())
        .min()
        .map_or(Duration::from_secs(1), |time| time / 4)
        .max(Duration::from_millis(1))
    }

    /// How long the calls of a connection that is told to go have to end: as long as a search may
    /// take, and some time to read the answer. Watches of the health have no end, and can be started
    /// again elsewhere.
    fn time_to_end(&self) -> Duration {
        let config = self.config;
        config
            .engine
            .max_time()
            .saturating_add(config.stall_timeout)
    }

    /// How long answers wait for the peer: until it leaves one that it has begun to take, or takes it so late that all
    /// of it takes longer than a call. Only its call is ended then: others may share the connection.
    pub(super) fn patience(&self) -> Patience {
        Patience {
            first: Duration::MAX,
            next: self.config.stall_timeout,
            all: self.time_to_end(),
            calls_alone: false,
        }
    }

    /// The same while others find no place.
    pub(super) fn patience_in_shortage(&self) -> Patience {
        let usual = self.patience();
        Patience {
            first: IN_SHORTAGE,
            next: PIECE_IN_SHORTAGE.min(usual.next),
            calls_alone: true,
            ..usual
        }
    }

    /// Whether the peer fails to take answers: it takes nothing of one, or does not take the rest of one that
    /// is over for us, or takes nothing at all.
    fn is_stalled(&mut self, stream: &Gather<Stream>) -> bool {
        let patience = self.config.stall_timeout;
        let silent = stream.with(|stream| stream.silent_for(patience));
        if silent <= self.peer.in_the_making(patience) {
            self.overdue = None;
        } else {
            self.overdue.get_or_insert_with(Instant::now);
        }
        // A stream that has sent little for long may be about to end.
        let is_overdue = |since: Instant| since.elapsed() > patience;
        self.peer.deaf_for() > patience
            || stream.blocked_for() > patience
            || self.overdue.is_some_and(is_overdue)
    }

    pub(super) fn look(&mut self, stream: &Gather<Stream>) -> Option<Leaving> {
        let config = self.config;
        let leave = |why, grace: Duration| Leaving {
            why,
            told: Instant::now(),
            close: Instant::now().checked_add(grace),
        };
        let calls = self.time_to_end();
        let idle = config.max_connection_idle;
        if self.is_stalled(stream) {
            telemetry::connection_stalled();
            Some(leave(End::Stalled, config.stall_timeout))
        } else if !idle.is_zero() && self.peer.idle_for() > idle {
            Some(leave(End::Idle, calls))
        } else if self.old.is_some_and(|old| old <= Instant::now()) {
            Some(leave(End::Age, calls))
        } else {
            None
        }
    }

    /// Whether an idle peer has been told to go and has neither gone nor asked for anything. A call
    /// that was on its way at the time still gets a chance.
    pub(super) fn is_deserted(&self, leaving: &Leaving) -> bool {
        let patience = self.config.keepalive_timeout;
        leaving.why == End::Idle
            && leaving.told.elapsed() > patience
            && self.peer.idle_for() > patience
    }
}
