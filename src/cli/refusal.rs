//! Explains a gRPC status at the command line: the exit code, the message and a hint.

use std::error::Error;
use std::fmt::Write;

use tonic::{Code, Status, TimeoutExpired};
use tonic_types::{ErrorDetails, StatusExt};

use super::Exit;
use super::spelling::as_options;

/// The fields of a request, by their paths, and the options that fill them.
const OPTIONS: [(&str, &str); 17] = [
    ("goal", "--goal"),
    ("objective", "--objective"),
    ("max_ratio", "--max-ratio"),
    ("metric", "--metric"),
    ("limits.max_nodes", "--max-nodes"),
    ("limits.max_time", "--max-time"),
    ("limits.max_memory_bytes", "--max-memory"),
    ("method.algorithm", "--algorithm"),
    ("method.heuristic", "--heuristic"),
    ("method.corrections", "--heuristic"),
    ("method.weight", "--weight"),
    ("method.variant", "--variant"),
    ("count", "--count"),
    ("scramble.moves", "--scramble"),
    ("difficulty.min_moves", "--min-moves"),
    ("difficulty.max_moves", "--max-moves"),
    ("solvability", "--unsolvable"),
];

/// The hint for a server that does not answer.
pub(super) const IS_IT_THERE: &str = "Is `loyd serve` running there? --server takes the address of its --listen: \
     with https:// if it serves TLS, with --tls-ca if this machine does not know the authority that issued its certificate, \
     and with --tls-cert and --tls-key if it requires client certificates.";

/// Returns the error that broke a call's connection, or `None` if the server ended the call.
///
/// Connections break when only one side speaks TLS, and when a certificate is missing, which TLS 1.3 reports only
/// during a call.
fn broke(status: &Status) -> Option<&(dyn Error + 'static)> {
    let error = bottom(status.source()?);
    (!error.is::<TimeoutExpired>()).then_some(error)
}

/// Returns the root cause of an error, which is the one that says what happened: "connection refused".
pub(super) fn bottom<'e>(mut error: &'e (dyn Error + 'static)) -> &'e (dyn Error + 'static) {
    while let Some(source) = error.source() {
        error = source;
    }
    error
}

pub(super) fn exit(status: &Status) -> Exit {
    if broke(status).is_some() {
        return Exit::Unserved;
    }
    match (status.code(), reason(&status.get_error_details())) {
        (_, "UNSOLVABLE") => Exit::Unsolvable,
        (_, "OVERLOADED" | "DRAINING") | (Code::Unavailable | Code::Unimplemented, _) => {
            Exit::Unserved
        }
        (_, "REQUEST_TOO_LARGE" | "RESPONSE_TOO_LARGE")
        | (
            Code::InvalidArgument
            | Code::OutOfRange
            | Code::Unauthenticated
            | Code::PermissionDenied,
            _,
        ) => Exit::BadInput,
        (Code::ResourceExhausted | Code::DeadlineExceeded | Code::Cancelled, _) => Exit::Limit,
        _ => Exit::Broken,
    }
}

/// Whether the server refused the call because of too many others.
pub(super) fn is_overload(status: &Status) -> bool {
    reason(&status.get_error_details()) == "OVERLOADED"
}

/// Explains a refusal and what can be done about it. `asks_for_proof` is whether the question asks for a proven
/// solution, so that `--objective best` is a way out.
pub(super) fn explain(status: &Status, asks_for_proof: bool) -> String {
    if let Some(error) = broke(status) {
        return format!("the connection to the server broke: {error}\n{IS_IT_THERE}");
    }
    let details = status.get_error_details();
    let violations = details
        .bad_request()
        .map_or(&[][..], |bad| &bad.field_violations);
    let mut text = match status.message() {
        // The message repeats the first violations.
        _ if !violations.is_empty() => "the request is invalid:".to_owned(),
        "" => status.code().description().to_owned(),
        message => message.to_owned(),
    };
    for violation in violations {
        let _ = write!(
            text,
            "\n  {}: {}",
            option(&violation.field),
            as_options(&violation.description)
        );
    }
    if let Some(info) = details.error_info() {
        let mut metadata: Vec<_> = info.metadata.iter().collect();
        metadata.sort();
        for (key, value) in metadata {
            let _ = write!(text, "\n  {}: {value}", key.replace('_', " "));
        }
    }
    if let Some(hint) = hint(status, &details, asks_for_proof) {
        let _ = write!(text, "\n{hint}");
    }
    // What a server says must not steer the terminal.
    text.replace(|c: char| c.is_control() && c != '\n', "\u{fffd}")
}

fn reason(details: &ErrorDetails) -> &str {
    details.error_info().map_or("", |info| &info.reason)
}

/// Whether a refusal has metadata of this name.
fn tells(details: &ErrorDetails, key: &str) -> bool {
    let info = details.error_info();
    info.is_some_and(|info| info.metadata.contains_key(key))
}

/// Returns the option that fills a field, or the field itself: `board.tiles[3]` says more than any option.
fn option(field: &str) -> &str {
    let field = field.strip_prefix("solve.").unwrap_or(field);
    let list = field.split('[').next().unwrap_or(field);
    OPTIONS
        .iter()
        .find(|(path, _)| *path == list)
        .map_or(field, |(_, option)| option)
}

fn hint(status: &Status, details: &ErrorDetails, asks_for_proof: bool) -> Option<String> {
    let limit = |fix: &str| {
        let or_best = if asks_for_proof {
            "; `loyd solve --objective best` answers within any limit"
        } else {
            ""
        };
        Some(format!("{fix}{or_best}."))
    };
    let text = match (reason(details), status.code()) {
        ("UNSOLVABLE", _) => {
            "`loyd check` shows the evidence, and two tiles whose exchange repairs the board."
        }
        ("NODE_LIMIT", _) => return limit("Raise --max-nodes"),
        ("TIME_LIMIT", _) => return limit("Raise --max-time"),
        // No search has come to a limit, or its nodes would be told: the server's --memory is too little, as the
        // message says.
        ("MEMORY_LIMIT", _) if !tells(details, "nodes_generated") => return None,
        ("MEMORY_LIMIT", _) if asks_for_proof => {
            return limit(
                "Raise --max-memory, or use --algorithm ida-star, which needs almost none",
            );
        }
        ("MEMORY_LIMIT", _) => return limit("Raise --max-memory"),
        ("TOKEN_MISSING", _) => "Give the token's file with --token-from, or set LOYD_TOKEN.",
        ("RESPONSE_TOO_LARGE", _) => "Ask for fewer boards at once.",
        ("OVERLOADED" | "DRAINING", _) => {
            let again = details.retry_info().and_then(|retry| retry.retry_delay);
            return Some(match again {
                Some(delay) => format!("Try again in {}.", humantime::format_duration(delay)),
                None => "Try again later.".to_owned(),
            });
        }
        (_, Code::DeadlineExceeded | Code::Cancelled) => return limit("Raise --timeout"),
        (_, Code::Unimplemented) => "Is this the address of a loyd server?",
        (_, Code::Internal | Code::Unknown | Code::DataLoss) => {
            "This is a defect: please report it."
        }
        _ => return None,
    };
    Some(text.to_owned())
}
