//! Tables, which requests have built.

use std::time::Instant;

use loyd::engine::Question;
use loyd::puzzle::{Board, Dice};
use loyd::search::generate::lengths::Range;
use loyd::search::plan::{Algorithm, Method, Objective, Stage};

use super::{easy, solve};
use crate::fake::{PATIENCE, engine, question};
use crate::support::{random_problem, shape};

#[tokio::test]
async fn the_small_tables_are_there_from_the_start() {
    let engine = engine(1, 1);
    assert!(engine.tables() >= 8);
    assert_eq!(engine.plan(&easy(1)), Ok(vec![Stage::TableWalk]));
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
