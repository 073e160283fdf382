//! Reads the fields that requests have in common.

use std::time::Duration;

use tonic::Request;
use tonic_types::FieldViolation;

use crate::engine::Wanted;
use crate::puzzle::{Board, GoalLayout, Shape};
use crate::service::{proto, status, timeout};

/// Collects violations, each under the path of its field.
pub(super) struct Reader {
    /// What precedes the path of each field that is read.
    pub(super) prefix: &'static str,
    max_side: usize,
    violations: Vec<FieldViolation>,
}

impl Reader {
    pub(super) const fn new(max_side: usize) -> Self {
        Self {
            prefix: "",
            max_side,
            violations: Vec::new(),
        }
    }

    pub(super) fn violation(&mut self, field: impl AsRef<str>, description: impl ToString) {
        self.violations.push(FieldViolation::new(
            format!("{}{}", self.prefix, field.as_ref()),
            description.to_string(),
        ));
    }

    /// How long the caller waits, if it says.
    pub(super) fn timeout<T>(&mut self, request: &Request<T>) -> Option<Duration> {
        timeout::of(request).unwrap_or_else(|violation| {
            self.violations.push(violation);
            None
        })
    }

    /// The value, if nothing at all was wrong with the request.
    pub(super) fn finish<T>(self, value: Option<T>) -> Result<T, tonic::Status> {
        match value {
            Some(value) if self.violations.is_empty() => Ok(value),
            _ => Err(status::invalid(self.violations)),
        }
    }

    /// A shape; square if `columns` is `None`.
    pub(super) fn shape(&mut self, field: &str, rows: u32, columns: Option<u32>) -> Option<Shape> {
        let sides = [Some(("rows", rows)), columns.map(|side| ("columns", side))];
        let mut legal = true;
        for (name, side) in sides.into_iter().flatten() {
            if !(Shape::MIN_SIDE..=self.max_side).contains(&(side as usize)) {
                let range = format!("{side} is out of range: 2 to {}", self.max_side);
                self.violation(format!("{field}{name}"), range);
                legal = false;
            }
        }
        let shape = Shape::new(rows as usize, columns.unwrap_or(rows) as usize);
        shape.ok().filter(|_| legal)
    }

    /// A board and its shape. The shape can be known even if the tiles are wrong.
    fn board(&mut self, field: &str, board: &proto::Board) -> (Option<Shape>, Option<Board>) {
        let shape = self.board_shape(field, board);
        let board = shape.and_then(|shape| self.tiles(field, shape, &board.tiles));
        (shape, board)
    }

    fn board_shape(&mut self, field: &str, board: &proto::Board) -> Option<Shape> {
        if (board.rows, board.columns) != (0, 0) {
            return self.shape(&format!("{field}."), board.rows, Some(board.columns));
        }
        let side = board.tiles.len().isqrt();
        if side * side == board.tiles.len() && (Shape::MIN_SIDE..=self.max_side).contains(&side) {
            return Shape::new(side, side).ok();
        }
        let highest = self.max_side * self.max_side;
        self.violation(
            format!("{field}.tiles"),
            format!(
                "{} tiles do not make a square board of 4 to {highest} cells: set rows and columns, or \
                 send a square number of tiles",
                board.tiles.len()
            ),
        );
        None
    }

    fn tiles(&mut self, field: &str, shape: Shape, tiles: &[u32]) -> Option<Board> {
        let error = match Board::new(shape, tiles) {
            Ok(board) => return Some(board),
            Err(error) => error,
        };
        for violation in &error.violations {
            let path = match violation.cell() {
                Some(cell) => format!("{field}.tiles[{cell}]"),
                None => format!("{field}.tiles"),
            };
            self.violation(path, violation);
        }
        if error.omitted > 0 {
            let more = format!("and {} more violations", error.omitted);
            self.violation(format!("{field}.tiles"), more);
        }
        None
    }

    /// The start and the goal of a question, and the shape of the start, which can be known even if
    /// tiles are wrong.
    pub(super) fn boards(
        &mut self,
        start: Option<&proto::Board>,
        goal: Option<&proto::Goal>,
    ) -> (Option<Shape>, Option<(Board, Board)>) {
        let (shape, start) = match start {
            Some(start) => self.board("board", start),
            None => {
                self.violation("board", "required: the board to start from");
                (None, None)
            }
        };
        let goal = self.goal(goal, shape, "the board is");
        (shape, start.zip(goal))
    }

    /// The goal for a board of this shape, as far as the shape is known. `given_by` says where the request gives
    /// the shape: "the board is".
    pub(super) fn goal(
        &mut self,
        goal: Option<&proto::Goal>,
        shape: Option<Shape>,
        given_by: &str,
    ) -> Option<Board> {
        use proto::goal::Goal;
        match goal.and_then(|goal| goal.goal.as_ref()) {
            None => Some(GoalLayout::default().board(shape?)),
            Some(Goal::Layout(layout)) => {
                let layout = self.goal_layout(*layout)?;
                Some(layout.board(shape?))
            }
            Some(Goal::Board(board)) => {
                let (goal_shape, goal) = self.board("goal.board", board);
                if let (Some(goal_shape), Some(shape)) = (goal_shape, shape)
                    && goal_shape != shape
                {
                    let sizes = format!("is {goal_shape}, but {given_by} {shape}");
                    self.violation("goal.board", sizes);
                    return None;
                }
                goal
            }
        }
    }

    fn goal_layout(&mut self, layout: i32) -> Option<GoalLayout> {
        use proto::GoalLayout as Wire;
        Some(match self.enumeration("goal.layout", layout)? {
            Wire::Unspecified | Wire::RowsBlankLast => GoalLayout::RowsBlankLast,
            Wire::RowsBlankFirst => GoalLayout::RowsBlankFirst,
            Wire::ColumnsBlankLast => GoalLayout::ColumnsBlankLast,
            Wire::Snail => GoalLayout::Snail,
            Wire::Snake => GoalLayout::Snake,
        })
    }

    pub(super) fn enumeration<E: TryFrom<i32>>(&mut self, field: &str, value: i32) -> Option<E> {
        let known = E::try_from(value).ok();
        if known.is_none() {
            self.violation(field, format!("{value} is not a value of this field"));
        }
        known
    }

    pub(super) fn limits(&mut self, limits: Option<&proto::Limits>) -> Wanted {
        let Some(limits) = limits else {
            return Wanted::default();
        };
        if limits.max_nodes == Some(0) {
            self.violation("limits.max_nodes", "0 is out of range: at least 1");
        }
        if limits.max_memory_bytes.is_some_and(|bytes| bytes < 1 << 20) {
            self.violation("limits.max_memory_bytes", "out of range: at least 1 MiB");
        }
        Wanted {
            nodes: limits.max_nodes,
            time: limits
                .max_time
                .as_ref()
                .and_then(|time| self.duration("limits.max_time", time)),
            memory: limits.max_memory_bytes,
        }
    }

    pub(super) fn duration(
        &mut self,
        field: &str,
        duration: &prost_types::Duration,
    ) -> Option<Duration> {
        let read = (|| {
            let seconds = u64::try_from(duration.seconds).ok()?;
            let nanos = u32::try_from(duration.nanos).ok()?;
            (nanos < 1_000_000_000).then(|| Duration::new(seconds, nanos))
        })();
        let read = read.filter(|duration| !duration.is_zero());
        if read.is_none() {
            self.violation(field, "is not a valid duration greater than zero");
        }
        let in_range = read.filter(|&duration| duration <= proto::LONGEST_DURATION);
        if let (Some(_), None) = (read, in_range) {
            let most = proto::LONGEST_DURATION.as_secs();
            self.violation(field, format!("out of range: at most {most} s"));
        }
        in_range
    }
}
