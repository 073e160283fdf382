//! Moving averages of times.

use std::time::Duration;

use loyd::engine::average::Average;

#[test]
fn no_time_is_too_long_for_an_average() {
    let average = Average::default();
    let most = Duration::from_nanos(u64::MAX);
    for sample in [Duration::MAX, Duration::MAX, most] {
        average.learn(sample);
        // By the eighth, rounded down.
        assert!(average.get() > most - Duration::from_nanos(10));
    }
    average.learn(Duration::ZERO);
    assert!(average.get() < most / 8 * 7 + Duration::from_nanos(10));
}
