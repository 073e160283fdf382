//! Asks the listener of a server's metrics over HTTP.

use std::fmt;
use std::time::Duration;

use http::header::HOST;
use http::uri::PathAndQuery;
use http::{Request, StatusCode, Uri};
use http_body_util::{BodyExt, Empty, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tonic::codegen::Bytes;

use super::backend::with_scheme;
use super::{Failure, Samples};

/// The most bytes of an answer: more than any loyd server sends.
const MAX_BYTES: usize = 16 << 20;

/// How long a server may take to tell its metrics.
const PATIENCE: Duration = Duration::from_secs(5);

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Where metrics are served.
#[derive(Clone, Debug)]
pub(super) struct Source(Uri);

impl Source {
    /// Fetches the current metrics.
    ///
    /// # Errors
    /// When they cannot be read, or are not loyd's.
    pub(super) async fn scrape(&self) -> Result<Samples, Failure> {
        let path = self.0.path_and_query().map_or("/", |path| path.as_str());
        let fail = |cause: String| self.failure(path, cause);
        let late = |_| Err(fail(format!("no answer within {} s", PATIENCE.as_secs())));
        let answer = tokio::time::timeout(PATIENCE, self.get(path)).await;
        let (status, text) = answer.unwrap_or_else(late)?;
        if !status.is_success() {
            return Err(fail(format!("the server answered {status}")));
        }
        let samples = Samples::read(&text);
        if samples.sum("loyd_build_info", &[]) == 0.0 {
            return Err(fail("these are not the metrics of loyd".to_owned()));
        }
        Ok(samples)
    }

    /// Asks a probe, however long it takes, and returns whether it answers that all is well (200) or not (503).
    ///
    /// # Errors
    /// When there is no answer, or another one.
    pub(super) async fn probe(&self, path: &str) -> Result<bool, Failure> {
        match self.get(path).await?.0 {
            StatusCode::OK => Ok(true),
            StatusCode::SERVICE_UNAVAILABLE => Ok(false),
            status => Err(self.failure(path, format!("the server answered {status}"))),
        }
    }

    async fn get(&self, path: &str) -> Result<(StatusCode, String), Failure> {
        let answer = self.fetch(path).await;
        answer.map_err(|error| self.failure(path, error.to_string()))
    }

    async fn fetch(&self, path: &str) -> Result<(StatusCode, String), BoxError> {
        let (host, port) = (self.0.host().unwrap_or_default(), self.0.port_u16());
        // An IPv6 address is in brackets.
        let host = host.trim_matches(['[', ']']);
        let stream = TcpStream::connect((host, port.unwrap_or(80))).await?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        let request = Request::get(path).header(HOST, self.authority());
        let response = sender
            .send_request(request.body(Empty::<Bytes>::new())?)
            .await?;
        let status = response.status();
        let body = Limited::new(response.into_body(), MAX_BYTES);
        let text = String::from_utf8(body.collect().await?.to_bytes().into())?;
        Ok((status, text))
    }

    fn authority(&self) -> &str {
        let authority = self.0.authority();
        authority.map_or("", |authority| authority.as_str())
    }

    /// What is wrong with the answer from a path, or why there is none.
    fn failure(&self, path: &str, cause: String) -> Failure {
        Failure::Unmeasured {
            url: format!("http://{}{path}", self.authority()),
            cause,
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// Parses a URL, whose `http://` may be missing. Without a path it means `/metrics`.
pub(super) fn source(text: &str) -> Result<Source, String> {
    let mut parts = Uri::try_from(with_scheme(text))
        .map_err(|error| error.to_string())?
        .into_parts();
    if parts
        .path_and_query
        .as_ref()
        .is_some_and(|path| path == "/")
    {
        parts.path_and_query = Some(PathAndQuery::from_static("/metrics"));
    }
    match Uri::from_parts(parts) {
        Ok(uri) if uri.scheme_str() == Some("http") && uri.host().is_some() => Ok(Source(uri)),
        _ => Err("use a URL such as http://127.0.0.1:9464/metrics".to_owned()),
    }
}
