//! The pool: how its tasks are dropped when they are over, and when it is.

mod clients;
mod finished;
mod order;
mod passed_over;
mod places;
mod set_up;
mod turn;
mod waits;
mod worker;
mod workers;

use std::sync::mpsc::{Sender, channel};
use std::thread;

use loyd::engine::pool::{Next, Task, Turn};

use crate::fake::{Told, panics, receive, task};

use set_up::{hold_worker, pool, say};

#[test]
fn large_tasks_are_dropped_on_a_thread_of_their_own() {
    struct Heavy(Sender<Option<String>>, bool);
    impl Drop for Heavy {
        fn drop(&mut self) {
            let thread = thread::current();
            self.0.send(thread.name().map(str::to_owned)).unwrap();
        }
    }
    impl Task for Heavy {
        fn run(&mut self, _: &Turn<'_>) -> Next {
            Next::Finished
        }

        fn panicked(&mut self) {}

        fn is_large(&self) -> bool {
            self.1
        }
    }
    let (sender, dropped) = channel();
    for (is_large, at_its_end) in [(true, "loyd-drop"), (false, "loyd-worker-0")] {
        let pool = pool(1, 2);
        pool.submit(Box::new(Heavy(sender.clone(), is_large)))
            .unwrap();
        assert_eq!(receive(&dropped).as_deref(), Some(at_its_end));
        // Nor does who cancels it wait.
        let release = hold_worker(&pool);
        let ticket = pool.submit(Box::new(Heavy(sender.clone(), is_large)));
        ticket.unwrap().cancel();
        let thread = receive(&dropped);
        assert_eq!(thread.as_deref() == Some("loyd-drop"), is_large);
        drop(release);
    }
}

#[test]
fn a_panic_in_being_dropped_costs_nobody_anything() {
    struct Grenade;
    impl Drop for Grenade {
        fn drop(&mut self) {
            panic!("as it should, in a test");
        }
    }
    let before = panics("drop");
    let pool = pool(1, 4);
    let (sender, said) = channel();
    let grenade = Grenade;
    pool.submit(task(move |_| {
        let _grenade = &grenade;
        Next::Finished
    }))
    .unwrap();
    let told = Told(sender.clone(), "dropped");
    pool.submit(task(move |_| {
        let _told = &told;
        Next::Finished
    }))
    .unwrap();
    assert_eq!(receive(&said), "dropped");
    // One thread drops them, one after the other. Those of other tests may panic, too.
    assert!(panics("drop") > before);
    pool.submit(say(&sender, "next")).unwrap();
    assert_eq!(receive(&said), "next");
}

#[test]
fn a_dropped_pool_drops_all_its_tasks_though_tickets_live_on() {
    let pool = pool(1, 3);
    let (sender, dropped) = channel();
    let (ran, has_run) = channel();
    let submit = |name, run: fn() -> Next| {
        let told = Told(sender.clone(), name);
        let ran = ran.clone();
        pool.submit(task(move |_| {
            let _told = &told;
            // Nobody listens after the first time.
            let _ = ran.send(name);
            run()
        }))
        .unwrap()
    };
    let parked = submit("parked", || Next::Park);
    assert_eq!(receive(&has_run), "parked");
    let runs = submit("runs", || Next::Again);
    let runs_too = submit("runs too", || Next::Again);
    drop(pool);
    let mut names = [receive(&dropped), receive(&dropped), receive(&dropped)];
    names.sort_unstable();
    assert_eq!(names, ["parked", "runs", "runs too"]);
    // They refer to nothing any more.
    for ticket in [parked, runs, runs_too] {
        ticket.wake();
        ticket.cancel();
    }
}
