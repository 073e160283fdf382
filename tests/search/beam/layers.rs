//! The machine that makes layers, with the tests' own estimates.

mod memory;
mod roots;
mod select;

use std::marker::PhantomData;

use loyd::heuristic::Tiles;
use loyd::puzzle::{Board, Dice, Problem, Shape};
use loyd::search::beam::{
    self, BoardOf, Estimate, Hashes, Lane, Layers, Mark, Settings, State, Tile, Trace,
};

use crate::support::{random_problem, shape};

/// Brings the tiles 1 and 2 to their cells; ranks count only their distance.
struct FirstTwo<T = u8> {
    shape: Shape,
    tile: PhantomData<T>,
}

impl<T> FirstTwo<T> {
    const fn new(shape: Shape) -> Self {
        Self {
            shape,
            tile: PhantomData,
        }
    }

    fn of(&self, tiles: impl Fn(usize) -> usize) -> i32 {
        let cell_of = |tile| (0..self.shape.cells()).find(|&cell| tiles(cell) == tile);
        let distances = (1..=2).map(|tile| self.shape.distance(cell_of(tile).unwrap(), tile - 1));
        distances.sum::<usize>() as i32
    }
}

impl<T: beam::Tile> Estimate for FirstTwo<T> {
    const UNIT: i32 = 1;
    type Tile = T;
    type Value = i32;

    fn root(&self, tiles: &[T]) -> i32 {
        self.of(|cell| tiles[cell].into())
    }

    fn child(&self, lane: Lane) -> impl Fn(BoardOf<'_, T>, i32, usize) -> Option<i32> {
        let before = move |cell| match cell {
            cell if cell == lane.from => lane.to,
            cell if cell == lane.to => lane.from,
            cell => cell,
        };
        move |board, _, _| Some(self.of(|cell| board.tile(before(cell))))
    }

    fn rank(&self, value: i32) -> i32 {
        value
    }

    fn completes(&self, value: i32, _hash: u64) -> bool {
        value == 0
    }
}

fn first_two<T: Tile>(problem: &Problem, trace: Trace) -> Layers<FirstTwo<T>> {
    let shape = problem.shape();
    let estimate = FirstTwo::new(shape);
    Layers::new(
        shape,
        estimate,
        Hashes::new(shape, 1),
        Settings::new(500, 60),
        trace,
    )
}

fn tiles<T: Tile>(board: &Board) -> Vec<T> {
    let tile = |tile| T::try_from(tile).ok().unwrap();
    board.tiles().map(tile).collect()
}

/// A move better with each layer, give or take one, until the thirtieth; from then on no better at all.
struct Stair;

impl Estimate for Stair {
    const UNIT: i32 = 32;
    type Tile = u8;
    /// The layer, and by how much the board is worse than the best of its layer.
    type Value = (i32, i32);

    fn root(&self, _tiles: &[u8]) -> (i32, i32) {
        (0, 0)
    }

    fn child(&self, lane: Lane) -> impl Fn(&[u8], (i32, i32), usize) -> Option<(i32, i32)> {
        move |tiles, (layer, _), tile| {
            let mixed = 7 * tile + 13 * lane.from + 29 * usize::from(tiles[3]);
            Some((layer + 1, (mixed % 64) as i32))
        }
    }

    fn rank(&self, (layer, worse): (i32, i32)) -> i32 {
        worse - Self::UNIT * layer.min(30)
    }

    fn completes(&self, _value: (i32, i32), _hash: u64) -> bool {
        false
    }
}

/// All boards are complete after so many moves.
struct After(i32);

impl Estimate for After {
    const UNIT: i32 = 1;
    type Tile = u8;
    type Value = i32;

    fn root(&self, _tiles: &[u8]) -> i32 {
        self.0
    }

    fn child(&self, _lane: Lane) -> impl Fn(&[u8], i32, usize) -> Option<i32> {
        |_, value, _| Some(value - 1)
    }

    fn rank(&self, value: i32) -> i32 {
        value
    }

    fn completes(&self, value: i32, _hash: u64) -> bool {
        value == 0
    }
}

/// Everything that a machine reports, node by node.
fn told<T: Tile>(problem: &Problem, width: usize) -> Vec<(u32, usize, Vec<usize>)> {
    let shape = problem.shape();
    let (hashes, settings) = (Hashes::new(shape, 1), Settings::new(width, 60));
    let estimate = FirstTwo::<T>::new(shape);
    let mut layers = Layers::new(shape, estimate, hashes, settings, Trace::new());
    layers.add_root(&tiles(problem.start()), 0, Mark::ROOT);
    let mut told = Vec::new();
    while layers.advance(1) != State::Over {
        let nodes = layers.nodes();
        let first = if nodes > 0 {
            let board = layers.board(nodes - 1);
            (0..shape.cells()).map(|cell| board.tile(cell)).collect()
        } else {
            Vec::new()
        };
        told.push((layers.depth(), nodes, first));
    }
    let completed = layers.completed();
    told.extend((0..completed.len()).map(|node| {
        let tiles = completed.tiles(node).iter().map(|&tile| tile.into());
        (completed.head(node).depth, node, tiles.collect())
    }));
    told
}

#[test]
fn boards_that_share_rows_make_the_same_layers() {
    let mut dice = Dice::new(14);
    for (rows, columns) in [(3, 4), (2, 7), (7, 2), (5, 5)] {
        let shape = shape(rows, columns);
        let problem = random_problem(shape, shape.cells() - 1, &mut dice);
        let whole = told::<u8>(&problem, 30);
        assert!(whole.len() > 500, "{shape}");
        assert_eq!(whole, told::<u16>(&problem, 30), "{shape}");
    }
}

#[test]
fn no_more_boards_are_completed_than_a_layer_may_have() {
    let problem = random_problem(shape(6, 6), 35, &mut Dice::new(9));
    for (width, completed) in [(5, 5), (1000, 10)] {
        let mut layers = Layers::new(
            problem.shape(),
            After(3),
            Hashes::new(problem.shape(), 1),
            Settings::new(width, 10),
            Trace::new(),
        );
        layers.add_root(&tiles(problem.start()), 0, Mark::ROOT);
        while layers.advance(1000) != State::Over {}
        assert_eq!(layers.completed().len(), completed);
    }
}

#[test]
fn an_end_that_is_set_later_is_never_later_than_the_first() {
    let problem = random_problem(shape(6, 6), 35, &mut Dice::new(9));
    for (end, depth) in [(10, 11), (20, 21), (30, 21)] {
        let mut layers = Layers::new(
            problem.shape(),
            Stair,
            Hashes::new(problem.shape(), 1),
            Settings::new(100, 20),
            Trace::new(),
        );
        layers.end_by(end);
        layers.add_root(&tiles(problem.start()), 0, Mark::ROOT);
        while layers.advance(1000) != State::Over {}
        assert_eq!(layers.depth(), depth);
    }
}
