//! Large answers that take as long to write as a test wants.

use std::convert::Infallible;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, mpsc};

use http::{HeaderMap, HeaderName, Request, Response};
use http_body_util::{BodyExt, Full};
use loyd::engine::Engine;
use loyd::service::proto::puzzle_service_server::PuzzleServiceServer;
use loyd::service::{Identify, Observe, Puzzles, proto};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::{JoinHandle, yield_now};
use tonic::body::Body;
use tonic::codegen::Bytes;
use tonic::{Code, Status};
use tower::util::BoxCloneSyncService;
use tower::{Service, service_fn};

use crate::harness::{any_board, ask_for, in_time, settings};
use crate::raw::frame;

/// Names the client of a call whose answer is gated.
const CLIENT: HeaderName = HeaderName::from_static("x-client");

/// The client whose answers panic while they are written.
pub(crate) const CLUMSY: &str = "clumsy";

/// The calls of a service without connections. It has two places for writing large answers.
pub(crate) struct Gated {
    calls: BoxCloneSyncService<Request<Body>, Response<Body>, Infallible>,
    /// Where large answers wait.
    pub(crate) line: Box<dyn Debug>,
    /// The clients whose answers have begun to be written.
    begun: UnboundedReceiver<String>,
    may_end: mpsc::Sender<()>,
}

impl Gated {
    pub(crate) fn start() -> Self {
        let config = settings(&[]).engine.config().unwrap();
        let engine = Arc::new(Engine::start(config).unwrap());
        let puzzles = PuzzleServiceServer::new(Puzzles::new(engine, 128));
        let named = Identify::new(puzzles, Some(CLIENT));
        let (begins, begun) = unbounded_channel();
        let (may_end, ends) = mpsc::channel();
        let ends = Arc::new(Mutex::new(ends));
        let gated = service_fn(move |request: Request<Body>| {
            let client = request.headers().get(CLIENT).cloned();
            let (begins, ends) = (begins.clone(), Arc::clone(&ends));
            let answer = named.clone().call(request);
            async move {
                let Some(client) = client else {
                    return answer.await;
                };
                let mut name = Some(client.to_str().unwrap().to_owned());
                let gate = move |frame| {
                    if let Some(name) = name.take() {
                        let is_clumsy = name == CLUMSY;
                        // Both fail once the test is over.
                        let _ = begins.send(name);
                        assert!(!is_clumsy, "as it should, in a test");
                        let _ = ends.lock().unwrap().recv();
                    }
                    frame
                };
                Ok(answer.await?.map(|body| Body::new(body.map_frame(gate))))
            }
        });
        let observed = Observe::new(gated, 100, 1 << 20);
        observed.line().start().unwrap();
        Self {
            line: Box::new(observed.line().clone()),
            calls: BoxCloneSyncService::new(observed),
            begun,
            may_end,
        }
    }

    async fn call(
        &mut self,
        method: &str,
        headers: &[(HeaderName, &str)],
        body: Bytes,
    ) -> Response<Body> {
        let mut request = Request::post(format!("http://loyd/loyd.v1.PuzzleService/{method}"))
            .header("content-type", "application/grpc");
        for (name, value) in headers {
            request = request.header(name, *value);
        }
        let request = request.body(Body::new(Full::new(body))).unwrap();
        in_time(self.calls.call(request)).await.unwrap()
    }

    /// A large answer for each of the clients, of which nothing is written yet.
    pub(crate) async fn answers<const N: usize>(
        &mut self,
        clients: [&str; N],
    ) -> Vec<Response<Body>> {
        let request = frame(&proto::GenerateRequest {
            rows: 100,
            count: 7,
            ..proto::GenerateRequest::default()
        });
        let mut answers = Vec::new();
        for client in clients {
            let named = [(CLIENT, client)];
            answers.push(self.call("Generate", &named, request.clone()).await);
        }
        answers
    }

    /// Begins to take an answer, which has come as far as it gets when this returns.
    pub(crate) async fn take(&self, answer: Response<Body>) -> JoinHandle<()> {
        let taking = tokio::spawn(async { drop(answer.into_body().collect().await) });
        settle().await;
        taking
    }

    /// The client whose answer is the next to be written.
    pub(crate) async fn begun(&mut self) -> String {
        in_time(self.begun.recv()).await.unwrap()
    }

    /// Lets an answer that is being written end.
    pub(crate) fn end_one(&self) {
        self.may_end.send(()).unwrap();
    }

    /// Takes both places, for good.
    pub(crate) async fn fill(&mut self) {
        for answer in self.answers(["first", "first"]).await {
            drop(self.take(answer).await);
            self.begun().await;
        }
    }

    /// The code of a call for the best solution of a square board within a fifth of a second, with the boards on the way.
    pub(crate) async fn best_in_time(&mut self, side: usize) -> Code {
        let request = frame(&proto::SolveRequest {
            include: Some(proto::Include {
                tiles: false,
                boards: true,
            }),
            ..ask_for(proto::Objective::Best, &any_board(side, side, 1))
        });
        let timeout = [(HeaderName::from_static("grpc-timeout"), "200m")];
        let (head, body) = self.call("Solve", &timeout, request).await.into_parts();
        let body = in_time(body.collect()).await.unwrap();
        let code = |headers: &HeaderMap| Some(Status::from_header_map(headers)?.code());
        body.trailers()
            .and_then(code)
            .or(code(&head.headers))
            .unwrap()
    }
}

/// Lets everything on this thread come as far as it gets.
pub(crate) async fn settle() {
    for _ in 0..16 {
        yield_now().await;
    }
}
