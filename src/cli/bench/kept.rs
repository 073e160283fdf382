//! Whether a server keeps deadlines: boards from 3×3 to 16×16 with short deadlines, in turn.

use std::fmt;
use std::io::{self, Write};
use std::time::Duration;

use serde_json::{Value, json};

use super::report::times_as_json;
use super::served::{Call, Called};
use crate::bench::{Case, Figures, Run, Suite, milliseconds};
use crate::puzzle::Shape;

/// The sides of the boards, all square.
const SIDES: std::ops::RangeInclusive<usize> = 3..=16;

/// The default deadlines, in milliseconds.
const DEADLINES: [u64; 5] = [5, 10, 20, 50, 100];

/// Returns `count` calls: for each size in turn one call with each deadline, each with a new board.
pub(super) fn calls(count: u64, seed: u64, deadlines: &[Duration]) -> Vec<Call> {
    let shapes = || SIDES.filter_map(|side| Shape::new(side, side).ok());
    let deadlines = match deadlines {
        [] => DEADLINES.map(Duration::from_millis).to_vec(),
        named => named.to_vec(),
    };
    // Boards for whole rounds; the last round may be cut short.
    let round = (shapes().count() * deadlines.len()) as u64;
    let of_each = count.div_ceil(round) * deadlines.len() as u64;
    let boards = shapes().map(|shape| {
        let suite = Suite::Uniform {
            shape,
            count: of_each,
            seed,
        };
        suite.cases().unwrap_or_default().into_iter()
    });
    let mut boards: Vec<_> = boards.collect();
    let sizes = (0..boards.len()).cycle();
    // Each size comes equally often with each deadline.
    let pairs = sizes.flat_map(|size| deadlines.iter().map(move |&deadline| (size, deadline)));
    pairs
        .map_while(|(size, deadline)| {
            let case: Case = boards[size].next()?;
            Some(Call {
                case,
                deadline: Some(deadline),
                suite: None,
            })
        })
        .take(count as usize)
        .collect()
}

/// The figures of all calls with one deadline.
struct Row {
    deadline: Duration,
    calls: usize,
    /// Calls that ended after the deadline, whatever the answer.
    late: usize,
    /// Calls refused because of too many others.
    refused: usize,
    /// Calls neither refused nor answered with a solution.
    without: usize,
    /// By how much the latest call was late.
    overrun: Duration,
    /// The times of the calls that were answered with a solution.
    figures: Figures,
}

/// The figures of how a server kept its deadlines.
pub(super) struct Kept {
    rows: Vec<Row>,
    /// The calls that were late or, other than by a refusal, without a solution.
    broken: Vec<Called>,
}

impl Kept {
    pub(super) fn of(called: Vec<Called>) -> Self {
        let mut deadlines: Vec<Duration> = called.iter().filter_map(|call| call.deadline).collect();
        deadlines.sort_unstable();
        deadlines.dedup();
        let rows = deadlines.into_iter().map(|deadline| {
            let calls = called.iter().filter(|call| call.deadline == Some(deadline));
            Row::of(deadline, &calls.collect::<Vec<_>>())
        });
        Self {
            rows: rows.collect(),
            broken: called.into_iter().filter(is_broken).collect(),
        }
    }

    /// Prints the table, and with `each` the calls that were late or without a solution.
    pub(super) fn print(&self, output: &mut dyn Write, url: &str, each: bool) -> io::Result<()> {
        if each {
            for call in &self.broken {
                writeln!(output, "{}", Told(call))?;
            }
        }
        writeln!(output, "deadlines, by {url}")?;
        writeln!(
            output,
            "  {:>8} {:>7} {:>6} {:>8} {:>8} {:>8} {:>9} {:>9} {:>9}",
            "deadline", "calls", "late", "refused", "without", "overrun", "median", "p99", "max"
        )?;
        for row in &self.rows {
            let Figures {
                median, p99, max, ..
            } = row.figures;
            writeln!(
                output,
                "  {:>8} {:>7} {:>6} {:>8} {:>8} {:>8} {median:>9.3} {p99:>9.3} {max:>9.3}",
                humantime::format_duration(row.deadline).to_string(),
                row.calls,
                row.late,
                row.refused,
                row.without,
                format!("{:.3}", milliseconds(row.overrun)),
            )?;
        }
        Ok(())
    }

    pub(super) fn as_json(&self, url: &str, each: bool) -> Value {
        let row = |row: &Row| {
            json!({
                "deadline_seconds": row.deadline.as_secs_f64(),
                "calls": row.calls,
                "late": row.late,
                "refused": row.refused,
                "without_solution": row.without,
                "overrun_milliseconds": milliseconds(row.overrun),
                "milliseconds": times_as_json(&row.figures),
            })
        };
        let mut object = json!({
            "suite": "deadline",
            "server": url,
            "deadlines": self.rows.iter().map(row).collect::<Vec<_>>(),
        });
        if each {
            object["broken"] = self
                .broken
                .iter()
                .map(|call| Told(call).to_string())
                .collect();
        }
        object
    }
}

/// Whether a call broke its promise: it was late, or had no solution. A refusal breaks no promise.
fn is_broken(call: &Called) -> bool {
    call.is_late() || (call.answer.is_err() && !call.is_refused())
}

impl Row {
    fn of(deadline: Duration, calls: &[&Called]) -> Self {
        let runs: Vec<Run> = calls
            .iter()
            .filter_map(|call| call.answer.as_ref().ok().copied())
            .collect();
        let refused = calls.iter().filter(|call| call.is_refused()).count();
        let overruns = calls.iter().map(|call| call.time.saturating_sub(deadline));
        Self {
            deadline,
            calls: calls.len(),
            late: calls.iter().filter(|call| call.is_late()).count(),
            refused,
            without: calls.len() - runs.len() - refused,
            overrun: overruns.max().unwrap_or_default(),
            figures: Figures::of(&runs),
        }
    }
}

/// Formats a call as one line.
struct Told<'a>(&'a Called);

impl fmt::Display for Told<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Called {
            shape,
            deadline,
            time,
            answer,
        } = self.0;
        let deadline = humantime::format_duration(deadline.unwrap_or_default());
        let time = milliseconds(*time);
        write!(f, "{shape} by {deadline}: {time:.3} ms, ")?;
        match answer {
            Ok(_) => f.write_str("solved"),
            Err(status) => write!(f, "{:?}: {}", status.code(), status.message()),
        }
    }
}
