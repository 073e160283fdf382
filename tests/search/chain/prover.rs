//! The search that proves a lower bound, beside the one that makes beams.

use std::sync::Arc;
use std::time::Duration;

use loyd::heuristic::HeuristicKind::{self, LinearConflict};
use loyd::puzzle::Dice;
use loyd::search::beam::{self, End};
use loyd::search::chain::Chain;
use loyd::search::constructive::Variant;
use loyd::search::plan::{Method, Objective, Stage};
use loyd::search::tables::Tables;
use loyd::search::{Budget, Search, Step, Stop, ida_star};

use super::{Played, drive, of_stages, planned};
use crate::driving::run;
use crate::support::{random_problem, shape, walk};

#[test]
fn a_proof_beside_the_beams_ends_them() {
    let mut dice = Dice::new(7);
    for _ in 0..5 {
        let problem = walk(shape(5, 5), 24, 60, &mut dice);
        let optimal = ida_star::solver(&problem, HeuristicKind::default());
        let shortest = run(optimal).length();
        let chain = planned(&problem, Objective::Best, Method::default());
        let course = drive(chain, &problem, Budget::nodes(1000));
        assert_eq!(course.lengths.last(), Some(&shortest));
        assert_eq!(course.stop, Stop::Proven);
        assert_eq!(course.progress.lower_bound, shortest as u32);
    }
}

#[test]
fn beams_without_a_proof_beside_them_end_without_memory() {
    let problem = random_problem(shape(5, 5), 24, &mut Dice::new(8));
    let stages = vec![Stage::Constructive(Variant::Best), Stage::Beam];
    let chain = of_stages(&problem, Objective::Best, stages);
    let little = Budget {
        memory: 1 << 20,
        ..Budget::nodes(1000)
    };
    let course = drive(chain, &problem, little);
    assert_eq!(course.stop, Stop::Memory);
    assert!(course.by.contains(&Stage::Beam));
    assert!(course.progress.peak_memory <= 1 << 20);
}

#[test]
fn a_proof_begins_beside_beams_where_it_leaves_them_half_of_the_memory() {
    let problem = random_problem(shape(5, 5), 24, &mut Dice::new(8));
    while !beam::prepare(problem.shape(), 1_000_000) {}
    let proof = Stage::IdaStar(HeuristicKind::PatternDatabase);
    let needed = proof.fixed_bytes(problem.shape());
    for (memory, is_beside) in [(2 * needed - 1, false), (2 * needed, true)] {
        let stages = vec![Stage::Constructive(Variant::Best), Stage::Beam, proof];
        let mut chain = of_stages(&problem, Objective::Best, stages);
        for _ in 0..100 {
            chain.advance(Budget {
                memory,
                ..Budget::nodes(1000)
            });
        }
        assert_eq!(chain.name(), "beam");
        assert_eq!(!chain.iterations().is_empty(), is_beside, "{memory}");
    }
}

#[test]
fn memory_is_set_aside_for_the_proof_though_it_holds_less() {
    let problem = random_problem(shape(5, 5), 24, &mut Dice::new(8));
    while !beam::prepare(problem.shape(), 1_000_000) {}
    let proof = Stage::IdaStar(LinearConflict);
    let stages = vec![Stage::Constructive(Variant::Best), Stage::Beam, proof];
    let mut chain = of_stages(&problem, Objective::Best, stages);
    while chain.iterations().is_empty() {
        chain.advance(Budget::nodes(1000));
    }
    let alone = ida_star::solver(&problem, LinearConflict);
    assert!(alone.progress().memory < 32 << 10);
    assert!(chain.part_memory() >= 64 << 10);
}

#[test]
fn the_beams_and_the_proof_share_the_nodes() {
    let problem = random_problem(shape(7, 7), 48, &mut Dice::new(9));
    while !beam::prepare(problem.shape(), 1_000_000) {}
    while !beam::prepare_from(&problem, End::Goal, 1_000_000) {}
    let mut chain = planned(&problem, Objective::Best, Method::default());
    for _ in 0..1500 {
        chain.advance(Budget::nodes(1000));
    }
    let proof: u64 = chain.iterations().iter().map(|it| it.generated).sum();
    let all = chain.progress().generated;
    assert!(proof > all / 320 && proof < all / 192, "{proof} of {all}");
    assert_eq!(chain.name(), "beam");
}

#[test]
fn beams_from_both_ends_and_the_proof_keep_within_the_memory_together() {
    const MEMORY: u64 = 1 << 20;
    let given = Duration::from_millis(60);
    for side in [6, 8] {
        let shape = shape(side, side);
        while !beam::prepare(shape, 1 << 20) {}
        let problem = random_problem(shape, side * side - 1, &mut Dice::new(5));
        let mut chain = Chain::of_own_choice(problem, Objective::Best, &Arc::new(Tables::new()));
        let (mut part, mut handed_out) = (None, 0);
        // As if each node took 100 ns.
        let mut now = Duration::ZERO;
        while now < given {
            let budget = Budget {
                memory: MEMORY,
                time: Some(given - now),
                ..Budget::nodes(256)
            };
            let before = chain.progress().generated;
            if let Step::Done(stop) = chain.advance(budget) {
                panic!("{side}×{side} ended with {stop:?}");
            }
            now += Duration::from_nanos(100 * (1 + chain.progress().generated - before));
            if part.is_none() {
                part = chain.split(MEMORY);
                handed_out += usize::from(part.is_some());
            }
            let is_over = part.as_mut().is_some_and(|part| !part.advance(budget));
            if let Some(part) = part.take_if(|_| is_over) {
                chain.join(part);
            }
            let held = chain.progress().memory;
            assert!(held <= MEMORY, "{side}×{side} held {held} after {now:?}");
        }
        assert!(handed_out > 0, "{side}×{side} had no help");
    }
}

#[test]
fn beams_leave_the_proof_its_memory_however_much_they_could_use() {
    const MEMORY: u64 = 256 << 10;
    let given = Duration::from_secs(2);
    let mut played = Played::new(8);
    let mut most = 0;
    while played.now < given / 20 {
        let next = played.now + Duration::from_micros(1);
        played.play(MEMORY, next, given);
        most = most.max(played.chain.progress().reserved());
        assert!(most <= MEMORY, "{most} after {:?}", played.now);
    }
    // They have asked for all that there is.
    assert!(most > MEMORY / 2, "{most}");
    assert!(!played.chain.iterations().is_empty());
}
