//! Options that are set by environment variables.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt;
use std::process::Command;

/// What the program says of a command line that is wrong, with a variable set.
fn complaint(variable: &str, value: impl AsRef<OsStr>, arguments: &[&str]) -> String {
    let mut loyd = Command::new(env!("CARGO_BIN_EXE_loyd"));
    let ran = loyd.env(variable, value).args(arguments).output().unwrap();
    assert_eq!(ran.status.code(), Some(2));
    String::from_utf8(ran.stderr).unwrap()
}

#[test]
fn a_variable_that_is_wrong_is_named() {
    for (variable, value, option) in [
        ("LOYD_MAX_NODES", "lots", "--max-nodes <NODES>"),
        ("LOYD_INSECURE", "perhaps", "--insecure"),
        ("LOYD_LOG_FORMAT", "xml", "--log-format <FORMAT>"),
        (
            "LOYD_CLIENT_WEIGHTS",
            "lobby=0",
            "--client-weights <WEIGHTS>",
        ),
    ] {
        let complaint = complaint(variable, value, &["serve"]);
        assert!(
            complaint.contains(&format!("for '{option}'")),
            "{complaint}"
        );
        let tip = format!("tip: it is set by the variable {variable}\n");
        assert!(complaint.contains(&tip), "{complaint}");
    }
    // Whoever types it knows where it comes from.
    for value in ["5", "lots"] {
        let typed = ["serve", "--max-nodes", "many"];
        let complaint = complaint("LOYD_MAX_NODES", value, &typed);
        assert!(complaint.contains("'many'"), "{complaint}");
        assert!(!complaint.contains("variable"), "{complaint}");
    }
}

#[test]
fn a_variable_that_is_no_text_is_named() {
    let value = OsString::from_vec(b"\xff".to_vec());
    let complaint = complaint("LOYD_WORKERS", value, &["serve"]);
    let tip = "tip: set the variable LOYD_WORKERS to text\n";
    assert!(complaint.contains(tip), "{complaint}");
}

#[test]
fn the_usage_leaves_out_what_variables_set() {
    let complaint = complaint("LOYD_MAX_NODES", "5", &["serve", "--tls-key", "tls.key"]);
    assert!(complaint.contains("--tls-cert <FILE>"), "{complaint}");
    assert!(!complaint.contains("--max-nodes"), "{complaint}");
}

#[test]
fn a_token_that_is_no_text_is_not_left_out() {
    // Nobody is asked, but the connection has to be there before the token is looked at.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let server = listener.local_addr().unwrap().to_string();
    let token = OsString::from_vec(b"loyd_\xff".to_vec());
    let arguments = ["check", "--server", &server, "1 2 0 3"];
    let complaint = complaint("LOYD_TOKEN", token, &arguments);
    assert_eq!(complaint, "loyd: the token in LOYD_TOKEN is not text\n");
}
