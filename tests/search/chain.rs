//! Plans carried out: the searches of a chain one after the other.

use std::sync::Arc;
use std::time::Duration;

use loyd::heuristic::HeuristicKind::{self, LinearConflict};
use loyd::heuristic::pattern_database::{self, Tier, Watch};
use loyd::heuristic::pushes::PushKind;
use loyd::puzzle::{Dice, Home, Metric, Problem};
use loyd::search::beam::{self, End};
use loyd::search::chain::{Chain, lower_bound, optimal_solver};
use loyd::search::constructive::{Constructive, Variant};
use loyd::search::distance_table::Class;
use loyd::search::ida_star::batch::{Guide, Small};
use loyd::search::joined::Joined;
use loyd::search::plan::{Algorithm, Method, Objective, Ratio, Ready, Stage, plan};
use loyd::search::tables::Tables;
use loyd::search::tables::guides::AnyGuide;
use loyd::search::{Budget, Progress, Search, Step, Stop, a_star, ida_star};

use crate::constructive;
use crate::driving::{advance, run};
use crate::parts::weak;
use crate::support::published::{KORF_1985, PRINCETON};
use crate::support::{goal, problem, random_problem, shape, walk};

/// The course of a chain.
#[derive(Clone, Debug, PartialEq)]
struct Course {
    lengths: Vec<usize>,
    by: Vec<Stage>,
    stop: Stop,
    progress: Progress,
}

/// Advances to the end, checking that solutions get shorter and the bound stays true.
fn drive(mut chain: Chain, problem: &Problem, slice: Budget) -> Course {
    let mut solutions = Vec::new();
    let mut by = Vec::new();
    let stop = loop {
        match advance(&mut chain, slice) {
            Step::Working => {}
            Step::Found(answer) => {
                let moves = answer.solution.into_moves();
                solutions.push(problem.replay(moves).unwrap().len());
                by.push(answer.by);
            }
            Step::Done(stop) => break stop,
        }
    };
    let progress = chain.progress();
    assert!(matches!(chain.advance(slice), Step::Done(again) if again == stop));
    assert_eq!(chain.progress(), progress);
    assert!(solutions.is_sorted_by(|a, b| a > b), "{solutions:?}");
    Course {
        lengths: solutions,
        by,
        stop,
        progress,
    }
}

fn planned(problem: &Problem, objective: Objective, method: Method) -> Chain {
    let stages = plan(
        Metric::SingleTile,
        problem.shape(),
        objective,
        method,
        Ready::default(),
    )
    .unwrap();
    of_stages(problem, objective, stages)
}

fn of_stages(problem: &Problem, objective: Objective, stages: Vec<Stage>) -> Chain {
    Chain::new(
        problem.clone(),
        Metric::SingleTile,
        objective,
        stages,
        Arc::default(),
    )
}

fn solve(problem: &Problem, objective: Objective) -> Course {
    let chain = planned(problem, objective, Method::default());
    drive(chain, problem, Budget::UNLIMITED)
}

fn bounded(factor: f64) -> Objective {
    Objective::Bounded(Ratio::new(factor).unwrap())
}

/// Published boards of 4×4 and the lengths of their shortest solutions.
fn published() -> impl Iterator<Item = (Problem, usize)> {
    let korf = KORF_1985.iter().map(|(tiles, length, _)| (tiles, *length));
    let princeton = PRINCETON.iter().map(|(tiles, length)| (tiles, *length));
    korf.chain(princeton)
        .map(|(tiles, length)| (problem(4, 4, tiles), length))
}

#[test]
fn optimal_finds_the_published_lengths() {
    for (problem, length) in published() {
        let course = solve(&problem, Objective::Optimal);
        assert_eq!(course.stop, Stop::Proven);
        assert_eq!(course.lengths.last(), Some(&length));
        assert_eq!(course.progress.lower_bound as usize, length);
    }
}

#[test]
fn best_improves_until_the_shortest_is_proven() {
    for (problem, length) in published() {
        let course = solve(&problem, Objective::Best);
        assert_eq!(course.stop, Stop::Proven);
        assert_eq!(course.by[0], Stage::Constructive(Variant::Best));
        assert_eq!(course.lengths.last(), Some(&length));
        assert_eq!(course.progress.lower_bound as usize, length);
    }
}

#[test]
fn fast_stops_at_the_first_solution() {
    for (problem, length) in published() {
        let course = solve(&problem, Objective::Fast);
        assert_eq!(course.by, [Stage::Constructive(Variant::Best)]);
        assert!(course.lengths[0] >= length);
        let first_is_shortest = course.lengths[0] == course.progress.lower_bound as usize;
        let stop = if first_is_shortest {
            Stop::Proven
        } else {
            Stop::FirstFound
        };
        assert_eq!(course.stop, stop);
    }
}

#[test]
fn bounded_meets_its_ratio() {
    for (problem, length) in published() {
        for factor in [1.0, 1.01, 1.1, 1.3, 2.0, 10.0] {
            let course = solve(&problem, bounded(factor));
            let bound = course.progress.lower_bound;
            assert_eq!(course.stop, Stop::Proven);
            assert!(*course.lengths.last().unwrap() as f64 <= factor * f64::from(bound));
            assert!(bound as usize <= length);
        }
    }
}

#[test]
fn weighted_a_star_alone_proves_its_weight_as_a_ratio() {
    // No binary fraction equals these ratios: rounding must not spoil the proof.
    for (problem, length) in published() {
        for factor in [1.07, 1.1, 1.15, 1.3, 1.7, 2.1, 3.3] {
            let method = Method {
                algorithm: Some(Algorithm::WeightedAStar),
                ..Method::default()
            };
            let chain = planned(&problem, bounded(factor), method);
            let course = drive(chain, &problem, Budget::UNLIMITED);
            assert_eq!(course.stop, Stop::Proven, "{factor} {}", problem.start());
            assert!(course.lengths[0] as f64 <= factor * length as f64);
        }
    }
}

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
fn a_stage_without_memory_gives_way_to_the_next() {
    let (tiles, length, _) = KORF_1985[4];
    let problem = problem(4, 4, &tiles);
    let slice = Budget {
        nodes: 1000,
        memory: 400_000,
        ..Budget::UNLIMITED
    };
    let best = planned(&problem, Objective::Best, Method::default());
    let course = drive(best, &problem, slice);
    assert_eq!(course.lengths.last(), Some(&length));
    assert_eq!(
        course.by.last(),
        Some(&Stage::IdaStar(HeuristicKind::default()))
    );
    assert_eq!(course.stop, Stop::Proven);
    assert!(course.progress.peak_memory <= 400_000);
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
fn a_stage_that_gives_way_gives_its_memory_back_piece_by_piece() {
    const MEMORY: u64 = 400_000;
    const MOST: u64 = 100_000;
    let (tiles, length, _) = KORF_1985[4];
    let problem = problem(4, 4, &tiles);
    let stages = vec![
        Stage::AStar(HeuristicKind::default(), Ratio::ONE),
        Stage::IdaStar(HeuristicKind::default()),
    ];
    let mut chain = of_stages(&problem, Objective::Optimal, stages);
    let slice = Budget {
        memory: MEMORY,
        ..Budget::nodes(10)
    };
    let (mut before, mut most) = (0, 0);
    let answer = loop {
        match chain.advance(slice) {
            Step::Working => {}
            Step::Found(answer) => break answer,
            Step::Done(stop) => panic!("{stop:?}"),
        }
        let memory = chain.progress().memory;
        let shed = before - memory.min(before);
        assert!(shed <= MOST, "{shed} at once");
        before = memory;
        most = most.max(memory);
    };
    assert_eq!(answer.length, length);
    assert_eq!(answer.by, Stage::IdaStar(HeuristicKind::default()));
    assert!(most > MEMORY / 2);
    assert!(before < MOST);
}

#[test]
fn a_chain_whose_last_stage_has_no_memory_says_so() {
    let (tiles, length, _) = KORF_1985[4];
    let problem = problem(4, 4, &tiles);
    let slice = Budget {
        nodes: 1000,
        memory: 400_000,
        ..Budget::UNLIMITED
    };
    let a_star = Method {
        algorithm: Some(Algorithm::AStar),
        ..Method::default()
    };
    let course = drive(
        planned(&problem, Objective::Optimal, a_star),
        &problem,
        slice,
    );
    assert_eq!((course.lengths.len(), course.stop), (0, Stop::Memory));
    assert!(course.progress.lower_bound as usize <= length);
    // BEST still has its constructive solution.
    let course = drive(planned(&problem, Objective::Best, a_star), &problem, slice);
    assert_eq!((course.lengths.len(), course.stop), (1, Stop::Memory));
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
fn a_chain_that_has_tried_everything_says_so() {
    let problem = problem(4, 4, &KORF_1985[0].0);
    let constructive = vec![Stage::Constructive(Variant::Best)];
    let chain = of_stages(&problem, Objective::Best, constructive);
    let course = drive(chain, &problem, Budget::UNLIMITED);
    assert_eq!((course.lengths.len(), course.stop), (1, Stop::Exhausted));
    let nothing = of_stages(&problem, Objective::Best, vec![]);
    let course = drive(nothing, &problem, Budget::UNLIMITED);
    assert_eq!((course.lengths.len(), course.stop), (0, Stop::Exhausted));
}

#[test]
fn slices_change_no_length_and_save_nodes_only() {
    for (tiles, length) in &PRINCETON[2..5] {
        let problem = problem(4, 4, tiles);
        for objective in [Objective::Best, Objective::Optimal] {
            let whole = solve(&problem, objective);
            for nodes in [1, 7, 1000] {
                let chain = planned(&problem, objective, Method::default());
                let sliced = drive(chain, &problem, Budget::nodes(nodes));
                assert_eq!(sliced.lengths, whole.lengths);
                assert_eq!(sliced.lengths.last(), Some(length));
                assert_eq!(sliced.by, whole.by);
                assert_eq!(sliced.stop, Stop::Proven);
                // Between two slices the chain can notice that the bound has reached the best length.
                assert!(sliced.progress.generated <= whole.progress.generated);
            }
        }
    }
}

#[test]
fn the_statistics_are_those_of_all_stages() {
    let (tiles, length, _) = KORF_1985[1];
    let problem = problem(4, 4, &tiles);
    let weight = Ratio::new(3.0).unwrap();
    let stages = vec![
        Stage::Constructive(Variant::Best),
        Stage::AStar(LinearConflict, weight),
        Stage::IdaStar(LinearConflict),
    ];
    let chain = of_stages(&problem, Objective::Best, stages);
    let course = drive(chain, &problem, Budget::UNLIMITED);

    let constructive = Constructive::new(Arc::default(), &problem, Variant::Best);
    let alone = [
        run(Box::new(Joined::new(&problem, constructive))).progress,
        run(a_star::solver(&problem, LinearConflict, 3.0)).progress,
        run(ida_star::solver(&problem, LinearConflict)).progress,
    ];
    let sum = |count: fn(&Progress) -> u64| alone.iter().map(count).sum::<u64>();
    let all = course.progress;
    assert_eq!(all.expanded, sum(|progress| progress.expanded));
    assert_eq!(all.generated, sum(|progress| progress.generated));
    assert_eq!(
        u64::from(all.iterations),
        sum(|progress| u64::from(progress.iterations))
    );
    assert_eq!(all.peak_open, alone[1].peak_open);
    assert_eq!(
        Some(all.peak_memory),
        alone.iter().map(|progress| progress.peak_memory).max()
    );
    // The last search is left as it stands, to be freed by whoever drops the chain.
    assert_eq!(all.memory, alone[2].memory);
    assert_eq!(all.lower_bound as usize, length);
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
fn a_solved_board_takes_no_moves_whatever_is_asked() {
    for (rows, columns) in [(2, 2), (4, 4), (5, 5), (20, 20)] {
        let goal = goal(shape(rows, columns), 1);
        let problem = Problem::new(&goal, &goal).unwrap();
        for objective in [Objective::Best, Objective::Optimal, bounded(2.0)] {
            let course = solve(&problem, objective);
            assert_eq!((course.lengths, course.stop), (vec![0], Stop::Proven));
            assert_eq!(course.progress.lower_bound, 0);
        }
    }
}

#[test]
fn a_solved_board_needs_neither_nodes_nor_memory_nor_the_tables_of_its_method() {
    let goal = goal(shape(5, 5), 7);
    let problem = Problem::new(&goal, &goal).unwrap();
    for kind in HeuristicKind::ALL {
        for stage in [Stage::AStar(kind, Ratio::ONE), Stage::IdaStar(kind)] {
            let mut chain = of_stages(&problem, Objective::Optimal, vec![stage]);
            let budget = Budget {
                memory: 0,
                time: Some(Duration::ZERO),
                ..Budget::nodes(0)
            };
            let Step::Found(answer) = chain.advance(budget) else {
                panic!("{stage:?} needs more");
            };
            assert!(answer.solution.is_empty());
            assert_eq!((answer.length, answer.by), (0, stage));
            assert!(matches!(chain.advance(budget), Step::Done(Stop::Proven)));
            assert_eq!(chain.progress(), Progress::default());
        }
    }
}

#[test]
fn the_optimal_solver_walks_the_table_when_there_is_one() {
    let tables = Arc::new(Tables::new());
    let hardest = problem(3, 3, &[8, 6, 7, 2, 5, 4, 3, 0, 1]);
    let by_search = run(optimal_solver(hardest.clone(), &tables));
    assert_eq!(by_search.found.last().unwrap().len(), 31);
    assert_eq!(by_search.stop, Stop::Proven);
    tables.build(Class::of(&hardest).unwrap());
    let by_table = run(optimal_solver(hardest, &tables));
    assert_eq!((by_table.length(), by_table.stop), (31, Stop::Proven));
    assert_eq!(by_table.progress.expanded, 31);
}

/// Runs a chain that counts pushes.
fn solve_in_pushes(problem: &Problem, objective: Objective) -> (Vec<usize>, Stop, u32) {
    let method = Method::default();
    let stages = plan(
        Metric::MultiTile,
        problem.shape(),
        objective,
        method,
        Ready::default(),
    )
    .unwrap();
    let mut chain = Chain::new(
        problem.clone(),
        Metric::MultiTile,
        objective,
        stages,
        Arc::default(),
    );
    let mut lengths = Vec::new();
    loop {
        match chain.advance(Budget::UNLIMITED) {
            Step::Working => {}
            Step::Found(answer) => {
                let moves = answer.solution.moves();
                assert_eq!(answer.length, Metric::MultiTile.length(moves));
                lengths.push(answer.length);
            }
            Step::Done(stop) => return (lengths, stop, chain.progress().lower_bound),
        }
    }
}

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
fn a_lower_bound_is_known_from_the_beginning_whatever_is_asked() {
    let problem = random_problem(shape(6, 6), 35, &mut Dice::new(8));
    let bounds = Metric::ALL.map(|metric| {
        let stages = vec![Stage::Constructive(Variant::Best)];
        let tables = Arc::default();
        let mut chain = Chain::new(problem.clone(), metric, Objective::Fast, stages, tables);
        chain.advance(Budget::nodes(1));
        let bound = chain.progress().lower_bound;
        assert_eq!(bound, lower_bound(&problem, metric));
        bound
    });
    assert!(bounds[0] > bounds[1] && bounds[1] > 0, "{bounds:?}");
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
fn in_pushes_lengths_and_bounds_are_pushes() {
    let mut dice = Dice::new(77);
    let tables = Tables::new();
    for _ in 0..20 {
        let problem = random_problem(shape(3, 3), 8, &mut dice);
        let class = Class::of(&problem).unwrap();
        let table = tables.build(class.counted_in(Metric::MultiTile).unwrap());
        let fewest = table.distance(&problem).unwrap();
        for objective in [Objective::Best, Objective::Optimal, bounded(1.0)] {
            let (lengths, stop, bound) = solve_in_pushes(&problem, objective);
            assert_eq!(lengths.last(), Some(&(fewest as usize)));
            assert_eq!((stop, bound), (Stop::Proven, fewest));
            assert!(lengths.is_sorted_by(|a, b| a > b), "{lengths:?}");
        }
        let (lengths, stop, bound) = solve_in_pushes(&problem, bounded(1.5));
        assert_eq!(stop, Stop::Proven);
        assert!(*lengths.last().unwrap() as f64 <= 1.5 * f64::from(bound));
        assert!(bound <= fewest);
    }
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
    assert!(first.progress.generated > alone + 500_000);
    assert_eq!(second.progress.generated, at_once);
}

/// Weighted A* runs to its end and proves something about slides, which must not be taken for a bound on
/// pushes.
#[test]
fn a_search_for_few_slides_proves_nothing_about_pushes() {
    let problem = problem(4, 4, &PRINCETON[0].0);
    let (lengths, stop, bound) = solve_in_pushes(&problem, Objective::Best);
    assert_eq!(stop, Stop::Proven);
    let proof = run(ida_star::push_solver(&problem));
    let fewest = Metric::MultiTile.length(proof.found[0].moves());
    assert_eq!(lengths.last(), Some(&fewest));
    assert_eq!(bound as usize, fewest);
    assert!(fewest < PRINCETON[0].1);
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

/// A chain for `BEST` on a board with beams, played as if each node took 100 ns.
struct Played {
    chain: Chain,
    now: Duration,
    /// The lengths found, and the stages that found them.
    found: Vec<(usize, Stage)>,
    /// The turns, and how many of them generated no node.
    turns: usize,
    idle: usize,
}

impl Played {
    fn new(side: usize) -> Self {
        let shape = shape(side, side);
        while !beam::prepare(shape, 1 << 20) {}
        let problem = random_problem(shape, side * side - 1, &mut Dice::new(5));
        Self {
            chain: Chain::of_own_choice(problem, Objective::Best, &Arc::default()),
            now: Duration::ZERO,
            found: Vec::new(),
            turns: 0,
            idle: 0,
        }
    }

    /// Advances until this time is reached; findings are of use until `due`, which is the asker's name.
    fn play(&mut self, memory: u64, until: Duration, due: Duration) {
        while self.now < until {
            let before = self.chain.progress().generated;
            let step = self.chain.advance(Budget {
                memory,
                time: Some(due.saturating_sub(self.now)),
                asker: due.as_micros() as u32,
                ..Budget::nodes(256)
            });
            match step {
                Step::Working => {}
                Step::Found(answer) => self.found.push((answer.length, answer.by)),
                Step::Done(stop) => panic!("{stop:?}"),
            }
            let nodes = self.chain.progress().generated - before;
            self.turns += 1;
            self.idle += usize::from(nodes == 0);
            self.now += Duration::from_nanos(100 * (1 + nodes));
        }
    }

    fn found_by_beams(&self) -> usize {
        let by_beams = self.found.iter().filter(|(_, by)| *by == Stage::Beam);
        by_beams.count()
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

#[test]
fn beams_that_were_too_late_for_one_asker_begin_again_for_another() {
    const SHORT: Duration = Duration::from_millis(2);
    const LONG: Duration = Duration::from_millis(250);
    let mut played = Played::new(8);
    // Once the first asker's time is up, the proof gets all the nodes.
    played.play(u64::MAX, 10 * SHORT, SHORT);
    assert_eq!(played.chain.name(), "ida_star", "beams would be too late");
    let at_first = played.found_by_beams();
    // The proof goes on beside the beams, as usual.
    let proof = |chain: &Chain| -> u64 { chain.iterations().iter().map(|it| it.generated).sum() };
    let (all, proven) = (played.chain.progress().generated, proof(&played.chain));
    played.play(u64::MAX, LONG, LONG);
    assert!(played.found_by_beams() > at_first, "{:?}", played.found);
    let all = played.chain.progress().generated - all;
    let proven = proof(&played.chain) - proven;
    assert!(proven > all / 320 && proven < all / 64, "{proven} of {all}");
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
fn beams_alone_that_were_too_late_for_one_asker_begin_again_for_another() {
    let problem = random_problem(shape(8, 8), 63, &mut Dice::new(5));
    for algorithm in [Algorithm::Beam, Algorithm::StagedBeam] {
        let method = Method {
            algorithm: Some(algorithm),
            ..Method::default()
        };
        let mut chain = planned(&problem, Objective::Best, method);
        let mut play = |time, asker| {
            let budget = Budget {
                time: Some(time),
                asker,
                ..Budget::nodes(256)
            };
            let mut by = Vec::new();
            for _ in 0..100_000 {
                match chain.advance(budget) {
                    Step::Working => {}
                    Step::Found(answer) => by.push(answer.by),
                    Step::Done(stop) => return (by, Some(stop)),
                }
                if by.len() > 1 {
                    break;
                }
            }
            (by, None)
        };
        let first = vec![Stage::Constructive(Variant::Best)];
        let hasty = play(Duration::from_micros(1), 1);
        assert_eq!(hasty, (first, Some(Stop::Time)));
        // Nothing changes for that one, nor for another with as little time.
        for asker in [1, 2] {
            let again = play(Duration::from_micros(1), asker);
            assert_eq!(again, (vec![], Some(Stop::Time)));
        }
        let (by, end) = play(Duration::from_millis(300), 3);
        assert!(!by.is_empty(), "{algorithm}");
        assert_eq!(end, None);
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

#[test]
fn beams_without_memory_begin_again_when_there_is_some() {
    let given = Duration::from_millis(100);
    let mut played = Played::new(8);
    played.play(1 << 10, given / 3, given);
    assert_eq!(played.found_by_beams(), 0);
    // Meanwhile the proof gets the nodes.
    let (turns, idle) = (played.turns, played.idle);
    assert!(idle < turns / 4, "{idle} of {turns}");
    played.play(16 << 20, given, given);
    assert!(played.found_by_beams() > 0, "{:?}", played.found);
    assert!(played.chain.progress().memory <= 16 << 20);
}
