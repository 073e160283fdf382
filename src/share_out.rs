//! Work on many items by several threads, each of which takes the next item when it is done with one.

use std::iter;
use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Runs `work` on `threads` threads, this one among them, and returns the result of each. What `work` is given
/// yields the items that its thread takes, one at a time.
pub(crate) fn share_out<T, R: Send>(
    items: impl Iterator<Item = T> + Send,
    threads: usize,
    work: impl Fn(&mut dyn Iterator<Item = T>) -> R + Sync,
) -> Vec<R> {
    let items = Mutex::new(items);
    let work = || {
        let next = || items.lock().unwrap_or_else(PoisonError::into_inner).next();
        work(&mut iter::from_fn(next))
    };
    thread::scope(|scope| {
        // If a thread cannot be started, the others do its work.
        let helpers: Vec<_> = (1..threads)
            .filter_map(|_| thread::Builder::new().spawn_scoped(scope, work).ok())
            .collect();
        let mut results = vec![work()];
        results.extend(helpers.into_iter().map(|helper| match helper.join() {
            Ok(result) => result,
            Err(panic) => resume_unwind(panic),
        }));
        results
    })
}
