//! Several boards from one seed.

use std::sync::Arc;

use loyd::puzzle::Board;
use loyd::puzzle::generate::board_seed;
use loyd::search::chain::optimal_solver;
use loyd::search::generate::batch::Batch;
use loyd::search::generate::difficulty::{Difficulty, Generated};
use loyd::search::generate::lengths::Range;
use loyd::search::tables::Tables;
use loyd::search::{Budget, Progress, Search, Step, Stop};

use crate::support::shape;

/// Finds its seed after ten nodes, or gives up if told to.
struct Echo {
    seed: u64,
    nodes: u64,
    gives_up: bool,
}

impl Echo {
    fn new(seed: u64) -> Self {
        Self {
            seed,
            nodes: 0,
            gives_up: false,
        }
    }
}

impl Search for Echo {
    type Found = u64;

    fn advance(&mut self, budget: Budget) -> Step<u64> {
        self.nodes += budget.nodes.min(10 - self.nodes);
        match (self.nodes, self.gives_up) {
            (10, true) => Step::Done(Stop::Memory),
            (10, false) => Step::Found(self.seed),
            _ => Step::Working,
        }
    }

    fn progress(&self) -> Progress {
        Progress {
            generated: self.nodes,
            memory: 100,
            peak_memory: 100,
            iterations: 1,
            ..Progress::default()
        }
    }
}

/// Everything that is found, and the end.
fn all<S: Search>(mut search: S, slice: Budget) -> (Vec<S::Found>, Stop, Progress) {
    let mut found = Vec::new();
    loop {
        match search.advance(slice) {
            Step::Working => {}
            Step::Found(one) => found.push(one),
            Step::Done(stop) => return (found, stop, search.progress()),
        }
    }
}

#[test]
fn each_board_has_a_seed_of_its_own_and_the_first_the_batchs() {
    for slice in [1, 3, 1000] {
        let (found, stop, progress) = all(Batch::new(5, 4, Echo::new), Budget::nodes(slice));
        let seeds: Vec<u64> = (0..4).map(|index| board_seed(5, index)).collect();
        assert_eq!(found, seeds);
        assert_eq!(found[0], 5);
        assert_eq!(stop, Stop::Proven);
        let expected = Progress {
            generated: 40,
            peak_memory: 100,
            iterations: 4,
            ..Progress::default()
        };
        assert_eq!(progress, expected);
    }
}

#[test]
fn a_batch_of_none_is_done_at_once() {
    let (found, stop, progress) = all(Batch::new(5, 0, Echo::new), Budget::UNLIMITED);
    assert_eq!((found.len(), stop), (0, Stop::Proven));
    assert_eq!(progress, Progress::default());
}

#[test]
fn a_search_that_gives_up_ends_the_batch() {
    let third = board_seed(5, 2);
    let batch = Batch::new(5, 4, |seed| Echo {
        gives_up: seed == third,
        ..Echo::new(seed)
    });
    let (found, stop, progress) = all(batch, Budget::UNLIMITED);
    assert_eq!(found, [5, board_seed(5, 1)]);
    assert_eq!((stop, progress.generated), (Stop::Memory, 30));
}

#[test]
fn boards_of_a_difficulty_can_each_be_had_alone() {
    let tables = Arc::new(Tables::new());
    let goal = Board::solved(shape(3, 3));
    let range = Range::new(goal.shape(), goal.blank(), 12, 18).unwrap();
    let batch = |seed, count| -> Vec<Generated> {
        let search = Batch::new(seed, count, |seed| {
            let tables = Arc::clone(&tables);
            Difficulty::new(&goal, range, seed, move |problem| {
                optimal_solver(problem, &tables)
            })
        });
        let (found, stop, _) = all(search, Budget::nodes(500));
        assert_eq!(stop, Stop::Proven);
        found
    };
    let boards = batch(77, 6);
    assert_eq!(boards.len(), 6);
    for board in boards {
        assert!((12..=18).contains(&board.solution.len()));
        assert_eq!(batch(board.seed, 1), [board]);
    }
}
