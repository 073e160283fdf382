//! What layers and the paths to them take, and how that is freed.

use loyd::puzzle::{Dice, Shape};
use loyd::search::beam::{Estimate, Hashes, Lane, Layers, Mark, Settings, State, Tile, Trace};

use super::{After, FirstTwo, tiles};
use crate::support::{random_problem, shape};

/// The bytes that layers hold, those of their paths and hashes left out, and what is told of them.
fn held_and_told<T: Tile>(shape: Shape, width: usize) -> (u64, u64) {
    let problem = random_problem(shape, shape.cells() - 1, &mut Dice::new(9));
    let mut layers = Layers::new(
        shape,
        FirstTwo::<T>::new(shape),
        Hashes::new(shape, 1),
        Settings::new(width, 60),
        Trace::new(),
    );
    layers.add_root(&tiles(problem.start()), 0, Mark::ROOT);
    while layers.advance(1000) == State::Working {}
    let mut left = u64::MAX;
    layers.shed_layers(&mut left);
    // Sixteen words for every other node tell which boards were seen.
    let held = u64::MAX - left + 32 * width as u64;
    (held, Layers::<FirstTwo<T>>::bytes(shape, width))
}

#[test]
fn layers_hold_what_is_told_of_them() {
    for (held, told) in [
        held_and_told::<u8>(shape(6, 6), 4000),
        held_and_told::<u8>(shape(16, 16), 1000),
        held_and_told::<u16>(shape(20, 20), 1000),
    ] {
        assert!((told * 9 / 10..=told).contains(&held), "{held} of {told}");
    }
}

#[test]
fn what_is_large_is_freed_a_part_at_a_time() {
    const PART: u64 = 1 << 20;
    const AT_ONCE: u64 = 32 << 20;
    let shape = shape(6, 6);
    let width = 1_500_000;
    let layers = || {
        let problem = random_problem(shape, 35, &mut Dice::new(9));
        let settings = Settings::new(width, 20);
        let hashes = Hashes::new(shape, 1);
        let estimate = FirstTwo::<u8>::new(shape);
        let mut layers = Layers::new(shape, estimate, hashes, settings, Trace::new());
        layers.add_root(&tiles(problem.start()), 0, Mark::ROOT);
        while layers.advance(1000) == State::Working {}
        layers
    };
    let parts = |mut shed: Box<dyn FnMut(&mut u64)>| {
        let calls = (1..).find(|_| {
            let mut left = PART;
            shed(&mut left);
            left > 0
        });
        calls.unwrap()
    };
    let (mut some, mut all) = (layers(), layers());
    // What it takes to remove some of them counts as well, a twentieth.
    let paths = all.trace().bytes() * 19 / 20 / PART;
    let of_layers: u64 = parts(Box::new(move |left| some.shed_layers(left)));
    let of_all = parts(Box::new(move |left| all.shed(left)));
    // A machine holds six lists, and the memory of boards that were seen.
    let whole = Layers::<FirstTwo>::bytes(shape, width);
    let large = whole - width as u64 * 32 - 6 * AT_ONCE;
    assert!(
        (large / PART..whole / PART).contains(&of_layers),
        "{of_layers} of {large} in {whole}"
    );
    assert!(
        of_all + 1 >= of_layers + paths - AT_ONCE / PART,
        "{of_all} with {paths} MB of paths"
    );
}

#[test]
fn paths_are_found_again_after_others_were_removed() {
    let problem = random_problem(shape(6, 6), 35, &mut Dice::new(9));
    let settings = Settings::new(5000, 210);
    let trace = Trace::new();
    let hashes = Hashes::new(problem.shape(), 1);
    let mut layers = Layers::new(problem.shape(), After(200), hashes, settings, trace);
    layers.add_root(&tiles(problem.start()), 0, Mark::ROOT);
    while layers.advance(77) != State::Over {}
    let completed = layers.completed();
    assert_eq!(completed.len(), 5000);
    for node in 0..completed.len() {
        let moves = layers.trace().moves(completed.head(node).mark);
        assert_eq!(moves.len(), 200);
        let mut board = problem.start().clone();
        assert!(moves.iter().all(|&slide| board.slide(slide)));
        assert_eq!(tiles::<u8>(&board), completed.tiles(node));
    }
    let (expanded, _) = layers.counts();
    let bytes = layers.trace().bytes();
    assert!(bytes <= Trace::bytes_of(settings));
    assert!(expanded * 4 > 2 * bytes, "{expanded} in {bytes}");
}

/// The blank goes round 6×6, so each board has a single child, and no path dies out.
struct Round;

impl Round {
    /// The cell to which the blank goes from a cell.
    const fn next(cell: usize) -> usize {
        match (cell / 6, cell % 6) {
            (0, 1..) => cell - 1,
            (5, 0) => cell + 1,
            (row, 0) if row < 5 => cell + 6,
            (row, column) if column % 2 == 1 => {
                if row > 1 || column == 5 && row > 0 {
                    cell - 6
                } else {
                    cell + 1
                }
            }
            (row, _) => {
                if row < 5 {
                    cell + 6
                } else {
                    cell + 1
                }
            }
        }
    }
}

impl Estimate for Round {
    const UNIT: i32 = 1;
    type Tile = u8;
    type Value = i32;

    fn root(&self, _tiles: &[u8]) -> i32 {
        0
    }

    fn child(&self, lane: Lane) -> impl Fn(&[u8], i32, usize) -> Option<i32> {
        move |_, value, _| (lane.from == Self::next(lane.to)).then_some(value)
    }

    fn rank(&self, value: i32) -> i32 {
        value
    }

    fn completes(&self, _value: i32, _hash: u64) -> bool {
        false
    }
}

#[test]
fn a_search_ends_before_its_paths_take_more_than_they_may() {
    let cycle = (0..36).scan(0, |cell, _| {
        *cell = Round::next(*cell);
        Some(*cell)
    });
    let mut cells: Vec<usize> = cycle.collect();
    cells.sort_unstable();
    assert!(cells.into_iter().eq(0..36), "a way through all cells");
    let (width, deepest) = (3000, 1000);
    let settings = Settings::new(width, deepest);
    let mut dice = Dice::new(9);
    let shape = shape(6, 6);
    let hashes = Hashes::new(shape, 1);
    let mut layers = Layers::new(shape, Round, hashes, settings, Trace::new());
    for _ in 0..width {
        let problem = random_problem(shape, 35, &mut dice);
        layers.add_root(&tiles(problem.start()), 0, Mark::ROOT);
    }
    while layers.advance(10_000) != State::Over {}
    let nodes = Trace::bytes_of(settings) / 4;
    let layers_made = u64::from(layers.depth());
    assert!(layers_made < u64::from(deepest));
    assert!(layers_made * width as u64 > nodes * 9 / 10, "{layers_made}");
    assert!(layers.trace().bytes() <= Trace::bytes_of(settings));
}
