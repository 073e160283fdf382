//! The least that a service takes for an optimal 15-puzzle beside the search: tonic's own server, which
//! hands the board to a thread through a channel and answers with the moves. It has no limits, no
//! deadlines, no metrics and no fairness, and replays nothing.
//!
//! `cargo bench --bench bare -- --table-dir FOLDER` prints its process id and its address, and serves
//! until its input ends. `tests/system/run capacity.py above` compares it with loyd.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use clap::Parser;
use loyd::config::cores;
use loyd::engine::guide_builder::GuideBuilder;
use loyd::engine::table_store::{IDLE, TableStore};
use loyd::heuristic::pattern_database::Store;
use loyd::puzzle::{Board, Direction, Problem, Shape};
use loyd::search::chain::optimal_solver;
use loyd::search::tables::Tables;
use loyd::search::{Budget, Step};
use loyd::service::proto;
use loyd::service::proto::puzzle_service_server::{PuzzleService, PuzzleServiceServer};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio_stream::Empty;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Request, Response, Status};

type BoxError = Box<dyn std::error::Error>;

#[derive(Parser)]
struct Arguments {
    /// Where the tables are, or are to be saved.
    #[arg(long)]
    table_dir: Option<PathBuf>,
    /// `cargo bench` adds this.
    #[arg(long)]
    bench: bool,
}

/// A question, and where its answer goes.
type Task = (Problem, oneshot::Sender<Vec<Direction>>);

struct Bare {
    shape: Shape,
    tasks: Sender<Task>,
}

#[tonic::async_trait]
impl PuzzleService for Bare {
    async fn solve(
        &self,
        request: Request<proto::SolveRequest>,
    ) -> Result<Response<proto::SolveResponse>, Status> {
        let board = request.into_inner().board.unwrap_or_default();
        let problem = Board::new(self.shape, &board.tiles)
            .ok()
            .and_then(|board| Problem::new(&board, &Board::solved(self.shape)).ok())
            .ok_or_else(|| Status::invalid_argument("not a solvable 15-puzzle"))?;
        let (sender, answer) = oneshot::channel();
        let gone = |_| Status::internal("the solver is gone");
        self.tasks.send((problem, sender)).map_err(|_| gone(()))?;
        let moves = answer.await.map_err(|_| gone(()))?;
        let length = moves.len() as u32;
        Ok(Response::new(proto::SolveResponse {
            solution: Some(proto::Solution {
                moves: moves.into_iter().map(|it| in_contract(it).into()).collect(),
                length,
                lower_bound: length,
                optimal: true,
                ..proto::Solution::default()
            }),
            statistics: Some(proto::Statistics::default()),
            stop_reason: proto::StopReason::Proven.into(),
        }))
    }

    async fn check_solvable(
        &self,
        _: Request<proto::CheckSolvableRequest>,
    ) -> Result<Response<proto::CheckSolvableResponse>, Status> {
        Err(Status::unimplemented("only Solve"))
    }

    type SolveStreamStream = Empty<Result<proto::SolveStreamResponse, Status>>;

    async fn solve_stream(
        &self,
        _: Request<proto::SolveStreamRequest>,
    ) -> Result<Response<Self::SolveStreamStream>, Status> {
        Err(Status::unimplemented("only Solve"))
    }

    async fn generate(
        &self,
        _: Request<proto::GenerateRequest>,
    ) -> Result<Response<proto::GenerateResponse>, Status> {
        Err(Status::unimplemented("only Solve"))
    }
}

fn in_contract(direction: Direction) -> proto::Direction {
    match direction {
        Direction::Up => proto::Direction::Up,
        Direction::Down => proto::Direction::Down,
        Direction::Left => proto::Direction::Left,
        Direction::Right => proto::Direction::Right,
    }
}

/// Solves what comes through the channel, one board after the other.
fn work(tasks: &Mutex<Receiver<Task>>, tables: &Arc<Tables>) {
    loop {
        let next = tasks.lock().map(|tasks| tasks.recv());
        let Ok(Ok((problem, answer))) = next else {
            return;
        };
        let mut search = optimal_solver(problem, tables);
        let mut moves = Vec::new();
        loop {
            match search.advance(Budget::nodes(u64::MAX)) {
                Step::Working => {}
                Step::Found(found) => moves = found.moves().to_vec(),
                Step::Done(_) => break,
            }
        }
        // Whoever asked may be gone.
        let _ = answer.send(moves);
    }
}

fn main() -> Result<(), BoxError> {
    let Some(folder) = Arguments::parse().table_dir else {
        println!("--table-dir FOLDER");
        return Ok(());
    };
    let shape = Shape::new(4, 4)?;
    let guides = GuideBuilder::new(Some(Store::new(folder)), u64::MAX);
    let store = TableStore::new(256 << 20, u64::MAX, IDLE, cores(), guides);
    store.want_all(shape, shape.cells() - 1);
    while !store.is_settled() {
        thread::sleep(Duration::from_millis(5));
    }

    let (tasks, taken) = channel();
    let taken = Arc::new(Mutex::new(taken));
    for _ in 0..cores().get() {
        let (taken, tables) = (Arc::clone(&taken), Arc::clone(store.tables()));
        thread::spawn(move || work(&taken, &tables));
    }
    thread::spawn(|| {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        std::process::exit(0);
    });
    tokio::runtime::Runtime::new()?.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        println!("{} {}", std::process::id(), listener.local_addr()?);
        tonic::transport::Server::builder()
            .add_service(PuzzleServiceServer::new(Bare { shape, tasks }))
            .serve_with_incoming(TcpListenerStream::new(listener))
            .await?;
        Ok(())
    })
}
