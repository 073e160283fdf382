//! `loyd compare`: runs the methods on one board and sets them side by side.

use std::io::{self, Read, Write};
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

use super::attend::{Latest, attend, in_time};
use super::input::PuzzleArgs;
use super::solution::Answer;
use super::solve::ask;
use super::spelling::{name, number, seconds};
use super::{Backend, Exit, Failure, LimitArgs, ServerArgs, refusal};
use crate::config::TableDirArg;
use crate::puzzle::{Board, Metric};
use crate::service::proto::puzzle_service_server::PuzzleService;
use crate::service::proto::{
    Algorithm, Heuristic, Limits, Method, Objective, Progress, SolveRequest, Variant,
};

const EXAMPLES: &str = "\
Examples:
  loyd compare 8 6 7 / 2 5 4 / 3 0 1
  loyd generate 4 --seed 1 | loyd compare --max-time 500ms --json

Each row is one method: the length it found, the lower bound it proved, the nodes it expanded and
generated, the greatest size of its open list, and the milliseconds it took. A method that a limit
ended has no length, only the bound it had proved by then. \"All corrections\" are
linear-conflict+corner-tiles+last-moves. A* with the heuristic discrete is breadth-first. While the
large tables of the walking distance are built, all corrections stand in for it; a row says so if
these found the solution.

A server answers questions that it has proven before from its cache: to compare searches, start it
with --cache-memory 0.

With --json the answer is an array of objects: method, outcome, length, lower_bound, nodes_expanded,
nodes_generated, peak_open, milliseconds, stood_in; what is not known is null. The outcome is
optimal, solved, node_limit, time_limit, memory_limit, deadline, overloaded or another reason of the
server, or unsupported if the method is not for boards of this size. With stood_in another heuristic
found the solution.

Exit codes: 0 compared, 1 unsolvable, 2 wrong input, 4 no server, 5 a defect or a failed write,
130 interrupted.";

/// Compare the methods on one board.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct CompareArgs {
    #[command(flatten)]
    puzzle: PuzzleArgs,

    /// The most time for each method.
    #[arg(long, value_name = "TIME", default_value = "800ms", value_parser = humantime::parse_duration)]
    max_time: Duration,

    /// Print JSON.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    tables: TableDirArg,

    #[command(flatten)]
    server: ServerArgs,
}

/// A method to compare with others.
struct Contestant {
    objective: Objective,
    algorithm: Algorithm,
    /// The heuristic, followed by the corrections added to it.
    heuristics: &'static [Heuristic],
    weight: f64,
    variant: Variant,
}

const fn contestant(
    objective: Objective,
    algorithm: Algorithm,
    heuristics: &'static [Heuristic],
    weight: f64,
) -> Contestant {
    Contestant {
        objective,
        algorithm,
        heuristics,
        weight,
        variant: Variant::Unspecified,
    }
}

const fn constructive(variant: Variant) -> Contestant {
    Contestant {
        variant,
        ..contestant(Objective::Fast, Algorithm::Constructive, &[], 0.0)
    }
}

const ALL_CORRECTIONS: &[Heuristic] = &[
    Heuristic::LinearConflict,
    Heuristic::CornerTiles,
    Heuristic::LastMoves,
];

/// The methods, from the simplest to the best. The last is the service's own choice.
const CONTESTANTS: &[Contestant] = {
    use Algorithm::{AStar, IdaStar, WeightedAStar};
    use Heuristic::{Discrete, Hamming, LinearConflict, Manhattan, WalkingDistance};
    use Objective::{Best, Fast, Optimal};
    &[
        constructive(Variant::Parberry),
        constructive(Variant::Hayes),
        constructive(Variant::Best),
        contestant(Optimal, AStar, &[Discrete], 0.0),
        contestant(Optimal, AStar, &[Hamming], 0.0),
        contestant(Optimal, AStar, &[Manhattan], 0.0),
        contestant(Optimal, AStar, &[LinearConflict], 0.0),
        contestant(Optimal, AStar, ALL_CORRECTIONS, 0.0),
        contestant(Fast, WeightedAStar, ALL_CORRECTIONS, 1.5),
        contestant(Fast, WeightedAStar, ALL_CORRECTIONS, 3.0),
        contestant(Best, Algorithm::StagedBeam, &[], 0.0),
        contestant(Best, Algorithm::Beam, &[], 0.0),
        contestant(Optimal, IdaStar, &[Manhattan], 0.0),
        contestant(Optimal, IdaStar, &[LinearConflict], 0.0),
        contestant(Optimal, IdaStar, &[WalkingDistance], 0.0),
        contestant(Optimal, IdaStar, ALL_CORRECTIONS, 0.0),
        contestant(Optimal, Algorithm::Unspecified, &[], 0.0),
    ]
};

impl Contestant {
    fn name(&self) -> String {
        if self.algorithm == Algorithm::Unspecified {
            return "the service's choice".to_owned();
        }
        let mut text = match self.algorithm {
            Algorithm::AStar => "A*".to_owned(),
            Algorithm::WeightedAStar => "weighted A*".to_owned(),
            Algorithm::IdaStar => "IDA*".to_owned(),
            other => name(other.as_str_name(), "ALGORITHM_").replace('_', " "),
        };
        if self.weight > 0.0 {
            text += &format!(" {}", self.weight);
        }
        if self.variant != Variant::Unspecified {
            let variant = name(self.variant.as_str_name(), "VARIANT_");
            text += &format!(", {variant}");
        }
        match self.heuristics {
            ALL_CORRECTIONS => text += ", all corrections",
            heuristics => {
                for heuristic in heuristics {
                    let heuristic = name(heuristic.as_str_name(), "HEURISTIC_").replace('_', " ");
                    text += &format!(", {heuristic}");
                }
            }
        }
        text
    }

    /// Whether a search went by another heuristic than that of the method.
    fn is_other(&self, used: Heuristic) -> bool {
        let asked = self.heuristics.first();
        used != Heuristic::Unspecified && asked.is_some_and(|&asked| asked != used)
    }

    fn method(&self) -> Option<Method> {
        let mut heuristics = self.heuristics.iter().map(|&heuristic| heuristic.into());
        (self.algorithm != Algorithm::Unspecified).then(|| Method {
            algorithm: self.algorithm.into(),
            heuristic: heuristics.next().unwrap_or_default(),
            corrections: heuristics.collect(),
            weight: self.weight,
            variant: self.variant.into(),
        })
    }
}

/// The result of one method.
struct Row {
    method: String,
    outcome: String,
    length: Option<u64>,
    lower_bound: Option<u64>,
    expanded: Option<u64>,
    generated: Option<u64>,
    peak_open: Option<u64>,
    milliseconds: f64,
    /// Whether the solution was found by another heuristic than that of the method.
    stood_in: bool,
}

impl CompareArgs {
    pub(super) async fn answer<S: PuzzleService>(
        &self,
        input: &mut dyn Read,
        output: &mut dyn Write,
        local: impl FnOnce(&LimitArgs) -> Result<S, Failure>,
    ) -> Result<Exit, Failure> {
        let (board, goal) = self.puzzle.read(input)?;
        let latest = Latest::default();
        let rows = attend(&latest, None, async {
            let limits = LimitArgs {
                max_time: Some(self.max_time),
                tables: self.tables.clone(),
                ..LimitArgs::default()
            };
            let local = || local(&limits);
            let backend = Backend::choose(&self.server, local).await?;
            let mut rows = Vec::new();
            for contestant in CONTESTANTS {
                let limits = limits.message();
                let row = self.row(contestant, &backend, (&board, &goal), limits, &latest);
                rows.push(row.await?);
            }
            Ok(rows)
        })
        .await?;
        if self.json {
            let rows: Vec<Value> = rows.iter().map(Row::json).collect();
            writeln!(output, "{}", Value::from(rows))?;
        } else {
            table(output, &rows)?;
        }
        output.flush()?;
        Ok(Exit::Done)
    }

    async fn row<S: PuzzleService>(
        &self,
        contestant: &Contestant,
        backend: &Backend<S>,
        (board, goal): (&Board, &Board),
        limits: Limits,
        latest: &Latest,
    ) -> Result<Row, Failure> {
        // What is known of the method before does not hold for this one.
        latest.progress(Progress::default());
        let request = SolveRequest {
            board: Some(board.into()),
            goal: Some(self.puzzle.goal_message(goal)),
            objective: contestant.objective.into(),
            limits: Some(limits),
            method: contestant.method(),
            ..SolveRequest::default()
        };
        let begun = tokio::time::Instant::now();
        let ended = in_time(self.server.timeout, ask(backend, request, latest)).await;
        let method = contestant.name();
        match ended.unwrap_or(Err(Failure::Late)) {
            Ok((moves, summary)) => {
                let (board, goal) = (board.clone(), goal.clone());
                let answer = Answer::new(board, goal, Metric::SingleTile, moves, summary)?;
                let stood_in = contestant.is_other(answer.statistics().heuristic());
                Ok(Row {
                    stood_in,
                    ..Row::solved(method, &answer)
                })
            }
            Err(Failure::Refused(status)) => {
                Row::refused(method, &status, begun.elapsed()).ok_or(Failure::Refused(status))
            }
            Err(Failure::Late) => Ok(Row::nothing(method, "deadline", begun.elapsed())),
            Err(failure) => Err(failure),
        }
    }
}

impl Row {
    fn solved(method: String, answer: &Answer) -> Self {
        let statistics = answer.statistics();
        let solution = answer.solution();
        Self {
            method,
            outcome: if solution.optimal {
                "optimal"
            } else {
                "solved"
            }
            .to_owned(),
            length: Some(solution.length.into()),
            lower_bound: Some(solution.lower_bound.into()),
            expanded: Some(statistics.nodes_expanded),
            generated: Some(statistics.nodes_generated),
            peak_open: Some(statistics.peak_open),
            milliseconds: seconds(statistics.elapsed.as_ref()) * 1000.0,
            stood_in: false,
        }
    }

    /// Returns the row of a method that a limit or the call's deadline ended, for which the server has no room, or that does
    /// not support boards of this size; or `None` for any other failure.
    fn refused(method: String, status: &Status, elapsed: Duration) -> Option<Self> {
        let details = status.get_error_details();
        match (status.code(), refusal::exit(status)) {
            // A request that is too large is too large for every method.
            (Code::ResourceExhausted, exit) if exit != Exit::BadInput => {
                Some(Self::exhausted(method, &details, elapsed))
            }
            (Code::DeadlineExceeded | Code::Cancelled, Exit::Limit) => {
                Some(Self::nothing(method, "deadline", elapsed))
            }
            _ => {
                let mut violations = details.bad_request()?.field_violations.iter();
                violations
                    .all(|violation| violation.field.starts_with("solve.method."))
                    .then(|| Self::nothing(method, "unsupported", Duration::ZERO))
            }
        }
    }

    /// Returns the row of a method that a limit ended or that the server has no room for.
    fn exhausted(method: String, details: &ErrorDetails, elapsed: Duration) -> Self {
        let info = details.error_info();
        let number = |key: &str| info?.metadata.get(key)?.parse().ok();
        // A proxy on the way gives no reason.
        let outcome = info.map_or("resource_exhausted", |info| &info.reason);
        Self {
            lower_bound: number("lower_bound"),
            expanded: number("nodes_expanded"),
            generated: number("nodes_generated"),
            peak_open: number("peak_open"),
            ..Self::nothing(method, &outcome.to_ascii_lowercase(), elapsed)
        }
    }

    /// Returns the row of a method of which nothing but the outcome is known.
    fn nothing(method: String, outcome: &str, elapsed: Duration) -> Self {
        Self {
            method,
            outcome: outcome.to_owned(),
            length: None,
            lower_bound: None,
            expanded: None,
            generated: None,
            peak_open: None,
            milliseconds: elapsed.as_secs_f64() * 1000.0,
            stood_in: false,
        }
    }

    fn json(&self) -> Value {
        json!({
            "method": self.method,
            "outcome": self.outcome,
            "length": self.length,
            "lower_bound": self.lower_bound,
            "nodes_expanded": self.expanded,
            "nodes_generated": self.generated,
            "peak_open": self.peak_open,
            "milliseconds": self.milliseconds,
            "stood_in": self.stood_in,
        })
    }
}

fn table(output: &mut dyn Write, rows: &[Row]) -> io::Result<()> {
    let longest = rows.iter().map(|row| row.method.len()).max();
    let width = longest.unwrap_or_default();
    writeln!(
        output,
        "{:<width$} {:>7} {:>8} {:>12} {:>12} {:>10} {:>9}  outcome",
        "method", "length", "at least", "expanded", "generated", "open list", "ms"
    )?;
    let known = |figure: Option<u64>| figure.map_or_else(|| "–".to_owned(), number);
    for row in rows {
        let by = if row.stood_in {
            ", by another heuristic"
        } else {
            ""
        };
        writeln!(
            output,
            "{:<width$} {:>7} {:>8} {:>12} {:>12} {:>10} {:>9.1}  {}{by}",
            row.method,
            known(row.length),
            known(row.lower_bound),
            known(row.expanded),
            known(row.generated),
            known(row.peak_open),
            row.milliseconds,
            row.outcome.replace('_', " ")
        )?;
    }
    Ok(())
}
