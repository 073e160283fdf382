//! How long newcomers are expected to wait: for a place, and then in line.

use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use loyd::engine::pool::Next;
use loyd::engine::rank::Rank;

use super::set_up::{hold_worker, pool};
use crate::fake::{receive, task};

#[test]
fn how_often_a_place_becomes_free_is_measured_while_there_are_tasks() {
    const EACH: Duration = Duration::from_millis(20);
    let pool = pool(1, 3);
    assert_eq!(pool.time_until_room(), Duration::ZERO);
    let mut longest = Duration::ZERO;
    for round in 0..2 {
        // A time without tasks does not count.
        thread::sleep(16 * round * longest);
        let begun = Instant::now();
        for _ in 0..3 {
            let slow = task(|_| {
                thread::sleep(EACH);
                Next::Finished
            });
            pool.submit(slow).unwrap();
        }
        while pool.tasks() > 0 {
            thread::sleep(EACH / 20);
        }
        longest = longest.max(begun.elapsed());
    }
    let room = pool.time_until_room();
    assert!((EACH..longest).contains(&room));
    thread::sleep(longest);
    assert_eq!(pool.time_until_room(), room);
}

/// The average of two times as the pool takes it, by the eighth.
fn average(before: Duration, time: Duration) -> Duration {
    before - before / 8 + time / 8
}

#[test]
fn how_often_a_place_becomes_free_goes_by_all_who_leave() {
    const FIRST: Duration = Duration::from_millis(40);
    const SECOND: Duration = Duration::from_millis(160);
    let pool = pool(1, 2);
    let (sender, said) = channel();
    let begun = Instant::now();
    let release = hold_worker(&pool);
    thread::sleep(FIRST);
    // That others come changes nothing.
    pool.submit(task(move |_| {
        sender.send(Instant::now()).unwrap();
        thread::sleep(SECOND);
        Next::Finished
    }))
    .unwrap();
    let released = Instant::now();
    drop(release);
    let first_has_left = receive(&said);
    while pool.tasks() > 0 {
        thread::yield_now();
    }
    let most = average(first_has_left - begun, released.elapsed());
    let room = pool.time_until_room();
    assert!((average(FIRST, SECOND)..=most).contains(&room), "{room:?}");
}

#[test]
fn a_newcomer_is_expected_to_wait_as_others_did_while_they_were_next_in_line() {
    const SO_FAR: Duration = Duration::from_millis(80);
    let pool = pool(1, 3);
    let (sender, said) = channel();
    let hold = || {
        let begun = Instant::now();
        let release = hold_worker(&pool);
        (release, begun.elapsed())
    };
    let (release, first) = hold();
    let came = Instant::now();
    for _ in 0..2 {
        let sender = sender.clone();
        pool.submit(task(move |_| {
            sender.send(Instant::now()).unwrap();
            Next::Finished
        }))
        .unwrap();
    }
    thread::sleep(SO_FAR);
    let released = Instant::now();
    drop(release);
    let [next, last] = [receive(&said), receive(&said)];
    // A time when nobody waits does not count.
    thread::sleep(SO_FAR);
    let (_release, later) = hold();
    pool.submit(task(|_| Next::Finished)).unwrap();
    let of = |times: [Duration; 4]| times.into_iter().reduce(average).unwrap();
    let least = of([Duration::ZERO, SO_FAR, Duration::ZERO, Duration::ZERO]);
    let most = of([first, next - came, last - released, later]);
    let expected = pool.expected_wait(None, Rank::FIRST).unwrap();
    assert!((least..=most).contains(&expected), "{expected:?}");
}

#[test]
fn the_longer_nobody_has_left_the_later_there_is_room() {
    const SO_FAR: Duration = Duration::from_millis(100);
    let pool = pool(1, 1);
    let _held = hold_worker(&pool);
    thread::sleep(SO_FAR);
    assert!(pool.time_until_room() >= SO_FAR);
}
