//! How long a caller waits.

use std::time::Duration;

use loyd::service::timeout::{guaranteed, of, stated};
use tonic::Request;

#[test]
fn a_timeout_is_told_in_six_units() {
    for (text, nanoseconds) in [
        ("0n", 0),
        ("7n", 7),
        ("7u", 7_000),
        ("7m", 7_000_000),
        ("7S", 7_000_000_000),
        ("7M", 420_000_000_000),
        ("7H", 25_200_000_000_000),
    ] {
        let told = stated(text.as_bytes()).expect(text);
        assert_eq!(told, Duration::from_nanos(nanoseconds), "{text}");
    }
    for text in ["", "5", "S", "123456789S", "-1S", "1.5S", "1x", "5 S"] {
        assert_eq!(
            (stated(text.as_bytes()), guaranteed(text.as_bytes())),
            (None, None),
            "{text}"
        );
    }
}

#[test]
fn what_may_have_been_rounded_up_is_certain_only_less_a_step() {
    for (text, milliseconds) in [
        // Exact up to a second.
        ("10m", 10),
        ("990m", 990),
        ("1S", 1_000),
        ("1010m", 1_000),
        ("1500m", 1_490),
        ("5S", 4_990),
        ("10S", 9_990),
        ("10100m", 10_000),
        ("15S", 14_900),
        ("1M", 59_900),
        ("100S", 99_900),
        ("101S", 100_000),
        ("10M", 599_000),
        ("1010S", 1_000_000),
        ("1H", 3_590_000),
    ] {
        let certain = guaranteed(text.as_bytes()).expect(text);
        assert_eq!(certain, Duration::from_millis(milliseconds), "{text}");
    }
}

#[test]
fn what_nobody_rounds_so_is_certain_as_it_is_told() {
    for text in [
        "0S",
        "1n",
        "1001m",
        "9995m",
        "15010m",
        "100500m",
        "15000000u",
        "1000000u",
    ] {
        assert_eq!(
            guaranteed(text.as_bytes()),
            stated(text.as_bytes()),
            "{text}"
        );
    }
}

#[test]
fn no_timeout_is_too_long() {
    for text in ["99999999H", "99999999M", "99999999S", "99999999m"] {
        let (certain, told) = (
            guaranteed(text.as_bytes()).expect(text),
            stated(text.as_bytes()).expect(text),
        );
        assert!(certain <= told && certain >= told - told / 100, "{text}");
    }
}

/// A request with these timeouts.
fn told(timeouts: &[&str]) -> Request<()> {
    let mut request = Request::new(());
    for timeout in timeouts {
        let value = timeout.parse().expect("text");
        request.metadata_mut().append("grpc-timeout", value);
    }
    request
}

#[test]
fn of_several_timeouts_the_shortest_counts() {
    for (timeouts, least) in [
        (&[][..], None),
        (&["20m"], Some(20)),
        (&["900m", "20m"], Some(20)),
        (&["20m", "900m"], Some(20)),
    ] {
        let least = least.map(Duration::from_millis);
        assert_eq!(
            of(&told(timeouts)).expect("timeouts"),
            least,
            "{timeouts:?}"
        );
    }
    // Nobody knows what was promised by the other one.
    let violation = of(&told(&["20m", "soon"])).expect_err("no timeout");
    assert_eq!(violation.field, "grpc-timeout");
}
