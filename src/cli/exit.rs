//! How a command ends: the exit code for scripts, and the message for people.

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

use tonic::Status;

use super::refusal;

/// The exit codes, on which scripts rely.
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
    /// A defect in loyd, a table that is damaged, or an answer or a table that could not be written.
    Broken = 5,
    /// The server reports that it is not serving.
    NotServing = 6,
    /// Ctrl-C.
    Interrupted = 130,
}

impl Exit {
    /// Ends a command whose answer has been `written` to `output`. What was found holds even if the reader has
    /// closed the pipe early (`| head`).
    pub(super) fn finish(
        self,
        output: &mut dyn Write,
        written: io::Result<()>,
    ) -> Result<Self, Failure> {
        match written.and_then(|()| output.flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
            _ => Ok(self),
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// The reason why there is no answer.
#[derive(Debug)]
pub enum Failure {
    /// The input or an option is wrong.
    Input(String),
    /// No server can be reached at this address.
    Unreachable {
        /// The address.
        server: String,
        /// What went wrong.
        cause: String,
    },
    /// No metrics of a server can be read at this address.
    Unmeasured {
        /// The address.
        url: String,
        /// What went wrong.
        cause: String,
    },
    /// The service refused the question.
    Refused(Status),
    /// The service refused a question that asks for a proof (`optimal` or `bounded`).
    Unproven(Status),
    /// The deadline has passed, and the server has not reported so itself.
    Late,
    /// The service, or this program, broke its contract.
    Broken(String),
    /// The answer could not be written.
    Output(io::Error),
    /// Ctrl-C.
    Interrupted,
}

impl Failure {
    /// Returns the exit code. A reader that closes the pipe early (`| head`) is not a failure.
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
    /// Writes what is wrong and, if something can be done, what to do.
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
