//! How many answers still arrive in time when more is asked of a server than it can do.
//!
//! ```console
//! $ loyd serve --workers 1 &
//! $ cargo bench --bench overload -- --calls fast-10x10 --rate 13000
//! ```
//!
//! Turns alternate. In the one, callers wait for their answers and ask again (the peak); in the
//! other, calls are sent at a fixed rate, whether or not earlier ones have been answered. All boards
//! are different. The client speaks HTTP/2 itself, to take little from a server on the same machine.

mod frame;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::num::{NonZeroU64, NonZeroUsize};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::{Parser, ValueEnum};
use h2::client::SendRequest;
use http::{HeaderMap, Request};
use hyper::body::Bytes;
use loyd::puzzle::generate::{Solvability, uniform};
use loyd::puzzle::{Board, Dice, Shape};
use loyd::service::proto;
use tokio::net::TcpStream;
use tokio::task::JoinSet;

type BoxError = Box<dyn std::error::Error>;

#[derive(Parser)]
struct Arguments {
    /// The server's address.
    #[arg(long, default_value = "127.0.0.1:50051")]
    server: SocketAddr,

    /// What to ask for.
    #[arg(long, value_enum, default_value = "fast-10x10")]
    calls: Calls,

    /// The calls per second that are more than the server can do.
    #[arg(long, default_value_t = 13_000)]
    rate: u64,

    /// The deadline of each call, in milliseconds.
    #[arg(long, default_value_t = 200)]
    deadline: u64,

    /// The callers of the other turns: enough to keep the server busy.
    #[arg(long, default_value = "16")]
    callers: NonZeroUsize,

    /// The connections.
    #[arg(long, default_value = "16")]
    connections: NonZeroUsize,

    /// How often each kind of turn is taken.
    #[arg(long, default_value = "3")]
    turns: NonZeroUsize,

    /// How long a turn takes.
    #[arg(long, default_value = "5")]
    seconds: NonZeroU64,

    /// The seed of the boards.
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Given by `cargo bench`.
    #[arg(long, hide = true)]
    bench: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Calls {
    #[value(name = "optimal-4x4")]
    Optimal4,
    #[value(name = "best-4x4")]
    Best4,
    #[value(name = "fast-10x10")]
    Fast10,
}

impl Calls {
    const fn side(self) -> usize {
        match self {
            Self::Optimal4 | Self::Best4 => 4,
            Self::Fast10 => 10,
        }
    }

    const fn objective(self) -> proto::Objective {
        match self {
            Self::Optimal4 => proto::Objective::Optimal,
            Self::Best4 => proto::Objective::Best,
            Self::Fast10 => proto::Objective::Fast,
        }
    }
}

/// Draws the boards, and puts each into the frame of a call.
struct Questions {
    calls: Calls,
    goal: Board,
    dice: Dice,
}

impl Questions {
    fn next(&mut self) -> Bytes {
        let start = uniform(&self.goal, Solvability::Solvable, &mut self.dice);
        let message = proto::SolveRequest {
            board: Some(proto::Board {
                rows: 0,
                columns: 0,
                tiles: start.tiles().map(u32::from).collect(),
            }),
            objective: self.calls.objective().into(),
            ..proto::SolveRequest::default()
        };
        frame::frame(&message).into()
    }
}

/// What became of the calls of a turn.
#[derive(Default)]
struct Tally {
    in_time: u64,
    /// Those of them before the end of the turn: the rate is that of a server which is still asked.
    within_turn: u64,
    late: u64,
    /// By gRPC status.
    failed: BTreeMap<String, u64>,
}

impl Tally {
    fn count(&mut self, status: String, is_late: bool, end: Instant) {
        match (status.as_str(), is_late) {
            ("0", false) => {
                self.in_time += 1;
                self.within_turn += u64::from(Instant::now() < end);
            }
            ("0", true) => self.late += 1,
            _ => *self.failed.entry(status).or_default() += 1,
        }
    }

    /// Returns the number of calls.
    fn calls(&self) -> u64 {
        self.in_time + self.late + self.failed.values().sum::<u64>()
    }

    fn add(&mut self, other: Self) {
        self.in_time += other.in_time;
        self.within_turn += other.within_turn;
        self.late += other.late;
        for (status, calls) in other.failed {
            *self.failed.entry(status).or_default() += calls;
        }
    }
}

/// The connections, and what is the same for all calls.
struct Client {
    connections: Vec<SendRequest<Bytes>>,
    request: Request<()>,
    deadline: Duration,
}

impl Client {
    async fn connect(arguments: &Arguments) -> Result<Self, BoxError> {
        let mut connections = Vec::new();
        for _ in 0..arguments.connections.get() {
            let stream = TcpStream::connect(arguments.server).await?;
            stream.set_nodelay(true)?;
            let (client, connection) = h2::client::handshake(stream).await?;
            tokio::spawn(connection);
            connections.push(client);
        }
        let request = Request::post(format!(
            "http://{}/loyd.v1.PuzzleService/Solve",
            arguments.server
        ))
        .header("content-type", "application/grpc")
        .header("te", "trailers")
        .header("grpc-timeout", format!("{}m", arguments.deadline))
        .body(())?;
        Ok(Self {
            connections,
            request,
            deadline: Duration::from_millis(arguments.deadline),
        })
    }

    /// Makes a call. Returns its status, or what went wrong with its connection, and whether it took
    /// longer than the deadline.
    async fn call(&self, number: usize, question: Bytes) -> (String, bool) {
        let begun = Instant::now();
        let status = self.status(number, question).await;
        let status = status.unwrap_or_else(|error| error.to_string());
        (status, begun.elapsed() > self.deadline)
    }

    async fn status(&self, number: usize, question: Bytes) -> Result<String, h2::Error> {
        let connection = &self.connections[number % self.connections.len()];
        let mut connection = connection.clone().ready().await?;
        let (response, mut stream) = connection.send_request(self.request.clone(), false)?;
        stream.send_data(question, true)?;
        let (head, mut body) = response.await?.into_parts();
        if let Some(status) = status_of(&head.headers) {
            return Ok(status);
        }
        while let Some(data) = body.data().await {
            body.flow_control().release_capacity(data?.len())?;
        }
        let trailers = body.trailers().await?;
        let status = trailers.as_ref().and_then(status_of);
        Ok(status.unwrap_or_else(|| "no status".to_owned()))
    }
}

fn status_of(headers: &HeaderMap) -> Option<String> {
    let status = headers.get("grpc-status")?.to_str().ok()?;
    Some(status.to_owned())
}

/// Callers that wait for their answers.
async fn peak(
    client: &Arc<Client>,
    questions: &mut Questions,
    callers: usize,
    end: Instant,
) -> Tally {
    let mut tally = Tally::default();
    let mut calls = JoinSet::new();
    let mut begin = |calls: &mut JoinSet<_>, number| {
        let (client, question) = (Arc::clone(client), questions.next());
        calls.spawn(async move { (number, client.call(number, question).await) });
    };
    (0..callers).for_each(|number| begin(&mut calls, number));
    while let Some(called) = calls.join_next().await {
        let (number, (status, is_late)) = called.expect("calls do not panic");
        tally.count(status, is_late, end);
        if Instant::now() < end {
            begin(&mut calls, number);
        }
    }
    tally
}

/// Calls at a fixed rate.
async fn flood(client: &Arc<Client>, questions: &mut Questions, rate: u64, end: Instant) -> Tally {
    let mut tally = Tally::default();
    let mut calls = JoinSet::new();
    let mut ticks = tokio::time::interval(Duration::from_millis(1));
    let (begun, mut sent) = (Instant::now(), 0);
    while Instant::now() < end {
        ticks.tick().await;
        let due = begun.elapsed().as_micros() as u64 * rate / 1_000_000;
        while sent < due {
            let (client, question, number) = (Arc::clone(client), questions.next(), sent as usize);
            calls.spawn(async move { client.call(number, question).await });
            sent += 1;
        }
        while let Some(called) = calls.try_join_next() {
            let (status, is_late) = called.expect("calls do not panic");
            tally.count(status, is_late, end);
        }
    }
    for (status, is_late) in calls.join_all().await {
        tally.count(status, is_late, end);
    }
    tally
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    let arguments = Arguments::parse();
    let client = Arc::new(Client::connect(&arguments).await?);
    let side = arguments.calls.side();
    let mut questions = Questions {
        calls: arguments.calls,
        goal: Board::solved(Shape::new(side, side)?),
        dice: Dice::new(arguments.seed),
    };
    let seconds = arguments.seconds.get();
    let per_second = |tally: &Tally| tally.within_turn as f64 / seconds as f64;
    let end = || Instant::now() + Duration::from_secs(seconds);
    let mut ratios = Vec::new();
    let mut offered = Tally::default();
    // The tables of the first calls are not ready yet.
    peak(&client, &mut questions, arguments.callers.get(), end()).await;
    for turn in 1..=arguments.turns.get() {
        let peak = peak(&client, &mut questions, arguments.callers.get(), end()).await;
        let flood = flood(&client, &mut questions, arguments.rate, end()).await;
        let (peak, kept) = (per_second(&peak), per_second(&flood));
        println!(
            "turn {turn}: peak {peak:.0} answers/s, {kept:.0} of {} calls/s, ratio {:.2}",
            flood.calls() / seconds,
            kept / peak
        );
        ratios.push(kept / peak);
        offered.add(flood);
    }
    ratios.sort_by(f64::total_cmp);
    println!("median ratio {:.2}", ratios[ratios.len() / 2]);
    println!(
        "{} in time, {} late, by status {:?}",
        offered.in_time, offered.late, offered.failed
    );
    Ok(())
}
