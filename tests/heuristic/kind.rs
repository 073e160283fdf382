//! What is said of the lower bounds.

use loyd::heuristic::{Correction, HeuristicKind};
use loyd::puzzle::Shape;

use crate::support::shape;

/// The sizes in a phrase, the shorter side first.
fn named(phrase: &str) -> Vec<Shape> {
    let words = phrase.split([' ', ',']);
    let sides = words.filter_map(|word| word.split_once('×'));
    let side = |text: &str| text.parse().unwrap();
    sides.map(|(a, b)| shape(side(a), side(b))).collect()
}

/// The shapes whose rows are no longer than their columns.
fn flat_shapes() -> impl Iterator<Item = Shape> {
    (2..=20).flat_map(|rows| (rows..=20).map(move |columns| shape(rows, columns)))
}

#[test]
fn the_sizes_that_are_told_are_those_that_are_supported() {
    let databases = HeuristicKind::PatternDatabase;
    let listed = named(databases.sizes());
    let walking = HeuristicKind::WalkingDistance;
    let largest = named(walking.sizes());
    let is_within = |shape: Shape, large: &Shape| {
        shape.rows() <= large.rows() && shape.columns() <= large.columns()
    };
    for shape in flat_shapes() {
        assert_eq!(
            listed.contains(&shape),
            databases.supports(shape),
            "{shape}"
        );
        let is_told = largest.iter().any(|large| is_within(shape, large));
        assert_eq!(is_told, walking.supports(shape), "{shape}");
    }
    for kind in HeuristicKind::ALL
        .into_iter()
        .filter(|&kind| kind != walking)
    {
        assert_eq!(kind.sizes(), "of any size");
        assert!(flat_shapes().all(|shape| kind.supports(shape)));
    }
}

#[test]
fn a_bound_is_displayed_by_its_name_in_the_contract() {
    for (kind, name) in [
        (HeuristicKind::Manhattan, "MANHATTAN"),
        (HeuristicKind::PatternDatabase, "PATTERN_DATABASE"),
        (
            HeuristicKind::corrected(&[Correction::LinearConflict, Correction::CornerTiles]),
            "LINEAR_CONFLICT+CORNER_TILES",
        ),
    ] {
        assert_eq!(kind.to_string(), name);
    }
}
