//! The memory that beams are granted, and that they free.

use std::time::Duration;

use loyd::search::anytime::widening::{Beams, Kind, Scale, Widening};
use loyd::search::{Budget, Search, Step, Stop};

use super::fakes::Fakes;
use super::{A_NODE, play};

#[test]
fn without_a_time_to_keep_beams_grow_until_the_memory_is_too_small() {
    let beams = Fakes::new(101);
    let played = play(&beams, None, 10_000_000);
    assert_eq!(played.stop, Some(Stop::Memory));
    assert!(played.peak_memory <= 10_000_000);
    let widths: Vec<usize> = beams.made().iter().map(|made| made.most).collect();
    assert_eq!(widths, [128, 512, 2_048, 8_192, 32_768, 100_000]);
}

#[test]
fn too_little_memory_for_any_beam_ends_the_search() {
    let played = play(&Fakes::new(101), Some(Duration::from_secs(1)), 1_000);
    assert_eq!(played.stop, Some(Stop::Memory));
    assert!(played.found.is_empty());
}

#[test]
fn a_beam_that_memory_makes_too_narrow_goes_in_stages() {
    let beams = Fakes {
        pair_width: None,
        whole: [500; 2],
        ..Fakes::new(301)
    };
    play(&beams, Some(Duration::from_secs(1)), 40_000);
    assert!(beams.made().iter().all(|made| made.kind == Kind::Staged));
    play(&beams, Some(Duration::from_secs(1)), u64::MAX);
    assert!(beams.made().iter().any(|made| made.kind == Kind::Whole));
}

#[test]
fn a_beam_that_may_become_wider_than_planned_has_the_memory_for_it() {
    for memory in (10_000..400_000).step_by(10_000) {
        let played = play(&Fakes::new(301), Some(Duration::from_millis(20)), memory);
        assert!(played.peak_memory <= memory, "{}", played.peak_memory);
        assert!(!played.found.is_empty());
    }
}

#[test]
fn memory_is_asked_for_before_it_is_taken() {
    // Grants grow with what is held, like a job's.
    let beams = Fakes::new(101);
    let mut search = Widening::new(Box::new(beams.clone()));
    let mut steps = 0;
    while search.progress().expanded < 3_000_000 {
        let held = search.progress().reserved();
        let memory = 4 * held + 20_000;
        search.advance(Budget {
            memory,
            ..Budget::nodes(1_000)
        });
        let progress = search.progress();
        assert!(progress.reserved() <= memory);
        // What is claimed is not held yet.
        let made = beams.made().iter().map(|made| made.most).max();
        let most = made.map_or(0, |most| beams.bytes(Scale::new(Kind::Whole, most)));
        assert!(progress.peak_memory <= most);
        steps += 1;
        assert!(steps < 10_000, "it waits for what it does not need");
    }
}

#[test]
fn memory_is_set_aside_for_all_that_a_beam_may_come_to_hold() {
    let beams = Fakes {
        path: 5,
        ..Fakes::new(301)
    };
    for time in [None, Some(Duration::from_secs(10))] {
        let mut search = Widening::new(Box::new(beams.clone()));
        while search.progress().expanded < 3_000_000 {
            search.advance(Budget {
                memory: u64::MAX,
                time,
                ..Budget::nodes(1_000)
            });
            if search.progress().memory > 0 {
                let made = beams.made()[beams.made().len() - 1];
                let most = Scale {
                    kind: made.kind,
                    width: made.most,
                    most_moves: made.most_moves,
                };
                assert!(search.progress().reserved() >= beams.bytes(most));
            }
        }
    }
}

#[test]
fn beams_of_several_searches_never_hold_more_than_there_is_for_all() {
    let beams = Fakes {
        path: 5,
        ..Fakes::new(301)
    };
    let given = Duration::from_millis(100);
    for total in [300_000, 600_000, 1_000_000, u64::MAX] {
        let mut searches: Vec<_> = (0..6)
            .map(|_| Widening::new(Box::new(beams.clone())))
            .collect();
        let mut now = Duration::ZERO;
        let mut found = [false; 6];
        let mut most = 0;
        // Beams go on for a moment when their time is up.
        while now < given + A_NODE * 10_000 {
            for turn in 0..searches.len() {
                let others = searches
                    .iter()
                    .enumerate()
                    .filter(|&(other, _)| other != turn);
                let others: u64 = others.map(|(_, search)| search.progress().reserved()).sum();
                let step = searches[turn].advance(Budget {
                    memory: total.saturating_sub(others),
                    time: given.checked_sub(now),
                    ..Budget::nodes(256)
                });
                found[turn] |= matches!(step, Step::Found(_));
                now += A_NODE * 256;
                let reserved = searches.iter().map(|search| search.progress().reserved());
                let reserved: u64 = reserved.sum();
                assert!(reserved <= total, "{reserved} of {total}");
                most = most.max(reserved);
            }
        }
        assert!(found.contains(&true));
        // The memory is what they lack, where there is little.
        assert!(total == u64::MAX || most > total / 2, "{most} of {total}");
        assert!(total < u64::MAX || found == [true; 6]);
    }
}

#[test]
fn a_beam_is_freed_turn_by_turn_before_the_next_one_begins() {
    let beams = Fakes {
        freeing: 7,
        ..Fakes::new(60)
    };
    let mut search = Widening::new(Box::new(beams.clone()));
    let mut turns = 0;
    while beams.made().len() < 3 {
        let budget = Budget {
            memory: 1_000_000,
            ..Budget::nodes(256)
        };
        let (made, spent) = (beams.made().len(), beams.spent());
        search.advance(budget);
        let is_idle = spent == beams.spent() && made == beams.made().len();
        if is_idle && search.progress().memory > 0 {
            turns += 1;
        }
        assert!(search.progress().reserved() <= budget.memory);
    }
    assert!((2 * 7..=2 * 10).contains(&turns), "{turns}");
    // What is at work when nobody wants it any more is freed turn by turn, too.
    let counted = search.progress();
    let turns = (0..100).take_while(|_| !search.shed(256)).count();
    assert_eq!(turns, 7);
    let after = search.progress();
    assert_eq!((after.expanded, after.memory), (counted.expanded, 0));
}
