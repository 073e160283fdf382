//! The lengths of solutions by deadlines, as text and as JSON.

use std::collections::HashSet;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::plot::Curve;
use super::{Failure, bar, refuted};
use crate::bench::{Case, Lengths, Means, Suite, Workers, WrongLength, best_by};
use crate::cli::spelling::count;
use crate::search::anytime::beams;
use crate::search::anytime::widening::{Kind, Scale};
use crate::search::tables::Tables;

/// The default deadlines.
pub(super) const DEADLINES: [Duration; 3] = [
    Duration::from_millis(20),
    Duration::from_millis(100),
    Duration::from_secs(1),
];

/// The figures of one suite by each deadline.
pub(super) struct ByDeadline<'a> {
    suite: &'a Suite,
    cases: &'a [Case],
    /// The number of worker threads, if workers solved the boards.
    threads: Option<u16>,
    lengths: Vec<(Duration, Lengths)>,
}

impl<'a> ByDeadline<'a> {
    /// Looks for the best solutions of all boards by each deadline, on this thread or by workers.
    ///
    /// # Errors
    /// When a solution is shorter than the known shortest length.
    pub(super) fn of(
        suite: &'a Suite,
        cases: &'a [Case],
        tables: &Arc<Tables>,
        deadlines: &[Duration],
        workers: Option<(u16, &Workers)>,
    ) -> Result<Self, Failure> {
        let best_by = |case, tables, deadline| match workers {
            Some((_, workers)) => workers.best_by(case, tables, deadline),
            None => best_by(case, tables, deadline),
        };
        let bar = bar(cases.len() * deadlines.len(), suite);
        // What is made once for all boards of a size, or of a home of the blank, must not count against a
        // deadline.
        let wide = Scale::new(Kind::Whole, 1 << 20);
        for case in cases {
            let beams = beams::beams(&case.problem, tables);
            while !(beams.prepare(1 << 16) && beams.refine(wide, 1 << 16)) {}
        }
        let mut kinds = HashSet::new();
        let is_first = |case: &&Case| kinds.insert((case.problem.shape(), case.problem.home()));
        if let Some(&longest) = deadlines.iter().max() {
            for case in cases.iter().filter(is_first) {
                best_by(case, tables, longest).map_err(|wrong| refuted(suite, &wrong))?;
            }
        }
        let by = |&deadline: &Duration| {
            let reached: Result<Vec<_>, WrongLength> = cases
                .iter()
                .map(|case| {
                    let reached = best_by(case, tables, deadline);
                    bar.inc(1);
                    reached
                })
                .collect();
            let reached = reached.map_err(|wrong| refuted(suite, &wrong))?;
            Ok((deadline, Lengths::of(cases, &reached)))
        };
        let lengths: Result<_, Failure> = deadlines.iter().map(by).collect();
        bar.finish_and_clear();
        Ok(Self {
            suite,
            cases,
            threads: workers.map(|(threads, _)| threads),
            lengths: lengths?,
        })
    }

    pub(super) fn print(&self, output: &mut dyn Write) -> io::Result<()> {
        let boards = count(self.cases.len() as u64, "board");
        write!(output, "{}: {boards}", self.suite)?;
        if let Some(threads) = self.threads {
            write!(output, " on {}", count(threads.into(), "thread"))?;
        }
        writeln!(output)?;
        writeln!(
            output,
            "  {:>8} {:>9} {:>7} {:>9} {:>8} {:>9} {:>7} {:>7}",
            "deadline", "length", "÷ n³", "first 50", "excess", "bound", "proven", "solved"
        )?;
        let firsts = self.lengths.iter().find_map(|(_, lengths)| lengths.means);
        if let Some(means) = firsts {
            writeln!(
                output,
                "  {:>8} {:>9.2} {:>7.3}",
                format!("{:.2} ms", means.first),
                means.first_length,
                means.first_length / self.cube(),
            )?;
        }
        for (deadline, lengths) in &self.lengths {
            let deadline = humantime::format_duration(*deadline).to_string();
            let Some(means) = lengths.means else {
                writeln!(output, "  {deadline:>8} {:>54} {:>7}", "", lengths.solved)?;
                continue;
            };
            let excess = means.excess.map(|excess| format!("{:.2} %", excess * 1e2));
            writeln!(
                output,
                "  {:>8} {:>9.2} {:>7.3} {:>9.2} {:>8} {:>9.2} {:>7} {:>7}",
                deadline,
                means.length,
                means.length / self.cube(),
                means.length_of_50,
                excess.unwrap_or_default(),
                means.lower_bound,
                lengths.proven,
                lengths.solved,
            )?;
        }
        Ok(())
    }

    pub(super) fn as_json(&self) -> Value {
        let row = |(deadline, lengths): &(Duration, Lengths)| {
            let means = lengths.means;
            json!({
                "deadline_seconds": deadline.as_secs_f64(),
                "solved": lengths.solved,
                "proven": lengths.proven,
                "mean_length": means.map(|means| means.length),
                "mean_length_of_first_50": means.map(|means| means.length_of_50),
                "length_by_cube": means.map(|means| means.length / self.cube()),
                "excess": means.and_then(|means| means.excess),
                "mean_lower_bound": means.map(|means| means.lower_bound),
                "first": means.map(|means| json!({
                    "milliseconds": means.first,
                    "mean_length": means.first_length,
                })),
            })
        };
        let mut object = json!({
            "suite": self.suite.to_string(),
            "boards": self.cases.len(),
            "deadlines": self.lengths.iter().map(row).collect::<Vec<_>>(),
        });
        if let Some(threads) = self.threads {
            object["threads"] = threads.into();
        }
        object
    }

    /// Returns how the lengths fall with time, from the first solutions on. A deadline by which some
    /// boards had no solution is left out.
    pub(super) fn curve(&self) -> Curve {
        let all = |(deadline, lengths): &(Duration, Lengths)| {
            let has_all = lengths.solved == self.cases.len();
            Some((*deadline, lengths.means.filter(|_| has_all)?))
        };
        let means: Vec<(Duration, Means)> = self.lengths.iter().filter_map(all).collect();
        let first = means.first();
        let first = first.map(|(_, means)| (means.first / 1e3, means.first_length));
        let later = means.iter();
        let later = later.map(|(deadline, means)| (deadline.as_secs_f64(), means.length));
        let mut points: Vec<(f64, f64)> = first.into_iter().chain(later).collect();
        points.sort_by(|one, other| one.0.total_cmp(&other.0));
        Curve {
            name: match self.suite {
                Suite::Uniform { shape, .. } => shape.to_string(),
                other => other.to_string(),
            },
            points: points
                .into_iter()
                .map(|(seconds, length)| (seconds, length / self.cube()))
                .collect(),
        }
    }

    /// Returns the mean of the number of cells to the power of 3/2: n³ on n×n.
    fn cube(&self) -> f64 {
        let cubes = self.cases.iter();
        let cubes = cubes.map(|case| (case.problem.shape().cells() as f64).powf(1.5));
        cubes.sum::<f64>() / self.cases.len().max(1) as f64
    }
}
