//! Boards and goals from the command line, standard input and files.

use std::convert::Infallible;
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;

use super::Failure;
use crate::puzzle::notation::parse_board;
use crate::puzzle::{Board, GoalLayout, Shape};
use crate::service::proto;
use crate::text::unmarked;

/// The most bytes of input. The largest board takes a tenth of it.
const MAX_INPUT: u64 = 1 << 20;

/// The source of the board.
#[derive(Args, Clone, Debug, Default)]
struct BoardArgs {
    /// The board: its tiles row by row, with 0 for the blank. Rows may be separated by `/` or line breaks,
    /// and must be unless the board is square. If there is no board, or it is `-`, standard input is read.
    #[arg(value_name = "BOARD")]
    words: Vec<String>,

    /// Read the board from a file.
    #[arg(long, short, value_name = "PATH", conflicts_with = "words")]
    file: Option<PathBuf>,
}

impl BoardArgs {
    /// Reads the board.
    fn read(&self, input: &mut dyn Read) -> Result<Board, Failure> {
        let (source, text) = match &self.file {
            Some(path) => {
                let text = File::open(path).and_then(|mut file| bounded(&mut file));
                (format!("{}: ", path.display()), text)
            }
            None if self.words.is_empty() || self.words == ["-"] => {
                ("standard input: ".to_owned(), bounded(input))
            }
            None => (String::new(), Ok(self.words.join(" "))),
        };
        let fail = |error: &dyn std::fmt::Display| Failure::Input(format!("{source}{error}"));
        let text = text.map_err(|error| fail(&error))?;
        let text = unmarked(&text);
        parse_board(text, None).map_err(|error| match boards(text) {
            Some(count) => fail(&format!(
                "there are {count} boards, one on each line: give one board at a time"
            )),
            None => fail(&error),
        })
    }
}

/// Returns the number of boards in a text with several boards, one on each line, as `loyd generate` prints them.
fn boards(text: &str) -> Option<usize> {
    let is_blank = |line: &&str| {
        line.split('#')
            .next()
            .is_some_and(|board| board.trim().is_empty())
    };
    let lines = || text.lines().filter(|line| !is_blank(line));
    let count = lines().count();
    (count > 1 && lines().all(|line| parse_board(line, None).is_ok())).then_some(count)
}

fn bounded(input: &mut dyn Read) -> io::Result<String> {
    let mut text = String::new();
    input.take(MAX_INPUT + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_INPUT {
        return Err(io::Error::other("more than 1 MiB: this is not a board"));
    }
    Ok(text)
}

/// The value of `--goal`: the name of a pattern, or a board whose size is not known yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum GoalArg {
    /// A named pattern.
    Layout(GoalLayout),
    /// Any other text, to be parsed as a board.
    Board(String),
}

/// The help text of `--goal`.
pub(super) const GOAL_HELP: &str = "The goal: rows-blank-last (1 2 3 … 0), rows-blank-first \
    (0 1 2 …), columns-blank-last, snail (a clockwise spiral inwards), snake (rows in alternating directions), \
    or any board of the same size";

impl FromStr for GoalArg {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        // The contract's names have underscores.
        Ok(match text.replace('_', "-").as_str() {
            "rows-blank-last" => Self::Layout(GoalLayout::RowsBlankLast),
            "rows-blank-first" => Self::Layout(GoalLayout::RowsBlankFirst),
            "columns-blank-last" => Self::Layout(GoalLayout::ColumnsBlankLast),
            "snail" => Self::Layout(GoalLayout::Snail),
            "snake" => Self::Layout(GoalLayout::Snake),
            _ => Self::Board(text.to_owned()),
        })
    }
}

impl GoalArg {
    /// Returns the goal for boards of this size.
    pub(super) fn board(&self, shape: Shape) -> Result<Board, Failure> {
        match self {
            Self::Layout(layout) => Ok(layout.board(shape)),
            Self::Board(text) if is_word(text) => Err(Failure::Input(format!(
                "--goal: {text:?} is neither a board nor rows-blank-last, rows-blank-first, \
                 columns-blank-last, snail or snake"
            ))),
            Self::Board(text) => parse_board(text, Some(shape))
                .map_err(|error| Failure::Input(format!("--goal: {error}"))),
        }
    }

    /// Returns the goal as a message of the wire contract.
    pub(super) fn message(&self, board: &Board) -> proto::Goal {
        let goal = match self {
            Self::Layout(layout) => proto::goal::Goal::Layout(match layout {
                GoalLayout::RowsBlankLast => proto::GoalLayout::RowsBlankLast,
                GoalLayout::RowsBlankFirst => proto::GoalLayout::RowsBlankFirst,
                GoalLayout::ColumnsBlankLast => proto::GoalLayout::ColumnsBlankLast,
                GoalLayout::Snail => proto::GoalLayout::Snail,
                GoalLayout::Snake => proto::GoalLayout::Snake,
            } as i32),
            Self::Board(_) => proto::goal::Goal::Board(board.into()),
        };
        proto::Goal { goal: Some(goal) }
    }
}

/// Whether a text is a word rather than a board. A single letter may be a blank.
fn is_word(text: &str) -> bool {
    text.len() > 1
        && text
            .chars()
            .all(|letter| letter.is_alphabetic() || matches!(letter, '-' | '_'))
}

/// The board and the goal of a question.
#[derive(Args, Clone, Debug)]
pub(super) struct PuzzleArgs {
    #[command(flatten)]
    board: BoardArgs,

    #[arg(long, value_name = "GOAL", default_value = "rows-blank-last", help = GOAL_HELP)]
    goal: GoalArg,
}

impl PuzzleArgs {
    /// Reads the board, and returns it with the goal for its size.
    pub(super) fn read(&self, input: &mut dyn Read) -> Result<(Board, Board), Failure> {
        let board = self.board.read(input)?;
        let goal = self.goal.board(board.shape())?;
        Ok((board, goal))
    }

    /// Returns the goal as a message of the wire contract.
    pub(super) fn goal_message(&self, goal: &Board) -> proto::Goal {
        self.goal.message(goal)
    }
}
