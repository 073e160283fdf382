//! Tells all connections when calls find no place, so that those that wait for their peers make way.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use super::locked;

/// How long it is not told again. A flood is refused far more often, and telling wakes all connections.
const PAUSE: Duration = Duration::from_millis(250);

/// A lack of places, as all connections hear of it.
#[derive(Debug, Default)]
pub struct Shortage {
    heard: Notify,
    last: Mutex<Option<Instant>>,
}

impl Shortage {
    /// Tells all that wait for it, unless they have just been told.
    pub fn tell(&self) {
        if self.is_due() {
            self.heard.notify_waiters();
        }
    }

    /// Whether it has not been told for a while. Records that it is.
    fn is_due(&self) -> bool {
        let now = Instant::now();
        let mut last = locked(&self.last);
        let is_due = last.is_none_or(|last| now.duration_since(last) >= PAUSE);
        if is_due {
            *last = Some(now);
        }
        is_due
    }

    /// Waits until it is told.
    pub async fn told(&self) {
        self.heard.notified().await;
    }
}
