//! Beams over whole boards: mean length and time by shape and width.
//!
//! `cargo bench --no-default-features --bench beam -- --shape 5x5 --widths 100,1000 --boards 100`
//!
//! `--file boards.tsv` takes the boards from a table instead: the second column holds the tiles
//! separated by commas, for the goal 1 2 3 … with the blank last. `--seed` is the seed of the
//! random boards, and `--home` the cell where their blank belongs. `--weights` tries the weights of
//! a file; those of tiles near each other are fitted to the shape. `--network` adds the network of
//! another file. `--from start` or `goal` is the end at which beams begin; with `both`, the shorter
//! solution counts.

mod clock;

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use clock::Clock;
use loyd::heuristic::learned::near::{NearRanking, NearWeights};
use loyd::heuristic::learned::{Kind, Network, Ranking, Rows, Weights, WeightsError};
use loyd::puzzle::generate::{Solvability, board_seed, uniform};
use loyd::puzzle::{Board, Dice, Problem, Shape};
use loyd::search::beam::{self, Beam, End};
use loyd::search::{Budget, Solver, Step};

/// The question that the command line asks.
struct Question {
    shape: Shape,
    widths: Vec<usize>,
    boards: usize,
    seed: u64,
    home: Option<usize>,
    file: Option<String>,
    weights: Option<String>,
    network: Option<String>,
    from: &'static [End],
}

impl Question {
    fn of(arguments: impl Iterator<Item = String>) -> Option<Self> {
        let mut question = Self {
            shape: Shape::new(5, 5).ok()?,
            widths: vec![100, 1000, 10_000],
            boards: 20,
            seed: 1995,
            home: None,
            file: None,
            weights: None,
            network: None,
            from: &[End::Start],
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
                "--home" => question.home = Some(value.parse().ok()?),
                "--file" => question.file = Some(value),
                "--weights" => question.weights = Some(value),
                "--network" => question.network = Some(value),
                "--from" => {
                    question.from = match value.as_str() {
                        "start" => &[End::Start],
                        "goal" => &[End::Goal],
                        "both" => &[End::Start, End::Goal],
                        _ => return None,
                    }
                }
                _ => return None,
            }
        }
        Some(question)
    }

    fn problems(&self) -> Option<Vec<Problem>> {
        let Some(file) = &self.file else {
            let mut tiles: Vec<u32> = (1..self.shape.cells() as u32).collect();
            tiles.insert(self.home.unwrap_or(tiles.len()).min(tiles.len()), 0);
            let goal = Board::new(self.shape, &tiles).ok()?;
            let random = |index| {
                let mut dice = Dice::new(board_seed(self.seed, index));
                let board = uniform(&goal, Solvability::Solvable, &mut dice);
                Problem::new(&board, &goal).ok()
            };
            return (0..self.boards as u64).map(random).collect();
        };
        let text = std::fs::read_to_string(file).ok()?;
        let rows = text.lines().filter(|line| !line.starts_with('#'));
        let problem = |row: &str| {
            let tiles = row.split('\t').nth(1)?.split(',').map(str::parse);
            let tiles: Vec<u32> = tiles.collect::<Result<_, _>>().ok()?;
            let side = tiles.len().isqrt();
            let board = Board::new(Shape::new(side, tiles.len() / side).ok()?, &tiles).ok()?;
            Problem::new(&board, &Board::solved(board.shape())).ok()
        };
        rows.take(self.boards).map(problem).collect()
    }

    /// Returns beams by the weights and the network that were given, if any.
    fn given(&self, shape: Shape) -> Result<Option<Box<Solvers>>, String> {
        let network = match &self.network {
            Some(path) => Some(read(path, Network::from_bytes)?),
            None => None,
        };
        let Some(path) = &self.weights else {
            return match network {
                Some(_) => Err("--network needs the --weights that it was learned beside".into()),
                None => Ok(None),
            };
        };
        let beams = |bytes: &[u8]| match NearWeights::from_bytes(bytes) {
            Err(WeightsError::Other {
                found: Kind::Weights,
                ..
            }) => Weights::from_bytes(bytes).map(|all| {
                let rows = move |home| Rows::at_home(all.clone(), home);
                beams_by(rows, network.clone())
            }),
            near => near.map(|near| {
                let near = near.fit(shape);
                let rows = move |home| NearRanking::at_home(near.clone(), home);
                beams_by(rows, network.clone())
            }),
        };
        read(path, beams).map(Some)
    }
}

/// Reads a file of weights or of a network.
fn read<T>(path: &str, from_bytes: impl Fn(&[u8]) -> Result<T, WeightsError>) -> Result<T, String> {
    let bytes = std::fs::read(path).map_err(|error| format!("{path}: {error}"))?;
    from_bytes(&bytes).map_err(|error| format!("{path}: {error}"))
}

fn main() {
    let Some(question) = Question::of(std::env::args().skip(1)) else {
        eprintln!("--shape 5x5 --widths 100,1000 --boards 20 --seed 1995 --home 24");
        eprintln!(
            "--file boards.tsv --weights whole-10x10.loyd --network network-whole-10x10.loyd --from start|goal|both"
        );
        return;
    };
    let Some(problems) = question.problems() else {
        eprintln!("no boards of that kind");
        return;
    };
    let given = match question.given(problems.first().map_or(question.shape, Problem::shape)) {
        Ok(given) => given,
        Err(fault) => {
            eprintln!("{fault}");
            std::process::exit(2);
        }
    };
    println!("estimate   width  mean length  failures  ms a board  ns a kept node");
    for &width in &question.widths {
        if let Some(beams) = &given {
            row("learned", &problems, &question, width, |problem, from| {
                beams(problem, from, width)
            });
        } else {
            row("shipped", &problems, &question, width, |problem, from| {
                let shape = problem.shape();
                while beam::is_learned(shape) && !beam::prepare(shape, 1 << 20) {}
                while beam::is_learned(shape) && !beam::prepare_from(problem, from, 1 << 20) {}
                Some(beam::by_learned(problem, from, width, 1, u32::MAX)?)
            });
        }
    }
}

/// Returns a function that creates beams by the ranking for their home of the blank, with a network
/// beside it if there is one.
fn beams_by<R: Ranking>(
    ranking: impl Fn(usize) -> R + 'static,
    network: Option<Network>,
) -> Box<Solvers> {
    let by_home = RefCell::new(HashMap::new());
    Box::new(move |problem, from, width| {
        let mut by_home = by_home.borrow_mut();
        let ranking = by_home
            .entry(beam::home(problem, from).cell())
            .or_insert_with_key(|&home| {
                let mut ranking = ranking(home);
                if let Some(network) = network.clone() {
                    ranking.set_network(network);
                }
                Arc::new(ranking)
            });
        let beam = Beam::learned(problem, from, Arc::clone(ranking), width, 1)?;
        Some(Box::new(beam))
    })
}

type Solvers = dyn Fn(&Problem, End, usize) -> Option<Solver>;

fn row(
    name: &str,
    problems: &[Problem],
    question: &Question,
    width: usize,
    solver: impl Fn(&Problem, End) -> Option<Solver>,
) {
    let (mut lengths, mut solved, mut kept) = (0, 0, 0);
    let begun = Clock::start();
    for problem in problems {
        let mut shortest: Option<usize> = None;
        for &from in question.from {
            let Some(mut beam) = solver(problem, from) else {
                continue;
            };
            while beam.progress().expanded == 0 {
                // The first time, this builds the tables of the estimate.
                beam.advance(Budget::nodes(1));
            }
            if let Step::Found(solution) = beam.advance(Budget::UNLIMITED) {
                let length = solution.len();
                shortest = Some(shortest.map_or(length, |least| least.min(length)));
            }
            kept += beam.progress().expanded;
        }
        lengths += shortest.unwrap_or(0);
        solved += usize::from(shortest.is_some());
    }
    let elapsed = begun.elapsed().as_secs_f64();
    println!(
        "{name:<9} {width:>6}  {:>11.2}  {:>8}  {:>10.2}  {:>14.1}",
        lengths as f64 / solved as f64,
        problems.len() - solved,
        1e3 * elapsed / problems.len() as f64,
        1e9 * elapsed / kept as f64,
    );
}
