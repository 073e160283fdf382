//! The gRPC service.
//!
//! The top layer of the library. It turns requests into questions for the engine, and the results
//! into responses. Each call has a file. `convert` reads and writes messages; only `status` makes
//! statuses. `server` assembles what a call passes through, `connection` brings calls in and
//! bounds what a peer may do, `access` decides who may call, and `drain` ends it all.

mod access;
mod apart;
mod call;
mod caught;
mod check_solvable;
mod connection;
mod convert;
mod drain;
mod generate;
mod hands;
mod health;
mod line;
mod load;
mod observe;
mod peer;
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
pub use connection::{Answers, End, Flood, Frames, Gather, Places, Transport};
pub use health::Health;
pub use observe::Observe;
pub use peer::{Exchange, Inline, Lack, Patience, Peer, Shortage, UnderWay};
pub use server::{ServeError, Server};
pub use status::code_name;

use proto::puzzle_service_server::PuzzleService;
use solve_stream::Events;

/// The largest response in bytes. By default clients refuse larger ones.
pub const MAX_RESPONSE_BYTES: usize = 4 << 20;

/// The calls of the contract, answered by an engine.
#[derive(Clone, Debug)]
pub struct Puzzles {
    engine: Arc<Engine>,
    /// The longest allowed side of a board.
    max_side: usize,
    weights: Arc<HashMap<String, NonZeroU32>>,
}

impl Puzzles {
    /// Answers with this engine, for boards with sides of at most `max_side`.
    #[must_use]
    pub fn new(engine: Arc<Engine>, max_side: usize) -> Self {
        Self {
            engine,
            max_side,
            weights: Arc::default(),
        }
    }

    /// Sets the weights of clients by name. They override those of the clients' tokens.
    #[must_use]
    pub fn weighing(self, weights: impl IntoIterator<Item = (String, NonZeroU32)>) -> Self {
        Self {
            weights: Arc::new(weights.into_iter().collect()),
            ..self
        }
    }

    /// The client that made a call, if known.
    fn client<T>(&self, request: &Request<T>) -> Option<Client> {
        let extensions = request.extensions();
        let name = extensions.get::<Identity>()?.name();
        let by_token = || extensions.get().copied().map(Weight::get);
        let weight = self.weights.get(&**name).copied().or_else(by_token);
        Some(Client {
            name: Arc::clone(name),
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
