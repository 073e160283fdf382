//! Reads requests about a board: `Solve`, `SolveStream` and `CheckSolvable`.

use std::ops::RangeInclusive;
use std::time::Duration;

use prost::{Message, length_delimiter_len};
use tonic::Request;

use super::reader::Reader;
use crate::engine::{Question, Wanted};
use crate::heuristic::{Correction, HeuristicKind};
use crate::puzzle::{Board, Metric, Problem, ProblemError, Shape};
use crate::search::constructive::Variant;
use crate::search::plan::{self, Algorithm, Method, Objective, PlanError, Ratio, Stage};
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

/// The most corrections that a method may list: as many as exist.
const MAX_CORRECTIONS: usize = Correction::ALL.len();

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
    /// Whether to send the tiles that slide.
    pub include_tiles: bool,
    /// Whether to send the boards along the way.
    pub include_boards: bool,
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
    let tile = usize::from(read.include_tiles);
    let board = if read.include_boards {
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
    let moves_per_message = if solve.include_boards {
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
        let include = wire.include.unwrap_or_default();
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
            include_tiles: include.tiles,
            include_boards: include.boards,
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

    /// Reads the method, and reports faults in the combination of its fields.
    fn method(
        &mut self,
        wire: Option<&proto::Method>,
        metric: Option<Metric>,
        objective: Option<Objective>,
        shape: Option<Shape>,
    ) -> Option<Method> {
        let Some(wire) = wire else {
            return Some(Method::default());
        };
        let algorithm = self.algorithm(wire.algorithm);
        let method = Method {
            algorithm: algorithm.flatten(),
            heuristic: self.heuristic(wire.heuristic, &wire.corrections),
            weight: self.weight(wire.weight),
            variant: self.variant(wire.variant),
        };
        let faults = match algorithm {
            Some(_) => plan::faults(metric, objective, shape, method),
            // Nothing is known about what goes with an unknown algorithm, but a heuristic has its sizes.
            None => {
                let fault = shape.and_then(|shape| plan::check_shape(shape, method).err());
                fault.into_iter().collect()
            }
        };
        for fault in faults {
            let field = match plan_field(&fault) {
                // The heuristic is present only because of its corrections.
                HEURISTIC if wire.heuristic == 0 => "method.corrections",
                field => field,
            };
            self.violation(field, fault);
        }
        algorithm.map(|_| method)
    }

    /// Checks that a search by tables is granted the memory that it holds from the start.
    fn need(&mut self, shape: Shape, method: Method, wanted: Wanted) {
        let by_tables = method.heuristic == Some(HeuristicKind::PatternDatabase)
            && HeuristicKind::PatternDatabase.supports(shape);
        let least = Stage::IdaStar(HeuristicKind::PatternDatabase).fixed_bytes(shape);
        if by_tables && wanted.memory.is_some_and(|memory| memory < least) {
            let fault = format!(
                "too little: PATTERN_DATABASE needs {least} bytes on boards of {shape}; raise it, or leave method.heuristic out"
            );
            self.violation("limits.max_memory_bytes", fault);
        }
    }

    /// The weight, if there is one. An invalid weight is read as the least. The method is then
    /// faulted for having a weight at all if it must not have one, but not for its size.
    fn weight(&mut self, weight: f64) -> Option<Ratio> {
        if weight == 0.0 {
            return None;
        }
        let legal = Ratio::new(weight).filter(|weight| weight.get() <= 1000.0);
        if legal.is_none() {
            let range = format!("{weight} is out of range: 1 to 1000");
            self.violation("method.weight", range);
        }
        Some(legal.unwrap_or(Ratio::ONE))
    }

    fn variant(&mut self, variant: i32) -> Option<Variant> {
        use proto::Variant as Wire;
        match self.enumeration("method.variant", variant)? {
            Wire::Unspecified => None,
            Wire::Parberry => Some(Variant::Parberry),
            Wire::Hayes => Some(Variant::Hayes),
            Wire::Best => Some(Variant::Best),
        }
    }

    fn algorithm(&mut self, algorithm: i32) -> Option<Option<Algorithm>> {
        use proto::Algorithm as Wire;
        let field = "method.algorithm";
        Some(match self.enumeration(field, algorithm)? {
            Wire::Unspecified => None,
            Wire::AStar => Some(Algorithm::AStar),
            Wire::WeightedAStar => Some(Algorithm::WeightedAStar),
            Wire::IdaStar => Some(Algorithm::IdaStar),
            Wire::Beam => Some(Algorithm::Beam),
            Wire::StagedBeam => Some(Algorithm::StagedBeam),
            Wire::Constructive => Some(Algorithm::Constructive),
            Wire::TableWalk => {
                self.violation(field, "TABLE_WALK cannot be requested: leave it out");
                return None;
            }
        })
    }

    /// The heuristic with its corrections, or without them if they are invalid.
    fn heuristic(&mut self, heuristic: i32, corrections: &[i32]) -> Option<HeuristicKind> {
        let base = self.base_heuristic(heuristic);
        let added = self.corrections(corrections);
        let base = base?;
        let Some(added) = added.filter(|added| !added.is_empty()) else {
            return base;
        };
        let corrected = base.unwrap_or(HeuristicKind::Manhattan).with(&added);
        if corrected.is_none() {
            let fix =
                "can only be added to MANHATTAN, LINEAR_CONFLICT, CORNER_TILES and LAST_MOVES";
            self.violation("method.corrections", fix);
        }
        corrected.or(base)
    }

    fn corrections(&mut self, corrections: &[i32]) -> Option<Vec<Correction>> {
        let listed = corrections.iter().take(MAX_CORRECTIONS).enumerate();
        // All are read, so that all faults are told.
        let added: Vec<_> = listed
            .map(|(i, &correction)| {
                self.correction(&format!("method.corrections[{i}]"), correction)
            })
            .collect();
        if corrections.len() > MAX_CORRECTIONS {
            let range = format!("{} are too many: there are only three", corrections.len());
            self.violation("method.corrections", range);
            return None;
        }
        added.into_iter().collect()
    }

    fn base_heuristic(&mut self, heuristic: i32) -> Option<Option<HeuristicKind>> {
        use proto::Heuristic as Wire;
        Some(match self.enumeration(HEURISTIC, heuristic)? {
            Wire::Unspecified => None,
            Wire::Discrete => Some(HeuristicKind::Discrete),
            Wire::Hamming => Some(HeuristicKind::Hamming),
            Wire::Manhattan => Some(HeuristicKind::Manhattan),
            Wire::LinearConflict => Some(HeuristicKind::LinearConflict),
            Wire::CornerTiles => Some(HeuristicKind::CornerTiles),
            Wire::LastMoves => Some(HeuristicKind::LastMoves),
            Wire::WalkingDistance => Some(HeuristicKind::WalkingDistance),
            Wire::PatternDatabase => Some(HeuristicKind::PatternDatabase),
        })
    }

    fn correction(&mut self, field: &str, correction: i32) -> Option<Correction> {
        use proto::Heuristic as Wire;
        match self.enumeration(field, correction)? {
            Wire::LinearConflict => Some(Correction::LinearConflict),
            Wire::CornerTiles => Some(Correction::CornerTiles),
            Wire::LastMoves => Some(Correction::LastMoves),
            other => {
                let name = other.as_str_name().trim_start_matches("HEURISTIC_");
                let fix = "is not a correction: use LINEAR_CONFLICT, CORNER_TILES or LAST_MOVES";
                self.violation(field, format!("{name} {fix}"));
                None
            }
        }
    }

    fn metric(&mut self, metric: i32) -> Option<Metric> {
        use proto::Metric as Wire;
        Some(match self.enumeration("metric", metric)? {
            Wire::Unspecified | Wire::SingleTile => Metric::SingleTile,
            Wire::MultiTile => Metric::MultiTile,
        })
    }
}

const HEURISTIC: &str = "method.heuristic";

/// The field of `Method` that an error is about.
const fn plan_field(error: &PlanError) -> &'static str {
    match error {
        PlanError::CannotProve { .. } | PlanError::NotInPushes { .. } => "method.algorithm",
        PlanError::WeightAboveRatio { .. } | PlanError::StrayWeight => "method.weight",
        PlanError::StrayHeuristic(_)
        | PlanError::BoundNotInPushes(_)
        | PlanError::WithoutDatabases(_)
        | PlanError::UnsupportedShape { .. } => HEURISTIC,
        PlanError::StrayVariant => "method.variant",
    }
}
