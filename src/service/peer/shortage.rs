//! Tells all connections when calls find no place, so that those that wait for their peers make way.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

/// The shortest time from one time that it is told to the next. A flood is refused far more often, and to tell it takes
/// as long as there are connections.
const PAUSE: Duration = Duration::from_millis(100);

/// A lack of places, as all connections hear of it.
#[derive(Debug, Default)]
pub struct Shortage {
    heard: Notify,
    told: Mutex<Option<Instant>>,
}

impl Shortage {
    /// Tells all that wait for it, unless they have just been told.
    pub fn tell(&self) {
        let now = Instant::now();
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.is_none_or(|told| now.duration_since(told) >= PAUSE) {
            *told = Some(now);
            self.heard.notify_waiters();
        }
    }

    /// Waits until it is told.
    pub async fn is_told(&self) {
        self.heard.notified().await;
    }
}
