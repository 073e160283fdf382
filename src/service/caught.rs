//! Panics, each of which costs only what was being done.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;

use crate::telemetry;

/// What comes of `work`; none when it panics, which is counted under the name of its place.
pub(super) async fn caught<T>(place: &'static str, work: impl Future<Output = T>) -> Option<T> {
    let ended = AssertUnwindSafe(work).catch_unwind().await;
    ended.inspect_err(|_| telemetry::panic(place)).ok()
}
