//! The lengths of solutions by a deadline, for people and as JSON.

use std::io::{self, Write};
use std::time::Duration;

use serde_json::{Value, json};

use crate::bench::{Case, Lengths, Suite};
use crate::puzzle::Shape;

/// The uniform boards of the suite: rows, columns and how many.
pub(super) const SIZES: [(usize, usize, u64); 8] = [
    (5, 5, 100),
    (6, 6, 100),
    (7, 7, 100),
    (8, 8, 100),
    (10, 10, 100),
    (16, 16, 20),
    (32, 32, 10),
    (100, 100, 3),
];

/// The deadlines when none are named.
pub(super) const DEADLINES: [Duration; 3] = [
    Duration::from_millis(20),
    Duration::from_millis(100),
    Duration::from_secs(1),
];

/// One suite with its figures by each deadline.
pub(super) struct ByDeadline<'a> {
    pub(super) suite: &'a Suite,
    pub(super) cases: &'a [Case],
    pub(super) lengths: Vec<(Duration, Lengths)>,
}

impl ByDeadline<'_> {
    pub(super) fn print(&self, output: &mut dyn Write) -> io::Result<()> {
        writeln!(output, "{}: {} boards", self.suite, self.cases.len())?;
        writeln!(
            output,
            "  {:>8} {:>9} {:>7} {:>9} {:>8} {:>9} {:>7} {:>7}",
            "deadline", "length", "÷ n³", "first 50", "excess", "bound", "proven", "solved"
        )?;
        if let Some((_, lengths)) = self.lengths.first() {
            writeln!(
                output,
                "  {:>8} {:>9.2} {:>7.3}",
                format!("{:.2} ms", lengths.first),
                lengths.first_length,
                lengths.first_length / self.cube(),
            )?;
        }
        for (deadline, lengths) in &self.lengths {
            let excess = lengths
                .excess
                .map(|excess| format!("{:.2} %", excess * 1e2));
            writeln!(
                output,
                "  {:>8} {:>9.2} {:>7.3} {:>9.2} {:>8} {:>9.2} {:>7} {:>7}",
                humantime::format_duration(*deadline).to_string(),
                lengths.length,
                lengths.length / self.cube(),
                lengths.length_of_50,
                excess.unwrap_or_default(),
                lengths.lower_bound,
                lengths.proven,
                lengths.solved,
            )?;
        }
        Ok(())
    }

    pub(super) fn as_json(&self) -> Value {
        let row = |(deadline, lengths): &(Duration, Lengths)| {
            json!({
                "deadline_seconds": deadline.as_secs_f64(),
                "solved": lengths.solved,
                "proven": lengths.proven,
                "mean_length": lengths.length,
                "mean_length_of_first_50": lengths.length_of_50,
                "length_by_cube": lengths.length / self.cube(),
                "excess": lengths.excess,
                "mean_lower_bound": lengths.lower_bound,
                "first": {
                    "milliseconds": lengths.first,
                    "mean_length": lengths.first_length,
                },
            })
        };
        json!({
            "suite": self.suite.to_string(),
            "boards": self.cases.len(),
            "deadlines": self.lengths.iter().map(row).collect::<Vec<_>>(),
        })
    }

    /// The number of cells to the power of 3/2: n³ on n×n.
    fn cube(&self) -> f64 {
        let cells = |case: &Case| Shape::cells(case.problem.shape());
        (self.cases.first().map_or(1, cells) as f64).powf(1.5)
    }
}
