//! Work that would keep the other calls of a connection waiting.

use std::panic::resume_unwind;

use tokio_util::task::AbortOnDropHandle;
use tonic::Status;

use super::status;

/// Does `work` here, or in a task of its own when there is much of it. Dropping the call cancels
/// the task unless it has started.
///
/// # Errors
/// When the runtime ends.
///
/// # Panics
/// When the work does: a panic belongs to the call.
pub(super) async fn apart<T: Send + 'static>(
    is_much: bool,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Status> {
    if !is_much {
        return Ok(work());
    }
    let task = AbortOnDropHandle::new(tokio::spawn(async move { work() }));
    task.await.map_err(|failed| match failed.try_into_panic() {
        Ok(panic) => resume_unwind(panic),
        Err(_ended) => status::draining(),
    })
}
