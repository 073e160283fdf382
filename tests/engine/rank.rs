//! Which newcomers go first, by their questions alone.

use loyd::engine::rank::{Rank, Ranked};
use loyd::heuristic::HeuristicKind;
use loyd::puzzle::Dice;

use crate::support::{random_problem, shape};

#[test]
fn each_rank_covers_up_to_twice_the_distance_of_the_one_before() {
    assert_eq!(Rank::of_difficulty(0), Rank::FIRST);
    for log in 0..20 {
        let (least, most) = (1 << log, (2 << log) - 1);
        assert_eq!(Rank::of_difficulty(least), Rank::of_difficulty(most));
        assert!(Rank::of_difficulty(least - 1) < Rank::of_difficulty(least));
    }
    // The last one is unbounded.
    let mut ranked = Ranked::<u32>::default();
    *ranked.of_mut(Rank::of_difficulty(u32::MAX)) = 7;
    assert_eq!(
        ranked.ranks().last(),
        Some((Rank::of_difficulty(u32::MAX), &7))
    );
}

#[test]
fn a_proof_is_ranked_by_how_far_the_tiles_are_from_home() {
    let mut dice = Dice::new(5);
    for _ in 0..20 {
        let problem = random_problem(shape(4, 4), 15, &mut dice);
        let distance = HeuristicKind::Manhattan.lower_bound(&problem);
        assert_eq!(Rank::of_proof(&problem), Rank::of_difficulty(distance));
    }
}

/// Two thirds of the longer side for each cell is about how far the tiles of a random board are from home.
#[test]
fn a_first_answer_is_ranked_by_an_eighth_of_how_far_the_tiles_usually_are_from_home() {
    for (rows, columns, distance) in [
        (2, 2, 0),
        (3, 3, 2),
        (4, 4, 5),
        (2, 9, 13),
        (9, 2, 13),
        (8, 8, 42),
        (128, 128, 174_762),
    ] {
        let rank = Rank::of_first_answer(shape(rows, columns));
        assert_eq!(rank, Rank::of_difficulty(distance), "{rows}×{columns}");
    }
}
