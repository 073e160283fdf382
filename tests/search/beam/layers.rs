//! The machine that makes layers, with the tests' own estimates.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicUsize, Ordering};

use loyd::heuristic::Tiles;
use loyd::puzzle::{Board, Dice, Problem, Shape};
use loyd::search::beam::{
    self, BoardOf, Estimate, Hashes, Lane, Layers, Mark, Settings, State, Tile, Trace,
};

use crate::support::{random_problem, shape, walk};

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

#[test]
fn roots_enter_at_their_depth_and_ways_go_on_from_theirs() {
    let problem = random_problem(shape(3, 4), 11, &mut Dice::new(8));
    let start: Vec<u8> = tiles(problem.start());
    let mut first = first_two(&problem, Trace::new());
    first.add_root(&start, 0, Mark::ROOT);
    while first.completed().len() < 20 {
        assert_ne!(first.advance(64), State::Over);
    }
    let (completed, trace, _) = first.finish();
    // The same again, from the boards that have both tiles at home: these are complete already.
    let mut second = first_two(&problem, trace);
    for node in 0..completed.len() {
        let head = completed.head(node);
        second.add_root(completed.tiles(node), head.depth, head.mark);
    }
    assert_eq!(second.completed().len(), completed.len());
    for node in 0..completed.len() {
        let head = second.completed().head(node);
        let mut board = problem.start().clone();
        let moves = second.trace().moves(head.mark);
        assert_eq!(moves.len(), head.depth as usize);
        for slide in moves {
            assert!(board.slide(slide));
        }
        assert_eq!(tiles::<u8>(&board), second.completed().tiles(node));
        assert_eq!(problem.start().shape(), board.shape());
        assert!((0..2).all(|cell| usize::from(board.tile(cell)) == cell + 1));
    }
}

#[test]
fn a_deep_root_waits_for_its_layer() {
    let problem = walk(shape(3, 3), 8, 40, &mut Dice::new(12));
    let start: Vec<u8> = tiles(problem.start());
    let mut alone = first_two(&problem, Trace::new());
    alone.add_root(&start, 7, Mark::ROOT);
    while alone.advance(1) == State::Working {}
    let mut twice = first_two(&problem, Trace::new());
    twice.add_root(&start, 3, Mark::ROOT);
    twice.add_root(&start, 7, Mark::ROOT);
    while twice.advance(1) == State::Working {}
    let depth = |layers: &Layers<FirstTwo>| layers.completed().head(0).depth;
    assert_eq!(depth(&alone), depth(&twice) + 4);
}

/// Boards from which no slide is allowed.
struct DeadEnd;

impl Estimate for DeadEnd {
    const UNIT: i32 = 1;
    type Tile = u8;
    type Value = ();

    fn root(&self, _tiles: &[u8]) {}

    fn child(&self, _lane: Lane) -> impl Fn(&[u8], (), usize) -> Option<()> {
        |_, (), _| None
    }

    fn rank(&self, (): ()) -> i32 {
        0
    }

    fn completes(&self, (): (), _hash: u64) -> bool {
        false
    }
}

#[test]
fn roots_that_have_been_seen_are_no_end() {
    let problem = random_problem(shape(3, 3), 8, &mut Dice::new(5));
    let shape = problem.shape();
    let (hashes, settings) = (Hashes::new(shape, 1), Settings::new(500, 60));
    let mut layers = Layers::new(shape, DeadEnd, hashes, settings, Trace::new());
    let [first, last] = [problem.start(), &problem.goal()].map(tiles);
    layers.add_root(&first, 0, Mark::ROOT);
    layers.add_root(&first, 3, Mark::ROOT);
    layers.add_root(&last, 5, Mark::ROOT);
    while layers.advance(1) == State::Working {}
    assert_eq!(layers.counts().0, 2);
}

#[test]
fn what_was_made_before_the_first_root_does_not_count_for_what_is_to_come() {
    let problem = random_problem(shape(3, 4), 11, &mut Dice::new(8));
    let rest_after = |depth| {
        let shape = problem.shape();
        let (hashes, settings) = (Hashes::new(shape, 1), Settings::new(5, 500_000));
        let mut layers = Layers::new(
            shape,
            FirstTwo::<u8>::new(shape),
            hashes,
            settings,
            Trace::new(),
        );
        layers.add_root(&tiles(problem.start()), depth, Mark::ROOT);
        layers.advance(20);
        assert!(layers.depth() > depth);
        layers.rest()
    };
    assert_eq!(rest_after(400_000), rest_after(0));
}

#[test]
fn a_search_that_begins_deep_is_not_stuck_from_the_beginning() {
    let problem = random_problem(shape(3, 4), 11, &mut Dice::new(8));
    let start: Vec<u8> = tiles(problem.start());
    let mut layers = first_two(&problem, Trace::new());
    let boards = |cell| {
        let mut board = start.clone();
        board.swap(cell, 11 - cell);
        board
    };
    for board in (0..5).map(boards) {
        layers.add_root(&board, 55, Mark::ROOT);
    }
    for _ in 0..40 {
        layers.advance(1);
        assert!(!layers.is_stuck(), "at {}", layers.depth());
    }
    assert!(layers.depth() > 55);
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
