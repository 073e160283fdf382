//! The boards that the options select.

use std::fs;

use clap::ValueEnum;

use super::{BenchArgs, Failure, SIDE};
use crate::bench::Suite;
use crate::puzzle::Shape;

/// The suites that are part of loyd.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Name {
    /// Korf's hundred random 15-puzzles of 1985.
    Korf,
    /// The seventeen 15-puzzles that need 80 moves, the most of all.
    Farthest,
    /// Two 15-puzzles that are harder to solve than any of farthest.
    Hard,
    /// Boards drawn by --seed; all solvable boards are equally likely.
    Uniform,
    /// Uniform boards from 5x5 to 100x100, by deadlines; with --server, from 3x3 to 16x16.
    Deadline,
}

/// The uniform boards of the suite deadline: rows, columns and number of boards.
const SIZES: [(usize, usize, u64); 8] = [
    (5, 5, 100),
    (6, 6, 100),
    (7, 7, 100),
    (8, 8, 100),
    (10, 10, 100),
    (16, 16, 20),
    (32, 32, 10),
    (100, 100, 3),
];

impl BenchArgs {
    /// Returns the suites to solve.
    pub(super) fn suites(&self) -> Result<Vec<Suite>, Failure> {
        let [rows, columns] = [self.rows, self.columns].map(|side| side.unwrap_or(SIDE));
        let shape = Shape::new(rows, columns)
            .map_err(|error| Failure::Input(format!("--rows, --columns: {error}")))?;
        let uniform = |shape, count| Suite::Uniform {
            shape,
            count,
            seed: self.seed(),
        };
        let named = |name| match name {
            Name::Korf => vec![Suite::Korf],
            Name::Farthest => vec![Suite::Farthest],
            Name::Hard => vec![Suite::Hard],
            Name::Uniform => vec![uniform(shape, self.count())],
            Name::Deadline => SIZES
                .into_iter()
                .filter_map(|(rows, columns, count)| {
                    let shape = Shape::new(rows, columns).ok()?;
                    Some(uniform(shape, count.min(self.count())))
                })
                .collect(),
        };
        let mut suites: Vec<Suite> = self.names().iter().copied().flat_map(named).collect();
        for path in &self.file {
            let text = fs::read_to_string(path)
                .map_err(|error| Failure::Input(format!("{}: {error}", path.display())))?;
            suites.push(Suite::Listed {
                name: path.display().to_string(),
                text,
            });
        }
        Ok(suites)
    }

    /// Returns the suites by their names, without those in files.
    pub(super) fn names(&self) -> &[Name] {
        if self.suite.is_empty() && self.file.is_empty() {
            &[Name::Korf, Name::Uniform]
        } else {
            &self.suite
        }
    }
}
