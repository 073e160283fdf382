//! What pattern databases cost, piece by piece: building one, computing a bound from scratch (ranks
//! and the descent to the goal), and expanding nodes.
//!
//! `cargo bench --no-default-features --bench pattern_databases`. `loyd bench` measures how long
//! boards take to solve.
#![allow(missing_docs, reason = "nobody uses a benchmark but by running it")]

#[path = "../tests/support/korf.rs"]
#[allow(
    dead_code,
    reason = "only some of what is known of the boards is needed"
)]
mod korf;

use divan::Bencher;
use divan::counter::ItemsCount;
use loyd::heuristic::pattern_database::{Additive, Tables, Tier, Watch};
use loyd::search::ida_star::batch::{Guide, Small};
use loyd::search::{Budget, Step};

const TIERS: [&str; 2] = ["6-6-3", "7-7-1"];

fn main() {
    divan::main();
}

fn additive(tier: &str) -> Additive<u64> {
    let tier = Tier::ALL.into_iter().find(|known| known.name() == tier);
    let partitions = tier.and_then(|tier| tier.partitions(15));
    let partitions = partitions.expect("a tier and a home that there are");
    let additive = Tables::new().additive(&partitions, 1, &Watch::default());
    additive.expect("nobody cancels")
}

/// Builds all tables of a tier, on one thread.
#[divan::bench(args = TIERS, sample_count = 3, sample_size = 1)]
fn build(bencher: Bencher, tier: &str) {
    bencher.bench_local(|| additive(tier));
}

/// Computes the bounds of Korf's hundred boards.
#[divan::bench(args = TIERS)]
fn bound(bencher: Bencher, tier: &str) {
    let additive = additive(tier);
    let boards = korf::easiest_first();
    let sum = || -> u32 {
        let bounds = boards.iter().map(|board| &board.problem);
        bounds.map(|problem| additive.lower_bound(problem)).sum()
    };
    bencher
        .counter(ItemsCount::new(boards.len()))
        .bench_local(sum);
}

/// Expands the nodes of Korf's hundred boards, from the start.
#[divan::bench(args = TIERS, sample_count = 5, sample_size = 1)]
fn expand(bencher: Bencher, tier: &str) {
    let guide = Guide::<Small>::new(additive(tier)).expect("no more than eight patterns");
    let boards = korf::easiest_first();
    let nodes = || -> u64 {
        let solve = |board: &korf::KorfBoard| {
            let mut solver = guide.solver(&board.problem).expect("of the same home");
            match solver.advance(Budget::UNLIMITED) {
                Step::Found(solution) => assert_eq!(solution.len(), board.length),
                step => unreachable!("{step:?} without a limit"),
            }
            solver.progress().generated
        };
        boards.iter().map(solve).sum()
    };
    bencher.counter(ItemsCount::new(nodes())).bench_local(nodes);
}
