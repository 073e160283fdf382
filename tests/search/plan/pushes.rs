//! Which searches answer questions that count pushes.

use loyd::heuristic::pushes::PushKind;
use loyd::puzzle::Metric::MultiTile;
use loyd::search::constructive::Variant;
use loyd::search::plan::{Algorithm, Objective, Stage, plan};

use Objective::{Best, Bounded, Fast, Optimal};
use Stage::TableWalk;

use super::{ANY, CONSTRUCTIVE, DISTANCES, NOTHING, a_star, by, constructive, ratio};
use crate::support::shape;

#[test]
fn pushes_are_proven_by_the_search_that_counts_them() {
    let patterns = Stage::PushIdaStar(PushKind::Patterns);
    let lines = Stage::PushIdaStar(PushKind::Lines);
    let bounded = Bounded(ratio(1.2));
    for (side, objective, method, stages) in [
        (3, Best, ANY, vec![CONSTRUCTIVE, patterns]),
        (
            4,
            Best,
            ANY,
            vec![CONSTRUCTIVE, a_star(3.0), a_star(1.5), patterns],
        ),
        (4, Optimal, ANY, vec![CONSTRUCTIVE, patterns]),
        (4, bounded, ANY, vec![CONSTRUCTIVE, patterns]),
        (4, Fast, ANY, vec![CONSTRUCTIVE]),
        (5, Optimal, ANY, vec![CONSTRUCTIVE, lines]),
        (11, Optimal, ANY, vec![lines]),
        (5, Best, ANY, vec![CONSTRUCTIVE, Stage::Beam, lines]),
        (
            16,
            Best,
            ANY,
            vec![CONSTRUCTIVE, Stage::Lookahead, Stage::Beam, lines],
        ),
        (4, Optimal, by(Algorithm::IdaStar), vec![patterns]),
        (4, Fast, by(Algorithm::IdaStar), vec![patterns]),
        (
            4,
            Best,
            by(Algorithm::IdaStar),
            vec![CONSTRUCTIVE, patterns],
        ),
        (
            4,
            Best,
            constructive(Variant::Hayes),
            vec![Stage::Constructive(Variant::Hayes)],
        ),
    ] {
        let planned = plan(MultiTile, shape(side, side), objective, method, NOTHING);
        assert_eq!(planned, Ok(stages), "{side} {objective:?} {method:?}");
    }
    for objective in [Best, Optimal, bounded, Fast] {
        let planned = plan(MultiTile, shape(3, 3), objective, ANY, DISTANCES);
        assert_eq!(planned, Ok(vec![TableWalk]));
    }
}
