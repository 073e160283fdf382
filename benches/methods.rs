//! The heuristics and the searches on 3×3 and 4×4, and tables on up to 12 cells: figures in
//! `docs/methods.md`.
//!
//! `cargo bench --no-default-features --bench methods`; with `-- --pushes` the figures in pushes,
//! with `-- --walking-distance` the walking distance of all boards of 3×4 and 2×6.

#[path = "../tests/support/korf.rs"]
#[allow(dead_code, reason = "lengths and nodes are in single tiles")]
mod korf;

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use loyd::heuristic::walking_distance::{self, WalkingDistance};
use loyd::heuristic::{Heuristic, HeuristicKind, Slide, Tiles, pushes, table_counts};
use loyd::puzzle::generate::{Solvability, board_seed, uniform};
use loyd::puzzle::{Board, Dice, Direction, Metric, Problem, Shape};
use loyd::search::distance_table::table_walk::TableWalk;
use loyd::search::distance_table::{Class, DistanceTable, Sweep};
use loyd::search::{Budget, Solver, Step, a_star, ida_star};

/// The random boards are those of `loyd generate` with this seed.
const SEED: u64 = 1985;

fn main() {
    let is_asked_for = |option: &str| std::env::args().any(|argument| argument == option);
    if is_asked_for("--pushes") {
        return in_pushes();
    }
    if is_asked_for("--walking-distance") {
        walking_distance_of_all(shape(3, 4));
        return walking_distance_of_all(shape(2, 6));
    }
    let small = shape(3, 3);
    let large = shape(4, 4);
    bounds_of_all(small);
    bounds_of_some(large, 100_000);

    println!("\nSearches: mean length, expanded, generated, greatest open list, ms a board");
    for (rows, columns) in [(3, 3), (2, 5), (3, 4), (2, 6)] {
        table_walks(shape(rows, columns), 200);
    }
    for kind in HeuristicKind::ALL {
        let name = format!("A* {}", kind.name());
        searches(&name, small, 200, |problem| {
            a_star::solver(problem, kind, 1.0)
        });
    }
    for kind in HeuristicKind::ALL {
        let name = format!("IDA* {}", kind.name());
        searches(&name, small, 200, |problem| ida_star::solver(problem, kind));
    }
    for kind in HeuristicKind::ALL
        .into_iter()
        .filter(|&kind| guides_4_by_4(kind))
    {
        let name = format!("IDA* {}", kind.name());
        searches(&name, large, 20, |problem| ida_star::solver(problem, kind));
        for weight in [1.5, 2.0, 3.0, 5.0] {
            let name = format!("A* × {weight} {}", kind.name());
            searches(&name, large, 20, |problem| {
                a_star::solver(problem, kind, weight)
            });
        }
    }
}

/// Returns whether a search on 4×4 ends within seconds.
fn guides_4_by_4(kind: HeuristicKind) -> bool {
    !matches!(kind, HeuristicKind::Discrete | HeuristicKind::Hamming)
}

fn shape(rows: usize, columns: usize) -> Shape {
    Shape::new(rows, columns).expect("sides in range")
}

fn random_problem(shape: Shape, index: u64) -> Problem {
    let goal = Board::solved(shape);
    let mut dice = Dice::new(board_seed(SEED, index));
    problem(&uniform(&goal, Solvability::Solvable, &mut dice))
}

fn problem(board: &Board) -> Problem {
    Problem::new(board, &Board::solved(board.shape())).expect("a solvable board")
}

/// Returns the class of the default goal.
fn class(shape: Shape) -> Class {
    Class::of(&problem(&Board::solved(shape))).expect("small enough for a table")
}

/// Prints the mean of each bound over all boards, and of the true distance.
fn bounds_of_all(shape: Shape) {
    let class = class(shape);
    let table = DistanceTable::new(class);
    let boards = class.boards();
    let mut sums = [0_u64; HeuristicKind::ALL.len()];
    let mut goal: Vec<u32> = (1..shape.cells() as u32).collect();
    goal.insert(class.home(), 0);
    let goal = Board::new(shape, &goal).expect("a permutation");
    for index in 0..boards {
        let board = table.board(index).expect("an index in range");
        let problem = Problem::new(&board, &goal).expect("a solvable board");
        for (sum, kind) in sums.iter_mut().zip(HeuristicKind::ALL) {
            *sum += u64::from(kind.lower_bound(&problem));
        }
    }
    println!("Mean lower bound, all {boards} boards of {shape}");
    for (sum, kind) in sums.into_iter().zip(HeuristicKind::ALL) {
        println!("{:>39} {:>7.3}", kind.name(), sum as f64 / boards as f64);
    }
    let sum: u64 = (0..)
        .zip(table.counts())
        .map(|(distance, boards)| distance * boards)
        .sum();
    println!(
        "{:>39} {:>7.3}",
        "true distance",
        sum as f64 / boards as f64
    );
}

fn bounds_of_some(shape: Shape, boards: u64) {
    println!("\nMean lower bound, {boards} random boards of {shape}, and ns to work one out");
    for kind in HeuristicKind::ALL {
        let (mut sum, mut elapsed) = (0, Duration::ZERO);
        for index in 0..boards {
            let problem = random_problem(shape, index);
            let begun = Instant::now();
            sum += u64::from(kind.lower_bound(&problem));
            elapsed += begun.elapsed();
        }
        let mean = sum as f64 / boards as f64;
        let time = elapsed.as_nanos() as f64 / boards as f64;
        println!("{:>39} {mean:>7.3} {time:>6.0}", kind.name());
    }
}

fn table_walks(shape: Shape, boards: u64) {
    let mut table = None;
    for threads in [1, 2].into_iter().filter_map(NonZeroUsize::new) {
        let begun = Instant::now();
        let built = swept(class(shape), threads);
        println!(
            "{shape}: table of {} bytes built in {:.1} ms by {threads} threads",
            built.bytes(),
            begun.elapsed().as_secs_f64() * 1e3
        );
        table = Some(Arc::new(built));
    }
    searches("table walk", shape, boards, |problem| {
        let table = table.clone().expect("it was built");
        Box::new(TableWalk::new(table, problem).expect("a board of the class"))
    });
}

fn swept(class: Class, threads: NonZeroUsize) -> DistanceTable {
    let mut sweep = Sweep::new(class);
    loop {
        sweep = match sweep.advance(threads) {
            ControlFlow::Continue(sweep) => sweep,
            ControlFlow::Break(table) => return table,
        };
    }
}

fn searches(name: &str, shape: Shape, boards: u64, solver: impl Fn(&Problem) -> Solver) {
    let (mut length, mut expanded, mut generated, mut open) = (0, 0, 0, 0);
    let mut elapsed = Duration::ZERO;
    for index in 0..boards {
        let problem = random_problem(shape, index);
        let begun = Instant::now();
        let mut search = solver(&problem);
        if let Step::Found(solution) = search.advance(Budget::UNLIMITED) {
            length += solution.len() as u64;
        }
        elapsed += begun.elapsed();
        let progress = search.progress();
        expanded += progress.expanded;
        generated += progress.generated;
        open += progress.peak_open;
    }
    let mean = |sum: u64| sum as f64 / boards as f64;
    println!(
        "{shape} {boards:>4} {name:>46} {:>7.2} {:>12.0} {:>12.0} {:>9.0} {:>9.3}",
        mean(length),
        mean(expanded),
        mean(generated),
        mean(open),
        elapsed.as_secs_f64() * 1e3 / boards as f64,
    );
}

/// Prints figures of IDA* in pushes on 4×4, for Korf's boards and random ones.
fn in_pushes() {
    let begun = Instant::now();
    let problems: Vec<Problem> = korf::easiest_first()
        .into_iter()
        .map(|board| board.problem)
        .collect();
    while !pushes::prepare(&problems[0], u64::MAX) {}
    println!(
        "4×4: tables of {:.1} MB built in {:.2} s",
        table_counts().bytes as f64 / 1e6,
        begun.elapsed().as_secs_f64()
    );
    push_searches("Korf's", &problems);
    let random: Vec<Problem> = (0..100)
        .map(|index| random_problem(shape(4, 4), index))
        .collect();
    push_searches("random", &random);
}

fn push_searches(name: &str, problems: &[Problem]) {
    const LIMIT: Duration = Duration::from_secs(10);
    let (mut bounds, mut lengths, mut slides, mut nodes) = (0, 0, 0, 0);
    let mut times = Vec::new();
    for problem in problems {
        let begun = Instant::now();
        let mut search = ida_star::push_solver(problem);
        bounds += search.progress().lower_bound;
        let solution = loop {
            match search.advance(Budget::nodes(1 << 20)) {
                Step::Found(solution) => break solution,
                step => assert_eq!(step, Step::Working),
            }
        };
        times.push(begun.elapsed());
        nodes += search.progress().generated;
        lengths += Metric::MultiTile.length(solution.moves());
        slides += solution.len();
    }
    times.sort();
    let count = problems.len();
    let mean = |sum: f64| sum / count as f64;
    let total: Duration = times.iter().sum();
    println!(
        "{count} {name}: first bound {:.2}, {:.2} pushes of {:.2} slides, {:.0} nodes, {:.2} s; \
         median {:.2} s, most {:.2} s, {} of them within {} s",
        mean(f64::from(bounds)),
        mean(lengths as f64),
        mean(slides as f64),
        mean(nodes as f64),
        mean(total.as_secs_f64()),
        times[count / 2].as_secs_f64(),
        times[count - 1].as_secs_f64(),
        times.iter().filter(|&&time| time <= LIMIT).count(),
        LIMIT.as_secs(),
    );
}

/// A board of at most 12 cells and its walking distance in one word: the blank's cell in four bits,
/// four bits per cell, and the distance in the lowest eight. A board's word does not depend on how
/// the board was reached, so equal boards are equal words.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Walked(u64);

impl Walked {
    fn goal(board: &Board) -> Self {
        let tiles = (0_u32..).zip(board.tiles());
        let tiles = tiles.fold(0, |bits, (cell, tile)| {
            bits | u64::from(tile) << (8 + 4 * cell)
        });
        Self((board.blank() as u64) << 56 | tiles)
    }

    const fn blank(self) -> usize {
        (self.0 >> 56) as usize
    }

    const fn bound(self) -> u32 {
        (self.0 & 0xff) as u32
    }

    /// Returns the board after the tile on a cell has moved to the blank's. The walking distance is
    /// not updated yet.
    fn slid(self, tile: usize, from: usize) -> Self {
        let tile = tile as u64;
        let tiles = self.0 ^ tile << (8 + 4 * from) ^ tile << (8 + 4 * self.blank());
        Self(tiles & !(0xf << 56) | (from as u64) << 56)
    }
}

impl Tiles for Walked {
    fn tile(&self, cell: usize) -> usize {
        (self.0 >> (8 + 4 * cell) & 0xf) as usize
    }
}

/// Visits all boards breadth-first from the goal, distance by distance, and prints for how many the
/// walking distance exceeds the true distance, and for how many it is equal.
fn walking_distance_of_all(shape: Shape) {
    let begun = Instant::now();
    let goal = Board::solved(shape);
    while !walking_distance::prepare(&problem(&goal), u64::MAX) {}
    let walking = WalkingDistance::new(&problem(&goal)).expect("tables for 12 cells");
    let (mut boards, mut above, mut exact, mut sum, mut true_sum) = (0, 0, 0, 0, 0);
    let (mut before, mut boards_there) = (Vec::new(), vec![Walked::goal(&goal)]);
    // The counts come from another method. They would reveal words that differ only in the walking
    // distance.
    for (distance, &count) in (0..).zip(DistanceTable::new(class(shape)).counts()) {
        assert_eq!(boards_there.len() as u64, count, "boards at {distance}");
        boards += count;
        true_sum += count * u64::from(distance);
        for board in &boards_there {
            above += u64::from(board.bound() > distance);
            exact += u64::from(board.bound() == distance);
            sum += u64::from(board.bound());
        }
        let next = farther(shape, &walking, &boards_there, &before);
        before = std::mem::replace(&mut boards_there, next);
    }
    let part = |sum: u64| sum as f64 / boards as f64;
    println!(
        "{shape}: {boards} boards, walking distance above the true one on {above}, equal on {exact} \
         ({:.3} %), {:.3} on the mean, {:.3} the true one; {:.0} s",
        100.0 * part(exact),
        part(sum),
        part(true_sum),
        begun.elapsed().as_secs_f64(),
    );
}

/// Returns the boards next to those at one distance that are not at the distance before, in order.
fn farther(
    shape: Shape,
    walking: &WalkingDistance,
    boards: &[Walked],
    before: &[Walked],
) -> Vec<Walked> {
    let mut next = Vec::with_capacity(3 * boards.len());
    for &board in boards {
        let state = walking.restore(&board, board.bound());
        for direction in Direction::ALL {
            let Some(from) = shape.neighbour(board.blank(), direction.opposite()) else {
                continue;
            };
            let tile = board.tile(from);
            let slid = board.slid(tile, from);
            let slide = Slide {
                tile,
                from,
                to: board.blank(),
                direction,
            };
            let bound = WalkingDistance::value(walking.after_slide(state, slide, &slid));
            next.push(Walked(slid.0 & !0xff | u64::from(bound)));
        }
    }
    next.sort_unstable();
    next.dedup();
    let mut before = before.iter().peekable();
    next.retain(|board| {
        while before.next_if(|&earlier| earlier < board).is_some() {}
        before.peek() != Some(&board)
    });
    next
}
