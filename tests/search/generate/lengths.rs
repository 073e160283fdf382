//! Ranges of lengths that are refused, and the greatest lengths.

use loyd::puzzle::{Board, GoalLayout};
use loyd::search::generate::lengths::{Range, RangeError, greatest_length};

use crate::support::{all_distances, goal, shape};

#[test]
fn a_range_without_boards_is_refused() {
    let refused = |goal: &Board, min, max| Range::new(goal.shape(), goal.blank(), min, max).err();
    let goal = Board::solved(shape(3, 3));
    assert_eq!(
        refused(&goal, 8, 7),
        Some(RangeError::Empty { min: 8, max: 7 })
    );
    let too_far = refused(&goal, 40, 50).expect("no board needs 40 moves");
    assert_eq!(
        too_far,
        RangeError::TooFar {
            shape: shape(3, 3),
            min: 40,
            greatest: 31
        }
    );
    assert_eq!(
        too_far.to_string(),
        "no board of 3×3 needs 40 moves to this goal: choose 0 to 31"
    );
    assert!(refused(&GoalLayout::Snail.board(shape(3, 3)), 31, 31).is_some());
    assert!(refused(&goal, 31, 31).is_none());
}

#[test]
fn a_range_beyond_all_boards_is_refused_also_where_the_greatest_length_is_unknown() {
    for (rows, columns, bound) in [(5, 5, 625), (2, 8, 640), (8, 2, 640), (3, 6, 540)] {
        let shape = shape(rows, columns);
        let home = shape.cells() - 1;
        assert_eq!(greatest_length(shape, home), None);
        let farthest = Range::new(shape, home, bound, u32::MAX).unwrap();
        assert_eq!(farthest.max(), bound);
        assert_eq!(
            Range::new(shape, home, bound + 1, u32::MAX),
            Err(RangeError::TooFar {
                shape,
                min: bound + 1,
                greatest: bound
            })
        );
    }
}

#[test]
fn a_length_that_nobody_has_ruled_out_is_not_refused() {
    let shape = shape(4, 4);
    for (home, greatest) in [(15, 80), (14, 80), (10, 81), (5, 81)] {
        let range = Range::new(shape, home, greatest, 100).unwrap();
        assert_eq!(range.max(), greatest);
        assert!(Range::new(shape, home, greatest + 1, 100).is_err());
        // Other targets are drawn as they always were.
        assert_eq!(Range::new(shape, home, 10, 100).unwrap().max(), 80);
    }
}

#[test]
fn the_greatest_lengths_are_those_of_exhaustive_searches() {
    for (rows, columns) in [(2, 2), (2, 3), (3, 2), (2, 4), (4, 2), (3, 3)] {
        let shape = shape(rows, columns);
        for home in 0..shape.cells() {
            let farthest = all_distances(goal(shape, home)).into_values().max();
            assert_eq!(
                greatest_length(shape, home),
                farthest,
                "{shape} home {home}"
            );
        }
    }
}

#[test]
fn the_greatest_lengths_of_larger_boards_are_the_same_in_every_mirror() {
    let lengths = |rows, columns| -> Vec<Option<u32>> {
        let shape = shape(rows, columns);
        (0..shape.cells())
            .map(|home| greatest_length(shape, home))
            .collect()
    };
    let (corner, edge, middle) = (Some(55), Some(55), Some(54));
    let row = [corner, edge, middle, edge, corner];
    assert_eq!(lengths(2, 5), [row, row].concat());
    let (corner, inner) = (Some(80), Some(79));
    let row = [corner, inner, inner, inner, inner, corner];
    assert_eq!(lengths(2, 6), [row, row].concat());
    assert_eq!(lengths(3, 4), [Some(53); 12]);
    assert_eq!(lengths(4, 3), [Some(53); 12]);
    assert_eq!(lengths(4, 4), [Some(80); 16]);
    let known = |rows, columns| lengths(rows, columns).iter().flatten().copied().collect();
    let corners: Vec<u32> = known(3, 5);
    assert_eq!(corners, [84; 4]);
    let corners: Vec<u32> = known(7, 2);
    assert_eq!(corners, [108; 4]);
    assert_eq!(lengths(5, 5), [None; 25]);
}
