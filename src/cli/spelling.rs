//! Formats numbers, times and the names of the wire contract for answers.

use indicatif::HumanCount;
use prost_types::Duration;

use crate::service::proto::{Algorithm, Heuristic, Metric, Objective, Variant};

/// Returns `ALGORITHM_IDA_STAR` without its prefix, in lower case: `ida_star`.
pub(super) fn name(full: &str, prefix: &str) -> String {
    full.strip_prefix(prefix)
        .unwrap_or(full)
        .to_ascii_lowercase()
}

/// Spells the values of the contract that a text of the service names as the options do: `A_STAR` as `a-star`.
pub(super) fn as_options(text: &str) -> String {
    let is_other = |character: char| !character.is_ascii_uppercase() && character != '_';
    let spell = |part: &str| {
        let word = part.trim_end_matches(is_other);
        if is_value(word) {
            part.to_ascii_lowercase().replace('_', "-")
        } else {
            part.to_owned()
        }
    };
    text.split_inclusive(is_other).map(spell).collect()
}

/// Whether the contract has a value of this name that is also the value of an option.
fn is_value(word: &str) -> bool {
    Algorithm::from_str_name(&format!("ALGORITHM_{word}")).is_some()
        || Heuristic::from_str_name(&format!("HEURISTIC_{word}")).is_some()
        || Objective::from_str_name(&format!("OBJECTIVE_{word}")).is_some()
        || Metric::from_str_name(&format!("METRIC_{word}")).is_some()
        || Variant::from_str_name(&format!("VARIANT_{word}")).is_some()
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
