//! Solutions that are sent while they are worked out.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use loyd::engine::job::Job;
use loyd::engine::memory::Memory;
use loyd::engine::pool::{Next, Pool};
use loyd::engine::{Engine, Failure, Limits, Pipe, Refused, Wanted, Work};
use loyd::puzzle::{Dice, Direction, Problem, Replay};
use loyd::search::constructive::Variant;
use loyd::search::{Budget, Progress, Search, Step, Stop};
use metrics_exporter_prometheus::PrometheusBuilder;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::fake::{
    PATIENCE, Scripted, due_in, engine, receive, task, to_and_fro, unlimited, wanting,
};
use crate::support::{random_problem, shape};

/// A pipe with a search of its own.
fn pipe<S>(pool: &Pool, problem: &Problem, limits: Limits, search: S) -> Pipe
where
    S: Search<Found = Vec<Direction>> + 'static,
{
    let due = limits.deadline;
    Pipe::start(problem, limits, due, CancellationToken::new(), |inlet| {
        let memory = Arc::new(Memory::new(u64::MAX, 1));
        let reservation = memory.reserve(0).unwrap();
        pool.submit(Box::new(Job::new(
            search,
            inlet,
            limits.nodes,
            limits.memory,
            reservation,
        )))
    })
    .unwrap()
}

/// A search that sends this many runs of two moves, and reports each.
fn counting(runs: u64) -> (impl Search<Found = Vec<Direction>>, Receiver<u64>) {
    let (sender, counts) = channel();
    let (_, to_and_fro, to_the_goal) = to_and_fro();
    let search = Scripted::new(move |_: Budget, progress: &mut Progress| {
        progress.generated += 1;
        // The test may have stopped listening.
        let _ = sender.send(progress.generated);
        if progress.generated < runs {
            Step::Found(to_and_fro.to_vec())
        } else if progress.generated == runs {
            Step::Found(to_the_goal.to_vec())
        } else {
            Step::Done(Stop::FirstFound)
        }
    });
    (search, counts)
}

async fn next(pipe: &mut Pipe) -> Result<Option<Vec<Direction>>, Failure> {
    timeout(PATIENCE, pipe.next(1))
        .await
        .expect("something comes")
}

async fn all(pipe: &mut Pipe) -> Vec<Direction> {
    let mut moves = Vec::new();
    while let Some(run) = next(pipe).await.unwrap() {
        moves.extend(run);
    }
    moves
}

/// A pipe of 1,000 runs of two moves that nobody has read from: four wait for the reader, and the fifth for room.
fn parked(pool: &Pool) -> (Problem, Receiver<u64>, Pipe) {
    let (problem, ..) = to_and_fro();
    let (search, counts) = counting(1_000);
    let pipe = pipe(pool, &problem, unlimited(), search);
    for count in 1..=5 {
        assert_eq!(receive(&counts), count);
    }
    (problem, counts, pipe)
}

#[tokio::test]
async fn a_reader_that_does_not_read_parks_the_search_and_gets_everything_in_the_end() {
    let pool = Pool::start(1, 2).unwrap();
    let (problem, counts, mut pipe) = parked(&pool);
    // The one worker has time for others now, and the search does not use its turns.
    for _ in 0..50 {
        let (sender, said) = channel();
        let begin = Instant::now();
        while pool
            .submit(task({
                let sender = sender.clone();
                move |_| {
                    sender.send(()).unwrap();
                    Next::Finished
                }
            }))
            .is_err()
        {
            assert!(begin.elapsed() < PATIENCE);
            std::thread::yield_now();
        }
        receive(&said);
    }
    assert!(counts.try_recv().is_err());
    // It has waited for the worker only until its first turn.
    let queued = pipe.queued();
    std::thread::sleep(Duration::from_millis(1));
    assert_eq!(pipe.queued(), queued);
    let moves = all(&mut pipe).await;
    assert_eq!(moves.len(), 999 * 2 + 1);
    problem.replay(moves).unwrap();
    assert_eq!(next(&mut pipe).await, Ok(None));
    assert_eq!(pipe.progress().generated, 1_001);
}

#[tokio::test]
async fn runs_that_wait_are_put_together_up_to_so_many_moves() {
    let pool = Pool::start(1, 2).unwrap();
    let (_, _counts, mut pipe) = parked(&pool);
    for (most, moves) in [(1, 2), (3, 4)] {
        let run = timeout(PATIENCE, pipe.next(most)).await;
        assert_eq!(run.unwrap().unwrap().unwrap().len(), moves);
    }
}

#[tokio::test]
async fn limits_do_not_end_the_first_solution() {
    let engine = engine(2, 8);
    let problem = random_problem(shape(40, 40), 1599, &mut Dice::new(1));
    let limits = wanting(Wanted {
        nodes: Some(1),
        time: Some(Duration::from_nanos(1)),
        memory: Some(1 << 20),
    });
    let mut pipe = engine.pipe(None, &problem, Variant::Best, &limits).unwrap();
    let mut replay = Replay::new(&problem);
    while let Some(run) = next(&mut pipe).await.unwrap() {
        replay.play(&run).unwrap();
    }
    replay.finish().unwrap();
}

#[test]
fn a_solution_for_which_there_will_never_be_memory_is_refused() {
    let mut config = engine(1, 4).config().clone();
    config.memory = 256 << 10;
    let engine = Engine::start(config).unwrap();
    let pipe = |side| {
        let problem = random_problem(shape(side, side), 0, &mut Dice::new(1));
        let pipe = engine.pipe(None, &problem, Variant::Best, &unlimited());
        pipe.map(|_| ()).err()
    };
    assert_eq!(pipe(128), Some(Refused::Memory));
    assert_eq!(pipe(16), None);
}

#[test]
fn what_its_answer_holds_leaves_a_solution_no_memory_at_any_time() {
    let mut config = engine(1, 4).config().clone();
    config.memory = 16 << 20;
    let engine = Engine::start(config).unwrap();
    // The last sixteenth is for small requests, and this is none.
    let problem = random_problem(shape(128, 128), 0, &mut Dice::new(1));
    let answer = (15 << 20) - (256 << 10);
    let _held = engine.reserve(answer).unwrap();
    let own = Limits {
        held: answer,
        ..unlimited()
    };
    let pipe = |limits| engine.pipe(None, &problem, Variant::Best, &limits).err();
    let recorder = PrometheusBuilder::new().build_recorder();
    let refused = metrics::with_local_recorder(&recorder, || pipe(own));
    assert_eq!(refused, Some(Refused::Memory));
    let told = recorder.handle().render();
    let stops = "loyd_limit_stops_total{limit=\"memory\"} 1\n";
    assert!(told.contains(stops), "{told}");
    // What others hold they give back.
    assert!(matches!(
        pipe(unlimited()),
        Some(Refused::Overloaded { .. })
    ));
}

#[tokio::test]
async fn moves_that_cannot_be_made_are_a_defect() {
    let pool = Pool::start(1, 2).unwrap();
    let (problem, ..) = to_and_fro();
    let search = Scripted::new(|_: Budget, progress: &mut Progress| {
        progress.generated += 1;
        if progress.generated == 1 {
            Step::Found(vec![Direction::Left, Direction::Right])
        } else {
            Step::Found(vec![Direction::Right])
        }
    });
    let mut pipe = pipe(&pool, &problem, unlimited(), search);
    assert!(next(&mut pipe).await.unwrap().is_some());
    assert_eq!(next(&mut pipe).await, Err(Failure::Defect));
}

#[tokio::test]
async fn moves_that_end_elsewhere_than_on_the_goal_are_a_defect() {
    let pool = Pool::start(1, 2).unwrap();
    let (problem, to_and_fro, _) = to_and_fro();
    let search = Scripted::new(move |_: Budget, progress: &mut Progress| {
        progress.generated += 1;
        if progress.generated == 1 {
            Step::Found(to_and_fro.to_vec())
        } else {
            Step::Done(Stop::FirstFound)
        }
    });
    let mut pipe = pipe(&pool, &problem, unlimited(), search);
    assert!(next(&mut pipe).await.unwrap().is_some());
    assert_eq!(next(&mut pipe).await, Err(Failure::Defect));
}

#[tokio::test]
async fn a_search_that_panics_is_a_defect_and_the_worker_lives_on() {
    let pool = Pool::start(1, 2).unwrap();
    let (problem, ..) = to_and_fro();
    let search = Scripted::new(|_: Budget, _: &mut Progress| panic!("as it should, in a test"));
    let mut broken = pipe(&pool, &problem, unlimited(), search);
    assert_eq!(next(&mut broken).await, Err(Failure::Defect));
    let (search, _counts) = counting(10);
    let mut whole = pipe(&pool, &problem, unlimited(), search);
    assert_eq!(all(&mut whole).await.len(), 19);
}

#[tokio::test]
async fn a_pipe_that_is_dropped_takes_its_search_out_of_the_pool() {
    let recorder = PrometheusBuilder::new().build_recorder();
    let _counting = metrics::set_default_local_recorder(&recorder);
    let pool = Pool::start(1, 1).unwrap();
    let (problem, to_and_fro, _) = to_and_fro();
    // Once while the search is parked, and once while it runs without a finding.
    for parked in [true, false] {
        let (sender, advances) = channel();
        let search = Scripted::new(move |budget: Budget, progress: &mut Progress| {
            progress.generated += budget.nodes;
            // Nobody listens after the pipe is dropped.
            let _ = sender.send(());
            if parked {
                Step::Found(to_and_fro.to_vec())
            } else {
                Step::Working
            }
        });
        let pipe = pipe(&pool, &problem, unlimited(), search);
        for _ in 0..5 {
            receive(&advances);
        }
        drop(pipe);
        // The search is dropped, and its sender with it, so no more messages come.
        while advances.recv_timeout(PATIENCE).is_ok() {}
    }
    let told = recorder.handle().render();
    assert!(told.contains("loyd_searches_abandoned_total 2\n"), "{told}");
}

#[test]
fn a_search_that_is_over_is_not_abandoned_though_nobody_reads_what_it_found() {
    let recorder = PrometheusBuilder::new().build_recorder();
    let pool = Pool::start(1, 1).unwrap();
    let (problem, ..) = to_and_fro();
    let (search, _counts) = counting(3);
    let pipe = pipe(&pool, &problem, unlimited(), search);
    let begun = Instant::now();
    while pool.tasks() > 0 {
        assert!(begun.elapsed() < PATIENCE, "it goes on");
        std::thread::yield_now();
    }
    metrics::with_local_recorder(&recorder, || drop(pipe));
    let told = recorder.handle().render();
    assert!(!told.contains("abandoned"), "{told}");
}

#[tokio::test]
async fn the_deadline_ends_a_pipe() {
    let pool = Pool::start(1, 2).unwrap();
    let (problem, ..) = to_and_fro();
    let search = Scripted::new(|budget: Budget, progress: &mut Progress| {
        progress.generated += budget.nodes;
        Step::Working
    });
    let recorder = PrometheusBuilder::new().build_recorder();
    // The reader is on this thread.
    let _counting = metrics::set_default_local_recorder(&recorder);
    let limits = due_in(Duration::from_millis(30));
    let mut pipe = pipe(&pool, &problem, limits, search);
    assert_eq!(next(&mut pipe).await, Err(Failure::DeadlineExceeded));
    assert!(Instant::now() >= limits.deadline.unwrap());
    // Its reader has been answered, so nobody has abandoned it.
    drop(pipe);
    let told = recorder.handle().render();
    let stops = "loyd_limit_stops_total{limit=\"deadline\"} 1\n";
    assert!(
        told.contains(stops) && !told.contains("abandoned"),
        "{told}"
    );
}

/// Whether a search counts as abandoned whose reader has read nothing and leaves after this.
fn is_abandoned_after(cap: Duration, limits: fn() -> Limits, then: impl FnOnce(&Engine)) -> bool {
    let mut config = engine(1, 4).config().clone();
    config.caps.time = cap;
    let engine = Engine::start(config).unwrap();
    let problem = random_problem(shape(128, 128), 0, &mut Dice::new(2));
    let pipe = engine.pipe(None, &problem, Variant::Best, &limits());
    let recorder = PrometheusBuilder::new().build_recorder();
    then(&engine);
    metrics::with_local_recorder(&recorder, || drop(pipe.unwrap()));
    let told = recorder.handle().render();
    told.contains("loyd_searches_abandoned_total 1\n")
}

#[test]
fn who_is_told_the_end_while_its_reader_is_slow_has_abandoned_nothing() {
    const SOON: Duration = Duration::from_millis(50);
    let is_over = |_: &Engine| std::thread::sleep(SOON);
    assert!(is_abandoned_after(PATIENCE, unlimited, is_over));
    assert!(!is_abandoned_after(PATIENCE, || due_in(SOON), is_over));
    assert!(!is_abandoned_after(SOON, unlimited, is_over));
    assert!(!is_abandoned_after(PATIENCE, unlimited, Engine::drain));
}

#[tokio::test]
async fn a_drain_ends_a_pipe() {
    let engine = engine(1, 4);
    let problem = random_problem(shape(128, 128), 0, &mut Dice::new(2));
    let mut pipe = engine
        .pipe(None, &problem, Variant::Best, &unlimited())
        .unwrap();
    assert!(next(&mut pipe).await.unwrap().is_some());
    engine.drain();
    assert_eq!(next(&mut pipe).await, Err(Failure::Draining));
}
