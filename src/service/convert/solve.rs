//! Reads requests about a board: `Solve`, `SolveStream` and `CheckSolvable`.

use std::ops::RangeInclusive;
use std::time::Duration;

use prost::{Message, length_delimiter_len};
use tonic::Request;

use super::reader::Reader;
use crate::engine::{Question, Wanted};
use crate::heuristic::HeuristicKind;
use crate::puzzle::{Board, Metric, Problem, ProblemError, Shape};
use crate::search::plan::{Objective, Ratio};
use crate::service::{MAX_RESPONSE_BYTES, proto, status};

/// The moves in one message when the request does not say.
const DEFAULT_MOVES_PER_MESSAGE: usize = 256;

/// The most cells on the boards in one message.
const CELLS_PER_MESSAGE: usize = 64 * 1024;

/// The time between two progress events when the request does not say.
const DEFAULT_PROGRESS_INTERVAL: Duration = Duration::from_millis(250);

/// The range of progress intervals: no more events than a reader can take, and a sign of life now and then.
const PROGRESS_INTERVALS: RangeInclusive<Duration> =
    Duration::from_millis(10)..=Duration::from_secs(3600);

/// A valid `SolveRequest`.
#[derive(Clone, Debug)]
pub struct ReadSolve {
    /// The start, with the request's own numbering of the tiles.
    pub start: Board,
    /// The question.
    pub question: Question,
    /// The limits asked for.
    pub wanted: Wanted,
    /// How long the caller is sure to wait, if it says.
    pub timeout: Option<Duration>,
    /// What to send in addition to the moves.
    pub include: proto::Include,
}

/// A valid `SolveStreamRequest`.
#[derive(Clone, Debug)]
pub struct ReadStream {
    /// The question.
    pub solve: ReadSolve,
    /// The most moves in a message.
    pub moves_per_message: usize,
    /// The least time between two progress events.
    pub progress_interval: Duration,
    /// Whether to send only the moves of the last solution.
    pub final_only: bool,
}

/// The shape that a board declares, for the log. The board may still be invalid.
pub fn declared_shape(board: Option<&proto::Board>) -> Option<Shape> {
    let board = board?;
    let (rows, columns) = match (board.rows, board.columns) {
        (0, 0) => (board.tiles.len().isqrt(), board.tiles.len().isqrt()),
        (rows, columns) => (rows as usize, columns as usize),
    };
    Shape::new(rows, columns).ok()
}

/// Reads a `SolveRequest`.
///
/// # Errors
/// All invalid fields, or the evidence that the board is unsolvable.
pub fn read_solve(
    request: &Request<proto::SolveRequest>,
    max_side: usize,
) -> Result<ReadSolve, tonic::Status> {
    let mut reader = Reader::new(max_side);
    let timeout = reader.timeout(request);
    let solve = reader.solve(request.get_ref(), timeout);
    reader.finish(solve)?
}

/// Whether no solution, however short, fits in one response with everything that is to be included.
pub fn cannot_fit(read: &ReadSolve) -> bool {
    let shape = read.start.shape();
    // No tile is further from home than the sum of the board's sides.
    let most = shape.cells() * (shape.rows() + shape.columns());
    let bytes = move_bytes(read);
    let fits = |moves| moves * bytes <= MAX_RESPONSE_BYTES;
    !fits(most) && !fits(HeuristicKind::Manhattan.lower_bound(&read.question.problem) as usize)
}

/// Whether a solution of so many moves may fit in one response with everything that is to be included.
pub fn may_fit(read: &ReadSolve, moves: usize) -> bool {
    moves * move_bytes(read) <= MAX_RESPONSE_BYTES
}

/// The least bytes of a move with everything that is to be included.
///
/// On the wire a move and its tile take at least a byte each. All boards on the way are as long as the start,
/// because they have the same tiles.
fn move_bytes(read: &ReadSolve) -> usize {
    let tile = usize::from(read.include.tiles);
    let board = if read.include.boards {
        let board = proto::Board::from(&read.start).encoded_len();
        1 + length_delimiter_len(board) + board
    } else {
        0
    };
    1 + tile + board
}

/// Reads a `SolveStreamRequest`.
///
/// # Errors
/// As [`read_solve`].
pub fn read_stream(
    request: &Request<proto::SolveStreamRequest>,
    max_side: usize,
) -> Result<ReadStream, tonic::Status> {
    let wire = request.get_ref();
    let mut reader = Reader::new(max_side);
    let timeout = reader.timeout(request);
    let moves_per_message = match wire.moves_per_message {
        0 => DEFAULT_MOVES_PER_MESSAGE,
        moves => moves as usize,
    };
    if moves_per_message > 65_536 {
        let range = format!("{moves_per_message} is out of range: 1 to 65536");
        reader.violation("moves_per_message", range);
    }
    let progress_interval = reader.progress_interval(wire.progress_interval.as_ref());
    let solve = match &wire.solve {
        None => {
            reader.violation("solve", "required: what to solve");
            None
        }
        Some(solve) => {
            reader.prefix = "solve.";
            reader.solve(solve, timeout)
        }
    };
    let solve = reader.finish(solve)??;
    let moves_per_message = if solve.include.boards {
        let cells = solve.start.shape().cells();
        moves_per_message.min((CELLS_PER_MESSAGE / cells).max(1))
    } else {
        moves_per_message
    };
    Ok(ReadStream {
        solve,
        moves_per_message,
        progress_interval,
        final_only: wire.final_only,
    })
}

/// Reads the start and the goal from a `CheckSolvableRequest`.
///
/// # Errors
/// All invalid fields.
pub fn read_check(
    request: &Request<proto::CheckSolvableRequest>,
    max_side: usize,
) -> Result<(Board, Board), tonic::Status> {
    let wire = request.get_ref();
    let mut reader = Reader::new(max_side);
    // The answer comes at once, and yet a call that is wrong anywhere is told so.
    reader.timeout(request);
    let (_, boards) = reader.boards(wire.board.as_ref(), wire.goal.as_ref());
    reader.finish(boards)
}

impl Reader {
    fn progress_interval(&mut self, wire: Option<&prost_types::Duration>) -> Duration {
        let field = "progress_interval";
        let Some(interval) = wire.map(|wire| self.duration(field, wire)) else {
            return DEFAULT_PROGRESS_INTERVAL;
        };
        if interval.is_some_and(|interval| !PROGRESS_INTERVALS.contains(&interval)) {
            self.violation(field, "out of range: 10 ms to 1 h");
        }
        interval.unwrap_or(DEFAULT_PROGRESS_INTERVAL)
    }

    /// Reads the question; `Some(Err(_))` when only the board's parity is wrong.
    fn solve(
        &mut self,
        wire: &proto::SolveRequest,
        timeout: Option<Duration>,
    ) -> Option<Result<ReadSolve, tonic::Status>> {
        let (shape, boards) = self.boards(wire.board.as_ref(), wire.goal.as_ref());
        let objective = self.objective(wire.objective, wire.max_ratio);
        let wanted = self.limits(wire.limits.as_ref());
        let metric = self.metric(wire.metric);
        let method = self.method(wire.method.as_ref(), metric, objective, shape);
        if let (Some(shape), Some(method)) = (shape, method) {
            self.need(shape, method, wanted);
        }

        let (start, goal) = boards?;
        let (metric, objective, method) = (metric?, objective?, method?);
        let problem = match Problem::new(&start, &goal) {
            Ok(problem) => problem,
            Err(ProblemError::Unsolvable(parity)) => {
                return Some(Err(status::unsolvable(&parity)));
            }
            Err(error @ ProblemError::ShapeMismatch { .. }) => {
                self.violation("goal.board", error);
                return None;
            }
        };
        Some(Ok(ReadSolve {
            start,
            question: Question {
                problem,
                metric,
                objective,
                method,
            },
            wanted,
            timeout,
            include: wire.include.unwrap_or_default(),
        }))
    }

    fn objective(&mut self, objective: i32, max_ratio: f64) -> Option<Objective> {
        use proto::Objective as Wire;
        let objective = self.enumeration("objective", objective);
        let ratio = Ratio::new(max_ratio);
        let fault = match objective {
            Some(Wire::Bounded) => ratio.is_none().then(|| {
                format!("{max_ratio:?} is out of range: BOUNDED needs a finite number, 1 or more")
            }),
            _ if max_ratio == 0.0 => None,
            Some(_) => Some("is only for the objective BOUNDED: leave it out".to_owned()),
            // Without a known objective, only the ratio itself can be checked.
            None => ratio
                .is_none()
                .then(|| format!("{max_ratio:?} is out of range: a finite number, 1 or more")),
        };
        if let Some(fault) = fault {
            self.violation("max_ratio", fault);
        }
        Some(match objective? {
            Wire::Optimal => Objective::Optimal,
            Wire::Fast => Objective::Fast,
            // Any fault that the method has at some ratio, it has at the largest one too.
            Wire::Bounded => Objective::Bounded(ratio.unwrap_or(Ratio::MAX)),
            Wire::Unspecified | Wire::Best => Objective::Best,
        })
    }

    fn metric(&mut self, metric: i32) -> Option<Metric> {
        use proto::Metric as Wire;
        Some(match self.enumeration("metric", metric)? {
            Wire::Unspecified | Wire::SingleTile => Metric::SingleTile,
            Wire::MultiTile => Metric::MultiTile,
        })
    }
}
