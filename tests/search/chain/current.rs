//! The search of a plan that is at work: its tables, its guides, and how wide its beams are.

use std::sync::Arc;
use std::time::Duration;

use loyd::heuristic::HeuristicKind;
use loyd::heuristic::pattern_database::{self, Tier, Watch};
use loyd::heuristic::pushes::PushKind;
use loyd::puzzle::{Dice, Home, Metric, Problem};
use loyd::search::beam;
use loyd::search::chain::{Chain, lower_bound};
use loyd::search::constructive::Variant;
use loyd::search::distance_table::Class;
use loyd::search::ida_star::batch::{Guide, Small};
use loyd::search::plan::{Algorithm, Method, Objective, Ratio, Stage};
use loyd::search::tables::Tables;
use loyd::search::tables::guides::AnyGuide;
use loyd::search::{Budget, Search, Step, Stop, a_star, ida_star};

use super::{bounded, drive, of_stages, planned, solve};
use crate::constructive;
use crate::driving::run;
use crate::parts::weak;
use crate::support::published::KORF_1985;
use crate::support::{problem, random_problem, shape, walk};

#[test]
fn every_small_board_is_solved_optimally_with_and_without_its_table() {
    let tables = Arc::new(Tables::new());
    let mut dice = Dice::new(1);
    for (rows, columns) in [(2, 2), (2, 3), (3, 2), (2, 4), (4, 2), (3, 3)] {
        let shape = shape(rows, columns);
        for home in 0..shape.cells() {
            let problem = random_problem(shape, home, &mut dice);
            let table = tables.build(Class::of(&problem).unwrap());
            let distance = table.distance(&problem).unwrap() as usize;
            for objective in [Objective::Best, Objective::Optimal, bounded(1.0)] {
                let by_search = solve(&problem, objective);
                assert_eq!(by_search.lengths.last(), Some(&distance));
                assert_eq!(by_search.stop, Stop::Proven);
                let walk = Chain::new(
                    problem.clone(),
                    Metric::SingleTile,
                    objective,
                    vec![Stage::TableWalk],
                    Arc::clone(&tables),
                );
                let by_table = drive(walk, &problem, Budget::UNLIMITED);
                assert_eq!(by_table.lengths, [distance]);
                assert_eq!(by_table.by, [Stage::TableWalk]);
                assert_eq!(by_table.stop, Stop::Proven);
            }
        }
    }
}

#[test]
fn a_table_that_is_missing_after_all_costs_time_but_no_answer() {
    let problem = problem(3, 3, &[8, 6, 7, 2, 5, 4, 3, 0, 1]);
    let chain = of_stages(&problem, Objective::Optimal, vec![Stage::TableWalk]);
    let course = drive(chain, &problem, Budget::UNLIMITED);
    assert_eq!((course.lengths, course.stop), (vec![31], Stop::Proven));
    assert_eq!(course.by, [Stage::IdaStar(HeuristicKind::default())]);
}

#[test]
fn pattern_databases_are_left_where_there_is_no_memory_for_their_search() {
    let (tiles, length, _) = KORF_1985[4];
    let problem = problem(4, 4, &tiles);
    let tables = Arc::new(Tables::new());
    let partitions = Tier::SixSixThree.partitions(15).unwrap();
    let additive = pattern_database::Tables::new().additive(&partitions, 1, &Watch::default());
    let guide = Guide::<Small>::new(additive.unwrap()).unwrap();
    tables.guides().insert(AnyGuide::Small(guide));
    let least = Stage::IdaStar(HeuristicKind::PatternDatabase).fixed_bytes(problem.shape());
    for (memory, heuristic) in [
        (least, HeuristicKind::PatternDatabase),
        (least - 1, HeuristicKind::default()),
    ] {
        let slice = Budget {
            memory,
            ..Budget::nodes(1000)
        };
        let chain = Chain::of_own_choice(problem.clone(), Objective::Optimal, &tables);
        let course = drive(chain, &problem, slice);
        assert_eq!(course.lengths, [length]);
        assert_eq!(course.by, [Stage::IdaStar(heuristic)]);
        assert_eq!(course.stop, Stop::Proven);
        assert!(course.progress.peak_memory <= memory);
    }
}

#[test]
fn a_chain_runs_the_variant_of_its_stage() {
    let tables = Arc::new(Tables::new());
    let problem = random_problem(shape(6, 6), 35, &mut Dice::new(11));
    for variant in Variant::ALL {
        let stages = vec![Stage::Constructive(variant)];
        let chain = of_stages(&problem, Objective::Fast, stages.clone());
        let course = drive(chain, &problem, Budget::UNLIMITED);
        assert_eq!(course.by, stages);
        let moves = constructive::solve(&tables, &problem, variant);
        assert_eq!(course.lengths, [moves]);
    }
}

#[test]
fn no_beam_is_wider_than_there_are_boards() {
    let problem = random_problem(shape(3, 2), 5, &mut Dice::new(1));
    for stage in [Stage::Beam, Stage::StagedBeam] {
        let chain = of_stages(&problem, Objective::Best, vec![stage]);
        let course = drive(chain, &problem, Budget::UNLIMITED);
        // There are 360 boards.
        assert_eq!(course.stop, Stop::Exhausted, "{stage:?}");
        let memory = course.progress.peak_memory;
        assert!(memory < 1 << 20, "{stage:?}: {memory} bytes");
    }
}

#[test]
fn beams_go_in_stages_where_others_are_learned_when_asked_to() {
    let problem = random_problem(shape(5, 5), 24, &mut Dice::new(8));
    while !beam::prepare(problem.shape(), 1_000_000) {}
    let by = |algorithm| {
        let method = Method {
            algorithm: Some(algorithm),
            ..Method::default()
        };
        // However much time there is, only the first solution is wanted.
        let budget = Budget {
            time: Some(Duration::from_secs(10)),
            ..Budget::nodes(1000)
        };
        let course = drive(planned(&problem, Objective::Fast, method), &problem, budget);
        assert!(course.progress.expanded < 20_000, "{:?}", course.progress);
        (course.stop, course.by)
    };
    assert_eq!(
        by(Algorithm::StagedBeam),
        (Stop::FirstFound, vec![Stage::StagedBeam])
    );
    assert_eq!(by(Algorithm::Beam), (Stop::FirstFound, vec![Stage::Beam]));
}

/// The tables of this shape and home, which no other test uses, take millions of nodes.
#[test]
fn a_search_in_pushes_does_not_wait_for_its_tables() {
    let mut dice = Dice::new(78);
    let stage = Stage::PushIdaStar(PushKind::Patterns);
    let of = |problem: &Problem| {
        let (metric, tables) = (Metric::MultiTile, Arc::default());
        Chain::new(
            problem.clone(),
            metric,
            Objective::Optimal,
            vec![stage],
            tables,
        )
    };
    let near = walk(shape(3, 5), 6, 10, &mut dice);
    let mut at_once = of(&near);
    for _ in 0..2 {
        assert!(matches!(at_once.advance(Budget::nodes(10)), Step::Working));
    }
    assert!(at_once.progress().generated > 0);
    let course = drive(of(&near), &near, Budget::nodes(1000));
    assert_eq!(course.stop, Stop::Proven);
    assert_eq!(course.by, [Stage::PushIdaStar(PushKind::Lines)]);
    assert!(course.progress.generated < 100_000, "{:?}", course.progress);

    let far = random_problem(shape(3, 5), 6, &mut dice);
    let course = drive(of(&far), &far, Budget::nodes(1000));
    assert_eq!((course.stop, &*course.by), (Stop::Proven, &[stage][..]));
    let proof = run(ida_star::push_solver(&far));
    assert_eq!(course.progress.lower_bound, proof.progress.lower_bound);
    assert!(course.progress.iterations > proof.progress.iterations);
    assert!(course.progress.generated > proof.progress.generated);
}

/// No other test uses the tables of this shape and home.
#[test]
fn tables_that_are_soon_made_are_waited_for() {
    let near = walk(shape(3, 4), 5, 10, &mut Dice::new(81));
    let stage = Stage::IdaStar(HeuristicKind::WalkingDistance);
    let chain = of_stages(&near, Objective::Optimal, vec![stage]);
    let course = drive(chain, &near, Budget::nodes(1000));
    assert_eq!((course.stop, &*course.by), (Stop::Proven, &[stage][..]));
}

/// The tables of this shape and home, which no other test uses, take millions of nodes.
#[test]
fn a_search_by_walking_distance_does_not_wait_for_large_tables() {
    let mut dice = Dice::new(79);
    let shape = shape(3, 5);
    let near = walk(shape, 6, 10, &mut dice);
    let far = (0..10).map(|_| random_problem(shape, 6, &mut dice));
    let far = far
        .max_by_key(|far| lower_bound(far, Metric::SingleTile))
        .unwrap();
    let stages = |heuristic| {
        [
            Stage::AStar(heuristic, Ratio::ONE),
            Stage::IdaStar(heuristic),
        ]
    };
    let named = stages(HeuristicKind::WalkingDistance);
    let standing_in = stages(HeuristicKind::default());
    for (stage, standing_in) in named.into_iter().zip(standing_in) {
        let chain = of_stages(&near, Objective::Optimal, vec![stage]);
        let course = drive(chain, &near, Budget::nodes(1000));
        assert_eq!(
            (course.stop, &*course.by),
            (Stop::Proven, &[standing_in][..])
        );
    }
    // A hard one is solved by the search that was asked for, once its tables are made.
    let solve = |stage| {
        let chain = of_stages(&far, Objective::Optimal, vec![stage]);
        let course = drive(chain, &far, Budget::nodes(200));
        assert_eq!((course.stop, &*course.by), (Stop::Proven, &[stage][..]));
        course
    };
    let [first, second] = named.map(solve);
    assert_eq!(first.lengths, second.lengths);
    let [alone, at_once] = [
        a_star::solver(&far, HeuristicKind::WalkingDistance, 1.0),
        ida_star::solver(&far, HeuristicKind::WalkingDistance),
    ]
    .map(|solver| run(solver).progress.generated);
    // Once it has had its half million, the other goes on beside the work on the tables, which gets four times as much.
    let beside = first.progress.generated - alone - 500_000;
    assert!((50_000..200_000).contains(&beside), "{beside}");
    assert_eq!(second.progress.generated, at_once);
}

#[test]
fn a_guide_that_comes_later_takes_over() {
    let (tiles, length, _) = KORF_1985[7];
    let problem = problem(4, 4, &tiles);
    let tables = Arc::new(Tables::new());
    let stages = vec![Stage::IdaStar(HeuristicKind::PatternDatabase)];
    let mut chain = Chain::new(
        problem.clone(),
        Metric::SingleTile,
        Objective::Optimal,
        stages,
        Arc::clone(&tables),
    );
    // Until then the sum of the corrections stands in.
    for _ in 0..3 {
        assert!(matches!(chain.advance(Budget::nodes(100)), Step::Working));
    }
    let before = chain.progress();
    assert!(before.generated >= 100);

    let partitions = Tier::SixSixThree.partitions(15).unwrap();
    let additive = pattern_database::Tables::new().additive(&partitions, 1, &Watch::default());
    let guide = Guide::<Small>::new(additive.unwrap()).unwrap();
    tables.guides().insert(AnyGuide::Small(guide.clone()));
    assert!(matches!(chain.advance(Budget::nodes(100)), Step::Working));
    // Then comes a better guide than that one, simulated by two copies of it.
    tables.guides().insert(AnyGuide::Two(guide.clone(), guide));
    let answer = loop {
        match chain.advance(Budget::nodes(1000)) {
            Step::Working => {}
            Step::Found(answer) => break answer,
            Step::Done(stop) => panic!("{stop:?}"),
        }
    };
    assert_eq!(answer.length, length);
    assert_eq!(answer.by, Stage::IdaStar(HeuristicKind::PatternDatabase));
    let generated = chain.progress().generated;
    assert!(generated > before.generated);
    // The last search began anew: its own iterations are not all of the work.
    let iterations = chain.iterations();
    let own: u64 = iterations.iter().map(|one| one.generated).sum();
    assert!(own < generated - before.generated, "{own}");
    assert!(chain.progress().lower_bound >= before.lower_bound);
    assert!(matches!(
        chain.advance(Budget::UNLIMITED),
        Step::Done(Stop::Proven)
    ));
}

#[test]
fn a_guide_that_comes_back_or_is_weaker_takes_nothing_over() {
    let (tiles, ..) = KORF_1985[7];
    let problem = problem(4, 4, &tiles);
    let tables = Arc::new(Tables::new());
    let partitions = Tier::SixSixThree.partitions(15).unwrap();
    let additive = pattern_database::Tables::new().additive(&partitions, 1, &Watch::default());
    let good = Guide::<Small>::new(additive.unwrap()).unwrap();
    tables.guides().insert(AnyGuide::Small(good.clone()));
    let mut chain = Chain::new(
        problem.clone(),
        Metric::SingleTile,
        Objective::Optimal,
        vec![Stage::IdaStar(HeuristicKind::PatternDatabase)],
        Arc::clone(&tables),
    );
    for _ in 0..3 {
        assert!(matches!(chain.advance(Budget::nodes(100)), Step::Working));
    }
    // The guides are removed and come back, first the same ones and then weaker ones.
    for guide in [good, weak(shape(4, 4), 15, 3)] {
        tables.guides().remove(Home::of(&problem));
        tables.guides().insert(AnyGuide::Small(guide));
        assert!(matches!(chain.advance(Budget::nodes(100)), Step::Working));
        assert!(matches!(chain.advance(Budget::nodes(100)), Step::Working));
        // All nodes belong to one search, which has not begun again.
        let iterations = chain.iterations();
        let nodes: u64 = iterations.iter().map(|iteration| iteration.generated).sum();
        assert_eq!(nodes, chain.progress().generated);
    }
}

#[test]
fn beams_that_kept_all_boards_end_however_much_time_there_is() {
    for (rows, columns) in [(2, 3), (3, 2), (2, 4), (4, 2), (3, 3)] {
        let shape = shape(rows, columns);
        let algorithms = [Algorithm::Beam, Algorithm::StagedBeam];
        for (seed, algorithm) in (0..6).zip(algorithms.into_iter().cycle()) {
            let problem = random_problem(shape, shape.cells() - 1, &mut Dice::new(seed));
            let method = Method {
                algorithm: Some(algorithm),
                ..Method::default()
            };
            let mut chain = planned(&problem, Objective::Best, method);
            let budget = Budget {
                time: Some(Duration::from_secs(10)),
                ..Budget::nodes(256)
            };
            let end = (0..20_000).find_map(|_| match chain.advance(budget) {
                Step::Done(stop) => Some(stop),
                Step::Working | Step::Found(_) => None,
            });
            assert!(
                matches!(end, Some(Stop::Exhausted | Stop::Proven)),
                "{shape}, {algorithm}, {seed}: {end:?}"
            );
        }
    }
}

#[test]
fn beams_are_planned_by_the_time_of_the_first_solution() {
    const AFTER_IT: Duration = Duration::from_millis(100);
    let problem = random_problem(shape(16, 16), 255, &mut Dice::new(16));
    let tables = Arc::new(Tables::new());
    let memory_of_the_beam = |first: Duration| {
        let mut chain = Chain::of_own_choice(problem.clone(), Objective::Best, &tables);
        let mut left = AFTER_IT + first;
        while chain.progress().expanded == 0 {
            let budget = Budget {
                time: Some(left),
                ..Budget::nodes(1000)
            };
            match chain.advance(budget) {
                Step::Working => {}
                Step::Found(_) => left = AFTER_IT,
                Step::Done(stop) => panic!("{stop:?} before a beam"),
            }
        }
        chain.progress().reserved()
    };
    let [fast, usual, slow] = [1_200, 1_600, 2_100].map(Duration::from_micros);
    assert!(memory_of_the_beam(fast) > memory_of_the_beam(usual));
    assert!(memory_of_the_beam(usual) > memory_of_the_beam(slow));
}

/// No other test uses the tables of this shape.
#[test]
fn a_stand_in_without_enough_memory_makes_way_for_the_search_that_was_asked_for() {
    let problem = random_problem(shape(4, 5), 19, &mut Dice::new(80));
    let is_ready = || HeuristicKind::WalkingDistance.prepare(&problem, 0);
    let stage = Stage::AStar(HeuristicKind::WalkingDistance, Ratio::ONE);
    let mut chain = of_stages(&problem, Objective::Optimal, vec![stage]);
    let budget = Budget {
        memory: 1 << 20,
        ..Budget::nodes(100_000)
    };
    while chain.progress().generated == 0 {
        assert!(matches!(chain.advance(budget), Step::Working));
    }
    assert!(!is_ready());
    let stop = loop {
        match chain.advance(budget) {
            Step::Working => {}
            Step::Found(_) => panic!("not within this memory"),
            Step::Done(stop) => break stop,
        }
    };
    assert!(is_ready() && stop == Stop::Memory, "{stop:?}");
    // What it had generated before it ran out of memory, too, it has generated by the other heuristic alone.
    let [standing_in, alone] =
        [HeuristicKind::default(), HeuristicKind::WalkingDistance].map(|heuristic| {
            let mut alone = a_star::solver(&problem, heuristic, 1.0);
            while matches!(alone.advance(budget), Step::Working) {}
            alone.progress()
        });
    assert!(chain.progress().generated > alone.generated);
    assert!(chain.progress().lower_bound >= alone.lower_bound);
    // None has stood in for a second time.
    assert!(chain.progress().generated <= standing_in.generated + alone.generated);
}

/// No other test uses the tables of this shape with the blank's home in this column or the one that mirrors it.
#[test]
fn a_stand_in_gives_its_memory_back_piece_by_piece_and_the_rest_of_the_plan_follows() {
    const MEMORY: u64 = 400_000;
    const MOST: u64 = 100_000;
    let problem = random_problem(shape(3, 5), 12, &mut Dice::new(82));
    let stages = vec![
        Stage::AStar(HeuristicKind::WalkingDistance, Ratio::ONE),
        Stage::IdaStar(HeuristicKind::default()),
    ];
    let mut chain = of_stages(&problem, Objective::Optimal, stages);
    let slice = Budget {
        memory: MEMORY,
        ..Budget::nodes(10)
    };
    let (mut before, mut is_full, mut times_emptied) = (0, false, 0);
    let answer = loop {
        match chain.advance(slice) {
            Step::Working => {}
            Step::Found(answer) => break answer,
            Step::Done(stop) => panic!("{stop:?}"),
        }
        let memory = chain.progress().memory;
        let shed = before - memory.min(before);
        assert!(shed <= MOST, "{shed} at once");
        is_full |= memory > MEMORY / 2;
        if is_full && memory < MOST {
            (is_full, times_emptied) = (false, times_emptied + 1);
        }
        before = memory;
    };
    assert_eq!(answer.by, Stage::IdaStar(HeuristicKind::default()));
    // First by the one that stood in, and then by the one that was asked for.
    assert_eq!((is_full, times_emptied), (false, 2));
}
