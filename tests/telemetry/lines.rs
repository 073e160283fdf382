//! The log's way out of the process.

use std::collections::HashSet;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::net::TcpStream;
use std::thread;

use rustix::process::{Pid, Signal, kill_process};
use tempfile::NamedTempFile;

use crate::endpoint::scrape;
use crate::server::{Server, wait_for};

#[test]
fn a_log_that_nobody_reads_does_not_keep_the_server_from_ending() {
    let (_reader, mut writer) = std::io::pipe().unwrap();
    let log = writer.try_clone().unwrap();
    // Fills the pipe, and waits for room in it as the server's log does.
    thread::spawn(move || while writer.write_all(&[b'\n'; 4096]).is_ok() {});
    // Signals are handled before it listens.
    let mut server = Server::start(log);
    kill_process(Pid::from_child(&server.process), Signal::TERM).unwrap();
    let ended = wait_for(|| server.process.try_wait().unwrap(), "the server to end");
    assert_eq!(ended.code(), Some(0));
}

#[test]
fn each_line_is_written_once_and_the_last_ones_before_the_end() {
    let log = NamedTempFile::new().unwrap();
    let mut server = Server::start(log.reopen().unwrap());
    let lines = |what: &str| {
        let text = fs::read_to_string(log.path()).unwrap();
        text.lines().filter(|line| line.contains(what)).count()
    };
    wait_for(|| (lines("ready") > 0).then_some(()), "the first lines");
    // A line later than those.
    let mut peer = TcpStream::connect(server.grpc).unwrap();
    peer.write_all(&[b'?'; 100]).unwrap();
    wait_for(|| (lines("handshake") > 0).then_some(()), "a later line");
    kill_process(Pid::from_child(&server.process), Signal::TERM).unwrap();
    wait_for(|| server.process.try_wait().unwrap(), "the server to end");
    assert_eq!(["ready", "drained"].map(lines), [1; 2]);
    // Each has its time, so no two are the same.
    let text = fs::read_to_string(log.path()).unwrap();
    let mut once = HashSet::new();
    assert!(text.lines().all(|line| once.insert(line)), "{text}");
}

#[test]
fn lines_that_cannot_be_written_are_counted_as_lost() {
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    let server = Server::start(full);
    let lost = || scrape(&server).sum("loyd_log_lines_lost_total", &[]);
    wait_for(|| (lost() > 0.0).then_some(()), "lost lines");
}
