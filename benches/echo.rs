//! What the service adds to a call that costs nothing: `CheckSolvable` over one connection with 64
//! calls in flight, compared with tonic's own server, which gives the same answer without looking
//! at the question.
//!
//! `cargo bench --bench echo 2>/dev/null`; needs `h2load` (Debian: nghttp2-client). The two servers
//! take turns, and the ratio of each turn is printed. The log is written, as by `loyd serve`.

mod frame;

use std::net::SocketAddr;
use std::process::Command;

use clap::Parser;
use loyd::config::ServeConfig;
use loyd::service::proto;
use loyd::service::proto::puzzle_service_server::{PuzzleService, PuzzleServiceServer};
use loyd::service::{Server, proto::CheckSolvableResponse};
use loyd::telemetry::{self, LogFormat};
use tokio_stream::Empty;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Request, Response, Status};

const TURNS: usize = 5;
const CALLS: &str = "40000";

type BoxError = Box<dyn std::error::Error>;

#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    serve: ServeConfig,
}

/// Gives the same answer to every call.
struct Echo(CheckSolvableResponse);

#[tonic::async_trait]
impl PuzzleService for Echo {
    async fn check_solvable(
        &self,
        _: Request<proto::CheckSolvableRequest>,
    ) -> Result<Response<CheckSolvableResponse>, Status> {
        Ok(Response::new(self.0.clone()))
    }

    async fn solve(
        &self,
        _: Request<proto::SolveRequest>,
    ) -> Result<Response<proto::SolveResponse>, Status> {
        Err(Status::unimplemented("an echo"))
    }

    type SolveStreamStream = Empty<Result<proto::SolveStreamResponse, Status>>;

    async fn solve_stream(
        &self,
        _: Request<proto::SolveStreamRequest>,
    ) -> Result<Response<Self::SolveStreamStream>, Status> {
        Err(Status::unimplemented("an echo"))
    }

    async fn generate(
        &self,
        _: Request<proto::GenerateRequest>,
    ) -> Result<Response<proto::GenerateResponse>, Status> {
        Err(Status::unimplemented("an echo"))
    }
}

/// Returns the calls per second that h2load measures.
fn load(address: SocketAddr, body: &std::path::Path) -> Result<f64, BoxError> {
    let output = Command::new("h2load")
        .args(["-n", CALLS, "-c", "1", "-m", "64"])
        .args(["-H", "content-type: application/grpc", "-H", "te: trailers"])
        .arg("-d")
        .arg(body)
        .arg(format!(
            "http://{address}/loyd.v1.PuzzleService/CheckSolvable"
        ))
        .output()
        .map_err(|error| format!("h2load cannot be run: {error}"))?;
    let text = String::from_utf8(output.stdout)?;
    let rate = text
        .lines()
        .find_map(|line| line.split(", ").find_map(|it| it.strip_suffix(" req/s")))
        .ok_or("h2load says nothing of its rate")?;
    Ok(rate.parse()?)
}

fn main() -> Result<(), BoxError> {
    let runtime = tokio::runtime::Runtime::new()?;
    let _log = telemetry::install_logs(LogFormat::Text, "info");
    let (loyd, echo) = runtime.block_on(async {
        telemetry::install_metrics(([127, 0, 0, 1], 0).into())?;
        let config = Arguments::parse_from(["echo", "--listen", "127.0.0.1:0"]).serve;
        let server = Server::start(config).await?;
        let loyd = server.address();
        tokio::spawn(server.run(std::future::pending()));

        let mut client =
            proto::puzzle_service_client::PuzzleServiceClient::connect(format!("http://{loyd}"))
                .await?;
        let answer = client.check_solvable(question()).await?.into_inner();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        let echo = listener.local_addr()?;
        let bare = tonic::transport::Server::builder()
            .add_service(PuzzleServiceServer::new(Echo(answer)))
            .serve_with_incoming(TcpListenerStream::new(listener));
        tokio::spawn(bare);
        Ok::<_, BoxError>((loyd, echo))
    })?;

    let body = std::env::temp_dir().join(format!("loyd-echo-{}", std::process::id()));
    std::fs::write(&body, frame::frame(&question()))?;
    let mut ratios = Vec::new();
    for turn in 1..=TURNS {
        let (ours, bare) = (load(loyd, &body)?, load(echo, &body)?);
        println!(
            "turn {turn}: loyd {ours:.0} calls/s, echo {bare:.0}, ratio {:.2}",
            ours / bare
        );
        ratios.push(ours / bare);
    }
    ratios.sort_by(f64::total_cmp);
    println!("median ratio {:.2}", ratios[TURNS / 2]);
    std::fs::remove_file(&body)?;
    Ok(())
}

/// Returns a random 15-puzzle.
fn question() -> proto::CheckSolvableRequest {
    proto::CheckSolvableRequest {
        board: Some(proto::Board {
            rows: 0,
            columns: 0,
            tiles: vec![15, 14, 8, 12, 10, 11, 9, 13, 2, 6, 5, 1, 3, 7, 4, 0],
        }),
        goal: None,
    }
}
