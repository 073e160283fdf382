//! The metrics of the test's own process.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::LazyLock;

use loyd::cli::Samples;
use loyd::telemetry::install_metrics;

/// What this process has told since the first call of this, which comes before anything is told.
pub(crate) fn told() -> Samples {
    static METRICS: LazyLock<SocketAddr> =
        LazyLock::new(|| install_metrics(([127, 0, 0, 1], 0).into()).unwrap());
    let mut stream = TcpStream::connect(*METRICS).unwrap();
    let request = b"GET /metrics HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    stream.write_all(request).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    Samples::read(&text)
}
