mod layers;
mod shared_rows;

use std::collections::BTreeSet;
use std::sync::Arc;

use loyd::heuristic::learned::near::{self, NearRanking};
use loyd::heuristic::learned::{Rows, Weights};
use loyd::puzzle::{Board, Dice, Direction, Problem};
use loyd::search::beam::{self, Beam, End, Hashes};
use loyd::search::{Budget, Solver, Step, Stop};

use crate::driving::run_sliced;
use crate::support::{all_distances, any_cell, random_problem, shape, walk};

/// A beam by Manhattan distance, for which no shape needs tables.
fn beam(problem: &Problem, width: usize, seed: u64) -> Solver {
    beam_from(problem, End::Start, width, seed)
}

fn beam_from(problem: &Problem, end: End, width: usize, seed: u64) -> Solver {
    let image = problem.mirrored(problem.canonical_symmetry());
    let rows = Arc::new(Rows::new(Weights::manhattan(image.shape())));
    Box::new(Beam::learned(problem, end, rows, width, seed).unwrap())
}

/// A beam by the learned estimate of its shape.
fn shipped(problem: &Problem, end: End, width: usize) -> Solver {
    while !beam::prepare(problem.shape(), 1 << 20) {}
    beam::by_learned(problem, end, width, 1, u32::MAX).unwrap()
}

#[test]
fn a_beam_as_wide_as_the_puzzle_finds_shortest_solutions() {
    for (rows, columns, home) in [(2, 3, 5), (3, 2, 0), (2, 4, 2), (3, 3, 8), (3, 3, 4)] {
        let shape = shape(rows, columns);
        let distances = all_distances(crate::support::goal(shape, home));
        let mut dice = Dice::new(3);
        for _ in 0..20 {
            let problem = random_problem(shape, home, &mut dice);
            let run = run_sliced(beam(&problem, 60_000, 1), Budget::UNLIMITED);
            assert_eq!(run.length() as u32, distances[problem.start()], "{shape}");
            assert_eq!(run.stop, Stop::FirstFound);
        }
    }
}

#[test]
fn slices_change_nothing() {
    let mut dice = Dice::new(4);
    for width in [1, 7, 300] {
        for _ in 0..5 {
            let problem = walk(shape(4, 5), 19, 60, &mut dice);
            let whole = run_sliced(beam(&problem, width, 9), Budget::UNLIMITED);
            for nodes in [1, 64, 1000] {
                let sliced = run_sliced(beam(&problem, width, 9), Budget::nodes(nodes));
                assert_eq!(sliced.found, whole.found);
                assert_eq!(sliced.stop, whole.stop);
            }
        }
    }
}

#[test]
fn a_seed_and_a_width_make_the_solution() {
    let mut dice = Dice::new(5);
    let problem = walk(shape(4, 4), 15, 200, &mut dice);
    let solutions = |seed| run_sliced(beam(&problem, 150, seed), Budget::UNLIMITED).found;
    assert_eq!(solutions(1), solutions(1));
    let differ = (2..20).any(|seed| solutions(seed) != solutions(1));
    assert!(differ, "ties are broken by the seed");
}

#[test]
fn any_home_of_the_blank_and_any_way_up_will_do() {
    let mut dice = Dice::new(6);
    for (rows, columns) in [(2, 5), (5, 2), (3, 4), (4, 3)] {
        let shape = shape(rows, columns);
        for _ in 0..10 {
            let home = any_cell(shape, &mut dice);
            let problem = random_problem(shape, home, &mut dice);
            assert_eq!(
                run_sliced(beam(&problem, 5000, 1), Budget::UNLIMITED)
                    .found
                    .len(),
                1
            );
        }
    }
}

#[test]
fn the_goal_is_solved_by_no_move() {
    let goal = Board::solved(shape(5, 5));
    let problem = Problem::new(&goal, &goal).unwrap();
    assert_eq!(
        run_sliced(beam(&problem, 1, 1), Budget::nodes(1)).length(),
        0
    );
}

#[test]
fn too_narrow_a_beam_gives_up() {
    let problem = random_problem(shape(6, 6), 35, &mut Dice::new(1));
    let run = run_sliced(beam(&problem, 1, 1), Budget::nodes(4096));
    assert_eq!((run.found.len(), run.stop), (0, Stop::Exhausted));
}

#[test]
fn a_beam_keeps_within_the_bytes_it_was_given() {
    let problem = random_problem(shape(5, 5), 24, &mut Dice::new(2));
    for width in [10, 1000] {
        let run = run_sliced(beam(&problem, width, 1), Budget::nodes(512));
        let bytes = beam::bytes(shape(5, 5), width);
        assert!(run.progress.peak_memory <= bytes, "{:?}", run.progress);
        // The hashes take some 10 KB by themselves.
        assert!(bytes <= (width as u64 + 10) * 1500 + (1 << 16));
    }
}

#[test]
fn the_path_through_a_million_nodes_is_found_again() {
    let problem = random_problem(shape(6, 6), 35, &mut Dice::new(8));
    let width = 12_000;
    let beam = shipped(&problem, End::Start, width);
    let run = run_sliced(beam, Budget::UNLIMITED);
    assert_eq!(run.stop, Stop::FirstFound);
    assert!(run.length() < 200);
    assert!(run.progress.expanded > 3 << 19);
    // There is room for a third of them beside the boards.
    let of_boards = beam::bytes(shape(6, 6), 1) + 250 * width as u64;
    assert!(run.progress.peak_memory <= beam::bytes(shape(6, 6), width));
    assert!(
        run.progress.peak_memory - of_boards < 4 * run.progress.expanded,
        "{:?}",
        run.progress
    );
}

#[test]
fn hashes_follow_slides() {
    let shape = shape(3, 5);
    let hashes = Hashes::new(shape, 11);
    let mut board = Board::solved(shape);
    let mut hash = hashes.of_board(&board);
    let mut dice = Dice::new(12);
    for _ in 0..1_000 {
        let to = board.blank();
        let direction = Direction::ALL[dice.below(4) as usize];
        if board.slide(direction) {
            let tile = usize::from(board.tile(to));
            hash = hashes.after(board.blank(), to)(hash, tile);
        }
        assert_eq!(hash, hashes.of_board(&board));
    }
}

#[test]
fn no_two_boards_have_the_same_hash() {
    let distances = all_distances(Board::solved(shape(2, 4)));
    let hashes = Hashes::new(shape(2, 4), 11);
    let all: BTreeSet<u64> = distances
        .keys()
        .map(|board| hashes.of_board(board))
        .collect();
    assert_eq!(all.len(), distances.len());
}

#[test]
fn a_search_that_is_over_stays_over() {
    let problem = random_problem(shape(3, 3), 8, &mut Dice::new(1));
    let mut beam = beam(&problem, 1000, 1);
    while !matches!(beam.advance(Budget::nodes(100)), Step::Done(_)) {}
    assert_eq!(
        beam.advance(Budget::nodes(100)),
        Step::Done(Stop::FirstFound)
    );
}

#[test]
fn the_learned_estimate_solves_5x5_well_from_narrow_beams() {
    let mut dice = Dice::new(13);
    let lengths = (0..10).map(|_| {
        let problem = random_problem(shape(5, 5), 24, &mut dice);
        run_sliced(shipped(&problem, End::Start, 300), Budget::nodes(1000)).length()
    });
    // The shortest solutions have about 100 moves; a bound alone finds 126.
    let mean = lengths.sum::<usize>() / 10;
    assert!((90..=108).contains(&mean), "{mean}");
}

#[test]
fn the_learned_estimate_serves_every_home_of_the_blank() {
    let mut dice = Dice::new(14);
    for home in 0..25 {
        let problem = random_problem(shape(5, 5), home, &mut dice);
        let length = run_sliced(shipped(&problem, End::Start, 300), Budget::nodes(1000)).length();
        assert!(length < 130, "home {home}: {length}");
    }
}

#[test]
fn tiles_near_each_other_rank_whole_boards() {
    let mut dice = Dice::new(16);
    for (rows, columns, home, most) in [
        (7, 7, 48, 380),
        (9, 7, 0, 600),
        (8, 9, 71, 720),
        (9, 8, 0, 720),
        (9, 9, 40, 840),
    ] {
        let problem = random_problem(shape(rows, columns), home, &mut dice);
        assert!(beam::is_learned(problem.shape()));
        for end in [End::Start, End::Goal] {
            let solver = shipped(&problem, end, 300);
            let length = run_sliced(solver, Budget::nodes(1000)).length();
            assert!(length < most, "{rows}×{columns}: {length}");
        }
        assert!(beam::is_ready(problem.shape()));
    }
}

#[test]
fn the_rows_of_another_shape_are_refused() {
    let problem = random_problem(shape(3, 4), 11, &mut Dice::new(1));
    let rows = Arc::new(Rows::new(Weights::manhattan(shape(3, 5))));
    assert!(Beam::learned(&problem, End::Start, rows, 10, 1).is_none());
}

#[test]
fn a_beam_from_the_goal_solves_too() {
    let mut dice = Dice::new(15);
    for (rows, columns) in [(3, 3), (2, 5), (4, 3)] {
        let shape = shape(rows, columns);
        for _ in 0..10 {
            let home = any_cell(shape, &mut dice);
            let problem = walk(shape, home, 30, &mut dice);
            let from = |end| run_sliced(beam_from(&problem, end, 200_000, 1), Budget::UNLIMITED);
            assert_eq!(from(End::Goal).length(), from(End::Start).length());
        }
    }
    let problem = random_problem(shape(5, 5), 24, &mut dice);
    let narrow = |end| run_sliced(shipped(&problem, end, 300), Budget::UNLIMITED);
    assert_ne!(narrow(End::Goal).found, narrow(End::Start).found);
}

#[test]
fn a_beam_tells_how_many_layers_are_to_come_to_the_end() {
    // The network's output on 10×10 falls to minus 130 moves on the way. The last moves, of which the sum of the
    // pairs says little, do not count.
    for (rows, columns, end) in [
        (10, 10, 100),
        (7, 7, 30),
        (4, 7, 20),
        (3, 8, 20),
        (6, 6, 20),
        (2, 16, 60),
        (3, 9, 30),
    ] {
        let shape = shape(rows, columns);
        while !beam::prepare(shape, 1 << 20) {}
        let problem = random_problem(shape, shape.cells() - 1, &mut Dice::new(4));
        for from in [End::Start, End::Goal] {
            while !beam::prepare_from(&problem, from, 1 << 20) {}
            // Narrower beams wander about, and nobody can tell for how long.
            let width = 1000;
            let mut search = beam::by_learned(&problem, from, width, 1, u32::MAX).unwrap();
            let mut told = Vec::new();
            while search.advance(Budget::nodes(4 * width as u64)) == Step::Working {
                let layers = search.progress().expanded / width as u64;
                told.push((layers, search.rest(1000)));
            }
            let last = search.progress().expanded / width as u64;
            let far = told.iter().filter(|(layers, _)| last - layers > end);
            assert!(far.clone().count() as u64 > last / 8, "{shape}: {last}");
            for &(layers, rest) in far {
                let ratio = f64::from(rest) / (last - layers) as f64;
                let is_near = (0.6..1.4).contains(&ratio);
                assert!(is_near, "{shape}, {from:?}: {ratio} at {layers} of {last}");
            }
        }
    }
}

#[test]
fn beams_use_the_tables_for_their_home_of_the_blank_once_these_are_ready() {
    let mut dice = Dice::new(17);
    for (rows, columns) in [(7, 7), (7, 4)] {
        let shape = shape(rows, columns);
        let home = any_cell(shape, &mut dice);
        let problem = random_problem(shape, home, &mut dice);
        let mut differ = 0;
        for from in [End::Start, End::Goal] {
            let home = beam::home(&problem, from);
            let by = |ranking| {
                let beam = Beam::learned(&problem, from, Arc::new(ranking), 100, 1).unwrap();
                run_sliced(Box::new(beam), Budget::UNLIMITED).found
            };
            let weights = near::shipped_whole(home.shape()).unwrap();
            let own = by(NearRanking::at_home(weights.clone(), home.cell()));
            differ += i32::from(own != by(NearRanking::new(weights)));
            while !beam::prepare_from(&problem, from, 1 << 20) {}
            assert_eq!(
                run_sliced(shipped(&problem, from, 100), Budget::UNLIMITED).found,
                own
            );
        }
        assert!(differ > 0, "{shape}");
    }
}

#[test]
fn a_blank_that_belongs_elsewhere_is_better_looked_for_by_weights_of_its_own() {
    let shape = shape(7, 7);
    let weights = near::shipped_whole(shape).unwrap();
    let learned = Arc::new(NearRanking::new(weights.clone()));
    // In the middle, on an edge, and off a corner.
    for home in [24, 45, 40] {
        let own = Arc::new(NearRanking::at_home(weights.clone(), home));
        let mut dice = Dice::new(home as u64);
        let [mut by_learned, mut by_own] = [0, 0];
        for _ in 0..30 {
            let problem = random_problem(shape, home, &mut dice);
            let length = |ranking: &Arc<NearRanking>| {
                let beam = Beam::learned(&problem, End::Start, Arc::clone(ranking), 100, 1);
                run_sliced(Box::new(beam.unwrap()), Budget::UNLIMITED).length()
            };
            by_learned += length(&learned);
            by_own += length(&own);
        }
        assert!(by_own < by_learned, "{home}: {by_own} and {by_learned}");
    }
}
