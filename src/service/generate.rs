//! `Generate`: boards by seed.

use std::time::Duration;

use tonic::{Request, Status};

use super::apart::apart;
use super::call::{Call, Noted};
use super::convert::{self, Kind, ReadGenerate};
use super::load::Load;
use super::{Puzzles, proto, solve, status};
use crate::engine::rank::Rank;
use crate::engine::{Client, Limits};
use crate::search::Search;
use crate::search::generate::batch::Batch;
use crate::search::generate::difficulty::Generated;
use crate::search::generate::drawing::{Drawing, Drawn};

/// The bytes of a cell of a board: as drawn, in the message, and encoded, with some overhead for
/// each board.
const BYTES_PER_CELL: u64 = 16;

pub(super) async fn generate(
    puzzles: &Puzzles,
    request: Request<proto::GenerateRequest>,
) -> Result<proto::GenerateResponse, Status> {
    let call = Call::of(&request);
    let client = puzzles.client(&request);
    let client = client.as_ref();
    let read = convert::read_generate(&request, puzzles.max_side)?;
    let caps = puzzles.engine.config().caps;
    let limits = Limits::new(
        call.arrived,
        read.wanted,
        read.timeout,
        false,
        Duration::ZERO,
        &caps,
    );
    call.note(|record| record.shape = Some(read.goal.shape()));
    let cells = read.count * read.goal.shape().cells() as u64;
    solve::reserve(puzzles, &call, BYTES_PER_CELL * cells)?;

    let seed = match read.seed {
        Some(seed) => seed,
        None => getrandom::u64().map_err(|_| status::defect())?,
    };
    let ReadGenerate {
        goal, count, kind, ..
    } = read;
    let load = Load::new(usize::try_from(cells).unwrap_or(usize::MAX), None);
    call.note(|record| record.load = load);
    let boards = match kind {
        Kind::Draw(draw) => {
            let rank = Rank::of_first_answer(goal.shape());
            let search = Batch::new(seed, count, move |seed| {
                Drawing::new(goal.clone(), draw, seed)
            });
            let board = |drawn: Drawn| proto::GeneratedBoard {
                board: Some((&drawn.board).into()),
                seed: drawn.seed,
                optimal_length: None,
                solution: None,
            };
            drawn(puzzles, &call, client, rank, search, limits, board).await?
        }
        Kind::Difficulty(range) => {
            let rank = Rank::of_difficulty(range.max());
            let search = puzzles.engine.difficulty(goal, range, seed, count);
            let board = |found: Generated| proto::GeneratedBoard {
                board: Some((&found.board).into()),
                seed: found.seed,
                optimal_length: Some(found.solution.len() as u32),
                solution: Some(proto::Solution {
                    moves: convert::moves(found.solution.moves()),
                    ..convert::solution(found.solution.len(), found.solution.len() as u32)
                }),
            };
            drawn(puzzles, &call, client, rank, search, limits, board).await?
        }
    };
    call.note(|record| record.answer = Some("generated"));
    Ok(proto::GenerateResponse { seed, boards })
}

/// Runs a search for boards to its end, and writes each that it found for the message.
async fn drawn<S>(
    puzzles: &Puzzles,
    call: &Call,
    client: Option<&Client>,
    rank: Rank,
    search: S,
    limits: Limits,
    board: impl Fn(S::Found) -> proto::GeneratedBoard + Send + 'static,
) -> Result<Vec<proto::GeneratedBoard>, Status>
where
    S: Search + 'static,
    S::Found: Clone + Send + Sync + 'static,
{
    let waiting = puzzles.engine.draw(client, rank, search, limits)?;
    let mut waiting = Noted::new(waiting, call.clone());
    let outcome = waiting.end().await.map_err(|failure| {
        call.note(|record| record.failure = Some(failure.name()));
        status::not_drawn(&failure)
    })?;
    drop(waiting);
    let boards = outcome.found.into_iter();
    apart(call, move || boards.map(board).collect()).await
}
