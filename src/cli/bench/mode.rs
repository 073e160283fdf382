//! What is measured, as the options select it.

use std::time::Duration;

use super::deadline::DEADLINES;
use super::suites::Name;
use super::{BenchArgs, Failure};

/// What is measured, and where.
pub(super) enum Mode<'a> {
    /// How long shortest solutions take in this process.
    Proofs,
    /// How short the best solutions by these deadlines are in this process.
    Lengths(Vec<Duration>),
    /// How many calls the server at this address answers.
    Calls(&'a str),
    /// Whether the server at this address keeps deadlines.
    Kept(&'a str),
}

impl BenchArgs {
    /// Returns what is to be measured.
    ///
    /// # Errors
    /// When the suites cannot be measured together, or an option would have no effect.
    pub(super) fn mode(&self) -> Result<Mode<'_>, Failure> {
        let is_deadline = |&name: &Name| name == Name::Deadline;
        let any = self.suite.iter().any(is_deadline);
        let mixed = any && !(self.suite.iter().all(is_deadline) && self.file.is_empty());
        let mode = match &self.server.server {
            Some(_) if mixed => {
                return Err(wrong(
                    "--suite deadline with --server makes calls of its own: ask for other boards in another run",
                ));
            }
            Some(url) if any => Mode::Kept(url),
            Some(url) => Mode::Calls(url),
            None if !self.deadline.is_empty() => Mode::Lengths(self.deadline.clone()),
            None if mixed => {
                return Err(wrong(
                    "--suite deadline looks for the best solutions by deadlines, the other boards are solved to the end: \
                     ask for them in another run, or give the --deadline for all",
                ));
            }
            None if any => Mode::Lengths(DEADLINES.to_vec()),
            None => Mode::Proofs,
        };
        let stray = self.options_without_boards().into_iter();
        let mut stray = stray.chain(self.options_without_effect(&mode));
        match stray.find(|&(is_given, _)| is_given) {
            Some((_, hint)) => Err(wrong(hint)),
            None => Ok(mode),
        }
    }

    /// Returns the options for boards that are drawn, if no such boards are: whether each is given, and what to do
    /// instead.
    fn options_without_boards(&self) -> [(bool, &'static str); 3] {
        let is_uniform = self.names().contains(&Name::Uniform);
        let is_drawn = is_uniform || self.names().contains(&Name::Deadline);
        let has_size = self.rows.is_some() || self.columns.is_some();
        [
            (
                self.count.is_some() && !is_drawn,
                "--count is for --suite uniform and --suite deadline; other suites and files are solved whole: leave it \
                 out, or add --suite uniform",
            ),
            (
                self.seed.is_some() && !is_drawn,
                "--seed is for --suite uniform and --suite deadline; other suites and files have their own boards: leave \
                 it out, or add --suite uniform",
            ),
            (
                has_size && !is_uniform,
                "--rows and --columns are for --suite uniform; other suites and files have their own boards: leave them \
                 out, or add --suite uniform",
            ),
        ]
    }

    /// Returns the options that have no effect on what is measured: whether each is given, and what to do instead.
    fn options_without_effect(&self, mode: &Mode) -> Vec<(bool, &'static str)> {
        match mode {
            Mode::Proofs => vec![(
                self.plot.is_some(),
                "--plot draws lengths by deadlines: add --deadline, or --suite deadline",
            )],
            Mode::Lengths(_) => vec![
                (
                    self.max_time.is_some(),
                    "--max-time is for shortest solutions; for the best ones --deadline says how long to look",
                ),
                (
                    self.each,
                    "--each is for shortest solutions, and for --suite deadline with --server",
                ),
            ],
            Mode::Calls(_) => vec![
                (
                    !self.deadline.is_empty(),
                    "--deadline with --server is only for --suite deadline; for other suites use --timeout",
                ),
                (
                    self.each,
                    "--each with --server is only for --suite deadline",
                ),
            ],
            Mode::Kept(_) => vec![(
                self.server.timeout.is_some(),
                "--timeout is not for --suite deadline; use --deadline",
            )],
        }
    }
}

fn wrong(hint: &str) -> Failure {
    Failure::Input(hint.to_owned())
}
