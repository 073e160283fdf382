//! The only place that makes statuses: causes in, gRPC codes and their details out.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use http::header::{ALLOW, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode};
use tonic::body::Body;
use tonic::metadata::MetadataValue;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, FieldViolation, StatusExt};

use crate::engine::{Failure, Lack, Refused, StopReason};
use crate::few::Few;
use crate::puzzle::Parity;
use crate::search::Progress;
use crate::telemetry;

/// The domain of every `google.rpc.ErrorInfo`.
const DOMAIN: &str = "loyd";

/// The trailer that tells a client's retry policy when to try again.
const PUSHBACK: &str = "grpc-retry-pushback-ms";

/// The value of that trailer when retrying is useless. Clients treat a negative time as "do not retry".
const NEVER: &str = "-1";

/// The header that lists the supported encodings for a client that used another.
const ACCEPT_ENCODING: &str = "grpc-accept-encoding";

/// When to retry after too many calls: by then fewer should be in progress.
const CALLS_RETRY: Duration = Duration::from_secs(1);

/// When to retry after a refusal by a draining server: by then another replica should have taken over.
const DRAINING_RETRY: Duration = Duration::from_secs(1);

/// A status. Where something is exhausted, it tells clients not to retry unless it says [when](retry): the same
/// question would get the same answer. The code alone does not say so: a policy that retries when a server was
/// overloaded would ask again.
fn status(
    code: Code,
    reason: &str,
    message: impl Into<String>,
    metadata: impl IntoIterator<Item = (&'static str, String)>,
    mut details: ErrorDetails,
) -> Status {
    let metadata: HashMap<String, String> = metadata
        .into_iter()
        .map(|(key, value)| (key.to_owned(), value))
        .collect();
    details.set_error_info(reason, DOMAIN, metadata);
    let mut status = Status::with_error_details(code, message, details);
    if code == Code::ResourceExhausted {
        let never = MetadataValue::from_static(NEVER);
        status.metadata_mut().insert(PUSHBACK, never);
    }
    status
}

/// A status of which there is nothing more to tell.
fn plain(code: Code, reason: &str, message: impl Into<String>) -> Status {
    status(code, reason, message, [], ErrorDetails::new())
}

/// The status for a request that asks for more than it will ever get.
fn exhausted(reason: &str, message: impl Into<String>) -> Status {
    plain(Code::ResourceExhausted, reason, message)
}

/// The status for a request that is refused because of others.
fn crowded_out(message: &str, after: Duration) -> Status {
    retry(Code::ResourceExhausted, "OVERLOADED", message, after)
}

/// The status for a request with invalid fields; lists all of them.
pub fn invalid(violations: Vec<FieldViolation>) -> Status {
    let fields: Vec<String> = violations
        .iter()
        .take(3)
        .map(|violation| format!("{}: {}", violation.field, violation.description))
        .collect();
    let more = match violations.len().saturating_sub(fields.len()) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    let mut details = ErrorDetails::new();
    details.set_bad_request(violations);
    status(
        Code::InvalidArgument,
        "INVALID_REQUEST",
        format!("{}{more}", fields.join("; ")),
        [],
        details,
    )
}

/// The status for a board from which the goal cannot be reached.
pub fn unsolvable(parity: &Parity) -> Status {
    let exchange = parity.exchange;
    status(
        Code::FailedPrecondition,
        "UNSOLVABLE",
        format!(
            "the goal cannot be reached from this board: the sum of its interchanges ({}) and its \
             blank distance ({}) is odd; exchange the tiles {} and {} to repair it",
            parity.interchanges, parity.blank_distance, exchange.tiles.0, exchange.tiles.1
        ),
        [
            ("inversions", parity.inversions.to_string()),
            (
                "blank_row_from_bottom",
                parity.blank_row_from_bottom.to_string(),
            ),
            (
                "goal_blank_row_from_bottom",
                parity.goal_blank_row_from_bottom.to_string(),
            ),
            ("interchanges", parity.interchanges.to_string()),
            ("blank_distance", parity.blank_distance.to_string()),
            (
                "repair_tiles",
                format!("{},{}", exchange.tiles.0, exchange.tiles.1),
            ),
        ],
        ErrorDetails::new(),
    )
}

/// The status for a request that the engine refused.
impl From<Refused> for Status {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Plan(error) => invalid(vec![FieldViolation::new("method", error.to_string())]),
            Refused::Overloaded { lack, retry_after } => overloaded(lack, retry_after),
            Refused::Memory => exhausted("MEMORY_LIMIT", refused.to_string()),
            Refused::Draining => draining(),
        }
    }
}

/// An overloaded server has no time to build statuses. There are few different ones, so each is built once.
fn overloaded(lack: Lack, retry_after: Duration) -> Status {
    let retry_after = spread(retry_after);
    static MADE: Few<(Lack, Duration), Status> = Few::new(|&(lack, retry_after)| {
        let refused = Refused::Overloaded { lack, retry_after };
        crowded_out(&refused.to_string(), retry_after)
    });
    MADE.with((lack, retry_after), Status::clone)
}

/// The status for a request that the engine accepted and did not answer.
pub fn failed(failure: &Failure) -> Status {
    match failure {
        Failure::Limit {
            reason,
            progress,
            best_length,
            takes_any,
            is_soonest,
        } => {
            let mut metadata = vec![("lower_bound", progress.lower_bound.to_string())];
            if *best_length > 0 {
                metadata.push(("best_length", best_length.to_string()));
            }
            let bound = progress.lower_bound;
            let proof = format!("the proof was complete: the solution has at least {bound} moves");
            let (before, alternative) = match (takes_any, is_soonest) {
                (true, true) => ("any solution was found", ""),
                (true, false) => ("any solution was found", ", or leave `method` out"),
                (false, _) => (&*proof, ", or ask for BEST"),
            };
            limit(*reason, progress, before, alternative, metadata)
        }
        Failure::Shortage => overloaded(Lack::Memory, CALLS_RETRY),
        Failure::DeadlineExceeded => plain(
            Code::DeadlineExceeded,
            "DEADLINE_EXCEEDED",
            "the call's deadline passed before the answer was ready",
        ),
        Failure::Draining => draining(),
        Failure::Defect => defect(),
    }
}

/// The status for a request that started to arrive and did not finish.
pub fn late() -> Status {
    plain(
        Code::DeadlineExceeded,
        "DEADLINE_EXCEEDED",
        "the request did not arrive within the server's --stall-timeout, or 2 s for health: send all of \
         it at once",
    )
}

/// The status for a solution that was sent while it was worked out, and not read to its end.
pub fn read_too_slowly() -> Status {
    exhausted(
        "TIME_LIMIT",
        "the stream was not read to its end within the server's --max-time: read it faster",
    )
}

/// The status for a solution that was to be sent while it was worked out, and for which the server had no
/// time because of other searches.
pub fn worked_out_too_slowly() -> Status {
    overloaded(Lack::Time, CALLS_RETRY)
}

/// The status for more concurrent calls than the server takes.
pub fn too_many_calls() -> Status {
    telemetry::overloaded("calls", None);
    too_many_aside()
}

/// The same for health checks and reflection, which do not count as calls.
pub fn too_many_aside() -> Status {
    crowded_out(
        "too many calls are in progress: try again",
        spread(CALLS_RETRY),
    )
}

/// The status for more watches of the health than the server takes. After this one alone, clients go on without a watch
/// and take the server for healthy (gRPC's proposal A17).
pub fn too_many_watches() -> Status {
    plain(
        Code::Unimplemented,
        "UNIMPLEMENTED",
        "too many watches of the health, on this connection or in all: ask by Check instead",
    )
}

/// The status when other partly received requests hold all the memory for requests.
pub fn no_room() -> Status {
    telemetry::overloaded("requests", None);
    crowded_out(
        "too many large requests are in progress: try again",
        spread(CALLS_RETRY),
    )
}

/// The status for more headers than a request may have.
pub fn too_many_headers(most: usize) -> Status {
    exhausted(
        "REQUEST_TOO_LARGE",
        format!(
            "a request may have at most {most} headers: leave out those that loyd does not need"
        ),
    )
}

/// The status for a request for boards that the engine accepted and did not answer.
pub fn not_drawn(failure: &Failure) -> Status {
    match failure {
        Failure::Limit {
            reason, progress, ..
        } => limit(*reason, progress, "all boards were found", "", vec![]),
        _ => failed(failure),
    }
}

fn limit(
    reason: StopReason,
    progress: &Progress,
    before: &str,
    alternative: &str,
    mut metadata: Vec<(&'static str, String)>,
) -> Status {
    let code = match reason {
        StopReason::Deadline => Code::DeadlineExceeded,
        _ => Code::ResourceExhausted,
    };
    let (reason, what, fix) = match reason {
        StopReason::NodeLimit => (
            "NODE_LIMIT",
            "the node limit was reached",
            "limits.max_nodes or the server's cap",
        ),
        StopReason::MemoryLimit => (
            "MEMORY_LIMIT",
            "the memory limit was reached",
            "limits.max_memory_bytes or the server's cap",
        ),
        StopReason::Deadline => (
            "DEADLINE_EXCEEDED",
            "the call's deadline came, or left too little time to go on,",
            "the deadline",
        ),
        // Hardly ever without a solution.
        StopReason::Exhausted => (
            "TIME_LIMIT",
            "the method exhausted everything it could try in the time allowed",
            "the call's deadline, limits.max_time or the server's cap",
        ),
        _ => (
            "TIME_LIMIT",
            "the time limit was reached",
            "limits.max_time or the server's cap",
        ),
    };
    metadata.push(("nodes_generated", progress.generated.to_string()));
    metadata.push(("nodes_expanded", progress.expanded.to_string()));
    metadata.push(("peak_open", progress.peak_open.to_string()));
    status(
        code,
        reason,
        format!("{what} before {before}; raise {fix}{alternative}"),
        metadata,
        ErrorDetails::new(),
    )
}

/// Why a caller is not let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthFailure {
    /// It presents no token.
    MissingToken,
    /// It presents an unknown token, or presents one in the wrong way.
    WrongToken,
}

impl AuthFailure {
    /// The label in metrics.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::MissingToken => "missing",
            Self::WrongToken => "wrong",
        }
    }
}

/// The status for a caller that is not let in.
pub fn unauthenticated(failure: AuthFailure) -> Status {
    let (reason, message) = match failure {
        AuthFailure::MissingToken => (
            "TOKEN_MISSING",
            "this server requires a token: send it as `authorization: Bearer TOKEN`",
        ),
        AuthFailure::WrongToken => (
            "TOKEN_WRONG",
            "the server does not know this token: ask its operator for another",
        ),
    };
    plain(Code::Unauthenticated, reason, message)
}

/// The status while the server shuts down.
pub fn draining() -> Status {
    retry(
        Code::Unavailable,
        "DRAINING",
        &Refused::Draining.to_string(),
        spread(DRAINING_RETRY),
    )
}

/// The status for a panic, or for an answer that failed its replay.
pub fn defect() -> Status {
    plain(
        Code::Internal,
        "INTERNAL",
        "a defect in loyd: this request failed, others are not affected; please report it and \
         include the request",
    )
}

/// The status for a response that would not fit in one message.
pub fn too_large(what: &str, hint: &str) -> Status {
    exhausted(
        "RESPONSE_TOO_LARGE",
        format!("{what} does not fit in a response of 4 MiB: {hint}"),
    )
}

/// The response to a request that is no call of gRPC, or `None` if it is one. Its HTTP status says so too: other clients
/// would take the 200 of a gRPC error for a success.
pub fn not_grpc(method: &Method, headers: &HeaderMap) -> Option<Response<Body>> {
    let (http, message) = if method != Method::POST {
        (
            StatusCode::METHOD_NOT_ALLOWED,
            "this is a gRPC server: calls are POST requests",
        )
    } else if !has_grpc(headers) {
        (
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "this is a gRPC server: calls have the content-type application/grpc",
        )
    } else {
        return None;
    };
    let mut response = plain(Code::Unimplemented, "UNIMPLEMENTED", message).into_http();
    *response.status_mut() = http;
    let allowed = HeaderValue::from_static("POST");
    response.headers_mut().insert(ALLOW, allowed);
    Some(response)
}

/// Whether the content is gRPC's, in whatever format. That of gRPC-Web, application/grpc-web, is framed in another way.
fn has_grpc(headers: &HeaderMap) -> bool {
    const GRPC: &[u8] = b"application/grpc";
    let content = headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes);
    let split = content.and_then(|content| content.split_at_checked(GRPC.len()));
    split.is_some_and(|(name, rest)| {
        name.eq_ignore_ascii_case(GRPC) && matches!(rest, [] | [b'+' | b';' | b' ', ..])
    })
}

/// Translates what the transport refused before a handler saw it into the contract's terms. Calls that are not ours,
/// such as health checks, have a fixed limit.
pub fn transport(refusal: &Status, is_ours: bool) -> Option<Status> {
    // tonic gives no message for a service or a method that does not exist.
    let message = match refusal.message() {
        "" => "there is no such call: use reflection to list the services and their methods",
        // tonic reads requests and answers by the same code, which speaks as a client.
        message => message
            .strip_suffix(", while sending request")
            .unwrap_or(message),
    };
    let (code, reason) = match refusal.code() {
        // Malformed messages are the client's fault, not ours.
        Code::Internal => (Code::InvalidArgument, "MALFORMED_MESSAGE"),
        // Too large as received, or after decompression.
        Code::OutOfRange | Code::ResourceExhausted => {
            (Code::ResourceExhausted, "REQUEST_TOO_LARGE")
        }
        Code::Unimplemented => (Code::Unimplemented, "UNIMPLEMENTED"),
        // The rest of the request does not come: its sender has given it up.
        Code::Unknown => (Code::Cancelled, "CANCELLED"),
        _ => return None,
    };
    let fix = match code {
        Code::ResourceExhausted if is_ours => {
            "; send less, or raise the server's --max-request-bytes"
        }
        Code::ResourceExhausted => "; send less",
        _ => "",
    };
    let mut status = plain(code, reason, format!("{message}{fix}"));
    if let Some(encodings) = refusal.metadata().get(ACCEPT_ENCODING) {
        let metadata = status.metadata_mut();
        metadata.insert(ACCEPT_ENCODING, encodings.clone());
    }
    Some(status)
}

/// Whether a status in these headers says when to retry.
pub fn is_to_come_again(headers: &HeaderMap) -> bool {
    headers.get(PUSHBACK).is_some_and(|after| after != NEVER)
}

/// When one of several callers is to come again who would all do so after that time: up to two fifths later. Clients
/// that are told a time wait neither more nor less, so those refused together would come back together. The times are
/// few, as headers with few distinct values compress well.
fn spread(after: Duration) -> Duration {
    static REFUSED: AtomicU32 = AtomicU32::new(0);
    after + after / 10 * (REFUSED.fetch_add(1, Ordering::Relaxed) % 5)
}

fn retry(code: Code, reason: &str, message: &str, after: Duration) -> Status {
    let mut details = ErrorDetails::new();
    details.set_retry_info(Some(after));
    let mut status = status(code, reason, message, [], details);
    if let Ok(value) = after.as_millis().to_string().parse() {
        status.metadata_mut().insert(PUSHBACK, value);
    }
    status
}

/// The name of a code as the contract writes it, for labels and logs.
#[must_use]
pub const fn code_name(code: Code) -> &'static str {
    match code {
        Code::Ok => "OK",
        Code::Cancelled => "CANCELLED",
        Code::Unknown => "UNKNOWN",
        Code::InvalidArgument => "INVALID_ARGUMENT",
        Code::DeadlineExceeded => "DEADLINE_EXCEEDED",
        Code::NotFound => "NOT_FOUND",
        Code::AlreadyExists => "ALREADY_EXISTS",
        Code::PermissionDenied => "PERMISSION_DENIED",
        Code::ResourceExhausted => "RESOURCE_EXHAUSTED",
        Code::FailedPrecondition => "FAILED_PRECONDITION",
        Code::Aborted => "ABORTED",
        Code::OutOfRange => "OUT_OF_RANGE",
        Code::Unimplemented => "UNIMPLEMENTED",
        Code::Internal => "INTERNAL",
        Code::Unavailable => "UNAVAILABLE",
        Code::DataLoss => "DATA_LOSS",
        Code::Unauthenticated => "UNAUTHENTICATED",
    }
}
