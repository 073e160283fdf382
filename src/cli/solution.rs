//! Prints solutions, as text and as JSON.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::Failure;
use super::spelling::{count, name, number, seconds, time};
use crate::puzzle::notation::{Grid, Letters, RunLengths};
use crate::puzzle::{Board, Direction, Metric};
use crate::service::proto::{Algorithm, Heuristic, Solution, Statistics, StopReason, Summary};

/// A solution that has been replayed.
pub(super) struct Answer {
    board: Board,
    goal: Board,
    metric: Metric,
    moves: Vec<Direction>,
    solution: Solution,
    statistics: Statistics,
    stop_reason: StopReason,
}

impl Answer {
    /// Replays the moves, so that whatever is printed solves the board.
    ///
    /// # Errors
    /// When the moves do not solve the board, or their length is not the one stated.
    pub(super) fn new(
        board: Board,
        goal: Board,
        metric: Metric,
        moves: Vec<Direction>,
        summary: Summary,
    ) -> Result<Self, Failure> {
        let stop_reason = summary.stop_reason();
        let solution = summary.solution.unwrap_or_default();
        let mut last = board.clone();
        let legal = moves.iter().all(|&direction| last.slide(direction));
        if !legal || last != goal || solution.length as usize != metric.length(&moves) {
            return Err(Failure::Broken(
                "the service sent moves that do not solve the board".to_owned(),
            ));
        }
        Ok(Self {
            board,
            goal,
            metric,
            moves,
            solution,
            statistics: summary.statistics.unwrap_or_default(),
            stop_reason,
        })
    }

    pub(super) const fn solution(&self) -> &Solution {
        &self.solution
    }

    pub(super) const fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    pub(super) fn text(&self, output: &mut dyn Write, trace: bool) -> io::Result<()> {
        writeln!(output, "{}", RunLengths(&self.moves))?;
        let noun = match self.metric {
            Metric::SingleTile => "move",
            Metric::MultiTile => "push",
        };
        let length = count(self.solution.length.into(), noun);
        if self.solution.optimal {
            writeln!(output, "{length}, optimal")?;
        } else {
            let bound = number(self.solution.lower_bound.into());
            writeln!(
                output,
                "{length}, the shortest solution has at least {bound}"
            )?;
        }
        let statistics = &self.statistics;
        write!(
            output,
            "{} in {}",
            count(statistics.nodes_generated, "node"),
            time(seconds(statistics.elapsed.as_ref()))
        )?;
        if statistics.algorithm() != Algorithm::Unspecified {
            write!(output, " by {}", algorithm(statistics))?;
        }
        if statistics.heuristic() != Heuristic::Unspecified {
            let corrections = corrections(statistics).map(|name| format!("+{name}"));
            let corrections: String = corrections.collect();
            write!(output, " with {}{corrections}", heuristic(statistics))?;
        }
        writeln!(output, ", {}", self.stop_reason().replace('_', " "))?;
        if trace {
            self.draw(output)?;
            self.account(output)?;
        }
        Ok(())
    }

    /// Prints what the search did, as textbooks count it.
    fn account(&self, output: &mut dyn Write) -> io::Result<()> {
        let statistics = &self.statistics;
        writeln!(output, "\nmoves: {}", self.moves.len())?;
        if self.metric == Metric::MultiTile {
            writeln!(output, "pushes: {}", self.solution.length)?;
        }
        writeln!(output, "nodes dequeued: {}", statistics.nodes_expanded)?;
        writeln!(output, "nodes generated: {}", statistics.nodes_generated)?;
        if statistics.peak_open > 0 {
            writeln!(output, "greatest open list: {}", statistics.peak_open)?;
        }
        for (number, iteration) in (1..).zip(&statistics.thresholds) {
            writeln!(
                output,
                "iteration {number}: threshold {}, nodes generated: {}",
                iteration.threshold, iteration.nodes_generated
            )?;
        }
        Ok(())
    }

    fn draw(&self, output: &mut dyn Write) -> io::Result<()> {
        writeln!(output, "\n{}", Grid(&self.board))?;
        let mut board = self.board.clone();
        for (i, &direction) in self.moves.iter().enumerate() {
            let cell = board.blank();
            board.slide(direction);
            let (number, letter, tile) = (i + 1, direction.letter(), board.tile(cell));
            writeln!(
                output,
                "\n{number}. {letter}, tile {tile}\n{}",
                Grid(&board)
            )?;
        }
        Ok(())
    }

    /// Prints the answer as one JSON object.
    pub(super) fn json(&self, output: &mut dyn Write, trace: bool) -> io::Result<()> {
        let answer = self.value().to_string();
        let Some(open) = answer.strip_suffix('}').filter(|_| trace) else {
            return writeln!(output, "{answer}");
        };
        // Board by board, since all of them may not fit in memory.
        write!(output, "{open},\"boards\":[")?;
        let mut board = self.board.clone();
        for (i, &direction) in self.moves.iter().enumerate() {
            board.slide(direction);
            let comma = if i == 0 { "" } else { "," };
            write!(output, "{comma}{}", Value::from(board.to_string()))?;
        }
        writeln!(output, "]}}")
    }

    fn value(&self) -> Value {
        let statistics = &self.statistics;
        let thresholds: Value = statistics
            .thresholds
            .iter()
            .map(|iteration| {
                json!({
                    "threshold": iteration.threshold,
                    "nodes_generated": iteration.nodes_generated,
                })
            })
            .collect();
        json!({
            "board": self.board.to_string(),
            "goal": self.goal.to_string(),
            "moves": Letters(&self.moves).to_string(),
            "metric": match self.metric {
                Metric::SingleTile => "single_tile",
                Metric::MultiTile => "multi_tile",
            },
            "length": self.solution.length,
            "slides": self.moves.len(),
            "lower_bound": self.solution.lower_bound,
            "optimal": self.solution.optimal,
            "stop_reason": self.stop_reason(),
            "statistics": {
                "nodes_expanded": statistics.nodes_expanded,
                "nodes_generated": statistics.nodes_generated,
                "peak_open": statistics.peak_open,
                "peak_memory_bytes": statistics.peak_memory_bytes,
                "iterations": statistics.iterations,
                "thresholds": thresholds,
                "queued_seconds": seconds(statistics.queued.as_ref()),
                "elapsed_seconds": seconds(statistics.elapsed.as_ref()),
                "algorithm": algorithm(statistics),
                "heuristic": heuristic(statistics),
                "corrections": corrections(statistics).collect::<Value>(),
            },
        })
    }

    fn stop_reason(&self) -> String {
        name(self.stop_reason.as_str_name(), "STOP_REASON_")
    }
}

fn algorithm(statistics: &Statistics) -> String {
    name(statistics.algorithm().as_str_name(), "ALGORITHM_")
}

fn heuristic(statistics: &Statistics) -> String {
    name(statistics.heuristic().as_str_name(), "HEURISTIC_")
}

fn corrections(statistics: &Statistics) -> impl Iterator<Item = String> {
    let corrections = statistics.corrections();
    corrections.map(|heuristic| name(heuristic.as_str_name(), "HEURISTIC_"))
}
