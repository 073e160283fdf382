//! Solutions of beams, shortened window by window.

use std::sync::Arc;
use std::time::Duration;

use loyd::puzzle::{Dice, Problem, Solution};
use loyd::search::anytime::beams::staged;
use loyd::search::anytime::widening::{Beams, Kind, Scale};
use loyd::search::beam::Pass;
use loyd::search::tables::Tables;
use loyd::search::{Budget, Step, Stop};

use crate::support::{random_problem, shape};

const WIDTH: usize = 60;

fn any(rows: usize, columns: usize, home: usize) -> Problem {
    random_problem(shape(rows, columns), home, &mut Dice::new(11))
}

fn prepared(problem: &Problem) -> Box<dyn Beams> {
    let beams = staged(problem, &Arc::new(Tables::new()));
    while !beams.prepare(1 << 16) {}
    beams
}

fn beam(beams: &dyn Beams, width: usize) -> Box<dyn Pass> {
    let kind = Kind::Staged;
    beams.beam(Scale::new(kind, width), width, 1).unwrap()
}

/// The next solution, by budgets like this one, or the end.
fn next(beam: &mut dyn Pass, budget: Budget) -> Result<Solution, Stop> {
    loop {
        match beam.advance(budget) {
            Step::Working => {}
            Step::Found(solution) => return Ok(solution),
            Step::Done(stop) => return Err(stop),
        }
    }
}

#[test]
fn the_solution_of_a_wide_beam_is_followed_by_a_shorter_one() {
    // Wherever the blank belongs, and on boards of few rows or columns.
    for (rows, columns, home) in [
        (13, 13, 168),
        (16, 12, 70),
        (20, 20, 399),
        (30, 6, 179),
        (3, 50, 0),
        (2, 80, 159),
    ] {
        let problem = any(rows, columns, home);
        let beams = prepared(&problem);
        let mut first = beam(&*beams, WIDTH);
        let own = next(&mut *first, Budget::nodes(1000)).unwrap();
        let shorter = next(&mut *first, Budget::nodes(1000)).unwrap();
        assert!(shorter.len() < own.len(), "{rows}×{columns}");
        assert_eq!(
            next(&mut *first, Budget::nodes(1000)),
            Err(Stop::FirstFound)
        );
        // However it is advanced.
        let mut again = beam(&*beams, WIDTH);
        assert_eq!(next(&mut *again, Budget::nodes(77)), Ok(own));
        assert_eq!(next(&mut *again, Budget::nodes(77)), Ok(shorter));
    }
}

#[test]
fn narrow_beams_and_beams_on_smaller_boards_find_one_solution() {
    for (rows, columns, width) in [(13, 13, WIDTH - 1), (12, 12, WIDTH)] {
        let problem = any(rows, columns, rows * columns - 1);
        let mut beam = beam(&*prepared(&problem), width);
        assert!(next(&mut *beam, Budget::nodes(1000)).is_ok());
        assert_eq!(next(&mut *beam, Budget::nodes(1000)), Err(Stop::FirstFound));
    }
}

#[test]
fn when_time_is_short_it_ends_at_once_with_what_has_become_shorter() {
    let problem = any(20, 20, 399);
    let mut beam = beam(&*prepared(&problem), WIDTH);
    let own = next(&mut *beam, Budget::nodes(1000)).unwrap();
    let before = beam.progress().expanded;
    // About half of what the windows take in all.
    while beam.progress().expanded < before + 4 * own.len() as u64 {
        assert_eq!(beam.advance(Budget::nodes(100)), Step::Working);
    }
    let worked = beam.progress().expanded;
    let short = Budget {
        time: Some(Duration::from_micros(1)),
        ..Budget::nodes(100)
    };
    let mut turns = 0;
    let shorter = loop {
        turns += 1;
        match beam.advance(short) {
            Step::Working => {}
            Step::Found(solution) => break solution,
            Step::Done(stop) => panic!("{stop:?}"),
        }
    };
    assert!(shorter.len() < own.len());
    assert_eq!(beam.progress().expanded, worked);
    // A turn of a hundred nodes replays 1,600 moves.
    assert!(turns <= own.len() / 1600 + 2, "{turns}");
}

#[test]
fn what_remains_shrinks_from_window_to_window_and_counts_twice_where_they_overlap() {
    let problem = any(16, 16, 255);
    let mut beam = beam(&*prepared(&problem), WIDTH);
    let own = next(&mut *beam, Budget::nodes(1000)).unwrap();
    let all = own.len() as u32;
    beam.set_width(8);
    let once = beam.rest(1);
    assert!((all..all + 10).contains(&once), "{once} of {all}");
    beam.set_width(WIDTH);
    let twice = beam.rest(1);
    assert!((2 * all..2 * all + 10).contains(&twice), "{twice} of {all}");
    let before = beam.progress().expanded;
    let mut rest = twice;
    while let Step::Working = beam.advance(Budget::nodes(1000)) {
        assert!(beam.rest(1) <= rest);
        rest = beam.rest(1);
    }
    assert!(rest < 400, "{rest}");
    let expanded = beam.progress().expanded - before;
    assert!(expanded > u64::from(all) * WIDTH as u64 / 4, "{expanded}");
}

#[test]
fn it_holds_no_more_than_was_asked_for() {
    let problem = any(16, 16, 255);
    let beams = prepared(&problem);
    let (kind, width) = (Kind::Staged, WIDTH);
    let bytes = beams.bytes(Scale::new(kind, width));
    let mut beam = beam(&*beams, WIDTH);
    let mut peak = 0;
    let stop = loop {
        match beam.advance(Budget::nodes(1000)) {
            Step::Done(stop) => break stop,
            _ => peak = peak.max(beam.progress().memory),
        }
    };
    assert_eq!(stop, Stop::FirstFound);
    assert!(peak <= bytes, "{peak} of {bytes}");
    assert!(beam.progress().peak_memory <= bytes);
}

#[test]
fn the_beam_is_freed_before_its_solution_is_shortened_and_nothing_is_left_in_the_end() {
    let problem = any(20, 20, 399);
    let mut beam = beam(&*prepared(&problem), WIDTH);
    next(&mut *beam, Budget::nodes(1000)).unwrap();
    let held = beam.progress().memory;
    let is_freed = (0..100).any(|_| {
        assert_eq!(beam.advance(Budget::nodes(1000)), Step::Working);
        beam.progress().memory < held / 2
    });
    assert!(is_freed, "{held}");
    while next(&mut *beam, Budget::nodes(1000)).is_ok() {}
    assert_eq!(beam.progress().memory, 0);
}
