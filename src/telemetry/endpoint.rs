//! Serves the metrics over HTTP, and answers probes, on a listener of its own that shares nothing with the calls.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::ready;
use std::io;
use std::net::SocketAddr;
use std::thread;
use std::time::Duration;

use http::header::CONTENT_TYPE;
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use metrics::{counter, gauge};
use metrics_exporter_prometheus::PrometheusHandle;
use metrics_process::Collector;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime;
use tokio::task::AbortHandle;

use super::{is_serving, lines};
use crate::heuristic::pattern_database::held_bytes;

/// The content type of Prometheus' text format.
const TEXT: HeaderValue = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");

/// The most connections at once: a few scrapers, each with one. One more takes the place of the oldest, so that those
/// who ask for nothing cannot keep a probe out.
const CONNECTIONS: usize = 64;

/// How long the head of a request may take, including the time since the previous request.
const HEAD_TIMEOUT: Duration = Duration::from_secs(120);

/// How long a connection may last. This bounds how slowly a scrape may be read.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(600);

/// How often histograms are aggregated, so that they do not grow between scrapes.
const UPKEEP: Duration = Duration::from_secs(5);

/// The HTTP endpoint of the metrics and of probes.
#[derive(Debug)]
pub(super) struct Endpoint {
    listener: std::net::TcpListener,
    address: SocketAddr,
}

impl Endpoint {
    /// Starts to listen.
    ///
    /// # Errors
    /// If listening on the address fails.
    pub(super) fn bind(address: SocketAddr) -> io::Result<Self> {
        let listener = std::net::TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        Ok(Self {
            address: listener.local_addr()?,
            listener,
        })
    }

    /// Returns the address that it listens on.
    pub(super) const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves requests until the process ends, on a thread of its own: writing the metrics down takes a
    /// millisecond or more, and whoever asks for them again and again is not to keep calls waiting.
    ///
    /// # Errors
    /// If the thread cannot be started.
    pub(super) fn start(self, metrics: PrometheusHandle) -> io::Result<()> {
        let runtime = runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let listener = {
            let _within = runtime.enter();
            TcpListener::from_std(self.listener)?
        };
        let serve = move || runtime.block_on(serve(listener, metrics));
        thread::Builder::new()
            .name("loyd-metrics".into())
            .spawn(serve)?;
        Ok(())
    }
}

async fn serve(listener: TcpListener, metrics: PrometheusHandle) {
    let mut served: VecDeque<AbortHandle> = VecDeque::new();
    let mut upkeep = tokio::time::interval(UPKEEP);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = upkeep.tick() => {
                metrics.run_upkeep();
                continue;
            }
        };
        let Ok((stream, _)) = accepted else {
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        served.retain(|connection| !connection.is_finished());
        if served.len() >= CONNECTIONS
            && let Some(oldest) = served.pop_front()
        {
            oldest.abort();
        }
        let conversation = converse(stream, metrics.clone());
        let connection = tokio::spawn(tokio::time::timeout(ANSWER_TIMEOUT, conversation));
        served.push_back(connection.abort_handle());
    }
}

async fn converse(stream: TcpStream, metrics: PrometheusHandle) {
    let answer = service_fn(move |request: Request<Incoming>| {
        ready(Ok::<_, Infallible>(answer(&request, &metrics)))
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .serve_connection(TokioIo::new(stream), answer);
    if let Err(error) = connection.await {
        tracing::debug!(%error, "metrics connection ended");
    }
}

fn answer(request: &Request<Incoming>, metrics: &PrometheusHandle) -> Response<Full<Bytes>> {
    let (status, body) = match (request.method(), request.uri().path()) {
        (&Method::GET | &Method::HEAD, "/metrics") => {
            // What the system knows of the process is asked only when somebody wants to know. So are the bytes of
            // pattern databases, which go with the last search that uses them, and the count of lost lines, some of
            // which are lost before there is a metric for them.
            Collector::default().collect();
            gauge!("loyd_pattern_databases_bytes").set(held_bytes() as f64);
            counter!("loyd_log_lines_lost_total").absolute(lines::lost());
            (StatusCode::OK, metrics.render())
        }
        (&Method::GET | &Method::HEAD, "/livez") => (StatusCode::OK, "alive\n".to_owned()),
        (&Method::GET | &Method::HEAD, "/readyz") if is_serving() => {
            (StatusCode::OK, "serving\n".to_owned())
        }
        (&Method::GET | &Method::HEAD, "/readyz") => (
            StatusCode::SERVICE_UNAVAILABLE,
            "not serving: starting or draining\n".to_owned(),
        ),
        _ => (
            StatusCode::NOT_FOUND,
            "Metrics are at /metrics, probes at /livez and /readyz.\n".to_owned(),
        ),
    };
    let mut response = Response::new(Full::from(body));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, TEXT);
    response
}
