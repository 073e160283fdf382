//! Runs of moves joined into one solution.

use std::sync::Arc;

use loyd::puzzle::{Dice, Direction, Problem};
use loyd::search::constructive::{Constructive, Variant};
use loyd::search::joined::Joined;
use loyd::search::tables::Tables;
use loyd::search::{Budget, Progress, Search, Step, Stop};

use crate::driving::run;
use crate::support::{problem, random_problem, shape};

/// Returns the scripted steps, one after the other.
struct Script(Vec<Step<Vec<Direction>>>);

impl Search for Script {
    type Found = Vec<Direction>;

    fn advance(&mut self, _: Budget) -> Step<Vec<Direction>> {
        match &self.0[..] {
            [last] => last.clone(),
            _ => self.0.remove(0),
        }
    }

    fn progress(&self) -> Progress {
        Progress {
            memory: 7,
            peak_memory: 50,
            ..Progress::default()
        }
    }
}

/// A problem two moves from the goal.
fn two_moves() -> Problem {
    problem(2, 2, &[0, 2, 1, 3])
}

#[test]
fn the_runs_become_one_solution() {
    use Direction::{Left, Up};
    let script = Script(vec![
        Step::Working,
        Step::Found(vec![Up]),
        Step::Found(vec![]),
        Step::Working,
        Step::Found(vec![Left]),
        Step::Done(Stop::FirstFound),
    ]);
    let mut joined = Joined::new(&two_moves(), script);
    for _ in 0..5 {
        assert_eq!(joined.advance(Budget::UNLIMITED), Step::Working);
    }
    let Step::Found(solution) = joined.advance(Budget::UNLIMITED) else {
        panic!("the runs are complete");
    };
    assert_eq!(solution.moves(), [Up, Left]);
    for _ in 0..2 {
        let done = joined.advance(Budget::UNLIMITED);
        assert_eq!(done, Step::Done(Stop::FirstFound));
    }
}

#[test]
#[should_panic(expected = "every move of a run is legal")]
fn a_run_over_the_edge_is_a_defect() {
    let script = Script(vec![Step::Found(vec![Direction::Down])]);
    Joined::new(&two_moves(), script).advance(Budget::UNLIMITED);
}

#[test]
#[should_panic(expected = "the runs lead to the goal")]
fn runs_that_end_elsewhere_are_a_defect() {
    let script = Script(vec![
        Step::Found(vec![Direction::Up]),
        Step::Done(Stop::FirstFound),
    ]);
    let mut joined = Joined::new(&two_moves(), script);
    assert_eq!(joined.advance(Budget::UNLIMITED), Step::Working);
    joined.advance(Budget::UNLIMITED);
}

#[test]
fn the_recorded_moves_count_as_memory_until_they_are_handed_over() {
    let script = Script(vec![
        Step::Found(vec![Direction::Up, Direction::Left]),
        Step::Done(Stop::FirstFound),
    ]);
    let mut joined = Joined::new(&two_moves(), script);
    let empty = joined.progress().memory;
    joined.advance(Budget::UNLIMITED);
    let full = joined.progress();
    assert!(full.memory > 7 && full.memory >= empty);
    assert!(full.peak_memory >= full.memory && full.peak_memory >= 50);
    joined.advance(Budget::UNLIMITED);
    assert_eq!(joined.progress().memory, 7);
}

#[test]
fn a_constructive_solution_is_its_runs() {
    let tables = Arc::new(Tables::new());
    let problem = random_problem(shape(12, 9), 50, &mut Dice::new(1));
    let mut runs = Constructive::new(Arc::clone(&tables), &problem, Variant::Best);
    let mut moves = Vec::new();
    loop {
        match runs.advance(Budget::UNLIMITED) {
            Step::Found(run) => moves.extend(run),
            Step::Working => {}
            Step::Done(_) => break,
        }
    }
    let constructive = Constructive::new(tables, &problem, Variant::Best);
    let joined = run(Box::new(Joined::new(&problem, constructive)));
    assert_eq!(joined.found.len(), 1);
    assert_eq!(joined.found[0].moves(), moves);
    assert_eq!(joined.stop, Stop::FirstFound);
}
