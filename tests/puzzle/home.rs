//! Where the blank belongs, up to mirrors.

use std::collections::HashSet;

use loyd::puzzle::{Home, Symmetry};

use crate::shape;

#[test]
fn mirror_images_have_one_home() {
    for (rows, columns) in [(2, 2), (4, 4), (3, 5), (5, 2)] {
        let shape = shape(rows, columns);
        for cell in 0..shape.cells() {
            let home = Home::new(shape, cell);
            for symmetry in Symmetry::all() {
                let image = Home::new(symmetry.shape(shape), symmetry.cell(shape, cell));
                assert_eq!(image, home);
            }
            // It is itself one of them, and lies in the lower right quarter of a wide board.
            let (wide, at) = (home.shape(), home.cell());
            assert!(wide.rows() <= wide.columns());
            assert!(2 * wide.row(at) + 1 >= wide.rows());
            assert!(2 * wide.column(at) + 1 >= wide.columns());
            assert_eq!(Home::new(wide, at), home);
        }
    }
}

#[test]
fn each_home_of_a_shape_is_listed_once() {
    for (rows, columns) in [(2, 2), (3, 3), (4, 4), (5, 5), (2, 5), (3, 4)] {
        let shape = shape(rows, columns);
        let of_cells: HashSet<Home> = (0..shape.cells())
            .map(|cell| Home::new(shape, cell))
            .collect();
        let all: Vec<Home> = Home::all(shape).collect();
        assert_eq!(all.len(), of_cells.len(), "{shape}");
        assert_eq!(all.into_iter().collect::<HashSet<_>>(), of_cells);
    }
    assert_eq!(Home::all(shape(5, 2)).count(), 0);
}

#[test]
fn corners_are_one_home() {
    for (rows, columns) in [(2, 2), (3, 4), (4, 3), (5, 5)] {
        let shape = shape(rows, columns);
        let corners = [0, columns - 1, shape.cells() - columns, shape.cells() - 1];
        for cell in 0..shape.cells() {
            let home = Home::new(shape, cell);
            assert_eq!(home.is_corner(), corners.contains(&cell));
            assert_eq!(home == Home::corner(shape), home.is_corner());
        }
    }
    assert_eq!(Home::corner(shape(3, 2)).to_string(), "2×3, blank at 5");
}
