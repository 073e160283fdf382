//! Mirrors and their moves.

use std::collections::HashSet;

use loyd::puzzle::{Direction, Symmetry};

use crate::shape;

const SIZES: [(usize, usize); 5] = [(2, 2), (3, 5), (5, 3), (4, 4), (2, 7)];

#[test]
fn there_are_eight_and_the_first_changes_nothing() {
    let all: HashSet<Symmetry> = Symmetry::all().collect();
    assert_eq!(all.len(), 8);
    assert_eq!(Symmetry::all().next(), Some(Symmetry::IDENTITY));
    for cell in 0..15 {
        assert_eq!(Symmetry::IDENTITY.cell(shape(3, 5), cell), cell);
    }
    let images: HashSet<Vec<usize>> = Symmetry::all()
        .map(|symmetry| {
            (0..9)
                .map(|cell| symmetry.cell(shape(3, 3), cell))
                .collect()
        })
        .collect();
    assert_eq!(images.len(), 8);
}

#[test]
fn the_inverse_leads_back() {
    for (rows, columns) in SIZES {
        let shape = shape(rows, columns);
        for symmetry in Symmetry::all() {
            let back = symmetry.inverse();
            let image = symmetry.shape(shape);
            assert_eq!(back.shape(image), shape);
            for cell in 0..shape.cells() {
                assert_eq!(back.cell(image, symmetry.cell(shape, cell)), cell);
            }
            for direction in Direction::ALL {
                assert_eq!(back.direction(symmetry.direction(direction)), direction);
            }
        }
    }
}

#[test]
fn neighbours_stay_neighbours_on_the_mirrored_side() {
    for (rows, columns) in SIZES {
        let shape = shape(rows, columns);
        for symmetry in Symmetry::all() {
            let image = symmetry.shape(shape);
            for cell in 0..shape.cells() {
                for side in Direction::ALL {
                    assert_eq!(
                        shape
                            .neighbour(cell, side)
                            .map(|next| symmetry.cell(shape, next)),
                        image.neighbour(symmetry.cell(shape, cell), symmetry.direction(side))
                    );
                }
            }
        }
    }
}

#[test]
fn a_flip_comes_before_the_transposition() {
    let symmetry = Symmetry {
        flip_rows: true,
        flip_columns: false,
        transpose: true,
    };
    // A quarter turn: the lower left corner goes to the upper left.
    assert_eq!(symmetry.shape(shape(2, 3)), shape(3, 2));
    let images = [0, 1, 2, 3, 4, 5].map(|cell| symmetry.cell(shape(2, 3), cell));
    assert_eq!(images, [1, 3, 5, 0, 2, 4]);
    assert_eq!(symmetry.direction(Direction::Up), Direction::Right);
}
