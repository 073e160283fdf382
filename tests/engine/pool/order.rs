//! Which of a client's tasks goes first: newcomers by rank and age, then the one with least service.

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use loyd::engine::pool::Next;
use loyd::engine::rank::Rank;

use super::set_up::{Of, hold_worker, pool, say};
use crate::fake::{receive, task};
use crate::support::shape;

#[test]
fn newcomers_go_first_and_in_the_order_they_came() {
    let pool = Arc::new(pool(1, 10));
    let (sender, said) = channel();
    let inner = Arc::downgrade(&pool);
    let mut slices = 0;
    pool.submit(task(move |_| {
        slices += 1;
        sender.send("old").unwrap();
        if slices == 3 {
            let pool = inner.upgrade().unwrap();
            pool.submit(say(&sender, "first")).unwrap();
            pool.submit(say(&sender, "second")).unwrap();
        }
        if slices == 5 {
            Next::Finished
        } else {
            Next::Again
        }
    }))
    .unwrap();
    let order: Vec<&str> = (0..7).map(|_| receive(&said)).collect();
    assert_eq!(
        order,
        ["old", "old", "old", "first", "second", "old", "old"]
    );
}

#[test]
fn the_one_with_least_service_goes_first() {
    let pool = pool(1, 10);
    let release = hold_worker(&pool);
    let (sender, said) = channel();
    let spender = sender.clone();
    let mut slices = 0;
    // Overdraws its slice by far, so that no hiccup of the machine makes the other task look greedy.
    pool.submit(task(move |_| {
        thread::sleep(Duration::from_millis(300));
        spender.send("spender").unwrap();
        slices += 1;
        if slices == 2 {
            Next::Finished
        } else {
            Next::Again
        }
    }))
    .unwrap();
    let mut slices = 0;
    pool.submit(task(move |_| {
        sender.send("saver").unwrap();
        slices += 1;
        if slices == 5 {
            Next::Finished
        } else {
            Next::Again
        }
    }))
    .unwrap();
    drop(release);
    let order: Vec<&str> = (0..7).map(|_| receive(&said)).collect();
    // After three turns in a row the task with the most service has one too.
    assert_eq!(
        order,
        [
            "spender", "saver", "saver", "saver", "spender", "saver", "saver"
        ]
    );
}

#[test]
fn of_newcomers_the_lowest_rank_goes_first_and_waits_for_no_other() {
    let pool = pool(1, 10);
    let release = hold_worker(&pool);
    let (sender, said) = channel();
    let [small, medium, large] = [3, 5, 10].map(|side| Rank::of_first_answer(shape(side, side)));
    for (rank, word) in [(large, "large"), (medium, "first"), (medium, "second")] {
        let task = Box::new(Of(rank, say(&sender, word)));
        pool.submit(task).unwrap();
    }
    assert!(pool.has_line());
    assert_eq!(pool.expected_wait(None, small), None);
    for rank in [medium, large] {
        assert!(pool.expected_wait(None, rank).is_some());
    }
    pool.submit(Box::new(Of(small, say(&sender, "small"))))
        .unwrap();
    drop(release);
    let order: Vec<&str> = (0..4).map(|_| receive(&said)).collect();
    assert_eq!(order, ["small", "first", "second", "large"]);
}
