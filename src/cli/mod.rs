//! The command line: a client of the service.
//!
//! `solve`, `check` and `generate` build the messages of the wire contract and hand them to a
//! [`Backend`]: the service inside this process, or with `--server` one elsewhere. What comes
//! back is printed by the same code either way. Knows the contract and how people write boards
//! and moves; must not know the engine or the searches, but for `run`, which starts the engine of the service inside this
//! process, and `bench`, `tables` and `train`, which measure and make what searches go by.

mod attend;
mod backend;
mod bench;
mod check;
mod choices;
mod compare;
mod exit;
mod generate;
mod health;
mod input;
mod limits;
mod moves;
mod refusal;
mod run;
mod serve;
mod solution;
mod solve;
mod spelling;
mod tables;
mod token;
mod top;
mod train;

use std::io::{Read, Write};

use clap::builder::Resettable;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::config::ServeConfig;
use crate::service::proto::puzzle_service_server::PuzzleService;

pub use attend::Latest;
pub use backend::{Backend, Events, ServerArgs, TlsArgs};
pub use bench::BenchArgs;
pub use check::CheckArgs;
pub use compare::CompareArgs;
pub use exit::{Exit, Failure};
pub use generate::GenerateArgs;
pub use health::HealthArgs;
pub use limits::LimitArgs;
pub use run::run;
pub use solve::SolveArgs;
pub use tables::TablesArgs;
pub use token::TokenArgs;
pub use top::{Samples, TopArgs};

const EXIT_CODES: &str = "\
Exit codes:
  0    done
  1    the board is unsolvable (solve, check)
  2    the board or an option is wrong
  3    a limit or the deadline came first
  4    the server cannot be reached, is overloaded or is shutting down
  5    something is broken: please report it
  6    the server is not serving (health)
  130  interrupted";

const SERVE_EXAMPLES: &str = "\
Every option is also a variable, which the option overrides. One that is empty says nothing.

Examples:
  loyd serve
  loyd serve --listen 0.0.0.0:50051 --tls-cert loyd.crt --tls-key loyd.key
  loyd serve --listen 0.0.0.0:50051 --insecure --metrics-listen 0.0.0.0:9464 --log-format json
  LOYD_WORKERS=4 LOYD_QUEUE=256 LOYD_DRAIN_DELAY=5s loyd serve";

/// Solves sliding-tile puzzles: the 8-, 15- and 24-puzzle and every other rectangle from 2×2 to
/// 128×128.
#[derive(Parser, Debug)]
#[command(name = "loyd", version, after_help = EXIT_CODES)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

impl Cli {
    /// Reads the command line and the variables; ends the process if it is none.
    #[must_use]
    pub fn read() -> Self {
        let matches = without_empty(Self::command()).get_matches();
        Self::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
    }
}

/// A command for which a variable that is empty is as good as none: who deploys loyd may fill all of them in, with nothing
/// where there is nothing to say.
fn without_empty(command: clap::Command) -> clap::Command {
    command
        .mut_args(|arg| {
            let value = arg.get_env().and_then(std::env::var_os);
            match value.is_some_and(|value| value.is_empty()) {
                true => arg.env(Resettable::Reset),
                false => arg,
            }
        })
        .mut_subcommands(without_empty)
}

/// The commands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Run the service.
    #[command(after_help = SERVE_EXAMPLES)]
    Serve(Box<ServeConfig>),
    /// Measure how fast boards are solved to optimality.
    Bench(BenchArgs),
    /// Build and look after the tables that make optimal solving fast.
    Tables(TablesArgs),
    /// Make a token for a client.
    Token(TokenArgs),
    /// Watch a running server.
    Top(TopArgs),
    /// Ask a running server whether it serves: a probe.
    Health(HealthArgs),
    /// Ask the service something.
    #[command(flatten)]
    Ask(Ask),
}

/// The commands that ask the service something.
#[derive(Subcommand, Debug)]
pub enum Ask {
    /// Solve a board.
    Solve(SolveArgs),
    /// Tell whether a board can be solved, with the evidence.
    Check(CheckArgs),
    /// Make boards.
    Generate(GenerateArgs),
    /// Compare the methods on one board.
    Compare(CompareArgs),
}

impl Ask {
    /// Puts the question and prints the answer on `output`.
    ///
    /// The board is read from `input` when the command line names no other place. `local` makes
    /// the service for a question without `--server`, given the limits that were asked for.
    ///
    /// # Errors
    /// When the question is not a legal one, nobody answers it, or the answer cannot be written.
    pub async fn answer<S: PuzzleService>(
        &self,
        input: &mut dyn Read,
        output: &mut dyn Write,
        local: impl FnOnce(&LimitArgs) -> Result<S, Failure>,
    ) -> Result<Exit, Failure> {
        match self {
            Self::Solve(args) => args.answer(input, output, local).await,
            Self::Check(args) => args.answer(input, output, local).await,
            Self::Generate(args) => args.answer(output, local).await,
            Self::Compare(args) => args.answer(input, output, local).await,
        }
    }
}
