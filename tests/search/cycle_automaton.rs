use loyd::puzzle::{Board, Shape};
use loyd::search::cycle_automaton::CycleAutomaton;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::support::{goal, neighbours, shape};

/// Expands boards together with the automaton's states on the paths to them, layer by layer: every board must
/// first appear in the layer of its true distance.
fn is_sound(shape: Shape, home: usize, length: usize, depth: u32) {
    let automaton = CycleAutomaton::new(shape, length);
    let start = goal(shape, home);
    let mut distances: FxHashMap<Board, u32> = FxHashMap::from_iter([(start.clone(), 0)]);
    let mut layer = vec![start.clone()];
    let mut paths = FxHashSet::from_iter([(start, CycleAutomaton::START)]);
    for distance in 1..=depth {
        let mut next = Vec::new();
        for board in layer {
            for after in neighbours(&board) {
                if !distances.contains_key(&after) {
                    distances.insert(after.clone(), distance);
                    next.push(after);
                }
            }
        }
        layer = next;
        let mut reached = FxHashSet::default();
        for (board, state) in paths {
            for (blank_move, slide) in CycleAutomaton::MOVES.into_iter().enumerate() {
                let mut after = board.clone();
                let state = automaton.after(state, blank_move);
                // Only the shortest paths to a board are of interest.
                if state != CycleAutomaton::PRUNED
                    && after.slide(slide)
                    && distances[&after] == distance
                {
                    reached.insert((after, state));
                }
            }
        }
        let boards: FxHashSet<_> = reached.iter().map(|(board, _)| board).collect();
        assert_eq!(boards.len(), layer.len(), "{shape}, {distance} moves");
        paths = reached;
    }
}

#[test]
fn every_board_is_reached_by_a_shortest_path() {
    for home in [8, 7, 4] {
        is_sound(shape(3, 3), home, 12, 31);
    }
    for home in [7, 5] {
        is_sound(shape(2, 4), home, 13, 36);
    }
    is_sound(shape(3, 4), 11, 12, 18);
    is_sound(shape(4, 4), 10, 10, 13);
}

#[test]
fn the_moves_of_a_state_are_those_that_are_not_pruned() {
    let automaton = CycleAutomaton::new(shape(4, 4), 10);
    let [some, all] = [[true, false, false, true], [true; 4]].map(|first| automaton.start(first));
    for state in (0..automaton.states() as u16).chain([some, all]) {
        for blank_move in 0..4 {
            let is_pruned = automaton.after(state, blank_move) == CycleAutomaton::PRUNED;
            let is_a_move = automaton.moves(state) >> blank_move & 1 == 1;
            assert_ne!(is_pruned, is_a_move, "state {state}, move {blank_move}");
        }
    }
    assert_eq!(automaton.moves(some), 0b1001);
}

#[test]
fn has_so_many_states() {
    let states = |shape, length| CycleAutomaton::new(shape, length).states();
    // With no runs to prune but moves straight back: the start, and a state for each move.
    assert_eq!(states(shape(9, 9), 5), 5);
    // From six moves on there are two ways around four cells.
    for (length, expected) in [(6, 21), (7, 31), (8, 174), (9, 285), (10, 1384)] {
        assert_eq!(states(shape(12, 12), length), expected);
        assert_eq!(states(shape(4, 4), length), expected);
    }
    assert_eq!(states(shape(4, 4), 12), 7435);
}

#[test]
fn leaves_out_the_way_back_and_the_later_way_around() {
    let automaton = CycleAutomaton::new(shape(4, 4), 8);
    let read = |moves: &[usize]| {
        let mut state = CycleAutomaton::START;
        for &blank_move in moves {
            if state != CycleAutomaton::PRUNED {
                state = automaton.after(state, blank_move);
            }
        }
        state
    };
    let (down, right, left, up) = (0, 1, 2, 3);
    for blank_move in [down, right, left, up] {
        assert_eq!(read(&[blank_move, 3 - blank_move]), CycleAutomaton::PRUNED);
    }
    // Twice around less two moves, in one direction and in the other.
    assert_ne!(
        read(&[down, right, up, left, down, right]),
        CycleAutomaton::PRUNED
    );
    assert_eq!(
        read(&[right, down, left, up, right, down]),
        CycleAutomaton::PRUNED
    );
}
