//! Named clients: service and places by weight, whatever each of them asks for.

use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use loyd::engine::Client;
use loyd::engine::pool::{Full, HelperWork, Next, Pool, Task, Ticket};
use loyd::engine::rank::Rank;

use super::set_up::{Help, hold_worker, hold_worker_after, lasting, pool};
use crate::fake::{PATIENCE, client, receive, task, wait_until};

/// A task that takes this long and says whose it is.
fn takes(time: Duration, sender: &Sender<&'static str>, whose: &'static str) -> Box<dyn Task> {
    let sender = sender.clone();
    task(move |_| {
        thread::sleep(time);
        sender.send(whose).unwrap();
        Next::Finished
    })
}

#[test]
fn the_client_that_has_had_least_goes_first_whoever_came_first() {
    for heavy in [Some(client("heavy", 1)), None] {
        let pool = pool(1, 100);
        let (sender, said) = channel();
        let release = hold_worker_after(&pool, heavy.as_ref(), Some(Duration::from_millis(20)));
        for _ in 0..3 {
            let task = takes(Duration::ZERO, &sender, "heavy");
            pool.submit_for(heavy.as_ref(), task).unwrap();
        }
        thread::sleep(Duration::from_millis(20));
        let light = client("light", 1);
        let task = takes(Duration::ZERO, &sender, "light");
        pool.submit_for(Some(&light), task).unwrap();
        drop(release);
        let order: Vec<&str> = (0..4).map(|_| receive(&said)).collect();
        assert_eq!(order, ["light", "heavy", "heavy", "heavy"]);
    }
}

/// Has two clients keep the one worker busy, each with a task for each of these weights. Returns
/// how many times as much service the second gets.
fn ratio_of_service(weights: [&[u32]; 2]) -> f64 {
    const SLICE: Duration = Duration::from_millis(4);
    let pool = pool(1, 100);
    let (done, is_done) = channel();
    // The service of each, and the longest slice: by that much they may be apart.
    let had = Arc::new(Mutex::new(([Duration::ZERO; 2], SLICE)));
    for (number, weights) in weights.into_iter().enumerate() {
        for &weight in weights {
            let (had, done) = (Arc::clone(&had), done.clone());
            let endless = task(move |_| {
                let begun = Instant::now();
                thread::sleep(SLICE);
                let slice = begun.elapsed();
                let (had, longest) = &mut *had.lock().unwrap();
                had[number] += slice;
                *longest = slice.max(*longest);
                if had.iter().sum::<Duration>() > (120 * SLICE).max(24 * *longest) {
                    // The first task to finish has already reported.
                    let _ = done.send(*had);
                    return Next::Finished;
                }
                Next::Again
            });
            let client = client(["light", "weighty"][number], weight);
            pool.submit_for(Some(&client), endless).unwrap();
        }
    }
    let [light, weighty] = receive(&is_done);
    weighty.as_secs_f64() / light.as_secs_f64()
}

/// Measures a few times at most, as any one measurement may contain a stall of the machine.
fn assert_about_three_times(weights: [&[u32]; 2]) {
    let mut ratios = Vec::new();
    while ratios.len() < 3 {
        ratios.push(ratio_of_service(weights));
        if ratios
            .last()
            .is_some_and(|ratio| (2.0..=4.0).contains(ratio))
        {
            return;
        }
    }
    panic!("{ratios:?}");
}

#[test]
fn service_is_shared_by_weight() {
    // The lighter client has more tasks, which must not help it.
    assert_about_three_times([&[1, 1, 1], &[3, 3]]);
}

#[test]
fn a_weight_that_was_changed_counts_from_the_next_call_on() {
    assert_about_three_times([&[1, 1], &[1, 3]]);
}

#[test]
fn what_is_done_where_it_is_asked_is_charged_while_others_wait() {
    let (sender, said) = channel();
    let (heavy, light) = (client("heavy", 1), client("light", 1));
    for (others_wait, order) in [(true, ["light", "heavy"]), (false, ["heavy", "light"])] {
        let pool = pool(1, 100);
        let release = hold_worker(&pool);
        if others_wait {
            pool.submit(task(|_| Next::Finished)).unwrap();
        }
        let mut easy = takes(Duration::from_millis(20), &sender, "easy");
        let next = pool.begin_here(Some(&heavy), &mut *easy, Duration::from_millis(1));
        assert_eq!((next, receive(&said)), (Next::Finished, "easy"));
        for (client, whose) in [(&heavy, "heavy"), (&light, "light")] {
            let task = takes(Duration::ZERO, &sender, whose);
            pool.submit_for(Some(client), task).unwrap();
        }
        drop(release);
        assert_eq!([receive(&said), receive(&said)], order);
    }
}

#[test]
fn a_client_is_charged_for_the_help_that_its_task_gets() {
    const HELP: Duration = Duration::from_millis(200);
    let (heavy, light) = (client("heavy", 1), client("light", 1));
    let begun = Instant::now();
    loop {
        assert!(begun.elapsed() < PATIENCE, "the machine is never quiet");
        let pool = pool(2, 100);
        let (sender, took) = channel();
        let helped = task(move |turn| {
            wait_until(|| turn.offer(Arc::new(Help(HELP))));
            // Until the other worker is idle again.
            wait_until(|| turn.has_helper());
            sender.send(turn.service()).unwrap();
            Next::Finished
        });
        pool.submit_for(Some(&heavy), helped).unwrap();
        let own = receive(&took);
        let (sender, took) = channel();
        let alone = task(move |turn| {
            thread::sleep(own + HELP / 2);
            sender.send(turn.service()).unwrap();
            Next::Finished
        });
        pool.submit_for(Some(&light), alone).unwrap();
        let more = receive(&took);
        // It has had more service than the other by itself, and less than that with its help.
        if more > own + HELP * 3 / 4 {
            continue;
        }
        let _second = hold_worker(&pool);
        let release = hold_worker(&pool);
        let (sender, said) = channel();
        for (client, whose) in [(&heavy, "heavy"), (&light, "light")] {
            let task = takes(Duration::ZERO, &sender, whose);
            pool.submit_for(Some(client), task).unwrap();
        }
        drop(release);
        assert_eq!([receive(&said), receive(&said)], ["light", "heavy"]);
        return;
    }
}

#[test]
fn a_client_is_charged_for_the_help_that_its_task_gets_while_it_is_parked() {
    let (heavy, light) = (client("heavy", 1), client("light", 1));
    let pool = pool(2, 100);
    let (sender, said) = channel();
    let begun = Instant::now();
    let alone = takes(Duration::from_millis(20), &sender, "light");
    pool.submit_for(Some(&light), alone).unwrap();
    assert_eq!(receive(&said), "light");
    // It is charged until it leaves.
    wait_until(|| pool.tasks() == 0);
    let time = 3 * begun.elapsed();
    let (help, has_begun, end) = lasting();
    let mut help = Some(help);
    let says = sender.clone();
    let helped = task(move |turn| {
        let Some(help) = help.take() else {
            says.send("heavy").unwrap();
            return Next::Finished;
        };
        wait_until(|| turn.offer(Arc::clone(&help) as Arc<dyn HelperWork>));
        Next::Park
    });
    pool.submit_for(Some(&heavy), helped).unwrap();
    receive(&has_begun);
    thread::sleep(time);
    // While one worker helps and the other is held, the light client has more service than the other has had by itself.
    let _release = hold_worker(&pool);
    let task = takes(Duration::ZERO, &sender, "light");
    pool.submit_for(Some(&light), task).unwrap();
    drop(end);
    assert_eq!([receive(&said), receive(&said)], ["light", "heavy"]);
}

/// Has a client work for this long, and then somebody else occupy the worker until the sender is dropped.
fn work_and_hold_worker(pool: &Pool, client: &Client, time: Duration) -> Sender<()> {
    let (sender, said) = channel();
    let mut has_worked = false;
    let works = task(move |_| {
        if std::mem::replace(&mut has_worked, true) {
            // From now on others start level with it.
            sender.send(()).unwrap();
            return Next::Finished;
        }
        thread::sleep(time);
        Next::Again
    });
    pool.submit_for(Some(client), works).unwrap();
    receive(&said);
    hold_worker(pool)
}

#[test]
fn nobody_saves_up_service_by_asking_for_nothing() {
    let pool = pool(1, 100);
    let (sender, said) = channel();
    let (light, heavy) = (client("light", 1), client("heavy", 1));
    pool.submit_for(Some(&light), takes(Duration::ZERO, &sender, "light"))
        .unwrap();
    assert_eq!(receive(&said), "light");
    let release = work_and_hold_worker(&pool, &heavy, Duration::from_millis(400));
    for _ in 0..4 {
        for (client, whose) in [(&light, "light"), (&heavy, "heavy")] {
            let task = takes(Duration::from_millis(60), &sender, whose);
            pool.submit_for(Some(client), task).unwrap();
        }
    }
    drop(release);
    let order: Vec<&str> = (0..4).map(|_| receive(&said)).collect();
    assert!(order.contains(&"heavy"), "{order:?}");
}

#[test]
fn nobody_saves_up_service_by_a_task_that_does_not_wait() {
    let (light, heavy) = (client("light", 1), client("heavy", 1));
    for is_parked in [true, false] {
        let pool = pool(if is_parked { 1 } else { 2 }, 100);
        let (sender, said) = channel();
        let (begun, has_begun) = channel();
        let (release, released) = channel::<()>();
        // A task that waits for its reader, or one that has a worker to itself.
        let own = task(move |_| {
            begun.send(()).unwrap();
            if is_parked {
                return Next::Park;
            }
            // The disconnection is what is waited for.
            let _ = released.recv_timeout(PATIENCE);
            Next::Finished
        });
        let ticket = pool.submit_for(Some(&light), own).unwrap();
        receive(&has_begun);
        let release_worker = work_and_hold_worker(&pool, &heavy, Duration::from_millis(400));
        for _ in 0..4 {
            for (client, whose) in [(&light, "light"), (&heavy, "heavy")] {
                let task = takes(Duration::from_millis(60), &sender, whose);
                pool.submit_for(Some(client), task).unwrap();
            }
        }
        drop(release_worker);
        let order: Vec<&str> = (0..4).map(|_| receive(&said)).collect();
        assert!(order.contains(&"heavy"), "{order:?}");
        drop((release, ticket));
    }
}

#[test]
fn before_a_newcomer_are_its_clients_own_and_as_many_of_each_other_client() {
    let pool = pool(1, 100);
    let _release = hold_worker(&pool);
    let [own, other, another] = ["own", "other", "another"].map(|name| client(name, 1));
    let wait = || pool.expected_wait(Some(&own), Rank::FIRST);
    let submit = |client, count| {
        for _ in 0..count {
            let newcomer = task(|_| Next::Finished);
            pool.submit_for(Some(client), newcomer).unwrap();
        }
    };
    // A client of which nobody waits goes first.
    submit(&other, 5);
    assert_eq!(wait(), None);
    submit(&own, 1);
    let with_one = wait().expect("one of its own and one of the other's") / 2;
    submit(&own, 1);
    assert_eq!(wait(), Some(4 * with_one));
    submit(&another, 1);
    assert_eq!(wait(), Some(6 * with_one));
    // There are no more than wait.
    submit(&own, 10);
    assert_eq!(wait(), Some((12 + 18) * with_one));
}

#[test]
fn each_client_finds_places_however_many_the_others_take() {
    let pool = pool(1, 61);
    let release = hold_worker(&pool);
    let named = [client("a", 1), client("b", 1), client("c", 2)];
    let mut taken = Vec::new();
    for client in named.iter().map(Some).chain([None]) {
        let mut count = 0;
        let full = loop {
            match pool.submit_for(client, task(|_| Next::Finished)) {
                Ok(_) => count += 1,
                Err(full) => break full,
            }
        };
        assert_eq!(full, Full::Share, "{client:?}");
        taken.push(count);
    }
    // Of the 60 places left, a client gets as many as it leaves free, and twice as many if it has
    // twice the weight. All calls without a name are one client, which had one place already.
    assert_eq!(taken, [30, 15, 10, 2]);
    drop(release);
}

#[test]
fn without_names_there_are_no_shares() {
    let pool = pool(1, 12);
    let release = hold_worker(&pool);
    let tickets: Vec<_> = (0..11)
        .map(|_| pool.submit(task(|_| Next::Finished)).unwrap())
        .collect();
    assert_eq!(
        pool.submit(task(|_| Next::Finished)).err(),
        Some(Full::Pool)
    );
    drop((release, tickets));
}

#[test]
fn a_client_is_forgotten_when_it_owes_nothing() {
    let pool = pool(1, 4);
    let (sender, said) = channel();
    // More names than are remembered. Each has its turn, even after the others have been forgotten.
    for number in 0..3_000 {
        let client = client(&format!("client {number}"), 1);
        let mut task = Some(takes(Duration::ZERO, &sender, "served"));
        let begun = Instant::now();
        while let Some(next) = task.take() {
            if pool.submit_for(Some(&client), next).is_err() {
                assert!(begun.elapsed() < PATIENCE, "there never was a place");
                task = Some(takes(Duration::ZERO, &sender, "served"));
                thread::yield_now();
            }
        }
        assert_eq!(receive(&said), "served");
    }
    assert!(pool.clients() <= 1_025, "{}", pool.clients());
    // The clients that remain are remembered until others have had as much service.
    let begun = Instant::now();
    while pool.clients() > 0 {
        assert!(begun.elapsed() < PATIENCE, "{}", pool.clients());
        let nameless = takes(Duration::from_millis(1), &sender, "served");
        pool.submit(nameless).unwrap();
        receive(&said);
    }
}

#[test]
fn a_client_whose_task_is_cancelled_while_it_waits_has_its_place_back_and_is_forgotten() {
    let pool = pool(1, 4);
    let release = hold_worker(&pool);
    let one = client("one", 1);
    for _ in 0..10 {
        let waits = pool.submit_for(Some(&one), task(|_| Next::Finished));
        assert_eq!(pool.clients(), 1);
        waits.unwrap().cancel();
        assert_eq!(pool.clients(), 0);
    }
    drop(release);
}

/// Whether a client's long task finishes although each newcomer of these clients submits the next one.
fn gets_on(whose: Option<&Client>, newcomers: &[Option<&Client>]) -> bool {
    let pool = pool(1, 100);
    let (done, is_done) = channel();
    let mut slices = 0;
    let long = task(move |_| {
        slices += 1;
        // So long that the newcomers have certainly had less.
        thread::sleep(Duration::from_millis(1));
        if slices < 10 {
            return Next::Again;
        }
        done.send(()).unwrap();
        Next::Finished
    });
    pool.submit_for(whose, long).unwrap();
    let (again, wanted) = channel();
    let submit = |number: usize| {
        let again = again.clone();
        let newcomer = task(move |_| {
            // Nobody listens when the test is over.
            let _ = again.send(number);
            Next::Finished
        });
        pool.submit_for(newcomers[number], newcomer).unwrap();
    };
    (0..newcomers.len()).for_each(submit);
    (0..1000).any(|_| {
        submit(receive(&wanted));
        is_done.try_recv().is_ok()
    })
}

#[test]
fn a_long_task_gets_on_while_there_are_always_newcomers() {
    let (a, b) = (client("a", 1), client("b", 1));
    assert!(gets_on(None, &[None; 3]));
    assert!(gets_on(Some(&a), &[Some(&a), Some(&a), Some(&a), Some(&b)]));
}

/// Has a client's task park, and returns what wakes it. From its second turn on it says whose it is in each of four turns
/// of this length.
fn park(
    pool: &Pool,
    client: &Client,
    time: Duration,
    sender: &Sender<&'static str>,
    whose: &'static str,
) -> Ticket {
    let (begun, has_begun) = channel();
    let says = sender.clone();
    let mut turns = 0;
    let parks = task(move |_| {
        turns += 1;
        if turns == 1 {
            begun.send(()).unwrap();
            return Next::Park;
        }
        thread::sleep(time);
        // Nobody listens once the test is over.
        let _ = says.send(whose);
        if turns < 5 {
            Next::Again
        } else {
            Next::Finished
        }
    });
    let ticket = pool.submit_for(Some(client), parks).unwrap();
    receive(&has_begun);
    ticket
}

#[test]
fn nobody_saves_up_service_while_its_reader_is_slow() {
    const TURN: Duration = Duration::from_millis(60);
    let pool = Pool::start(1, 100).unwrap();
    let (sender, said) = channel();
    let (light, heavy) = (client("light", 1), client("heavy", 1));
    let parked = park(&pool, &light, TURN, &sender, "light");
    let release = work_and_hold_worker(&pool, &heavy, Duration::from_millis(400));
    parked.wake();
    for _ in 0..4 {
        let task = takes(TURN, &sender, "heavy");
        pool.submit_for(Some(&heavy), task).unwrap();
    }
    drop(release);
    let order: Vec<&str> = (0..4).map(|_| receive(&said)).collect();
    assert!(order.contains(&"heavy"), "{order:?}");
}

#[test]
fn what_is_done_where_it_is_asked_is_charged_to_a_client_whose_reader_is_slow() {
    let pool = Pool::start(1, 100).unwrap();
    let (sender, said) = channel();
    let (light, heavy) = (client("light", 1), client("heavy", 1));
    let _parked = park(&pool, &light, Duration::ZERO, &sender, "parked");
    // What the other has had by then is where all others begin.
    let release = work_and_hold_worker(&pool, &heavy, Duration::from_millis(400));
    pool.submit(task(|_| Next::Finished)).unwrap();
    let mut easy = takes(Duration::from_millis(200), &sender, "easy");
    let next = pool.begin_here(Some(&light), &mut *easy, Duration::from_millis(1));
    assert_eq!((next, receive(&said)), (Next::Finished, "easy"));
    for (client, whose) in [(&light, "light"), (&heavy, "heavy")] {
        let task = takes(Duration::ZERO, &sender, whose);
        pool.submit_for(Some(client), task).unwrap();
    }
    drop(release);
    assert_eq!([receive(&said), receive(&said)], ["heavy", "light"]);
}

#[test]
fn a_client_alone_gets_the_larger_half_of_an_odd_number_of_places() {
    let pool = Pool::start(1, 10).unwrap();
    let release = hold_worker(&pool);
    let one = client("one", 1);
    let taken = (0..10).take_while(|_| {
        let newcomer = task(|_| Next::Finished);
        pool.submit_for(Some(&one), newcomer).is_ok()
    });
    assert_eq!(taken.count(), 5);
    drop(release);
}

#[test]
fn calls_without_a_name_are_served_however_much_others_have_had_since_the_last_one() {
    let pool = Pool::start(1, 10).unwrap();
    let (sender, said) = channel();
    let nameless = || pool.submit(takes(Duration::ZERO, &sender, "nameless"));
    nameless().unwrap();
    assert_eq!(receive(&said), "nameless");
    let release = work_and_hold_worker(&pool, &client("one", 1), Duration::from_millis(20));
    nameless().unwrap();
    drop(release);
    assert_eq!(receive(&said), "nameless");
}
