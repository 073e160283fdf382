//! One search for several askers, by whose time it goes in turn.

use std::time::Duration;

use loyd::search::anytime::widening::Widening;
use loyd::search::{Budget, Search, Step};

use super::fakes::{Fakes, Made};
use super::{A_NODE, share};

/// A search on a clock of its own, advanced for one asker after another.
struct Shared {
    beams: Fakes,
    search: Widening,
    now: Duration,
    askers: u32,
}

impl Shared {
    fn new() -> Self {
        let beams = Fakes {
            pair_width: None,
            ..Fakes::new(301)
        };
        let search = Widening::new(Box::new(beams.clone()));
        let now = Duration::ZERO;
        Self {
            beams,
            search,
            now,
            askers: 0,
        }
    }

    /// Goes by the time of one more asker until that is over or the beams made are what is awaited. Returns
    /// the nodes of each.
    fn play(&mut self, given: Duration, is_awaited: impl Fn(&[Made]) -> bool) -> Vec<u64> {
        self.askers += 1;
        let due = self.now + given;
        while self.now < due && !is_awaited(&self.beams.made()) {
            let before = self.beams.spent();
            let step = self.search.advance(Budget {
                time: Some(due - self.now),
                asker: self.askers,
                ..Budget::nodes(256)
            });
            if let Step::Done(_) = step {
                break;
            }
            let spent = (self.beams.spent() - before) as u32;
            self.now += A_NODE * spent + Duration::from_nanos(100);
        }
        self.beams.made().iter().map(|made| made.nodes).collect()
    }
}

#[test]
fn an_asker_with_less_time_than_the_one_before_has_a_beam_for_that_time() {
    const LITTLE: Duration = Duration::from_millis(500);
    const MUCH: Duration = Duration::from_secs(5);
    let mut shared = Shared::new();
    let before = shared.play(MUCH, |made| made.len() == 2 && made[1].nodes > 1_000_000);
    let after = shared.play(LITTLE, |made| made.len() > 2);
    // It is as wide as the time that is left then allows, and in time.
    let spent = share(after[1] - before[1], LITTLE);
    assert!(after.len() > 2 && spent > 0.8, "{spent}: {after:?}");
    // What it takes is known as well as before.
    shared.play(MUCH, |_| false);
    let made = shared.beams.made();
    let widest = made[2..].iter().map(|made| made.most).max();
    assert!(widest > Some(made[1].most * 3 / 4), "{made:?}");
}

#[test]
fn an_asker_with_more_time_than_the_one_before_has_wider_beams() {
    const LITTLE: Duration = Duration::from_millis(50);
    const MUCH: Duration = Duration::from_secs(1);
    let mut shared = Shared::new();
    let before = shared.play(LITTLE, |made| made.len() == 2 && made[1].nodes > 10_000);
    let after = shared.play(MUCH, |_| false);
    let spent = share(after[2], MUCH);
    assert_eq!(before.len(), 2);
    assert!(spent > 0.7, "{spent}: {after:?}");
}
