//! The service that answers: inside this process, or elsewhere.

use std::env::{self, VarError};
use std::fs;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::time::Duration;

use clap::Args;
use futures_util::Stream;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tonic::codec::CompressionEncoding;
use tonic::metadata::AsciiMetadataValue;
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity};
use tonic::{Request, Status};

use super::Failure;
use super::refusal::bottom;
use crate::config::time;
use crate::service::proto::puzzle_service_client::PuzzleServiceClient;
use crate::service::proto::puzzle_service_server::PuzzleService;
use crate::service::proto::{
    CheckSolvableRequest, CheckSolvableResponse, GenerateRequest, GenerateResponse,
    SolveStreamRequest, SolveStreamResponse,
};
use crate::text::unmarked;

/// The most bytes of any answer: a million cells and as many moves again.
const MAX_RESPONSE: usize = 64 << 20;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// How often a silent server is pinged, and how long it may take to reply.
const KEEPALIVE: Duration = Duration::from_secs(10);

/// Which server to ask, if any.
#[derive(Args, Clone, Debug, Default)]
pub struct ServerArgs {
    /// Ask a running `loyd serve`, such as http://127.0.0.1:50051 (https: with TLS), instead of working in this process.
    #[arg(long, value_name = "URL", value_parser = server_url)]
    pub server: Option<String>,

    /// The deadline of the call to the server, such as 2s.
    #[arg(long, value_name = "TIME", requires = "server", value_parser = call_deadline)]
    pub timeout: Option<Duration>,

    /// The TLS settings.
    #[command(flatten)]
    pub tls: TlsArgs,

    /// The file with the token to send; default: the variable LOYD_TOKEN.
    #[arg(long, value_name = "FILE", requires = "server")]
    pub token_from: Option<PathBuf>,
}

/// How to speak TLS to a server.
#[derive(Args, Clone, Debug, Default)]
pub struct TlsArgs {
    /// The authorities, as PEM, by which to trust the server's certificate; default: those of this machine.
    #[arg(long, value_name = "FILE", requires = "server")]
    pub tls_ca: Option<PathBuf>,

    /// The client certificate and chain, as PEM, to show to the server.
    #[arg(long, value_name = "FILE", requires_all = ["server", "tls_key"])]
    pub tls_cert: Option<PathBuf>,

    /// The private key of --tls-cert, as PEM.
    #[arg(long, value_name = "FILE", requires_all = ["server", "tls_cert"])]
    pub tls_key: Option<PathBuf>,
}

/// A client of a server, which sends the token if there is one.
pub(super) type Client = PuzzleServiceClient<InterceptedService<Channel, Bearer>>;

/// Adds the token, if there is one, to each call.
#[derive(Clone, Debug)]
pub struct Bearer(Option<AsciiMetadataValue>);

impl Interceptor for Bearer {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(token) = &self.0 {
            let metadata = request.metadata_mut();
            metadata.insert("authorization", token.clone());
        }
        Ok(request)
    }
}

impl TlsArgs {
    const fn is_given(&self) -> bool {
        self.tls_ca.is_some() || self.tls_cert.is_some()
    }

    fn config(&self) -> Result<ClientTlsConfig, Failure> {
        let config = match &self.tls_ca {
            None => ClientTlsConfig::new().with_enabled_roots(),
            Some(path) => {
                let pem = read(path)?;
                // Without this check, every server would seem to be signed by an unknown authority.
                CertificateDer::from_pem_slice(&pem).map_err(|_| {
                    Failure::Input(format!(
                        "--tls-ca {}: it holds no PEM certificate",
                        path.display()
                    ))
                })?;
                ClientTlsConfig::new().ca_certificate(Certificate::from_pem(pem))
            }
        };
        Ok(match (&self.tls_cert, &self.tls_key) {
            (Some(cert), Some(key)) => config.identity(Identity::from_pem(read(cert)?, read(key)?)),
            _ => config,
        })
    }
}

impl ServerArgs {
    /// Returns the token to send, if there is one.
    fn bearer(&self) -> Result<Bearer, Failure> {
        let token = match &self.token_from {
            Some(path) => String::from_utf8_lossy(&read(path)?).into_owned(),
            None => match env::var("LOYD_TOKEN") {
                Err(VarError::NotUnicode(_)) => {
                    return Err(Failure::Input(
                        "the token in LOYD_TOKEN is not text".to_owned(),
                    ));
                }
                token => token.unwrap_or_default(),
            },
        };
        let token = unmarked(&token).trim();
        if token.is_empty() {
            return Ok(Bearer(None));
        }
        if token.contains(char::is_whitespace) {
            // Such as both lines that `loyd token` prints.
            return Err(Failure::Input(
                "a token is one word: give only the token, without the label".to_owned(),
            ));
        }
        let value = AsciiMetadataValue::try_from(format!("Bearer {token}"));
        let mut value = value.map_err(|_| Failure::Input("the token is not text".to_owned()))?;
        value.set_sensitive(true);
        Ok(Bearer(Some(value)))
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let failed = |error| Failure::Input(format!("cannot read {}: {error}", path.display()));
    fs::read(path).map_err(failed)
}

/// The events of one `SolveStream` call. Dropping it early cancels the call.
pub type Events = Pin<Box<dyn Stream<Item = Result<SolveStreamResponse, Status>> + Send>>;

/// The service that answers.
#[derive(Debug)]
pub enum Backend<S> {
    /// The service inside this process.
    Local(S),
    /// A client of a server, and the deadline of calls to it.
    Remote(Box<Client>, Option<Duration>),
}

impl<S: PuzzleService> Backend<S> {
    /// Connects to the server that `args` names, or else takes the service that `local` makes.
    ///
    /// # Errors
    /// When the server cannot be reached, or `local` fails.
    pub async fn choose(
        args: &ServerArgs,
        local: impl FnOnce() -> Result<S, Failure>,
    ) -> Result<Self, Failure> {
        let Some(server) = &args.server else {
            return local().map(Self::Local);
        };
        let client = connect(args, server).await?;
        Ok(Self::Remote(Box::new(client), args.timeout))
    }

    /// Calls `SolveStream`.
    ///
    /// # Errors
    /// The service's refusal, here or in the stream.
    pub async fn solve_stream(&self, message: SolveStreamRequest) -> Result<Events, Status> {
        let request = self.request(message);
        Ok(match self {
            Self::Local(service) => Box::pin(service.solve_stream(request).await?.into_inner()),
            Self::Remote(client, _) => {
                Box::pin(client.clone().solve_stream(request).await?.into_inner())
            }
        })
    }

    /// Calls `CheckSolvable`.
    ///
    /// # Errors
    /// The service's refusal.
    pub async fn check(
        &self,
        message: CheckSolvableRequest,
    ) -> Result<CheckSolvableResponse, Status> {
        let request = self.request(message);
        let response = match self {
            Self::Local(service) => service.check_solvable(request).await,
            Self::Remote(client, _) => client.clone().check_solvable(request).await,
        };
        Ok(response?.into_inner())
    }

    /// Calls `Generate`.
    ///
    /// # Errors
    /// The service's refusal.
    pub async fn generate(&self, message: GenerateRequest) -> Result<GenerateResponse, Status> {
        let request = self.request(message);
        let response = match self {
            Self::Local(service) => service.generate(request).await,
            Self::Remote(client, _) => client.clone().generate(request).await,
        };
        Ok(response?.into_inner())
    }

    fn request<T>(&self, message: T) -> Request<T> {
        match self {
            Self::Local(_) => Request::new(message),
            Self::Remote(_, deadline) => with_deadline(message, *deadline),
        }
    }
}

/// Connects to a server and returns a client that can call it.
///
/// # Errors
/// When the server cannot be reached, or a file that `args` names cannot be used.
pub(super) async fn connect(args: &ServerArgs, server: &str) -> Result<Client, Failure> {
    let channel = channel(&args.tls, server).await?;
    Ok(
        PuzzleServiceClient::with_interceptor(channel, args.bearer()?)
            .max_decoding_message_size(MAX_RESPONSE)
            .accept_compressed(CompressionEncoding::Gzip),
    )
}

/// Connects to a server.
///
/// # Errors
/// When the server cannot be reached, or a file that `tls` names cannot be used, or would not be.
pub(super) async fn channel(tls: &TlsArgs, server: &str) -> Result<Channel, Failure> {
    let unreachable = |error: tonic::transport::Error| unreachable(server, &error);
    let mut endpoint = Endpoint::from_shared(server.to_owned()).map_err(unreachable)?;
    if endpoint.uri().scheme_str() == Some("https") {
        let unusable = |error: tonic::transport::Error| {
            let cause = bottom(&error);
            Failure::Input(format!(
                "the file of --tls-ca, --tls-cert or --tls-key cannot be used: {cause}"
            ))
        };
        endpoint = endpoint.tls_config(tls.config()?).map_err(unusable)?;
    } else if tls.is_given() {
        return Err(Failure::Input(format!(
            "--tls-ca and --tls-cert would not be used, as {server} is an address without TLS: begin it with https://"
        )));
    }
    endpoint
        .connect_timeout(CONNECT_TIMEOUT)
        .http2_keep_alive_interval(KEEPALIVE)
        .keep_alive_timeout(KEEPALIVE)
        .connect()
        .await
        .map_err(unreachable)
}

/// Returns the failure for a connection that broke or could not be made.
pub(super) fn unreachable(server: &str, error: &(dyn std::error::Error + 'static)) -> Failure {
    Failure::Unreachable {
        server: server.to_owned(),
        cause: bottom(error).to_string(),
    }
}

pub(super) fn with_deadline<T>(message: T, deadline: Option<Duration>) -> Request<T> {
    let mut request = Request::new(message);
    if let Some(deadline) = deadline {
        request.set_timeout(deadline);
    }
    request
}

/// The longest deadline of a call. The protocol allows eight digits of hours.
const LONGEST_DEADLINE: Duration = Duration::from_secs(365 * 24 * 3600);

/// Parses the deadline of a call: a time of more than zero, such as 50ms.
pub(super) fn call_deadline(text: &str) -> Result<Duration, String> {
    let deadline = time(text)?;
    if deadline > LONGEST_DEADLINE {
        return Err("must be at most 365days".to_owned());
    }
    Ok(deadline)
}

/// Returns a URL, whose `http://` may be missing, as a whole.
pub(super) fn with_scheme(text: &str) -> String {
    let scheme = if text.contains("://") { "" } else { "http://" };
    format!("{scheme}{text}")
}

/// Parses a URL; `host:port` alone means plain HTTP/2.
pub(super) fn server_url(text: &str) -> Result<String, String> {
    let url = with_scheme(text);
    match url.parse::<http::Uri>() {
        Ok(uri) if !matches!(uri.scheme_str(), Some("http" | "https")) => {
            Err("only http:// and https:// are supported".to_owned())
        }
        Ok(uri) if uri.port().is_none() => {
            let authority = uri.authority().map_or("", |authority| authority.as_str());
            let (_, port) = authority.rsplit_once(':').unwrap_or_default();
            Err(if port.is_empty() || port.ends_with(']') {
                "the port is missing: loyd serves on 50051 by default".to_owned()
            } else {
                format!("{port} is not a port: use 1 to 65535")
            })
        }
        Ok(uri) if !matches!(uri.path(), "" | "/") || uri.query().is_some() => Err(format!(
            "the path {} would not be used: leave it out",
            uri.path_and_query().map_or("", |path| path.as_str())
        )),
        Ok(uri)
            if uri
                .authority()
                .is_some_and(|authority| authority.as_str().contains('@')) =>
        {
            Err("a name before @ would not be used: leave it out".to_owned())
        }
        Ok(_) => Ok(url),
        Err(error) => Err(error.to_string()),
    }
}
