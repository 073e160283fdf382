//! The boards solved through a server: calls a second, and the time of a call including the client's part.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::task::JoinSet;
use tonic::{Code, Response, Status};

use super::refuted;
use super::report::{print_times, times_as_json};
use crate::bench::{Case, Figures, Run, Suite, WrongLength};
use crate::cli::attend::in_time;
use crate::cli::moves::directions;
use crate::cli::{Failure, backend, refusal};
use crate::puzzle::{Replay, Shape};
use crate::service::proto::{Objective, SolveRequest, SolveResponse};

/// A call to be made.
pub(super) struct Call {
    pub(super) case: Case,
    /// The deadline. With one, the best solution is asked for, otherwise a shortest one.
    pub(super) deadline: Option<Duration>,
    /// The suite that the board is from, to be named if the answer contradicts its known length.
    pub(super) suite: Option<Arc<Suite>>,
}

/// A call that has been made.
pub(super) struct Called {
    pub(super) shape: Shape,
    pub(super) deadline: Option<Duration>,
    /// The time from the call to the answer.
    pub(super) time: Duration,
    /// The run, if a solution came, or the error.
    pub(super) answer: Result<Run, Status>,
}

impl Called {
    /// Whether it ended after its deadline.
    pub(super) fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| self.time > deadline)
    }

    /// Whether the server refused it because of too many others.
    pub(super) fn is_refused(&self) -> bool {
        self.answer.as_ref().is_err_and(refusal::is_overload)
    }
}

/// What to end with: a failure if no call was answered, as the first error says.
pub(super) fn outcome(called: &[Called]) -> Result<(), Failure> {
    let answered = called.iter().any(|call| call.answer.is_ok());
    let first = called.iter().find_map(|call| call.answer.as_ref().err());
    match first {
        Some(status) if !answered => Err(Failure::Refused(status.clone())),
        _ => Ok(()),
    }
}

/// Makes the calls, `in_flight` of them at any time, and replays each answer. Invokes `done` after each call.
///
/// # Errors
/// When the connection breaks, or an answer is wrong.
pub(super) async fn make(
    calls: Vec<Call>,
    client: &backend::Client,
    in_flight: usize,
    done: impl Fn() + Clone + Send + 'static,
) -> Result<Vec<Called>, Failure> {
    let calls = Arc::new(calls);
    let next = Arc::new(AtomicUsize::new(0));
    let mut callers = JoinSet::new();
    for _ in 0..in_flight.min(calls.len()) {
        let (calls, next) = (Arc::clone(&calls), Arc::clone(&next));
        let (mut client, done) = (client.clone(), done.clone());
        callers.spawn(async move {
            let mut called = Vec::new();
            while let Some(call) = calls.get(next.fetch_add(1, Ordering::Relaxed)) {
                called.push(make_one(&mut client, call).await?);
                done();
            }
            Ok::<_, Failure>(called)
        });
    }
    let mut all = Vec::with_capacity(calls.len());
    while let Some(called) = callers.join_next().await {
        all.extend(called.map_err(|error| Failure::Broken(error.to_string()))??);
    }
    Ok(all)
}

async fn make_one(client: &mut backend::Client, call: &Call) -> Result<Called, Failure> {
    let Call {
        case,
        deadline,
        suite,
    } = call;
    let objective = match deadline {
        Some(_) => Objective::Best,
        None => Objective::Optimal,
    };
    let question = SolveRequest {
        board: Some(case.problem.start().into()),
        objective: objective.into(),
        ..SolveRequest::default()
    };
    let request = backend::with_deadline(question, *deadline);
    let begun = Instant::now();
    let answer = in_time(*deadline, client.solve(request)).await;
    let late = || Err(Status::deadline_exceeded("no answer in time"));
    let answer = answer.unwrap_or_else(late);
    let time = begun.elapsed();
    Ok(Called {
        shape: case.problem.shape(),
        deadline: *deadline,
        time,
        answer: match answer {
            Ok(response) => Ok(checked(case, suite.as_deref(), response, time)?),
            Err(status) if status.code() == Code::Unavailable => return Err(status.into()),
            Err(status) => Err(status),
        },
    })
}

/// Replays an answer, and compares its length with the known shortest length, if there is one.
fn checked(
    case: &Case,
    suite: Option<&Suite>,
    response: Response<SolveResponse>,
    time: Duration,
) -> Result<Run, Failure> {
    let broken = |what: &str| Failure::Broken(format!("{}: {what}", case.problem.start()));
    let response = response.into_inner();
    let solution = response.solution.unwrap_or_default();
    let moves = directions(solution.moves())?;
    let mut replay = Replay::new(&case.problem);
    replay
        .play(&moves)
        .and_then(|()| replay.finish())
        .map_err(|error| broken(&format!("the server's solution is wrong: {error}")))?;
    let (proven, optimal) = (moves.len(), solution.optimal);
    if let Some(known) = case.length
        && (proven < known || (optimal && proven > known))
    {
        let board = case.problem.start().clone();
        let wrong = WrongLength {
            board,
            proven,
            known,
        };
        return Err(match suite {
            Some(suite) => refuted(suite, &wrong),
            None => Failure::Broken(wrong.to_string()),
        });
    }
    Ok(Run {
        length: Some(proven),
        time,
        wall: time,
        nodes: response
            .statistics
            .map_or(0, |statistics| statistics.nodes_generated),
        lower_bound: solution.lower_bound,
    })
}

/// The figures of the calls of a suite.
pub(super) struct Served {
    /// The figures of the answered calls; times are from the call to the answer.
    figures: Figures,
    calls: usize,
    calls_per_second: f64,
    /// The number of answers that came after the deadline.
    late: usize,
    /// The number of calls that were not answered, by gRPC code.
    failed: BTreeMap<String, usize>,
}

impl Served {
    /// Returns the figures of these calls, which took `took` together.
    pub(super) fn of(called: &[Called], took: Duration) -> Self {
        let answered = || called.iter().filter_map(|call| call.answer.as_ref().ok());
        let runs: Vec<Run> = answered().copied().collect();
        let is_late = |call: &&Called| call.answer.is_ok() && call.is_late();
        let mut failed = BTreeMap::new();
        for status in called.iter().filter_map(|call| call.answer.as_ref().err()) {
            *failed.entry(format!("{:?}", status.code())).or_default() += 1;
        }
        Self {
            figures: Figures::of(&runs),
            calls: called.len(),
            calls_per_second: runs.len() as f64 / took.as_secs_f64(),
            late: called.iter().filter(is_late).count(),
            failed,
        }
    }

    pub(super) fn print(&self, output: &mut dyn Write, suite: &Suite, url: &str) -> io::Result<()> {
        let Self { figures, calls, .. } = self;
        writeln!(
            output,
            "{suite}, by {url}: {} of {calls} calls answered, {:.0} a second, {} late, mean length {:.3}",
            figures.solved, self.calls_per_second, self.late, figures.mean_length
        )?;
        print_times(output, figures)?;
        for (code, count) in &self.failed {
            writeln!(output, "  {code}: {count}")?;
        }
        Ok(())
    }

    pub(super) fn as_json(&self, suite: &Suite, url: &str) -> Value {
        let figures = &self.figures;
        json!({
            "suite": suite.to_string(),
            "server": url,
            "calls": self.calls,
            "answered": figures.solved,
            "calls_per_second": self.calls_per_second,
            "late": self.late,
            "mean_length": figures.mean_length,
            "milliseconds": times_as_json(figures),
            "failed": self.failed,
        })
    }
}
