//! As many tasks as there are places, no lost wake-ups, and tasks that are cancelled wherever they are.

use std::sync::mpsc::channel;
use std::thread;
use std::time::Instant;

use loyd::engine::pool::{Full, Next};

use super::set_up::{hold_worker, pool, say, submit_when_possible};
use crate::fake::{PATIENCE, Told, receive, task};

#[test]
fn a_full_pool_takes_nobody_until_someone_has_left() {
    let pool = pool(1, 3);
    let release = hold_worker(&pool);
    let (sender, said) = channel();
    pool.submit(say(&sender, 1)).unwrap();
    pool.submit(say(&sender, 2)).unwrap();
    assert_eq!(pool.submit(say(&sender, 3)).err(), Some(Full::Pool));
    drop(release);
    assert_eq!([receive(&said), receive(&said)], [1, 2]);
    submit_when_possible(&pool, || say(&sender, 4));
    assert_eq!(receive(&said), 4);
}

#[test]
fn a_parked_task_keeps_its_place_and_costs_no_worker() {
    let pool = pool(1, 2);
    let (sender, said) = channel();
    let mut slices = 0;
    let speaker = sender.clone();
    let parked = pool
        .submit(task(move |_| {
            slices += 1;
            speaker.send(slices).unwrap();
            if slices == 3 {
                Next::Finished
            } else {
                Next::Park
            }
        }))
        .unwrap();
    assert_eq!(receive(&said), 1);
    for _ in 0..20 {
        submit_when_possible(&pool, || say(&sender, 0));
        assert_eq!(receive(&said), 0);
    }
    let (release, _) = {
        let begin = Instant::now();
        loop {
            // The last of the others may not have left completely.
            let (release, released) = channel::<()>();
            let held = pool.submit(task(move |_| {
                let _ = released.recv_timeout(PATIENCE);
                Next::Finished
            }));
            if let Ok(ticket) = held {
                break (release, ticket);
            }
            assert!(begin.elapsed() < PATIENCE);
            thread::yield_now();
        }
    };
    assert_eq!(pool.submit(say(&sender, 0)).err(), Some(Full::Pool));
    drop(release);
    parked.wake();
    assert_eq!(receive(&said), 2);
    parked.wake();
    assert_eq!(receive(&said), 3);
}

#[test]
fn no_wake_up_is_lost() {
    const MESSAGES: u32 = 20_000;
    let pool = pool(2, 2);
    let (sender, inbox) = channel();
    let (done, is_done) = channel();
    let mut read = 0;
    let ticket = pool
        .submit(task(move |_| {
            // Like any reader: takes everything there is, and parks for more.
            while let Ok(message) = inbox.try_recv() {
                assert_eq!(message, read);
                read += 1;
                if read % 100 == 0 {
                    done.send(read).unwrap();
                }
            }
            if read == MESSAGES {
                Next::Finished
            } else {
                Next::Park
            }
        }))
        .unwrap();
    for message in 0..MESSAGES {
        sender.send(message).unwrap();
        ticket.wake();
        if (message + 1) % 100 == 0 {
            // Nothing else will wake it, so a lost wake-up would make this wait time out.
            assert_eq!(receive(&is_done), message + 1);
        }
    }
    // Has no effect on a finished task.
    ticket.wake();
    ticket.cancel();
}

#[test]
fn who_is_woken_during_a_turn_has_another() {
    let pool = pool(1, 1);
    let (sender, said) = channel();
    let (release, released) = channel::<()>();
    let mut slices = 0;
    let ticket = pool
        .submit(task(move |_| {
            slices += 1;
            sender.send(slices).unwrap();
            if slices == 2 {
                return Next::Finished;
            }
            // The disconnection is what is waited for.
            let _ = released.recv_timeout(PATIENCE);
            Next::Park
        }))
        .unwrap();
    assert_eq!(receive(&said), 1);
    ticket.wake();
    drop(release);
    assert_eq!(receive(&said), 2);
}

#[test]
fn a_task_cancelled_while_it_waits_never_runs() {
    let pool = pool(1, 2);
    let release = hold_worker(&pool);
    let (sender, said) = channel();
    let told = Told(sender.clone(), "dropped");
    let ticket = pool
        .submit(task(move |_| {
            told.0.send("ran").unwrap();
            Next::Finished
        }))
        .unwrap();
    ticket.cancel();
    assert_eq!(receive(&said), "dropped");
    // Its place is free at once.
    pool.submit(say(&sender, "next")).unwrap();
    drop(release);
    assert_eq!(receive(&said), "next");
    ticket.cancel();
    ticket.wake();
}

#[test]
fn a_task_cancelled_while_it_runs_leaves_after_its_slice() {
    let pool = pool(1, 1);
    let (sender, said) = channel();
    let (slice, slices) = channel();
    let told = Told(sender, ());
    let ticket = pool
        .submit(task(move |_| {
            let _told = &told;
            // Nobody cares once it is cancelled.
            let _ = slice.send(());
            Next::Again
        }))
        .unwrap();
    receive(&slices);
    ticket.cancel();
    receive(&said);
    // It has sent its last message.
    while slices.recv_timeout(PATIENCE).is_ok() {}
    let (sender, said) = channel();
    submit_when_possible(&pool, || say(&sender, "next"));
    assert_eq!(receive(&said), "next");
}

#[test]
fn a_task_cancelled_while_it_is_parked_leaves_at_once() {
    let pool = pool(1, 1);
    let (sender, dropped) = channel();
    let (ran, has_run) = channel();
    let told = Told(sender, ());
    let ticket = pool
        .submit(task(move |_| {
            let _told = &told;
            ran.send(()).unwrap();
            Next::Park
        }))
        .unwrap();
    receive(&has_run);
    ticket.cancel();
    receive(&dropped);
    let (sender, said) = channel();
    submit_when_possible(&pool, || say(&sender, "next"));
    assert_eq!(receive(&said), "next");
}
