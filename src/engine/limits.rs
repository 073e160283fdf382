//! What a request may spend: what it asked for, under the server's caps.

use std::time::{Duration, Instant};

/// The server's own caps on every search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// Node generations.
    pub nodes: u64,
    /// Wall-clock time from arrival.
    pub time: Duration,
    /// Bytes that one search may hold.
    pub memory: u64,
    /// The time that `BEST` takes when the request sets no limit at all.
    pub default_time: Duration,
}

/// The limits that a request asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Node generations.
    pub nodes: Option<u64>,
    /// Wall-clock time from arrival.
    pub time: Option<Duration>,
    /// Bytes.
    pub memory: Option<u64>,
}

/// More time than anybody waits, and a clock can still count it.
const FOREVER: Duration = Duration::from_secs(100 * 365 * 24 * 3600);

/// Limits after the caps were applied, and the instants at which a request must end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// When the request arrived.
    pub arrived: Instant,
    /// Node generations.
    pub nodes: u64,
    /// Bytes.
    pub memory: u64,
    /// Bytes that are held for its answer already.
    pub answer: u64,
    /// When its time limit ends.
    pub time_limit: Instant,
    /// When it must answer to keep the call's deadline, the margin for sending taken off.
    pub deadline: Option<Instant>,
    /// The last instant to wait for a first solution while there is none: half of the margin is left then.
    pub last_moment: Option<Instant>,
}

/// Which of the two instants came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUp {
    /// The time limit.
    Limit,
    /// The call's deadline.
    Deadline,
}

impl Limits {
    /// Applies the caps. `default_time` says whether the request is one that takes the default
    /// time when it sets no limit and has no deadline; `sending` how long it takes to send the answer, about.
    #[must_use]
    pub fn new(
        arrived: Instant,
        wanted: Wanted,
        timeout: Option<Duration>,
        default_time: bool,
        sending: Duration,
        caps: &Caps,
    ) -> Self {
        let margin = |timeout| margin(timeout, sending);
        let unlimited = wanted == Wanted::default() && timeout.is_none();
        let time = match wanted.time {
            Some(time) => time.min(caps.time),
            None if default_time && unlimited => caps.default_time.min(caps.time),
            None => caps.time,
        };
        let time = time.min(FOREVER);
        // A deadline beyond what a clock can hold is none.
        let before = |timeout: Duration, margin| arrived.checked_add(timeout - margin);
        Self {
            arrived,
            nodes: wanted.nodes.unwrap_or(u64::MAX).min(caps.nodes),
            memory: wanted.memory.unwrap_or(u64::MAX).min(caps.memory),
            answer: 0,
            time_limit: arrived + time,
            deadline: timeout.and_then(|timeout| before(timeout, margin(timeout))),
            last_moment: timeout.and_then(|timeout| before(timeout, margin(timeout) / 2)),
        }
    }

    /// The earlier of the two instants, and which it is.
    #[must_use]
    pub fn time_up(&self) -> (Instant, TimeUp) {
        match self.deadline {
            Some(deadline) if deadline < self.time_limit => (deadline, TimeUp::Deadline),
            _ => (self.time_limit, TimeUp::Limit),
        }
    }
}

/// Waits for an instant; for ever if there is none.
pub async fn until(instant: Option<Instant>) {
    match instant {
        // A timer takes a millisecond at the least.
        Some(instant) if instant <= Instant::now() => {}
        Some(instant) => tokio::time::sleep_until(instant.into()).await,
        None => std::future::pending().await,
    }
}

/// The part of a deadline that is kept for the way back: a quarter of it, 4 to 20 ms, and the time that it takes to send the
/// answer, up to a quarter again; but no more than half.
///
/// A slice of another task can be in the way (2 ms), threads have to be woken here and there, which takes
/// the system up to 4 ms where all cores are busy, and the client's clock began before ours.
#[must_use]
pub fn margin(timeout: Duration, sending: Duration) -> Duration {
    let back = (timeout / 4).clamp(Duration::from_millis(4), Duration::from_millis(20));
    (back + sending.min(timeout / 4)).min(timeout / 2)
}
