//! `loyd generate`: boards by seed.

use std::io::Write;
use std::str::FromStr;

use clap::{ArgGroup, Args};
use serde_json::{Value, json};

use super::attend::{Latest, attend};
use super::input::{GOAL_HELP, GoalArg};
use super::moves::directions;
use super::spelling::count;
use super::{Backend, Exit, Failure, LimitArgs, ServerArgs};
use crate::puzzle::notation::Letters;
use crate::puzzle::{Board, Shape};
use crate::service::proto::generate_request::Kind;
use crate::service::proto::puzzle_service_server::PuzzleService;
use crate::service::proto::{
    self, Difficulty, GenerateRequest, GenerateResponse, GeneratedBoard, Scramble, Uniform,
};

const EXAMPLES: &str = "\
Examples:
  loyd generate 4
  loyd generate 3x5 --count 10 --seed 7
  loyd generate 3 --min-moves 20 --max-moves 24 --json
  loyd generate 4 --min-moves 40
  loyd generate 4 --scramble 30 --goal snail
  loyd generate 4 | loyd solve

Each line of the answer is a board that `loyd solve` and `loyd check` can read. The comment after #
gives the seed that makes this board again by itself and, if it is known, the optimal length.

With --json the answer is one object (seeds are strings, because not every JSON parser keeps
64 bits):
  seed       the seed of all boards together
  boards     board, seed, optimal_length (or null) and moves, an optimal solution (or null)

Exit codes: 0 done, 2 wrong input, 3 a limit or the deadline came first, 4 no server, 5 a defect
or a failed write, 130 interrupted.";

/// Generate boards.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, group = ArgGroup::new("kind"))]
pub struct GenerateArgs {
    /// The size: 4, or rows and columns as in 3x5.
    #[arg(value_name = "SIZE")]
    size: Size,

    #[arg(long, value_name = "GOAL", default_value = "rows-blank-last", help = GOAL_HELP)]
    goal: GoalArg,

    /// How many boards, 1 to 1000.
    #[arg(long, short = 'n', value_name = "BOARDS", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    count: u32,

    /// The seed. The same seed makes the same boards again.
    #[arg(long)]
    seed: Option<u64>,

    /// Draw every board with the same probability; the default.
    #[arg(long, group = "kind")]
    uniform: bool,

    /// Make this many random moves away from the goal, none of which takes back the one before.
    #[arg(
        long,
        value_name = "MOVES",
        group = "kind",
        conflicts_with = "unsolvable"
    )]
    scramble: Option<u32>,

    /// Take boards whose shortest solution has at least this many moves. With --max-moves, default: 0.
    #[arg(
        long,
        value_name = "MOVES",
        group = "kind",
        conflicts_with = "unsolvable"
    )]
    min_moves: Option<u32>,

    /// Take boards whose shortest solution has at most this many moves. With --min-moves, default: no limit.
    /// Where the greatest length is unknown, as on 2x8 and beyond 4x4, none is longer than 40 or
    /// --min-moves + 20, whichever is more.
    #[arg(
        long,
        value_name = "MOVES",
        conflicts_with_all = ["uniform", "scramble", "unsolvable"]
    )]
    max_moves: Option<u32>,

    /// Draw boards that cannot be solved.
    #[arg(long)]
    unsolvable: bool,

    #[command(flatten)]
    limits: LimitArgs,

    /// Print one JSON object.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    server: ServerArgs,
}

/// The size of a board on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size(pub(super) Shape);

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (rows, columns) = text.split_once(['x', 'X', '×']).unwrap_or((text, text));
        let side = |text: &str| {
            text.trim()
                .parse::<usize>()
                .map_err(|_| "write 4, or rows and columns as in 3x5".to_owned())
        };
        Shape::new(side(rows)?, side(columns)?)
            .map(Self)
            .map_err(|error| error.to_string())
    }
}

impl GenerateArgs {
    pub(super) async fn answer<S: PuzzleService>(
        &self,
        output: &mut dyn Write,
        local: impl FnOnce(&LimitArgs) -> Result<S, Failure>,
    ) -> Result<Exit, Failure> {
        let request = self.request()?;
        let answer = attend(&Latest::default(), self.server.timeout, async {
            let backend = Backend::choose(&self.server, || local(&self.limits)).await?;
            Ok(backend.generate(request).await?)
        })
        .await?;

        if self.json {
            writeln!(output, "{}", in_json(&answer)?)?;
        } else {
            in_text(output, &answer)?;
        }
        output.flush()?;
        Ok(Exit::Done)
    }

    fn request(&self) -> Result<GenerateRequest, Failure> {
        let Size(shape) = self.size;
        let goal = self.goal.board(shape)?;
        let kind = match (self.scramble, self.min_moves, self.max_moves) {
            (Some(moves), _, _) => Kind::Scramble(Scramble { moves }),
            (None, None, None) => Kind::Uniform(Uniform {}),
            (None, min_moves, max_moves) => Kind::Difficulty(Difficulty {
                min_moves: min_moves.unwrap_or(0),
                max_moves: max_moves.unwrap_or(u32::MAX),
            }),
        };
        let solvability = if self.unsolvable {
            proto::Solvability::Unsolvable
        } else {
            proto::Solvability::Solvable
        };
        Ok(GenerateRequest {
            rows: shape.rows() as u32,
            columns: shape.columns() as u32,
            goal: Some(self.goal.message(&goal)),
            count: self.count,
            seed: self.seed,
            solvability: solvability.into(),
            limits: Some(self.limits.message()),
            kind: Some(kind),
        })
    }
}

fn in_text(output: &mut dyn Write, answer: &GenerateResponse) -> Result<(), Failure> {
    for board in &answer.boards {
        write!(output, "{} # seed {}", legal(board)?, board.seed)?;
        if let Some(length) = board.optimal_length {
            write!(output, ", {}", count(length.into(), "move"))?;
        }
        writeln!(output)?;
    }
    Ok(())
}

fn in_json(answer: &GenerateResponse) -> Result<Value, Failure> {
    let boards = answer.boards.iter().map(|board| {
        let moves = match &board.solution {
            Some(solution) => Some(Letters(&directions(solution.moves())?).to_string()),
            None => None,
        };
        Ok(json!({
            "board": legal(board)?.to_string(),
            "seed": board.seed.to_string(),
            "optimal_length": board.optimal_length,
            "moves": moves,
        }))
    });
    Ok(json!({
        "seed": answer.seed.to_string(),
        "boards": boards.collect::<Result<Value, Failure>>()?,
    }))
}

fn legal(board: &GeneratedBoard) -> Result<Board, Failure> {
    board
        .board
        .as_ref()
        .and_then(|board| {
            let shape = Shape::new(board.rows as usize, board.columns as usize).ok()?;
            Board::new(shape, &board.tiles).ok()
        })
        .ok_or_else(|| Failure::Broken("the service sent an invalid board".to_owned()))
}
