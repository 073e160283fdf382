//! The signals that end a server.

use std::fs;
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tempfile::NamedTempFile;

use crate::server::{Server, wait_for};

#[test]
fn a_second_signal_ends_a_drain_unless_it_comes_with_the_first() {
    let log = NamedTempFile::new().unwrap();
    let mut server = Server::with_settings(&[("LOYD_DRAIN_DELAY", "10m")], log.reopen().unwrap());
    let signal = |server: &Server, signal| {
        kill_process(Pid::from_child(&server.process), signal).unwrap();
    };
    let told = |what| fs::read_to_string(log.path()).unwrap().contains(what);
    // As whoever signals a process and then its group does.
    signal(&server, Signal::TERM);
    signal(&server, Signal::INT);
    wait_for(|| told("draining").then_some(()), "the drain");
    thread::sleep(Duration::from_millis(500));
    assert_eq!(server.process.try_wait().unwrap(), None);

    let ended = wait_for(
        || {
            // To a server that a busy machine has stopped it may still come with the first.
            signal(&server, Signal::INT);
            server.process.try_wait().unwrap()
        },
        "the end",
    );
    assert_eq!(ended.code(), Some(130));
}
