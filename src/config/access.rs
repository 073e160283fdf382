//! Settings that control who may call, and how calls are protected.

use std::path::PathBuf;

use clap::Args;
use clap::builder::BoolishValueParser;
use http::HeaderName;

/// Settings that control who may call, and how calls are protected.
#[derive(Args, Clone, Debug)]
pub struct AccessArgs {
    /// The server's certificate and its chain, as PEM; turns on TLS. The files of TLS and tokens are read again when they change.
    #[arg(long, env = "LOYD_TLS_CERT", value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,

    /// The private key of --tls-cert, as PEM.
    #[arg(long, env = "LOYD_TLS_KEY", value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,

    /// The authorities, as PEM, one of which must have signed a client's certificate; without this, clients need no certificate. A client is known by its certificate's first DNS name, else its first URI, else its common name.
    #[arg(
        long,
        env = "LOYD_TLS_CLIENT_CA",
        value_name = "FILE",
        requires = "tls_cert"
    )]
    pub tls_client_ca: Option<PathBuf>,

    /// Allow listening without TLS on addresses that others can reach: for trusted networks, and behind a proxy that terminates TLS.
    #[arg(long, env = "LOYD_INSECURE", value_parser = BoolishValueParser::new())]
    pub insecure: bool,

    /// The file of accepted tokens, of which a call must bring one. Each line, as `loyd token` prints it after `line:`, has a client's name, the token's SHA-256 and the client's weight, 1 if it is left out. Health checks need no token.
    #[arg(long, env = "LOYD_TOKEN_FILE", value_name = "FILE")]
    pub token_file: Option<PathBuf>,

    /// The header in which a trusted proxy names the client, such as x-loyd-client. Without such a proxy, anyone could take any name. Not beside --tls-client-ca or --token-file, with which the certificate or the token does.
    #[arg(long, env = "LOYD_CLIENT_HEADER", value_name = "HEADER")]
    pub client_header: Option<HeaderName>,
}
