//! Which searches answer which question.

mod fault;
mod objective;
mod pushes;

use loyd::heuristic::HeuristicKind::{self, Hamming, Manhattan};
use loyd::puzzle::Metric::SingleTile;
use loyd::search::constructive::Variant;
use loyd::search::plan::{Algorithm, Method, Objective, Ratio, Ready, Stage, plan};

use Objective::{Best, Bounded, Fast, Optimal};
use Stage::{IdaStar, TableWalk};

use crate::support::shape;

const ANY: Method = Method {
    algorithm: None,
    heuristic: None,
    weight: None,
    variant: None,
};

/// No table is ready.
const NOTHING: Ready = Ready {
    distances: false,
    guide: false,
};

/// The exact distances are ready.
const DISTANCES: Ready = Ready {
    distances: true,
    guide: false,
};

/// Pattern databases are ready.
const GUIDE: Ready = Ready {
    distances: false,
    guide: true,
};

const ALGORITHMS: [Algorithm; 6] = [
    Algorithm::AStar,
    Algorithm::WeightedAStar,
    Algorithm::IdaStar,
    Algorithm::Beam,
    Algorithm::StagedBeam,
    Algorithm::Constructive,
];

/// The stage that is used unless a variant is asked for.
const CONSTRUCTIVE: Stage = Stage::Constructive(Variant::Best);

fn by(algorithm: Algorithm) -> Method {
    Method {
        algorithm: Some(algorithm),
        ..ANY
    }
}

fn with(heuristic: HeuristicKind, method: Method) -> Method {
    Method {
        heuristic: Some(heuristic),
        ..method
    }
}

fn weighted(weight: f64) -> Method {
    Method {
        weight: Some(ratio(weight)),
        ..by(Algorithm::WeightedAStar)
    }
}

fn constructive(variant: Variant) -> Method {
    Method {
        variant: Some(variant),
        ..by(Algorithm::Constructive)
    }
}

fn ratio(factor: f64) -> Ratio {
    Ratio::new(factor).unwrap()
}

fn a_star(weight: f64) -> Stage {
    Stage::AStar(HeuristicKind::ALL_CORRECTIONS, ratio(weight))
}

#[test]
fn the_servers_own_choice_by_size_and_objective() {
    let ida_star = IdaStar(HeuristicKind::ALL_CORRECTIONS);
    // Another heuristic begins until the tables are ready.
    let guided = IdaStar(HeuristicKind::PatternDatabase);
    let bounded = Bounded(ratio(1.2));
    for (rows, columns, objective, stages) in [
        // Few enough arrangements for A* to finish.
        (3, 3, Best, vec![CONSTRUCTIVE, a_star(1.0), ida_star]),
        (3, 4, Optimal, vec![CONSTRUCTIVE, a_star(1.0), ida_star]),
        (
            2,
            6,
            bounded,
            vec![CONSTRUCTIVE, a_star(1.2), a_star(1.0), ida_star],
        ),
        (3, 4, Fast, vec![CONSTRUCTIVE]),
        (
            4,
            4,
            Best,
            vec![CONSTRUCTIVE, a_star(3.0), a_star(1.5), guided],
        ),
        (4, 4, Optimal, vec![CONSTRUCTIVE, guided]),
        (4, 4, bounded, vec![CONSTRUCTIVE, a_star(1.2), guided]),
        (4, 4, Fast, vec![CONSTRUCTIVE]),
        (5, 5, Best, vec![CONSTRUCTIVE, Stage::Beam, guided]),
        (5, 5, bounded, vec![CONSTRUCTIVE, Stage::Beam, guided]),
        (2, 9, Best, vec![CONSTRUCTIVE, Stage::Beam, ida_star]),
        (7, 8, Best, vec![CONSTRUCTIVE, Stage::Beam, ida_star]),
        (10, 10, Optimal, vec![CONSTRUCTIVE, ida_star]),
        (
            100,
            100,
            Best,
            vec![CONSTRUCTIVE, Stage::Lookahead, Stage::Beam, ida_star],
        ),
        // A constructive solution is no longer cheap compared with a proof that will hardly come.
        (10, 11, Optimal, vec![ida_star]),
        (100, 100, Fast, vec![CONSTRUCTIVE]),
        (100, 100, bounded, vec![CONSTRUCTIVE, Stage::Beam, ida_star]),
    ] {
        let shape = shape(rows, columns);
        assert_eq!(
            plan(SingleTile, shape, objective, ANY, NOTHING),
            Ok(stages),
            "{shape} {objective:?}"
        );
    }
}

#[test]
fn a_table_that_is_ready_answers_every_objective() {
    for objective in [Best, Optimal, Bounded(ratio(2.0)), Fast] {
        assert_eq!(
            plan(SingleTile, shape(3, 3), objective, ANY, DISTANCES),
            Ok(vec![TableWalk]),
            "{objective:?}"
        );
    }
}

#[test]
fn a_table_is_not_used_when_a_method_is_asked_for() {
    for (method, stages) in [
        (
            by(Algorithm::IdaStar),
            vec![IdaStar(HeuristicKind::ALL_CORRECTIONS)],
        ),
        (by(Algorithm::AStar), vec![a_star(1.0)]),
        (
            with(Manhattan, ANY),
            vec![
                CONSTRUCTIVE,
                Stage::AStar(Manhattan, Ratio::ONE),
                IdaStar(Manhattan),
            ],
        ),
    ] {
        assert_eq!(
            plan(SingleTile, shape(3, 3), Optimal, method, DISTANCES),
            Ok(stages)
        );
    }
}

#[test]
fn a_method_that_is_asked_for_is_the_one_that_is_used() {
    let manhattan = |weight| Stage::AStar(Manhattan, ratio(weight));
    for (objective, method, stages) in [
        (Optimal, by(Algorithm::AStar), vec![a_star(1.0)]),
        (
            Optimal,
            with(Manhattan, by(Algorithm::IdaStar)),
            vec![IdaStar(Manhattan)],
        ),
        (Optimal, weighted(1.0), vec![a_star(1.0)]),
        (Fast, with(Manhattan, weighted(7.5)), vec![manhattan(7.5)]),
        (Fast, by(Algorithm::WeightedAStar), vec![a_star(2.0)]),
        (Fast, by(Algorithm::Constructive), vec![CONSTRUCTIVE]),
        (
            Bounded(ratio(1.3)),
            by(Algorithm::WeightedAStar),
            vec![a_star(1.3)],
        ),
        (Bounded(ratio(1.3)), weighted(1.1), vec![a_star(1.1)]),
        (Bounded(ratio(1.3)), weighted(1.3), vec![a_star(1.3)]),
        (Bounded(ratio(1.3)), by(Algorithm::AStar), vec![a_star(1.0)]),
        // BEST has a solution to return when a limit comes.
        (
            Best,
            with(Hamming, by(Algorithm::AStar)),
            vec![CONSTRUCTIVE, Stage::AStar(Hamming, Ratio::ONE)],
        ),
        (
            Best,
            by(Algorithm::IdaStar),
            vec![CONSTRUCTIVE, IdaStar(HeuristicKind::ALL_CORRECTIONS)],
        ),
        (
            Best,
            by(Algorithm::WeightedAStar),
            vec![CONSTRUCTIVE, a_star(2.0)],
        ),
        (Best, by(Algorithm::Constructive), vec![CONSTRUCTIVE]),
    ] {
        assert_eq!(
            plan(SingleTile, shape(4, 4), objective, method, NOTHING),
            Ok(stages),
            "{objective:?} {method:?}"
        );
    }
}

#[test]
fn a_variant_of_the_constructive_solver_is_taken_as_it_is_asked_for() {
    for objective in [Fast, Best] {
        for variant in Variant::ALL {
            for ready in [NOTHING, DISTANCES] {
                assert_eq!(
                    plan(
                        SingleTile,
                        shape(3, 3),
                        objective,
                        constructive(variant),
                        ready
                    ),
                    Ok(vec![Stage::Constructive(variant)]),
                    "{objective:?} {variant:?}"
                );
            }
        }
    }
}

#[test]
fn a_guide_leaves_no_time_for_anything_else() {
    let proof = IdaStar(HeuristicKind::PatternDatabase);
    for (objective, stages) in [
        (Optimal, vec![proof]),
        (Best, vec![CONSTRUCTIVE, proof]),
        (Bounded(ratio(1.5)), vec![CONSTRUCTIVE, proof]),
        (Fast, vec![CONSTRUCTIVE]),
    ] {
        let planned = plan(SingleTile, shape(4, 4), objective, ANY, GUIDE);
        assert_eq!(planned, Ok(stages));
    }
    // On larger boards the proof may take long.
    let planned = plan(SingleTile, shape(5, 5), Best, ANY, GUIDE);
    assert_eq!(planned, Ok(vec![CONSTRUCTIVE, Stage::Beam, proof]));
}
