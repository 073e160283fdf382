//! How long a turn lasts.

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use loyd::engine::pool::{Next, SLICE};

use super::set_up::pool;
use crate::fake::{PATIENCE, receive, task};

#[test]
fn a_turn_lasts_a_slice() {
    let pool = pool(1, 1);
    let (sender, taken) = channel();
    pool.submit(task(move |turn| {
        while !turn.is_over() {
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
            while !turn.is_over() {
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
        while !turn.is_over() {}
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
