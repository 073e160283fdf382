//! TLS: the server's certificate, and client certificates where they are required.

use std::io;
use std::sync::Arc;

use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::{NoServerSessionStorage, WebPkiClientVerifier};
use tokio_rustls::rustls::{self, RootCertStore, ServerConfig};
use tokio_rustls::server::TlsStream;
use x509_parser::extensions::GeneralName;
use x509_parser::parse_x509_certificate;
use x509_parser::time::ASN1Time;

use super::identity::Identity;
use super::reload::Reloaded;
use crate::config::AccessArgs;
use crate::telemetry;

/// The only protocol spoken over TLS.
const ALPN: &[u8] = b"h2";

/// A connection with TLS.
pub type Stream = TlsStream<TcpStream>;

/// How to answer handshakes, based on files that may change.
pub type Certificates = Reloaded<Served>;

/// What is served until the files change.
#[derive(Debug)]
pub struct Served {
    config: Arc<ServerConfig>,
    valid: Validity,
}

/// When all certificates of a chain are valid.
#[derive(Clone, Copy, Debug)]
struct Validity {
    from: ASN1Time,
    until: ASN1Time,
}

/// Reads the certificates, or returns `None` when TLS was not asked for.
///
/// # Errors
/// What is wrong with the files.
pub fn certificates(args: &AccessArgs) -> Result<Option<Arc<Certificates>>, String> {
    let (Some(chain), Some(key)) = (&args.tls_cert, &args.tls_key) else {
        return Ok(None);
    };
    let own = [("--tls-cert", chain), ("--tls-key", key)];
    let authorities = args.tls_client_ca.iter();
    let files = own
        .into_iter()
        .chain(authorities.map(|path| ("--tls-client-ca", path)))
        .map(|(setting, path)| (setting, path.clone()))
        .collect();
    Reloaded::open("certificates", files, read).map(Some)
}

/// Reads a chain, its key and, if clients need certificates, their authorities.
///
/// A chain that is not valid now does not replace one that is. At the start it is served, with a warning: health
/// checks and metrics still work, and the next chain is read without a restart.
fn read(files: &[Vec<u8>], in_use: Option<&Served>) -> Result<Served, String> {
    let [chain, key, authorities @ ..] = files else {
        return Err("a certificate and its key are needed".to_owned());
    };
    let chain = read_certificates(chain).map_err(|error| format!("--tls-cert {error}"))?;
    let key = PrivateKeyDer::from_pem_slice(key)
        .map_err(|error| format!("--tls-key holds no PEM private key: {}", fault(&error)))?;
    let valid = Validity::of(&chain).ok_or("--tls-cert holds something other than certificates")?;

    let provider = Arc::new(ring::default_provider());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_protocol_versions(&[&rustls::version::TLS13, &rustls::version::TLS12])
        .map_err(|error| error.to_string())?;
    let builder = match authorities.first() {
        None => builder.with_no_client_auth(),
        Some(authorities) => {
            let wrong = |error: &dyn std::fmt::Display| format!("--tls-client-ca {error}");
            let mut roots = RootCertStore::empty();
            for authority in read_certificates(authorities).map_err(|error| wrong(&error))? {
                roots.add(authority).map_err(|error| wrong(&error))?;
            }
            let verifier = WebPkiClientVerifier::builder_with_provider(roots.into(), provider);
            builder.with_client_cert_verifier(verifier.build().map_err(|error| wrong(&error))?)
        }
    };
    let mut config = builder
        .with_single_cert(chain, key)
        .map_err(|error| format!("--tls-cert and --tls-key do not match: {error}"))?;
    config.alpn_protocols = vec![ALPN.to_vec()];
    if !authorities.is_empty() {
        // Whoever resumes a session shows no certificate, and would be let in although it has expired.
        config.session_storage = Arc::new(NoServerSessionStorage {});
    }
    if let Some(fault) = valid.fault() {
        if in_use.is_some_and(|served| served.valid.fault().is_none()) {
            return Err(format!("--tls-cert {fault}"));
        }
        tracing::warn!("the certificate of --tls-cert {fault}");
    }
    telemetry::certificate_expires(valid.until.timestamp());
    Ok(Served {
        config: Arc::new(config),
        valid,
    })
}

fn read_certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, String> {
    let certificates = CertificateDer::pem_slice_iter(pem).collect::<Result<Vec<_>, _>>();
    match certificates {
        Ok(certificates) if certificates.is_empty() => Err("holds no PEM certificate".to_owned()),
        Ok(certificates) => Ok(certificates),
        Err(error) => Err(format!("cannot be read: {}", fault(&error))),
    }
}

/// What is wrong with a file. The error's own text can quote lines of the file, which may be those
/// of a private key.
const fn fault(error: &pem::Error) -> &'static str {
    match error {
        pem::Error::MissingSectionEnd { .. } => "a section has no end line of its own",
        pem::Error::IllegalSectionStart { .. } => "the line that begins a section is incomplete",
        pem::Error::Base64Decode(_) => "the contents of a section are not Base64",
        pem::Error::NoItemsFound => "there is no such section",
        pem::Error::SectionTooLarge => "a section is too large",
        _ => "it is not PEM",
    }
}

impl Validity {
    /// Returns when the certificates are valid, or `None` if there are none or something else is among them.
    fn of(chain: &[CertificateDer<'_>]) -> Option<Self> {
        let each = chain.iter().map(|certificate| {
            let (_, certificate) = parse_x509_certificate(certificate).ok()?;
            let valid = certificate.validity();
            Some((valid.not_before, valid.not_after))
        });
        let (from, until): (Vec<_>, Vec<_>) = each.collect::<Option<Vec<_>>>()?.into_iter().unzip();
        Some(Self {
            from: from.into_iter().max()?,
            until: until.into_iter().min()?,
        })
    }

    /// Returns what keeps clients from trusting them now.
    fn fault(&self) -> Option<String> {
        let now = ASN1Time::now();
        if self.until < now {
            Some(format!("expired on {}", self.until))
        } else if now < self.from {
            Some(format!("is not valid before {}", self.from))
        } else {
            None
        }
    }
}

/// Answers a handshake. Also returns the name in the client's certificate, if any.
///
/// # Errors
/// The label of the failure.
pub async fn handshake(
    stream: TcpStream,
    certificates: &Certificates,
) -> Result<(Stream, Option<Identity>), &'static str> {
    let acceptor = TlsAcceptor::from(Arc::clone(&certificates.current().config));
    match acceptor.accept(stream).await {
        Ok(stream) => {
            let presented = stream.get_ref().1.peer_certificates();
            let name = presented.and_then(<[_]>::first).and_then(name);
            Ok((stream, name))
        }
        Err(error) => {
            tracing::debug!(%error, "TLS handshake failed");
            Err(why(&error))
        }
    }
}

/// The name in a certificate: the first DNS name, else the first URI, else the common name.
fn name(certificate: &CertificateDer<'_>) -> Option<Identity> {
    let (_, certificate) = parse_x509_certificate(certificate).ok()?;
    let alternatives = certificate.subject_alternative_name().ok().flatten();
    let alternatives = || {
        alternatives
            .iter()
            .flat_map(|names| &names.value.general_names)
    };
    let dns = alternatives().filter_map(|name| match name {
        GeneralName::DNSName(name) => Some(*name),
        _ => None,
    });
    let uris = alternatives().filter_map(|name| match name {
        GeneralName::URI(name) => Some(*name),
        _ => None,
    });
    let subject = certificate.subject();
    let common = subject
        .iter_common_name()
        .filter_map(|name| name.as_str().ok());
    dns.chain(uris).chain(common).find_map(Identity::new)
}

/// Why a handshake failed, as one of a few labels, whatever the client sends.
fn why(error: &io::Error) -> &'static str {
    let cause = error.get_ref().and_then(|error| error.downcast_ref());
    match cause {
        None => "closed",
        Some(rustls::Error::InvalidMessage(_)) => "not_tls",
        Some(rustls::Error::NoCertificatesPresented) => "no_certificate",
        Some(rustls::Error::InvalidCertificate(_)) => "certificate",
        Some(rustls::Error::AlertReceived(_)) => "alert",
        Some(_) => "protocol",
    }
}
