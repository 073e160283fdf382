//! The gRPC service.
//!
//! The top floor of the library: turns requests into questions for the engine, and what comes
//! of them into responses. One file for each call; `convert` reads and writes messages, `status`
//! alone knows codes. `server` puts together what a call goes through, `listener` and `connection`
//! bring it here and bound what a peer may do, `drain` ends it all.

mod access;
mod apart;
mod call;
mod caught;
mod check_solvable;
mod connection;
mod convert;
mod drain;
mod generate;
mod health;
mod observe;
mod server;
mod solve;
mod solve_stream;
mod status;

pub mod proto;
pub mod timeout;

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::Arc;

use tonic::{Request, Response, Status};

use crate::engine::{Client, Engine};

pub use access::{Identify, Identity, Weight, tokens};
pub use connection::{Answers, End, Flood, Frames, Gather, Inline, Transport, UnderWay};
pub use observe::Observe;
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
    /// The longest side of a board.
    max_side: usize,
    weights: Arc<HashMap<String, NonZeroU32>>,
}

impl Puzzles {
    /// Answers by this engine, for boards whose sides are no longer than that.
    #[must_use]
    pub fn new(engine: Arc<Engine>, max_side: usize) -> Self {
        Self {
            engine,
            max_side,
            weights: Arc::default(),
        }
    }

    /// The same, with the weights of the clients that weigh more than 1.
    #[must_use]
    pub fn weighing(self, weights: impl IntoIterator<Item = (String, NonZeroU32)>) -> Self {
        Self {
            weights: Arc::new(weights.into_iter().collect()),
            ..self
        }
    }

    /// Whose call it is, if that is known.
    fn client<T>(&self, request: &Request<T>) -> Option<Client> {
        let extensions = request.extensions();
        let name = extensions.get::<Identity>()?.as_str();
        let by_token = || {
            let weight = extensions.get::<Weight>()?.get();
            NonZeroU32::new(weight.into())
        };
        let weight = self.weights.get(name).copied().or_else(by_token);
        Some(Client {
            name: name.into(),
            weight: weight.unwrap_or(NonZeroU32::MIN),
        })
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
