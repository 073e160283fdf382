//! Wider and wider beams, played on a clock that advances only with the nodes.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use loyd::puzzle::{Direction, Problem, Solution};
use loyd::search::anytime::widening::{Beams, Kind, Scale, Widening};
use loyd::search::beam::Pass;
use loyd::search::{Budget, Progress, Search, Step, Stop};

use crate::support::problem;

/// One slide from the goal: moving to and fro before it makes solutions of any odd length.
fn one_off() -> Problem {
    problem(2, 2, &[1, 2, 0, 3])
}

fn solution(length: usize) -> Solution {
    let there_and_back = [Direction::Left, Direction::Right];
    let moves = there_and_back.into_iter().cycle().take(length);
    one_off().replay(moves.collect()).unwrap()
}

/// Beams of `layers` layers that each find a solution; the wider they are, the shorter it is.
#[derive(Clone)]
pub(crate) struct Fakes {
    pub(crate) layers: u32,
    made: Arc<Mutex<Vec<Made>>>,
    /// The factor by which the estimate of the rest is wrong.
    error: f64,
    /// Whether a beam of this seed finds anything.
    pub(crate) is_lucky: fn(u64) -> bool,
    /// The width from which two beams are as good as one.
    pair_width: Option<usize>,
    /// The widths from which whole-board beams are best, for one alone and for one of two. Narrower beams are
    /// staged, and take twice as many layers.
    whole: [usize; 2],
    pub(crate) suit_two: bool,
    /// Whether each beam goes on to shorten its solution, by two moves after 2,560 nodes.
    pub(crate) shortens: bool,
    /// How many boards there are. A beam that has expanded them all finds nothing.
    boards: u64,
    /// The fraction of a layer's time, at its end, in which nothing is expanded.
    writing: f64,
    /// How many turns of work the tables for whole boards need, and how many they have had.
    preparation: u64,
    prepared: Arc<AtomicU64>,
    /// The same for the tables without which beams are a little worse.
    refinement: u64,
    refined: Arc<AtomicU64>,
    /// How many turns it takes to free a beam.
    freeing: u64,
    /// How many times more a beam may come to hold than it does.
    pub(crate) spare: u64,
    /// The bytes of a node's path.
    path: u64,
    pub(crate) widest: usize,
}

/// The nodes that are worth one turn of work on the tables.
const A_TURN: u64 = 256;

/// A beam that was made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Made {
    pub(crate) seed: u64,
    pub(crate) kind: Kind,
    /// The width that it was made for.
    pub(crate) most: usize,
    /// The length of the longest solution that it looks for.
    most_moves: u32,
    /// The nodes that it has expanded.
    pub(crate) nodes: u64,
    /// The time that it took, in nodes.
    spent: u64,
}

impl Fakes {
    pub(crate) fn new(layers: u32) -> Self {
        Self {
            layers,
            made: Arc::default(),
            error: 1.0,
            is_lucky: |_| true,
            pair_width: Some(0),
            whole: [0; 2],
            suit_two: true,
            shortens: false,
            boards: u64::MAX,
            writing: 0.0,
            preparation: 0,
            prepared: Arc::default(),
            refinement: 0,
            refined: Arc::default(),
            freeing: 0,
            spare: 1,
            path: 0,
            widest: usize::MAX,
        }
    }

    /// How often the tables have been worked on.
    fn prepared(&self) -> u64 {
        self.prepared.load(Ordering::Relaxed)
    }

    /// How often the tables without which beams are a little worse have been worked on.
    fn refined(&self) -> u64 {
        self.refined.load(Ordering::Relaxed)
    }

    /// The time that all beams and their tables took, in nodes.
    pub(crate) fn spent(&self) -> u64 {
        let made = self.made.lock().unwrap();
        let by_beams: u64 = made.iter().map(|made| made.spent).sum();
        by_beams + (self.prepared() + self.refined()) * A_TURN
    }

    /// The beams made, the first one first.
    pub(crate) fn made(&self) -> Vec<Made> {
        self.made.lock().unwrap().clone()
    }
}

impl Beams for Fakes {
    fn prepare(&self, _nodes: u64) -> bool {
        let is_ready = self.prepared() >= self.preparation;
        if !is_ready {
            self.prepared.fetch_add(1, Ordering::Relaxed);
        }
        is_ready
    }

    fn refine(&self, _scale: Scale, _nodes: u64) -> bool {
        let is_ready = self.refined() >= self.refinement;
        if !is_ready {
            self.refined.fetch_add(1, Ordering::Relaxed);
        }
        is_ready
    }

    fn beam(&self, scale: Scale, most: usize, seed: u64) -> Option<Box<dyn Pass>> {
        let mut made = self.made.lock().unwrap();
        made.push(Made {
            seed,
            kind: scale.kind,
            most,
            most_moves: scale.most_moves,
            nodes: 0,
            spent: 0,
        });
        Some(Box::new(Fake {
            beams: self.clone(),
            number: made.len() - 1,
            most,
            width: scale.width,
            present: scale.width,
            depth: 0,
            in_layer: 0,
            expanded: 0,
            finds: (self.is_lucky)(seed),
            found: None,
            shortening: 0,
            freeing: 0,
        }))
    }

    fn pair_width(&self) -> Option<usize> {
        self.pair_width
    }

    fn suit_two(&self) -> bool {
        self.suit_two
    }

    fn narrowest(&self) -> usize {
        48
    }

    fn widest(&self) -> usize {
        self.widest
    }

    fn kind(&self, width: usize, is_paired: bool) -> Kind {
        let is_ready = self.prepared() >= self.preparation;
        if is_ready && width >= self.whole[usize::from(is_paired)] {
            Kind::Whole
        } else {
            Kind::Staged
        }
    }

    fn bytes(&self, scale: Scale) -> u64 {
        let paths = u64::from(self.layers.min(scale.most_moves)) * self.path;
        scale.width as u64 * (100 + paths)
    }

    fn layers(&self, scale: Scale) -> u32 {
        match scale.kind {
            Kind::Whole => self.layers,
            Kind::Staged => 2 * self.layers,
        }
    }

    fn cost(&self, _scale: Scale) -> f64 {
        // The true cost in these tests is 200: the search has to find out.
        50.0
    }
}

struct Fake {
    beams: Fakes,
    number: usize,
    most: usize,
    /// The width of the layers to come, and of the one being made.
    width: usize,
    present: usize,
    depth: u32,
    in_layer: u64,
    expanded: u64,
    finds: bool,
    /// The length of its solution, and the nodes spent on shortening that.
    found: Option<usize>,
    shortening: u64,
    /// The turns spent on freeing it.
    freeing: u64,
}

impl Fake {
    /// Shortens its solution, if it is to.
    fn shorten(&mut self, length: usize, budget: Budget) -> Step<Solution> {
        const ENOUGH: u64 = 2560;
        if !self.beams.shortens || self.shortening >= ENOUGH {
            return Step::Done(Stop::FirstFound);
        }
        self.shortening += budget.nodes;
        self.expanded += budget.nodes;
        self.beams.made.lock().unwrap()[self.number].spent += budget.nodes;
        if self.shortening < ENOUGH {
            Step::Working
        } else {
            Step::Found(solution(length - 2))
        }
    }
}

impl Pass for Fake {
    fn rest(&self, _expected: u32) -> u32 {
        ((f64::from(self.beams.layers - self.depth) * self.beams.error) as u32).max(1)
    }

    fn is_stuck(&self) -> bool {
        false
    }

    fn set_width(&mut self, width: usize) {
        self.width = width.min(self.most);
    }
}

impl Search for Fake {
    type Found = Solution;

    fn advance(&mut self, budget: Budget) -> Step<Solution> {
        if let Some(length) = self.found {
            return self.shorten(length, budget);
        }
        if self.in_layer < self.present as u64 {
            self.expanded = (self.expanded + budget.nodes).min(self.beams.boards);
        }
        self.in_layer += budget.nodes;
        {
            let made = &mut self.beams.made.lock().unwrap()[self.number];
            made.nodes = self.expanded;
            made.spent += budget.nodes;
        }
        if self.expanded == self.beams.boards {
            return Step::Done(Stop::Exhausted);
        }
        let layer = |nodes| (nodes as f64 / (1.0 - self.beams.writing)) as u64;
        while self.depth < self.beams.layers && self.in_layer >= layer(self.present) {
            self.in_layer -= layer(self.present);
            self.present = self.width;
            self.depth += 1;
        }
        if self.depth < self.beams.layers {
            return Step::Working;
        }
        let mean = self.expanded as f64 / f64::from(self.depth);
        if !self.finds {
            return Step::Done(Stop::Exhausted);
        }
        let shorter = 4 * (mean + 1.0).log2() as usize;
        let layers = self.beams.layers as usize;
        let length = (layers | 1) - shorter;
        self.found = Some(length);
        Step::Found(solution(length))
    }

    fn progress(&self) -> Progress {
        let layers = self.most as u64 * 100 / self.beams.spare;
        let memory = layers + self.expanded * self.beams.path;
        Progress {
            expanded: self.expanded,
            generated: self.expanded,
            memory,
            peak_memory: memory,
            ..Progress::default()
        }
    }

    fn shed(&mut self, _nodes: u64) -> bool {
        self.freeing += 1;
        self.freeing > self.beams.freeing
    }
}

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
fn without_a_time_to_keep_beams_grow_until_the_memory_is_too_small() {
    let beams = Fakes::new(101);
    let played = play(&beams, None, 10_000_000);
    assert_eq!(played.stop, Some(Stop::Memory));
    assert!(played.peak_memory <= 10_000_000);
    let widths: Vec<usize> = beams.made().iter().map(|made| made.most).collect();
    assert_eq!(widths, [128, 512, 2_048, 8_192, 32_768, 100_000]);
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
fn no_beam_may_become_wider_than_there_are_boards() {
    let mut beams = Fakes::new(301);
    beams.widest = 100;
    let played = play(&beams, Some(Duration::from_millis(100)), u64::MAX);
    assert_eq!(played.stop, Some(Stop::Exhausted));
    let widths: Vec<usize> = beams.made().iter().map(|made| made.most).collect();
    assert_eq!(widths.iter().max(), Some(&100), "{widths:?}");
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

#[test]
fn too_little_memory_for_any_beam_ends_the_search() {
    let played = play(&Fakes::new(101), Some(Duration::from_secs(1)), 1_000);
    assert_eq!(played.stop, Some(Stop::Memory));
    assert!(played.found.is_empty());
}

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
