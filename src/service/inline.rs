//! Runs a call where it arrived, as far as it gets without waiting.
//!
//! Cheap calls and refusals are over by then: they need no task of their own, no thread that has to be woken
//! for it, and their answers leave together. Whatever waits becomes a task.

use std::task::{Context, Waker};

use hyper::rt::Executor;

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
        if future.as_mut().poll(&mut context).is_pending() {
            tokio::spawn(future);
        }
    }
}
