//! What a worker does: it runs tasks, helps those of others, and survives both.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

use loyd::engine::pool::{HelperWork, Next, Pool, Turn};

use super::set_up::{Help, hold_worker, is_over, pool, say, submit_when_possible};
use crate::fake::{Fake, PATIENCE, Told, receive, task, wait_until};

/// Runs a task that has this work done by another worker, until what is returned is dropped.
fn offer(pool: &Pool, work: impl HelperWork + 'static) -> Sender<()> {
    let (release, released) = channel();
    let work = Arc::new(work);
    pool.submit(task(move |turn| {
        // The other worker may not be idle yet.
        wait_until(|| turn.offer(Arc::clone(&work) as Arc<dyn HelperWork>));
        let _ = released.recv_timeout(PATIENCE);
        Next::Finished
    }))
    .unwrap();
    release
}

#[test]
fn a_helper_makes_way_for_a_newcomer_at_once() {
    struct Helper(Weak<Pool>, Sender<bool>);
    impl HelperWork for Helper {
        fn run(&self, turn: &Turn<'_>) -> bool {
            let pool = self.0.upgrade().unwrap();
            pool.submit(task(|_| Next::Finished)).unwrap();
            drop(pool);
            self.1.send(is_over(turn)).unwrap();
            false
        }
    }
    let pool = Arc::new(pool(2, 2));
    let (sender, said) = channel();
    let release = offer(&pool, Helper(Arc::downgrade(&pool), sender));
    assert!(receive(&said));
    drop(release);
}

#[test]
fn help_that_a_newcomer_interrupted_goes_on_after_it() {
    struct Helper(Weak<Pool>, Sender<&'static str>, AtomicBool);
    impl HelperWork for Helper {
        fn run(&self, _: &Turn<'_>) -> bool {
            let is_first = !self.2.swap(true, Ordering::Relaxed);
            if is_first {
                let pool = self.0.upgrade().unwrap();
                pool.submit(say(&self.1, "newcomer")).unwrap();
            } else {
                self.1.send("help").unwrap();
            }
            is_first
        }
    }
    let pool = Arc::new(pool(2, 2));
    let (sender, said) = channel();
    let helper = Helper(Arc::downgrade(&pool), sender, AtomicBool::new(false));
    let release = offer(&pool, helper);
    assert_eq!([receive(&said), receive(&said)], ["newcomer", "help"]);
    drop(release);
}

#[test]
fn help_is_service_of_the_task_whether_that_runs_or_is_parked() {
    const HELP: Duration = Duration::from_millis(20);
    for next in [Next::Again, Next::Park] {
        let pool = pool(2, 1);
        let (sender, took) = channel();
        let mut by_itself = None;
        pool.submit(task(move |turn| {
            if let Some(by_itself) = by_itself {
                sender.send((by_itself, turn.service())).unwrap();
                return Next::Finished;
            }
            wait_until(|| turn.offer(Arc::new(Help(HELP))));
            // Until the other worker is idle again, if it need not be later.
            wait_until(|| next == Next::Park || turn.has_helper());
            by_itself = Some(turn.service());
            next
        }))
        .unwrap();
        let (by_itself, service) = receive(&took);
        assert!(service >= by_itself + HELP, "{next:?}");
    }
}

#[test]
fn a_dropped_pool_ends_help_for_a_task_that_is_parked() {
    struct Endless(Sender<()>);
    impl HelperWork for Endless {
        fn run(&self, _: &Turn<'_>) -> bool {
            // Nobody listens after the first time.
            let _ = self.0.send(());
            true
        }
    }
    let pool = pool(2, 1);
    let (sender, said) = channel();
    let help = Arc::new(Endless(sender));
    pool.submit(task(move |turn| {
        wait_until(|| turn.offer(Arc::clone(&help) as Arc<dyn HelperWork>));
        Next::Park
    }))
    .unwrap();
    receive(&said);
    drop(said);
    let (sender, dropped) = channel();
    thread::spawn(move || {
        drop(pool);
        sender.send(()).unwrap();
    });
    receive(&dropped);
}

#[test]
fn help_that_has_panicked_is_over() {
    struct Clumsy(Sender<&'static str>);
    impl HelperWork for Clumsy {
        fn run(&self, _: &Turn<'_>) -> bool {
            self.0.send("help").unwrap();
            panic!("as it should, in a test");
        }
    }
    let pool = pool(2, 1);
    let (sender, said) = channel();
    let mut help = Some(Arc::new(Clumsy(sender.clone())));
    pool.submit(task(move |turn| {
        let Some(help) = help.take() else {
            sender.send("task").unwrap();
            return Next::Finished;
        };
        wait_until(|| turn.offer(Arc::clone(&help) as Arc<dyn HelperWork>));
        Next::Park
    }))
    .unwrap();
    assert_eq!([receive(&said), receive(&said)], ["help", "task"]);
}

#[test]
fn a_panic_in_dropping_help_costs_no_worker() {
    struct Grenade(Sender<()>);
    impl HelperWork for Grenade {
        fn run(&self, _: &Turn<'_>) -> bool {
            false
        }
    }
    impl Drop for Grenade {
        fn drop(&mut self) {
            self.0.send(()).unwrap();
            panic!("as it should, in a test");
        }
    }
    let pool = pool(2, 3);
    let (sender, dropped) = channel();
    let mut work = Some(Arc::new(Grenade(sender)));
    pool.submit(task(move |turn| {
        if turn.has_helper()
            && let Some(work) = work.take()
        {
            assert!(turn.offer(work));
        }
        if work.is_some() {
            Next::Again
        } else {
            Next::Finished
        }
    }))
    .unwrap();
    receive(&dropped);
    // Each holds a worker.
    let _held = [hold_worker(&pool), hold_worker(&pool)];
}

#[test]
fn a_panic_costs_its_own_task_only() {
    let pool = pool(1, 2);
    let (sender, said) = channel();
    for _ in 0..3 {
        let told = Told(sender.clone(), "dropped");
        let speaker = sender.clone();
        pool.submit(Box::new(Fake {
            run: move |_: &Turn<'_>| {
                let _told = &told;
                panic!("as it should, in a test")
            },
            panicked: move || speaker.send("panicked").unwrap(),
        }))
        .unwrap();
        assert_eq!(receive(&said), "panicked");
        assert_eq!(receive(&said), "dropped");
        submit_when_possible(&pool, || say(&sender, "next"));
        assert_eq!(receive(&said), "next");
    }
}
