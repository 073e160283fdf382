//! How long a turn lasts.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use loyd::engine::pool::{Next, SLICE, Turn};

use super::set_up::{hold_worker, is_over, pool};
use crate::fake::{PATIENCE, receive, task, wait_until};

#[test]
fn a_turn_lasts_a_slice() {
    let pool = pool(1, 1);
    let (sender, taken) = channel();
    pool.submit(task(move |turn| {
        while !is_over(turn) {
            std::hint::spin_loop();
        }
        sender.send(turn.service()).unwrap();
        Next::Finished
    }))
    .unwrap();
    assert!(receive(&taken) >= SLICE);
    assert!(SLICE <= Duration::from_millis(5));
}

#[test]
fn a_newcomer_ends_the_turn() {
    let pool = Arc::new(pool(1, 10));
    let (sender, taken) = channel();
    // On a busy machine one of the turns may be held up.
    let turns = (0..20).map(|_| {
        let (inner, sender) = (Arc::downgrade(&pool), sender.clone());
        let begun = task(move |turn| {
            let pool = inner.upgrade().unwrap();
            pool.submit(task(|_| Next::Finished)).unwrap();
            while !is_over(turn) {
                std::hint::spin_loop();
            }
            sender.send(turn.service()).unwrap();
            Next::Finished
        });
        pool.submit(begun).unwrap();
        receive(&taken)
    });
    assert!(turns.min().unwrap() < SLICE);
}

#[test]
fn newcomers_do_not_end_the_turn_of_one_that_was_passed_over() {
    let pool = pool(1, 100);
    let (sender, said) = channel();
    let (release, released) = channel::<()>();
    let mut before = Duration::ZERO;
    pool.submit(task(move |turn| {
        if before.is_zero() {
            sender.send(before).unwrap();
            // The disconnection is what is waited for.
            let _ = released.recv_timeout(PATIENCE);
            before = turn.service();
            return Next::Again;
        }
        while !is_over(turn) {}
        sender.send(turn.service() - before).unwrap();
        Next::Finished
    }))
    .unwrap();
    receive(&said);
    // Most of them still wait when it has its turn.
    for _ in 0..20 {
        pool.submit(task(|_| Next::Finished)).unwrap();
    }
    drop(release);
    let turn = receive(&said);
    assert!(turn >= SLICE, "{turn:?}");
}

/// The shortest of many turns, each of which lasts until it is over; on a busy machine some may be held up.
fn shortest(turn: impl FnMut() -> Duration) -> Duration {
    let turns = std::iter::repeat_with(turn);
    turns.take(20).min().expect("a turn")
}

/// How long it takes until the turn is over.
fn length(turn: &Turn<'_>) -> Duration {
    let begun = turn.service();
    while !is_over(turn) {}
    turn.service() - begun
}

#[test]
fn newcomers_in_line_end_the_turn_of_the_one_before_them() {
    let pool = pool(1, 3);
    let (sender, taken) = channel();
    let shortest = shortest(|| {
        let release = hold_worker(&pool);
        let took = sender.clone();
        let first = task(move |turn| {
            took.send(length(turn)).unwrap();
            Next::Finished
        });
        pool.submit(first).unwrap();
        let (told, is_told) = channel();
        let second = task(move |_| {
            told.send(()).unwrap();
            Next::Finished
        });
        pool.submit(second).unwrap();
        drop(release);
        let length = receive(&taken);
        receive(&is_told);
        // The next round finds places.
        wait_until(|| pool.tasks() == 0);
        length
    });
    assert!(shortest < SLICE / 2, "{shortest:?}");
}

#[test]
fn a_newcomer_ends_a_later_turn_that_began_while_nobody_waited() {
    let pool = Arc::new(pool(1, 2));
    let (sender, taken) = channel();
    let shortest = shortest(|| {
        let (inner, took) = (Arc::downgrade(&pool), sender.clone());
        let mut is_later = false;
        let begun = task(move |turn| {
            if !std::mem::replace(&mut is_later, true) {
                return Next::Again;
            }
            let pool = inner.upgrade().expect("the test goes on");
            pool.submit(task(|_| Next::Finished)).unwrap();
            drop(pool);
            took.send(length(turn)).unwrap();
            Next::Finished
        });
        pool.submit(begun).unwrap();
        let length = receive(&taken);
        wait_until(|| pool.tasks() == 0);
        length
    });
    assert!(shortest < SLICE / 2, "{shortest:?}");
}

#[test]
fn a_turn_is_not_over_at_once_however_many_newcomers_wait() {
    let newcomers = AtomicUsize::new(100);
    let begun = Instant::now();
    // The machine may stall for longer than its least length.
    while is_over(&Turn::new(SLICE, &newcomers)) {
        assert!(begun.elapsed() < PATIENCE, "it always is");
    }
}
