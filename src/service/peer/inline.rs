//! Runs the calls of a connection within its own task, for a turn at a time.
//!
//! A task for each call would have to be woken by what it waits for, and would then wake the
//! connection's task to send its answer. Instead, calls that came together are started one after
//! the other, once all of them have been read, and their answers leave together too. Each call
//! finds the processor's caches as the one before it left them.

use std::collections::HashSet;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, Stream};
use hyper::rt::Executor;

use super::{Peer, locked};
use crate::service::caught::caught;

/// How long the calls of a connection keep its thread while there are more of them. Other
/// connections wait that long, and so do the answers.
const TURN: Duration = Duration::from_micros(500);

type Calls = Vec<BoxFuture<'static, ()>>;

/// Collects the calls to run.
#[derive(Clone, Default)]
pub struct Inline(Arc<Mutex<Calls>>);

impl Inline {
    fn came(&self) -> MutexGuard<'_, Calls> {
        locked(&self.0)
    }
}

impl fmt::Debug for Inline {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Inline").finish_non_exhaustive()
    }
}

impl<F> Executor<F> for Inline
where
    F: Future<Output = ()> + Send + 'static,
{
    fn execute(&self, future: F) {
        // A panic costs this call only.
        let call = caught("call", future).map(|_| ());
        self.came().push(call.boxed());
    }
}

/// When waiting calls have to give way to others.
type Until = Arc<Mutex<Instant>>;

/// A call that has started and goes on only until then.
struct InTurn {
    number: u64,
    call: BoxFuture<'static, ()>,
    until: Until,
}

impl Future for InTurn {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if Instant::now() >= *locked(&self.until) {
            // Once two calls wake themselves, the stream of all looks at no others.
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        self.call.as_mut().poll(cx)
    }
}

/// The calls of a connection. Dropping this ends them.
pub struct UnderWay {
    came: Inline,
    /// Calls taken from `came` that have not started, the next one last.
    next: Calls,
    /// Calls that have started and wait for something.
    waiting: FuturesUnordered<InTurn>,
    until: Until,
    /// Whose calls they are, and how many have started.
    peer: Arc<Peer>,
    started: u64,
}

impl UnderWay {
    /// The calls of the peer that `came` will collect.
    #[must_use]
    pub fn of(came: Inline, peer: Arc<Peer>) -> Self {
        Self {
            came,
            next: Vec::new(),
            waiting: FuturesUnordered::new(),
            until: Arc::new(Mutex::new(Instant::now())),
            peer,
            started: 0,
        }
    }

    /// Ends calls that wait, by the numbers that the peer knows them by. hyper then resets their streams.
    pub fn end(&mut self, calls: &[u64]) {
        if !calls.is_empty() {
            let ended: HashSet<_> = calls.iter().collect();
            let waiting = std::mem::take(&mut self.waiting).into_iter();
            self.waiting = waiting
                .filter(|call| !ended.contains(&call.number))
                .collect();
        }
    }

    /// Gives a connection a turn: lets `bring` read and write, and runs the calls that it brings or
    /// that need not wait any longer. When the turn is over, other connections come first. `bring` is
    /// told whether all calls have come as far as they get.
    pub fn poll_turn<T>(
        &mut self,
        cx: &mut Context<'_>,
        mut bring: impl FnMut(&mut Context<'_>, bool) -> Poll<T>,
    ) -> Poll<T> {
        let begun = Instant::now();
        loop {
            let is_over = self.run(cx, begun).is_pending();
            let ended = bring(cx, !is_over);
            if ended.is_ready() {
                return ended;
            }
            if is_over {
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            if self.came.came().is_empty() {
                return Poll::Pending;
            }
        }
    }

    /// Runs all calls as far as they get. Returns pending when the turn is over before that.
    fn run(&mut self, cx: &mut Context<'_>, begun: Instant) -> Poll<()> {
        // Waiting calls come first and get half of the turn. If newcomers never stopped, they would
        // get none of it.
        let half = TURN / 2;
        while begun.elapsed() < half && self.end_one(cx, begun + half) {}
        loop {
            if self.next.is_empty() {
                std::mem::swap(&mut self.next, &mut self.came.came());
                self.next.reverse();
            }
            if let Some(mut call) = self.next.pop() {
                // The waker does nothing, because calls that wait are polled again anyway.
                let mut context = Context::from_waker(Waker::noop());
                self.started += 1;
                self.peer.runs(self.started);
                if call.as_mut().poll(&mut context).is_pending() {
                    self.waiting.push(InTurn {
                        number: self.started,
                        call,
                        until: Arc::clone(&self.until),
                    });
                }
            } else if !self.end_one(cx, begun + TURN) && begun.elapsed() < TURN {
                return Poll::Ready(());
            }
            if begun.elapsed() >= TURN {
                return Poll::Pending;
            }
        }
    }

    /// Lets the waiting calls continue for so long, and returns whether one of them has ended.
    fn end_one(&mut self, cx: &mut Context<'_>, until: Instant) -> bool {
        *locked(&self.until) = until;
        let ended = Pin::new(&mut self.waiting).poll_next(cx);
        matches!(ended, Poll::Ready(Some(())))
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        // The call that came last may hold the list that it is in.
        let came = std::mem::take(&mut *self.came.came());
        drop(came);
    }
}
