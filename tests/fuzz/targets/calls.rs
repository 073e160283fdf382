//! The path of a request from its headers to its answer, without a socket.

use std::convert::Infallible;
use std::io::Write;
use std::sync::LazyLock;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use http::{HeaderValue, Request, Response};
use http_body_util::{BodyExt, Full};
use loyd::service::proto;
use loyd::service::proto::solve_stream_response::Event;
use prost::Message;
use tonic::body::Body;
use tonic::codegen::Bytes;
use tonic::{Code, Status};
use tower::ServiceExt;
use tower::util::BoxCloneSyncService;

use super::{Target, Trait, about, server, trait_of};

/// The first bytes select the method, the framing of the message, and the header that gets the
/// value that follows with its length; the rest is the message.
pub(crate) const CALLS: Target = Target {
    name: "calls",
    run,
    seeds,
    message_at: |input| Some(4 + usize::from(*input.get(3)?)),
};

const METHODS: [&str; 8] = [
    "/loyd.v1.PuzzleService/Solve",
    "/loyd.v1.PuzzleService/SolveStream",
    "/loyd.v1.PuzzleService/CheckSolvable",
    "/loyd.v1.PuzzleService/Generate",
    "/loyd.v1.PuzzleService/Nothing",
    "/grpc.health.v1.Health/Check",
    "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
];

const HEADERS: [&str; 8] = [
    "x-nothing",
    "grpc-timeout",
    "x-request-id",
    "traceparent",
    "tracestate",
    "grpc-encoding",
    "grpc-accept-encoding",
    "content-type",
];

/// A call that takes longer hangs: the server answers within its limit of a few milliseconds.
const HANG: Duration = Duration::from_secs(20);

type Calls = BoxCloneSyncService<Request<Body>, Response<Body>, Infallible>;

static CALLED: LazyLock<Calls> =
    LazyLock::new(|| server::runtime().block_on(async { server::start().await.calls() }));

fn run(input: &[u8]) -> Trait {
    let Some((&[method, framing, header, length], rest)) = input.split_first_chunk() else {
        return 0;
    };
    let Some((value, message)) = rest.split_at_checked(usize::from(length)) else {
        return 0;
    };
    let method = usize::from(method) % METHODS.len();
    let mut request = Request::post(METHODS[method])
        .header("te", "trailers")
        .header("content-type", "application/grpc");
    let body = match framing % 4 {
        0 => frame(0, message),
        1 => message.to_vec(),
        2 => frame(1, &gzip(message)),
        _ => frame(1, message),
    };
    if framing % 4 > 1 {
        request = request.header("grpc-encoding", "gzip");
    }
    if let Ok(value) = HeaderValue::from_bytes(value) {
        request = request.header(HEADERS[usize::from(header) % HEADERS.len()], value);
    }
    let body = Body::new(Full::new(Bytes::from(body)));
    let request = request.body(body).unwrap();
    let called = CALLED.clone();
    let answered = async move {
        let Ok(response) = called.oneshot(request).await;
        let (head, body) = response.into_parts();
        let body = body.collect().await.unwrap();
        let trailers = body.trailers().cloned().unwrap_or_default();
        let status =
            Status::from_header_map(&trailers).or_else(|| Status::from_header_map(&head.headers));
        (head.status, status, body.to_bytes())
    };
    let (http, status, body) = server::runtime()
        .block_on(async { tokio::time::timeout(HANG, answered).await })
        .expect("the call ends");
    let Some(status) = status else {
        assert_eq!(http, 415, "a status, or what is no gRPC at all");
        return trait_of("no gRPC");
    };
    let name = METHODS[method];
    match status.code() {
        Code::Ok => check(method, &body),
        Code::Internal | Code::Unknown if method < 5 => panic!("a defect: {status}"),
        _ => assert!(!status.message().is_empty(), "{:?}", status.code()),
    }
    let size = about(body.len());
    trait_of(&format!(
        "{name}, {size}, {:?}: {}",
        status.code(),
        status.message()
    ))
}

/// Checks that an answer can be read, and that a solution is what it says.
fn check(method: usize, mut body: &[u8]) {
    let mut is_over = false;
    while let Some((&[flag, a, b, c, d], rest)) = body.split_first_chunk() {
        let (message, more) = rest.split_at(u32::from_be_bytes([a, b, c, d]) as usize);
        body = more;
        assert!(!is_over, "nothing comes after the last");
        is_over = method < 5 && method != 1;
        // A large answer is compressed if the request allowed it.
        if flag > 0 {
            continue;
        }
        match method {
            0 => {
                let answer = proto::SolveResponse::decode(message).unwrap();
                check_solution(&answer.solution.unwrap());
            }
            1 => {
                let answer = proto::SolveStreamResponse::decode(message).unwrap();
                if let Event::Summary(summary) = answer.event.unwrap() {
                    check_solution(&summary.solution.unwrap());
                    is_over = true;
                }
            }
            2 => drop(proto::CheckSolvableResponse::decode(message).unwrap()),
            3 => drop(proto::GenerateResponse::decode(message).unwrap()),
            _ => {}
        }
    }
    assert!(body.is_empty(), "the last frame is whole");
}

fn check_solution(solution: &proto::Solution) {
    assert!(solution.lower_bound <= solution.length);
    assert_eq!(solution.optimal, solution.lower_bound == solution.length);
}

fn frame(flag: u8, message: &[u8]) -> Vec<u8> {
    let mut frame = vec![flag];
    frame.extend((message.len() as u32).to_be_bytes());
    frame.extend(message);
    frame
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for (number, solve) in solves().into_iter().enumerate() {
        let check = proto::CheckSolvableRequest {
            board: solve.board.clone(),
            goal: solve.goal.clone(),
        };
        seeds.push(seed(2, number as u8 % 4, 0, "", &check.encode_to_vec()));
        let stream = proto::SolveStreamRequest {
            solve: Some(solve.clone()),
            moves_per_message: 7,
            progress_interval: duration(10),
            final_only: number % 2 == 1,
        };
        seeds.push(seed(1, 0, 1, "1M", &stream.encode_to_vec()));
        seeds.push(seed(0, 0, 1, "3m", &solve.encode_to_vec()));
    }
    for generate in generates() {
        seeds.push(seed(3, 0, 2, "an id", &generate.encode_to_vec()));
    }
    let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    seeds.push(seed(4, 1, 3, parent, b""));
    seeds.push(seed(4, 1, 4, "one=1,two=2", b""));
    seeds.push(seed(4, 0, 5, "identity,gzip", b""));
    seeds.push(seed(4, 0, 7, "application/grpc+proto", b""));
    let health = tonic_health::pb::HealthCheckRequest {
        service: "loyd.tables".to_owned(),
    };
    seeds.push(seed(5, 0, 6, "gzip", &health.encode_to_vec()));
    // Two requests: all services, and the file of a symbol.
    let symbol = b"\x22\x15loyd.v1.PuzzleService";
    let asked = [frame(0, b"\x3a\x00"), frame(0, symbol)].concat();
    seeds.push(seed(6, 1, 0, "", &asked));
    seeds.push(seed(7, 1, 0, "", &asked));
    seeds
}

fn seed(method: u8, framing: u8, header: u8, value: &str, message: &[u8]) -> Vec<u8> {
    let head = [method, framing, header, value.len() as u8];
    [&head, value.as_bytes(), message].concat()
}

fn duration(milliseconds: i32) -> Option<prost_types::Duration> {
    Some(prost_types::Duration {
        seconds: 0,
        nanos: milliseconds * 1_000_000,
    })
}

fn board(rows: u32, columns: u32, tiles: &[u32]) -> Option<proto::Board> {
    Some(proto::Board {
        rows,
        columns,
        tiles: tiles.to_vec(),
    })
}

/// One request of every kind.
fn solves() -> Vec<proto::SolveRequest> {
    use proto::{Algorithm, Heuristic, Objective, goal};
    let korf = [14, 13, 15, 7, 11, 12, 9, 5, 6, 0, 2, 1, 4, 8, 10, 3];
    let small = proto::SolveRequest {
        board: board(0, 0, &[8, 6, 7, 2, 5, 4, 3, 0, 1]),
        ..proto::SolveRequest::default()
    };
    let mut solves = vec![small.clone()];
    solves.push(proto::SolveRequest {
        board: board(4, 4, &korf),
        objective: Objective::Optimal.into(),
        include: Some(proto::Include {
            tiles: true,
            boards: true,
        }),
        limits: Some(proto::Limits {
            max_nodes: Some(10_000),
            max_time: duration(2),
            max_memory_bytes: Some(1 << 20),
        }),
        ..proto::SolveRequest::default()
    });
    let target = board(2, 3, &[0, 1, 2, 3, 4, 5]);
    let goals = [
        goal::Goal::Board(target.unwrap()),
        goal::Goal::Layout(proto::GoalLayout::Snail.into()),
    ];
    for goal in goals {
        solves.push(proto::SolveRequest {
            board: board(2, 3, &[5, 1, 2, 3, 4, 0]),
            goal: Some(proto::Goal { goal: Some(goal) }),
            objective: Objective::Bounded.into(),
            max_ratio: 1.5,
            metric: proto::Metric::MultiTile.into(),
            ..proto::SolveRequest::default()
        });
    }
    let six: Vec<u32> = (0..36).rev().collect();
    for algorithm in 1..=7 {
        for (heuristic, corrections) in [
            (Heuristic::Unspecified, vec![]),
            (Heuristic::Manhattan, vec![]),
            (
                Heuristic::LinearConflict,
                vec![Heuristic::CornerTiles.into()],
            ),
            (Heuristic::WalkingDistance, vec![]),
            (Heuristic::PatternDatabase, vec![]),
        ] {
            let weighted = algorithm == i32::from(Algorithm::WeightedAStar);
            solves.push(proto::SolveRequest {
                method: Some(proto::Method {
                    algorithm,
                    heuristic: heuristic.into(),
                    weight: if weighted { 2.0 } else { 0.0 },
                    variant: 0,
                    corrections,
                }),
                ..small.clone()
            });
        }
    }
    for objective in [Objective::Fast, Objective::Best] {
        solves.push(proto::SolveRequest {
            board: board(6, 6, &six),
            objective: objective.into(),
            ..proto::SolveRequest::default()
        });
    }
    solves
}

fn generates() -> Vec<proto::GenerateRequest> {
    use proto::generate_request::Kind;
    [
        Kind::Uniform(proto::Uniform {}),
        Kind::Scramble(proto::Scramble { moves: 30 }),
        Kind::Difficulty(proto::Difficulty {
            min_moves: 5,
            max_moves: 9,
        }),
    ]
    .map(|kind| proto::GenerateRequest {
        rows: 3,
        columns: 3,
        count: 2,
        seed: Some(7),
        kind: Some(kind),
        ..proto::GenerateRequest::default()
    })
    .to_vec()
}
