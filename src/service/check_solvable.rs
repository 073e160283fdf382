//! `CheckSolvable`: parity only, so it needs neither a search nor the pool.

use tonic::{Request, Status};

use super::call::Call;
use super::{Puzzles, convert, proto, solve};

/// Answers up to this size are not accounted for: a call takes as much by itself.
const SMALL: u64 = 4 << 10;

pub(super) fn check_solvable(
    puzzles: &Puzzles,
    request: &Request<proto::CheckSolvableRequest>,
) -> Result<proto::CheckSolvableResponse, Status> {
    let call = Call::of(request);
    solve::note_board(&call, request.get_ref().board.as_ref());
    let (start, goal) = convert::read_check(request, puzzles.max_side)?;
    let response = convert::check_response(&start, &goal);
    let bytes = bytes(&response);
    if bytes > SMALL {
        solve::reserve(puzzles, &call, bytes)?;
    }
    call.note(|record| {
        record.answer = Some(if response.solvable {
            "solvable"
        } else {
            "unsolvable"
        });
    });
    Ok(response)
}

/// The bytes of a response that may grow with the board: its cycles.
fn bytes(response: &proto::CheckSolvableResponse) -> u64 {
    /// A cycle in its list, and the least that the allocator gives its tiles.
    const CYCLE: usize = size_of::<proto::Cycle>() + 32;
    let cycles = response.parity.iter().flat_map(|parity| &parity.cycles);
    let bytes = cycles.map(|cycle| CYCLE + size_of_val(&cycle.tiles[..]));
    bytes.sum::<usize>() as u64
}
