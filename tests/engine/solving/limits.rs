//! Limits of nodes, of time and of memory.

use std::time::{Duration, Instant};

use loyd::engine::{Engine, Failure, Limits, Question, StopReason, Wanted};
use loyd::heuristic::HeuristicKind;
use loyd::puzzle::Dice;
use loyd::search::plan::{Algorithm, Method, Objective, Ratio};
use metrics_exporter_prometheus::PrometheusBuilder;

use super::{easy, memory, nodes, time};
use crate::fake::{CAPS, PATIENCE, engine, hopeless, question, wanting};
use crate::support::{random_problem, shape};

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
