//! The memory that requests share.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use loyd::engine::rank::Rank;
use loyd::engine::{Engine, Failure, Lack, Question, Refused, StopReason};
use loyd::puzzle::Dice;
use loyd::search::plan::{Algorithm, Method, Objective};
use loyd::search::{Budget, Progress, Step, Stop};

use super::{searched, solve, time};
use crate::fake::{PATIENCE, Scripted, due_in, engine, hopeless, question, unlimited, wanting};
use crate::log::Log;
use crate::support::{random_problem, shape};

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
