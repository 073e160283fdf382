//! Admission control: refuses a request for which there is no room, or whose answer could not come in time.

use std::time::Duration;

use thiserror::Error;

use super::pool::Client;
use crate::search::plan::PlanError;
use crate::telemetry;

/// Why a request was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Refused {
    /// The method cannot do what is asked of it.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// There is no room, or no time.
    #[error("{lack}: try again in {} ms", retry_after.as_millis())]
    Overloaded {
        /// What is lacking.
        lack: Lack,
        /// When it is worth trying again.
        retry_after: Duration,
    },
    /// The request needs more memory than there is in all, so it would never succeed.
    #[error(
        "this request needs more memory than the server has for all searches and answers: ask for less at once, or \
         raise the server's --memory"
    )]
    Memory,
    /// The engine is shutting down.
    #[error("the server is shutting down: try another one")]
    Draining,
}

/// What an overloaded server lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Lack {
    /// Places in the pool.
    #[error("too many searches are waiting")]
    Places,
    /// Places for this client.
    #[error("this client's searches already fill its share of the places")]
    Share,
    /// Memory.
    #[error("searches and answers hold all available memory")]
    Memory,
    /// Time before the deadline, or within the time limit.
    #[error("too many searches are waiting for an answer to come in time")]
    Time,
}

impl Lack {
    /// The name of this lack in metrics.
    const fn name(self) -> &'static str {
        match self {
            Self::Places => "queue",
            Self::Share => "share",
            Self::Memory => "memory",
            Self::Time => "time",
        }
    }
}

impl Refused {
    /// An overload refusal of a client, where it is known, given how long the backlog will take. Counts it in
    /// the metrics.
    pub(super) fn overloaded(lack: Lack, client: Option<&Client>, backlog: Duration) -> Self {
        /// Sooner than this nothing will have changed; later than this nobody is waiting.
        const RETRY: std::ops::RangeInclusive<Duration> =
            Duration::from_millis(20)..=Duration::from_millis(20 << 8);
        telemetry::overloaded(lack.name(), client.map(|client| &*client.name));
        // Doubled until it is long enough: refusals with few distinct values compress well.
        let mut retry_after = *RETRY.start();
        while retry_after < backlog && retry_after < *RETRY.end() {
            retry_after *= 2;
        }
        Self::Overloaded { lack, retry_after }
    }
}

/// A request may wait for 1/`WAIT_DIVISOR` of its time. The estimate can then be wrong by as much again
/// before the answer is late.
const WAIT_DIVISOR: u32 = 2;

/// The same fraction while the line stands. More is asked than can be done, so some requests must
/// be refused, and the rest need not wait long.
const WAIT_DIVISOR_IN_LINE: u32 = 4;

/// Refuses a client's request whose answer cannot be promised within the time `left`, because it must
/// `wait`, perhaps in a line that `stands`, and then takes `work`.
///
/// A request that need not wait is never refused: if it were, nothing could ever correct an
/// estimate of the work that is too high.
///
/// # Errors
/// [`Lack::Time`], for as long as it must wait.
pub fn in_time(
    client: Option<&Client>,
    wait: Option<Duration>,
    stands: bool,
    work: Duration,
    left: Option<Duration>,
) -> Result<(), Refused> {
    let part = if stands {
        WAIT_DIVISOR_IN_LINE
    } else {
        WAIT_DIVISOR
    };
    match (wait, left) {
        // When no time is left at all, the request fails with its own deadline instead.
        (Some(wait), Some(left)) if !left.is_zero() && wait > left.saturating_sub(work) / part => {
            Err(Refused::overloaded(Lack::Time, client, wait))
        }
        _ => Ok(()),
    }
}
