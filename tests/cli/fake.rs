//! A service with scripted answers that remembers what it was asked.

use std::io::{self, Cursor, Write};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use clap::Parser;
use hyper::server::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::service::TowerToHyperService;
use loyd::cli::{Ask, Cli, Command, Exit, Failure};
use loyd::service::proto::puzzle_service_server::{PuzzleService, PuzzleServiceServer};
use loyd::service::proto::{
    CheckSolvableRequest, CheckSolvableResponse, GenerateRequest, GenerateResponse, SolveRequest,
    SolveResponse, SolveStreamRequest, SolveStreamResponse,
};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_stream::{Stream, StreamExt};
use tonic::{Request, Response, Status, async_trait};

type Event = Result<SolveStreamResponse, Status>;

/// What the service answers, and what it was asked.
#[derive(Clone)]
pub(crate) struct Fake {
    /// The command line streams, except to measure.
    pub(crate) solve: Result<SolveResponse, Status>,
    pub(crate) stream: Result<Vec<Event>, Status>,
    pub(crate) check: Result<CheckSolvableResponse, Status>,
    pub(crate) generate: Result<GenerateResponse, Status>,
    /// How long each answer takes.
    pub(crate) delay: Duration,
    /// Whether streams never end after their events.
    pub(crate) stalls: bool,
    pub(crate) asked: Arc<Mutex<Asked>>,
}

/// The last question of each kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    pub(crate) stream: Option<SolveStreamRequest>,
    /// All questions of this kind.
    pub(crate) streams: Vec<SolveStreamRequest>,
    pub(crate) check: Option<CheckSolvableRequest>,
    pub(crate) generate: Option<GenerateRequest>,
    /// The deadline and the token of the call, as they came over the wire.
    pub(crate) timeout: Option<String>,
    pub(crate) authorization: Option<String>,
}

impl Default for Fake {
    fn default() -> Self {
        let unplanned = || Status::internal("the test plans no such call");
        Self {
            solve: Err(unplanned()),
            stream: Err(unplanned()),
            check: Err(unplanned()),
            generate: Err(unplanned()),
            delay: Duration::ZERO,
            stalls: false,
            asked: Arc::default(),
        }
    }
}

/// The result of a command.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) result: Result<Exit, Failure>,
    pub(crate) output: String,
}

impl Ran {
    pub(crate) fn exit(&self) -> Exit {
        match &self.result {
            Ok(exit) => *exit,
            Err(failure) => failure.exit(),
        }
    }

    /// The text on standard error.
    pub(crate) fn complaint(&self) -> String {
        self.result.as_ref().expect_err("a failure").to_string()
    }
}

/// The question in a command line.
pub(crate) fn question(arguments: &[&str]) -> Ask {
    match parse(arguments).expect("a command line").command {
        Command::Ask(ask) => ask,
        Command::Serve(_)
        | Command::Bench(_)
        | Command::Tables(_)
        | Command::Token(_)
        | Command::Top(_)
        | Command::Health(_) => {
            panic!("no question")
        }
    }
}

impl Fake {
    /// Runs a command line against this service in the same process.
    pub(crate) fn run(&self, arguments: &[&str], input: &str) -> Ran {
        let ask = question(arguments);
        let mut output = Vec::new();
        let service = self.clone();
        let result = runtime().block_on(ask.answer(
            &mut Cursor::new(input.to_owned()),
            &mut output,
            |_| Ok(service),
        ));
        Ran {
            result,
            output: String::from_utf8(output).expect("text"),
        }
    }

    /// Runs a command line against this service over a connection.
    pub(crate) fn run_remote(&self, arguments: &[&str], input: &str) -> Ran {
        let mut output = Vec::new();
        let result = runtime().block_on(async {
            let (server, serving) = self.listen().await;
            let arguments = [arguments, &["--server", &server]].concat();
            let ask = question(&arguments);
            let result = ask
                .answer(&mut Cursor::new(input.to_owned()), &mut output, nobody)
                .await;
            serving.abort();
            result
        });
        Ran {
            result,
            output: String::from_utf8(output).expect("text"),
        }
    }

    /// Serves one connection; the address, and the task that serves it.
    pub(crate) async fn listen(&self) -> (String, JoinHandle<hyper::Result<()>>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let server = listener.local_addr().expect("an address").to_string();
        let service = TowerToHyperService::new(PuzzleServiceServer::new(self.clone()));
        let serving = tokio::spawn(async move {
            let (stream, _) = listener.accept().await.expect("a connection");
            http2::Builder::new(TokioExecutor::new())
                .serve_connection(TokioIo::new(stream), service)
                .await
        });
        (server, serving)
    }

    pub(crate) fn asked(&self) -> Asked {
        self.asked.lock().expect("no panic").clone()
    }

    async fn note<T>(&self, request: &Request<T>, write: impl FnOnce(&mut Asked)) {
        {
            let mut asked = self.asked.lock().expect("no panic");
            let told = |name| {
                let value = request.metadata().get(name);
                value.map(|value| value.to_str().expect("text").to_owned())
            };
            asked.timeout = told("grpc-timeout");
            asked.authorization = told("authorization");
            write(&mut asked);
        }
        tokio::time::sleep(self.delay).await;
    }
}

/// An output that fails in this way, as soon as it is written to.
pub(crate) struct Closed(pub(crate) io::ErrorKind);

impl Write for Closed {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(self.0.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Where nobody listens: no service takes this port by chance, as it could one that was free a moment ago.
pub(crate) const DESERTED: &str = "127.0.0.1:1";

/// With `--server` there is no service in this process.
pub(crate) fn nobody(_: &loyd::cli::LimitArgs) -> Result<Fake, Failure> {
    panic!("the question was to go elsewhere")
}

pub(crate) fn parse(arguments: &[&str]) -> Result<Cli, clap::Error> {
    Cli::try_parse_from([&["loyd"], arguments].concat())
}

pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
}

#[async_trait]
impl PuzzleService for Fake {
    type SolveStreamStream = Pin<Box<dyn Stream<Item = Event> + Send>>;

    async fn solve(&self, _: Request<SolveRequest>) -> Result<Response<SolveResponse>, Status> {
        self.solve.clone().map(Response::new)
    }

    async fn solve_stream(
        &self,
        request: Request<SolveStreamRequest>,
    ) -> Result<Response<Self::SolveStreamStream>, Status> {
        let message = request.get_ref().clone();
        self.note(&request, |asked| {
            asked.stream = Some(message.clone());
            asked.streams.push(message);
        })
        .await;
        let events = tokio_stream::iter(self.stream.clone()?);
        Ok(Response::new(match self.stalls {
            true => Box::pin(events.chain(tokio_stream::pending())),
            false => Box::pin(events),
        }))
    }

    async fn check_solvable(
        &self,
        request: Request<CheckSolvableRequest>,
    ) -> Result<Response<CheckSolvableResponse>, Status> {
        let message = request.get_ref().clone();
        self.note(&request, |asked| asked.check = Some(message))
            .await;
        self.check.clone().map(Response::new)
    }

    async fn generate(
        &self,
        request: Request<GenerateRequest>,
    ) -> Result<Response<GenerateResponse>, Status> {
        let message = request.get_ref().clone();
        self.note(&request, |asked| asked.generate = Some(message))
            .await;
        self.generate.clone().map(Response::new)
    }
}
