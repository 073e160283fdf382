//! `Solve`: one solution, whole.

use std::sync::Arc;
use std::time::Duration;

use prost::Message;
use tonic::{Request, Status};

use super::apart::apart;
use super::call::{Call, Noted, Solved};
use super::convert::{self, ReadSolve};
use super::load::Load;
use super::{MAX_RESPONSE_BYTES, Puzzles, proto, status};
use crate::engine::{Best, Failure, Limits, Outcome, expected_moves};
use crate::search::chain::Answer;
use crate::search::plan::Objective;

/// The longest solution that can fit: a move takes a byte on the wire.
const MAX_MOVES: usize = MAX_RESPONSE_BYTES - 64 * 1024;

pub(super) async fn solve(
    puzzles: &Puzzles,
    request: Request<proto::SolveRequest>,
) -> Result<proto::SolveResponse, Status> {
    let call = Call::of(&request);
    note_board(&call, request.get_ref().board.as_ref());
    let read = convert::read_solve(&request, puzzles.max_side)?;
    let bytes = response_bytes(&read);
    let sending = Duration::from_nanos(NANOSECONDS_A_BYTE * bytes);
    let limits = Limits {
        held: bytes,
        ..note_begin(puzzles, &call, &read, sending)
    };
    if convert::cannot_fit(&read) {
        return Err(too_large("even the shortest solution"));
    }
    reserve(puzzles, &call, bytes)?;
    let client = puzzles.client(&request);
    let question = read.question.clone();
    let solving = puzzles.engine.solve(client.as_ref(), question, limits)?;
    let mut solving = Noted::new(solving, call.clone());
    let ended = solving.end().await;
    drop(solving);
    let (outcome, answer) = end(&call, ended)?;

    let moves = answer.solution.len();
    // Do not build what cannot be sent.
    if moves > MAX_MOVES || !convert::may_fit(&read, moves) {
        return Err(too_large(&format!("a solution of {moves} moves")));
    }
    let load = load(&call, &read, moves);
    call.note(|record| record.load = load);
    let its = call.clone();
    apart(&call, move || {
        let response = response(&its, &read, &outcome, &answer)?;
        note_answer(&its, &outcome, &answer);
        Ok(response)
    })
    .await?
}

/// What it takes to write a solution of so many moves. For `BEST`, which has an answer whatever the deadline, it
/// is written in time.
fn load(call: &Call, read: &ReadSolve, moves: usize) -> Load {
    let cells = if read.include.boards {
        read.start.shape().cells()
    } else {
        0
    };
    let timeout = read
        .timeout
        .filter(|_| read.question.objective == Objective::Best);
    let deadline = timeout.and_then(|timeout| call.arrived.checked_add(timeout));
    Load::new(
        moves * (1 + usize::from(read.include.tiles) + cells),
        deadline,
    )
}

/// Builds the response.
fn response(
    call: &Call,
    read: &ReadSolve,
    outcome: &Outcome<Best>,
    answer: &Answer,
) -> Result<proto::SolveResponse, Status> {
    let moves = answer.solution.moves();
    let (tiles, boards) = convert::tiles_and_boards(&mut read.start.clone(), moves, read.include);
    let response = proto::SolveResponse {
        solution: Some(proto::Solution {
            moves: convert::moves(moves),
            tiles,
            boards,
            ..convert::solution(answer.length, outcome.progress.lower_bound)
        }),
        statistics: Some(convert::statistics(
            &outcome.progress,
            &outcome.iterations,
            answer.by,
            outcome.queued,
            call.arrived.elapsed(),
        )),
        stop_reason: convert::stop_reason(outcome.reason).into(),
    };
    if response.encoded_len() > MAX_RESPONSE_BYTES {
        return Err(too_large(&format!("a solution of {} moves", moves.len())));
    }
    Ok(response)
}

/// Roughly how long it takes to work out, encode and send each of a [response's bytes](response_bytes).
const NANOSECONDS_A_BYTE: u64 = 5;

/// The approximate bytes of a response, as a message and encoded together.
fn response_bytes(read: &ReadSolve) -> u64 {
    /// Five times the largest message, for one that holds only small numbers: each takes four
    /// bytes, and one encoded.
    const LARGEST: u64 = 5 * MAX_RESPONSE_BYTES as u64;
    let shape = read.start.shape();
    let moves = expected_moves(shape).min(MAX_MOVES as u64);
    let mut bytes = 5 * moves;
    if read.include.tiles {
        bytes += 6 * moves;
    }
    if read.include.boards {
        bytes += moves * (6 * shape.cells() as u64 + 64);
    }
    bytes.min(LARGEST)
}

fn too_large(solution: &str) -> Status {
    status::too_large(
        &format!("{solution}, with everything requested,"),
        "use SolveStream, which sends it in chunks",
    )
}

/// Records the size of a board for the log, before the board is validated.
pub(super) fn note_board(call: &Call, board: Option<&proto::Board>) {
    call.note(|record| record.shape = convert::declared_shape(board));
}

/// Reserves memory for the answer of a call.
pub(super) fn reserve(puzzles: &Puzzles, call: &Call, bytes: u64) -> Result<(), Status> {
    call.keep(puzzles.engine.reserve(bytes)?);
    Ok(())
}

/// Records the request for the log and works out its limits, given how long its answer takes to send.
pub(super) fn note_begin(
    puzzles: &Puzzles,
    call: &Call,
    read: &ReadSolve,
    sending: Duration,
) -> Limits {
    let objective = convert::objective_name(read.question.objective);
    call.note(|record| record.objective = Some(objective));
    Limits::new(
        call.arrived,
        read.wanted,
        read.timeout,
        read.question.objective == Objective::Best,
        sending,
        &puzzles.engine.config().caps,
    )
}

/// Takes the answer from a search that has ended, or records for the log why there is none.
pub(super) fn end(
    call: &Call,
    ended: Result<Outcome<Best>, Failure>,
) -> Result<(Outcome<Best>, Arc<Answer>), Status> {
    let outcome = ended.map_err(|failure| {
        call.note(|record| record.failure = Some(failure.name()));
        status::failed(&failure)
    })?;
    call.note(|record| record.limited = outcome.reason.is_limit());
    let Some(answer) = outcome.found.answer.clone() else {
        return Err(status::defect());
    };
    Ok((outcome, answer))
}

/// Records an answer that can be sent, for the log and the metrics.
pub(super) fn note_answer(call: &Call, outcome: &Outcome<Best>, answer: &Answer) {
    let bound = outcome.progress.lower_bound;
    note_solved(call, answer.solution.len(), answer.length, bound);
}

/// Records a solution for the log and the metrics: its number of slides, and its length in the
/// metric asked for.
pub(super) fn note_solved(call: &Call, slides: usize, length: usize, lower_bound: u32) {
    let elapsed = call.arrived.elapsed();
    call.note(|record| {
        record.answer = Some(if length as u64 <= u64::from(lower_bound) {
            "optimal"
        } else {
            "solved"
        });
        record.length = Some(length);
        record.solved = Some(Solved { slides, elapsed });
    });
}
