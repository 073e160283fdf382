//! The gRPC service.
//!
//! The top floor of the library: turns requests into questions for the engine, and what comes
//! of them into responses. One file for each call; `convert` reads and writes messages, `status`
//! alone knows codes, `server` listens, watches over the connections and drains.

mod call;
mod check_solvable;
mod convert;
mod generate;
mod observe;
mod peer;
mod server;
mod solve;
mod solve_stream;
mod status;

pub mod proto;

use std::sync::Arc;

use tonic::{Request, Response, Status};

use crate::engine::Engine;

pub use server::{ServeError, Server};
pub use status::code_name;

use proto::puzzle_service_server::PuzzleService;
use solve_stream::Events;

/// The largest response. Clients refuse larger ones unless told otherwise.
pub const MAX_RESPONSE_BYTES: usize = 4 << 20;

/// The calls of the contract, answered by an engine.
#[derive(Clone, Debug)]
pub struct Puzzles {
    engine: Arc<Engine>,
    settings: Settings,
}

/// What the calls need to know beside the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The longest side of a board.
    pub max_side: usize,
}

impl Puzzles {
    /// Answers by this engine.
    #[must_use]
    pub const fn new(engine: Arc<Engine>, settings: Settings) -> Self {
        Self { engine, settings }
    }
}

#[tonic::async_trait]
impl PuzzleService for Puzzles {
    async fn solve(
        &self,
        request: Request<proto::SolveRequest>,
    ) -> Result<Response<proto::SolveResponse>, Status> {
        solve::solve(self, request).await.map(Response::new)
    }

    type SolveStreamStream = Events;

    async fn solve_stream(
        &self,
        request: Request<proto::SolveStreamRequest>,
    ) -> Result<Response<Events>, Status> {
        solve_stream::solve_stream(self, &request).map(Response::new)
    }

    async fn check_solvable(
        &self,
        request: Request<proto::CheckSolvableRequest>,
    ) -> Result<Response<proto::CheckSolvableResponse>, Status> {
        check_solvable::check_solvable(self, &request).map(Response::new)
    }

    async fn generate(
        &self,
        request: Request<proto::GenerateRequest>,
    ) -> Result<Response<proto::GenerateResponse>, Status> {
        generate::generate(self, request).await.map(Response::new)
    }
}
