//! A running service and requests for it.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::time::Duration;

use clap::Parser;
use loyd::config::ServeConfig;
use loyd::puzzle::{Board, Dice, Direction};
use loyd::service::proto;
use loyd::service::proto::puzzle_service_client::PuzzleServiceClient;
use loyd::service::{ServeError, Server};
use tokio::sync::oneshot;
use tokio::task::{JoinHandle, JoinSet};
use tonic::transport::Channel;
use tonic::{Code, Request, Response, Status};
use tonic_types::{ErrorDetails, StatusExt};

use crate::support::{goal, random_problem, shape};

/// Longer than anything takes, even on a slow machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    serve: ServeConfig,
}

/// A service on a port of its own. It ends with the test.
pub(crate) struct Service {
    pub(crate) address: SocketAddr,
    shutdown: oneshot::Sender<()>,
    run: JoinHandle<()>,
}

impl Service {
    pub(crate) async fn start() -> Self {
        Self::with(&[]).await
    }

    /// A service with flags beside the defaults.
    pub(crate) async fn with(flags: &[&str]) -> Self {
        let server = try_start(flags).await.unwrap();
        let (shutdown, signal) = oneshot::channel();
        Self {
            address: server.address(),
            shutdown,
            run: tokio::spawn(server.run(async {
                let _ = signal.await;
            })),
        }
    }

    pub(crate) async fn channel(&self) -> Channel {
        Channel::from_shared(format!("http://{}", self.address))
            .unwrap()
            .connect()
            .await
            .unwrap()
    }

    pub(crate) async fn client(&self) -> PuzzleServiceClient<Channel> {
        PuzzleServiceClient::new(self.channel().await)
    }

    /// Tells the service to shut down. The result completes when it has.
    pub(crate) fn shut_down(self) -> JoinHandle<()> {
        self.shutdown.send(()).unwrap();
        self.run
    }
}

/// A server that is not running yet.
pub(crate) async fn try_start(flags: &[&str]) -> Result<Server, ServeError> {
    Server::start(settings(flags)).await
}

/// The settings of a server with flags beside the defaults.
pub(crate) fn settings(flags: &[&str]) -> ServeConfig {
    let mut all = vec!["loyd"];
    if !flags.contains(&"--listen") {
        all.extend(["--listen", "127.0.0.1:0"]);
    }
    if !flags.contains(&"--workers") {
        all.extend(["--workers", "2"]);
    }
    // Tests neither wait for large tables nor write to the user's folders.
    if !flags.contains(&"--table-memory") {
        all.extend(["--table-memory", "4M"]);
    }
    if !flags.contains(&"--table-dir") {
        all.extend([
            "--table-dir",
            concat!(env!("CARGO_TARGET_TMPDIR"), "/tables"),
        ]);
    }
    all.extend(flags);
    Arguments::parse_from(all).serve
}

/// Awaits a future that must complete.
pub(crate) async fn in_time<F: Future>(future: F) -> F::Output {
    let waited = tokio::time::timeout(PATIENCE, future).await;
    waited.expect("it comes in time")
}

pub(crate) fn square(tiles: &[u32]) -> proto::Board {
    proto::Board {
        rows: 0,
        columns: 0,
        tiles: tiles.to_vec(),
    }
}

pub(crate) fn wire(board: &Board) -> proto::Board {
    proto::Board {
        rows: board.shape().rows() as u32,
        columns: board.shape().columns() as u32,
        tiles: board.tiles().map(u32::from).collect(),
    }
}

pub(crate) fn read(board: &proto::Board) -> Board {
    let shape = shape(board.rows as usize, board.columns as usize);
    Board::new(shape, &board.tiles).unwrap()
}

/// One of the two boards of 3×3 that need 31 moves.
pub(crate) fn hardest() -> proto::Board {
    square(&[8, 6, 7, 2, 5, 4, 3, 0, 1])
}

/// A uniformly random solvable board for the default goal.
pub(crate) fn any_board(rows: usize, columns: usize, seed: u64) -> Board {
    let shape = shape(rows, columns);
    random_problem(shape, shape.cells() - 1, &mut Dice::new(seed))
        .start()
        .clone()
}

/// Asks with the default settings.
pub(crate) fn ask(board: proto::Board) -> proto::SolveRequest {
    proto::SolveRequest {
        board: Some(board),
        ..proto::SolveRequest::default()
    }
}

pub(crate) fn ask_for(objective: proto::Objective, board: &Board) -> proto::SolveRequest {
    proto::SolveRequest {
        objective: objective.into(),
        ..ask(wire(board))
    }
}

/// A 3×3 board that a worker searches. By its table it would be answered on the caller's thread,
/// even when the pool is full.
pub(crate) fn searched(number: u64) -> proto::SolveRequest {
    proto::SolveRequest {
        method: Some(proto::Method {
            algorithm: proto::Algorithm::IdaStar.into(),
            ..proto::Method::default()
        }),
        ..ask_for(proto::Objective::Optimal, &any_board(3, 3, number))
    }
}

/// A proof that no machine finds within a test, a different one for each number.
pub(crate) fn hopeless(number: u64) -> proto::SolveRequest {
    ask_for(proto::Objective::Optimal, &any_board(5, 5, 100 + number))
}

pub(crate) fn milliseconds(milliseconds: u64) -> prost_types::Duration {
    prost_types::Duration {
        seconds: (milliseconds / 1_000) as i64,
        nanos: (milliseconds % 1_000) as i32 * 1_000_000,
    }
}

pub(crate) fn directions(moves: &[i32]) -> Vec<Direction> {
    moves
        .iter()
        .map(|&direction| match proto::Direction::try_from(direction) {
            Ok(proto::Direction::Up) => Direction::Up,
            Ok(proto::Direction::Down) => Direction::Down,
            Ok(proto::Direction::Left) => Direction::Left,
            Ok(proto::Direction::Right) => Direction::Right,
            other => panic!("{other:?} is no direction"),
        })
        .collect()
}

/// Plays the moves and compares the tiles and boards that came with them, if any did.
pub(crate) fn play(board: &mut Board, moves: &[i32], tiles: &[u32], boards: &[proto::Board]) {
    for (index, direction) in directions(moves).into_iter().enumerate() {
        let blank = board.blank();
        assert!(board.slide(direction), "move {index}");
        if !tiles.is_empty() {
            assert_eq!(tiles[index], u32::from(board.tile(blank)));
        }
        if !boards.is_empty() {
            assert_eq!(boards[index], wire(board));
        }
    }
    assert!(tiles.is_empty() || tiles.len() == moves.len());
    assert!(boards.is_empty() || boards.len() == moves.len());
}

/// Plays a solution and checks that it ends at the goal.
pub(crate) fn check_solution(start: &Board, target: &Board, solution: &proto::Solution) {
    let mut board = start.clone();
    play(
        &mut board,
        &solution.moves,
        &solution.tiles,
        &solution.boards,
    );
    assert_eq!(board, *target);
    assert_eq!(solution.length as usize, solution.moves.len());
    assert!(solution.lower_bound <= solution.length);
    assert_eq!(solution.optimal, solution.lower_bound == solution.length);
}

/// The default goal.
pub(crate) fn solved(board: &Board) -> Board {
    goal(board.shape(), board.shape().cells() - 1)
}

/// The code, reason and metadata of an error, which all errors have.
pub(crate) fn reason(status: &Status) -> (Code, String, HashMap<String, String>) {
    let details = status.get_error_details();
    let info = details.error_info().expect("every error has its reason");
    assert_eq!(info.domain, "loyd");
    (status.code(), info.reason.clone(), info.metadata.clone())
}

/// Asserts an error's code and reason.
#[track_caller]
pub(crate) fn assert_reason(status: &Status, code: Code, expected: &str) {
    let (is_code, is_reason, _) = reason(status);
    assert_eq!((is_code, is_reason.as_str()), (code, expected), "{status}");
}

/// The trailer that controls a client's retry policy.
pub(crate) const PUSHBACK: &str = "grpc-retry-pushback-ms";

/// Asserts the reason of an error for which retrying is useless. It has the code of an overload,
/// after which clients retry by themselves.
#[track_caller]
pub(crate) fn assert_for_ever(status: &Status, expected: &str) {
    assert_reason(status, Code::ResourceExhausted, expected);
    assert_eq!(status.metadata().get(PUSHBACK).unwrap(), "-1");
}

/// Asserts that an error says in both ways when to retry, and returns the delay.
#[track_caller]
pub(crate) fn retry_delay(status: &Status) -> Duration {
    let details = status.get_error_details();
    let delay = details.retry_info().unwrap().retry_delay.unwrap();
    let pushback = status.metadata().get(PUSHBACK).unwrap();
    assert_eq!(pushback.to_str().unwrap(), delay.as_millis().to_string());
    delay
}

/// The fields that an error reports, in order.
#[track_caller]
pub(crate) fn violated(status: &Status) -> Vec<String> {
    assert_reason(status, Code::InvalidArgument, "INVALID_REQUEST");
    let details: ErrorDetails = status.get_error_details();
    let bad_request = details.bad_request().expect("the fields at fault");
    let violations = &bad_request.field_violations;
    assert!(violations.iter().all(|fault| !fault.description.is_empty()));
    violations.iter().map(|fault| fault.field.clone()).collect()
}

/// The proofs of one client that are in progress.
pub(crate) type Proofs = JoinSet<Result<Response<proto::SolveResponse>, Status>>;

/// Asks for as many proofs at once.
pub(crate) async fn ask_for_proofs(
    service: &Service,
    count: u64,
    proof: impl Fn(u64) -> Request<proto::SolveRequest>,
) -> Proofs {
    let client = service.client().await;
    let mut proofs = JoinSet::new();
    for number in 0..count {
        let (mut client, request) = (client.clone(), proof(number));
        proofs.spawn(async move { client.solve(request).await });
    }
    proofs
}

/// Waits until all but this many are refused because they exceed the client's share.
pub(crate) async fn refused_but(places: usize, proofs: &mut Proofs) {
    for _ in places..proofs.len() {
        let refused = in_time(proofs.join_next()).await.unwrap().unwrap();
        let status = refused.unwrap_err();
        assert_reason(&status, Code::ResourceExhausted, "OVERLOADED");
        assert!(status.message().contains("share"), "{status}");
    }
}

/// Checks that no remaining proof is refused, and ends them.
pub(crate) async fn keep_their_places(proofs: &mut Proofs) {
    let more = tokio::time::timeout(Duration::from_millis(300), proofs.join_next()).await;
    assert!(more.is_err(), "{more:?}");
    proofs.abort_all();
}
