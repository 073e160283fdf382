//! Sizes, cells and their neighbours.

use std::collections::BTreeSet;

use loyd::puzzle::{Direction, Shape, ShapeError};

use crate::shape;

#[test]
fn sides_are_2_to_128() {
    for rows in 0..=130 {
        for columns in 0..=130 {
            let legal = (2..=128).contains(&rows) && (2..=128).contains(&columns);
            let shape = Shape::new(rows, columns);
            assert_eq!(shape.is_ok(), legal);
            assert_eq!(shape.is_err(), shape == Err(ShapeError { rows, columns }));
        }
    }
    for (rows, columns) in [(258, 2), (2, 256 + 3), (usize::MAX, usize::MAX)] {
        assert_eq!(Shape::new(rows, columns), Err(ShapeError { rows, columns }));
    }
    assert_eq!(
        ShapeError {
            rows: 1,
            columns: 5
        }
        .to_string(),
        "a board of 1×5 is out of range: each side must be 2 to 128"
    );
}

#[test]
fn cells_are_numbered_row_by_row() {
    for (rows, columns) in [(2, 2), (3, 5), (5, 3), (128, 128), (2, 128)] {
        let shape = shape(rows, columns);
        assert_eq!(shape.cells(), rows * columns);
        let mut next = 0;
        for row in 0..rows {
            for column in 0..columns {
                assert_eq!(shape.cell(row, column), next);
                assert_eq!((shape.row(next), shape.column(next)), (row, column));
                next += 1;
            }
        }
    }
}

#[test]
fn neighbours_are_one_apart_and_mutual() {
    for (rows, columns) in [(2, 2), (3, 5), (5, 3), (16, 16)] {
        let shape = shape(rows, columns);
        let mut pairs = 0;
        for cell in 0..shape.cells() {
            let distance = |other: &usize| shape.distance(cell, *other);
            let beside = (0..shape.cells()).filter(|other| distance(other) == 1);
            assert!(beside.eq(shape.neighbours(cell).collect::<BTreeSet<_>>()));
            for side in Direction::ALL {
                if let Some(other) = shape.neighbour(cell, side) {
                    assert_eq!(shape.distance(cell, other), 1);
                    assert_eq!(shape.neighbour(other, side.opposite()), Some(cell));
                    pairs += 1;
                }
            }
        }
        // Each of the inner borders separates two neighbours.
        assert_eq!(pairs, 2 * (rows * (columns - 1) + columns * (rows - 1)));
    }
    let corners =
        [0, 4, 10, 14].map(|cell| Direction::ALL.map(|side| shape(3, 5).neighbour(cell, side)));
    assert_eq!(
        corners,
        [
            [None, Some(5), None, Some(1)],
            [None, Some(9), Some(3), None],
            [Some(5), None, None, Some(11)],
            [Some(9), None, Some(13), None],
        ]
    );
}

#[test]
fn the_distance_is_the_fewest_steps() {
    let shape = shape(4, 7);
    for from in 0..shape.cells() {
        let mut steps = vec![usize::MAX; shape.cells()];
        steps[from] = 0;
        let mut queue = std::collections::VecDeque::from([from]);
        while let Some(cell) = queue.pop_front() {
            for side in Direction::ALL {
                if let Some(next) = shape.neighbour(cell, side)
                    && steps[next] == usize::MAX
                {
                    steps[next] = steps[cell] + 1;
                    queue.push_back(next);
                }
            }
        }
        for (to, &expected) in steps.iter().enumerate() {
            assert_eq!(shape.distance(from, to), expected);
        }
    }
}

#[test]
fn turned_on_its_side_rows_are_columns() {
    assert_eq!(shape(3, 5).transposed(), shape(5, 3));
    assert_eq!(shape(3, 5).to_string(), "3×5");
    assert_eq!(format!("{:?}", shape(3, 5)), "3x5");
}
