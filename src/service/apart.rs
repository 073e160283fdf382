//! Work that would keep the other calls of a connection waiting.

use std::panic::resume_unwind;

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio_util::task::AbortOnDropHandle;
use tonic::Status;

use super::status;

/// How many do such work at once. More would take the processor from the threads that serve clients.
const AT_ONCE: usize = 2;

/// Does `work` here or, when there is much of it, on a thread of its own, once there is a place. Dropping the
/// call cancels that unless it has started.
///
/// # Errors
/// When the runtime ends.
///
/// # Panics
/// When the work does: a panic belongs to the call.
#[expect(
    clippy::disallowed_methods,
    reason = "no search: it takes some tens of milliseconds, and there are two at most"
)]
pub(super) async fn apart<T: Send + 'static>(
    is_much: bool,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Status> {
    static PLACES: Semaphore = Semaphore::const_new(AT_ONCE);
    if !is_much {
        return Ok(work());
    }
    let place = PLACES.acquire().await.map_err(|_| status::draining())?;
    let task = AbortOnDropHandle::new(spawn_blocking(move || {
        let done = work();
        drop(place);
        done
    }));
    task.await.map_err(|failed| match failed.try_into_panic() {
        Ok(panic) => resume_unwind(panic),
        Err(_ended) => status::draining(),
    })
}
