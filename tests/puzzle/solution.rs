//! Solutions are replayed, whole or piece by piece.

use loyd::puzzle::Direction::{Down, Left, Right, Up};
use loyd::puzzle::notation::parse_moves;
use loyd::puzzle::{Dice, Problem, Recording, Replay, ReplayError};

use crate::{board, shuffle, solved};

/// 1 2 3 / 4 5 6 / 0 7 8: two moves from the goal.
fn problem() -> Problem {
    Problem::new(&board("1 2 3 / 4 5 6 / 0 7 8"), &solved(3, 3)).expect("solvable")
}

#[test]
fn moves_that_reach_the_goal_are_a_solution() {
    let solution = problem().replay(vec![Left, Left]).expect("solved");
    assert_eq!(solution.moves(), [Left, Left]);
    assert_eq!(solution.len(), 2);
    assert!(!solution.is_empty());
    assert_eq!(solution.into_moves(), [Left, Left]);
}

#[test]
fn a_solved_board_needs_no_moves() {
    let solved = Problem::new(&solved(3, 3), &solved(3, 3)).expect("solvable");
    let solution = solved.replay(vec![]).expect("solved already");
    assert!(solution.is_empty());
    assert_eq!(solution.len(), 0);
}

#[test]
fn moves_over_the_edge_are_refused_by_their_index() {
    for (moves, index) in [
        (vec![Up], 0),
        (vec![Right], 0),
        (vec![Left, Left, Left], 2),
        (vec![Left, Down, Down, Down, Left], 3),
    ] {
        assert_eq!(problem().replay(moves), Err(ReplayError::Edge { index }));
    }
}

#[test]
fn moves_that_end_elsewhere_are_refused() {
    for moves in [vec![], vec![Left], vec![Left, Left, Right], vec![Down, Up]] {
        let length = moves.len();
        assert_eq!(
            problem().replay(moves),
            Err(ReplayError::NotTheGoal { length })
        );
    }
}

#[test]
fn a_solution_can_pass_the_goal_and_return() {
    let moves = parse_moves("LLRLDU").expect("moves");
    assert_eq!(problem().replay(moves).expect("solved").len(), 6);
}

#[test]
fn pieces_of_a_solution_are_played_one_after_the_other() {
    let mut replay = Replay::new(&problem());
    assert_eq!(replay.finish(), Err(ReplayError::NotTheGoal { length: 0 }));
    assert_eq!(replay.play(&[Left]), Ok(()));
    assert_eq!(replay.finish(), Err(ReplayError::NotTheGoal { length: 1 }));
    assert_eq!(replay.play(&[]), Ok(()));
    assert_eq!(replay.play(&[Left]), Ok(()));
    assert_eq!(replay.finish(), Ok(()));
    assert_eq!(replay.played(), 2);
    // The index of the bad move counts over all pieces, and the moves before it stay played.
    assert_eq!(
        replay.play(&[Down, Up, Up]),
        Err(ReplayError::Edge { index: 4 })
    );
    assert_eq!(replay.played(), 4);
    assert_eq!(replay.finish(), Ok(()));
}

#[test]
fn a_long_solution_is_the_same_in_pieces_as_whole() {
    let goal = solved(128, 128);
    let mut start = goal.clone();
    let moves = shuffle(&mut start, 100_000, &mut Dice::new(4));
    let problem = Problem::new(&start, &goal).expect("moves lead back");
    let mut replay = Replay::new(&problem);
    for piece in moves.chunks(256) {
        assert_eq!(replay.play(piece), Ok(()));
    }
    assert_eq!(replay.played(), 100_000);
    assert_eq!(replay.finish(), Ok(()));
    assert_eq!(problem.replay(moves).expect("solved").len(), 100_000);
}

#[test]
fn a_recording_holds_little_more_than_its_moves() {
    for moves in [2, 20, 500] {
        let run = [Left, Right].repeat(moves / 2);
        let mut recording = Recording::new(&problem());
        for played in (moves..20_000).step_by(moves) {
            recording.play(&run).expect("moves to and fro");
            let bytes = recording.bytes();
            let most = played + (played / 8).max(64).max(moves);
            assert!((played..=most).contains(&bytes), "{bytes} for {played}");
        }
    }
}
