//! The pool: least service first, no lost wake-ups, and exactly as many tasks as there are places.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, Weak};
use std::thread;
use std::time::{Duration, Instant};

use loyd::engine::pool::{Full, HelperWork, Next, Pool, SLICE, Task, Ticket, Turn};
use loyd::engine::rank::Rank;

use crate::fake::{Fake, PATIENCE, Told, panics, receive, task};
use crate::support::shape;

fn pool(workers: usize, capacity: usize) -> Pool {
    Pool::start(workers, capacity).unwrap()
}

/// Keeps the one worker busy until the sender is dropped.
fn hold_worker(pool: &Pool) -> (Sender<()>, Ticket) {
    let (begun, has_begun) = channel();
    let (release, released) = channel();
    let ticket = pool
        .submit(task(move |_| {
            begun.send(()).unwrap();
            // The disconnection is what is waited for.
            let _ = released.recv_timeout(PATIENCE);
            Next::Finished
        }))
        .unwrap();
    receive(&has_begun);
    (release, ticket)
}

/// A task that does nothing but send a word.
fn say<T: Send + 'static>(sender: &Sender<T>, word: T) -> Box<dyn loyd::engine::pool::Task> {
    let sender = sender.clone();
    let mut word = Some(word);
    task(move |_| {
        sender.send(word.take().unwrap()).unwrap();
        Next::Finished
    })
}

/// Submits as soon as there is a place.
fn submit_when_possible(pool: &Pool, mut make: impl FnMut() -> Box<dyn loyd::engine::pool::Task>) {
    let begin = Instant::now();
    while pool.submit(make()).is_err() {
        assert!(begin.elapsed() < PATIENCE, "there never was a place");
        thread::yield_now();
    }
}

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
    let (release, _) = hold_worker(&pool);
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

/// A task with a rank.
struct Of(Rank, Box<dyn Task>);

impl Task for Of {
    fn run(&mut self, turn: &Turn<'_>) -> Next {
        self.1.run(turn)
    }

    fn panicked(&mut self) {
        self.1.panicked();
    }

    fn rank(&self) -> Rank {
        self.0
    }
}

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
        let (release, _) = hold_worker(&pool);
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

#[test]
fn who_waits_is_woken_in_time_though_newcomers_keep_coming() {
    let pool = Arc::new(pool(1, 10));
    let (release, _) = hold_worker(&pool);
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
    let (release, _) = hold_worker(&pool);
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

/// A task of one slice that submits its own successor before it is over.
fn keep_coming(pool: std::sync::Weak<Pool>, said: Sender<&'static str>) -> Box<dyn Task> {
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
fn of_newcomers_the_lowest_rank_goes_first_and_waits_for_no_other() {
    let pool = pool(1, 10);
    let (release, _) = hold_worker(&pool);
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

#[test]
fn a_newcomer_has_its_turn_though_others_of_lower_ranks_keep_coming() {
    let pool = pool(1, 20);
    let (release, _) = hold_worker(&pool);
    let (sender, said) = channel();
    let [small, large] = [3, 10].map(|side| Rank::of_first_answer(shape(side, side)));
    pool.submit(Box::new(Of(large, say(&sender, "large"))))
        .unwrap();
    for _ in 0..12 {
        pool.submit(Box::new(Of(small, say(&sender, "small"))))
            .unwrap();
    }
    drop(release);
    let order: Vec<&str> = (0..13).map(|_| receive(&said)).collect();
    assert_eq!(order[..5], ["small", "small", "small", "large", "small"]);
}

#[test]
fn who_has_had_most_and_who_has_had_little_have_turns_beside_newcomers() {
    let pool = Arc::new(pool(1, 20));
    let (release, _) = hold_worker(&pool);
    let (sender, said) = channel();
    // Each has several times as much service as the one before it has had, however long that was.
    let service = Arc::new(Mutex::new(Duration::from_millis(2)));
    for word in ["little", "more", "most"] {
        let (said, inner) = (sender.clone(), Arc::downgrade(&pool));
        let service = Arc::clone(&service);
        let mut has_begun = false;
        let begun = task(move |turn| {
            if std::mem::replace(&mut has_begun, true) {
                said.send(word).unwrap();
                return Next::Finished;
            }
            let mut service = service.lock().unwrap();
            thread::sleep(5 * *service);
            if word == "most" {
                let pool = inner.upgrade().unwrap();
                (0..8).for_each(|_| drop(pool.submit(say(&said, "new")).unwrap()));
            }
            *service = turn.service();
            Next::Again
        });
        pool.submit(begun).unwrap();
    }
    drop(release);
    let order: Vec<&str> = (0..11).map(|_| receive(&said)).collect();
    assert_eq!(
        order,
        [
            "new", "most", "new", "new", "new", "little", "new", "new", "new", "more", "new"
        ]
    );
}

#[test]
fn who_is_between_has_a_turn_though_others_have_had_more_and_less() {
    let pool = Arc::new(pool(1, 70));
    let (release, _) = hold_worker(&pool);
    let (sender, said) = channel();
    for (word, service) in [("most", 300), ("between", 100), ("little", 10)] {
        let (said, inner) = (sender.clone(), Arc::downgrade(&pool));
        let mut has_begun = false;
        let begun = task(move |_| {
            if !std::mem::replace(&mut has_begun, true) {
                thread::sleep(Duration::from_millis(service));
                if word == "little" {
                    let pool = inner.upgrade().unwrap();
                    (0..60).for_each(|_| drop(pool.submit(say(&said, "new")).unwrap()));
                }
                return Next::Again;
            }
            // Endless tasks continue until nobody listens.
            match said.send(word) {
                Ok(()) if word != "between" => Next::Again,
                _ => Next::Finished,
            }
        });
        pool.submit(begun).unwrap();
    }
    drop(release);
    let words: Vec<&str> = (0..60).map(|_| receive(&said)).collect();
    let turn = words.iter().position(|&word| word == "between");
    assert!(turn.is_some_and(|turn| turn < 16), "{words:?}");
    assert!(words.contains(&"most") && words.contains(&"little"));
}

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

/// Runs a task that has this work done by another worker, until what is returned is dropped.
fn offer(pool: &Pool, work: impl HelperWork + 'static) -> Sender<()> {
    let (release, released) = channel();
    let work = Arc::new(work);
    pool.submit(task(move |turn| {
        let begun = Instant::now();
        // The other worker may not be idle yet.
        while !turn.offer(Arc::clone(&work) as Arc<dyn HelperWork>) {
            assert!(begun.elapsed() < PATIENCE, "nobody is there");
            thread::yield_now();
        }
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
            self.1.send(turn.is_over()).unwrap();
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
fn help_is_offered_only_where_a_worker_is_idle() {
    struct Idle;
    impl HelperWork for Idle {
        fn run(&self, _: &Turn<'_>) -> bool {
            false
        }
    }
    let pool = pool(1, 1);
    let (sender, said) = channel();
    pool.submit(task(move |turn| {
        let is_taken = turn.offer(Arc::new(Idle));
        sender.send((turn.has_helper(), is_taken)).unwrap();
        Next::Finished
    }))
    .unwrap();
    assert_eq!(receive(&said), (false, false));
}

/// Help that begins with a word and lasts until the other end of the second channel is dropped.
struct Lasting(Sender<()>, Mutex<Receiver<()>>);

impl HelperWork for Lasting {
    fn run(&self, _: &Turn<'_>) -> bool {
        self.0.send(()).unwrap();
        // The disconnection is what is waited for.
        let _ = self.1.lock().unwrap().recv_timeout(PATIENCE);
        false
    }
}

/// Help that lasts, what tells that it has begun, and what ends it.
fn lasting() -> (Arc<Lasting>, Receiver<()>, Sender<()>) {
    let ((begun, has_begun), (end, ended)) = (channel(), channel());
    let help = Arc::new(Lasting(begun, Mutex::new(ended)));
    (help, has_begun, end)
}

/// Waits for what another worker does.
fn wait_until(what: impl Fn() -> bool) {
    let begun = Instant::now();
    while !what() {
        assert!(begun.elapsed() < PATIENCE, "it never was so");
        thread::yield_now();
    }
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
    let (_release, _) = hold_worker(&pool);
    go_on.send(()).unwrap();
    assert_eq!(receive(&said), Some((false, false)));
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
fn help_is_service_of_the_task_whether_that_runs_or_is_parked() {
    const HELP: Duration = Duration::from_millis(20);
    struct Help;
    impl HelperWork for Help {
        fn run(&self, _: &Turn<'_>) -> bool {
            thread::sleep(HELP);
            false
        }
    }
    for next in [Next::Again, Next::Park] {
        let pool = pool(2, 1);
        let (sender, took) = channel();
        let mut by_itself = None;
        pool.submit(task(move |turn| {
            if let Some(by_itself) = by_itself {
                sender.send((by_itself, turn.service())).unwrap();
                return Next::Finished;
            }
            wait_until(|| turn.offer(Arc::new(Help)));
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
fn a_full_pool_takes_nobody_until_someone_has_left() {
    let pool = pool(1, 3);
    let (release, _) = hold_worker(&pool);
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
    let (release, _) = hold_worker(&pool);
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
        let (release, _) = hold_worker(&pool);
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
    let (release, _) = hold_worker(&pool);
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
    let (release, _) = hold_worker(&pool);
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
        let (release, _) = hold_worker(&pool);
        let ticket = pool.submit(Box::new(Heavy(sender.clone(), is_large)));
        ticket.unwrap().cancel();
        let thread = receive(&dropped);
        assert_eq!(thread.as_deref() == Some("loyd-drop"), is_large);
        drop(release);
    }
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
fn all_workers_work_at_once() {
    let pool = pool(3, 3);
    let barrier = Arc::new(std::sync::Barrier::new(3));
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
