//! Plans carried out: the searches of a chain one after the other.

mod current;
mod deferred;
mod own_choice;
mod prover;

use std::sync::Arc;
use std::time::Duration;

use loyd::heuristic::HeuristicKind::{self, LinearConflict};
use loyd::puzzle::{Dice, Metric, Problem};
use loyd::search::beam;
use loyd::search::chain::{Chain, lower_bound};
use loyd::search::constructive::{Constructive, Variant};
use loyd::search::distance_table::Class;
use loyd::search::joined::Joined;
use loyd::search::plan::{Algorithm, Method, Objective, Ratio, Ready, Stage, plan};
use loyd::search::tables::Tables;
use loyd::search::{Budget, Progress, Search, Step, Stop, a_star, ida_star};

use crate::driving::{advance, run};
use crate::support::published::{KORF_1985, PRINCETON};
use crate::support::{goal, problem, random_problem, shape};

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
