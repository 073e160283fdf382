//! When the tables of beams are worked on.

use std::time::Duration;

use loyd::search::anytime::widening::Kind;

use super::fakes::{A_TURN, Fakes};
use super::{play, share};

#[test]
fn wide_beams_wait_for_their_tables_for_half_of_the_time() {
    let given = Duration::from_millis(100);
    for (preparation, kind) in [(800, Kind::Whole), (u64::MAX, Kind::Staged)] {
        let beams = Fakes {
            preparation,
            ..Fakes::new(301)
        };
        let played = play(&beams, Some(given), u64::MAX);
        let made = beams.made();
        assert_eq!((made[0].kind, made[1].kind), (Kind::Staged, kind));
        let part = share(beams.prepared() * A_TURN, given);
        assert!((0.35..0.55).contains(&part), "{part}");
        // The rest is used by the two beams that share it.
        assert!(played.found.len() > 1);
        for made in &made[1..3] {
            let part = share(made.nodes, given);
            assert!(part > 0.15, "{part}: {made:?}");
        }
    }
}

#[test]
fn tables_without_which_beams_are_a_little_worse_take_a_tenth_of_what_the_others_leave() {
    let given = Duration::from_millis(100);
    let part = |preparation, refinement| {
        let beams = Fakes {
            preparation,
            refinement,
            ..Fakes::new(301)
        };
        play(&beams, Some(given), u64::MAX);
        share(beams.refined() * A_TURN, given)
    };
    let tenth = part(0, u64::MAX);
    assert!((0.08..0.11).contains(&tenth), "{tenth}");
    let less = part(0, 40);
    assert!((0.015..0.03).contains(&less), "{less}");
    // Half of the time was not enough for those that are needed.
    assert!(part(u64::MAX, u64::MAX) == 0.0);
    // Without a deadline they are made before the second beam.
    let beams = Fakes {
        refinement: 1_000,
        widest: 10_000,
        ..Fakes::new(301)
    };
    play(&beams, None, u64::MAX);
    assert_eq!(beams.refined(), 1_000);
}
