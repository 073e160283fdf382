//! When those who wait for the end of a task are woken.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use loyd::engine::pool::{Next, Pool, SLICE, Task, Turn};

use super::set_up::{hold_worker, pool, say};
use crate::fake::{PATIENCE, panics, receive, task};

/// A task that reports when those who wait for it are woken.
struct Awaited(Sender<&'static str>, Box<dyn Task>);

impl Task for Awaited {
    fn run(&mut self, turn: &Turn<'_>) -> Next {
        self.1.run(turn)
    }

    fn panicked(&mut self) {}

    fn notify(&mut self) {
        self.0.send("told").unwrap();
    }
}

#[test]
fn who_waits_is_woken_at_once_where_there_is_no_line() {
    let pool = pool(1, 10);
    let (sender, said) = channel();
    for _ in 0..3 {
        let task = Box::new(Awaited(sender.clone(), say(&sender, "run")));
        pool.submit(task).unwrap();
        assert_eq!([receive(&said), receive(&said)], ["run", "told"]);
    }
}

#[test]
fn who_waits_for_newcomers_in_a_line_is_woken_together() {
    let pool = pool(1, 10);
    let begun = Instant::now();
    loop {
        assert!(begun.elapsed() < PATIENCE, "the machine is never quiet");
        let release = hold_worker(&pool);
        let (sender, said) = channel();
        for _ in 0..3 {
            let task = Box::new(Awaited(sender.clone(), say(&sender, "run")));
            pool.submit(task).unwrap();
        }
        let released = Instant::now();
        drop(release);
        let order: Vec<&str> = (0..6).map(|_| receive(&said)).collect();
        // Ends held back for longer than a slice may be announced before.
        if released.elapsed() < SLICE {
            assert_eq!(order, ["run", "run", "run", "told", "told", "told"]);
            return;
        }
    }
}

/// A task of one slice that submits its own successor before it is over.
fn keep_coming(pool: Weak<Pool>, said: Sender<&'static str>) -> Box<dyn Task> {
    task(move |_| {
        thread::sleep(SLICE);
        if said.send("new").is_ok()
            && let Some(pool) = pool.upgrade()
        {
            pool.submit(keep_coming(Arc::downgrade(&pool), said.clone()))
                .unwrap();
        }
        Next::Finished
    })
}

#[test]
fn who_waits_is_woken_in_time_though_newcomers_keep_coming() {
    let pool = Arc::new(pool(1, 10));
    let release = hold_worker(&pool);
    let (sender, said) = channel();
    pool.submit(Box::new(Awaited(sender.clone(), say(&sender, "run"))))
        .unwrap();
    for _ in 0..2 {
        pool.submit(keep_coming(Arc::downgrade(&pool), sender.clone()))
            .unwrap();
    }
    drop(release);
    let turn = (0..20).position(|_| receive(&said) == "told");
    assert!(turn.is_some(), "20 turns of a slice each");
}

#[test]
fn ends_are_told_after_64_however_many_newcomers_wait() {
    let pool = pool(1, 300);
    let release = hold_worker(&pool);
    let (sender, said) = channel();
    for _ in 0..250 {
        let task = Box::new(Awaited(sender.clone(), say(&sender, "run")));
        pool.submit(task).unwrap();
    }
    drop(release);
    let order: Vec<&str> = (0..500).map(|_| receive(&said)).collect();
    let first = order.iter().position(|&word| word == "told");
    assert!(first.is_some_and(|first| first <= 64), "{first:?}");
}

#[test]
fn ends_that_were_held_back_are_told_when_the_pool_is_dropped() {
    struct Over(Receiver<()>, Sender<()>, Sender<()>);
    impl Task for Over {
        fn run(&mut self, _: &Turn<'_>) -> Next {
            self.1.send(()).unwrap();
            // The disconnection is what is waited for.
            let _ = self.0.recv_timeout(PATIENCE);
            Next::Finished
        }

        fn panicked(&mut self) {}

        fn notify(&mut self) {
            self.2.send(()).unwrap();
        }
    }
    let pool = pool(1, 2);
    let ((release, released), (begun, has_begun), (told, is_told)) =
        (channel::<()>(), channel(), channel());
    pool.submit(Box::new(Over(released, begun, told))).unwrap();
    receive(&has_begun);
    // While a newcomer waits, no end is told at once.
    pool.submit(task(|_| Next::Again)).unwrap();
    let drops = thread::spawn(move || drop(pool));
    // By then the pool is closed.
    thread::sleep(Duration::from_millis(100));
    drop(release);
    drops.join().unwrap();
    receive(&is_told);
}

#[test]
fn a_panic_in_telling_the_end_costs_no_worker_and_no_other_task() {
    struct Mute;
    impl Task for Mute {
        fn run(&mut self, _: &Turn<'_>) -> Next {
            Next::Finished
        }

        fn panicked(&mut self) {}

        fn notify(&mut self) {
            panic!("as it should, in a test");
        }
    }
    let before = panics("search");
    let pool = pool(1, 10);
    let release = hold_worker(&pool);
    let (sender, said) = channel();
    // Those who wait for tasks in a line are told together.
    pool.submit(Box::new(Mute)).unwrap();
    pool.submit(Box::new(Awaited(sender.clone(), say(&sender, "run"))))
        .unwrap();
    drop(release);
    assert_eq!([receive(&said), receive(&said)], ["run", "told"]);
    assert!(panics("search") > before);
    pool.submit(say(&sender, "next")).unwrap();
    assert_eq!(receive(&said), "next");
}
