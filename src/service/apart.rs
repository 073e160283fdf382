//! Work that would keep the other calls of a connection waiting: it is done on threads of its own.

use std::panic::resume_unwind;

use tokio_util::task::AbortOnDropHandle;
use tonic::Status;

use super::call::Call;
use super::status;
use crate::engine::until;

/// Does a part of the work for a call's answer here or, when there is [much](super::load::Load) of it, on a thread for
/// such work, once there is a place. Dropping the call cancels that unless it has started. Where no server has started
/// such threads, all of it is done here.
///
/// # Errors
/// When the server drains while the call waits, or the runtime ends.
///
/// # Panics
/// When the work does: a panic belongs to the call.
pub(super) async fn apart<T: Send + 'static>(
    call: &Call,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Status> {
    let load = call.load();
    if !load.is_large() {
        return Ok(work());
    }
    let Some(hands) = call.line().hands().cloned() else {
        return Ok(work());
    };
    let line = call.line().clone();
    let client = call.record().client;
    // A task of its own takes the place that it waits for. A call whose peer reads nothing is not polled, and
    // would keep it from others.
    let task = tokio::spawn(async move {
        let place = tokio::select! {
            biased;
            place = line.place(client) => place.map_err(|_| status::draining())?,
            () = until(load.by) => return Ok(work()),
        };
        let work = move || {
            let done = work();
            drop(place);
            done
        };
        Ok(hands
            .run(work)
            .await
            .unwrap_or_else(|panic| resume_unwind(panic)))
    });
    let ended = AbortOnDropHandle::new(task).await;
    ended.unwrap_or_else(|failed| match failed.try_into_panic() {
        Ok(panic) => resume_unwind(panic),
        Err(_ended) => Err(status::draining()),
    })
}
