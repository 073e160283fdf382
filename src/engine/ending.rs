//! Why a request was answered when it was, or why it was not.

use crate::search::{Progress, Stop};

use super::limits::TimeUp;

/// Why a request was answered when it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StopReason {
    /// What was asked for is proven.
    Proven,
    /// A first solution was found, and that was all that was asked for.
    FirstFound,
    /// The node limit was reached.
    NodeLimit,
    /// The time limit was reached.
    TimeLimit,
    /// The memory limit was reached, and no other method was left to try.
    MemoryLimit,
    /// The call's deadline came.
    Deadline,
    /// The method has nothing more to try.
    Exhausted,
}

impl From<Stop> for StopReason {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Proven => Self::Proven,
            Stop::FirstFound => Self::FirstFound,
            Stop::Memory => Self::MemoryLimit,
            Stop::Time => Self::TimeLimit,
            Stop::Exhausted => Self::Exhausted,
        }
    }
}

impl From<TimeUp> for StopReason {
    fn from(which: TimeUp) -> Self {
        match which {
            TimeUp::Limit => Self::TimeLimit,
            TimeUp::Deadline => Self::Deadline,
        }
    }
}

impl StopReason {
    /// Whether a limit came.
    #[must_use]
    pub const fn is_limit(self) -> bool {
        self.limit().is_some()
    }

    /// The limit's name in metrics, if the reason is a limit.
    pub(super) const fn limit(self) -> Option<&'static str> {
        match self {
            Self::NodeLimit => Some("nodes"),
            Self::TimeLimit => Some("time"),
            Self::MemoryLimit => Some("memory"),
            Self::Deadline => Some("deadline"),
            Self::Proven | Self::FirstFound | Self::Exhausted => None,
        }
    }
}

/// Why a request was not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A limit came before what was asked for.
    Limit {
        /// The limit that came.
        reason: StopReason,
        /// What the search had done until then.
        progress: Progress,
        /// The length of the best solution; 0 when there is none.
        best_length: usize,
        /// Whether any solution would have done.
        takes_any: bool,
        /// Whether no other method would have found one sooner.
        is_soonest: bool,
    },
    /// Others hold the memory that the search would need.
    Shortage,
    /// The call's deadline came first, and there is no more to tell.
    DeadlineExceeded,
    /// The engine is shutting down.
    Draining,
    /// A defect of loyd: a panic, or moves that do not lead to the goal.
    Defect,
}

impl Failure {
    /// The name of the failure in the log.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Limit { reason, .. } => match reason {
                StopReason::NodeLimit => "node_limit",
                StopReason::MemoryLimit => "memory_limit",
                StopReason::Deadline => "deadline",
                _ => "time_limit",
            },
            Self::Shortage => "overloaded",
            Self::DeadlineExceeded => "deadline",
            Self::Draining => "draining",
            Self::Defect => "defect",
        }
    }
}
