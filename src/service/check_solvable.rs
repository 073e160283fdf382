//! `CheckSolvable`: parity only, so it needs neither a search nor the pool.

use tonic::{Request, Status};

use super::call::Call;
use super::{Puzzles, convert, proto, solve};

pub(super) fn check_solvable(
    puzzles: &Puzzles,
    request: &Request<proto::CheckSolvableRequest>,
) -> Result<proto::CheckSolvableResponse, Status> {
    let call = Call::of(request);
    solve::note_board(&call, request.get_ref().board.as_ref());
    let (start, goal) = convert::read_check(request, puzzles.max_side)?;
    let response = convert::check_response(&start, &goal);
    call.note(|record| {
        record.answer = Some(if response.solvable {
            "solvable"
        } else {
            "unsolvable"
        });
    });
    Ok(response)
}
