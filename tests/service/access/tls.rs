//! TLS: which servers a client trusts, and which clients the server lets in.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use loyd::service::proto::puzzle_service_client::PuzzleServiceClient;
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, IsCa, Issuer, KeyPair, SanType,
    date_time_ymd,
};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::version::{TLS12, TLS13};
use tokio_rustls::rustls::{ClientConfig, HandshakeKind, RootCertStore, SupportedProtocolVersion};
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Identity};

use crate::harness::{Service, ask, hardest, in_time, try_start};
use crate::log::Log;
use crate::raw::read_to_end;

/// What HTTP/2 begins with.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// An authority that signs certificates in a test.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

/// A certificate and its key, as PEM.
struct Signed {
    certificate: String,
    key: String,
}

impl Authority {
    fn new() -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let pem = params.self_signed(&key).unwrap().pem();
        let issuer = Issuer::new(params, key);
        Self { issuer, pem }
    }

    fn sign(&self, params: &CertificateParams) -> Signed {
        let key = KeyPair::generate().unwrap();
        Signed {
            certificate: params.signed_by(&key, &self.issuer).unwrap().pem(),
            key: key.serialize_pem(),
        }
    }

    fn for_server(&self) -> Signed {
        self.sign(&CertificateParams::new(["127.0.0.1".to_owned()]).unwrap())
    }

    /// A certificate of a server that was valid from the first year to the second.
    fn for_server_in(&self, from: i32, until: i32) -> Signed {
        let mut params = CertificateParams::new(["127.0.0.1".to_owned()]).unwrap();
        params.not_before = date_time_ymd(from, 1, 1);
        params.not_after = date_time_ymd(until, 1, 1);
        self.sign(&params)
    }

    fn for_client(&self, names: Vec<SanType>, common: &str) -> Signed {
        let mut params = CertificateParams::default();
        params.subject_alt_names = names;
        params.distinguished_name = DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, common);
        self.sign(&params)
    }

    /// A client configuration that trusts only this authority.
    fn trusted(&self) -> ClientTlsConfig {
        ClientTlsConfig::new().ca_certificate(Certificate::from_pem(&self.pem))
    }
}

fn shown(config: ClientTlsConfig, signed: &Signed) -> ClientTlsConfig {
    config.identity(Identity::from_pem(&signed.certificate, &signed.key))
}

/// The files of a server's TLS, as its flags name them.
struct Files {
    folder: TempDir,
}

impl Files {
    fn new(signed: &Signed, client_authority: Option<&Authority>) -> Self {
        let files = Self {
            folder: TempDir::new().unwrap(),
        };
        files.write(signed);
        if let Some(authority) = client_authority {
            fs::write(files.path("clients"), &authority.pem).unwrap();
        }
        files
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, signed: &Signed) {
        fs::write(self.path("key"), &signed.key).unwrap();
        fs::write(self.path("certificate"), &signed.certificate).unwrap();
    }

    fn flags(&self) -> Vec<String> {
        let flag = |flag: &str, name: &str| [flag.to_owned(), text(&self.path(name))];
        let mut flags = [flag("--tls-cert", "certificate"), flag("--tls-key", "key")].concat();
        if self.path("clients").exists() {
            flags.extend(flag("--tls-client-ca", "clients"));
        }
        flags
    }

    /// Why a server does not start with these files.
    async fn fault(&self) -> String {
        let flags = self.flags();
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        try_start(&flags).await.unwrap_err().to_string()
    }

    async fn serve(&self, flags: &[&str]) -> Service {
        let own = self.flags();
        let all: Vec<&str> = own
            .iter()
            .map(String::as_str)
            .chain(flags.iter().copied())
            .collect();
        Service::with(&all).await
    }
}

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

/// Whether a call is answered.
async fn answered(service: &Service, config: ClientTlsConfig) -> bool {
    let url = format!("https://{}", service.address);
    let endpoint = Channel::from_shared(url).unwrap().tls_config(config);
    let Ok(channel) = endpoint.unwrap().connect().await else {
        return false;
    };
    let mut client = PuzzleServiceClient::new(channel);
    client.solve(ask(hardest())).await.is_ok()
}

/// Waits until those who trust this authority are answered.
async fn comes_to_answer(service: &Service, authority: &Authority) {
    in_time(async {
        while !answered(service, authority.trusted()).await {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_client_that_trusts_the_server_is_answered() {
    let (ours, other) = (Authority::new(), Authority::new());
    let service = Files::new(&ours.for_server(), None).serve(&[]).await;
    assert!(answered(&service, ours.trusted()).await);
    assert!(!answered(&service, other.trusted()).await);
}

#[tokio::test]
async fn tls_may_be_served_to_all_the_world() {
    let ours = Authority::new();
    let files = Files::new(&ours.for_server(), None);
    let mut flags = files.flags();
    flags.extend(["--listen".to_owned(), "0.0.0.0:0".to_owned()]);
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    assert!(try_start(&flags).await.unwrap().has_tls());
}

#[tokio::test]
async fn a_client_without_a_certificate_that_is_needed_is_not_let_in() {
    let (ours, other) = (Authority::new(), Authority::new());
    let files = Files::new(&ours.for_server(), Some(&ours));
    let service = files.serve(&[]).await;
    assert!(!answered(&service, ours.trusted()).await);
    let foreign = other.for_client(vec![], "foreign");
    assert!(!answered(&service, shown(ours.trusted(), &foreign)).await);
    let client = ours.for_client(vec![], "lobby");
    assert!(answered(&service, shown(ours.trusted(), &client)).await);
}

/// How the second handshake of a client goes that resumes sessions where it may.
async fn comes_back(
    service: &Service,
    authority: &Authority,
    version: &'static SupportedProtocolVersion,
) -> Option<HandshakeKind> {
    let client = authority.for_client(vec![], "lobby");
    let certificate = |pem: &str| CertificateDer::from_pem_slice(pem.as_bytes()).unwrap();
    let key = PrivateKeyDer::from_pem_slice(client.key.as_bytes()).unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(certificate(&authority.pem)).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(&[version])
        .unwrap()
        .with_root_certificates(roots)
        .with_client_auth_cert(vec![certificate(&client.certificate)], key)
        .unwrap();
    let connector = TlsConnector::from(Arc::new(config));
    let mut kind = None;
    for _ in 0..2 {
        let stream = TcpStream::connect(service.address).await.unwrap();
        let name = "127.0.0.1".try_into().unwrap();
        let mut stream = connector.connect(name, stream).await.unwrap();
        kind = stream.get_ref().1.handshake_kind();
        stream.write_all(PREFACE).await.unwrap();
        // What a session is resumed by comes before the first byte of HTTP/2.
        in_time(stream.read_u8()).await.unwrap();
    }
    kind
}

#[tokio::test]
async fn a_certificate_that_is_needed_is_shown_each_time_a_client_connects() {
    let ours = Authority::new();
    for (needed, kind) in [
        (Some(&ours), HandshakeKind::Full),
        (None, HandshakeKind::Resumed),
    ] {
        let files = Files::new(&ours.for_server(), needed);
        let service = files.serve(&[]).await;
        for version in [&TLS12, &TLS13] {
            assert_eq!(comes_back(&service, &ours, version).await, Some(kind));
        }
    }
}

#[tokio::test]
async fn a_certificate_names_its_client() {
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_writer(log.clone())
        .finish();
    // For the whole process: without such a subscriber, what other tests log at the same time may
    // make tracing conclude that nobody wants these lines.
    tracing::subscriber::set_global_default(subscriber).unwrap();
    let ours = Authority::new();
    let files = Files::new(&ours.for_server(), Some(&ours));
    let service = files.serve(&[]).await;

    let dns = |name: &str| SanType::DnsName(name.try_into().unwrap());
    let uri = |name: &str| SanType::URI(name.try_into().unwrap());
    for (names, common, expected) in [
        (
            vec![uri("spiffe://game/a"), dns("lobby.game")],
            "cn",
            "lobby.game",
        ),
        (
            vec![uri("spiffe://game/arena")],
            "cn",
            "spiffe://game/arena",
        ),
        (vec![], "plain-name", "plain-name"),
    ] {
        let client = ours.for_client(names, common);
        assert!(answered(&service, shown(ours.trusted(), &client)).await);
        let logged = format!("\"client\":\"{expected}\"");
        let mut text = log.take();
        in_time(async {
            while !text.contains(&logged) {
                tokio::time::sleep(Duration::from_millis(5)).await;
                text += &log.take();
            }
        })
        .await;
    }
}

#[tokio::test]
async fn a_new_certificate_is_served_without_a_restart() {
    let (old, new) = (Authority::new(), Authority::new());
    let files = Files::new(&old.for_server(), None);
    let service = files.serve(&[]).await;
    assert!(answered(&service, old.trusted()).await);

    // A key that does not match is rejected.
    fs::write(files.path("key"), new.for_server().key).unwrap();
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    assert!(answered(&service, old.trusted()).await);

    files.write(&new.for_server());
    comes_to_answer(&service, &new).await;
    assert!(!answered(&service, old.trusted()).await);
}

#[tokio::test]
async fn a_certificate_that_is_not_valid_now_does_not_replace_one_that_is() {
    let ours = Authority::new();
    let files = Files::new(&ours.for_server(), None);
    let service = files.serve(&[]).await;
    for (from, until) in [(2020, 2021), (3000, 3001)] {
        files.write(&ours.for_server_in(from, until));
        tokio::time::sleep(Duration::from_millis(1_500)).await;
        assert!(answered(&service, ours.trusted()).await);
    }
}

#[tokio::test]
async fn a_certificate_that_is_not_valid_now_is_served_with_a_warning_and_replaced() {
    let ours = Authority::new();
    for (from, until, fault) in [
        (
            2020,
            2021,
            "the certificate of --tls-cert expired on Jan  1 00:00:00 2021 +00:00",
        ),
        (
            3000,
            3001,
            "the certificate of --tls-cert is not valid before Jan  1 00:00:00 3000 +00:00",
        ),
    ] {
        let files = Files::new(&ours.for_server_in(from, until), None);
        let log = Log::default();
        let listening = log.listen();
        let service = files.serve(&[]).await;
        drop(listening);
        let text = log.take();
        assert!(text.contains(fault), "{text}");
        assert!(!answered(&service, ours.trusted()).await);
        files.write(&ours.for_server());
        comes_to_answer(&service, &ours).await;
    }
}

#[tokio::test]
async fn a_mounted_secret_may_be_exchanged_as_kubernetes_does_it() {
    let (old, new) = (Authority::new(), Authority::new());
    let files = Files::new(&old.for_server(), None);
    for (version, authority) in [("v1", &old), ("v2", &new)] {
        fs::create_dir(files.path(version)).unwrap();
        let signed = authority.for_server();
        fs::write(files.path(version).join("certificate"), signed.certificate).unwrap();
        fs::write(files.path(version).join("key"), signed.key).unwrap();
    }
    symlink("v1", files.path("..data")).unwrap();
    for name in ["certificate", "key"] {
        fs::remove_file(files.path(name)).unwrap();
        symlink(format!("..data/{name}"), files.path(name)).unwrap();
    }
    let service = files.serve(&[]).await;
    assert!(answered(&service, old.trusted()).await);
    symlink("v2", files.path("..next")).unwrap();
    fs::rename(files.path("..next"), files.path("..data")).unwrap();
    comes_to_answer(&service, &new).await;
}

#[tokio::test]
async fn handshakes_that_come_to_nothing_do_no_harm() {
    let ours = Authority::new();
    let files = Files::new(&ours.for_server(), None);
    let service = files.serve(&["--handshake-timeout", "200ms"]).await;
    // One client says nothing, one stops in the middle, one does not speak TLS.
    for words in [&b""[..], b"\x16\x03\x01\x02\x00\x01", PREFACE] {
        let mut stream = TcpStream::connect(service.address).await.unwrap();
        stream.write_all(words).await.unwrap();
        // Nothing but an alert comes back.
        assert!(read_to_end(&mut stream).await.len() < 100);
    }
    // On a busy machine a whole one may be too late as well.
    comes_to_answer(&service, &ours).await;
}

#[tokio::test]
async fn files_that_cannot_be_used_are_named() {
    let ours = Authority::new();
    let good = ours.for_server();
    for (broken, flag) in [
        ("certificate", "--tls-cert"),
        ("key", "--tls-key"),
        ("clients", "--tls-client-ca"),
    ] {
        let files = Files::new(&good, Some(&ours));
        fs::write(files.path(broken), "nothing").unwrap();
        let error = files.fault().await;
        assert!(error.contains(flag), "{error}");
    }
    // A key that lost its line ends must not appear in the log.
    for (name, cut) in [
        ("key", good.key.replace('\n', "")),
        ("certificate", good.key.replace('\n', " ")),
    ] {
        let files = Files::new(&good, None);
        fs::write(files.path(name), cut).unwrap();
        let error = files.fault().await;
        assert!(error.contains("--tls-") && error.len() < 200, "{error}");
        assert!(!error.contains("45, 45"), "no bytes of it: {error}");
    }
    for (name, flag) in [
        ("certificate", "--tls-cert"),
        ("key", "--tls-key"),
        ("clients", "--tls-client-ca"),
    ] {
        let files = Files::new(&good, Some(&ours));
        let flags = files.flags();
        let path = files.path(name);
        fs::remove_file(&path).unwrap();
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        let error = try_start(&flags).await.unwrap_err().to_string();
        assert!(
            error.contains(&format!("{flag} {}: ", text(&path))),
            "{error}"
        );
    }
}
