//! Formats numbers, times and the names of the wire contract for answers.

use indicatif::HumanCount;
use prost_types::Duration;

/// Returns `ALGORITHM_IDA_STAR` without its prefix, in lower case: `ida_star`.
pub(super) fn name(full: &str, prefix: &str) -> String {
    full.strip_prefix(prefix)
        .unwrap_or(full)
        .to_ascii_lowercase()
}

/// Formats a number: `12,345`.
pub(super) fn number(number: u64) -> String {
    HumanCount(number).to_string()
}

/// Formats a number with its noun: `12,345 nodes`, `1 node`, `20 pushes`.
pub(super) fn count(number: u64, noun: &str) -> String {
    let plural = match number {
        1 => "",
        _ if noun.ends_with('h') => "es",
        _ => "s",
    };
    format!("{} {noun}{plural}", HumanCount(number))
}

/// Formats a time: `4.2 ms`, `12.34 s`.
pub(super) fn time(seconds: f64) -> String {
    if seconds < 1.0 {
        format!("{:.1} ms", seconds * 1000.0)
    } else {
        format!("{seconds:.2} s")
    }
}

pub(super) fn seconds(duration: Option<&Duration>) -> f64 {
    duration.map_or(0.0, |duration| {
        duration.seconds as f64 + f64::from(duration.nanos) / 1e9
    })
}
