//! The command line: a client of the service.
//!
//! `solve`, `check`, `generate` and `compare` build the messages of the wire contract and hand them to a
//! [`Backend`]: the service inside this process or, with `--server`, one elsewhere. The same code
//! prints the answer either way.
//!
//! This module knows the contract and how people write boards and moves. It must not know the engine
//! or the searches. There are two exceptions: `run` starts the engine of the service inside this process,
//! and `bench`, `tables` and `train` measure searches and make the tables and weights that guide them.

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
mod metrics;
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
mod try_out;

use std::ffi::OsStr;
use std::io::{Read, Write};

use clap::builder::Resettable;
use clap::error::{ContextKind, ContextValue, ErrorKind};
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
  1    the board is unsolvable (solve, check, compare)
  2    the board or an option is wrong
  3    a limit or the deadline came first
  4    the server cannot be reached, is overloaded or is shutting down
  5    a failed write, a damaged table (tables), or a defect: please report it
  6    the server is not serving (health)
  130  interrupted";

const SERVE_EXAMPLES: &str = "\
Every option can also be set by an environment variable, which the option overrides. An empty
variable counts as unset.

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
    /// Parses the command line and the environment variables. An empty variable counts as unset: a deployment may
    /// define all of them and leave some empty.
    ///
    /// # Errors
    /// When they are invalid; or the help or the version, if that is asked for.
    pub fn read() -> Result<Self, clap::Error> {
        let command = without_variables(Self::command(), OsStr::is_empty);
        let matches = command.clone().try_get_matches();
        Self::from_arg_matches(&matches.map_err(|error| explained(error, command))?)
    }
}

/// Returns the command without the environment variables that have such a value.
fn without_variables(command: clap::Command, is_left_out: fn(&OsStr) -> bool) -> clap::Command {
    command
        .mut_args(|arg| {
            let value = arg.get_env().and_then(std::env::var_os);
            match value.is_some_and(|value| is_left_out(&value)) {
                true => arg.env(Resettable::Reset),
                false => arg,
            }
        })
        .mut_subcommands(|command| without_variables(command, is_left_out))
}

/// Returns an error as whoever sets options by variables needs it. Of an option with a wrong value it names the variable that
/// sets it. If it comes without variables, too, it has the usage without them, since its own shows the options that they
/// set as if those were required.
fn explained(mut error: clap::Error, command: clap::Command) -> clap::Error {
    let of = |error: &clap::Error| (error.kind(), error.get(ContextKind::InvalidArg).cloned());
    let typed = without_variables(command.clone(), |_| true).try_get_matches();
    let tip = match (typed, error.get(ContextKind::InvalidArg)) {
        (Err(typed), _) if of(&typed) == of(&error) => {
            if let Some(usage) = typed.get(ContextKind::Usage) {
                error.insert(ContextKind::Usage, usage.clone());
            }
            None
        }
        (_, Some(ContextValue::String(option))) => variable_of(&command, option)
            .map(|variable| format!("it is set by the variable {variable}")),
        (_, None) if error.kind() == ErrorKind::InvalidUtf8 => {
            set_variable(&command, &|_, value| value.to_str().is_none())
                .map(|variable| format!("set the variable {variable} to text"))
        }
        _ => None,
    };
    if let Some(tip) = tip {
        let tips = ContextValue::StyledStrs(vec![tip.into()]);
        error.insert(ContextKind::Suggested, tips);
    }
    error
}

/// Returns the variable that sets an option, which is given as errors write it: `--max-nodes <NODES>`.
fn variable_of(command: &clap::Command, option: &str) -> Option<String> {
    let long = option.strip_prefix("--")?.split(' ').next();
    set_variable(command, &|arg, _| arg.get_long() == long)
}

/// Returns the first variable that is set and, with the option that it sets and its value, is the one that is meant.
fn set_variable(
    command: &clap::Command,
    is_meant: &dyn Fn(&clap::Arg, &OsStr) -> bool,
) -> Option<String> {
    let variable = command.get_arguments().find_map(|arg| {
        let variable = arg.get_env()?;
        let value = std::env::var_os(variable)?;
        is_meant(arg, &value).then(|| variable.display().to_string())
    });
    let within = || {
        let mut commands = command.get_subcommands();
        commands.find_map(|command| set_variable(command, is_meant))
    };
    variable.or_else(within)
}

/// A command of the command line.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Run the service.
    #[command(after_help = SERVE_EXAMPLES)]
    Serve(Box<ServeConfig>),
    /// Measure how fast boards are solved to optimality.
    Bench(BenchArgs),
    /// Build, list and check the tables that make optimal solving fast.
    Tables(TablesArgs),
    /// Make a token for a client.
    Token(TokenArgs),
    /// Watch a running server.
    Top(TopArgs),
    /// Ask a running server whether it serves, as a probe does.
    Health(HealthArgs),
    /// The commands that ask the service a question.
    #[command(flatten)]
    Ask(Ask),
}

/// A command that asks the service a question.
#[derive(Subcommand, Debug)]
pub enum Ask {
    /// Solve a board.
    Solve(SolveArgs),
    /// Check whether a board can be solved, with the evidence.
    Check(CheckArgs),
    /// Generate boards.
    Generate(GenerateArgs),
    /// Compare the methods on one board.
    Compare(CompareArgs),
}

impl Ask {
    /// Asks the question and prints the answer on `output`.
    ///
    /// The board is read from `input` unless the command line names another source. Without
    /// `--server`, `local` makes the service that answers, within the limits that were asked for.
    ///
    /// # Errors
    /// When the question is invalid or not answered, or the answer cannot be written.
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
