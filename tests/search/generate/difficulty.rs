//! Boards with a requested length, with a solver that knows every distance of the 3×3 board.

use std::sync::Arc;

use loyd::puzzle::{Board, Dice, Direction, GoalLayout, Problem, Solution};
use loyd::search::generate::difficulty::{Difficulty, Generated};
use loyd::search::generate::lengths::Range;
use loyd::search::{Budget, Progress, Search, Solver, Step, Stop};
use rustc_hash::FxHashMap;

use crate::support::{all_distances, shape};

type Distances = Arc<FxHashMap<Board, u32>>;

fn distances(goal: Board) -> Distances {
    Arc::new(all_distances(goal))
}

/// The same for the goal as solvers see it: tiles in order around the blank's home.
fn plain_distances(goal: &Board) -> Distances {
    let solved = Problem::new(goal, goal).expect("solved is solvable");
    distances(solved.goal())
}

/// Walks down the distances, one move per node, trying the directions in a given order.
struct Descent {
    problem: Problem,
    board: Board,
    moves: Vec<Direction>,
    generated: u64,
    distances: Distances,
    order: [Direction; 4],
    found: bool,
}

impl Descent {
    /// Makes solvers that prefer the given order: different orders find different solutions.
    fn solvers(
        distances: &Distances,
        order: [Direction; 4],
    ) -> impl Fn(Problem) -> Solver + Send + use<> {
        let distances = distances.clone();
        move |problem| {
            Box::new(Self {
                board: problem.start().clone(),
                problem,
                moves: Vec::new(),
                generated: 0,
                distances: distances.clone(),
                order,
                found: false,
            })
        }
    }
}

impl Search for Descent {
    type Found = Solution;

    fn advance(&mut self, budget: Budget) -> Step<Solution> {
        if self.found {
            return Step::Done(Stop::Proven);
        }
        for _ in 0..budget.nodes {
            let here = self.distances[&self.board];
            if here == 0 {
                self.found = true;
                let moves = std::mem::take(&mut self.moves);
                return Step::Found(self.problem.replay(moves).expect("down to the goal"));
            }
            for direction in self.order {
                let mut next = self.board.clone();
                if next.slide(direction) && self.distances[&next] < here {
                    self.board = next;
                    self.moves.push(direction);
                    self.generated += 1;
                    break;
                }
            }
        }
        Step::Working
    }

    fn progress(&self) -> Progress {
        Progress {
            generated: self.generated,
            memory: 100,
            peak_memory: 100,
            iterations: 1,
            ..Progress::default()
        }
    }
}

/// Runs the whole search at once.
fn generate(
    goal: &Board,
    (min, max): (u32, u32),
    seed: u64,
    solver_for: impl Fn(Problem) -> Solver + Send,
) -> Generated {
    let mut search = Difficulty::new(goal, range(goal, min, max), seed, solver_for);
    let Step::Found(generated) = search.advance(Budget::UNLIMITED) else {
        panic!("there are such boards");
    };
    generated
}

fn range(goal: &Board, min: u32, max: u32) -> Range {
    Range::new(goal.shape(), goal.blank(), min, max).expect("a range with boards")
}

#[test]
fn a_seed_gives_the_same_boards_in_every_release() {
    // Computed by an independent implementation of the documented method.
    for (goal, expected) in [
        (
            GoalLayout::RowsBlankLast,
            [
                (0, 0, 1, "1 2 3 / 4 5 6 / 7 8 0", 0),
                (7, 7, 1, "4 1 2 / 7 5 3 / 8 0 6", 7),
                (20, 20, 1, "7 4 5 / 2 6 1 / 0 8 3", 20),
                (20, 20, 2, "0 5 2 / 1 7 6 / 4 8 3", 20),
                (26, 28, 3, "6 8 4 / 3 5 1 / 2 0 7", 27),
                (30, 30, 4, "0 4 7 / 6 5 2 / 3 8 1", 30),
                (0, 31, 5, "1 2 3 / 0 5 8 / 6 7 4", 15),
                (25, 99, u64::MAX, "7 3 2 / 8 6 4 / 5 1 0", 26),
            ],
        ),
        (
            GoalLayout::Snail,
            [
                (0, 0, 1, "1 2 3 / 8 0 4 / 7 6 5", 0),
                (7, 7, 1, "1 3 6 / 8 2 0 / 7 5 4", 7),
                (20, 20, 1, "5 8 3 / 4 0 6 / 1 7 2", 20),
                (20, 20, 2, "7 8 5 / 6 3 2 / 0 1 4", 20),
                (26, 28, 3, "2 6 7 / 4 1 5 / 8 0 3", 27),
                (30, 30, 4, "3 2 7 / 4 0 8 / 5 6 1", 30),
                (0, 31, 5, "1 0 2 / 8 3 5 / 7 6 4", 15),
                (25, 99, u64::MAX, "5 6 3 / 2 0 7 / 4 8 1", 26),
            ],
        ),
    ] {
        let goal = goal.board(shape(3, 3));
        let distances = plain_distances(&goal);
        for (min, max, seed, board, length) in expected {
            let solvers = Descent::solvers(&distances, Direction::ALL);
            let generated = generate(&goal, (min, max), seed, solvers);
            assert_eq!(generated.board.to_string(), board);
            assert_eq!(generated.solution.len(), length);
            assert_eq!(generated.seed, seed);
        }
    }
}

#[test]
fn the_board_has_the_length_and_the_solution_leads_to_the_goal() {
    for layout in GoalLayout::ALL {
        let goal = layout.board(shape(3, 3));
        let plain = plain_distances(&goal);
        let distances = distances(goal.clone());
        for length in 0..=28 {
            let solvers = Descent::solvers(&plain, Direction::ALL);
            let generated = generate(&goal, (length, length), 100 + u64::from(length), solvers);
            assert_eq!(distances[&generated.board], length);
            assert_eq!(generated.solution.len(), length as usize);
            let mut board = generated.board;
            for &direction in generated.solution.moves() {
                assert!(board.slide(direction));
            }
            assert_eq!(board, goal);
        }
    }
}

#[test]
fn neither_the_shortest_path_found_nor_the_budget_changes_the_board() {
    let goal = Board::solved(shape(3, 3));
    let distances = distances(goal.clone());
    let mut reversed = Direction::ALL;
    reversed.reverse();
    let mut other_solutions = 0;
    for seed in 0..40 {
        let first = Descent::solvers(&distances, Direction::ALL);
        let first = generate(&goal, (10, 29), seed, first);
        let second = Descent::solvers(&distances, reversed);
        let mut second = Difficulty::new(&goal, range(&goal, 10, 29), seed, second);
        let second = loop {
            match second.advance(Budget::nodes(1 + seed % 3)) {
                Step::Working => {}
                Step::Found(generated) => break generated,
                Step::Done(stop) => panic!("{stop:?} before a board was found"),
            }
        };
        assert_eq!(second.board, first.board);
        assert_eq!(second.solution.len(), first.solution.len());
        other_solutions += u32::from(second.solution != first.solution);
    }
    assert!(other_solutions > 20, "the two solvers do differ");
}

#[test]
fn all_lengths_of_a_range_occur_but_a_search_for_the_rarest_is_given_up() {
    let goal = Board::solved(shape(3, 3));
    let distances = distances(goal.clone());
    let mut counts = [0; 32];
    let mut most_solvers = 0;
    for seed in 0..320 {
        let solvers = Descent::solvers(&distances, Direction::ALL);
        let mut search = Difficulty::new(&goal, range(&goal, 0, u32::MAX), seed, solvers);
        let Step::Found(generated) = search.advance(Budget::UNLIMITED) else {
            panic!("every length has boards");
        };
        counts[generated.solution.len()] += 1;
        most_solvers = most_solvers.max(search.progress().iterations);
    }
    // Ten of each length are wanted. There are two boards of 31 moves, and none was found soon enough.
    assert_eq!(
        counts,
        [
            7, 14, 6, 13, 14, 11, 5, 9, 5, 8, 7, 6, 11, 12, 8, 15, 16, 9, 15, 11, 8, 10, 10, 13,
            15, 11, 12, 20, 10, 8, 1, 0
        ]
    );
    assert_eq!(most_solvers, 40);
}

#[test]
fn the_rarest_boards_are_found_when_nothing_else_will_do() {
    let goal = Board::solved(shape(3, 3));
    let distances = distances(goal.clone());
    for (seed, max) in [(1, 31), (2, 1000)] {
        let solvers = Descent::solvers(&distances, Direction::ALL);
        let generated = generate(&goal, (31, max), seed, solvers);
        assert_eq!(distances[&generated.board], 31);
    }
}

#[test]
fn the_least_length_is_within_the_range_when_the_target_is_not_found() {
    let goal = Board::solved(shape(3, 3));
    let distances = distances(goal.clone());
    let aims_at_the_rarest = |seed: &u64| Dice::new(*seed).below(3) == 2;
    let mut lengths = (0..40).filter(aims_at_the_rarest).map(|seed| {
        let solvers = Descent::solvers(&distances, Direction::ALL);
        let generated = generate(&goal, (29, 31), seed, solvers);
        generated.solution.len()
    });
    assert!(lengths.any(|length| length == 29));
}

#[test]
fn where_the_greatest_length_is_unknown_the_target_is_modest() {
    // A solver that gives up shows when the walk towards the target ends.
    struct GivesUp;
    impl Search for GivesUp {
        type Found = Solution;
        fn advance(&mut self, _: Budget) -> Step<Solution> {
            Step::Done(Stop::Memory)
        }
        fn progress(&self) -> Progress {
            Progress::default()
        }
    }
    let goal = Board::solved(shape(5, 5));
    for (min, greatest) in [(0, 40), (35, 55), (100, 120)] {
        let targets = (0..200).map(|seed| {
            let solvers = |_| -> Solver { Box::new(GivesUp) };
            let mut search = Difficulty::new(&goal, range(&goal, min, u32::MAX), seed, solvers);
            let mut target = 0;
            while search.advance(Budget::nodes(1)) == Step::Working {
                target += 1;
            }
            // The solver's verdict is repeated.
            assert_eq!(search.advance(Budget::UNLIMITED), Step::Done(Stop::Memory));
            // The moves of the walk count.
            assert_eq!(search.progress().generated, u64::from(target));
            target
        });
        let targets: Vec<u32> = targets.collect();
        assert_eq!(targets.iter().min(), Some(&min));
        assert_eq!(targets.iter().max(), Some(&greatest));
    }
}

#[test]
fn the_progress_is_that_of_all_solvers() {
    let goal = Board::solved(shape(3, 3));
    let distances = distances(goal.clone());
    let solvers = Descent::solvers(&distances, Direction::ALL);
    let mut search = Difficulty::new(&goal, range(&goal, 28, 28), 4, solvers);
    assert_eq!(search.progress(), Progress::default());
    assert_eq!(search.advance(Budget::nodes(0)), Step::Working);
    let mut before = search.progress();
    loop {
        let step = search.advance(Budget::nodes(5));
        let now = search.progress();
        assert!(now.generated <= before.generated + 5);
        assert!(now.generated >= before.generated);
        assert!(now.iterations >= before.iterations);
        assert!(now.memory == 0 || now.memory == 100);
        before = now;
        if let Step::Found(generated) = step {
            assert_eq!(generated.solution.len(), 28);
            break;
        }
    }
    assert_eq!(before.memory, 0);
    assert_eq!(before.peak_memory, 100);
    assert!(before.iterations > 1, "it took more than one solver");
    assert!(before.generated > 28);
    assert_eq!(
        search.advance(Budget::nodes(5)),
        Step::Done(Stop::FirstFound)
    );
    assert_eq!(search.progress(), before);
}
