//! Which workers are called for a task, and which are free to help.

use std::sync::mpsc::channel;
use std::sync::{Arc, Barrier, Mutex};
use std::thread;
use std::time::Duration;

use loyd::engine::pool::{HelperWork, Next};

use super::set_up::{Help, hold_worker, lasting, pool};
use crate::fake::{receive, task, wait_until};

#[test]
fn all_workers_work_at_once() {
    let pool = pool(3, 3);
    let barrier = Arc::new(Barrier::new(3));
    let leaders = Arc::new(Mutex::new(0));
    let (sender, said) = channel();
    for _ in 0..3 {
        let (barrier, leaders, sender) =
            (Arc::clone(&barrier), Arc::clone(&leaders), sender.clone());
        pool.submit(task(move |_| {
            // Nobody passes unless all three are there.
            if barrier.wait().is_leader() {
                *leaders.lock().unwrap() += 1;
            }
            sender.send(()).unwrap();
            Next::Finished
        }))
        .unwrap();
    }
    for _ in 0..3 {
        receive(&said);
    }
    assert_eq!(*leaders.lock().unwrap(), 1);
}

#[test]
fn help_is_offered_only_where_a_worker_is_idle() {
    let pool = pool(1, 1);
    let (sender, said) = channel();
    pool.submit(task(move |turn| {
        let is_taken = turn.offer(Arc::new(Help(Duration::ZERO)));
        sender.send((turn.has_helper(), is_taken)).unwrap();
        Next::Finished
    }))
    .unwrap();
    assert_eq!(receive(&said), (false, false));
}

#[test]
fn while_one_worker_helps_another_may_be_free_to() {
    let pool = pool(3, 1);
    let (help, has_begun, end) = lasting();
    let (sender, said) = channel();
    pool.submit(task(move |turn| {
        // By then both are idle, unless the machine stalls.
        thread::sleep(Duration::from_millis(20));
        wait_until(|| turn.offer(Arc::clone(&help) as Arc<dyn HelperWork>));
        receive(&has_begun);
        wait_until(|| turn.has_helper());
        sender.send(()).unwrap();
        Next::Finished
    }))
    .unwrap();
    receive(&said);
    drop(end);
}

#[test]
fn a_worker_that_has_a_task_does_not_help() {
    let pool = pool(2, 3);
    let (sender, said) = channel();
    let (go_on, may_go_on) = channel();
    let (help, _has_begun, _end) = lasting();
    pool.submit(task(move |turn| {
        wait_until(|| turn.has_helper());
        sender.send(None).unwrap();
        receive(&may_go_on);
        let is_taken = turn.offer(Arc::clone(&help) as Arc<dyn HelperWork>);
        sender.send(Some((turn.has_helper(), is_taken))).unwrap();
        Next::Finished
    }))
    .unwrap();
    assert_eq!(receive(&said), None);
    let _release = hold_worker(&pool);
    go_on.send(()).unwrap();
    assert_eq!(receive(&said), Some((false, false)));
}
