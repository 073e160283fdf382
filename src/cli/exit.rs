//! How a command ends: the exit code for scripts, the words for people.

use std::fmt;
use std::io;
use std::process::ExitCode;

use tonic::Status;

use super::refusal;

/// The exit codes, a contract with scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// The question was answered.
    Done = 0,
    /// The goal cannot be reached from the board.
    Unsolvable = 1,
    /// The board or an option is wrong.
    BadInput = 2,
    /// A limit or the deadline came before the answer.
    Limit = 3,
    /// The server cannot be reached, is overloaded or is shutting down.
    Unserved = 4,
    /// Something is broken.
    Broken = 5,
    /// The server says of itself that it does not serve.
    NotServing = 6,
    /// Ctrl-C.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Why there is no answer.
#[derive(Debug)]
pub enum Failure {
    /// What was typed or read is not a question.
    Input(String),
    /// There is no server at this address.
    Unreachable {
        /// The address.
        server: String,
        /// What went wrong.
        cause: String,
    },
    /// There are no metrics of a server at this address.
    Unmeasured {
        /// The address.
        url: String,
        /// What went wrong.
        cause: String,
    },
    /// The service refused the question.
    Refused(Status),
    /// The same of a question for a solution that is proven to be short.
    Unproven(Status),
    /// The deadline has passed, and the server does not say so itself.
    Late,
    /// The service, or this program, broke its contract.
    Broken(String),
    /// The answer could not be written.
    Output(io::Error),
    /// Ctrl-C.
    Interrupted,
}

impl Failure {
    /// The exit code. A reader that has seen enough (`| head`) is no failure.
    #[must_use]
    pub fn exit(&self) -> Exit {
        match self {
            Self::Input(_) => Exit::BadInput,
            Self::Unreachable { .. } | Self::Unmeasured { .. } => Exit::Unserved,
            Self::Refused(status) | Self::Unproven(status) => refusal::exit(status),
            Self::Late => Exit::Limit,
            Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Done,
            Self::Broken(_) | Self::Output(_) => Exit::Broken,
            Self::Interrupted => Exit::Interrupted,
        }
    }
}

impl fmt::Display for Failure {
    /// What is wrong and, where something can be done, what to do.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(text) => f.write_str(text),
            Self::Unreachable { server, cause } => write!(
                f,
                "cannot reach {server}: {cause}\n{}",
                refusal::IS_IT_THERE
            ),
            Self::Unmeasured { url, cause } => write!(
                f,
                "cannot read {url}: {cause}\n\
                 Is `loyd serve` running there? Its --metrics-listen says where its metrics are."
            ),
            Self::Refused(status) => f.write_str(&refusal::explain(status, false)),
            Self::Unproven(status) => f.write_str(&refusal::explain(status, true)),
            Self::Late => f.write_str(
                "the server did not answer in time\n\
                 Raise --timeout; if that does not help, the server is overloaded or out of reach.",
            ),
            Self::Broken(text) => write!(f, "{text}\nThis is a defect: please report it."),
            Self::Output(error) => write!(f, "cannot write the answer: {error}"),
            Self::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for Failure {}

impl From<Status> for Failure {
    fn from(status: Status) -> Self {
        Self::Refused(status)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}
