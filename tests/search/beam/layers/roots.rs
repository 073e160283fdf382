//! Boards that layers begin with.

use loyd::puzzle::Dice;
use loyd::search::beam::{Estimate, Hashes, Lane, Layers, Mark, Settings, State, Trace};

use super::{FirstTwo, first_two, tiles};
use crate::support::{random_problem, shape, walk};

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
