//! Who answers: the service inside this process, or one elsewhere.

use std::pin::Pin;
use std::time::Duration;

use clap::Args;
use tokio_stream::Stream;
use tonic::codec::CompressionEncoding;
use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Status};

use super::Failure;
use crate::service::proto::puzzle_service_client::PuzzleServiceClient;
use crate::service::proto::puzzle_service_server::PuzzleService;
use crate::service::proto::{
    CheckSolvableRequest, CheckSolvableResponse, GenerateRequest, GenerateResponse,
    SolveStreamRequest, SolveStreamResponse,
};

/// The most that any answer takes: a million cells and as many moves again.
const MAX_RESPONSE: usize = 64 << 20;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// How often a silent server is asked for a sign of life, and how long it may take to give one.
const KEEPALIVE: Duration = Duration::from_secs(10);

/// Where to ask.
#[derive(Args, Clone, Debug, Default)]
pub struct ServerArgs {
    /// Ask a running `loyd serve`, such as http://127.0.0.1:50051, instead of working here.
    #[arg(long, value_name = "URL", value_parser = server_url)]
    pub server: Option<String>,

    /// The deadline of the call to the server, such as 2s.
    #[arg(long, value_name = "TIME", requires = "server", value_parser = humantime::parse_duration)]
    pub timeout: Option<Duration>,
}

/// The events of one `SolveStream` call. Dropped early, the call is cancelled.
pub type Events = Pin<Box<dyn Stream<Item = Result<SolveStreamResponse, Status>> + Send>>;

/// Who answers.
#[derive(Debug)]
pub enum Backend<S> {
    /// The service inside this process.
    Here(S),
    /// A server, and the deadline of calls to it.
    There(PuzzleServiceClient<Channel>, Option<Duration>),
}

impl<S: PuzzleService> Backend<S> {
    /// Connects to the server that was named, or takes the service that `local` makes.
    ///
    /// # Errors
    /// When no server can be reached there, or `local` fails.
    pub async fn choose(
        args: &ServerArgs,
        local: impl FnOnce() -> Result<S, Failure>,
    ) -> Result<Self, Failure> {
        let Some(server) = &args.server else {
            return local().map(Self::Here);
        };
        let client = connect(server).await?;
        Ok(Self::There(client, args.timeout))
    }

    /// Calls `SolveStream`.
    ///
    /// # Errors
    /// The service's refusal, here or in the stream.
    pub async fn solve_stream(&self, request: SolveStreamRequest) -> Result<Events, Status> {
        match self {
            Self::Here(service) => {
                let response = service.solve_stream(Request::new(request)).await?;
                Ok(Box::pin(response.into_inner()))
            }
            Self::There(client, deadline) => {
                let request = with_deadline(request, *deadline);
                let response = client.clone().solve_stream(request).await?;
                Ok(Box::pin(response.into_inner()))
            }
        }
    }

    /// Calls `CheckSolvable`.
    ///
    /// # Errors
    /// The service's refusal.
    pub async fn check(
        &self,
        request: CheckSolvableRequest,
    ) -> Result<CheckSolvableResponse, Status> {
        let response = match self {
            Self::Here(service) => service.check_solvable(Request::new(request)).await,
            Self::There(client, deadline) => {
                let request = with_deadline(request, *deadline);
                client.clone().check_solvable(request).await
            }
        };
        Ok(response?.into_inner())
    }

    /// Calls `Generate`.
    ///
    /// # Errors
    /// The service's refusal.
    pub async fn generate(&self, request: GenerateRequest) -> Result<GenerateResponse, Status> {
        let response = match self {
            Self::Here(service) => service.generate(Request::new(request)).await,
            Self::There(client, deadline) => {
                let request = with_deadline(request, *deadline);
                client.clone().generate(request).await
            }
        };
        Ok(response?.into_inner())
    }
}

/// Connects to a server.
///
/// # Errors
/// When none can be reached there.
pub(super) async fn connect(server: &str) -> Result<PuzzleServiceClient<Channel>, Failure> {
    let unreachable = |error: tonic::transport::Error| Failure::Unreachable {
        server: server.to_owned(),
        cause: innermost(&error),
    };
    let channel = Endpoint::from_shared(server.to_owned())
        .map_err(unreachable)?
        .connect_timeout(CONNECT_TIMEOUT)
        .http2_keep_alive_interval(KEEPALIVE)
        .keep_alive_timeout(KEEPALIVE)
        .connect()
        .await
        .map_err(unreachable)?;
    Ok(PuzzleServiceClient::new(channel)
        .max_decoding_message_size(MAX_RESPONSE)
        .accept_compressed(CompressionEncoding::Gzip))
}

fn with_deadline<T>(message: T, deadline: Option<Duration>) -> Request<T> {
    let mut request = Request::new(message);
    if let Some(deadline) = deadline {
        request.set_timeout(deadline);
    }
    request
}

/// Reads an address; `host:port` alone means plain HTTP/2, the only way that loyd serves.
fn server_url(text: &str) -> Result<String, String> {
    let url = if text.contains("://") {
        text.to_owned()
    } else {
        format!("http://{text}")
    };
    match url.parse::<http::Uri>() {
        Ok(uri) if uri.scheme_str() != Some("http") => {
            Err("only http:// is spoken here: leave TLS to a proxy".to_owned())
        }
        Ok(uri) if uri.port().is_none() => {
            Err("the port is missing: loyd serves on 50051 by default".to_owned())
        }
        Ok(_) => Ok(url),
        Err(error) => Err(error.to_string()),
    }
}

/// The error at the bottom is the one that says what happened: "connection refused".
fn innermost(error: &dyn std::error::Error) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}
