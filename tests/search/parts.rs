//! A search and its parts, split and joined by hand on one thread.

use std::sync::Arc;

use loyd::heuristic::HeuristicKind;
use loyd::heuristic::pattern_database::{self, CellSet, Partition, Tier, Watch};
use loyd::puzzle::{Dice, Metric, Problem, Shape};
use loyd::search::chain::Chain;
use loyd::search::constructive::Variant;
use loyd::search::ida_star::batch::{Guide, SMALL_BYTES, Small};
use loyd::search::ida_star::both_ways::{self, Probe};
use loyd::search::plan::{Objective, Stage};
use loyd::search::tables::Tables;
use loyd::search::tables::guides::AnyGuide;
use loyd::search::{Budget, Part, Progress, Search, Solver, Step, Stop, ida_star};

use crate::driving::{Run, run};
use crate::korf;
use crate::support::shape;

/// Bounds so weak that the search has something to share: patterns of so many tiles.
pub(crate) fn weak(shape: Shape, home: usize, tiles: usize) -> Guide<Small> {
    let cells: Vec<usize> = (0..shape.cells()).filter(|&cell| cell != home).collect();
    let patterns = cells.chunks(tiles).map(|cells| cells.iter().copied());
    let patterns: Vec<CellSet> = patterns.map(CellSet::from_iter).collect();
    let partition = Partition::new(shape, home, &patterns).unwrap();
    let additive = pattern_database::Tables::new().additive(&[partition], 2, &Watch::default());
    Guide::new(additive.unwrap()).unwrap()
}

/// How a shared search is run.
#[derive(Clone, Copy)]
struct Sharing {
    /// The most parts that are out at once.
    parts: usize,
    /// The nodes between two looks at a search or a part.
    chunk: u64,
    /// One in so many looks at a part calls it back, done or not.
    recalled: u32,
}

/// Runs a search and its parts in turn.
fn run_shared<S: Search + ?Sized>(
    search: &mut S,
    sharing: Sharing,
    seed: u64,
) -> (Vec<S::Found>, Stop) {
    let mut dice = Dice::new(seed);
    let mut parts: Vec<Box<dyn Part>> = Vec::new();
    let mut found = Vec::new();
    let mut handed_out = 0;
    loop {
        if parts.len() < sharing.parts
            && let Some(part) = search.split(u64::MAX)
        {
            assert_eq!(part.progress(), Progress::default());
            parts.push(part);
            handed_out += 1;
        }
        for number in (0..parts.len()).rev() {
            let goes_on = parts[number].advance(Budget::nodes(sharing.chunk));
            if !goes_on || dice.below(sharing.recalled) == 0 {
                search.join(parts.swap_remove(number));
            }
        }
        let before = search.progress();
        match search.advance(Budget::nodes(sharing.chunk)) {
            Step::Working => {}
            Step::Found(solution) => found.push(solution),
            Step::Done(stop) => {
                assert!(parts.is_empty(), "it waits for its parts");
                assert!(handed_out > 0, "it has something to share");
                return (found, stop);
            }
        }
        let now = search.progress();
        assert!(now.generated >= before.generated && now.lower_bound >= before.lower_bound);
        if now.generated == before.generated
            && let Some(part) = parts.pop()
        {
            search.join(part);
        }
    }
}

/// Runs a search in several ways and compares each with how it runs alone.
fn compare(make: impl Fn() -> Solver, alone: &Run) {
    let complete = alone.progress.iterations as usize - 1;
    let mut whole = make();
    while whole.advance(Budget::UNLIMITED) != Step::Done(Stop::Proven) {}
    let iterations = whole.iterations();
    for (parts, chunk, recalled) in [(1, 500, 1000), (1, 64, 20), (3, 500, 50), (7, 100, 5)] {
        let sharing = Sharing {
            parts,
            chunk,
            recalled,
        };
        let mut search = make();
        let (found, stop) = run_shared(&mut *search, sharing, 1);
        assert_eq!(stop, Stop::Proven);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].len(), alone.length());
        let progress = search.progress();
        assert_eq!(progress.lower_bound, alone.progress.lower_bound);
        assert_eq!(progress.iterations, alone.progress.iterations);
        assert_eq!(progress.memory, alone.progress.memory);
        assert!(progress.peak_memory > alone.progress.peak_memory);
        let most = alone.progress.peak_memory + (parts as u64 + 1) * SMALL_BYTES;
        assert!(progress.peak_memory < most);
        // All iterations but the last are searched through, whoever does it.
        let shared = search.iterations();
        assert_eq!(shared.len(), iterations.len());
        assert_eq!(shared[..complete], iterations[..complete]);
        let sum: u64 = shared.iter().map(|iteration| iteration.generated).sum();
        assert_eq!(sum, progress.generated);
        // The search is at its end and hands out nothing.
        assert!(search.split(u64::MAX).is_none());
        assert_eq!(search.advance(Budget::UNLIMITED), Step::Done(Stop::Proven));
    }
}

#[test]
fn parts_change_neither_the_length_nor_the_nodes_of_what_is_searched_through() {
    let guide = weak(shape(4, 4), 15, 3);
    for board in &korf::easiest_first()[8..14] {
        let make = || guide.solver(&board.problem).unwrap();
        let alone = run(make());
        assert_eq!(alone.length(), board.length);
        compare(make, &alone);
    }
}

#[test]
fn from_either_end_the_solution_is_the_problems() {
    let guide = weak(shape(4, 4), 15, 3);
    let inverse_alone = |problem: &Problem| {
        let begin = |side: &Problem| {
            // As if there were tables only for the inverse problem.
            (side != problem).then(|| guide.solver(side)).flatten()
        };
        both_ways::solver(problem, Probe::SMALL, begin, None).unwrap()
    };
    for board in korf::easiest_first() {
        // The inverse problem must end where the tables' blank belongs.
        if board.problem.start().blank() != 15 {
            continue;
        }
        let make = || inverse_alone(&board.problem);
        let alone = run(make());
        assert_eq!(alone.length(), board.length);
        compare(make, &alone);
        return;
    }
    panic!("no board begins with the blank in its corner");
}

/// A search that can hand out parts now.
fn sharing_solver(guide: &Guide<Small>) -> (Solver, usize) {
    let board = &korf::easiest_first()[12];
    let mut search = guide.solver(&board.problem).unwrap();
    assert!(search.split(u64::MAX).is_none(), "too little to share");
    while search.progress().generated < 100_000 {
        assert_eq!(search.advance(Budget::nodes(1000)), Step::Working);
    }
    (search, board.length)
}

#[test]
fn a_part_keeps_to_the_memory_and_is_counted_with_it() {
    let (mut search, _) = sharing_solver(&weak(shape(4, 4), 15, 3));
    let held = search.progress().memory;
    assert!(search.split(held).is_none());
    assert!(search.split(held + 1000).is_none());
    let part = search.split(held + SMALL_BYTES).unwrap();
    let with_part = search.progress().memory;
    assert!(with_part > held + 1000 && with_part <= held + SMALL_BYTES);
    search.join(part);
    // It came back with all its nodes, which are handed out again unchanged.
    assert_eq!(search.progress().memory, with_part);
    let part = search.split(with_part).unwrap();
    assert_eq!(search.progress().memory, with_part);
    search.join(part);
}

#[test]
fn a_threshold_is_not_proven_while_a_part_is_out() {
    let (mut search, _) = sharing_solver(&weak(shape(4, 4), 15, 3));
    let part = search.split(u64::MAX).unwrap();
    let before = search.progress();
    assert_eq!(search.advance(Budget::UNLIMITED), Step::Working);
    let half = search.progress();
    assert!(half.generated > before.generated);
    assert_eq!(half.lower_bound, before.lower_bound);
    // The search has nothing left, and goes on neither with this iteration nor with the next.
    assert_eq!(search.advance(Budget::UNLIMITED), Step::Working);
    assert_eq!(search.progress(), half);
    search.join(part);
    assert_eq!(search.advance(Budget::nodes(1000)), Step::Working);
    assert!(search.progress().generated > half.generated);
    while search.progress().iterations == half.iterations {
        assert_eq!(search.advance(Budget::nodes(1000)), Step::Working);
    }
    assert_eq!(search.progress().lower_bound, before.lower_bound + 2);
}

#[test]
fn a_solved_search_waits_for_its_parts_and_then_ends() {
    let (mut search, length) = sharing_solver(&weak(shape(4, 4), 15, 3));
    let mut part = search.split(u64::MAX);
    let solution = loop {
        let before = search.progress().generated;
        match search.advance(Budget::nodes(1000)) {
            Step::Found(solution) => break solution,
            Step::Working if search.progress().generated == before => {
                search.join(part.take().unwrap());
            }
            step => assert_eq!(step, Step::Working),
        }
        part = part.or_else(|| search.split(u64::MAX));
    };
    assert_eq!(solution.len(), length);
    let mut part = part.unwrap();
    assert!(search.split(u64::MAX).is_none());
    assert!(search.waits());
    assert_eq!(search.advance(Budget::UNLIMITED), Step::Working);
    part.advance(Budget::nodes(1000));
    let generated = search.progress().generated + part.progress().generated;
    search.join(part);
    assert_eq!(search.progress().generated, generated);
    assert_eq!(search.advance(Budget::UNLIMITED), Step::Done(Stop::Proven));
}

#[test]
fn what_a_part_finds_is_the_searchs() {
    let (mut search, length) = sharing_solver(&weak(shape(4, 4), 15, 3));
    // The search itself does nothing but hand out its nodes.
    let mut parts = Vec::new();
    let found = loop {
        while let Some(part) = search.split(u64::MAX) {
            parts.push(part);
        }
        for mut part in parts.drain(..) {
            part.advance(Budget::nodes(5_000));
            search.join(part);
        }
        match search.advance(Budget::nodes(100)) {
            Step::Found(solution) => break solution,
            step => assert_eq!(step, Step::Working),
        }
    };
    assert_eq!(found.len(), length);
    assert_eq!(search.advance(Budget::UNLIMITED), Step::Done(Stop::Proven));
}

#[test]
fn a_chain_waits_for_parts_before_better_tables_take_over_and_before_it_ends() {
    let board = &korf::easiest_first()[12];
    let tables = Arc::new(Tables::new());
    let insert = |guide: Guide<Small>| tables.guides().insert(AnyGuide::Small(guide));
    insert(weak(shape(4, 4), 15, 3));
    let mut chain = Chain::new(
        board.problem.clone(),
        Metric::SingleTile,
        Objective::Optimal,
        vec![Stage::IdaStar(HeuristicKind::PatternDatabase)],
        Arc::clone(&tables),
    );
    let mut part = loop {
        assert!(matches!(chain.advance(Budget::nodes(1000)), Step::Working));
        if let Some(part) = chain.split(u64::MAX) {
            break part;
        }
    };
    assert!(part.advance(Budget::nodes(500)));
    let spent = part.progress().generated;
    let before = chain.progress();
    let partitions = Tier::SixSixThree.partitions(15).unwrap();
    let additive = pattern_database::Tables::new().additive(&partitions, 1, &Watch::default());
    insert(Guide::new(additive.unwrap()).unwrap());
    // It neither goes on, nor begins again, nor hands out more.
    assert!(matches!(chain.advance(Budget::UNLIMITED), Step::Working));
    assert_eq!(chain.progress(), before);
    assert!(chain.split(u64::MAX).is_none());
    chain.join(part);
    assert_eq!(chain.progress().generated, before.generated + spent);
    let answer = loop {
        match chain.advance(Budget::nodes(1000)) {
            Step::Working => {}
            Step::Found(answer) => break answer,
            Step::Done(stop) => panic!("{stop:?}"),
        }
    };
    assert_eq!(answer.length, board.length);
    assert!(chain.progress().generated > before.generated + spent);
}

#[test]
fn a_chain_is_shared_like_its_search() {
    let tables = Arc::new(Tables::new());
    tables
        .guides()
        .insert(AnyGuide::Small(weak(shape(4, 4), 15, 3)));
    let sharing = Sharing {
        parts: 2,
        chunk: 300,
        recalled: 30,
    };
    for board in &korf::easiest_first()[12..16] {
        let mut chain = Chain::new(
            board.problem.clone(),
            Metric::SingleTile,
            Objective::Optimal,
            vec![Stage::IdaStar(HeuristicKind::PatternDatabase)],
            Arc::clone(&tables),
        );
        let (found, stop) = run_shared(&mut chain, sharing, 2);
        assert_eq!(stop, Stop::Proven);
        assert_eq!(found.last().unwrap().length, board.length);
        let sum: u64 = chain.iterations().iter().map(|it| it.generated).sum();
        assert_eq!(sum, chain.progress().generated);
    }
}

#[test]
fn beams_go_on_while_a_part_of_the_proof_beside_them_is_out() {
    let board = &korf::easiest_first()[12];
    let tables = Arc::new(Tables::new());
    tables
        .guides()
        .insert(AnyGuide::Small(weak(shape(4, 4), 15, 3)));
    let mut chain = Chain::new(
        board.problem.clone(),
        Metric::SingleTile,
        Objective::Best,
        vec![
            Stage::Constructive(Variant::Best),
            Stage::Beam,
            Stage::IdaStar(HeuristicKind::PatternDatabase),
        ],
        Arc::clone(&tables),
    );
    let part = loop {
        assert!(!matches!(chain.advance(Budget::nodes(100)), Step::Done(_)));
        if let Some(part) = chain.split(u64::MAX) {
            break part;
        }
    };
    let before = chain.progress().generated;
    while chain.progress().generated < before + 5_000 {
        assert!(!chain.waits());
        assert!(!matches!(chain.advance(Budget::nodes(100)), Step::Done(_)));
    }
    chain.join(part);
    let stop = loop {
        if let Step::Done(stop) = chain.advance(Budget::nodes(1000)) {
            break stop;
        }
    };
    assert_eq!(stop, Stop::Proven);
    assert_eq!(chain.progress().lower_bound as usize, board.length);
}

#[test]
fn a_part_of_a_proof_needs_memory_beside_that_of_the_beams() {
    let board = &korf::easiest_first()[12];
    let begin = || {
        let tables = Arc::new(Tables::new());
        let guide = weak(shape(4, 4), 15, 3);
        tables.guides().insert(AnyGuide::Small(guide));
        let proof = Stage::IdaStar(HeuristicKind::PatternDatabase);
        Chain::new(
            board.problem.clone(),
            Metric::SingleTile,
            Objective::Best,
            vec![Stage::Constructive(Variant::Best), Stage::Beam, proof],
            tables,
        )
    };
    let mut chain = begin();
    let mut turns = 0;
    let _part = loop {
        chain.advance(Budget::nodes(100));
        turns += 1;
        if let Some(part) = chain.split(u64::MAX) {
            break part;
        }
    };
    assert_eq!(chain.name(), "beam");
    let needed = chain.progress().memory;
    for (memory, is_enough) in [(needed - 1, false), (u64::MAX, true)] {
        let mut chain = begin();
        for _ in 0..turns {
            chain.advance(Budget::nodes(100));
        }
        assert_eq!(chain.split(memory).is_some(), is_enough);
    }
}

#[test]
fn searches_that_cannot_share_hand_out_nothing() {
    let board = &korf::easiest_first()[0];
    let mut search = ida_star::solver(&board.problem, HeuristicKind::LinearConflict);
    assert_eq!(search.advance(Budget::nodes(1000)), Step::Working);
    assert!(search.split(u64::MAX).is_none());
}
