//! A server in a process of its own.

use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tokio::net::TcpSocket;

/// How long to wait for what should take a moment.
const PATIENCE: Duration = Duration::from_secs(120);

/// A server that is killed with the test.
pub(crate) struct Server {
    pub(crate) process: Child,
    /// Where it serves gRPC.
    pub(crate) grpc: SocketAddr,
    /// Where it serves its metrics.
    pub(crate) metrics: SocketAddr,
    _tables: TempDir,
    _reserved: [TcpSocket; 2],
}

impl Server {
    /// Starts a server with its log going there, and waits until it listens.
    pub(crate) fn start(log: impl Into<Stdio>) -> Self {
        Self::run(Command::new(env!("CARGO_BIN_EXE_loyd")), log)
    }

    /// The same for a server with more settings, by their variables.
    pub(crate) fn with_settings(settings: &[(&str, &str)], log: impl Into<Stdio>) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_loyd"));
        command.envs(settings.iter().copied());
        Self::run(command, log)
    }

    /// The same for a server that may open so many files.
    pub(crate) fn with_files(files: u32, log: impl Into<Stdio>) -> Self {
        let mut command = Command::new("sh");
        command
            .args(["-c", r#"ulimit -n "$0"; exec "$@""#, &files.to_string()])
            .arg(env!("CARGO_BIN_EXE_loyd"));
        Self::run(command, log)
    }

    fn run(mut command: Command, log: impl Into<Stdio>) -> Self {
        let tables = tempfile::tempdir().unwrap();
        let reserved = [reserve(), reserve()];
        let [grpc, metrics] = reserved.each_ref().map(|it| it.local_addr().unwrap());
        command
            .args(["serve", "--workers", "1", "--memory-limit", "256M"])
            .args(["--listen", &grpc.to_string()])
            .args(["--metrics-listen", &metrics.to_string()])
            .arg("--table-dir")
            .arg(tables.path())
            .stderr(log);
        let server = Self {
            process: command.spawn().unwrap(),
            grpc,
            metrics,
            _tables: tables,
            _reserved: reserved,
        };
        wait_for(|| TcpStream::connect(grpc).ok(), "the server to listen");
        server
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Waits until something is there.
pub(crate) fn wait_for<T>(mut look: impl FnMut() -> Option<T>, what: &str) -> T {
    let begun = Instant::now();
    loop {
        if let Some(there) = look() {
            return there;
        }
        assert!(begun.elapsed() < PATIENCE, "waited for {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// A socket that keeps its address from everyone who takes any, such as the other tests, but not from who asks for it.
fn reserve() -> TcpSocket {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_reuseaddr(true).unwrap();
    socket.bind(([127, 0, 0, 1], 0).into()).unwrap();
    socket
}
