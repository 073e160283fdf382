//! Observes every call from outside: counts it, times it, logs its end, and turns a panic of its
//! handler into a status.

mod places;
mod watched;

use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use http::{HeaderMap, HeaderValue, Request, Response};
use http_body::Body as HttpBody;
use tonic::body::Body;
use tonic::codegen::Bytes;
use tonic::{Code, Status};
use tower::Service;

use super::call::{Call, Record};
use super::caught::caught;
use super::line::Line;
use super::peer::{Exchange, InTime, Inline, Peer, Permit, Rest, Room, Shortage, ahead};
use super::status::{self, code_name};
use super::timeout;
use crate::engine::{Failure, until};
use crate::telemetry::{self, Ended, Method, Trace, TraceId};

use places::Places;
use watched::Watched;

/// The metadata that identifies a call in the logs of everybody who handles it.
const REQUEST_ID: &str = "x-request-id";

/// The most headers of a request. They arrive compressed, and can take a hundred times as much
/// memory once decoded.
const MAX_HEADERS: usize = 64;

/// How long the request of a health check may take to arrive. It is a name, sent at once; and since
/// nobody needs a token for it, whoever sends only its head must not keep a place for long.
const HEALTH_PATIENCE: Duration = Duration::from_secs(2);

/// The longest request id in bytes; longer ones are ignored.
const MAX_REQUEST_ID: usize = 128;

/// A service whose calls are observed and bounded in number.
#[derive(Clone, Debug)]
pub struct Observe<S> {
    inner: S,
    places: Places,
    /// Memory for partly received requests.
    room: Room,
    /// Where answers wait that are long in the making.
    line: Line,
    peer: Arc<Peer>,
    /// Reads what is left of requests, where they come over a connection.
    inline: Option<Inline>,
    /// How long a request may take to arrive.
    patience: Duration,
}

impl<S> Observe<S> {
    /// Observes the calls of `inner`. At most `max_calls` may run at once, and their requests may take at
    /// most `most_bytes` while they arrive. Health checks have as many places of their own, 64 at
    /// least, and watches of the health as many again.
    pub fn new(inner: S, max_calls: usize, most_bytes: u64) -> Self {
        Self {
            inner,
            places: Places::new(max_calls),
            room: Room::new(most_bytes),
            line: Line::new(),
            peer: Arc::new(Peer::new()),
            inline: None,
            patience: Duration::MAX,
        }
    }

    /// Where a lack of places is told.
    pub const fn shortage(&self) -> &Arc<Shortage> {
        self.places.shortage()
    }

    /// Where a lack of memory for requests is told.
    pub const fn shortage_of_room(&self) -> &Arc<Shortage> {
        self.room.shortage()
    }

    /// Where answers wait that are long in the making.
    pub const fn line(&self) -> &Line {
        &self.line
    }

    /// The same for the calls of one connection, whose requests must arrive within `patience`.
    #[must_use]
    pub fn for_peer(self, peer: Arc<Peer>, inline: Inline, patience: Duration) -> Self {
        Self {
            peer,
            inline: Some(inline),
            patience,
            places: self.places.for_peer(),
            room: self.room.for_peer(),
            line: self.line.for_peer(),
            ..self
        }
    }
}

impl<S, B> Service<Request<B>> for Observe<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
    S: Clone + Send + 'static,
    S::Future: Send,
    B: HttpBody<Data = Bytes> + Send + Unpin + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response<Body>, Infallible>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let call = Call::new(self.line.clone());
        let request = request.map(|body| Rest::new(body, self.inline.clone()));
        let mut watch = Watch::new(call.clone(), request.uri().path(), request.headers());
        let at_once = |response: Response<Body>| std::future::ready(Ok(response));
        if let Some(refusal) = status::not_grpc(request.method(), request.headers()) {
            return Box::pin(watch.over(at_once(refusal)));
        }
        let refused = |status: Status| at_once(status.into_http());
        if request.headers().len() > MAX_HEADERS {
            return Box::pin(watch.over(refused(status::too_many_headers(MAX_HEADERS))));
        }
        let kind = (watch.method, watch.is_ours);
        match self.places.take(kind, request.uri().path()) {
            Ok(place) => watch.place = Some(place),
            Err(status) => return Box::pin(watch.over(refused(status))),
        }
        let exchange = self.peer.exchange(watch.is_ours);
        watch.exchange = Some(Arc::clone(&exchange));
        let told = request.headers().get_all("grpc-timeout").iter();
        let deadline = told
            .filter_map(|timeout| timeout::stated(timeout.as_bytes()))
            .min()
            .and_then(|timeout| call.arrived.checked_add(timeout));
        if !watch.is_ours {
            watch.deadline = deadline;
        }
        // The messages to health and reflection are small, and each of reflection's is answered as it comes.
        let room = watch.is_ours.then(|| self.room.clone());
        let patience = match watch.method {
            Method::Health => self.patience.min(HEALTH_PATIENCE),
            _ => self.patience,
        };
        let arrives_by = call.arrived.checked_add(patience);
        let mut request = request.map(|body| {
            let body = InTime::new(body, arrives_by, exchange, room);
            match (watch.method, &self.inline) {
                (Method::Reflection, Some(inline)) => Body::new(ahead(body, inline)),
                _ => Body::new(body),
            }
        });
        request.extensions_mut().insert(call.clone());
        let mut inner = self.inner.clone();
        let is_ours = watch.is_ours;
        let in_time = async move {
            tokio::select! {
                biased;
                response = inner.call(request) => response,
                // Handlers enforce their own deadlines; this is for requests that do not reach one. (`Watched` ends the
                // streams of those that are not ours.)
                () = until(deadline) => {
                    if is_ours && !call.record().limited {
                        telemetry::limit_stop("deadline");
                    }
                    Ok(status::failed(&Failure::DeadlineExceeded).into_http())
                }
            }
        };
        Box::pin(watch.over(in_time))
    }
}

/// One observed call. Dropping it is the end of the call.
struct Watch {
    call: Call,
    method: Method,
    is_ours: bool,
    request_id: HeaderValue,
    trace: Trace,
    place: Option<Permit>,
    exchange: Option<Arc<Exchange>>,
    /// When its answer has to end, if its handler does not see to that.
    deadline: Option<Instant>,
    /// The code so far. A call that is dropped before it has one was cancelled.
    code: Code,
    /// Whether it was refused because of others.
    overloaded: bool,
}

impl Watch {
    fn new(call: Call, path: &str, headers: &HeaderMap) -> Self {
        let (method, is_ours) = method(path);
        telemetry::request_started(method);
        Self {
            call,
            method,
            is_ours,
            request_id: request_id(headers),
            trace: Trace::of(headers),
            place: None,
            exchange: None,
            deadline: None,
            code: Code::Cancelled,
            overloaded: false,
        }
    }

    /// Reports the call to the caller's trace.
    fn end_trace(&self, record: &Record, elapsed: Duration) -> Option<TraceId> {
        if !self.is_ours {
            return None;
        }
        self.trace.end(&Ended {
            method: self.method,
            code: code_name(self.code),
            outcome: self.outcome(record),
            request_id: self.request_id.to_str().unwrap_or_default(),
            shape: record.shape,
            objective: record.objective,
            length: record.length,
            nodes: record.nodes,
            elapsed,
            searched: record.left.map(|left| (record.queued, left)),
        })
    }

    fn is_stalled(&self) -> bool {
        let exchange = self.exchange.as_ref();
        exchange.is_some_and(|exchange| exchange.answer().is_given_up())
    }

    /// The outcome in one word. An answer that was not sent whole is none.
    fn outcome(&self, record: &Record) -> &'static str {
        match (self.code, record.failure) {
            _ if self.is_stalled() => "stalled",
            (Code::Ok, _) => record.answer.unwrap_or("done"),
            (_, Some(failure)) => failure,
            (Code::Cancelled, None) => "cancelled",
            (Code::DeadlineExceeded, None) => "deadline",
            (Code::Unavailable, None) => "draining",
            (Code::Internal | Code::Unknown, None) => "defect",
            (_, None) => "refused",
        }
    }

    async fn over<F>(mut self, response: F) -> Result<Response<Body>, Infallible>
    where
        F: Future<Output = Result<Response<Body>, Infallible>>,
    {
        if let Some(exchange) = &self.exchange {
            exchange.starts();
        }
        let Ok(mut response) = caught("handler", response)
            .await
            .unwrap_or_else(|| Ok(status::defect().into_http()));
        if let Some(status) = refused_by_transport(response.headers(), self.is_ours) {
            response = status.into_http();
        }
        if let Some(code) = code(response.headers()) {
            self.code = code;
            self.overloaded =
                code == Code::ResourceExhausted && status::is_to_come_again(response.headers());
        }
        let mut id = self.request_id.clone();
        // HTTP/2 header compression stores headers that may repeat, which costs as much as all
        // other work on a header. This one never repeats, so it is not stored.
        id.set_sensitive(true);
        response.headers_mut().insert(REQUEST_ID, id);
        if let Some(exchange) = &self.exchange {
            exchange.answer().begins();
        }
        Ok(response.map(|body| Body::new(Watched::new(body, self))))
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let elapsed = self.call.arrived.elapsed();
        let code = code_name(self.code);
        telemetry::request_handled(self.method, (self.code as usize, code), elapsed);
        if self.is_stalled() {
            telemetry::call_stalled();
        }
        let record = self.call.record();
        if let (Code::Ok, Some(solved), Some(shape), Some(objective)) =
            (self.code, record.solved, record.shape, record.objective)
        {
            telemetry::solved(shape.cells(), objective, solved.slides, solved.elapsed);
        }
        let trace_id = self.end_trace(&record, elapsed);
        let id = self.request_id.to_str().unwrap_or_default();
        // Refusals because of overload or a token are counted in other lines, at most one a second
        // for each cause. A search that had begun before it lacked memory has its own line.
        let was_begun = record.failure == Some(Failure::Shortage.name());
        let is_told_elsewhere = self.overloaded && !was_begun || self.code == Code::Unauthenticated;
        if self.is_ours && !is_told_elsewhere {
            tracing::info!(
                method = self.method.name(),
                client = record.client.as_ref().map(tracing::field::display),
                size = record.shape.map(tracing::field::display),
                objective = record.objective,
                outcome = self.outcome(&record),
                code,
                length = record.length,
                nodes = record.nodes,
                queued_us = record.queued.as_micros() as u64,
                elapsed_us = elapsed.as_micros() as u64,
                request_id = id,
                trace_id = trace_id.map(tracing::field::display),
                "request"
            );
        } else {
            tracing::debug!(
                method = self.method.name(),
                code,
                request_id = id,
                "request"
            );
        }
    }
}

/// The method that a path is counted under, and whether it belongs to loyd's own service.
fn method(path: &str) -> (Method, bool) {
    if let Some(name) = path.strip_prefix("/loyd.v1.PuzzleService/") {
        let mut ours = Method::OURS.into_iter();
        let method = ours.find(|method| method.name() == name);
        (method.unwrap_or(Method::Unknown), true)
    } else if path.starts_with("/grpc.health.v1.Health/") {
        (Method::Health, false)
    } else if path.starts_with("/grpc.reflection.") {
        (Method::Reflection, false)
    } else {
        (Method::Unknown, false)
    }
}

/// The caller's id for the request, or a new one.
fn request_id(headers: &HeaderMap) -> HeaderValue {
    headers
        .get(REQUEST_ID)
        .filter(|id| (1..=MAX_REQUEST_ID).contains(&id.len()))
        .filter(|id| id.as_bytes().iter().all(|byte| matches!(byte, b' '..=b'~')))
        .cloned()
        .unwrap_or_else(|| {
            HeaderValue::try_from(format!("{:016x}", new_id()))
                .unwrap_or_else(|_| HeaderValue::from_static("0"))
        })
}

/// An id that no other call has. The system is asked for randomness only once.
fn new_id() -> u64 {
    static BEGINNING: LazyLock<u64> = LazyLock::new(|| getrandom::u64().unwrap_or_default());
    static CALLS: AtomicU64 = AtomicU64::new(0);
    // An odd factor maps different numbers to different numbers.
    let call = CALLS.fetch_add(1, Ordering::Relaxed);
    BEGINNING.wrapping_add(call.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

fn code(headers: &HeaderMap) -> Option<Code> {
    let status = headers.get(Status::GRPC_STATUS)?;
    Some(Code::from_bytes(status.as_bytes()))
}

/// The status, in the contract's terms, of a call that no handler of ours has answered.
fn refused_by_transport(headers: &HeaderMap, is_ours: bool) -> Option<Status> {
    if headers.contains_key(Status::GRPC_STATUS_DETAILS) {
        return None;
    }
    status::transport(&Status::from_header_map(headers)?, is_ours)
}
