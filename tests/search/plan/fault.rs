//! What may be asked for, and what is said where it may not.

use loyd::heuristic::HeuristicKind::{self, Hamming, Manhattan};
use loyd::puzzle::Metric::{MultiTile, SingleTile};
use loyd::search::constructive::Variant;
use loyd::search::plan::{
    Algorithm, Method, Objective, PlanError, Ratio, Stage, check, faults, plan,
};

use Objective::{Best, Bounded, Fast, Optimal};
use Stage::IdaStar;

use super::{ALGORITHMS, ANY, DISTANCES, GUIDE, NOTHING, by, constructive, ratio, weighted, with};
use crate::support::shape;

fn not_in_pushes(algorithm: Algorithm, objective: Objective) -> PlanError {
    PlanError::NotInPushes {
        algorithm,
        objective: Some(objective),
    }
}

#[test]
fn a_method_that_cannot_do_what_is_asked_is_refused() {
    let cannot_prove = |algorithm, objective| PlanError::CannotProve {
        algorithm,
        objective,
        metric: Some(SingleTile),
    };
    let stray_weight = Method {
        weight: Some(ratio(2.0)),
        ..ANY
    };
    let stray_variant = |method| Method {
        variant: Some(Variant::Hayes),
        ..method
    };
    let bounded = Bounded(ratio(1.5));
    for (objective, method, error) in [
        (
            Optimal,
            by(Algorithm::Constructive),
            cannot_prove(Algorithm::Constructive, Optimal),
        ),
        (
            bounded,
            by(Algorithm::Constructive),
            cannot_prove(Algorithm::Constructive, bounded),
        ),
        (
            Optimal,
            by(Algorithm::WeightedAStar),
            cannot_prove(Algorithm::WeightedAStar, Optimal),
        ),
        (
            Optimal,
            weighted(1.01),
            cannot_prove(Algorithm::WeightedAStar, Optimal),
        ),
        (
            bounded,
            weighted(1.6),
            PlanError::WeightAboveRatio {
                weight: ratio(1.6),
                ratio: ratio(1.5),
            },
        ),
        (Best, stray_weight, PlanError::StrayWeight),
        (
            Optimal,
            Method {
                weight: Some(Ratio::ONE),
                ..by(Algorithm::AStar)
            },
            PlanError::StrayWeight,
        ),
        (
            Optimal,
            by(Algorithm::StagedBeam),
            cannot_prove(Algorithm::StagedBeam, Optimal),
        ),
        (Best, stray_variant(ANY), PlanError::StrayVariant),
        (
            Best,
            stray_variant(by(Algorithm::AStar)),
            PlanError::StrayVariant,
        ),
        (Fast, stray_variant(weighted(2.0)), PlanError::StrayVariant),
        (
            Optimal,
            stray_variant(by(Algorithm::IdaStar)),
            PlanError::StrayVariant,
        ),
        (
            Optimal,
            constructive(Variant::Parberry),
            cannot_prove(Algorithm::Constructive, Optimal),
        ),
        (
            Fast,
            with(Manhattan, by(Algorithm::Constructive)),
            PlanError::StrayHeuristic(Algorithm::Constructive),
        ),
    ] {
        // Whatever the board, and whether or not there is a table.
        for (side, ready) in [(3, DISTANCES), (3, NOTHING), (4, NOTHING), (128, NOTHING)] {
            let shape = shape(side, side);
            assert_eq!(check(SingleTile, objective, shape, method), Err(error));
            let planned = plan(SingleTile, shape, objective, method, ready);
            assert_eq!(planned, Err(error), "{objective:?} {method:?}");
        }
    }
}

#[test]
fn all_that_is_wrong_with_a_method_is_told_and_the_first_of_it_refuses() {
    let strays = |method| Method {
        weight: Some(ratio(3.0)),
        variant: Some(Variant::Parberry),
        ..method
    };
    let beam = Algorithm::Beam;
    let bounded = Bounded(ratio(1.5));
    let cannot_prove = |algorithm, objective, metric| PlanError::CannotProve {
        algorithm,
        objective,
        metric: Some(metric),
    };
    for (metric, objective, method, expected) in [
        (SingleTile, Optimal, by(Algorithm::IdaStar), vec![]),
        (
            SingleTile,
            Best,
            strays(by(Algorithm::IdaStar)),
            vec![PlanError::StrayWeight, PlanError::StrayVariant],
        ),
        (
            MultiTile,
            Best,
            strays(with(Manhattan, by(Algorithm::AStar))),
            vec![
                not_in_pushes(Algorithm::AStar, Best),
                PlanError::StrayWeight,
                PlanError::StrayVariant,
                PlanError::BoundNotInPushes(Manhattan),
            ],
        ),
        (
            SingleTile,
            bounded,
            strays(with(Manhattan, by(beam))),
            vec![
                PlanError::StrayWeight,
                PlanError::StrayVariant,
                PlanError::StrayHeuristic(beam),
                cannot_prove(beam, bounded, SingleTile),
            ],
        ),
        // One reason is enough to leave a heuristic out.
        (
            MultiTile,
            Optimal,
            with(HeuristicKind::PatternDatabase, weighted(3.0)),
            vec![
                not_in_pushes(Algorithm::WeightedAStar, Optimal),
                PlanError::BoundNotInPushes(HeuristicKind::PatternDatabase),
                cannot_prove(Algorithm::WeightedAStar, Optimal, MultiTile),
            ],
        ),
        // IDA* has no databases for this board either.
        (
            SingleTile,
            Best,
            with(HeuristicKind::PatternDatabase, by(Algorithm::AStar)),
            vec![PlanError::UnsupportedShape {
                heuristic: HeuristicKind::PatternDatabase,
                shape: shape(3, 3),
            }],
        ),
        // All that this board has.
        (
            SingleTile,
            Fast,
            with(HeuristicKind::PatternDatabase, by(beam)),
            vec![PlanError::StrayHeuristic(beam)],
        ),
    ] {
        let shape = shape(3, 3);
        let found = faults(Some(metric), Some(objective), Some(shape), method);
        assert_eq!(found, expected);
        let first = expected.first().map_or(Ok(()), |&first| Err(first));
        assert_eq!(check(metric, objective, shape, method), first);
    }
}

#[test]
fn what_is_wrong_in_any_metric_and_by_any_objective_needs_neither() {
    let method = Method {
        weight: Some(ratio(3.0)),
        ..with(Manhattan, by(Algorithm::Beam))
    };
    let wrong = vec![
        PlanError::StrayWeight,
        PlanError::StrayHeuristic(Algorithm::Beam),
    ];
    assert_eq!(faults(None, None, None, method), wrong);
    // Faults that only some metrics or objectives would have are not reported.
    assert_eq!(faults(None, Some(Best), None, by(Algorithm::AStar)), []);
    assert_eq!(faults(Some(SingleTile), None, None, weighted(3.0)), []);
}

#[test]
fn errors_speak_the_contracts_language() {
    let two = Ratio::new(2.0).unwrap();
    let cannot_prove = |algorithm, objective, metric| PlanError::CannotProve {
        algorithm,
        objective,
        metric,
    };
    for (error, text) in [
        (
            cannot_prove(
                Algorithm::WeightedAStar,
                Objective::Optimal,
                Some(SingleTile),
            ),
            "WEIGHTED_A_STAR cannot prove what OPTIMAL asks for: choose A_STAR or IDA_STAR, or \
             leave the choice to the server",
        ),
        (
            cannot_prove(
                Algorithm::Constructive,
                Objective::Bounded(two),
                Some(MultiTile),
            ),
            "CONSTRUCTIVE cannot prove what BOUNDED asks for: choose IDA_STAR, or leave the choice \
             to the server",
        ),
        (
            cannot_prove(Algorithm::Beam, Objective::Optimal, None),
            "BEAM cannot prove what OPTIMAL asks for: choose IDA_STAR, or leave the choice to the \
             server",
        ),
        (
            not_in_pushes(Algorithm::AStar, Fast),
            "A_STAR counts only slides of single tiles: for MULTI_TILE choose IDA_STAR or \
             CONSTRUCTIVE, or leave the choice to the server",
        ),
        (
            not_in_pushes(Algorithm::Beam, Optimal),
            "BEAM counts only slides of single tiles: for MULTI_TILE choose IDA_STAR, or leave the \
             choice to the server",
        ),
        (
            PlanError::BoundNotInPushes(HeuristicKind::ALL_CORRECTIONS),
            "LINEAR_CONFLICT+CORNER_TILES+LAST_MOVES counts only slides of single tiles: for \
             MULTI_TILE leave the heuristic out",
        ),
        (
            PlanError::UnsupportedShape {
                heuristic: HeuristicKind::PatternDatabase,
                shape: shape(3, 3),
            },
            "PATTERN_DATABASE is for boards of 3×5, 2×7, 2×8, 4×4, 3×6, 4×5 and 5×5, and this one is \
             3×3: choose LINEAR_CONFLICT, or leave the heuristic out",
        ),
        (
            PlanError::UnsupportedShape {
                heuristic: HeuristicKind::WalkingDistance,
                shape: shape(6, 6),
            },
            "WALKING_DISTANCE is for boards up to 5×5, 3×6 and 2×7, and this one is 6×6: choose \
             LINEAR_CONFLICT, or leave the heuristic out",
        ),
        (
            PlanError::StrayWeight,
            "a weight is only for WEIGHTED_A_STAR: leave it out",
        ),
        (
            PlanError::StrayVariant,
            "a variant is only for CONSTRUCTIVE: leave it out",
        ),
        (
            PlanError::StrayHeuristic(Algorithm::Constructive),
            "CONSTRUCTIVE uses no heuristic: leave it out",
        ),
    ] {
        assert_eq!(error.to_string(), text);
    }
}

#[test]
fn a_heuristic_that_the_shape_has_not_is_refused() {
    let heuristic = HeuristicKind::WalkingDistance;
    let any = with(heuristic, ANY);
    let a_star = with(heuristic, by(Algorithm::AStar));
    let ida_star = with(heuristic, by(Algorithm::IdaStar));
    for method in [any, a_star, ida_star] {
        let large = shape(5, 6);
        let refusal = PlanError::UnsupportedShape {
            heuristic,
            shape: large,
        };
        assert_eq!(plan(SingleTile, large, Best, method, NOTHING), Err(refusal));
        assert!(plan(SingleTile, shape(5, 5), Best, method, NOTHING).is_ok());
    }
}

#[test]
fn every_heuristic_can_be_asked_for_by_every_search_that_uses_one() {
    for kind in HeuristicKind::ALL {
        for (algorithm, stage) in [
            (Algorithm::AStar, Stage::AStar(kind, Ratio::ONE)),
            (Algorithm::IdaStar, IdaStar(kind)),
        ] {
            assert_eq!(
                plan(
                    SingleTile,
                    shape(4, 4),
                    Optimal,
                    with(kind, by(algorithm)),
                    NOTHING
                ),
                Ok(vec![stage])
            );
        }
    }
}

#[test]
fn what_counts_single_tiles_alone_is_refused_in_pushes() {
    for (method, error) in [
        (by(Algorithm::AStar), not_in_pushes(Algorithm::AStar, Fast)),
        (weighted(2.0), not_in_pushes(Algorithm::WeightedAStar, Fast)),
        (
            with(Manhattan, by(Algorithm::IdaStar)),
            PlanError::BoundNotInPushes(Manhattan),
        ),
        (with(Hamming, ANY), PlanError::BoundNotInPushes(Hamming)),
        (
            with(Hamming, by(Algorithm::Constructive)),
            PlanError::StrayHeuristic(Algorithm::Constructive),
        ),
    ] {
        assert_eq!(check(MultiTile, Fast, shape(3, 3), method), Err(error));
        assert_eq!(
            plan(MultiTile, shape(3, 3), Fast, method, DISTANCES),
            Err(error)
        );
    }
}

#[test]
fn what_a_refused_algorithm_is_to_be_replaced_by_is_not_refused() {
    for metric in [SingleTile, MultiTile] {
        for objective in [Best, Optimal, Bounded(ratio(1.5)), Fast] {
            for algorithm in ALGORITHMS {
                for error in faults(Some(metric), Some(objective), None, by(algorithm)) {
                    let advice = error.to_string();
                    let advice = advice.split_once(": ").expect("advice").1;
                    let advised = ALGORITHMS.into_iter().filter(|advised| {
                        let words = &mut advice.split([' ', ',']);
                        words.any(|word| word == advised.to_string())
                    });
                    let mut count = 0;
                    for advised in advised {
                        let found = faults(Some(metric), Some(objective), None, by(advised));
                        assert_eq!(found, [], "{metric:?} {error}");
                        count += 1;
                    }
                    assert!(count > 0, "{error}");
                }
            }
        }
    }
}

#[test]
fn pattern_databases_can_be_asked_for_on_just_the_sizes_of_the_contract() {
    let method = with(HeuristicKind::PatternDatabase, by(Algorithm::IdaStar));
    let planned = |shape| plan(SingleTile, shape, Optimal, method, NOTHING);
    let proof = IdaStar(HeuristicKind::PatternDatabase);
    let sizes = [(4, 4), (5, 5), (2, 7), (2, 8), (3, 5), (3, 6), (4, 5)];
    let mut supported = 0;
    for (rows, columns) in (2..=9).flat_map(|rows| (2..=9).map(move |columns| (rows, columns))) {
        let shape = shape(rows, columns);
        if sizes.contains(&(rows.min(columns), rows.max(columns))) {
            assert_eq!(planned(shape), Ok(vec![proof]), "{rows}×{columns}");
            supported += 1;
        } else {
            let error = PlanError::UnsupportedShape {
                heuristic: HeuristicKind::PatternDatabase,
                shape,
            };
            assert_eq!(planned(shape), Err(error), "{rows}×{columns}");
        }
    }
    assert_eq!(supported, 12);
}

#[test]
fn pattern_databases_can_be_asked_for_by_ida_star_on_4x4() {
    let by_databases = with(HeuristicKind::PatternDatabase, by(Algorithm::IdaStar));
    let proof = IdaStar(HeuristicKind::PatternDatabase);
    // Until they are ready, something else stands in for them.
    for ready in [NOTHING, GUIDE] {
        let planned = plan(SingleTile, shape(4, 4), Optimal, by_databases, ready);
        assert_eq!(planned, Ok(vec![proof]));
    }
    let error = PlanError::UnsupportedShape {
        heuristic: HeuristicKind::PatternDatabase,
        shape: shape(6, 6),
    };
    let planned = plan(SingleTile, shape(6, 6), Optimal, by_databases, NOTHING);
    assert_eq!(planned, Err(error));
    for algorithm in [Algorithm::AStar, Algorithm::WeightedAStar] {
        let method = with(HeuristicKind::PatternDatabase, by(algorithm));
        let error = PlanError::WithoutDatabases(algorithm);
        assert_eq!(check(SingleTile, Fast, shape(4, 4), method), Err(error));
    }
}
