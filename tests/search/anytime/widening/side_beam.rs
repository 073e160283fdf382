//! Beams beside a beam search, each on its own clock, which advances only with its nodes.

use std::sync::Arc;
use std::time::Duration;

use loyd::heuristic::HeuristicKind;
use loyd::puzzle::Metric;
use loyd::search::anytime::widening::Widening;
use loyd::search::chain::Chain;
use loyd::search::constructive::Variant;
use loyd::search::plan::{Objective, Ratio, Stage};
use loyd::search::tables::Tables;
use loyd::search::tables::guides::AnyGuide;
use loyd::search::{Budget, Part, Progress, Search, Step, Stop};

use super::fakes::Fakes;
use super::{A_NODE, share};
use crate::korf;
use crate::parts::weak;
use crate::support::shape;

const MEMORY: u64 = 1 << 40;

const GIVEN: Duration = Duration::from_millis(100);

/// A budget of one chunk with so much time left.
fn chunk(left: Duration) -> Budget {
    Budget {
        memory: MEMORY,
        time: Some(left),
        ..Budget::nodes(256)
    }
}

/// A search and the part that is out, each with its own time.
struct Helped {
    search: Widening,
    now: Duration,
    part: Option<(Box<dyn Part>, Duration)>,
    /// The solutions, and how many of them a part has found.
    found: Vec<usize>,
    brought: usize,
}

impl Helped {
    fn new(beams: &Fakes) -> Self {
        Self {
            search: Widening::new(Box::new(beams.clone())),
            now: Duration::ZERO,
            part: None,
            found: Vec::new(),
            brought: 0,
        }
    }

    /// Advances the search by a chunk.
    fn advance(&mut self) -> Step<()> {
        let before = self.search.progress().expanded;
        let step = self.search.advance(chunk(GIVEN.saturating_sub(self.now)));
        let spent = self.search.progress().expanded - before;
        self.now += A_NODE * spent as u32 + Duration::from_nanos(100);
        match step {
            Step::Working => Step::Working,
            Step::Done(stop) => Step::Done(stop),
            Step::Found(solution) => {
                self.found.push(solution.len());
                Step::Found(())
            }
        }
    }

    /// Advances it until it wants help, and hands out a part.
    fn hand_out(&mut self) {
        while !self.search.gains_by_help() {
            self.advance();
            assert!(self.now < GIVEN);
        }
        let part = self.search.split(MEMORY).expect("it gains by help");
        assert_eq!(part.progress(), Progress::default());
        self.part = Some((part, self.now));
    }

    /// Advances the part to the search's time, and gives it back when it is over.
    fn help(&mut self) {
        while let Some((part, now)) = self.part.as_mut().filter(|part| part.1 <= self.now) {
            let before = part.progress().expanded;
            let goes_on = part.advance(chunk(GIVEN.saturating_sub(*now)));
            let spent = part.progress().expanded - before;
            *now += A_NODE * spent as u32 + Duration::from_nanos(100);
            if !goes_on && let Some((part, _)) = self.part.take() {
                let before = self.found.len();
                self.search.join(part);
                self.advance();
                self.brought += self.found.len() - before;
            }
        }
    }

    /// Plays the search to the end of its time with all the help that it wants.
    fn play(&mut self) {
        while self.now < GIVEN {
            if self.part.is_none() && self.search.gains_by_help() {
                self.hand_out();
            }
            self.help();
            if self.search.waits() {
                self.now += Duration::from_micros(1);
            }
            if matches!(self.advance(), Step::Done(_)) {
                return;
            }
        }
    }
}

#[test]
fn both_have_all_of_the_time_and_begin_at_different_ends() {
    let beams = Fakes::new(301);
    let mut helped = Helped::new(&beams);
    helped.play();
    let made = beams.made();
    // The first beam measures how fast they are.
    assert!(share(made[0].nodes, GIVEN) < 0.1, "{made:?}");
    for beam in &made[1..3] {
        assert!(share(beam.nodes, GIVEN) > 0.75, "{made:?}");
    }
    assert_ne!(made[1].seed % 2, made[2].seed % 2);
    assert!(made.iter().map(|beam| beam.seed).is_sorted_by(|a, b| a < b));
    // Neither is too late.
    assert!(
        helped
            .part
            .is_none_or(|(part, _)| part.progress().expanded == 0)
    );
    assert!(helped.found.len() >= 2);
}

#[test]
fn what_was_found_beside_it_is_the_searchs() {
    let mut beams = Fakes::new(301);
    // The search's first beam has seed 0 and the one beside it seed 1; then comes seed 2.
    beams.is_lucky = |seed| seed == 1;
    let mut helped = Helped::new(&beams);
    helped.play();
    assert_eq!((helped.found.len(), helped.brought), (1, 1));
}

/// A search whose only solution comes from a part, and that part, which has its time to itself: it ends when
/// that is over, or once it has expanded `most` nodes. Returns the length of the solution and the nodes.
fn found_by_a_part(shortens: bool, most: u64) -> (usize, u64) {
    let mut beams = Fakes::new(301);
    beams.is_lucky = |seed| seed == 1;
    beams.shortens = shortens;
    let mut helped = Helped::new(&beams);
    helped.hand_out();
    let (mut part, now) = helped.part.take().expect("handed out");
    let mut left = GIVEN.saturating_sub(now);
    let mut nodes = 0;
    while nodes < most && part.advance(chunk(left)) {
        let spent = part.progress().expanded - nodes;
        nodes += spent;
        left = left.saturating_sub(A_NODE * spent as u32);
    }
    if nodes >= most {
        assert!(!part.advance(chunk(Duration::from_millis(1))));
    }
    helped.search.join(part);
    while helped.advance() == Step::Found(()) {}
    let shortest = helped.found.iter().min();
    (*shortest.expect("found by the part"), nodes)
}

#[test]
fn a_beam_beside_it_may_shorten_its_own_solution_until_time_is_short() {
    let (own, nodes) = found_by_a_part(false, u64::MAX);
    let (shortened, more) = found_by_a_part(true, u64::MAX);
    assert_eq!(shortened, own - 2);
    assert_eq!(more, nodes + 2560);
    assert_eq!(found_by_a_part(true, nodes + 512), (own, nodes + 512));
}

#[test]
fn what_is_no_shorter_is_a_finding_as_it_may_have_fewer_pushes() {
    let beams = Fakes::new(301);
    let mut helped = Helped::new(&beams);
    helped.hand_out();
    // The search itself goes on until it has found a solution with a beam as wide.
    while helped.found.len() < 2 {
        helped.advance();
    }
    let (mut part, _) = helped.part.take().expect("handed out");
    // The part is wider than the first beam, but has less time than the search had.
    while part.advance(chunk(GIVEN / 4)) {}
    helped.search.join(part);
    assert_eq!(helped.advance(), Step::Found(()));
    assert!(helped.found[2] >= helped.found[1], "{:?}", helped.found);
}

#[test]
fn where_memory_is_short_each_of_two_beams_has_half_of_it() {
    // A node takes a hundred bytes.
    const WIDTH: usize = 200;
    let budget = |left| Budget {
        memory: 100 * WIDTH as u64,
        ..chunk(left)
    };
    let beams = Fakes::new(301);
    let mut search = Widening::new(Box::new(beams.clone()));
    while !search.gains_by_help() {
        search.advance(budget(GIVEN));
    }
    let mut part = search.split(100 * WIDTH as u64).expect("it gains by help");
    for _ in 0..10 {
        assert!(part.advance(budget(GIVEN)));
        assert_eq!(search.advance(budget(GIVEN)), Step::Working);
    }
    let widths: Vec<usize> = beams.made()[1..].iter().map(|made| made.most).collect();
    assert_eq!(widths, [WIDTH / 2, WIDTH / 2]);
}

#[test]
fn a_part_leaves_the_beam_at_work_what_that_may_come_to_hold() {
    let mut beams = Fakes::new(301);
    beams.spare = 10;
    let budget = Budget {
        memory: 40_000,
        ..chunk(GIVEN)
    };
    let mut search = Widening::new(Box::new(beams.clone()));
    while beams.made().len() < 2 || !search.gains_by_help() {
        search.advance(budget);
    }
    let most = beams.made()[1].most as u64 * 100;
    let held = search.progress().reserved();
    assert_eq!(held, most);
    let told = search.part_memory();
    // The narrowest beam takes 4,800 bytes.
    assert!(search.split(most + 4_799).is_none());
    let part = search.split(2 * most).expect("it gains by help");
    assert_eq!(search.progress().reserved(), 2 * most);
    // With as much as it asks for, it is granted all of it.
    search.join(part);
    assert!(search.split(u64::MAX).is_some());
    assert_eq!(told, search.progress().reserved() - held);
}

#[test]
fn no_part_is_as_wide_as_no_beam_can_be() {
    let mut beams = Fakes::new(301);
    beams.widest = 100;
    let mut helped = Helped::new(&beams);
    helped.hand_out();
    assert_eq!(helped.search.progress().claimed, 100 * 100);
}

#[test]
fn close_to_the_end_no_part_is_worth_the_trouble() {
    let beams = Fakes::new(61);
    let mut search = Widening::new(Box::new(beams.clone()));
    let mut left = Duration::from_millis(8);
    let mut gains = Vec::new();
    while left > Duration::from_millis(1) {
        let before = beams.spent();
        search.advance(chunk(left));
        if search.gains_by_help() {
            gains.push(left);
        }
        let spent = A_NODE * (beams.spent() - before) as u32;
        left = left.saturating_sub(spent + Duration::from_nanos(100));
    }
    let least = gains.last().expect("it gains at first");
    assert!((5..6).contains(&least.as_millis()), "{gains:?}");
}

/// A search in whose memory two beams of width 100 fit, and a part of it, while the search is at its fourth beam.
fn beside_a_part(beams: &Fakes) -> (Widening, Box<dyn Part>) {
    let budget = |memory| Budget {
        memory,
        ..chunk(GIVEN)
    };
    let mut search = Widening::new(Box::new(beams.clone()));
    while !search.gains_by_help() {
        search.advance(budget(5_000));
    }
    let part = search.split(20_000).expect("it gains by help");
    while beams.made().len() < 4 {
        search.advance(budget(20_000));
    }
    (search, part)
}

#[test]
fn a_beam_at_work_need_leave_no_time_for_another_once_a_part_is_out() {
    let beams = Fakes::new(301);
    let mut helped = Helped::new(&beams);
    // The second beam is one of two, planned for half of the time.
    while beams.made().len() < 2 {
        helped.advance();
    }
    helped.hand_out();
    helped.play();
    let made = beams.made();
    assert!(share(made[1].nodes, GIVEN) > 0.75, "{made:?}");
}

#[test]
fn a_beam_beside_it_that_has_found_nothing_goes_on_though_it_is_late() {
    let (_search, mut part) = beside_a_part(&Fakes::new(301));
    for left in [GIVEN, Duration::from_millis(1), Duration::from_micros(400)] {
        assert!(part.advance(chunk(left)));
        assert!(part.advance(chunk(left)));
    }
}

#[test]
fn each_of_several_beams_beside_a_part_begins_at_the_other_end() {
    let beams = Fakes::new(301);
    let (_search, mut part) = beside_a_part(&beams);
    assert!(part.advance(chunk(GIVEN)));
    assert!(part.advance(chunk(GIVEN)));
    let seeds: Vec<u64> = beams.made()[1..].iter().map(|made| made.seed).collect();
    let [own @ .., beside] = &seeds[..] else {
        panic!("there are beams");
    };
    assert_eq!(own.len(), 3);
    assert!(own.iter().all(|seed| seed % 2 != beside % 2), "{seeds:?}");
}

#[test]
fn a_beam_that_comes_back_undone_is_held_until_it_is_freed() {
    let (mut search, mut part) = beside_a_part(&Fakes::new(301));
    assert!(part.advance(chunk(GIVEN)));
    assert!(part.advance(chunk(GIVEN)));
    let [own, beside] = [search.progress().memory, part.progress().memory];
    assert_eq!([own, beside], [10_000; 2]);
    search.join(part);
    assert_eq!(search.progress().memory, own + beside);
}

#[test]
fn what_a_beam_and_one_beside_it_held_together_counts() {
    let (mut search, mut part) = beside_a_part(&Fakes::new(301));
    while part.advance(chunk(GIVEN)) {}
    let [own, beside] = [search.progress(), part.progress()];
    assert!(own.peak_memory < 20_000);
    assert_eq!([own.memory, beside.memory], [10_000, 0]);
    search.join(part);
    assert_eq!(search.progress().peak_memory, 20_000);
}

#[test]
fn each_node_is_counted_once() {
    let beams = Fakes::new(301);
    let mut helped = Helped::new(&beams);
    helped.play();
    if let Some((part, _)) = helped.part.take() {
        helped.search.join(part);
    }
    let nodes: u64 = beams.made().iter().map(|beam| beam.nodes).sum();
    let progress = helped.search.progress();
    assert_eq!((progress.expanded, progress.generated), (nodes, nodes));
}

#[test]
fn a_part_that_comes_back_undone_takes_nothing_along() {
    let beams = Fakes::new(301);
    let mut helped = Helped::new(&beams);
    helped.hand_out();
    assert!(!helped.search.gains_by_help(), "one at a time");
    assert!(helped.search.split(MEMORY).is_none());
    let (mut part, _) = helped.part.take().expect("handed out");
    for _ in 0..5 {
        assert!(part.advance(chunk(GIVEN - helped.now)));
    }
    let spent = part.progress().expanded;
    assert!(spent > 0);
    let before = helped.search.progress().expanded;
    helped.search.join(part);
    assert_eq!(helped.search.progress().expanded, before + spent);
    // Another part may be handed out, and everything goes on.
    helped.play();
    assert!(helped.found.len() >= 2);
}

#[test]
fn it_does_not_end_before_its_part_is_back() {
    let beams = Fakes::new(301);
    let mut helped = Helped::new(&beams);
    helped.hand_out();
    while !helped.search.waits() {
        assert_eq!(helped.search.advance(chunk(Duration::ZERO)), Step::Working);
    }
    let (part, _) = helped.part.take().expect("handed out");
    helped.search.join(part);
    assert!(!helped.search.waits());
    let over = helped.search.advance(chunk(Duration::ZERO));
    assert_eq!(over, Step::Done(Stop::Time));
}

#[test]
fn it_goes_on_for_another_asker_once_its_part_is_back() {
    let beams = Fakes::new(301);
    let mut helped = Helped::new(&beams);
    helped.hand_out();
    while !helped.search.waits() {
        helped.search.advance(chunk(Duration::ZERO));
    }
    let before = beams.made().len();
    let (part, _) = helped.part.take().expect("handed out");
    helped.search.join(part);
    let of_another = Budget {
        asker: 1,
        ..chunk(GIVEN)
    };
    for _ in 0..3 {
        assert_eq!(helped.search.advance(of_another), Step::Working);
    }
    assert_eq!(beams.made().len(), before + 1);
}

#[test]
fn a_part_holds_no_more_than_there_is() {
    let beams = Fakes::new(301);
    let mut helped = Helped::new(&beams);
    while !helped.search.gains_by_help() {
        helped.advance();
    }
    let held = helped.search.progress().reserved();
    // The narrowest beam takes 4,800 bytes, and the search's own next one as much.
    assert!(helped.search.split(held + 9_599).is_none());
    assert_eq!(helped.search.progress().reserved(), held);
    let mut part = helped.search.split(held + 40_000).expect("there is room");
    let now = helped.search.progress();
    assert_eq!(now.reserved(), held + 20_000);
    let mut most = 0;
    while part.advance(chunk(GIVEN / 2)) {
        most = most.max(part.progress().memory);
    }
    assert!((10_000..=20_000).contains(&most), "{most}");
    helped.search.join(part);
    let after = helped.search.progress();
    assert_eq!(after.reserved(), held);
    // What it held counts, not what it was granted.
    assert_eq!(after.peak_memory, now.peak_memory.max(now.memory + most));
}

#[test]
fn without_a_time_to_keep_nothing_is_handed_out() {
    let mut search = Widening::new(Box::new(Fakes::new(101)));
    for _ in 0..1_000 {
        search.advance(Budget::nodes(256));
        assert!(!search.gains_by_help());
        assert!(search.split(u64::MAX).is_none());
    }
}

#[test]
fn nothing_is_handed_out_where_two_are_no_better_than_one() {
    let mut beams = Fakes::new(301);
    beams.suit_two = false;
    let mut helped = Helped::new(&beams);
    while helped.now < GIVEN && !matches!(helped.advance(), Step::Done(_)) {
        assert!(!helped.search.gains_by_help());
        assert!(helped.search.split(MEMORY).is_none());
    }
    assert!(helped.found.len() >= 2);
}

#[test]
fn a_chain_hands_out_a_beam_first_and_then_a_part_of_the_proof() {
    let board = &korf::easiest_first()[12];
    let tables = Arc::new(Tables::new());
    let guide = weak(shape(4, 4), 15, 3);
    tables.guides().insert(AnyGuide::Small(guide));
    let proof = Stage::IdaStar(HeuristicKind::PatternDatabase);
    let mut chain = Chain::new(
        board.problem.clone(),
        Metric::SingleTile,
        Objective::Best,
        vec![Stage::Constructive(Variant::Best), Stage::Beam, proof],
        tables,
    );
    let mut best = usize::MAX;
    let mut parts: Vec<Box<dyn Part>> = Vec::new();
    let mut names = Vec::new();
    // The clock stands still: the beams have all the time they want.
    let stop = loop {
        let gains = chain.gains_by_help();
        if parts.len() < 2
            && let Some(part) = chain.split(MEMORY)
        {
            names.push(gains);
            parts.push(part);
        }
        // The newest first, so that they come back in any order.
        for number in (0..parts.len()).rev() {
            if !parts[number].advance(chunk(GIVEN)) || chain.waits() {
                chain.join(parts.swap_remove(number));
            }
        }
        match chain.advance(chunk(GIVEN)) {
            Step::Working => {}
            Step::Found(answer) => best = answer.length,
            Step::Done(stop) => break stop,
        }
    };
    assert_eq!((best, stop), (board.length, Stop::Proven));
    assert!(parts.is_empty(), "it waits for all");
    assert!(names.contains(&true) && names.contains(&false));
}

#[test]
fn help_goes_to_the_proof_where_that_gains_more() {
    let board = &korf::easiest_first()[40];
    let tables = Arc::new(Tables::new());
    let guide = weak(shape(4, 4), 15, 3);
    tables.guides().insert(AnyGuide::Small(guide));
    let proof = Stage::IdaStar(HeuristicKind::PatternDatabase);
    let exactly = Objective::Bounded(Ratio::ONE);
    for (objective, seconds, goes_to_beams) in [
        (Objective::Best, 1, true),
        (Objective::Best, 10, false),
        (exactly, 1, false),
    ] {
        let mut chain = Chain::new(
            board.problem.clone(),
            Metric::SingleTile,
            objective,
            vec![Stage::Constructive(Variant::Best), Stage::Beam, proof],
            Arc::clone(&tables),
        );
        let budget = Budget {
            memory: 16 << 20,
            ..chunk(Duration::from_secs(seconds))
        };
        let mut part = loop {
            assert!(!matches!(chain.advance(budget), Step::Done(_)));
            let gains = chain.gains_by_help();
            assert!(goes_to_beams || !gains, "{objective}: a proof has time");
            if (gains || !goes_to_beams)
                && let Some(part) = chain.split(32 << 20)
            {
                break part;
            }
        };
        while part.progress().generated == 0 {
            part.advance(budget);
        }
        // The memory of a part of the proof counts as its search's.
        let is_beam = part.progress().memory > 0;
        assert_eq!(is_beam, goes_to_beams, "{objective}");
        assert_eq!(part.is_of_an_iteration(), !is_beam, "{objective}");
    }
}
