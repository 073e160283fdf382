//! Requests and how they end.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use loyd::engine::rank::Rank;
use loyd::engine::{
    Engine, Failure, Glance, Lack, Limits, News, Question, Refused, StopReason, Waiting, Wanted,
    Work,
};
use loyd::heuristic::HeuristicKind;
use loyd::puzzle::{Board, Dice, Metric};
use loyd::search::constructive::Variant;
use loyd::search::generate::lengths::Range;
use loyd::search::plan::{Algorithm, Method, Objective, PlanError, Ratio, Stage};
use loyd::search::{Budget, Progress, Search, Step, Stop};
use metrics_exporter_prometheus::PrometheusBuilder;
use tokio::time::timeout;

use crate::fake::{
    CAPS, PATIENCE, Scripted, due_in, engine, hopeless, panics, patient, question, receive,
    unlimited, wanting,
};
use crate::log::Log;
use crate::support::published::KORF_1985;
use crate::support::{problem, random_problem, shape};

fn nodes(nodes: u64) -> Wanted {
    Wanted {
        nodes: Some(nodes),
        ..Wanted::default()
    }
}

fn time(time: Duration) -> Wanted {
    Wanted {
        time: Some(time),
        ..Wanted::default()
    }
}

fn memory(bytes: u64) -> Wanted {
    Wanted {
        memory: Some(bytes),
        ..Wanted::default()
    }
}

/// A 3×3 board, a different one for each number.
fn easy(number: u64) -> Question {
    let problem = random_problem(shape(3, 3), 8, &mut Dice::new(number));
    question(problem, Objective::Optimal)
}

/// The same, but searched by a worker.
fn searched(number: u64) -> Question {
    Question {
        method: Method {
            algorithm: Some(Algorithm::IdaStar),
            ..Method::default()
        },
        ..easy(number)
    }
}

async fn solve(engine: &Engine, question: Question) -> usize {
    let mut solving = engine.solve(None, question, unlimited()).unwrap();
    let outcome = solving.end().await.unwrap();
    assert_eq!(outcome.reason, StopReason::Proven);
    outcome.found.answer.unwrap().solution.len()
}

#[tokio::test]
async fn the_small_tables_are_there_from_the_start() {
    let engine = engine(1, 1);
    assert!(engine.tables() >= 8);
    assert_eq!(engine.plan(&easy(1)), Ok(vec![Stage::TableWalk]));
}

#[tokio::test]
async fn what_is_kept_for_small_requests_is_enough_for_a_15_puzzle() {
    let engine = engine(1, 4);
    let fifteen = |number| {
        let problem = random_problem(shape(4, 4), 15, &mut Dice::new(number));
        question(problem, Objective::Optimal)
    };
    // All but the last sixteenth of a gibibyte.
    let others = engine.reserve((1 << 30) - (1 << 26)).unwrap();
    let length = solve(&engine, fifteen(3)).await;
    drop(others);
    // Without the answer in the cache.
    let again = Question {
        objective: Objective::Best,
        ..fifteen(3)
    };
    assert_eq!(solve(&engine, again).await, length);
}

#[tokio::test]
async fn a_larger_table_is_built_when_it_is_first_wanted() {
    let engine = engine(1, 4);
    let problem = random_problem(shape(2, 5), 9, &mut Dice::new(1));
    let question = question(problem, Objective::Optimal);
    let ready = engine.tables();
    // Without the table, the next best search answers.
    let length = solve(&engine, question.clone()).await;
    let begin = Instant::now();
    while engine.plan(&question) != Ok(vec![Stage::TableWalk]) {
        assert!(begin.elapsed() < PATIENCE, "the table was not built");
        tokio::task::yield_now().await;
    }
    assert_eq!(engine.tables(), ready + 1);
    let other = Question {
        objective: Objective::Best,
        ..question
    };
    assert_eq!(solve(&engine, other).await, length);
}

#[tokio::test]
async fn a_table_is_built_for_boards_of_a_wanted_length_but_not_for_a_method_without_one() {
    let engine = engine(1, 4);
    let ready = engine.tables();
    let problem = random_problem(shape(2, 5), 9, &mut Dice::new(1));
    let by_a_star = Question {
        method: Method {
            algorithm: Some(Algorithm::AStar),
            ..Method::default()
        },
        ..question(problem, Objective::Optimal)
    };
    solve(&engine, by_a_star).await;
    assert_eq!(engine.tables(), ready);
    let goal = Board::solved(shape(2, 5));
    let range = Range::new(goal.shape(), goal.blank(), 10, 20).unwrap();
    drop(engine.difficulty(goal, range, 1, 1));
    let begin = Instant::now();
    while engine.tables() == ready {
        assert!(begin.elapsed() < PATIENCE, "the table was not built");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn best_never_fails_whatever_the_limits() {
    let engine = engine(2, 64);
    for side in 4..=10 {
        let problem = random_problem(shape(side, side), side * side - 1, &mut Dice::new(5));
        for (wanted, reason) in [
            (nodes(1), StopReason::NodeLimit),
            (time(Duration::from_micros(1)), StopReason::TimeLimit),
            (
                Wanted {
                    time: Some(Duration::from_millis(60)),
                    ..memory(1 << 20)
                },
                StopReason::TimeLimit,
            ),
        ] {
            let question = question(problem.clone(), Objective::Best);
            let mut solving = engine.solve(None, question, wanting(wanted)).unwrap();
            let outcome = solving.end().await.unwrap();
            let answer = outcome.found.answer.unwrap();
            let moves = answer.solution.moves().to_vec();
            let length = problem.replay(moves).unwrap().len();
            assert!(outcome.progress.lower_bound as usize <= length);
            let held = outcome.progress.peak_memory;
            assert!(
                held <= 1 << 20 || wanted.memory.is_none(),
                "{side}×{side} {wanted:?} {held}"
            );
            let reason = if side == 4 && outcome.reason == StopReason::Proven {
                StopReason::Proven
            } else {
                reason
            };
            assert_eq!(outcome.reason, reason, "{side}×{side} {wanted:?}");
        }
    }
}

#[tokio::test]
async fn best_by_a_method_that_runs_out_of_memory_says_so() {
    let engine = engine(1, 4);
    let question = Question {
        method: Method {
            algorithm: Some(Algorithm::AStar),
            ..Method::default()
        },
        ..question(hopeless(1), Objective::Best)
    };
    let mut solving = engine
        .solve(None, question, wanting(memory(1 << 20)))
        .unwrap();
    let outcome = solving.end().await.unwrap();
    assert_eq!(outcome.reason, StopReason::MemoryLimit);
    assert!(outcome.found.answer.is_some());
    assert!(outcome.progress.peak_memory <= 1 << 20);
}

#[tokio::test]
async fn memory_that_others_hold_ends_best_with_what_it_has_and_a_proof_with_nothing() {
    let mut config = engine(1, 4).config().clone();
    config.memory = 64 << 20;
    let engine = Engine::start(config).unwrap();
    let _others = engine.reserve(48 << 20).unwrap();
    let by_a_star = |objective| Question {
        method: Method {
            algorithm: Some(Algorithm::AStar),
            ..Method::default()
        },
        ..question(hopeless(2), objective)
    };
    let best = by_a_star(Objective::Best);
    let mut solving = engine.solve(None, best, unlimited()).unwrap();
    let outcome = solving.end().await.unwrap();
    assert_eq!(outcome.reason, StopReason::MemoryLimit);
    assert!(outcome.found.answer.is_some());
    drop(solving);
    let optimal = by_a_star(Objective::Optimal);
    for nothing in [optimal.clone(), by_a_star(Objective::Fast)] {
        let mut solving = engine.solve(None, nothing, unlimited()).unwrap();
        assert_eq!(solving.end().await.err(), Some(Failure::Shortage));
    }
    // Operators hear of it, too: once a second, whichever test is the first to lack memory.
    let log = Log::default();
    let _listening = log.listen();
    let begun = Instant::now();
    while !log.take().contains("\"lack\":\"memory\"") {
        assert!(begun.elapsed() < PATIENCE, "nothing is said");
        let mut solving = engine.solve(None, optimal.clone(), unlimited()).unwrap();
        assert_eq!(solving.end().await.err(), Some(Failure::Shortage));
    }
}

#[tokio::test]
async fn each_request_that_a_limit_ends_is_counted() {
    let recorder = PrometheusBuilder::new().build_recorder();
    // Those who wait are on this thread.
    let _counting = metrics::set_default_local_recorder(&recorder);
    let engine = engine(1, 4);
    for objective in [Objective::Optimal, Objective::Best] {
        let asked = question(hopeless(1), objective);
        let mut solving = engine.solve(None, asked, wanting(nodes(1_000))).unwrap();
        assert_eq!(solving.end().await.is_ok(), objective.takes_any());
    }
    let told = recorder.handle().render();
    let stops = "loyd_limit_stops_total{limit=\"nodes\"} 2\n";
    assert!(told.contains(stops), "{told}");
}

#[test]
fn a_search_begins_only_where_there_is_memory_for_its_first_answer() {
    let mut config = engine(1, 4).config().clone();
    config.memory = 64 << 20;
    let engine = Engine::start(config).unwrap();
    let mut others = vec![engine.reserve(60 << 20).unwrap()];
    others.extend(std::iter::from_fn(|| engine.reserve(64 << 10).ok()));
    let refused = engine.solve(None, searched(1), unlimited()).err();
    let lacks = |refused| {
        matches!(
            refused,
            Some(Refused::Overloaded {
                lack: Lack::Memory,
                ..
            })
        )
    };
    assert!(lacks(refused), "{refused:?}");
    drop(others);
    assert!(engine.solve(None, searched(1), unlimited()).is_ok());
}

#[tokio::test]
async fn best_is_over_early_when_it_is_proven() {
    let engine = engine(1, 4);
    let (tiles, length, _) = KORF_1985[0];
    let best = question(problem(4, 4, &tiles), Objective::Best);
    assert_eq!(solve(&engine, best).await, length);
}

#[tokio::test]
async fn a_limit_that_is_just_enough_is_no_limit() {
    let engine = engine(1, 4);
    let mut solving = engine.solve(None, easy(1), wanting(nodes(1_000))).unwrap();
    let needed = solving.end().await.unwrap().progress.generated;
    drop(solving);
    let mut solving = engine.solve(None, easy(1), wanting(nodes(needed))).unwrap();
    assert_eq!(solving.end().await.unwrap().reason, StopReason::Proven);
}

#[tokio::test]
async fn a_proof_that_a_limit_ends_tells_what_is_known() {
    let engine = engine(2, 8);
    let a_star = Method {
        algorithm: Some(Algorithm::AStar),
        ..Method::default()
    };
    let any = Method::default();
    let bounded = Objective::Bounded(Ratio::new(1.01).unwrap());
    let short = time(Duration::from_millis(600));
    for (objective, method, wanted, expected, has_best) in [
        (
            Objective::Optimal,
            any,
            nodes(1_000_000),
            StopReason::NodeLimit,
            true,
        ),
        (Objective::Optimal, any, short, StopReason::TimeLimit, true),
        (bounded, any, nodes(100_000), StopReason::NodeLimit, true),
        (
            Objective::Optimal,
            a_star,
            memory(2 << 20),
            StopReason::MemoryLimit,
            false,
        ),
    ] {
        let problem = hopeless(3);
        let question = Question {
            method,
            ..question(problem.clone(), objective)
        };
        let limits = wanting(wanted);
        let mut solving = engine.solve(None, question, limits).unwrap();
        let Err(Failure::Limit {
            reason,
            progress,
            best_length,
            takes_any: false,
            ..
        }) = solving.end().await
        else {
            panic!("no machine proves this so soon");
        };
        assert_eq!(reason, expected);
        let bound = progress.lower_bound;
        assert!(bound >= HeuristicKind::LinearConflict.lower_bound(&problem));
        assert_eq!(best_length > 0, has_best);
        assert!(best_length == 0 || best_length > bound as usize);
        assert!(progress.generated <= limits.nodes.saturating_add(300));
        assert!(progress.peak_memory <= limits.memory);
        if let Some(nodes) = wanted.nodes {
            assert!(progress.generated >= nodes);
        }
    }
}

#[tokio::test]
async fn a_deadline_ends_a_proof_and_lets_best_answer() {
    let engine = engine(2, 8);
    let begin = Instant::now();
    loop {
        assert!(begin.elapsed() < PATIENCE, "it never began");
        let limits = due_in(Duration::from_millis(80));
        let optimal = question(hopeless(4), Objective::Optimal);
        let mut solving = engine.solve(None, optimal, limits).unwrap();
        let ended = solving.end().await.err();
        let Some(Failure::Limit {
            reason, progress, ..
        }) = ended
        else {
            panic!("{ended:?}");
        };
        assert_eq!(reason, StopReason::Deadline);
        assert!(Instant::now() >= limits.deadline.unwrap());
        // On a busy machine it may have had no turn until then.
        if progress.generated > 0 {
            assert!(progress.lower_bound > 0);
            break;
        }
    }

    let outcome = loop {
        assert!(begin.elapsed() < PATIENCE, "it never began");
        let best = question(hopeless(4), Objective::Best);
        let limits = due_in(Duration::from_millis(80));
        let mut solving = engine.solve(None, best, limits).unwrap();
        match solving.end().await {
            Ok(outcome) => break outcome,
            // It may have had no turn until then, either.
            Err(failure) => assert_eq!(failure.name(), "deadline"),
        }
    };
    assert_eq!(outcome.reason, StopReason::Deadline);
    assert!(outcome.found.answer.is_some());
}

#[tokio::test]
async fn a_deadline_that_has_passed_is_not_waited_for() {
    let engine = engine(1, 8);
    for objective in [Objective::Best, Objective::Optimal, Objective::Fast] {
        let question = question(hopeless(5), objective);
        let mut solving = engine
            .solve(None, question, due_in(Duration::ZERO))
            .unwrap();
        match timeout(PATIENCE, solving.end()).await.unwrap() {
            Err(failure) => assert_eq!(failure.name(), "deadline"),
            // The answer was there before anybody looked.
            Ok(outcome) => {
                assert!(outcome.found.answer.is_some());
                let expected = match objective {
                    Objective::Fast => StopReason::FirstFound,
                    Objective::Best => StopReason::Deadline,
                    _ => panic!("nobody proves this"),
                };
                assert_eq!(outcome.reason, expected);
            }
        }
    }
}

#[tokio::test]
async fn where_places_seldom_become_free_it_says_to_come_later() {
    let engine = engine(1, 1);
    let proof = |number| {
        let asked = question(hopeless(number), Objective::Optimal);
        engine.solve(None, asked, unlimited())
    };
    let long = proof(0).unwrap();
    std::thread::sleep(Duration::from_millis(100));
    drop(long);
    let begun = Instant::now();
    let busy = loop {
        match proof(1) {
            Ok(busy) => break busy,
            Err(refused) => assert!(begun.elapsed() < PATIENCE, "{refused}"),
        }
    };
    let later = Duration::from_millis(160);
    let refused = proof(2).err();
    assert!(
        matches!(refused, Some(Refused::Overloaded { retry_after, .. }) if retry_after >= later)
    );
    drop(busy);
}

#[tokio::test]
async fn a_full_pool_says_when_to_come_again() {
    for (workers, capacity, expected) in [(1, 2, 20), (2, 64, 80), (1, 250, 640)] {
        let engine = engine(workers, capacity);
        let begun = Instant::now();
        let busy: Vec<_> = (0..capacity as u64)
            .map(|number| {
                let proof = question(hopeless(number), Objective::Optimal);
                engine.solve(None, proof, patient()).unwrap()
            })
            .collect();
        let proof = question(hopeless(capacity as u64), Objective::Optimal);
        let refused = engine.solve(None, proof, patient()).err();
        let Some(Refused::Overloaded { lack, retry_after }) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(lack, Lack::Places);
        let expected = Duration::from_millis(expected);
        // Later if it has been full for longer than that.
        let latest = expected.max(2 * begun.elapsed());
        assert!(
            (expected..=latest).contains(&retry_after),
            "{retry_after:?}"
        );
        let problem = hopeless(1);
        assert!(matches!(
            engine
                .pipe(None, &problem, Variant::Best, &unlimited())
                .err(),
            Some(Refused::Overloaded { .. })
        ));
        drop(busy);
    }
}

#[tokio::test]
async fn newcomers_do_not_wait_for_hopeless_proofs() {
    let engine = engine(2, 100);
    let proofs: Vec<_> = (0..64)
        .map(|number| {
            let proof = question(hopeless(number), Objective::Optimal);
            engine.solve(None, proof, patient()).unwrap()
        })
        .collect();
    let glances: Arc<[_]> = proofs.iter().map(Waiting::glance).collect();
    let done = |glances: &[Glance<_>]| -> Vec<u64> {
        let progress = glances.iter().map(|glance| glance.progress().generated);
        progress.collect()
    };
    let mut overtaken_by: Vec<usize> = Vec::new();
    for _ in 0..101 {
        let (sender, told) = channel();
        let looks = Arc::clone(&glances);
        let newcomer = Scripted::<(), _>::new(move |_, _| {
            sender.send(done(&looks)).unwrap();
            Step::Done(Stop::Exhausted)
        });
        let _waiting = engine.draw(None, Rank::FIRST, newcomer, unlimited());
        let before = done(&glances);
        let after = receive(&told);
        let worked_on = before.iter().zip(&after).filter(|(a, b)| a < b);
        overtaken_by.push(worked_on.count());
    }
    overtaken_by.sort();
    // Taking turns, all 64 would have had their slices first. So these are tasks that were running already, and now and
    // then one that was passed over for long.
    assert!(overtaken_by[50] <= 4, "{overtaken_by:?}");
    // All of the proofs are still being worked on.
    for mut proof in proofs {
        let begin = Instant::now();
        while proof.progress().generated == 0 {
            assert!(begin.elapsed() < PATIENCE, "starved");
            tokio::task::yield_now().await;
        }
        assert!(proof.found().revision <= 1);
        drop(proof.news());
    }
}

#[test]
fn a_search_that_nobody_waits_for_leaves_the_pool_at_once() {
    let engine = engine(1, 1);
    // The chunks that a search has been advanced by, and the search. The pool has only one place, so whoever gets it
    // comes after the one that left.
    let begin = || {
        let begun = Instant::now();
        loop {
            let chunks = Arc::new(AtomicUsize::new(0));
            let counted = Arc::clone(&chunks);
            let search = Scripted::<(), _>::new(move |_, _| {
                counted.fetch_add(1, Ordering::Relaxed);
                std::thread::sleep(Duration::from_micros(50));
                Step::Working
            });
            match engine.draw(None, Rank::FIRST, search, unlimited()) {
                Ok(waiting) => return (chunks, waiting),
                Err(_) => assert!(begun.elapsed() < PATIENCE, "the other never left"),
            }
            std::thread::yield_now();
        }
    };
    let (mut chunks, mut waiting) = begin();
    for _ in 0..100 {
        let begun = Instant::now();
        while chunks.load(Ordering::Relaxed) == 0 {
            assert!(begun.elapsed() < PATIENCE, "it never began");
            std::thread::yield_now();
        }
        drop(waiting);
        let before = chunks.load(Ordering::Relaxed);
        let next = begin();
        // None but one that was about to begin.
        assert!(chunks.load(Ordering::Relaxed) - before <= 1);
        (chunks, waiting) = next;
    }
}

#[tokio::test]
async fn a_search_is_told_the_time_that_is_left_for_it() {
    let engine = engine(1, 8);
    let told = Arc::new(Mutex::new(Vec::new()));
    let note = Arc::clone(&told);
    let search = Scripted::<(), _>::new(move |budget: Budget, _: &mut Progress| {
        note.lock().unwrap().push(budget.time);
        std::thread::sleep(Duration::from_millis(1));
        Step::Working
    });
    // On a busy machine some slices are tens of milliseconds apart.
    let given = Duration::from_millis(600);
    let wanted = Wanted {
        time: Some(given),
        ..Wanted::default()
    };
    let mut waiting = engine
        .draw(None, Rank::FIRST, search, wanting(wanted))
        .unwrap();
    waiting.end().await.expect_err("it finds nothing");
    let told = told.lock().unwrap();
    let times: Vec<Duration> = told.iter().copied().map_while(|time| time).collect();
    assert!(times.len() > 3, "{told:?}");
    assert!(times.iter().all(|&time| time <= given));
    assert!(times.windows(2).all(|pair| pair[1] < pair[0]));
}

#[tokio::test]
async fn a_search_that_sees_no_use_in_its_last_moment_ends_by_what_would_have_ended_it() {
    let engine = engine(1, 8);
    let later = CAPS.time / 2;
    for (limits, reason) in [
        (due_in(later), "deadline"),
        (wanting(time(later)), "time_limit"),
    ] {
        let search = Scripted::<(), _>::new(|_, _| Step::Done(Stop::Time));
        let mut waiting = engine.draw(None, Rank::FIRST, search, limits).unwrap();
        assert_eq!(waiting.end().await.unwrap_err().name(), reason);
    }
}

/// A search is told of no time once that of all its askers is up.
#[tokio::test]
async fn a_search_that_lacks_memory_once_the_time_is_up_has_ended_by_that() {
    let mut config = engine(1, 8).config().clone();
    config.memory = 64 << 20;
    let engine = Engine::start(config).unwrap();
    let soon = Duration::from_millis(5);
    for (others, without_limit) in [(0, "memory_limit"), (56 << 20, "overloaded")] {
        let _others = engine.reserve(others).unwrap();
        for (limits, is_limited, reason) in [
            (due_in(soon), true, "deadline"),
            (wanting(time(soon)), true, "time_limit"),
            (unlimited(), false, without_limit),
        ] {
            let (alive, over) = channel::<()>();
            let search = Scripted::<(), _>::new(move |budget: Budget, progress: &mut Progress| {
                let _held = &alive;
                progress.memory = 1 << 20;
                if is_limited && budget.time.is_some() || progress.expanded < 2 {
                    progress.expanded += 1;
                    return Step::Working;
                }
                Step::Done(Stop::Memory)
            });
            let mut waiting = engine.draw(None, Rank::FIRST, search, limits).unwrap();
            // It does not look before the search is over and dropped.
            assert_eq!(
                over.recv_timeout(PATIENCE),
                Err(RecvTimeoutError::Disconnected)
            );
            assert_eq!(waiting.end().await.unwrap_err().name(), reason);
        }
    }
}

#[tokio::test]
async fn a_search_for_boards_has_not_come_to_its_own_limit_where_others_hold_the_memory() {
    let mut config = engine(1, 8).config().clone();
    config.memory = 64 << 20;
    let engine = Engine::start(config).unwrap();
    for (others, reason) in [(0, "memory_limit"), (56 << 20, "overloaded")] {
        let _others = engine.reserve(others).unwrap();
        let mut boards = 3;
        let search = Scripted::new(move |_: Budget, progress: &mut Progress| {
            progress.memory = 1 << 20;
            progress.expanded += 1;
            boards -= 1;
            if boards > 0 {
                Step::Found(boards)
            } else {
                Step::Done(Stop::Memory)
            }
        });
        let mut waiting = engine.draw(None, Rank::FIRST, search, unlimited()).unwrap();
        assert_eq!(waiting.end().await.unwrap_err().name(), reason);
        assert_eq!(waiting.found().len(), 2);
    }
}

#[tokio::test]
async fn while_there_is_no_solution_only_the_deadline_ends_a_search_for_any() {
    let engine = engine(1, 8);
    // It takes longer until there is one.
    let board = random_problem(shape(128, 128), 128 * 128 - 1, &mut Dice::new(1));
    let no_time = time(Duration::from_millis(1));
    let limits = Limits::new(
        Instant::now(),
        no_time,
        Some(Duration::from_millis(20)),
        false,
        Duration::ZERO,
        &CAPS,
    );
    let asked = question(board, Objective::Best);
    let mut solving = engine.solve(None, asked, limits).unwrap();
    assert_eq!(solving.end().await.unwrap_err().name(), "deadline");
    assert!(Instant::now() >= limits.last_moment.unwrap());
}

#[tokio::test]
async fn a_panic_is_a_defect_of_one_request() {
    let before = panics("search");
    let engine = engine(1, 8);
    let search = Scripted::<(), _>::new(|_, _| panic!("as it should, in a test"));
    let mut waiting = engine.draw(None, Rank::FIRST, search, unlimited()).unwrap();
    assert_eq!(waiting.end().await.err(), Some(Failure::Defect));
    assert!(panics("search") > before);
    assert!(solve(&engine, easy(1)).await <= 31);
}

#[tokio::test]
async fn a_drain_ends_what_runs_and_refuses_what_comes() {
    let recorder = PrometheusBuilder::new().build_recorder();
    // Those who wait are on this thread.
    let _counting = metrics::set_default_local_recorder(&recorder);
    let engine = engine(1, 8);
    let mut proof = engine
        .solve(None, question(hopeless(1), Objective::Optimal), unlimited())
        .unwrap();
    let mut best = engine
        .solve(None, question(hopeless(2), Objective::Best), unlimited())
        .unwrap();
    engine.drain();
    assert_eq!(proof.end().await.err(), Some(Failure::Draining));
    let end = loop {
        if let News::Over(end) = best.news().await {
            break end;
        }
    };
    assert_eq!(end.err(), Some(Failure::Draining));
    // They have been answered, so nobody has abandoned them.
    drop((proof, best));
    let told = recorder.handle().render();
    assert!(!told.contains("abandoned"), "{told}");
    assert_eq!(
        engine.solve(None, easy(1), unlimited()).err(),
        Some(Refused::Draining)
    );
    let pipe = engine.pipe(None, &hopeless(3), Variant::Best, &unlimited());
    assert_eq!(pipe.err(), Some(Refused::Draining));
    let search = Scripted::<(), _>::new(|_: Budget, _: &mut Progress| Step::Working);
    assert_eq!(search.progress(), Progress::default());
    assert!(matches!(
        engine.draw(None, Rank::FIRST, search, unlimited()).err(),
        Some(Refused::Draining)
    ));
}

#[test]
fn a_drain_keeps_tables_from_being_built() {
    let engine = engine(1, 1);
    let ready = engine.tables();
    engine.drain();
    let problem = random_problem(shape(2, 5), 9, &mut Dice::new(1));
    assert!(engine.plan(&question(problem, Objective::Best)).is_ok());
    let begun = Instant::now();
    while !engine.has_tables() {
        assert!(begun.elapsed() < PATIENCE, "a table is being built");
        std::thread::yield_now();
    }
    assert_eq!(engine.tables(), ready);
}

#[tokio::test]
async fn a_method_that_cannot_do_it_is_refused_before_any_search() {
    let engine = engine(1, 1);
    let question = Question {
        method: Method {
            algorithm: Some(Algorithm::Constructive),
            ..Method::default()
        },
        ..question(hopeless(1), Objective::Optimal)
    };
    assert_eq!(
        engine.solve(None, question, unlimited()).err(),
        Some(Refused::Plan(PlanError::CannotProve {
            algorithm: Algorithm::Constructive,
            objective: Objective::Optimal,
            metric: Some(Metric::SingleTile),
        }))
    );
}

#[tokio::test]
async fn news_come_for_each_better_solution_and_then_the_end() {
    let engine = engine(1, 4);
    let (tiles, length, _) = KORF_1985[4];
    let best = question(problem(4, 4, &tiles), Objective::Best);
    let mut solving = engine.solve(None, best, unlimited()).unwrap();
    let mut lengths = Vec::new();
    let mut revisions = Vec::new();
    let outcome = loop {
        match timeout(PATIENCE, solving.news()).await.unwrap() {
            News::Found => {
                let best = solving.found();
                revisions.push(best.revision);
                lengths.push(best.answer.unwrap().solution.len());
            }
            News::Over(over) => break over.unwrap(),
        }
    };
    assert!(lengths.is_sorted_by(|a, b| a > b), "{lengths:?}");
    assert!(revisions.is_sorted_by(|a, b| a < b), "{revisions:?}");
    assert_eq!(outcome.found.answer.unwrap().solution.len(), length);
    assert_eq!(outcome.progress.lower_bound as usize, length);
    // It stays over.
    assert!(matches!(solving.news().await, News::Over(Ok(_))));
}

#[tokio::test]
async fn what_is_proven_is_told_though_the_limit_came() {
    let engine = engine(1, 200);
    for number in 0..150 {
        let problem = random_problem(shape(3, 5), 14, &mut Dice::new(number));
        let objective = match number % 3 {
            0 => Objective::Optimal,
            1 => Objective::Best,
            _ => Objective::Bounded(Ratio::new(10.0).unwrap()),
        };
        // About when it is proven.
        let limit = time(Duration::from_micros(100 + 10 * number));
        let begun = Instant::now();
        let mut solving = loop {
            // It is refused at once while the previous search still has the worker.
            match engine.solve(None, question(problem.clone(), objective), wanting(limit)) {
                Ok(solving) => break solving,
                Err(_) => assert!(begun.elapsed() < PATIENCE, "the worker stays busy"),
            }
            tokio::task::yield_now().await;
        };
        match solving.end().await {
            Ok(outcome) => {
                let length = outcome.found.answer.unwrap().length;
                let is_met = objective.is_met(length, outcome.progress.lower_bound);
                assert_eq!(outcome.reason == StopReason::Proven, is_met, "{number}");
            }
            Err(Failure::Limit {
                progress,
                best_length,
                ..
            }) => {
                let is_met = objective.is_met(best_length, progress.lower_bound);
                assert!(best_length == 0 || !is_met, "{number}: {best_length}");
            }
            Err(failure) => panic!("{failure:?}"),
        }
    }
}

#[tokio::test]
async fn times_without_end_are_no_trouble() {
    let mut config = engine(1, 1).config().clone();
    config.caps.time = Duration::MAX;
    let engine = Engine::start(config.clone()).unwrap();
    let limits = Limits::new(
        Instant::now(),
        time(Duration::MAX),
        Some(Duration::MAX),
        true,
        Duration::ZERO,
        &config.caps,
    );
    assert_eq!(CAPS.nodes, config.caps.nodes);
    let mut solving = engine.solve(None, easy(1), limits).unwrap();
    assert_eq!(solving.end().await.unwrap().reason, StopReason::Proven);
}
