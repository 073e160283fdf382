//! The calls of a connection, run within its own task.

use std::future::pending;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::thread::sleep;
use std::time::{Duration, Instant};

use futures_util::task::{ArcWake, waker};
use hyper::rt::Executor;
use loyd::service::{Inline, Patience, Peer, UnderWay};
use metrics_exporter_prometheus::PrometheusBuilder;
use tokio::sync::{Notify, oneshot};

/// Counts how often it is woken.
#[derive(Default)]
struct Woken(AtomicUsize);

impl ArcWake for Woken {
    fn wake_by_ref(woken: &Arc<Self>) {
        woken.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// A connection that brings nothing and does not end.
fn silent(_: &mut Context<'_>, _: bool) -> Poll<()> {
    Poll::Pending
}

fn count(done: &Arc<AtomicUsize>) -> impl Future<Output = ()> + Send + 'static {
    let done = Arc::clone(done);
    async move {
        done.fetch_add(1, Ordering::Relaxed);
    }
}

/// A call in progress that holds `held`.
fn hold(held: &Arc<()>) -> impl Future<Output = ()> + Send + 'static {
    let held = Arc::clone(held);
    async move {
        pending::<()>().await;
        drop(held);
    }
}

#[test]
fn calls_that_a_connection_brings_are_run_and_their_answers_taken_along() {
    let inline = Inline::default();
    let mut under_way = UnderWay::of(inline.clone(), Arc::default());
    let done = Arc::new(AtomicUsize::new(0));
    let mut context = Context::from_waker(Waker::noop());
    let mut seen = Vec::new();
    // A turn may be over before that.
    while seen.last() != Some(&4) {
        let ended = under_way.poll_turn(&mut context, |_, _| {
            // What has been done each time the connection may write.
            seen.push(done.load(Ordering::Relaxed));
            match seen.len() {
                1 => (0..3).for_each(|_| inline.execute(count(&done))),
                2 => inline.execute(count(&done)),
                _ => {}
            }
            Poll::<()>::Pending
        });
        assert!(ended.is_pending());
    }
    assert_eq!(seen.first(), Some(&0));
    assert_eq!(seen.last(), Some(&4));
}

#[test]
fn calls_that_came_together_begin_in_the_order_in_which_they_came() {
    let inline = Inline::default();
    let mut under_way = UnderWay::of(inline.clone(), Arc::default());
    let begun = Arc::new(Mutex::new(Vec::new()));
    for call in 0..10 {
        let begun = Arc::clone(&begun);
        inline.execute(async move { begun.lock().unwrap().push(call) });
    }
    let mut context = Context::from_waker(Waker::noop());
    while begun.lock().unwrap().len() < 10 {
        assert!(under_way.poll_turn(&mut context, silent).is_pending());
    }
    assert_eq!(*begun.lock().unwrap(), Vec::from_iter(0..10));
}

#[test]
fn the_end_of_the_connection_is_told() {
    let mut under_way = UnderWay::of(Inline::default(), Arc::default());
    let mut context = Context::from_waker(Waker::noop());
    let ended = under_way.poll_turn(&mut context, |_, _| Poll::Ready(7));
    assert_eq!(ended, Poll::Ready(7));
}

#[test]
fn a_panic_ends_one_call_alone() {
    let inline = Inline::default();
    let mut under_way = UnderWay::of(inline.clone(), Arc::default());
    let done = Arc::new(AtomicUsize::new(0));
    inline.execute(count(&done));
    inline.execute(async { panic!("a defect") });
    inline.execute(count(&done));
    let mut context = Context::from_waker(Waker::noop());
    let recorder = PrometheusBuilder::new().build_recorder();
    metrics::with_local_recorder(&recorder, || {
        // Reporting a panic can take longer than a turn.
        for _ in 0..3 {
            assert!(under_way.poll_turn(&mut context, silent).is_pending());
        }
    });
    assert_eq!(done.load(Ordering::Relaxed), 2);
    let told = recorder.handle().render();
    let counted = "loyd_panics_total{place=\"call\"} 1";
    assert!(told.contains(counted), "{told}");
}

#[test]
fn a_panic_of_the_connection_ends_its_calls() {
    let inline = Inline::default();
    let held = Arc::new(());
    inline.execute(hold(&held));
    let mut under_way = UnderWay::of(inline.clone(), Arc::default());
    let outside = &held;
    let caught = catch_unwind(AssertUnwindSafe(move || {
        let mut context = Context::from_waker(Waker::noop());
        under_way.poll_turn(&mut context, |_, _| -> Poll<()> {
            // The first call is waiting by now; this one has not started.
            inline.execute(hold(outside));
            panic!("a defect")
        })
    }));
    assert!(caught.is_err());
    assert_eq!(Arc::strong_count(&held), 1);
}

#[test]
fn many_calls_give_way_to_others_and_go_on_later() {
    const CALLS: usize = 100;
    let inline = Inline::default();
    let mut under_way = UnderWay::of(inline.clone(), Arc::default());
    let done = Arc::new(AtomicUsize::new(0));
    for _ in 0..CALLS {
        let count = count(&done);
        inline.execute(async move {
            let begun = Instant::now();
            while begun.elapsed() < Duration::from_micros(100) {}
            count.await;
        });
    }
    let woken = Arc::new(Woken::default());
    let waker = waker(Arc::clone(&woken));
    let mut context = Context::from_waker(&waker);
    let mut turns = 0;
    while done.load(Ordering::Relaxed) < CALLS {
        let before = woken.0.load(Ordering::Relaxed);
        let done_before = done.load(Ordering::Relaxed);
        assert!(under_way.poll_turn(&mut context, silent).is_pending());
        turns += 1;
        let now = done.load(Ordering::Relaxed);
        assert!(now > done_before, "a turn in which nothing was done");
        assert!(now == CALLS || woken.0.load(Ordering::Relaxed) > before);
    }
    // No turn is longer than 0.5 ms and a call.
    assert!(turns >= CALLS / 6, "{turns} turns");
}

#[test]
fn calls_that_go_on_waiting_give_way_to_others() {
    const CALLS: usize = 100;
    let inline = Inline::default();
    let mut under_way = UnderWay::of(inline.clone(), Arc::default());
    let (started, done) = (Arc::default(), Arc::default());
    let gate = Arc::new(Notify::new());
    for _ in 0..CALLS {
        let (started, done) = (count(&started), count(&done));
        let gate = Arc::clone(&gate);
        inline.execute(async move {
            let woken = gate.notified();
            started.await;
            woken.await;
            let begun = Instant::now();
            while begun.elapsed() < Duration::from_micros(100) {}
            done.await;
            pending::<()>().await;
        });
    }
    let woken = Arc::new(Woken::default());
    let waker = waker(Arc::clone(&woken));
    let mut context = Context::from_waker(&waker);
    let seen = |counted: &Arc<AtomicUsize>| counted.load(Ordering::Relaxed);
    while seen(&started) < CALLS {
        assert!(under_way.poll_turn(&mut context, silent).is_pending());
    }
    gate.notify_waiters();
    let mut turns = 0;
    while seen(&done) < CALLS {
        let before = woken.0.load(Ordering::Relaxed);
        assert!(under_way.poll_turn(&mut context, silent).is_pending());
        turns += 1;
        assert!(seen(&done) == CALLS || woken.0.load(Ordering::Relaxed) > before);
    }
    assert!(turns >= CALLS / 6, "{turns} turns");
}

#[test]
fn calls_that_waited_go_on_while_there_are_always_newcomers() {
    let inline = Inline::default();
    let mut under_way = UnderWay::of(inline.clone(), Arc::default());
    let done = Arc::new(AtomicUsize::new(0));
    let (sender, answer) = oneshot::channel::<()>();
    let count = count(&done);
    inline.execute(async move {
        answer.await.unwrap();
        count.await;
    });
    let mut context = Context::from_waker(Waker::noop());
    assert!(under_way.poll_turn(&mut context, silent).is_pending());
    // More than a turn has time for.
    let busy = || async {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_micros(100) {}
    };
    let mut turn = || {
        let ended = under_way.poll_turn(&mut context, |_, _| {
            (0..10).for_each(|_| inline.execute(busy()));
            Poll::<()>::Pending
        });
        assert!(ended.is_pending());
        done.load(Ordering::Relaxed) == 1
    };
    assert!(!turn());
    sender.send(()).unwrap();
    assert!((0..100).any(|_| turn()), "it is never asked again");
}

#[test]
fn calls_end_with_their_connection() {
    let inline = Inline::default();
    let mut under_way = UnderWay::of(inline.clone(), Arc::default());
    let held = Arc::new(());
    inline.execute(hold(&held));
    let mut context = Context::from_waker(Waker::noop());
    assert!(under_way.poll_turn(&mut context, silent).is_pending());
    // One call that waits, and one that has not started.
    inline.execute(hold(&held));
    assert_eq!(Arc::strong_count(&held), 3);
    drop(under_way);
    assert_eq!(Arc::strong_count(&held), 1);
}

#[test]
fn a_connection_is_told_whether_its_calls_are_done() {
    let inline = Inline::default();
    let mut under_way = UnderWay::of(inline.clone(), Arc::default());
    let mut context = Context::from_waker(Waker::noop());
    for _ in 0..2 {
        inline.execute(async { std::thread::sleep(Duration::from_millis(1)) });
    }
    let mut told = Vec::new();
    // The first call takes longer than a turn, and so does the second.
    while !told.ends_with(&[true]) {
        let ended = under_way.poll_turn(&mut context, |_, are_done| {
            told.push(are_done);
            Poll::<()>::Pending
        });
        assert!(ended.is_pending());
    }
    assert_eq!(told[..2], [false, false]);
}

#[test]
fn a_call_is_ended_alone_by_the_number_under_which_it_started() {
    let inline = Inline::default();
    let peer = Arc::new(Peer::new());
    let mut under_way = UnderWay::of(inline.clone(), Arc::clone(&peer));
    let held: [Arc<()>; 3] = Default::default();
    let started = Arc::new(AtomicUsize::new(0));
    for (number, held) in held.iter().enumerate() {
        let exchange = peer.exchange(true);
        let (held, counts) = (hold(held), count(&started));
        inline.execute(async move {
            exchange.starts();
            exchange.answer().handed_out(1);
            if number == 1 {
                exchange.answer().taken();
                exchange.answer().handed_out(1);
            }
            counts.await;
            held.await;
            drop(exchange);
        });
    }
    let mut context = Context::from_waker(Waker::noop());
    while started.load(Ordering::Relaxed) < 3 {
        assert!(under_way.poll_turn(&mut context, silent).is_pending());
    }
    sleep(Duration::from_millis(1));
    let left = peer.give_up(Patience {
        first: Duration::MAX,
        next: Duration::ZERO,
        all: Duration::MAX,
        calls_alone: false,
    });
    assert_eq!(left.len(), 1);
    under_way.end(&left);
    assert!(under_way.poll_turn(&mut context, silent).is_pending());
    assert_eq!(held.map(|held| Arc::strong_count(&held)), [2, 1, 2]);
}
