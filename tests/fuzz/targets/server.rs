//! The server under attack, with small limits so that it answers thousands of calls a second.

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

/// The server's runtime.
static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap()
});

/// The runtime of everything asynchronous.
pub(super) fn runtime() -> &'static Runtime {
    &RUNTIME
}

/// Starts a server on a port of its own.
pub(super) async fn start() -> Server {
    // Shared by all runs, so that the first tables are built once.
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
