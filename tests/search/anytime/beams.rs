//! Which beams solve which boards.

use std::sync::Arc;
use std::time::Duration;

use loyd::puzzle::{Dice, Problem};
use loyd::search::anytime::beams::{are_staged, beams, staged};
use loyd::search::anytime::widening::{Beams, Kind, Scale, Widening};
use loyd::search::tables::Tables;
use loyd::search::{Budget, Search, Step, beam, staged_beam};

use crate::support::{random_problem, shape};

fn any(rows: usize, columns: usize) -> Problem {
    let shape = shape(rows, columns);
    random_problem(shape, shape.cells() - 1, &mut Dice::new(4))
}

fn prepared(problem: &Problem) -> Box<dyn Beams> {
    let beams = beams(problem, &Arc::new(Tables::new()));
    while !beams.prepare(1 << 16) {}
    beams
}

#[test]
fn beams_go_in_stages_until_there_are_tables_for_whole_boards() {
    // No other test requests these tables.
    let problem = any(8, 11);
    let tables = Arc::new(Tables::new());
    let before = beams(&problem, &tables);
    assert_eq!(before.kind(10_000, true), Kind::Staged);
    assert_eq!(before.pair_width(), None);
    let after = prepared(&problem);
    assert_eq!(after.kind(10_000, true), Kind::Whole);
    assert!(after.pair_width().is_some());
}

#[test]
fn narrow_beams_on_large_boards_go_in_stages_and_less_narrow_ones_of_two_do_not() {
    for (rows, columns, alone, paired) in [(8, 9, 500, 120), (11, 11, 1000, 300), (8, 8, 100, 100)]
    {
        let beams = prepared(&any(rows, columns));
        for (is_paired, least) in [(false, alone), (true, paired)] {
            assert_eq!(beams.kind(least, is_paired), Kind::Whole);
            assert_eq!(beams.kind(least - 1, is_paired), Kind::Staged);
        }
        assert!(beams.pair_width().is_some_and(|width| width <= paired));
    }
    let small = prepared(&any(5, 5));
    assert_eq!(small.kind(small.narrowest(), false), Kind::Whole);
    let large = prepared(&any(12, 12));
    assert_eq!(large.kind(1 << 20, true), Kind::Staged);
    assert_eq!(large.pair_width(), None);
}

#[test]
fn what_a_beam_may_hold_and_take_is_told_of_its_kind() {
    let problem = any(9, 8);
    let beams = prepared(&problem);
    let by_stages = staged(&problem, &Arc::new(Tables::new()));
    let (shape, width) = (problem.shape(), 300);
    let scale = |kind| Scale::new(kind, width);
    assert_eq!(beams.bytes(scale(Kind::Whole)), beam::bytes(shape, width));
    assert_eq!(
        beams.bytes(scale(Kind::Staged)),
        staged_beam::bytes(shape, width, u32::MAX)
    );
    let of_stages = (
        by_stages.layers(scale(Kind::Staged)),
        by_stages.cost(scale(Kind::Staged)),
    );
    let narrow = (
        beams.layers(scale(Kind::Staged)),
        beams.cost(scale(Kind::Staged)),
    );
    assert_eq!(narrow, of_stages);
    assert!(beams.layers(scale(Kind::Whole)) < narrow.0);
    assert!(beams.cost(scale(Kind::Whole)) < narrow.1);
    for kind in [Kind::Whole, Kind::Staged] {
        assert!(beams.beam(scale(kind), width, 1).is_some());
    }
}

#[test]
fn large_boards_and_those_that_nothing_ranks_whole_are_staged() {
    for (rows, columns, staged) in [
        (4, 4, false),
        (5, 5, false),
        (8, 8, false),
        (5, 9, false),
        (10, 4, false),
        (2, 20, false),
        (2, 21, true),
        (5, 10, true),
        (7, 9, true),
        (8, 9, true),
        (12, 12, true),
        (16, 16, true),
    ] {
        assert_eq!(are_staged(shape(rows, columns)), staged, "{rows}×{columns}");
    }
}

#[test]
fn where_there_is_more_time_than_any_beam_takes_memory_decides() {
    let beams = staged(&any(5, 5), &Arc::new(Tables::new()));
    let mut search = Widening::new(beams);
    let budget = Budget {
        memory: 1 << 20,
        time: Some(Duration::MAX),
        ..Budget::nodes(1)
    };
    while search.progress().generated == 0 {
        assert_eq!(search.advance(budget), Step::Working);
    }
    assert!(search.progress().reserved() <= budget.memory);
}
