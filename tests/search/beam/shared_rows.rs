use loyd::heuristic::Tiles;
use loyd::puzzle::{Dice, Direction, Shape};
use loyd::search::beam::{Boards, Lines, Tile};

use crate::support::shape;

/// How boards of more than 256 cells are stored.
type SharedRows = <u16 as Tile>::Boards;

/// A layer of plain boards, each with the cell of its blank.
type Layer = Vec<(Vec<u16>, usize)>;

fn solved(shape: Shape) -> Vec<u16> {
    let cells = shape.cells() as u16;
    (1..cells).chain([0]).collect()
}

fn assert_same(boards: &SharedRows, layer: &Layer, shape: Shape) {
    let (rows, columns) = (shape.rows(), shape.columns());
    for (node, (tiles, _)) in layer.iter().enumerate() {
        let (board, plain) = (boards.board(node), tiles.as_slice());
        for cell in 0..shape.cells() {
            assert_eq!(board.tile(cell), plain.tile(cell), "{shape}, cell {cell}");
        }
        for row in 0..rows {
            assert!(board.row(row, columns).eq(plain.row(row, columns)));
        }
        for column in 0..columns {
            assert!(
                board
                    .column(column, columns)
                    .eq(plain.column(column, columns))
            );
        }
    }
}

#[test]
fn boards_that_share_rows_are_as_if_they_were_whole() {
    const WIDTH: usize = 12;
    let mut dice = Dice::new(31);
    for shape in [
        shape(17, 17),
        shape(3, 100),
        shape(100, 3),
        shape(20, 13),
        shape(2, 2),
    ] {
        let mut boards = SharedRows::new(shape, WIDTH);
        boards.grow(1);
        boards.put(0, &solved(shape));
        boards.turn();
        let mut layer: Layer = vec![(solved(shape), shape.cells() - 1)];
        // Several times round all rows, in layers that grow and shrink.
        for depth in 0..4 * shape.rows() + 20 {
            let mut next = Layer::new();
            let width = 1 + dice.below(WIDTH as u32) as usize;
            boards.grow(width);
            for node in 0..width {
                if dice.below(40) == 0 {
                    // A root enters.
                    boards.put(node, &solved(shape));
                    next.push((solved(shape), shape.cells() - 1));
                    continue;
                }
                let parent = dice.below(layer.len() as u32) as usize;
                let (mut tiles, blank) = layer[parent].clone();
                let sides = [
                    Direction::Up,
                    Direction::Down,
                    Direction::Left,
                    Direction::Right,
                ];
                let from = sides.iter().cycle().skip(dice.below(4) as usize);
                let from = from.filter_map(|&side| shape.neighbour(blank, side)).next();
                let from = from.expect("a cell has neighbours");
                boards.put_child(node, parent, from, blank);
                tiles.swap(from, blank);
                next.push((tiles, from));
            }
            boards.turn();
            layer = next;
            if depth % 5 == 0 || depth > 4 * shape.rows() {
                assert_same(&boards, &layer, shape);
            }
        }
    }
}
