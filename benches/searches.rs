//! How fast the searches run on Korf's boards, and how many nodes they take.
//!
//! `cargo bench --no-default-features --bench searches` prints nodes per second, heuristic by
//! heuristic. With `-- --nodes` it prints instead the nodes of IDA* on all hundred boards and the
//! lengths of weighted A*'s solutions, which takes ten minutes.
#![allow(missing_docs, reason = "nobody uses a benchmark but by running it")]

#[path = "../tests/support/korf.rs"]
mod korf;

use std::time::Instant;

use divan::Bencher;
use divan::counter::ItemsCount;
use korf::KorfBoard;
use loyd::heuristic::HeuristicKind;
use loyd::search::{Budget, Progress, Solver, Step, a_star, ida_star};

const KINDS: [HeuristicKind; 6] = [
    HeuristicKind::Manhattan,
    HeuristicKind::LinearConflict,
    HeuristicKind::CornerTiles,
    HeuristicKind::LastMoves,
    HeuristicKind::ALL_CORRECTIONS,
    HeuristicKind::WalkingDistance,
];

fn main() {
    if std::env::args().any(|argument| argument == "--nodes") {
        print_nodes();
    } else {
        divan::main();
    }
}

/// Runs to the first solution. Returns its length and the search's progress.
fn solve(mut solver: Solver) -> (usize, Progress) {
    match solver.advance(Budget::UNLIMITED) {
        Step::Found(solution) => (solution.len(), solver.progress()),
        step => unreachable!("{step:?} without a limit"),
    }
}

/// Times a solver on the twenty easiest boards, by its nodes.
fn time(bencher: Bencher, solver: impl Fn(&KorfBoard) -> Solver) {
    let boards = &korf::easiest_first()[..20];
    let all = || -> u64 {
        let nodes = |board| solve(solver(board)).1.generated;
        boards.iter().map(nodes).sum()
    };
    bencher.counter(ItemsCount::new(all())).bench_local(all);
}

#[divan::bench(args = KINDS, sample_count = 3, sample_size = 1)]
fn ida_star_nodes(bencher: Bencher, kind: HeuristicKind) {
    time(bencher, |board| ida_star::solver(&board.problem, kind));
}

#[divan::bench(args = KINDS, sample_count = 3, sample_size = 1)]
fn a_star_nodes(bencher: Bencher, kind: HeuristicKind) {
    time(bencher, |board| a_star::solver(&board.problem, kind, 1.0));
}

fn print_nodes() {
    let boards = korf::easiest_first();
    let shortest: usize = boards.iter().map(|board| board.length).sum();
    for weight in [1.5, 2.0, 3.0, 5.0] {
        let began = Instant::now();
        let (mut sum, mut worst) = (0, 0.0_f64);
        for board in &boards {
            let solver = a_star::solver(&board.problem, HeuristicKind::Manhattan, weight);
            let length = solve(solver).0;
            sum += length;
            worst = worst.max(length as f64 / board.length as f64);
        }
        let mean = sum as f64 / shortest as f64;
        let elapsed = began.elapsed();
        println!("A*, weight {weight}: {mean:.3} × shortest, at most {worst:.3}, {elapsed:.1?}");
    }
    for kind in KINDS {
        let began = Instant::now();
        let nodes = |board: &KorfBoard| {
            let (length, progress) = solve(ida_star::solver(&board.problem, kind));
            assert_eq!(length, board.length);
            progress.generated
        };
        let nodes: u64 = boards.iter().map(nodes).sum();
        println!(
            "IDA* {}: {nodes} nodes, {:.1?}",
            kind.name(),
            began.elapsed()
        );
    }
}
