//! Reads requests for boards: `Generate`.

use std::time::Duration;

use tonic::Request;

use super::reader::Reader;
use crate::engine::Wanted;
use crate::puzzle::Board;
use crate::puzzle::generate::Solvability;
use crate::search::generate::drawing::Draw;
use crate::search::generate::lengths::{Range, RangeError};
use crate::service::proto;

/// The most cells in all boards of one `Generate` together.
const GENERATED_CELLS: usize = 1_000_000;

/// The most scrambling moves in all boards of one `Generate` together.
const SCRAMBLE_MOVES: u64 = 10_000_000;

/// A valid `GenerateRequest`.
#[derive(Clone, Debug)]
pub struct ReadGenerate {
    /// The goal.
    pub goal: Board,
    /// The number of boards.
    pub count: u64,
    /// The seed, if the request has one.
    pub seed: Option<u64>,
    /// How the boards are drawn.
    pub kind: Kind,
    /// The limits asked for.
    pub wanted: Wanted,
    /// How long the caller is sure to wait, if it says.
    pub timeout: Option<Duration>,
}

/// How boards are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// At random.
    Draw(Draw),
    /// With an optimal length within the range.
    Difficulty(Range),
}

/// Reads a `GenerateRequest`.
///
/// # Errors
/// All invalid fields.
pub fn read_generate(
    request: &Request<proto::GenerateRequest>,
    max_side: usize,
) -> Result<ReadGenerate, tonic::Status> {
    let wire = request.get_ref();
    let mut reader = Reader::new(max_side);
    let timeout = reader.timeout(request);
    let columns = Some(wire.columns).filter(|&columns| columns != 0);
    let shape = reader.shape("", wire.rows, columns);
    let goal = reader.goal(wire.goal.as_ref(), shape, "rows and columns are");
    let count = u64::from(wire.count.max(1));
    if count > 1000 {
        reader.violation("count", format!("{count} is out of range: 1 to 1000"));
    } else if let Some(shape) = shape
        && count as usize * shape.cells() > GENERATED_CELLS
    {
        let most = GENERATED_CELLS / shape.cells();
        reader.violation(
            "count",
            format!("{count} boards of {shape} do not fit in one response: at most {most}"),
        );
    }
    let solvability = match reader.enumeration("solvability", wire.solvability) {
        Some(proto::Solvability::Unsolvable) => Solvability::Unsolvable,
        _ => Solvability::Solvable,
    };
    let wanted = reader.limits(wire.limits.as_ref());
    let kind = reader.kind(wire, goal.as_ref(), count, solvability);
    reader.finish(goal.zip(kind).map(|(goal, kind)| ReadGenerate {
        goal,
        count,
        seed: wire.seed,
        kind,
        wanted,
        timeout,
    }))
}

impl Reader {
    fn kind(
        &mut self,
        wire: &proto::GenerateRequest,
        goal: Option<&Board>,
        count: u64,
        solvability: Solvability,
    ) -> Option<Kind> {
        use proto::generate_request::Kind as Wire;
        let uniform = matches!(wire.kind, None | Some(Wire::Uniform(_)));
        if solvability == Solvability::Unsolvable && !uniform {
            self.violation(
                "solvability",
                "UNSOLVABLE boards can only be drawn uniformly: moves from the goal never lead to one",
            );
        }
        Some(match wire.kind.as_ref() {
            None | Some(Wire::Uniform(_)) => Kind::Draw(Draw::Uniform(solvability)),
            Some(Wire::Scramble(scramble)) => {
                if scramble.moves > 1_000_000 {
                    let range = format!("{} is out of range: 0 to 1000000", scramble.moves);
                    self.violation("scramble.moves", range);
                } else if u64::from(scramble.moves) * count > SCRAMBLE_MOVES {
                    self.violation(
                        "scramble.moves",
                        format!("count × moves is more than {SCRAMBLE_MOVES}: ask for less"),
                    );
                }
                Kind::Draw(Draw::Scramble(scramble.moves))
            }
            Some(Wire::Difficulty(range)) => Kind::Difficulty(self.difficulty(range, goal)?),
        })
    }

    /// The range of lengths. Faults that do not depend on the goal are reported even if there is none.
    fn difficulty(&mut self, wire: &proto::Difficulty, goal: Option<&Board>) -> Option<Range> {
        let (min, max) = (wire.min_moves, wire.max_moves);
        let range = match goal {
            Some(goal) => Range::new(goal.shape(), goal.blank(), min, max).map(Some),
            None if min > max => Err(RangeError::Empty { min, max }),
            None => Ok(None),
        };
        range.unwrap_or_else(|error| {
            let field = match error {
                RangeError::Empty { .. } => "difficulty.max_moves",
                RangeError::TooFar { .. } => "difficulty.min_moves",
            };
            self.violation(field, error);
            None
        })
    }
}
