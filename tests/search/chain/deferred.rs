//! Beams that were given up for lack of time or memory begin again when there is more.

use std::time::Duration;

use loyd::puzzle::Dice;
use loyd::search::chain::Chain;
use loyd::search::constructive::Variant;
use loyd::search::plan::{Algorithm, Method, Objective, Stage};
use loyd::search::{Budget, Search, Step, Stop};

use super::{Played, planned};
use crate::support::{random_problem, shape};

#[test]
fn beams_that_were_too_late_for_one_asker_begin_again_for_another() {
    const SHORT: Duration = Duration::from_millis(2);
    const LONG: Duration = Duration::from_millis(250);
    let mut played = Played::new(8);
    // Once the first asker's time is up, the proof gets all the nodes.
    played.play(u64::MAX, 10 * SHORT, SHORT);
    assert_eq!(played.chain.name(), "ida_star", "beams would be too late");
    let at_first = played.found_by_beams();
    // The proof goes on beside the beams, as usual, and has the last moments, in which no beam would end.
    let proof = |chain: &Chain| -> u64 { chain.iterations().iter().map(|it| it.generated).sum() };
    let (all, proven) = (played.chain.progress().generated, proof(&played.chain));
    played.play(u64::MAX, LONG, LONG);
    assert!(played.found_by_beams() > at_first, "{:?}", played.found);
    let all = played.chain.progress().generated - all;
    let proven = proof(&played.chain) - proven;
    assert!(proven > all / 320 && proven < all / 32, "{proven} of {all}");
}

#[test]
fn beams_alone_that_were_too_late_for_one_asker_begin_again_for_another() {
    let problem = random_problem(shape(8, 8), 63, &mut Dice::new(5));
    for algorithm in [Algorithm::Beam, Algorithm::StagedBeam] {
        let method = Method {
            algorithm: Some(algorithm),
            ..Method::default()
        };
        let mut chain = planned(&problem, Objective::Best, method);
        let mut play = |time, asker| {
            let budget = Budget {
                time: Some(time),
                asker,
                ..Budget::nodes(256)
            };
            let mut by = Vec::new();
            for _ in 0..100_000 {
                match chain.advance(budget) {
                    Step::Working => {}
                    Step::Found(answer) => by.push(answer.by),
                    Step::Done(stop) => return (by, Some(stop)),
                }
                if by.len() > 1 {
                    break;
                }
            }
            (by, None)
        };
        let first = vec![Stage::Constructive(Variant::Best)];
        let hasty = play(Duration::from_micros(1), 1);
        assert_eq!(hasty, (first, Some(Stop::Time)));
        // Nothing changes for that one, nor for another with as little time.
        for asker in [1, 2] {
            let again = play(Duration::from_micros(1), asker);
            assert_eq!(again, (vec![], Some(Stop::Time)));
        }
        let (by, end) = play(Duration::from_millis(300), 3);
        assert!(!by.is_empty(), "{algorithm}");
        assert_eq!(end, None);
    }
}

#[test]
fn beams_without_memory_begin_again_when_there_is_some() {
    let given = Duration::from_millis(100);
    let mut played = Played::new(8);
    played.play(1 << 10, given / 3, given);
    assert_eq!(played.found_by_beams(), 0);
    // Meanwhile the proof gets the nodes.
    let (turns, idle) = (played.turns, played.idle);
    assert!(idle < turns / 4, "{idle} of {turns}");
    played.play(16 << 20, given, given);
    assert!(played.found_by_beams() > 0, "{:?}", played.found);
    assert!(played.chain.progress().memory <= 16 << 20);
}
