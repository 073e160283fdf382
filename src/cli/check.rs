//! `loyd check`: whether a board can be solved, with the evidence.

use std::io::{self, Read, Write};

use clap::Args;
use serde_json::{Value, json};

use super::attend::{Latest, attend};
use super::input::PuzzleArgs;
use super::spelling::{count, number};
use super::{Backend, Exit, Failure, LimitArgs, ServerArgs};
use crate::puzzle::{Board, inversions_by_tile};
use crate::service::proto::puzzle_service_server::PuzzleService;
use crate::service::proto::{CheckSolvableRequest, CheckSolvableResponse};

const EXAMPLES: &str = "\
Examples:
  loyd check 1 2 3 4 / 5 6 7 8 / 9 10 11 12 / 13 15 14 0
  loyd check --goal snake --json --file board.txt

The answer comes with two proofs, step by step, which always agree:
  by inversions     the pairs of tiles in another order than in the goal, listed tile by tile on
                    boards of up to 10×10, plus the tiles that the blank passes on its way to the
                    goal's row
  by interchanges   the fewest exchanges of two numbers that turn the board into the goal, which is
                    one less than the length of each cycle, in which each number stands where the
                    next one belongs; plus the blank's distance from its place in the goal
The board is solvable if either sum is even.

With --json the answer is one object:
  board, goal                                boards, written as above
  solvable, already_solved
  parity                                     inversions, blank_row_from_bottom,
                                             goal_blank_row_from_bottom, interchanges, cycles,
                                             blank_distance
  repair                                     first_cell, second_cell, first_tile, second_tile of
                                             an exchange that makes the board solvable, or null

Exit codes: 0 solvable, 1 unsolvable, 2 wrong input, 3 the deadline came first, 4 no server,
5 a defect or a failed write, 130 interrupted.";

/// Inversions are listed tile by tile on boards of up to this many cells.
const STEPS_CELLS: usize = 100;

/// Check whether a board can be solved, with the evidence.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct CheckArgs {
    #[command(flatten)]
    puzzle: PuzzleArgs,

    /// Print one JSON object.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    server: ServerArgs,
}

impl CheckArgs {
    pub(super) async fn answer<S: PuzzleService>(
        &self,
        input: &mut dyn Read,
        output: &mut dyn Write,
        local: impl FnOnce(&LimitArgs) -> Result<S, Failure>,
    ) -> Result<Exit, Failure> {
        let (board, goal) = self.puzzle.read(input)?;
        let request = CheckSolvableRequest {
            board: Some((&board).into()),
            goal: Some(self.puzzle.goal_message(&goal)),
        };
        let answer = attend(&Latest::default(), self.server.timeout, async {
            let local = || local(&LimitArgs::default());
            let backend = Backend::choose(&self.server, local).await?;
            Ok(backend.check(request).await?)
        })
        .await?;

        let exit = if answer.solvable {
            Exit::Done
        } else {
            Exit::Unsolvable
        };
        let written = if self.json {
            writeln!(output, "{}", in_json(&board, &goal, &answer))
        } else {
            in_text(output, &board, &goal, &answer)
        };
        exit.finish(output, written)
    }
}

fn in_text(
    output: &mut dyn Write,
    board: &Board,
    goal: &Board,
    answer: &CheckSolvableResponse,
) -> io::Result<()> {
    let shape = board.shape();
    let verdict = match (answer.already_solved, answer.solvable) {
        (true, _) => "solved already",
        (false, true) => "solvable",
        (false, false) => "unsolvable",
    };
    writeln!(output, "{verdict}")?;
    if let Some(parity) = &answer.parity {
        writeln!(output, "by inversions:")?;
        if shape.cells() <= STEPS_CELLS {
            for (tile, violating) in inversions_by_tile(board, goal) {
                if !violating.is_empty() {
                    let later: Vec<String> = violating.iter().map(u16::to_string).collect();
                    let (later, many) = (later.join(" "), violating.len());
                    writeln!(output, "  {tile} stands before {later}: {many}")?;
                }
            }
        }
        let rows = parity
            .blank_row_from_bottom
            .abs_diff(parity.goal_blank_row_from_bottom);
        let passed = u64::from(rows) * (shape.columns() as u64 - 1);
        let inversions = count(parity.inversions, "inversion");
        let sum = parity.inversions + passed;
        let passed = count(passed, "tile");
        writeln!(
            output,
            "  {inversions} + {passed} passed by the blank = {}",
            verdict_of(sum)
        )?;

        writeln!(output, "by interchanges:")?;
        for cycle in &parity.cycles {
            let tiles: Vec<String> = cycle.tiles.iter().map(u32::to_string).collect();
            let (tiles, exchanges) = (tiles.join(" "), tiles.len().saturating_sub(1));
            writeln!(output, "  ({tiles}): {exchanges}")?;
        }
        let interchanges = count(parity.interchanges.into(), "interchange");
        let steps = count(parity.blank_distance.into(), "step");
        let sum = u64::from(parity.interchanges) + u64::from(parity.blank_distance);
        writeln!(
            output,
            "  {interchanges} + {steps} of the blank = {}",
            verdict_of(sum)
        )?;
    }
    if let Some(repair) = &answer.repair {
        let place = |cell: u32| {
            let cell = cell as usize;
            format!(
                "row {}, column {}",
                shape.row(cell) + 1,
                shape.column(cell) + 1
            )
        };
        writeln!(
            output,
            "to repair it, exchange {} ({}) and {} ({})",
            repair.first_tile,
            place(repair.first_cell),
            repair.second_tile,
            place(repair.second_cell)
        )?;
    }
    Ok(())
}

fn verdict_of(sum: u64) -> String {
    let parity = if sum.is_multiple_of(2) { "even" } else { "odd" };
    format!("{}: {parity}", number(sum))
}

fn in_json(board: &Board, goal: &Board, answer: &CheckSolvableResponse) -> Value {
    let parity = answer.parity.as_ref().map(|parity| {
        let cycles: Vec<&[u32]> = parity.cycles.iter().map(|cycle| &cycle.tiles[..]).collect();
        json!({
            "inversions": parity.inversions,
            "blank_row_from_bottom": parity.blank_row_from_bottom,
            "goal_blank_row_from_bottom": parity.goal_blank_row_from_bottom,
            "interchanges": parity.interchanges,
            "cycles": cycles,
            "blank_distance": parity.blank_distance,
        })
    });
    let repair = answer.repair.as_ref().map(|repair| {
        json!({
            "first_cell": repair.first_cell,
            "second_cell": repair.second_cell,
            "first_tile": repair.first_tile,
            "second_tile": repair.second_tile,
        })
    });
    json!({
        "board": board.to_string(),
        "goal": goal.to_string(),
        "solvable": answer.solvable,
        "already_solved": answer.already_solved,
        "parity": parity,
        "repair": repair,
    })
}
