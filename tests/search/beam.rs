use std::marker::PhantomData;
use std::sync::Arc;

use loyd::heuristic::Tiles;
use loyd::heuristic::learned::{Rows, Weights};
use loyd::puzzle::{Board, Dice, Problem, Shape};
use loyd::search::beam::{
    self, Beam, BoardOf, End, Estimate, Hashes, Lane, Layers, Mark, Settings, State, Tile, Trace,
};
use loyd::search::{Budget, Search, Solver, Step, Stop};

use crate::driving::run_sliced;
use crate::support::{all_distances, any_cell, random_problem, shape, walk};

fn beam(problem: &Problem, width: usize, seed: u64) -> Solver {
    Box::new(Beam::bounded(problem, End::Start, width, seed))
}

#[test]
fn a_beam_as_wide_as_the_puzzle_finds_shortest_solutions() {
    for (rows, columns, home) in [(2, 3, 5), (3, 2, 0), (2, 4, 2), (3, 3, 8), (3, 3, 4)] {
        let shape = shape(rows, columns);
        let distances = all_distances(crate::support::goal(shape, home));
        let mut dice = Dice::new(3);
        for _ in 0..20 {
            let problem = random_problem(shape, home, &mut dice);
            let run = run_sliced(beam(&problem, 60_000, 1), Budget::UNLIMITED);
            assert_eq!(run.length() as u32, distances[problem.start()], "{shape}");
            assert_eq!(run.stop, Stop::FirstFound);
        }
    }
}

#[test]
fn slices_change_nothing() {
    let mut dice = Dice::new(4);
    for width in [1, 7, 300] {
        for _ in 0..5 {
            let problem = walk(shape(4, 5), 19, 60, &mut dice);
            let whole = run_sliced(beam(&problem, width, 9), Budget::UNLIMITED);
            for nodes in [1, 64, 1000] {
                let sliced = run_sliced(beam(&problem, width, 9), Budget::nodes(nodes));
                assert_eq!(sliced.found, whole.found);
                assert_eq!(sliced.stop, whole.stop);
            }
        }
    }
}

#[test]
fn a_seed_and_a_width_make_the_solution() {
    let mut dice = Dice::new(5);
    let problem = walk(shape(4, 4), 15, 200, &mut dice);
    let solutions = |seed| run_sliced(beam(&problem, 150, seed), Budget::UNLIMITED).found;
    assert_eq!(solutions(1), solutions(1));
    let differ = (2..20).any(|seed| solutions(seed) != solutions(1));
    assert!(differ, "ties are broken by the seed");
}

#[test]
fn any_home_of_the_blank_and_any_way_up_will_do() {
    let mut dice = Dice::new(6);
    for (rows, columns) in [(2, 5), (5, 2), (3, 4), (4, 3)] {
        let shape = shape(rows, columns);
        for _ in 0..10 {
            let home = any_cell(shape, &mut dice);
            let problem = random_problem(shape, home, &mut dice);
            assert_eq!(
                run_sliced(beam(&problem, 5000, 1), Budget::UNLIMITED)
                    .found
                    .len(),
                1
            );
        }
    }
}

#[test]
fn the_goal_is_solved_by_no_move() {
    let goal = Board::solved(shape(5, 5));
    let problem = Problem::new(&goal, &goal).unwrap();
    assert_eq!(
        run_sliced(beam(&problem, 1, 1), Budget::nodes(1)).length(),
        0
    );
}

#[test]
fn too_narrow_a_beam_gives_up() {
    let problem = random_problem(shape(6, 6), 35, &mut Dice::new(1));
    let run = run_sliced(beam(&problem, 1, 1), Budget::nodes(4096));
    assert_eq!((run.found.len(), run.stop), (0, Stop::Exhausted));
}

#[test]
fn a_beam_keeps_within_the_bytes_it_was_given() {
    let problem = random_problem(shape(5, 5), 24, &mut Dice::new(2));
    for width in [10, 1000] {
        let run = run_sliced(beam(&problem, width, 1), Budget::nodes(512));
        let bytes = beam::bytes(shape(5, 5), width);
        assert!(run.progress.peak_memory <= bytes, "{:?}", run.progress);
        // The trace grows by segments of 64 KB.
        assert!(bytes <= (width as u64 + 10) * 1500 + (1 << 16));
    }
}

#[test]
fn hashes_follow_slides() {
    let shape = shape(3, 5);
    let hashes = Hashes::new(shape, 11);
    let of = |board: &Board| hashes.of(board.tiles().map(usize::from));
    let distances = all_distances(Board::solved(Shape::new(2, 4).unwrap()));
    let narrow = Hashes::new(Shape::new(2, 4).unwrap(), 11);
    let all: std::collections::BTreeSet<u64> = distances
        .keys()
        .map(|board| narrow.of(board.tiles().map(usize::from)))
        .collect();
    assert_eq!(
        all.len(),
        distances.len(),
        "no two boards have the same hash"
    );
    assert_ne!(of(&Board::solved(shape)), 0);
}

/// The tiles 1 and 2 are to stand on their cells; ranks count their distance only.
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
    let (completed, trace) = first.finish();
    // The same again, from the boards that have two tiles at home: they are complete as they are.
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

/// Everything that a machine tells, node by node.
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

/// As far from home as ever, until it is there: nothing that can be foreseen is any better.
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

/// A move better with each layer, give or take one, until the thirtieth: from then on no better at all.
struct Stair;

impl Estimate for Stair {
    const UNIT: i32 = 32;
    type Tile = u8;
    /// The layer, and by how much the board is worse than the best of it.
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

#[test]
fn a_search_that_is_over_stays_over() {
    let problem = random_problem(shape(3, 3), 8, &mut Dice::new(1));
    let mut beam = beam(&problem, 1000, 1);
    while !matches!(beam.advance(Budget::nodes(100)), Step::Done(_)) {}
    assert_eq!(
        beam.advance(Budget::nodes(100)),
        Step::Done(Stop::FirstFound)
    );
}

#[test]
fn the_learned_estimate_solves_5x5_well_from_narrow_beams() {
    let mut dice = Dice::new(13);
    let lengths = (0..10).map(|_| {
        let problem = random_problem(shape(5, 5), 24, &mut dice);
        run_sliced(
            beam::solver(&problem, End::Start, 300, 1).unwrap(),
            Budget::nodes(1000),
        )
        .length()
    });
    // Shortest ones have 100 moves or so; a bound alone finds 126.
    let mean = lengths.sum::<usize>() / 10;
    assert!((90..=108).contains(&mean), "{mean}");
}

#[test]
fn the_learned_estimate_serves_every_home_of_the_blank() {
    let mut dice = Dice::new(14);
    for home in 0..25 {
        let problem = random_problem(shape(5, 5), home, &mut dice);
        let length = run_sliced(
            beam::solver(&problem, End::Start, 300, 1).unwrap(),
            Budget::nodes(1000),
        )
        .length();
        assert!(length < 130, "home {home}: {length}");
    }
}

#[test]
fn the_rows_of_another_shape_are_refused() {
    let problem = random_problem(shape(3, 4), 11, &mut Dice::new(1));
    let rows = Arc::new(Rows::new(Weights::manhattan(shape(3, 5))));
    assert!(Beam::learned(&problem, End::Start, rows, 10, 1).is_none());
}

#[test]
fn boards_of_more_than_256_cells_have_no_such_beam() {
    let goal = Board::solved(shape(16, 17));
    let problem = Problem::new(&goal, &goal).unwrap();
    assert!(beam::solver(&problem, End::Start, 10, 1).is_none());
    assert!(!beam::supports(goal.shape()) && beam::supports(shape(16, 16)));
}

#[test]
fn a_beam_from_the_goal_solves_too() {
    let mut dice = Dice::new(15);
    for (rows, columns) in [(3, 3), (2, 5), (4, 3)] {
        let shape = shape(rows, columns);
        for _ in 0..10 {
            let home = any_cell(shape, &mut dice);
            let problem = walk(shape, home, 30, &mut dice);
            let from = |end| {
                run_sliced(
                    Box::new(Beam::bounded(&problem, end, 200_000, 1)),
                    Budget::UNLIMITED,
                )
            };
            assert_eq!(from(End::Goal).length(), from(End::Start).length());
        }
    }
    let problem = random_problem(shape(5, 5), 24, &mut dice);
    let narrow = |end| {
        run_sliced(
            beam::solver(&problem, end, 300, 1).unwrap(),
            Budget::UNLIMITED,
        )
    };
    assert_ne!(narrow(End::Goal).found, narrow(End::Start).found);
}
