//! The log's way out of the process.

use std::fs::OpenOptions;
use std::io::Write;
use std::thread;

use rustix::process::{Pid, Signal, kill_process};

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
fn lines_that_cannot_be_written_are_counted_as_lost() {
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    let server = Server::start(full);
    let lost = || scrape(&server).sum("loyd_log_lines_lost_total", &[]);
    wait_for(|| (lost() > 0.0).then_some(()), "lost lines");
}
