use std::collections::HashMap;

use loyd::heuristic::corrected::Corrected;
use loyd::heuristic::linear_conflict::{LinearConflict, ShortLines};
use loyd::heuristic::walking_distance::{self, WalkingDistance};
use loyd::heuristic::{Heuristic, HeuristicKind, discrete::Discrete, hamming, manhattan};
use loyd::puzzle::{Board, Problem};
use rustc_hash::FxHashMap;

use crate::support::{distances_within, goal, neighbours, shape};

/// All boards of a size for one home of the blank, or those near the goal.
struct AllBoards {
    problem: Problem,
    boards: Vec<Board>,
    /// The true distances, and the boards that are one slide away.
    distances: Vec<u32>,
    neighbours: Vec<Vec<usize>>,
}

impl AllBoards {
    fn new(rows: usize, columns: usize, home: usize) -> Self {
        Self::near(rows, columns, home, u32::MAX)
    }

    /// Returns those that are at most so many moves from the goal.
    fn near(rows: usize, columns: usize, home: usize, most: u32) -> Self {
        let goal = goal(shape(rows, columns), home);
        let distances = distances_within(goal.clone(), most);
        let (boards, distances): (Vec<_>, Vec<_>) = distances.into_iter().unzip();
        let numbers: FxHashMap<_, _> = boards.iter().zip(0..).collect();
        let numbered = |board| {
            let around = neighbours(board);
            around
                .filter_map(|next| numbers.get(&next).copied())
                .collect()
        };
        Self {
            problem: Problem::new(&goal, &goal).unwrap(),
            neighbours: boards.iter().map(numbered).collect(),
            boards,
            distances,
        }
    }

    /// Checks that a bound is never above the true distance, and 0 only at the goal. Returns the
    /// bounds for further checks.
    fn admits<H: Heuristic>(&self, name: &str, heuristic: &H) -> Vec<u32> {
        let bound = |board| H::value(heuristic.root(board));
        let bounds: Vec<_> = self.boards.iter().map(bound).collect();
        for ((board, &distance), &bound) in self.boards.iter().zip(&self.distances).zip(&bounds) {
            assert!(bound <= distance, "{name} on {board}");
            assert_eq!(bound == 0, distance == 0, "{name} on {board}");
        }
        bounds
    }

    /// Checks the same as [`Self::admits`], and that one slide changes the bound by at most one.
    fn admits_consistent<H: Heuristic>(&self, name: &str, heuristic: &H) {
        let bounds = self.admits(name, heuristic);
        for (board, neighbours) in self.neighbours.iter().enumerate() {
            for &neighbour in neighbours {
                let change = bounds[board].abs_diff(bounds[neighbour]);
                assert!(change <= 1, "{name} on {}", self.boards[board]);
            }
        }
    }

    fn admits_all(&self) {
        self.admits_without_tables();
        while !walking_distance::prepare(&self.problem, u64::MAX) {}
        let walking = WalkingDistance::new(&self.problem).unwrap();
        self.admits_consistent("walking distance", &walking);
    }

    fn admits_without_tables(&self) {
        let problem = &self.problem;
        let manhattan = manhattan::any(problem);
        let conflict = LinearConflict::new(problem);
        self.admits_consistent("discrete", &Discrete(hamming::any(problem)));
        self.admits_consistent("hamming", &hamming::any(problem));
        self.admits_consistent("manhattan", &manhattan);
        self.admits_consistent("linear conflict", &conflict);
        let corners = Corrected::new(problem, manhattan.clone(), true, false);
        self.admits_consistent("corner tiles", &corners);
        let last = Corrected::new(problem, manhattan.clone(), false, true);
        self.admits("last moves", &last);
        let both = Corrected::new(problem, manhattan, true, true);
        self.admits("corner tiles and last moves", &both);
        for (corners, last) in [(true, false), (false, true), (true, true)] {
            let name = format!("linear conflict, corner tiles {corners}, last moves {last}");
            self.admits(
                &name,
                &Corrected::new(problem, conflict.clone(), corners, last),
            );
            if let Some(short) = ShortLines::new(problem) {
                self.admits(&name, &Corrected::new(problem, short, corners, last));
            }
        }
    }
}

#[test]
fn on_3x3_with_the_blank_home_in_a_corner() {
    for home in [0, 2, 6, 8] {
        AllBoards::new(3, 3, home).admits_all();
    }
}

#[test]
fn on_3x3_with_the_blank_home_on_an_edge_or_in_the_centre() {
    for home in [1, 3, 4, 5, 7] {
        AllBoards::new(3, 3, home).admits_all();
    }
}

#[test]
fn on_all_boards_of_two_rows_or_columns() {
    for long in 2..=4 {
        for home in 0..2 * long {
            AllBoards::new(2, long, home).admits_all();
            AllBoards::new(long, 2, home).admits_all();
        }
    }
}

/// In the middle of these boards there are more ways to end than anywhere on 3×3: a tile can come home last from each of
/// four sides, and another before it from each of three.
#[test]
fn near_the_goal_of_larger_boards() {
    for (rows, columns, moves) in [(3, 4, 13), (4, 4, 11), (5, 5, 9), (2, 8, 14)] {
        for home in 0..rows * columns {
            AllBoards::near(rows, columns, home, moves).admits_without_tables();
        }
    }
}

#[test]
fn the_strongest_on_all_boards_of_5x2() {
    let all = AllBoards::new(5, 2, 9);
    while !walking_distance::prepare(&all.problem, u64::MAX) {}
    let walking = WalkingDistance::new(&all.problem).unwrap();
    all.admits("walking distance", &walking);
    let conflict = LinearConflict::new(&all.problem);
    let sum = Corrected::new(&all.problem, conflict, true, true);
    all.admits("all corrections", &sum);
}

#[test]
fn stronger_bounds_are_nowhere_below_weaker_ones() {
    use HeuristicKind as Kind;
    let all = AllBoards::new(3, 3, 8);
    let goal = all.problem.goal();
    let mut sums: HashMap<Kind, u64> = HashMap::new();
    for board in &all.boards {
        let problem = Problem::new(board, &goal).unwrap();
        let bound = |kind: Kind| kind.lower_bound(&problem);
        let chains = [
            &[
                Kind::Discrete,
                Kind::Hamming,
                Kind::Manhattan,
                Kind::LinearConflict,
            ][..],
            &[Kind::Manhattan, Kind::CornerTiles],
            &[Kind::Manhattan, Kind::LastMoves],
            &[Kind::LinearConflict, Kind::ALL_CORRECTIONS],
            &[Kind::Manhattan, Kind::WalkingDistance],
        ];
        for chain in chains {
            assert!(chain.iter().map(|&kind| bound(kind)).is_sorted(), "{board}");
        }
        for kind in Kind::ALL {
            *sums.entry(kind).or_default() += u64::from(bound(kind));
        }
    }
    let sum = |kind| sums[&kind];
    // The mean Manhattan distance of all n×n boards is (2/3)(n³ − n) − (n − 1): 14 for n = 3.
    assert_eq!(sum(Kind::Manhattan), 14 * 181_440);
    // Each of the 8 tiles is at home on one board in nine.
    assert_eq!(sum(Kind::Hamming), 8 * 181_440 / 9 * 8);
    assert_eq!(sum(Kind::Discrete), 181_439);
    for weaker in Kind::ALL {
        if weaker != Kind::ALL_CORRECTIONS && weaker != Kind::WalkingDistance {
            assert!(sum(weaker) < sum(Kind::ALL_CORRECTIONS), "{weaker:?}");
        }
    }
}
