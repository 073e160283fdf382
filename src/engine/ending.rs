//! Why a request was answered when it was, or why it was not.

use crate::search::{Progress, Stop};

/// Why a request was answered when it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StopReason {
    /// What was asked for is proven.
    Proven,
    /// The first solution was asked for.
    FirstFound,
    /// The node limit.
    NodeLimit,
    /// The time limit.
    TimeLimit,
    /// The memory limit, and no other method was left.
    MemoryLimit,
    /// The call's deadline.
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
            Stop::Exhausted => Self::Exhausted,
        }
    }
}

impl StopReason {
    /// The limit that it is, as the metrics call it.
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
        /// Which limit.
        reason: StopReason,
        /// What the search did until then.
        progress: Progress,
        /// The length of the best solution; 0 when there is none.
        best_length: usize,
        /// Whether any solution would have done.
        takes_any: bool,
    },
    /// Others hold the memory that it would take.
    Shortage,
    /// The call's deadline came first.
    DeadlineExceeded,
    /// The engine is shutting down.
    Draining,
    /// A defect of loyd: a panic, or moves that do not lead to the goal.
    Defect,
}

impl Failure {
    /// In a word, for the log.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Limit { reason, .. } => match reason {
                StopReason::NodeLimit => "node_limit",
                StopReason::MemoryLimit => "memory_limit",
                _ => "time_limit",
            },
            Self::Shortage => "overloaded",
            Self::DeadlineExceeded => "deadline",
            Self::Draining => "draining",
            Self::Defect => "defect",
        }
    }
}
