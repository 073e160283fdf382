//! What a request may spend: what it asked for, within the server's caps.

use std::time::{Duration, Instant};

/// The server's caps on every search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// Node generations.
    pub nodes: u64,
    /// Wall-clock time from arrival.
    pub time: Duration,
    /// Bytes that one search may hold.
    pub memory: u64,
    /// The time for a `BEST` request that sets no limit at all and has no deadline.
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

/// Longer than anybody waits, yet within what a clock can represent.
pub const FOREVER: Duration = Duration::from_secs(100 * 365 * 24 * 3600);

/// A request's limits after applying the caps, with the instants at which it must end, and what it holds already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// When the request arrived.
    pub arrived: Instant,
    /// Node generations.
    pub nodes: u64,
    /// Bytes.
    pub memory: u64,
    /// Bytes that the request holds already, for its answer.
    pub held: u64,
    /// When the time limit ends.
    pub time_limit: Instant,
    /// When it must answer to meet the call's deadline: the deadline minus the margin for sending.
    pub deadline: Option<Instant>,
    /// The last instant to wait for a first solution while there is none. Half of the margin is left then.
    pub last_moment: Option<Instant>,
}

/// Which of the two instants came first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUp {
    /// The time limit.
    Limit,
    /// The call's deadline.
    Deadline,
}

impl Limits {
    /// Applies the caps.
    ///
    /// `default_time` says whether the request takes the default time when it sets no limit and has
    /// no deadline. `sending` is roughly how long sending the answer takes.
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
        // A deadline beyond what a clock can represent counts as none.
        let before = |timeout: Duration, margin| arrived.checked_add(timeout - margin);
        Self {
            arrived,
            nodes: wanted.nodes.unwrap_or(u64::MAX).min(caps.nodes),
            memory: wanted.memory.unwrap_or(u64::MAX).min(caps.memory),
            held: 0,
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

/// Waits for an instant, or forever if there is none.
pub async fn until(instant: Option<Instant>) {
    match instant {
        // A timer would take at least a millisecond.
        Some(instant) if instant <= Instant::now() => {}
        Some(instant) => tokio::time::sleep_until(instant.into()).await,
        None => std::future::pending().await,
    }
}

/// The part of a timeout reserved for the way back: a quarter of it, clamped to 4 to 20 ms, plus
/// the time to send the answer, at most another quarter; at most half in all.
///
/// A slice of another task can be in the way (2 ms). Threads have to be woken on both sides, which can
/// take the system up to 4 ms when all cores are busy. And the client's clock started before ours.
#[must_use]
pub fn margin(timeout: Duration, sending: Duration) -> Duration {
    let back = (timeout / 4).clamp(Duration::from_millis(4), Duration::from_millis(20));
    (back + sending.min(timeout / 4)).min(timeout / 2)
}
