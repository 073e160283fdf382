//! The same boards through a server: calls a second and the time of a call, the client included.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::task::JoinSet;
use tonic::{Code, Request, Response, Status};

use super::report::{print_times, times_as_json};
use crate::bench::{Case, Figures, Run, Suite, WrongLength};
use crate::cli::input::board_message;
use crate::cli::moves::directions;
use crate::cli::{Failure, ServerArgs, backend};
use crate::puzzle::Replay;
use crate::service::proto::{Objective, SolveRequest, SolveResponse};

/// What the calls of a suite took.
#[derive(Debug)]
pub(super) struct Served {
    /// Of the calls that were answered; times are from the call to the answer.
    figures: Figures,
    calls_per_second: f64,
    /// Answers that came after the deadline.
    late: usize,
    /// Calls that were not answered, by their codes.
    failed: BTreeMap<String, usize>,
}

/// Asks for each board, so many calls under way at any time, and replays each answer. With a
/// deadline the best solutions are asked for, otherwise shortest ones.
///
/// # Errors
/// When the server cannot be reached, or an answer is wrong.
pub(super) async fn serve(
    cases: Vec<Case>,
    server: &ServerArgs,
    url: &str,
    in_flight: usize,
) -> Result<Served, Failure> {
    let client = backend::connect(server, url).await?;
    let cases = Arc::new(cases);
    let next = Arc::new(AtomicUsize::new(0));
    let begun = Instant::now();
    let mut callers = JoinSet::new();
    for _ in 0..in_flight.min(cases.len()) {
        let (cases, next) = (Arc::clone(&cases), Arc::clone(&next));
        let mut caller = Caller {
            client: client.clone(),
            deadline: server.timeout,
            calls: Calls::default(),
        };
        callers.spawn(async move {
            while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                caller.call(case).await?;
            }
            Ok::<_, Failure>(caller.calls)
        });
    }
    let mut all = Calls::default();
    while let Some(calls) = callers.join_next().await {
        let calls = calls.map_err(|error| Failure::Broken(error.to_string()))??;
        all.runs.extend(calls.runs);
        all.late += calls.late;
        for (code, count) in calls.failed {
            *all.failed.entry(code).or_default() += count;
        }
    }
    let took = begun.elapsed().as_secs_f64();
    Ok(Served {
        figures: Figures::of(&all.runs),
        calls_per_second: all.runs.len() as f64 / took,
        late: all.late,
        failed: all.failed,
    })
}

/// What has come of some calls.
#[derive(Default)]
struct Calls {
    runs: Vec<Run>,
    late: usize,
    failed: BTreeMap<String, usize>,
}

/// One who asks again as soon as there is an answer.
struct Caller {
    client: backend::Client,
    deadline: Option<Duration>,
    calls: Calls,
}

impl Caller {
    async fn call(&mut self, case: &Case) -> Result<(), Failure> {
        let start = case.problem.start();
        let objective = match self.deadline {
            Some(_) => Objective::Best,
            None => Objective::Optimal,
        };
        let mut request = Request::new(SolveRequest {
            board: Some(board_message(start)),
            objective: objective.into(),
            ..SolveRequest::default()
        });
        if let Some(deadline) = self.deadline {
            request.set_timeout(deadline);
        }
        let begun = Instant::now();
        let answer = self.client.solve(request).await;
        let time = begun.elapsed();
        match answer {
            Ok(response) => {
                self.calls.runs.push(checked(case, response, time)?);
                self.calls.late += usize::from(self.deadline.is_some_and(|most| time > most));
            }
            Err(status) if status.code() == Code::Unavailable => return Err(status.into()),
            Err(status) => {
                *self.calls.failed.entry(code(&status)).or_default() += 1;
            }
        }
        Ok(())
    }
}

fn code(status: &Status) -> String {
    format!("{:?}", status.code())
}

/// Replays an answer, and compares what it claims with what is known.
fn checked(case: &Case, response: Response<SolveResponse>, time: Duration) -> Result<Run, Failure> {
    let broken = |what: &str| Failure::Broken(format!("{}: {what}", case.problem.start()));
    let response = response.into_inner();
    let solution = response.solution.unwrap_or_default();
    let moves = directions(solution.moves())?;
    let mut replay = Replay::new(&case.problem);
    replay
        .play(&moves)
        .and_then(|()| replay.finish())
        .map_err(|error| broken(&format!("the server's solution is none: {error}")))?;
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
        return Err(Failure::Broken(wrong.to_string()));
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

impl Served {
    pub(super) fn print(
        &self,
        output: &mut dyn Write,
        suite: &Suite,
        url: &str,
        calls: usize,
    ) -> io::Result<()> {
        let figures = &self.figures;
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

    pub(super) fn as_json(&self, suite: &Suite, url: &str, calls: usize) -> Value {
        let figures = &self.figures;
        json!({
            "suite": suite.to_string(),
            "server": url,
            "calls": calls,
            "answered": figures.solved,
            "calls_per_second": self.calls_per_second,
            "late": self.late,
            "mean_length": figures.mean_length,
            "milliseconds": times_as_json(figures),
            "failed": self.failed,
        })
    }
}
