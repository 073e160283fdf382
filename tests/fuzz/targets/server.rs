//! The server under attack: small limits, so that thousands of calls are answered a second.

use std::sync::LazyLock;

use clap::Parser;
use loyd::config::ServeConfig;
use loyd::service::Server;
use tokio::runtime::Runtime;

#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    serve: ServeConfig,
}

/// What a server needs.
static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap()
});

/// Where all that is asynchronous runs.
pub(super) fn runtime() -> &'static Runtime {
    &RUNTIME
}

/// A server on a port of its own.
pub(super) async fn start() -> Server {
    // The same for all runs: the first tables are made once.
    let folder = std::env::temp_dir().join("loyd-fuzz-tables");
    let arguments = Arguments::parse_from([
        "loyd",
        "--listen=127.0.0.1:0",
        "--workers=1",
        "--max-time=5ms",
        "--default-time=1ms",
        "--max-memory=16M",
        "--table-memory=1M",
        "--build-memory=1K",
        "--cache-memory=1M",
        "--keepalive=300ms",
        "--keepalive-timeout=300ms",
        "--stall-timeout=300ms",
        "--table-dir",
        folder.to_str().unwrap(),
    ]);
    Server::start(arguments.serve).await.unwrap()
}
