//! `loyd solve`: solves a board.

use std::io::{Read, Write};

use clap::Args;
use futures_util::StreamExt;

use super::attend::{Latest, attend};
use super::choices::{Algorithm, Heuristic, Metric, Objective, Variant};
use super::input::PuzzleArgs;
use super::moves::directions;
use super::solution::Answer;
use super::{Backend, Exit, Failure, LimitArgs, ServerArgs};
use crate::puzzle::Direction;
use crate::service::proto::puzzle_service_server::PuzzleService;
use crate::service::proto::solve_stream_response::Event;
use crate::service::proto::{self, SolveRequest, SolveStreamRequest};

/// The most moves per message that the contract allows.
const MOVES_PER_MESSAGE: u32 = 65_536;

const EXAMPLES: &str = "\
Examples:
  loyd solve 1 2 3 / 4 0 6 / 7 5 8
  loyd solve --objective optimal --max-time 30s --file board.txt
  loyd solve --metric multi-tile 8 6 7 / 2 5 4 / 3 0 1
  loyd solve --goal snail --trace '1 2 3 / 8 4 0 / 7 6 5'
  loyd solve --algorithm ida-star --heuristic linear-conflict+corner-tiles 1 2 3 / 0 4 6 / 7 5 8
  loyd generate 10 | loyd solve --max-time 100ms --json
  loyd solve --server 127.0.0.1:50051 --timeout 50ms 0 3 2 1

The first line of the answer has the moves: the direction in which a tile slides, Up, Down, Left or
Right, with a count if it repeats. R3D2 means three slides to the right, then two down. The second
line has the number of moves and what is proven about it, and the third what the search took. With
--metric multi-tile the number counts pushes: R3 is one push. With --trace the boards follow, and
then the number of moves, the nodes dequeued (expanded) and generated, the greatest size of A*'s
open list, and the iterations of IDA* with their thresholds.

With --json the answer is one object:
  board, goal                     boards, written as above
  moves                           one letter a move: RRRDD
  metric                          single_tile, multi_tile
  length, lower_bound, optimal    what was found and proven, in that metric
  slides                          the number of moves, whatever the metric
  stop_reason                     proven, first_found, node_limit, time_limit, memory_limit,
                                  deadline, exhausted
  boards                          the board after each move, with --trace
  statistics                      nodes_expanded, nodes_generated, peak_open, peak_memory_bytes,
                                  iterations, thresholds (each with its nodes_generated),
                                  queued_seconds, elapsed_seconds, algorithm, heuristic,
                                  corrections

Exit codes: 0 solved, 1 unsolvable, 2 wrong input, 3 a limit or the deadline came first,
4 no server, 5 a defect or a failed write, 130 interrupted.";

/// Solve a board.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct SolveArgs {
    #[command(flatten)]
    puzzle: PuzzleArgs,

    /// What kind of solution is wanted. Default: best; with --algorithm, what that algorithm finds by
    /// itself: optimal for a-star and ida-star, best for beam and staged-beam, fast for the others.
    #[arg(long, value_enum)]
    objective: Option<Objective>,

    /// For --objective bounded: the ratio to the shortest length that is good enough.
    #[arg(long, value_name = "RATIO", required_if_eq("objective", "bounded"))]
    max_ratio: Option<f64>,

    /// What counts as one move.
    #[arg(long, value_enum, default_value_t)]
    metric: Metric,

    #[command(flatten)]
    limits: LimitArgs,

    /// The algorithm; default: what suits the question best.
    #[arg(long, value_enum)]
    algorithm: Option<Algorithm>,

    /// The lower bound that guides the algorithm; default: linear-conflict+corner-tiles+last-moves.
    /// These three can be added up, in any order.
    #[arg(long, value_enum, value_delimiter = '+', requires = "algorithm")]
    heuristic: Vec<Heuristic>,

    /// The weight of --algorithm weighted-a-star, 1 to 1000; default: 2.
    #[arg(long, requires = "algorithm", value_parser = weight)]
    weight: Option<f64>,

    /// The variant of --algorithm constructive; default: best.
    #[arg(long, value_enum, requires = "algorithm")]
    variant: Option<Variant>,

    /// Print one JSON object.
    #[arg(long)]
    json: bool,

    /// Print each board on the way, and what the search did.
    #[arg(long)]
    trace: bool,

    #[command(flatten)]
    server: ServerArgs,
}

/// Parses a weight.
fn weight(text: &str) -> Result<f64, String> {
    let weight = text.parse().ok();
    let legal = weight.filter(|weight| (1.0..=1000.0).contains(weight));
    legal.ok_or_else(|| "a weight is a number from 1 to 1000".to_owned())
}

impl SolveArgs {
    pub(super) async fn answer<S: PuzzleService>(
        &self,
        input: &mut dyn Read,
        output: &mut dyn Write,
        local: impl FnOnce(&LimitArgs) -> Result<S, Failure>,
    ) -> Result<Exit, Failure> {
        let (board, goal) = self.puzzle.read(input)?;
        let request = SolveRequest {
            board: Some((&board).into()),
            goal: Some(self.puzzle.goal_message(&goal)),
            objective: proto::Objective::from(self.objective()).into(),
            max_ratio: self.max_ratio.unwrap_or_default(),
            limits: Some(self.limits.message()),
            method: self.method(),
            metric: proto::Metric::from(self.metric).into(),
            ..SolveRequest::default()
        };

        let latest = Latest::default();
        let (moves, summary) = attend(&latest, self.server.timeout, async {
            let backend = Backend::choose(&self.server, || local(&self.limits)).await?;
            ask(&backend, request, &latest).await
        })
        .await
        .map_err(|failure| match failure {
            Failure::Refused(status) if self.asks_for_proof() => Failure::Unproven(status),
            failure => failure,
        })?;

        let answer = Answer::new(board, goal, self.metric.into(), moves, summary)?;
        if self.json {
            answer.json(output, self.trace)?;
        } else {
            answer.text(output, self.trace)?;
        }
        output.flush()?;
        Ok(Exit::Done)
    }

    fn objective(&self) -> Objective {
        self.objective
            .or(self.algorithm.map(Algorithm::objective))
            .unwrap_or_default()
    }

    fn asks_for_proof(&self) -> bool {
        matches!(self.objective(), Objective::Optimal | Objective::Bounded)
    }

    fn method(&self) -> Option<proto::Method> {
        let algorithm = self.algorithm?;
        let heuristics = self.heuristic.iter().copied();
        let mut heuristics = heuristics.map(|heuristic| proto::Heuristic::from(heuristic).into());
        Some(proto::Method {
            algorithm: proto::Algorithm::from(algorithm).into(),
            heuristic: heuristics.next().unwrap_or_default(),
            corrections: heuristics.collect(),
            weight: self.weight.unwrap_or_default(),
            variant: self
                .variant
                .map_or(0, |variant| proto::Variant::from(variant).into()),
        })
    }
}

/// Asks for a solution, which may have more moves than fit one message, and collects the moves of the newest one until
/// the summary arrives.
pub(super) async fn ask<S: PuzzleService>(
    backend: &Backend<S>,
    request: SolveRequest,
    latest: &Latest,
) -> Result<(Vec<Direction>, proto::Summary), Failure> {
    let request = SolveStreamRequest {
        solve: Some(request),
        moves_per_message: MOVES_PER_MESSAGE,
        final_only: true,
        ..SolveStreamRequest::default()
    };
    let mut events = backend.solve_stream(request).await?;
    let broken = |what: &str| Failure::Broken(format!("the service {what}"));
    let mut moves = Vec::new();
    let mut revision = 0;
    while let Some(event) = events.next().await {
        match event?.event {
            Some(Event::Progress(progress)) => latest.progress(progress),
            Some(Event::Improvement(improvement)) => latest.improvement(&improvement),
            Some(Event::Moves(chunk)) => {
                if chunk.revision != revision {
                    revision = chunk.revision;
                    moves.clear();
                }
                if chunk.first as usize != moves.len() {
                    return Err(broken("left out moves of a solution"));
                }
                moves.extend(directions(chunk.moves())?);
            }
            Some(Event::Summary(summary)) => return Ok((moves, summary)),
            // An event of a later release, which is not needed here.
            None => {}
        }
    }
    Err(broken("ended its answer without a summary"))
}
