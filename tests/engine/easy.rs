//! Easy questions are answered on the caller's thread, whatever the workers do.

use std::time::{Duration, Instant};

use loyd::engine::{
    Engine, Failure, Limits, News, Question, Refused, Solving, StopReason, Wanted, Work,
};
use loyd::heuristic::HeuristicKind;
use loyd::puzzle::{Board, Dice, Problem};
use loyd::search::plan::{Method, Objective};
use loyd::search::{Budget, Step, ida_star};

use crate::fake::{PATIENCE, engine, hopeless, question, unlimited, wanting};
use crate::support::{random_problem, shape, walk};

/// A 3×3 board, a different one for each number.
fn small(number: u64) -> Problem {
    random_problem(shape(3, 3), 8, &mut Dice::new(number))
}

/// A 4×4 board reached from the goal by this many random moves.
fn near(moves: usize, number: u64) -> Problem {
    walk(shape(4, 4), 15, moves, &mut Dice::new(number))
}

fn optimal_length(problem: &Problem) -> usize {
    let mut search = ida_star::solver(problem, HeuristicKind::default());
    match search.advance(Budget::UNLIMITED) {
        Step::Found(solution) => solution.len(),
        other => panic!("{other:?}"),
    }
}

/// Asks an engine whose pool is full. If the system preempts the thread meanwhile, the search needs
/// a place and is refused; then it asks again.
fn at_once(engine: &Engine, easy: &Question, limits: Limits) -> Solving {
    let begin = Instant::now();
    loop {
        match engine.solve(None, easy.clone(), limits) {
            Ok(solving) => return solving,
            Err(refused) => assert!(begin.elapsed() < PATIENCE, "{refused}"),
        }
    }
}

#[tokio::test]
async fn they_need_no_place_and_no_worker() {
    let engine = engine(1, 1);
    engine.prepare();
    let proof = question(hopeless(1), Objective::Optimal);
    let busy = engine.solve(None, proof, unlimited()).unwrap();
    for objective in [Objective::Optimal, Objective::Best, Objective::Fast] {
        for problem in [small(1), near(12, 1)] {
            let easy = question(problem, objective);
            let mut solving = at_once(&engine, &easy, unlimited());
            assert!(solving.progress().generated > 0, "nothing was done yet");
            let outcome = solving.end().await.unwrap();
            assert!(outcome.found.answer.is_some());
        }
    }
    // A question that is not easy gets no place.
    let other = question(hopeless(2), Objective::Optimal);
    assert!(matches!(
        engine.solve(None, other, unlimited()).err(),
        Some(Refused::Overloaded { .. })
    ));
    drop(busy);
}

#[tokio::test]
async fn they_are_solved_as_well_as_by_a_worker_whoever_ends_them() {
    let engine = engine(2, 64);
    engine.prepare();
    // Some of them take longer than is allowed on the caller's thread.
    for moves in [1, 5, 12, 20, 40, 80] {
        for number in 0..20 {
            let problem = near(moves, number);
            let length = optimal_length(&problem);
            for objective in [Objective::Optimal, Objective::Best] {
                let asked = question(problem.clone(), objective);
                let mut solving = engine.solve(None, asked, unlimited()).unwrap();
                let outcome = solving.end().await.unwrap();
                assert_eq!(outcome.reason, StopReason::Proven);
                assert_eq!(outcome.progress.lower_bound as usize, length);
                assert_eq!(outcome.found.answer.unwrap().length, length);
            }
        }
    }
}

#[tokio::test]
async fn their_limits_hold() {
    let engine = engine(1, 4);
    engine.prepare();
    let limits = wanting(Wanted {
        nodes: Some(3),
        ..Wanted::default()
    });
    let optimal = |problem| question(problem, Objective::Optimal);
    for problem in [small(1), near(40, 3)] {
        let mut solving = engine.solve(None, optimal(problem), limits).unwrap();
        match solving.end().await {
            Err(Failure::Limit { reason, .. }) => assert_eq!(reason, StopReason::NodeLimit),
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn a_solved_board_is_within_all_limits() {
    let engine = engine(1, 1);
    let busy = engine.solve(None, question(hopeless(1), Objective::Optimal), unlimited());
    let limits = wanting(Wanted {
        nodes: Some(1),
        time: Some(Duration::from_nanos(1)),
        memory: Some(1),
    });
    let goal = Board::solved(shape(5, 5));
    let problem = Problem::new(&goal, &goal).unwrap();
    // The tables of this one take seconds.
    let named = Method {
        heuristic: Some(HeuristicKind::WalkingDistance),
        ..Method::default()
    };
    for method in [Method::default(), named] {
        for objective in [Objective::Optimal, Objective::Best, Objective::Fast] {
            let solved = Question {
                method,
                ..question(problem.clone(), objective)
            };
            let mut solving = at_once(&engine, &solved, limits);
            let outcome = solving.end().await.unwrap();
            assert_eq!(outcome.reason, StopReason::Proven, "{solved:?}");
            assert_eq!(outcome.found.answer.unwrap().length, 0);
        }
    }
    drop(busy.unwrap());
}

#[tokio::test]
async fn their_news_come_in_order_to_who_listens() {
    let engine = engine(1, 4);
    let best = question(small(2), Objective::Best);
    let mut solving = engine.solve(None, best, unlimited()).unwrap();
    assert!(matches!(solving.news().await, News::Found));
    assert!(matches!(solving.news().await, News::Over(Ok(_))));
}

#[tokio::test]
async fn a_drain_refuses_them() {
    let engine = engine(1, 1);
    engine.drain();
    let easy = question(small(1), Objective::Optimal);
    assert_eq!(
        engine.solve(None, easy, unlimited()).err(),
        Some(Refused::Draining)
    );
}
