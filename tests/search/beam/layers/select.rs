//! Which children are kept.

use std::sync::atomic::{AtomicUsize, Ordering};

use loyd::puzzle::Dice;
use loyd::search::beam::{Estimate, Hashes, Lane, Layers, Mark, Settings, State, Trace};

use super::{FirstTwo, Stair, tiles};
use crate::support::{random_problem, shape};

/// As far from home as ever until it is there: no prediction can be any better.
struct Plateau(FirstTwo);

impl Estimate for Plateau {
    const UNIT: i32 = 16;
    type Tile = u8;
    type Value = i32;

    fn root(&self, tiles: &[u8]) -> i32 {
        100 * self.0.root(tiles).min(1)
    }

    fn child(&self, lane: Lane) -> impl Fn(&[u8], i32, usize) -> Option<i32> {
        let child = self.0.child(lane);
        move |tiles, value, tile| Some(100 * child(tiles, value, tile)?.min(1))
    }

    fn foreseen(&self, _lane: Lane) -> impl Fn(i32, usize) -> i32 {
        |value, _| value
    }

    fn rank(&self, value: i32) -> i32 {
        value
    }

    fn completes(&self, value: i32, _hash: u64) -> bool {
        value == 0
    }
}

#[test]
fn a_layer_of_which_nothing_was_expected_is_looked_at_after_all() {
    let problem = random_problem(shape(3, 3), 8, &mut Dice::new(5));
    let shape = problem.shape();
    let mut layers = Layers::new(
        shape,
        Plateau(FirstTwo::new(shape)),
        Hashes::new(shape, 1),
        Settings::new(20, 200),
        Trace::new(),
    );
    layers.add_root(&tiles(problem.start()), 0, Mark::ROOT);
    while layers.completed().len() < 10 {
        assert_ne!(layers.advance(64), State::Over, "after {}", layers.depth());
    }
    assert!(layers.depth() > 5, "{}", layers.depth());
}

#[test]
fn of_children_that_are_all_alike_one_stays_at_least() {
    let problem = random_problem(shape(8, 8), 63, &mut Dice::new(6));
    let shape = problem.shape();
    for seed in 0..10 {
        let mut layers = Layers::new(
            shape,
            Plateau(FirstTwo::new(shape)),
            Hashes::new(shape, seed),
            Settings::new(1, 200),
            Trace::new(),
        );
        layers.add_root(&tiles(problem.start()), 0, Mark::ROOT);
        let state = layers.advance(u64::MAX);
        assert!(state == State::Completed || layers.depth() > 200, "{seed}");
    }
}

#[test]
fn layers_stay_wide_when_less_comes_of_them_than_was_expected() {
    let problem = random_problem(shape(6, 6), 35, &mut Dice::new(9));
    let width = 1000;
    let mut layers = Layers::new(
        problem.shape(),
        Stair,
        Hashes::new(problem.shape(), 1),
        Settings::new(width, 60),
        Trace::new(),
    );
    layers.add_root(&tiles(problem.start()), 0, Mark::ROOT);
    let mut depth = 0;
    while layers.advance(64) != State::Over {
        if layers.depth() > depth {
            depth = layers.depth();
            let nodes = layers.nodes();
            let is_wide = (width * 7 / 8..=width).contains(&nodes);
            assert!(depth < 15 || is_wide, "{nodes} after {depth}");
        }
    }
    assert!(depth >= 60, "{depth}");
}

/// Ranks mean something else in each layer.
#[derive(Default)]
struct Shifting {
    shift: i32,
    /// How many boards were ranked.
    ranked: AtomicUsize,
    /// The boards announced of the next layer, and of the present one.
    noted: usize,
    layer: usize,
}

impl Estimate for Shifting {
    const UNIT: i32 = 32;
    type Tile = u8;
    type Value = i32;

    fn root(&self, _tiles: &[u8]) -> i32 {
        0
    }

    fn child(&self, lane: Lane) -> impl Fn(&[u8], i32, usize) -> Option<i32> {
        move |tiles, _, tile| {
            Some(((7 * tile + 13 * lane.from + usize::from(tiles[3])) % 64) as i32)
        }
    }

    fn rank(&self, value: i32) -> i32 {
        self.ranked.fetch_add(1, Ordering::Relaxed);
        value + self.shift
    }

    fn completes(&self, _value: i32, _hash: u64) -> bool {
        false
    }

    fn note(&mut self, values: impl Iterator<Item = i32>) {
        self.noted += values.count();
    }

    fn next_layer(&mut self) -> bool {
        self.shift += 10;
        self.layer = std::mem::take(&mut self.noted);
        true
    }
}

#[test]
fn a_wide_layer_that_is_ranked_anew_takes_many_slices() {
    let problem = random_problem(shape(6, 6), 35, &mut Dice::new(9));
    let width = 4000;
    let mut layers = Layers::new(
        problem.shape(),
        Shifting::default(),
        Hashes::new(problem.shape(), 1),
        Settings::new(width, 30),
        Trace::new(),
    );
    layers.add_root(&tiles(problem.start()), 0, Mark::ROOT);
    let (mut depth, mut ranked) = (0, 0);
    while layers.advance(1) != State::Over {
        let now = layers.estimate().ranked.load(Ordering::Relaxed);
        assert!(now - ranked < width / 4, "{} at once", now - ranked);
        ranked = now;
        if layers.depth() > depth {
            depth = layers.depth();
            assert_eq!(layers.estimate().layer, layers.nodes(), "after {depth}");
        }
    }
    assert_eq!((depth, layers.nodes()), (31, width));
}
