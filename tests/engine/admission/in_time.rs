//! Which requests are refused for lack of time, and when they may come again.

use std::time::Duration;

use loyd::engine::{Lack, Refused, in_time};

const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

#[test]
fn a_request_may_wait_for_half_of_the_time_beside_its_work_or_for_a_quarter_in_a_line_that_stands()
{
    for (wait, stands, work, left, is_refused) in [
        (Some(10), false, 0, Some(20), false),
        (Some(11), false, 0, Some(20), true),
        (Some(5), true, 0, Some(20), false),
        (Some(6), true, 0, Some(20), true),
        (Some(10), false, 20, Some(40), false),
        (Some(11), false, 20, Some(40), true),
        (Some(5), true, 20, Some(40), false),
        (Some(6), true, 20, Some(40), true),
        // It takes more time than is left.
        (Some(1), false, 50, Some(40), true),
        // Who need not wait, has all the time, or none at all, is not refused.
        (None, true, 50, Some(40), false),
        (Some(1000), true, 50, None, false),
        (Some(1000), true, 50, Some(0), false),
    ] {
        let refused = in_time(None, wait.map(ms), stands, ms(work), left.map(ms)).is_err();
        assert_eq!(refused, is_refused, "{wait:?} {stands} {work} {left:?}");
    }
}

#[test]
fn who_is_refused_may_come_again_once_those_before_it_have_gone() {
    for (wait, again) in [
        (1, 20),
        (20, 20),
        (21, 40),
        (40, 40),
        (41, 80),
        (100, 160),
        (2561, 5120),
        (3_600_000, 5120),
    ] {
        let refused = in_time(None, Some(ms(wait)), false, ms(1), Some(ms(1)));
        let expected = Refused::Overloaded {
            lack: Lack::Time,
            retry_after: ms(again),
        };
        assert_eq!(refused, Err(expected), "{wait}");
    }
}
