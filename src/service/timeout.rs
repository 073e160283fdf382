//! How long a caller waits: the `grpc-timeout` of a call.

use std::time::Duration;

use tonic::Request;
use tonic_types::FieldViolation;

/// How long the caller of a request is [guaranteed] to wait, or `None` if it does not say. If it says so more than
/// once, as when a proxy adds its own, the shortest time counts.
///
/// # Errors
/// When there is a timeout that cannot be read. Ignoring it would break a promise.
pub fn of<T>(request: &Request<T>) -> Result<Option<Duration>, FieldViolation> {
    let told = request.metadata().get_all("grpc-timeout").iter();
    let times: Option<Vec<_>> = told.map(|value| guaranteed(value.as_bytes())).collect();
    times.map(|times| times.into_iter().min()).ok_or_else(|| {
        FieldViolation::new(
            "grpc-timeout",
            "not a timeout: at most eight digits and one of H, M, S, m, u, n",
        )
    })
}

/// Reads a timeout as stated: at most eight digits and a unit.
#[must_use]
pub fn stated(text: &[u8]) -> Option<Duration> {
    let (unit, digits) = text.split_last()?;
    if digits.is_empty() || digits.len() > 8 || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let number = digits
        .iter()
        .fold(0, |number, digit| 10 * number + u64::from(digit - b'0'));
    Some(match unit {
        b'H' => Duration::from_secs(number * 3600),
        b'M' => Duration::from_secs(number * 60),
        b'S' => Duration::from_secs(number),
        b'm' => Duration::from_millis(number),
        b'u' => Duration::from_micros(number),
        b'n' => Duration::from_nanos(number),
        _ => return None,
    })
}

/// Reads how long the caller is sure to wait: the timeout as [stated], minus the most it may have
/// been rounded up by.
///
/// ```
/// use loyd::service::timeout::guaranteed;
///
/// assert_eq!(guaranteed(b"15S").unwrap().as_millis(), 14_900);
/// assert_eq!(guaranteed(b"15000000u").unwrap().as_millis(), 15_000);
/// ```
#[must_use]
pub fn guaranteed(text: &[u8]) -> Option<Duration> {
    let stated = stated(text)?;
    // Clients that round never use units this fine. Most others do, even for seconds.
    let is_exact = matches!(text.last(), Some(b'u' | b'n'));
    Some(if is_exact {
        stated
    } else {
        stated - rounding(stated)
    })
}

/// The most by which a timeout may have been rounded up on its way into the header.
///
/// gRPC C-core, which is behind C++, Python, Ruby, PHP and Objective-C, writes times of more than a
/// second with three digits (`timeout_encoding.cc`): up to 10 s in steps of 10 ms, up to 100 s in
/// steps of 100 ms, and so on, always rounded up. A client that waits for 15.01 s says `15100m`,
/// and is gone 90 ms before that. A timeout that is not a whole number of steps does not come from
/// C-core. From 28 hours on C-core counts in minutes and hours, which is not modeled here.
fn rounding(told: Duration) -> Duration {
    const STEP_TO_10_S: u128 = 10;
    let milliseconds = told.as_millis();
    let Some(tens) = (milliseconds.saturating_sub(1) / 1000).checked_ilog10() else {
        return Duration::ZERO;
    };
    let step = STEP_TO_10_S * 10_u128.pow(tens);
    if milliseconds.is_multiple_of(step) {
        Duration::from_millis(step as u64)
    } else {
        Duration::ZERO
    }
}
