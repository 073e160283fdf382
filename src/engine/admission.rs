//! Who is refused: a request for which there is no room, or to which no answer could come in time.

use std::time::Duration;

use thiserror::Error;

use crate::search::plan::PlanError;
use crate::telemetry;

/// Why a request was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Refused {
    /// The method cannot do what is asked of it.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// There is no room, or no time.
    #[error("{lack}: try again in {} ms", retry_after.as_millis())]
    Overloaded {
        /// What there is too little of.
        lack: Lack,
        /// When it is worth trying again.
        retry_after: Duration,
    },
    /// It takes more memory than there is for all, and would so at any other time.
    #[error(
        "this takes more memory than the server has for all searches and answers: ask for less at once, or raise the \
         server's --memory"
    )]
    Memory,
    /// The engine is shutting down.
    #[error("the server is shutting down: try another one")]
    Draining,
}

/// What an overloaded server has too little of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Lack {
    /// Places in the pool.
    #[error("too many searches are waiting")]
    Places,
    /// Places for this client.
    #[error("this client's searches have its share of the places")]
    Share,
    /// Memory.
    #[error("searches and answers hold all the memory that there is")]
    Memory,
    /// Time before the deadline, or within the time limit.
    #[error("too many searches are waiting to answer in time")]
    Time,
}

impl Lack {
    /// In a word, for the metrics.
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
    /// A refusal for the lack of something, after a backlog that takes so long: it is counted.
    pub(super) fn overloaded(lack: Lack, backlog: Duration) -> Self {
        /// Sooner nothing will have changed, and later nobody waits.
        const RETRY: std::ops::RangeInclusive<Duration> =
            Duration::from_millis(20)..=Duration::from_millis(20 << 8);
        telemetry::overloaded(lack.name());
        // Doubled until it is enough: few different refusals compress well.
        let mut retry_after = *RETRY.start();
        while retry_after < backlog && retry_after < *RETRY.end() {
            retry_after *= 2;
        }
        Self::Overloaded { lack, retry_after }
    }
}

/// The part of its time that a request may wait, one in so many: the estimate can be wrong by as
/// much again before its answer is late.
const PART: u32 = 2;

/// The same while the line stands: more is asked than can be done, so that some have to be
/// refused, and those that are not need not wait for it.
const PART_OF_MANY: u32 = 4;

/// Refuses an answer that cannot be promised within the time that is `left`, because it has to
/// `wait`, perhaps in a line that `stands`, and takes `work`. Without a wait there is no such
/// answer: an estimate of the work that nobody may disprove would stay wrong for ever.
pub(super) fn in_time(
    wait: Option<Duration>,
    stands: bool,
    work: Duration,
    left: Option<Duration>,
) -> Result<(), Refused> {
    let part = if stands { PART_OF_MANY } else { PART };
    match (wait, left) {
        // To whom no time is left, it is his deadline that has come.
        (Some(wait), Some(left)) if !left.is_zero() && wait > left.saturating_sub(work) / part => {
            Err(Refused::overloaded(Lack::Time, wait))
        }
        _ => Ok(()),
    }
}
