//! Refusals because no answer could come in time.

mod in_time;

use std::num::NonZeroU32;
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use loyd::engine::average::Average;
use loyd::engine::rank::Rank;
use loyd::engine::{Client, Engine, Lack, Limits, Refused, Waiting, Wanted, Work};
use loyd::puzzle::{Dice, Problem};
use loyd::search::constructive::Variant;
use loyd::search::plan::Objective;
use loyd::search::{Budget, Progress, Search, Step, Stop};

use crate::fake::{
    PATIENCE, Scripted, due_in, engine, hopeless, patient, question, receive, unlimited, wanting,
};
use crate::log::Log;
use crate::support::{random_problem, shape};

/// Less than a request has to wait in a long line of a slow engine, and more than a stall of the machine takes.
const SOON: Duration = Duration::from_secs(1);

fn square(side: usize, seed: u64) -> Problem {
    let shape = shape(side, side);
    random_problem(shape, shape.cells() - 1, &mut Dice::new(seed))
}

/// A search that lasts until the sender is dropped, and a function that waits until it has begun.
fn lasting() -> (impl Search<Found = u64>, Sender<()>, impl Fn()) {
    let (begun, has_begun) = channel();
    let (release, released) = channel();
    let search = Scripted::new(move |_: Budget, _: &mut Progress| {
        begun.send(()).unwrap();
        // The disconnection is what is waited for.
        let _ = released.recv_timeout(PATIENCE);
        Step::Done(Stop::Exhausted)
    });
    (search, release, move || receive(&has_begun))
}

/// Occupies the one worker until the result is dropped, with this many newcomers in the line.
pub(crate) fn hold(engine: &Engine, newcomers: u64) -> (Sender<()>, Vec<impl Work + use<>>) {
    let (search, release, has_begun) = lasting();
    let _held: Waiting<_> = engine.draw(None, Rank::FIRST, search, unlimited()).unwrap();
    has_begun();
    let line = (0..newcomers).map(|_| {
        let search = Scripted::<u64, _>::new(|_, _| Step::Done(Stop::Exhausted));
        engine.draw(None, Rank::FIRST, search, patient()).unwrap()
    });
    (release, line.collect())
}

/// An engine with one worker that has observed long waits for each place in the line.
fn slow_engine() -> Engine {
    slowed(engine(1, 1_000))
}

fn slowed(engine: Engine) -> Engine {
    let (release, waiting) = hold(&engine, 1);
    thread::sleep(Duration::from_millis(400));
    drop(release);
    let begun = Instant::now();
    loop {
        let queued = waiting[0].queued();
        thread::sleep(Duration::from_millis(2));
        // It grows until the task has its turn.
        if waiting[0].queued() == queued {
            break;
        }
        assert!(begun.elapsed() < PATIENCE, "it never had its turn");
    }
    engine
}

#[tokio::test]
async fn who_waited_in_vain_has_waited_all_the_time() {
    let engine = engine(1, 100);
    let (release, _) = hold(&engine, 0);
    let time = Duration::from_millis(50);
    let asked = question(square(4, 1), Objective::Optimal);
    let mut solving = engine.solve(None, asked, due_in(time)).unwrap();
    assert_eq!(solving.end().await.unwrap_err().name(), "deadline");
    assert!(solving.queued() >= time / 2, "{:?}", solving.queued());
    drop(release);
}

fn lobby() -> Client {
    Client {
        name: "lobby".into(),
        weight: NonZeroU32::MIN,
    }
}

fn lack<T>(asked: Result<T, Refused>) -> Option<Lack> {
    match asked {
        Err(Refused::Overloaded { lack, retry_after }) => {
            assert!(retry_after >= Duration::from_millis(20));
            assert!(retry_after <= Duration::from_millis(5120));
            Some(lack)
        }
        Err(other) => panic!("{other}"),
        Ok(_) => None,
    }
}

/// What a request of each kind lacks, if it is refused.
fn asked(engine: &Engine, limits: &Limits) -> [Option<Lack>; 4] {
    let (search, _release, _) = lasting();
    [
        lack(engine.solve(None, question(square(4, 1), Objective::Best), *limits)),
        lack(engine.solve(None, question(square(4, 2), Objective::Optimal), *limits)),
        lack(engine.pipe(None, &square(4, 3), Variant::Best, limits)),
        lack(engine.draw(None, Rank::FIRST, search, *limits)),
    ]
}

#[tokio::test]
async fn what_the_line_leaves_no_time_for_is_refused_at_once() {
    let engine = slow_engine();
    let (_release, _line) = hold(&engine, 40);
    let soon = due_in(SOON);
    assert_eq!(asked(&engine, &soon), [Some(Lack::Time); 4]);
    let late = due_in(Duration::from_secs(3600));
    assert_eq!(asked(&engine, &late), [None; 4]);
}

#[tokio::test]
async fn who_would_wait_for_longer_than_any_request_may_take_is_refused() {
    let mut config = engine(1, 1_000).config().clone();
    config.caps.time = Duration::from_secs(1);
    let engine = slowed(Engine::start(config).unwrap());
    let pipe = || lack(engine.pipe(None, &square(4, 3), Variant::Best, &unlimited()));
    assert_eq!(pipe(), None);
    // They take at least two seconds.
    let (_release, _line) = hold(&engine, 40);
    assert_eq!(pipe(), Some(Lack::Time));
}

#[tokio::test]
async fn nobody_is_told_to_come_again_later_than_in_five_seconds() {
    let engine = slow_engine();
    // They take at least twenty seconds.
    let (_release, _line) = hold(&engine, 400);
    let asked = question(square(4, 2), Objective::Optimal);
    let refused = engine.solve(None, asked, due_in(SOON));
    let Err(Refused::Overloaded { lack, retry_after }) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(lack, Lack::Time);
    assert_eq!(retry_after, Duration::from_millis(5120));
}

#[tokio::test]
async fn who_has_no_time_left_misses_its_deadline_however_long_the_line() {
    let engine = slow_engine();
    let (_release, _line) = hold(&engine, 40);
    let asked = question(square(4, 2), Objective::Optimal);
    let mut solving = engine.solve(None, asked, due_in(Duration::ZERO)).unwrap();
    assert_eq!(solving.end().await.unwrap_err().name(), "deadline");
}

#[tokio::test]
async fn who_takes_any_solution_waits_for_the_first_beyond_the_time_limit() {
    let engine = slow_engine();
    let (_release, _line) = hold(&engine, 40);
    let limits = wanting(Wanted {
        time: Some(SOON),
        ..Wanted::default()
    });
    let ask = |objective| lack(engine.solve(None, question(square(4, 1), objective), limits));
    for objective in [Objective::Best, Objective::Fast] {
        assert_eq!(ask(objective), None, "{objective}");
    }
    assert_eq!(ask(Objective::Optimal), Some(Lack::Time));
}

#[tokio::test]
async fn a_line_of_those_who_take_longer_is_no_reason_to_refuse() {
    let engine = slow_engine();
    let (_release, _) = hold(&engine, 0);
    let proof = |number| question(hopeless(number), Objective::Optimal);
    let solve = |number| engine.solve(None, proof(number), patient()).unwrap();
    let _line: Vec<_> = (0..40).map(solve).collect();
    let soon = due_in(SOON);
    assert_eq!(asked(&engine, &soon), [None; 4]);
    assert_eq!(lack(engine.solve(None, proof(40), soon)), Some(Lack::Time));
}

#[tokio::test]
async fn without_a_line_nobody_is_refused() {
    let engine = slow_engine();
    let (release, _line) = hold(&engine, 0);
    assert_eq!(asked(&engine, &due_in(Duration::from_millis(2)))[0], None);
    drop(release);
}

#[tokio::test]
async fn a_question_that_is_being_answered_is_joined_however_long_the_line() {
    let engine = slow_engine();
    let (_release, _line) = hold(&engine, 40);
    let proof = || question(hopeless(3), Objective::Optimal);
    let _first = engine.solve(None, proof(), unlimited()).unwrap();
    let soon = due_in(SOON);
    assert_eq!(lack(engine.solve(None, proof(), soon)), None);
}

#[tokio::test]
async fn a_large_board_is_refused_when_its_first_answer_takes_longer_than_is_left() {
    let engine = engine(1, 100);
    let large = |seed| question(square(80, seed), Objective::Fast);
    let mut first = engine.solve(None, large(1), unlimited()).unwrap();
    first.end().await.unwrap();

    let (_release, _line) = hold(&engine, 1);
    let begun = Instant::now();
    let lacks = loop {
        let soon = due_in(Duration::from_millis(25));
        let lacks = lack(engine.solve(None, large(2), soon));
        // Who has no time left at all is not refused, and a stall of the machine may take all of it.
        if lacks.is_some() || Instant::now() < soon.time_up().0 {
            break lacks;
        }
        assert!(begun.elapsed() < PATIENCE, "the machine is never quiet");
    };
    assert_eq!(lacks, Some(Lack::Time));
    let late = due_in(Duration::from_secs(3600));
    assert_eq!(lack(engine.solve(None, large(2), late)), None);
}

#[tokio::test]
async fn what_is_owed_to_others_of_its_size_keeps_a_board_waiting_and_no_smaller_one() {
    let engine = engine(1, 100);
    let large = |seed| question(square(80, seed), Objective::Fast);
    let begun = Instant::now();
    let mut first = engine.solve(None, large(1), unlimited()).unwrap();
    first.end().await.unwrap();
    let took = begun.elapsed();

    let (_release, _line) = hold(&engine, 0);
    // On a busy machine the first took several times as long as it worked. So many take longer even so.
    let others = (2..42).map(|seed| engine.solve(None, large(seed), unlimited()).unwrap());
    let _others: Vec<_> = others.collect();
    let soon = due_in(10 * took);
    assert_eq!(lack(engine.solve(None, large(42), soon)), Some(Lack::Time));
    let small = question(square(3, 1), Objective::Fast);
    assert_eq!(lack(engine.solve(None, small, soon)), None);
    // Nor one of a client whose own searches do not wait.
    assert_eq!(lack(engine.solve(Some(&lobby()), large(43), soon)), None);
}

#[tokio::test]
async fn a_worker_who_is_free_is_reason_enough_to_take_a_board() {
    // Who has the only place has a worker, too, and the other one is free.
    let engine = engine(2, 1);
    let large = |seed| question(square(80, seed), Objective::Fast);
    let begun = Instant::now();
    let mut first = engine.solve(None, large(1), unlimited()).unwrap();
    first.end().await.unwrap();
    let took = begun.elapsed();
    // It has been answered before it leaves its place.
    let _second = loop {
        match engine.solve(None, large(2), unlimited()) {
            Ok(second) => break second,
            Err(refused) => assert!(begun.elapsed() < PATIENCE, "{refused}"),
        }
    };
    let both = due_in(took * 3 / 2);
    assert_ne!(lack(engine.solve(None, large(3), both)), Some(Lack::Time));
}

#[test]
fn an_average_begins_with_its_first_sample_and_follows_the_later_ones() {
    let average = Average::default();
    assert_eq!(average.get(), Duration::ZERO);
    average.learn(Duration::from_millis(80));
    assert_eq!(average.get(), Duration::from_millis(80));
    average.learn(Duration::ZERO);
    assert_eq!(average.get(), Duration::from_millis(70));
    (0..100).for_each(|_| average.learn(Duration::from_millis(1)));
    assert!(average.get() < Duration::from_micros(1_001));
}

#[test]
fn the_log_names_the_client_that_is_refused() {
    let log = Log::default();
    let _listening = log.listen();
    let engine = engine(1, 2);
    let lobby = lobby();
    let draw = |search| engine.draw(Some(&lobby), Rank::FIRST, search, unlimited());
    let (search, release, has_begun) = lasting();
    let held: Waiting<_> = draw(search).unwrap();
    has_begun();
    // Alone it may hold half of the places.
    let (search, _other, _has_begun) = lasting();
    let refused = draw(search).err();
    assert!(
        matches!(
            refused,
            Some(Refused::Overloaded {
                lack: Lack::Share,
                ..
            })
        ),
        "{refused:?}"
    );
    drop((release, held));
    let text = log.take();
    let line: serde_json::Value = serde_json::from_str(text.trim()).unwrap();
    let fields = &line["fields"];
    assert_eq!(fields["message"], "overloaded: calls refused");
    assert_eq!(
        (&fields["lack"], &fields["client"]),
        (&"share".into(), &"lobby".into())
    );
}
