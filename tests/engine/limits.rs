//! What a request may spend.

use std::time::{Duration, Instant};

use loyd::engine::limits::{TimeUp, margin};
use loyd::engine::{Caps, Limits, Wanted};

const CAPS: Caps = Caps {
    nodes: 1_000,
    time: Duration::from_secs(60),
    memory: 1 << 30,
    default_time: Duration::from_secs(1),
};

const NOTHING: Wanted = Wanted {
    nodes: None,
    time: None,
    memory: None,
};

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

#[test]
fn the_margin_is_a_quarter_of_the_time_from_4_to_20_ms_and_never_more_than_half_of_it() {
    for (timeout, kept) in [
        (Duration::ZERO, Duration::ZERO),
        (Duration::from_micros(300), Duration::from_micros(150)),
        (ms(2), ms(1)),
        (ms(4), ms(2)),
        (ms(5), Duration::from_micros(2_500)),
        (ms(8), ms(4)),
        (ms(10), ms(4)),
        (ms(16), ms(4)),
        (ms(20), ms(5)),
        (ms(50), Duration::from_micros(12_500)),
        (ms(80), ms(20)),
        (ms(200), ms(20)),
        (Duration::from_secs(3600), ms(20)),
        (Duration::MAX, ms(20)),
    ] {
        assert_eq!(margin(timeout, Duration::ZERO), kept, "{timeout:?}");
    }
}

#[test]
fn what_takes_long_to_send_is_begun_sooner() {
    for (timeout, sending, kept) in [
        (ms(2_000), ms(80), ms(100)),
        (ms(200), ms(80), ms(70)),
        (ms(20), ms(1), ms(6)),
        (ms(20), ms(80), ms(10)),
        (ms(2), ms(1), ms(1)),
        (ms(2_000), Duration::MAX, ms(520)),
        (Duration::MAX, ms(80), ms(100)),
        (Duration::ZERO, ms(80), Duration::ZERO),
    ] {
        assert_eq!(margin(timeout, sending), kept, "{timeout:?}, {sending:?}");
    }
}

#[test]
fn who_has_nothing_to_answer_with_may_wait_for_half_of_the_margin() {
    let arrived = Instant::now();
    for (timeout, deadline, last_moment) in [(6, 3, 4), (2, 1, 1), (40, 30, 35), (200, 180, 190)] {
        let limits = Limits::new(
            arrived,
            NOTHING,
            Some(ms(timeout)),
            true,
            Duration::ZERO,
            &CAPS,
        );
        assert_eq!(limits.deadline, Some(arrived + ms(deadline)));
        let told = limits.last_moment.expect("there is a deadline");
        assert_eq!((told - arrived).as_millis(), last_moment);
    }
    let limits = Limits::new(arrived, NOTHING, None, true, Duration::ZERO, &CAPS);
    assert_eq!((limits.deadline, limits.last_moment), (None, None));
}

#[test]
fn the_smaller_of_what_is_wanted_and_the_cap_counts() {
    let arrived = Instant::now();
    for (wanted, nodes, memory, time) in [
        (NOTHING, 1_000, 1 << 30, 60_000),
        (
            Wanted {
                nodes: Some(5),
                time: Some(ms(7)),
                memory: Some(9),
            },
            5,
            9,
            7,
        ),
        (
            Wanted {
                nodes: Some(u64::MAX),
                time: Some(Duration::MAX),
                memory: Some(u64::MAX),
            },
            1_000,
            1 << 30,
            60_000,
        ),
    ] {
        let limits = Limits::new(arrived, wanted, None, false, Duration::ZERO, &CAPS);
        assert_eq!(limits.nodes, nodes);
        assert_eq!(limits.memory, memory);
        assert_eq!(limits.time_limit, arrived + ms(time));
        assert_eq!(limits.deadline, None);
        assert_eq!(limits.arrived, arrived);
        assert_eq!(limits.time_up(), (arrived + ms(time), TimeUp::Limit));
    }
}

#[test]
fn the_default_time_is_for_those_who_set_no_limit_and_have_no_deadline() {
    let arrived = Instant::now();
    let nodes = Wanted {
        nodes: Some(10),
        ..NOTHING
    };
    let time = |wanted, timeout, default_time| {
        Limits::new(
            arrived,
            wanted,
            timeout,
            default_time,
            Duration::ZERO,
            &CAPS,
        )
        .time_limit
            - arrived
    };
    assert_eq!(time(NOTHING, None, true), CAPS.default_time);
    assert_eq!(time(NOTHING, None, false), CAPS.time);
    assert_eq!(time(NOTHING, Some(ms(90_000)), true), CAPS.time);
    assert_eq!(time(nodes, None, true), CAPS.time);
    let short = Caps {
        time: ms(100),
        ..CAPS
    };
    let limits = Limits::new(arrived, NOTHING, None, true, Duration::ZERO, &short);
    assert_eq!(limits.time_limit, arrived + ms(100));
}

#[test]
fn the_earlier_of_time_limit_and_deadline_ends_a_request() {
    let arrived = Instant::now();
    let limits = |time, timeout| {
        let wanted = Wanted {
            time: Some(time),
            ..NOTHING
        };
        Limits::new(arrived, wanted, Some(timeout), true, Duration::ZERO, &CAPS).time_up()
    };
    assert_eq!(
        limits(ms(300), ms(200)),
        (arrived + ms(180), TimeUp::Deadline)
    );
    assert_eq!(limits(ms(100), ms(200)), (arrived + ms(100), TimeUp::Limit));
}

#[test]
fn times_that_no_clock_can_hold_are_no_trouble() {
    let arrived = Instant::now();
    let boundless = Caps {
        time: Duration::MAX,
        default_time: Duration::MAX,
        ..CAPS
    };
    let forever = Wanted {
        time: Some(Duration::MAX),
        ..NOTHING
    };
    let years = Duration::from_secs(50 * 365 * 24 * 3600);
    for wanted in [NOTHING, forever] {
        for timeout in [None, Some(Duration::MAX)] {
            let limits = Limits::new(arrived, wanted, timeout, true, Duration::ZERO, &boundless);
            assert!(limits.time_limit > arrived + years);
            let (end, _) = limits.time_up();
            assert!(end > arrived + years);
        }
    }
    let limits = Limits::new(
        arrived,
        NOTHING,
        Some(Duration::MAX),
        true,
        Duration::ZERO,
        &CAPS,
    );
    assert_eq!(limits.time_up(), (arrived + CAPS.time, TimeUp::Limit));
}
