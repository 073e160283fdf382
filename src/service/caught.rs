//! Panics, contained so that each costs only the work in which it happened.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;

use crate::telemetry;

/// Returns the result of `work`, or `None` when it panics. Panics are counted under `place`.
pub(super) async fn caught<T>(place: &'static str, work: impl Future<Output = T>) -> Option<T> {
    let ended = AssertUnwindSafe(work).catch_unwind().await;
    ended.inspect_err(|_| telemetry::panic(place)).ok()
}
