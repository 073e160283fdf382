//! Runs a call where it arrived, as far as it gets without waiting, and keeps it with its connection.
//!
//! Cheap calls and refusals are over by then. Those that wait go on as part of the connection's own
//! task: one for each would have to be woken by what it waits for, and would then wake the
//! connection's to have its answer sent. So answers that are ready together leave together, too.

use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, Stream};
use hyper::rt::Executor;

use crate::telemetry;

/// Runs futures at once, and leaves what waits to the connection.
#[derive(Clone, Default)]
pub struct Inline(Arc<Mutex<Vec<BoxFuture<'static, ()>>>>);

impl Inline {
    fn waiting(&self) -> MutexGuard<'_, Vec<BoxFuture<'static, ()>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<F> Executor<F> for Inline
where
    F: Future<Output = ()> + Send + 'static,
{
    fn execute(&self, future: F) {
        // A panic costs this call alone.
        let caught = AssertUnwindSafe(future).catch_unwind().map(|ended| {
            if ended.is_err() {
                telemetry::panic("call");
            }
        });
        let mut call = caught.boxed();
        // Nobody is woken: whoever waits is asked again.
        let mut context = Context::from_waker(Waker::noop());
        if call.as_mut().poll(&mut context).is_pending() {
            self.waiting().push(call);
        }
    }
}

/// The calls of a connection that wait. Dropping it ends them.
pub struct UnderWay {
    came: Inline,
    under_way: FuturesUnordered<BoxFuture<'static, ()>>,
}

impl UnderWay {
    /// Those that will be left by `came`.
    #[must_use]
    pub fn of(came: Inline) -> Self {
        Self {
            came,
            under_way: FuturesUnordered::new(),
        }
    }

    /// Goes on with those that need not wait any longer, and begins to wait for those that came.
    pub fn go_on(&mut self, cx: &mut Context<'_>) {
        let came = std::mem::take(&mut *self.came.waiting());
        self.under_way.extend(came);
        while let Poll::Ready(Some(())) = Pin::new(&mut self.under_way).poll_next(cx) {}
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        // What came last may hold the list that it is in.
        let came = std::mem::take(&mut *self.came.waiting());
        drop(came);
    }
}
