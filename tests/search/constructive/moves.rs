//! How many moves the constructive solver makes, compared with published results.

use std::sync::Arc;

use loyd::puzzle::{Dice, Problem};
use loyd::search::constructive::Variant;
use loyd::search::tables::Tables;

use crate::adversary::hard_problem;
use crate::constructive::{nearest_problem, solve};
use crate::support::{random_problem, shape};

/// 5n³ − 9n²/2 + 19n/2 − 89, Parberry's bound as Utsunomiya and Asahiro (2015) state it for n ≥ 4.
fn parberrys_bound(side: usize) -> usize {
    (10 * side.pow(3) + 19 * side - 9 * side.pow(2)) / 2 - 89
}

fn random_square(side: usize, dice: &mut Dice) -> Problem {
    let shape = shape(side, side);
    random_problem(shape, shape.cells() - 1, dice)
}

/// The mean number of moves on random boards, and the greatest.
fn mean_and_most(variant: Variant, side: usize, boards: usize) -> (f64, usize) {
    let tables = Arc::new(Tables::new());
    let mut dice = Dice::new(10);
    let moves: Vec<usize> = (0..boards)
        .map(|_| solve(&tables, &random_square(side, &mut dice), variant))
        .collect();
    let most = moves.iter().max().expect("some boards");
    (moves.iter().sum::<usize>() as f64 / boards as f64, *most)
}

#[test]
fn parberrys_bound_holds_on_random_boards() {
    for (side, boards) in [
        (4, 2000),
        (5, 2000),
        (6, 1000),
        (8, 500),
        (12, 100),
        (20, 20),
        (40, 2),
    ] {
        let (_, most) = mean_and_most(Variant::Parberry, side, boards);
        assert!(most <= parberrys_bound(side), "{side}: {most}");
    }
}

#[test]
fn parberrys_bound_holds_on_boards_made_to_break_it() {
    let tables = Arc::new(Tables::new());
    for side in [4, 5, 6, 7, 8, 10, 12, 16] {
        let shape = shape(side, side);
        let hard = hard_problem(&tables, Variant::Parberry, shape);
        let moves = solve(&tables, &hard, Variant::Parberry);
        assert!(moves <= parberrys_bound(side), "{side}: {moves}");
        // They do come close.
        assert!(4 * moves > 3 * parberrys_bound(side), "{side}: {moves}");
        let reversed = nearest_problem(
            shape,
            shape.cells() - 1,
            (0..shape.cells() as u32).rev().collect(),
        );
        let moves = solve(&tables, &reversed, Variant::Parberry);
        assert!(moves <= parberrys_bound(side), "{side} reversed: {moves}");
    }
}

/// Parberry (2015) proves 8/3 n³ + O(n²) on average. Here the smaller term is about −4n².
#[test]
fn parberrys_moves_are_8_thirds_of_the_cube_on_average() {
    for (side, boards) in [(20, 100), (30, 40), (40, 20)] {
        let (mean, _) = mean_and_most(Variant::Parberry, side, boards);
        let n = side as f64;
        let expected = 8.0 / 3.0 * n.powi(3) - 4.0 * n.powi(2);
        assert!(
            (mean / expected - 1.0).abs() < 0.02,
            "{side}: {mean} for {expected}"
        );
    }
}

#[test]
fn hayes_makes_fewer_moves_than_parberry_on_average() {
    for (side, boards, saved) in [
        (4, 2000, 0.04),
        (5, 1000, 0.08),
        (8, 300, 0.05),
        (12, 100, 0.02),
    ] {
        let (parberry, _) = mean_and_most(Variant::Parberry, side, boards);
        let (hayes, _) = mean_and_most(Variant::Hayes, side, boards);
        assert!(
            hayes < (1.0 - saved) * parberry,
            "{side}: {hayes}, {parberry}"
        );
    }
}

/// On 4×4 Parberry's table for the last 3×3 cells outweighs what Hayes saves at the ends.
#[test]
fn hayes_worst_board_is_better_than_parberrys_from_5_by_5_on() {
    let tables = Arc::new(Tables::new());
    for side in [5, 6, 8, 12] {
        let [parberry, hayes] = [Variant::Parberry, Variant::Hayes].map(|variant| {
            let hard = hard_problem(&tables, variant, shape(side, side));
            solve(&tables, &hard, variant)
        });
        assert!(hayes < parberry, "{side}: {hayes}, {parberry}");
    }
}

#[test]
fn the_best_makes_a_fifth_fewer_moves_than_hayes_from_10_by_10_on() {
    for (side, boards) in [(10, 100), (20, 20), (40, 2)] {
        let (hayes, _) = mean_and_most(Variant::Hayes, side, boards);
        let (best, _) = mean_and_most(Variant::Best, side, boards);
        assert!(best < 0.83 * hayes, "{side}: {best}, {hayes}");
    }
}

#[test]
fn the_best_stays_below_1_9_times_the_cube_of_the_side() {
    for (side, boards) in [(5, 200), (10, 50), (20, 10), (50, 2)] {
        let (mean, _) = mean_and_most(Variant::Best, side, boards);
        assert!(mean < 1.9 * (side as f64).powi(3), "{side}: {mean}");
    }
}
