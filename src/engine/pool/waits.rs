//! How long newcomers wait: for a place in the pool, and then in line for their first turn.

use std::time::{Duration, Instant};

use crate::engine::average::Average;

/// What is learned about that as tasks come, begin and leave.
#[derive(Default)]
pub(super) struct Waits {
    /// When a task last left, or came when there was none.
    left: Option<Instant>,
    /// When a task last came or left, while there are any.
    changed: Option<Instant>,
    /// The average time between two tasks that leave, while there are others.
    vacancy: Average,
    /// When the last newcomer had its turn.
    moved: Option<Instant>,
    /// The average time that a newcomer spends at each place in the line.
    step: Average,
}

impl Waits {
    /// A task comes `now`.
    pub(super) fn come(&mut self, now: Instant) {
        self.left.get_or_insert(now);
        self.changed = Some(now);
    }

    /// The first turn of a newcomer begins, which has waited `since`. Returns how long that was.
    pub(super) fn begin(&mut self, since: Instant) -> Duration {
        let now = Instant::now();
        let before = self.moved.replace(now).unwrap_or(since);
        // It was next in line since the turn of the newcomer before it.
        self.step.learn(now - before.max(since));
        now - since
    }

    /// A task leaves, which may be the last one.
    pub(super) fn leave(&mut self, is_last: bool) {
        let now = Instant::now();
        if let Some(before) = self.left {
            self.vacancy.learn(now - before);
        }
        self.left = (!is_last).then_some(now);
        self.changed = self.left;
    }

    /// About how long it takes until a task leaves. The longer none has come or left, the longer that is.
    pub(super) fn for_a_place(&self) -> Duration {
        let unchanged = self.changed.map_or(Duration::ZERO, |at| at.elapsed());
        self.vacancy.get().max(unchanged)
    }

    /// About how long it takes until so many newcomers have had their first turn.
    pub(super) fn in_line(&self, ahead: usize) -> Duration {
        let ahead = u32::try_from(ahead).unwrap_or(u32::MAX);
        self.step.get().saturating_mul(ahead)
    }
}
