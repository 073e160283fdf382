//! The number of moves that the variants of the constructive solver make: the table in
//! `docs/methods.md`.
//!
//! `cargo bench --no-default-features --bench constructive`

#[path = "../tests/support/adversary.rs"]
mod adversary;

use std::sync::Arc;
use std::time::{Duration, Instant};

use loyd::puzzle::generate::{Solvability, board_seed, uniform};
use loyd::puzzle::{Board, Dice, Parity, Problem, Shape};
use loyd::search::constructive::{Constructive, Variant};
use loyd::search::tables::Tables;
use loyd::search::{Budget, Search, Step};

use adversary::hard_problem;

/// The random boards are those of `loyd generate` with this seed.
const SEED: u64 = 1995;

/// The approximate total of moves per size: there are many small boards and few large ones.
const MOVES: usize = 16_000_000;

/// The most boards of a size.
const MOST_BOARDS: usize = 10_000;

fn main() {
    let tables = Arc::new(Tables::new());
    let squares = [3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30, 40, 50].map(|side| (side, side));
    let rectangles = [(2, 8), (3, 5), (4, 8), (5, 20), (20, 5), (10, 40)];
    println!("Random boards: mean moves, mean / n³, most moves, µs a board");
    for (rows, columns) in squares.into_iter().chain(rectangles) {
        random_boards(&tables, rows, columns);
    }
    println!("\nReversed boards, and boards made to be hard for Parberry and for Hayes: moves");
    for (rows, columns) in squares.into_iter().chain(rectangles) {
        hard_boards(&tables, rows, columns);
    }
    println!("\nBest by its look ahead: mean moves, mean / n³, ms a board");
    for (side, boards) in [(32, 10), (64, 3), (100, 2)] {
        looking_ahead(&tables, side, boards);
    }
}

/// Solves random boards, looking farther and farther ahead.
fn looking_ahead(tables: &Arc<Tables>, side: usize, boards: u64) {
    let goal = Board::solved(shape(side, side));
    for pushes in 2..=6 {
        let (mut sum, begun) = (0, Instant::now());
        for index in 0..boards {
            let problem = random(&goal, index);
            let mut search = Constructive::new(Arc::clone(tables), &problem, Variant::Best);
            search.look_ahead(pushes);
            sum += run(search);
        }
        let mean = sum as f64 / boards as f64;
        let time = begun.elapsed().as_secs_f64() * 1e3 / boards as f64;
        let scale = (side as f64).powi(3);
        println!(
            "{side:>4} {pushes:>2} {mean:>10.0} {:>6.3} {time:>6.0}",
            mean / scale
        );
    }
}

fn shape(rows: usize, columns: usize) -> Shape {
    Shape::new(rows, columns).expect("sides in range")
}

/// Returns the random board with a number.
fn random(goal: &Board, index: u64) -> Problem {
    let mut dice = Dice::new(board_seed(SEED, index));
    let board = uniform(goal, Solvability::Solvable, &mut dice);
    Problem::new(&board, goal).expect("solvable")
}

/// Returns the number of moves of a solution.
fn moves(tables: &Arc<Tables>, problem: &Problem, variant: Variant) -> usize {
    run(Constructive::new(Arc::clone(tables), problem, variant))
}

/// Returns the number of moves that a solver makes.
fn run(mut search: Constructive) -> usize {
    let mut moves = 0;
    while let Step::Found(run) = search.advance(Budget::UNLIMITED) {
        moves += run.len();
    }
    moves
}

fn random_boards(tables: &Arc<Tables>, rows: usize, columns: usize) {
    let shape = shape(rows, columns);
    let goal = Board::solved(shape);
    let scale = (shape.cells() as f64).powf(1.5);
    let boards = MOST_BOARDS.min(MOVES / (3.0 * scale) as usize);
    let (mut sum, mut most, mut elapsed) = ([0; 3], [0; 3], [Duration::ZERO; 3]);
    for index in 0..boards {
        let problem = random(&goal, index as u64);
        for (i, variant) in Variant::ALL.into_iter().enumerate() {
            let begun = Instant::now();
            let length = moves(tables, &problem, variant);
            elapsed[i] += begun.elapsed();
            sum[i] += length;
            most[i] = most[i].max(length);
        }
    }
    print!("{shape:>7} {boards:>6}");
    for (i, variant) in Variant::ALL.into_iter().enumerate() {
        let mean = sum[i] as f64 / boards as f64;
        let time = elapsed[i].as_secs_f64() * 1e6 / boards as f64;
        print!(
            " | {} {mean:>9.1} {:>6.3} {:>7} {time:>7.0}",
            variant.name(),
            mean / scale,
            most[i],
        );
    }
    println!();
}

/// Returns the board with the tiles in reverse order. The last two tiles are exchanged if it could
/// not be solved otherwise.
fn reversed(shape: Shape) -> Problem {
    let goal = Board::solved(shape);
    let mut tiles: Vec<u32> = (0..shape.cells() as u32).rev().collect();
    let board = Board::new(shape, &tiles).expect("a permutation");
    let parity = Parity::of(&board, &goal);
    if !parity.solvable() {
        tiles.swap(parity.exchange.cells.0, parity.exchange.cells.1);
    }
    let board = Board::new(shape, &tiles).expect("a permutation");
    Problem::new(&board, &goal).expect("solvable after the exchange")
}

fn hard_boards(tables: &Arc<Tables>, rows: usize, columns: usize) {
    let shape = shape(rows, columns);
    print!("{shape:>7}");
    for (name, problem) in [
        ("reversed", reversed(shape)),
        ("parberry's", hard_problem(tables, Variant::Parberry, shape)),
        ("hayes's", hard_problem(tables, Variant::Hayes, shape)),
    ] {
        print!(" | {name}");
        for variant in Variant::ALL {
            print!(" {:>7}", moves(tables, &problem, variant));
        }
    }
    if rows == columns {
        print!(
            " | bound {}",
            (10 * rows.pow(3) + 19 * rows - 9 * rows.pow(2)) / 2 - 89
        );
    }
    println!();
}
