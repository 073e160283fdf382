//! Wider and wider beams, played on a clock that advances only with the nodes.

mod askers;
mod fakes;
mod memory;
mod preparation;
mod side_beam;

use std::time::Duration;

use loyd::search::anytime::widening::{Kind, Widening};
use loyd::search::{Budget, Search, Step, Stop};

use fakes::{Fakes, Made};

pub(crate) const A_NODE: Duration = Duration::from_nanos(200);

/// The fraction of the time that so many nodes take.
pub(crate) fn share(nodes: u64, given: Duration) -> f64 {
    (A_NODE * nodes as u32).div_duration_f64(given)
}

struct Played {
    /// When each solution came, and its length.
    found: Vec<(Duration, usize)>,
    peak_memory: u64,
    stop: Option<Stop>,
}

/// Plays a search for so long, 256 nodes at a time.
fn play(beams: &Fakes, given: Option<Duration>, memory: u64) -> Played {
    let mut search = Widening::new(Box::new(beams.clone()));
    let mut now = Duration::ZERO;
    let mut played = Played {
        found: Vec::new(),
        peak_memory: 0,
        stop: None,
    };
    while now < given.unwrap_or(Duration::from_secs(60)) {
        let before = beams.spent();
        let step = search.advance(Budget {
            memory,
            time: given.map(|given| given - now),
            ..Budget::nodes(256)
        });
        now += A_NODE * (beams.spent() - before) as u32 + Duration::from_nanos(100);
        played.peak_memory = played.peak_memory.max(search.progress().reserved());
        match step {
            Step::Working => {}
            Step::Found(solution) => played.found.push((now, solution.len())),
            Step::Done(stop) => {
                played.stop = Some(stop);
                break;
            }
        }
    }
    played
}

#[test]
fn the_first_beam_is_planned_for_this_machine() {
    let most = |slowness| {
        let beams = Fakes::new(301);
        let mut search = Widening::new(Box::new(beams.clone())).at_slowness(slowness);
        while beams.made().is_empty() {
            let budget = Budget::nodes(256);
            let time = Some(Duration::from_millis(100));
            assert_eq!(search.advance(Budget { time, ..budget }), Step::Working);
        }
        beams.made()[0].most as f64
    };
    let usual = most(1.0);
    assert!((1.2..1.4).contains(&(usual / most(1.3))));
    assert!((1.2..1.4).contains(&(most(1.0 / 1.3) / usual)));
    // However long the first solution took, the beam can become as wide as planned without it.
    assert!(most(100.0) >= 0.9 * usual / 1.5 && most(0.0) <= 1.1 * usual * 1.5);
}

#[test]
fn the_last_beam_ends_in_time_and_takes_most_of_it() {
    for error in [0.9, 1.0, 1.3] {
        for milliseconds in [30, 100, 1_000, 5_000] {
            let given = Duration::from_millis(milliseconds);
            let beams = Fakes {
                error,
                ..Fakes::new(301)
            };
            let played = play(&beams, Some(given), u64::MAX);
            // When there is no time left for another beam, the search ends.
            assert!(matches!(played.stop, None | Some(Stop::Time)));
            // The two widest beams had three quarters of the time, of a long time nine tenths.
            let mut nodes: Vec<u64> = beams.made().iter().map(|made| made.nodes).collect();
            nodes.sort_by(|a, b| b.cmp(a));
            let widest: u64 = nodes.iter().take(2).sum();
            assert!(
                share(widest, given) > if milliseconds < 1_000 { 0.75 } else { 0.9 },
                "{milliseconds} ms, {error}: {:?}",
                beams.made()
            );
            let (first, _) = played.found[0];
            assert!(first < given.mul_f64(0.2), "{first:?} of {given:?}");
        }
    }
}

#[test]
fn a_beam_is_as_wide_as_its_time_allows_though_boards_are_written_at_the_end_of_a_layer() {
    for seconds in [1, 5] {
        let given = Duration::from_secs(seconds);
        let beams = Fakes {
            pair_width: None,
            writing: 0.4,
            ..Fakes::new(301)
        };
        play(&beams, Some(given), u64::MAX);
        let spent = beams.made().iter().map(|made| made.spent).max();
        let spent = share(spent.unwrap(), given);
        assert!(spent > 0.87, "{spent} of {seconds} s: {:?}", beams.made());
    }
}

#[test]
fn two_beams_share_the_time_where_they_are_not_too_narrow() {
    // Too little time for a narrow one before them.
    let given = Duration::from_millis(20);
    let shares = |pair_width| {
        let beams = Fakes {
            pair_width,
            ..Fakes::new(301)
        };
        play(&beams, Some(given), u64::MAX);
        let share = |made: &Made| share(made.nodes, given);
        beams.made().iter().map(share).collect::<Vec<_>>()
    };
    for alone in [None, Some(1_000)] {
        assert!(shares(alone)[0] > 0.8, "{:?}", shares(alone));
    }
    let shared = shares(Some(0));
    assert!((0.4..0.7).contains(&shared[0]), "{shared:?}");
    assert!(shared[1] > 0.25, "{shared:?}");
}

#[test]
fn what_is_narrow_goes_in_stages_and_so_does_the_next_one_when_one_of_two_found_nothing() {
    // Wide enough for two whole-board beams, and too narrow for one alone.
    let given = Duration::from_millis(50);
    let kinds = |whole, is_lucky| {
        let beams = Fakes {
            pair_width: Some(whole),
            whole: [usize::MAX, whole],
            is_lucky,
            ..Fakes::new(301)
        };
        play(&beams, Some(given), u64::MAX);
        let kind = |made: &Made| made.kind;
        beams.made().iter().map(kind).collect::<Vec<_>>()
    };
    assert_eq!(kinds(150, |_| true)[..2], [Kind::Whole; 2]);
    assert_eq!(kinds(150, |_| false)[..2], [Kind::Whole, Kind::Staged]);
    assert_eq!(kinds(5_000, |_| true)[0], Kind::Staged);
}

#[test]
fn a_kind_of_beams_ends_once_one_kept_all_boards_and_the_other_kind_goes_on() {
    let beams = Fakes {
        boards: 100,
        whole: [500; 2],
        ..Fakes::new(301)
    };
    let played = play(&beams, None, u64::MAX);
    assert_eq!(played.stop, Some(Stop::Exhausted));
    let kinds: Vec<_> = beams.made().iter().map(|made| made.kind).collect();
    assert_eq!(kinds, [Kind::Staged, Kind::Whole]);
}

#[test]
fn what_each_beam_finds_is_passed_on() {
    let beams = Fakes::new(301);
    let played = play(&beams, Some(Duration::from_secs(2)), u64::MAX);
    // Also if it has no fewer slides: it may have fewer pushes. The last beam may be too late.
    let made = beams.made().len();
    assert!(made > 2 && (made - 1..=made).contains(&played.found.len()));
}

#[test]
fn solutions_are_looked_for_that_are_little_longer_than_the_best_at_most() {
    let beams = Fakes::new(301);
    let played = play(&beams, Some(Duration::from_secs(2)), u64::MAX);
    let most: Vec<u32> = beams.made().iter().map(|made| made.most_moves).collect();
    let first = played.found[0].1 as u32;
    assert_eq!(most[..2], [u32::MAX, first + first / 8]);
    assert!(most.is_sorted_by(|a, b| a >= b), "{most:?}");

    let beams = Fakes::new(301);
    let mut search = Widening::new(Box::new(beams.clone())).to_improve_on(400);
    while beams.made().is_empty() {
        search.advance(Budget::nodes(1000));
    }
    assert_eq!(beams.made()[0].most_moves, 450);
}

#[test]
fn a_beam_may_find_a_shorter_one_after_its_first() {
    let given = Some(Duration::from_secs(2));
    let once = play(&Fakes::new(301), given, u64::MAX).found;
    let beams = Fakes {
        shortens: true,
        ..Fakes::new(301)
    };
    let twice = play(&beams, given, u64::MAX).found;
    let spent: Vec<u64> = beams.made().iter().map(|made| made.spent).collect();
    assert_eq!(twice[0].1, once[0].1);
    assert_eq!(twice[1].1, once[0].1 - 2);
    // It took 2,560 nodes, and the next beam came after that.
    let took = twice[1].0 - twice[0].0;
    assert!((A_NODE * 2560..A_NODE * 3072).contains(&took), "{took:?}");
    assert!(twice[1].0 >= A_NODE * spent[0] as u32);
    assert!(twice.len() > 2);
}

#[test]
fn no_beam_may_become_wider_than_there_are_boards() {
    let mut beams = Fakes::new(301);
    beams.widest = 100;
    let played = play(&beams, Some(Duration::from_millis(100)), u64::MAX);
    assert_eq!(played.stop, Some(Stop::Exhausted));
    let widths: Vec<usize> = beams.made().iter().map(|made| made.most).collect();
    assert_eq!(widths.iter().max(), Some(&100), "{widths:?}");
}

#[test]
fn beams_that_find_nothing_are_followed_by_wider_ones() {
    let beams = Fakes {
        is_lucky: |seed| seed >= 3,
        ..Fakes::new(101)
    };
    let played = play(&beams, None, 1 << 30);
    assert_eq!(beams.made()[3].most, 128 * 64);
    assert!(!played.found.is_empty());
}
