//! Eviction of heuristics' tables. The memory limit belongs to the process, so these tests have a
//! process of their own.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "support/mod.rs"]
mod support;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;

use loyd::heuristic::learned::{self, Ranking, Rows};
use loyd::heuristic::walking_distance::WalkingDistance;
use loyd::heuristic::{HeuristicKind, begin_period, limit_tables, table_counts, walking_distance};
use loyd::puzzle::{Board, Dice, Direction, Home, Metric, Problem, Shape};
use loyd::search::chain::Chain;
use loyd::search::plan::{Objective, Ratio, Stage};
use loyd::search::{Budget, Search, Step};

use support::{random_problem, shape};

/// Lets one test run at a time, each without a limit at first and in later periods than those before.
fn alone() -> (MutexGuard<'static, u64>, u64) {
    static PERIOD: Mutex<u64> = Mutex::new(1);
    let mut period = PERIOD.lock().unwrap_or_else(PoisonError::into_inner);
    let first = *period;
    *period += 1000;
    begin_period(first);
    limit_tables(usize::MAX);
    (period, first)
}

fn solved(shape: Shape) -> Problem {
    let goal = Board::solved(shape);
    Problem::new(&goal, &goal).expect("solvable")
}

/// A chain of one search.
fn chain(problem: &Problem, objective: Objective, stage: Stage) -> Chain {
    let (metric, tables) = (Metric::SingleTile, Arc::default());
    Chain::new(problem.clone(), metric, objective, vec![stage], tables)
}

fn prepare(shape: Shape) {
    while !learned::prepare(Home::corner(shape), 10_000) {}
}

#[test]
fn a_table_makes_room_once_nobody_has_asked_for_it_for_a_period() {
    let (_alone, period) = alone();
    let (large, small) = (shape(6, 6), shape(5, 6));
    // Whatever other tests have left goes first.
    let room = Rows::bytes(large) * 5 / 4;
    limit_tables(room);

    prepare(large);
    assert!(learned::ready(Home::corner(large)).is_some());
    assert!(
        learned::prepare(Home::corner(small), 1),
        "there is no room, so nothing to do"
    );
    assert!(learned::ready(Home::corner(small)).is_none());
    let refused = table_counts().refused;
    assert!(refused > 0);

    // It was requested in the period before.
    begin_period(period + 1);
    assert!(learned::prepare(Home::corner(small), 1));
    assert!(learned::ready(Home::corner(small)).is_none());
    assert_eq!(table_counts().refused, refused);

    begin_period(period + 2);
    let evicted = table_counts().evicted;
    prepare(small);
    let rows = learned::ready(Home::corner(small)).expect("the other one has made room");
    assert!(learned::ready(Home::corner(large)).is_none());
    let counts = table_counts();
    assert_eq!(counts.refused, refused - 1);
    assert!(counts.evicted > evicted);
    assert!(counts.bytes <= room);

    // A table that a search holds stays, however long ago it was requested.
    begin_period(period + 10);
    prepare(large);
    assert!(learned::ready(Home::corner(large)).is_none());
    drop(rows);
    assert!(
        learned::prepare(Home::corner(large), 1),
        "once in a period is enough to try"
    );
    begin_period(period + 11);
    prepare(large);
    assert!(learned::ready(Home::corner(large)).is_some());

    // A table under construction is evicted, too.
    begin_period(period + 20);
    assert!(!learned::prepare(Home::corner(small), 1));
    begin_period(period + 22);
    prepare(large);
    assert!(learned::ready(Home::corner(large)).is_some());
    assert!(learned::ready(Home::corner(small)).is_none());
}

#[test]
fn the_table_that_was_asked_for_longest_ago_makes_room_and_no_other() {
    let (_alone, period) = alone();
    let (kept, given_up) = (shape(5, 5), shape(5, 6));
    prepare(kept);
    begin_period(period + 1);
    prepare(given_up);
    // The one that was made first is the one that was asked for last.
    begin_period(period + 2);
    assert!(learned::ready(Home::corner(kept)).is_some());

    begin_period(period + 10);
    limit_tables(Rows::bytes(kept) * 3 / 2);
    let small = solved(shape(3, 4));
    while !walking_distance::prepare(&small, 10_000) {}
    assert!(WalkingDistance::new(&small).is_some());
    assert!(learned::ready(Home::corner(kept)).is_some());
    assert!(learned::ready(Home::corner(given_up)).is_none());

    // What only making a table takes is given back.
    limit_tables(usize::MAX);
    let before = table_counts().bytes;
    prepare(given_up);
    assert_eq!(table_counts().bytes - before, Rows::bytes(given_up));
}

#[test]
fn a_table_that_beams_do_without_makes_room_for_one_that_they_need_at_any_time() {
    let (_alone, period) = alone();
    // No other test makes these.
    let (needed, board) = (shape(4, 6), shape(6, 6));
    let middle = Home::new(board, 21);
    let extra = || learned::ready(middle).is_some();
    while !learned::prepare(middle, 10_000) {}
    assert!(extra());
    limit_tables(Rows::bytes(board) * 2 / 3);
    prepare(needed);
    assert!(learned::ready(Home::corner(needed)).is_some());
    assert!(!extra(), "though it was just asked for");

    // Not the other way round, however long ago somebody asked for the other one.
    for later in [0, 2] {
        begin_period(period + later);
        assert!(learned::prepare(middle, 1));
        assert!(!extra());
    }
    assert!(learned::ready(Home::corner(needed)).is_some());
}

#[test]
fn tables_never_take_more_than_their_room_whoever_asks() {
    let (_alone, period) = alone();
    let shapes =
        [(3, 3), (4, 5), (5, 5), (5, 6), (6, 6)].map(|(rows, columns)| shape(rows, columns));
    let most = Rows::bytes(shape(6, 6)) * 5 / 4;
    limit_tables(most);
    // What other tests have left makes room for a table that none of them makes.
    prepare(shape(3, 6));
    thread::scope(|scope| {
        for seed in 0..4 {
            scope.spawn(move || {
                let mut dice = Dice::new(seed);
                for step in 0..400 {
                    let shape = shapes[dice.below(shapes.len() as u32) as usize];
                    if dice.below(2) == 0 {
                        learned::prepare(Home::corner(shape), 20_000);
                        if let Some(rows) = learned::ready(Home::corner(shape)) {
                            assert_eq!(rows.shape(), shape);
                        }
                    } else {
                        walking_distance::prepare(&solved(shape), 100_000);
                    }
                    assert!(table_counts().bytes <= most);
                    begin_period(period + step);
                }
            });
        }
    });
    assert!(table_counts().evicted > 10, "{:?}", table_counts());
}

#[test]
fn nobody_waits_while_another_thread_works_on_the_table() {
    let _alone = alone();
    let problem = solved(shape(4, 5));
    let (begins, begun) = mpsc::channel();
    let other = problem.clone();
    let at_work = thread::spawn(move || {
        begins.send(()).expect("somebody waits for it");
        while !walking_distance::prepare(&other, u64::MAX) {}
    });
    begun.recv().expect("it begins");
    // It makes a table in one go. Whoever had to wait for that would not come back so often.
    const OFTEN: u32 = 300_000;
    let mut returned = 0;
    while !at_work.is_finished() && returned < OFTEN {
        returned += u32::from(!walking_distance::prepare(&problem, 0));
    }
    let is_ready = walking_distance::prepare(&problem, 1);
    assert!(returned == OFTEN && !is_ready && !at_work.is_finished());
    at_work.join().expect("the tables are made");
    assert!(WalkingDistance::new(&problem).is_some());
}

#[test]
fn tables_are_not_made_state_by_state_where_few_nodes_are_left() {
    let _alone = alone();
    // A table of 25,000 states, which is that of no other test.
    let goal = [1, 2, 3, 4, 5, 0, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
    let goal = Board::new(shape(4, 4), &goal).expect("a board");
    let mut start = goal.clone();
    assert!(start.slide(Direction::Right));
    let problem = Problem::new(&start, &goal).expect("solvable");
    let stage = Stage::IdaStar(HeuristicKind::WalkingDistance);
    let mut chain = chain(&problem, Objective::Optimal, stage);
    let mut advances = 0;
    while WalkingDistance::new(&problem).is_none() {
        assert!(matches!(chain.advance(Budget::nodes(1)), Step::Working));
        advances += 1;
    }
    assert!((10..1_000).contains(&advances), "{advances}");
}

#[test]
fn a_search_is_called_by_the_heuristic_with_which_it_began() {
    let (_alone, period) = alone();
    let start = [13, 6, 8, 12, 15, 14, 0, 10, 11, 7, 4, 5, 9, 1, 3, 2];
    let shape = shape(4, 4);
    let start = Board::new(shape, &start).expect("a board");
    let problem = Problem::new(&start, &Board::solved(shape)).expect("solvable");
    let heuristic = HeuristicKind::WalkingDistance;
    let weight = Ratio::new(2.0).expect("a weight");
    let begin = || chain(&problem, Objective::Fast, Stage::AStar(heuristic, weight));
    let finish = |mut chain: Chain| loop {
        match chain.advance(Budget::nodes(100)) {
            Step::Working => {}
            Step::Found(answer) => break answer.by,
            Step::Done(stop) => panic!("{stop:?}"),
        }
    };
    // Other tests' tables have gone, and there is no room for this one.
    begin_period(period + 2);
    limit_tables(0);
    let mut chain = begin();
    while chain.progress().generated == 0 {
        assert!(matches!(chain.advance(Budget::nodes(1)), Step::Working));
    }
    // Now there is.
    begin_period(period + 4);
    limit_tables(usize::MAX);
    assert_eq!(finish(begin()), Stage::AStar(heuristic, weight));
    let default = HeuristicKind::default();
    assert_eq!(finish(chain), Stage::AStar(default, weight));
}

#[test]
fn a_search_goes_on_that_stands_in_for_one_whose_tables_have_no_room_any_more() {
    let (_alone, period) = alone();
    // Tables of millions of states, which are those of no other test.
    let dice = &mut Dice::new(79);
    let far = (0..100).map(|_| random_problem(shape(3, 5), 6, dice));
    let problem = far.max_by_key(|problem| HeuristicKind::default().lower_bound(problem));
    let problem = problem.expect("a hundred of them");
    let stage = Stage::IdaStar(HeuristicKind::WalkingDistance);
    let mut chain = chain(&problem, Objective::Optimal, stage);
    let slice = Budget::nodes(1000);
    while chain.progress().generated == 0 {
        assert!(matches!(chain.advance(slice), Step::Working));
    }
    // They are evicted before they are ready, and then there is no room for them.
    begin_period(period + 2);
    let other = shape(4, 4);
    limit_tables(4 * Rows::bytes(other));
    prepare(other);
    assert!(learned::ready(Home::corner(other)).is_some());
    limit_tables(0);
    let answer = loop {
        match chain.advance(slice) {
            Step::Working => {}
            Step::Found(answer) => break answer,
            Step::Done(stop) => panic!("{stop:?}"),
        }
    };
    assert_eq!(answer.by, Stage::IdaStar(HeuristicKind::default()));
    let generated = chain.progress().generated;
    assert!(
        generated > 500_000,
        "too few for the tables to be looked at again"
    );
    // It has not begun again.
    let nodes: u64 = chain.iterations().iter().map(|it| it.generated).sum();
    assert_eq!(nodes, generated);
}
