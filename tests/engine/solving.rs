//! Requests and how they end.

mod deadlines;
mod limits;
mod line;
mod memory;
mod tables;

use std::time::Duration;

use loyd::engine::rank::Rank;
use loyd::engine::{Engine, Failure, News, Question, Refused, StopReason, Wanted};
use loyd::puzzle::{Dice, Metric};
use loyd::search::constructive::Variant;
use loyd::search::plan::{Algorithm, Method, Objective, PlanError};
use loyd::search::{Budget, Progress, Search, Step};
use metrics_exporter_prometheus::PrometheusBuilder;
use tokio::time::timeout;

use crate::fake::{PATIENCE, Scripted, engine, hopeless, panics, question, unlimited};
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
async fn best_is_over_early_when_it_is_proven() {
    let engine = engine(1, 4);
    let (tiles, length, _) = KORF_1985[0];
    let best = question(problem(4, 4, &tiles), Objective::Best);
    assert_eq!(solve(&engine, best).await, length);
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
