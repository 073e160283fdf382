//! The staged beam on random boards: mean length and time by shape and width.
//!
//! `cargo bench --no-default-features --bench staged_beam -- --shape 10x10 --widths 30,100 --boards 20`
//!
//! The first row is the constructive solver's. Times are CPU times of one thread; the tables are
//! built beforehand.

mod clock;

use std::sync::Arc;

use clock::Clock;
use loyd::puzzle::generate::{Solvability, board_seed, uniform};
use loyd::puzzle::{Board, Dice, Problem, Shape};
use loyd::search::constructive::{Constructive, Variant};
use loyd::search::joined::Joined;
use loyd::search::staged_beam::{self, Extent};
use loyd::search::tables::Tables;
use loyd::search::{Budget, Solver, Step};

/// The question that the command line asks.
struct Question {
    shape: Shape,
    widths: Vec<usize>,
    boards: u64,
    seed: u64,
}

impl Question {
    fn of(arguments: impl Iterator<Item = String>) -> Option<Self> {
        let mut question = Self {
            shape: Shape::new(10, 10).ok()?,
            widths: vec![30, 100, 300],
            boards: 20,
            seed: 1995,
        };
        let mut arguments = arguments.filter(|argument| argument != "--bench");
        while let Some(name) = arguments.next() {
            let value = arguments.next()?;
            match name.as_str() {
                "--shape" => {
                    let (rows, columns) = value.split_once('x')?;
                    question.shape = Shape::new(rows.parse().ok()?, columns.parse().ok()?).ok()?;
                }
                "--widths" => {
                    let widths = value.split(',').map(str::parse);
                    question.widths = widths.collect::<Result<_, _>>().ok()?;
                }
                "--boards" => question.boards = value.parse().ok()?,
                "--seed" => question.seed = value.parse().ok()?,
                _ => return None,
            }
        }
        Some(question)
    }

    fn problem(&self, index: u64) -> Problem {
        let goal = Board::solved(self.shape);
        let mut dice = Dice::new(board_seed(self.seed, index));
        let board = uniform(&goal, Solvability::Solvable, &mut dice);
        Problem::new(&board, &goal).expect("drawn to be solvable")
    }
}

fn main() {
    let Some(question) = Question::of(std::env::args().skip(1)) else {
        eprintln!("--shape 10x10 --widths 30,100,300 --boards 20 --seed 1995");
        return;
    };
    let problems: Vec<Problem> = (0..question.boards).map(|i| question.problem(i)).collect();
    let tables = Arc::new(Tables::new());
    if let Some(problem) = problems.first() {
        while !staged_beam::prepare(problem, 1 << 16) {}
        run(staged_beam::solver(
            problem,
            Extent::of_width(1),
            1,
            &tables,
        ));
    }
    println!("{}", question.shape);
    println!(" width  mean length  / n³   failures  ms a board  ns a kept node        MB");
    row("greedy", 0, &problems, |problem| {
        let runs = Constructive::new(Arc::clone(&tables), problem, Variant::Best);
        Box::new(Joined::new(problem, runs))
    });
    for &width in &question.widths {
        let bytes = staged_beam::bytes(question.shape, width, u32::MAX);
        row(&width.to_string(), bytes, &problems, |problem| {
            staged_beam::solver(problem, Extent::of_width(width), 1, &tables)
        });
    }
}

/// Runs a search to its end. Returns the length of what it found, the nodes that it expanded, and
/// its peak memory.
fn run(mut solver: Solver) -> (Option<usize>, u64, u64) {
    let mut length = None;
    loop {
        match solver.advance(Budget::nodes(4096)) {
            Step::Working => {}
            Step::Found(solution) => length = Some(solution.len()),
            Step::Done(_) => {
                let progress = solver.progress();
                return (length, progress.expanded, progress.peak_memory);
            }
        }
    }
}

fn row(name: &str, bytes: u64, problems: &[Problem], solver: impl Fn(&Problem) -> Solver) {
    let (mut lengths, mut solved, mut kept, mut peak) = (0, 0, 0, 0);
    let begun = Clock::start();
    for problem in problems {
        let (length, expanded, memory) = run(solver(problem));
        lengths += length.unwrap_or(0);
        solved += usize::from(length.is_some());
        kept += expanded;
        peak = peak.max(memory);
    }
    let elapsed = begun.elapsed().as_secs_f64();
    let mean = lengths as f64 / solved as f64;
    let cells = problems
        .first()
        .map_or(0, |problem| problem.shape().cells());
    println!(
        "{name:>6}  {mean:>11.1}  {:>5.3}  {:>8}  {:>10.2}  {:>14.1}  {:>4.1} ({:.1} reserved)",
        mean / (cells as f64).powf(1.5),
        problems.len() - solved,
        1e3 * elapsed / problems.len() as f64,
        1e9 * elapsed / kept as f64,
        peak as f64 / 1e6,
        bytes as f64 / 1e6,
    );
}
