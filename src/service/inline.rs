//! Runs a call where it arrived, as far as it gets without waiting.
//!
//! Cheap calls and refusals are over by then: they need no task of their own, no thread that has to be woken
//! for it, and their answers leave together. Whatever waits becomes a task.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::{Context, Poll, Waker};

use hyper::rt::Executor;

use crate::telemetry;

/// Runs futures at once, and spawns what is left of them.
#[derive(Clone, Copy, Debug)]
pub struct Inline;

impl<F> Executor<F> for Inline
where
    F: Future<Output = ()> + Send + 'static,
{
    fn execute(&self, future: F) {
        let mut future = Box::pin(future);
        // Nobody is woken: whoever waits is asked again as a task.
        let mut context = Context::from_waker(Waker::noop());
        // A panic costs this call alone, as it would in a task of its own.
        let polled = catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(&mut context)));
        match polled {
            Ok(Poll::Pending) => drop(tokio::spawn(future)),
            Ok(Poll::Ready(())) => {}
            Err(_) => telemetry::panic("call"),
        }
    }
}
