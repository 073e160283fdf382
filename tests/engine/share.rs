//! One search that several askers share.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use loyd::engine::job::{End, Job, Outlet};
use loyd::engine::pool::{Next, Pool, SLICE, Task, Turn};
use loyd::engine::share::{Asker, Publisher, Shared};
use loyd::search::{Budget, Progress, Step, Stop};
use metrics_exporter_prometheus::PrometheusBuilder;

use crate::fake::{Scripted, task};
use crate::job::memory;

const SECOND: Duration = Duration::from_secs(1);

fn begin(due: Instant) -> (Asker<Vec<u8>>, Publisher<Vec<u8>>) {
    Shared::begin(false, due)
}

#[test]
fn whose_time_is_up_is_woken_and_nobody_else() {
    let now = Instant::now();
    let [soon, late] = [1, 30].map(|seconds| now + seconds * SECOND);
    let (mut first, mut publisher) = begin(late);
    let mut hasty = first.shared().ask(soon).unwrap();
    let mut other = first.shared().ask(late).unwrap();
    let mut woken = |expected: [bool; 3]| {
        let askers = [&mut first, &mut hasty, &mut other];
        let woken = askers.map(|asker| asker.changed().now_or_never().is_some());
        assert_eq!(woken, expected);
    };
    // To each of them all that has been found is news at first.
    woken([true; 3]);
    publisher.wake_due(now);
    woken([false; 3]);
    publisher.wake_due(soon);
    woken([false, true, false]);
    woken([false; 3]);
    publisher.wake_due(late);
    woken([true, false, true]);
    publisher.close(End::NodeLimit);
    publisher.wake();
    woken([true; 3]);
}

#[test]
fn a_search_at_work_wakes_whose_time_is_up() {
    let (first, publisher) = begin(Instant::now() + 600 * SECOND);
    let soon = Instant::now() + Duration::from_millis(1);
    let mut hasty = first.shared().ask(soon).unwrap();
    // To it all that has been found is news at first.
    let _ = hasty.changed().now_or_never();
    let search = Scripted::new(|_: Budget, _: &mut Progress| Step::Working);
    let reservation = memory(u64::MAX, 1).reserve(0).unwrap();
    let mut job = Job::new(search, publisher, u64::MAX, u64::MAX, reservation);
    std::thread::sleep(soon.saturating_duration_since(Instant::now()));
    let nobody_else = AtomicUsize::new(0);
    job.run(&Turn::new(Duration::ZERO, &nobody_else));
    assert!(hasty.changed().now_or_never().is_some());
}

#[test]
fn findings_wake_nobody_once_who_listened_has_left() {
    let due = Instant::now() + 30 * SECOND;
    let (mut listener, mut publisher) = begin(due);
    let mut other = listener.shared().ask(due).unwrap();
    listener.listen();
    let mut is_woken_by = |finding| {
        // What was found before is news no more.
        let _ = other.changed().now_or_never();
        publisher.offer(finding).unwrap();
        other.changed().now_or_never().is_some()
    };
    assert!(is_woken_by(1));
    drop(listener);
    assert!(!is_woken_by(2));
}

#[test]
fn nobody_joins_a_search_that_has_passed_over_its_last_asker() {
    let due = Instant::now() + SECOND;
    let (first, mut publisher) = begin(due);
    let shared = first.shared();
    assert!(shared.ask(due + SECOND).is_some());
    // That one has left.
    assert!(!publisher.pass_over(Some(due)));
    assert!(shared.ask(due + SECOND).is_none());
}

#[test]
fn a_search_that_is_too_late_for_one_asker_goes_on_for_another() {
    let now = Instant::now();
    let (soon, later) = (now + 600 * SECOND, now + 1_200 * SECOND);
    let (first, publisher) = begin(soon);
    let second = first.shared().ask(later).unwrap();
    let mut told = Vec::new();
    let search = Scripted::new(move |budget: Budget, _: &mut Progress| {
        if told.last() != Some(&budget.asker) {
            told.push(budget.asker);
            let is_soon = budget.time.is_some_and(|left| left <= 600 * SECOND);
            assert_eq!(is_soon, told.len() == 1);
            return Step::Working;
        }
        match told.len() {
            1 => Step::Done(Stop::Time),
            _ => Step::Found(7),
        }
    });
    let reservation = memory(u64::MAX, 1).reserve(0).unwrap();
    let mut job = Job::new(search, publisher, u64::MAX, u64::MAX, reservation);
    let nobody_else = AtomicUsize::new(0);
    while second.snapshot().found.is_empty() {
        assert_ne!(job.run(&Turn::new(SLICE, &nobody_else)), Next::Finished);
    }
    assert_eq!(second.snapshot().end, None);
    drop(second);
    drop(first);
}

#[test]
fn a_search_that_is_too_late_for_all_askers_ends() {
    let now = Instant::now();
    let (first, publisher) = begin(now + 600 * SECOND);
    let second = first.shared().ask(now + 1_200 * SECOND).unwrap();
    let mut turns = 0;
    let search = Scripted::new(move |_: Budget, _: &mut Progress| {
        turns += 1;
        assert!(turns <= 2, "once for each asker");
        Step::Done(Stop::Time)
    });
    let reservation = memory(u64::MAX, 1).reserve(0).unwrap();
    let mut job = Job::new(search, publisher, u64::MAX, u64::MAX, reservation);
    let nobody_else = AtomicUsize::new(0);
    assert_eq!(job.run(&Turn::new(SLICE, &nobody_else)), Next::Finished);
    let end = second.snapshot().end;
    assert_eq!(end, Some(End::Stopped(Stop::Time)));
}

#[test]
fn a_search_is_abandoned_only_if_none_of_its_askers_was_told_the_end() {
    let pool = Pool::start(1, 2).unwrap();
    for (is_answered, abandoned) in [(true, 0), (false, 1)] {
        let recorder = PrometheusBuilder::new().build_recorder();
        let handle = recorder.handle();
        metrics::with_local_recorder(&recorder, || {
            let due = Instant::now() + SECOND;
            let (first, _publisher) = begin(due);
            let last = first.shared().ask(due).unwrap();
            let waits = task(|_| Next::Park);
            first.shared().placed(pool.submit(waits).unwrap());
            if is_answered {
                first.answered();
            }
            drop(first);
            drop(last);
        });
        let told = handle.render();
        let line = format!("loyd_searches_abandoned_total {abandoned}");
        assert_eq!(told.contains(&line), abandoned > 0, "{told}");
    }
}

#[test]
fn what_is_proven_just_as_its_last_asker_leaves_is_there_for_the_next() {
    let pool = Pool::start(1, 1).unwrap();
    let due = Instant::now() + SECOND;
    let (first, mut publisher) = begin(due);
    let shared = Arc::clone(first.shared());
    shared.placed(pool.submit(task(|_| Next::Park)).unwrap());
    drop(first);
    assert!(shared.ask(due).is_none());
    // Its worker was at the end of its slice.
    publisher.close(End::Stopped(Stop::Proven));
    assert!(shared.lasts() && shared.ask(due).is_some());
}
