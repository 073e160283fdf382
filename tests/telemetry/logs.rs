//! What is logged besides requests.

use loyd::telemetry::{LogFormat, install_logs};
use tracing::Level;

use crate::log::Log;

const FILTER: &str = "info";

#[test]
fn a_panic_is_one_line_with_its_place_whatever_it_says() {
    let _log = install_logs(LogFormat::Json, FILTER);
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt()
        .json()
        .with_writer(log.clone())
        .finish();
    tracing::subscriber::with_default(subscriber, || {
        let panics: [fn(); 3] = [
            || panic!("a text"),
            || std::panic::panic_any(7),
            || assert_eq!(std::process::id(), 0, "a number that was not foreseen"),
        ];
        for panic in panics {
            std::panic::catch_unwind(panic).unwrap_err();
        }
    });
    let text = log.take();
    let lines: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 3, "{text}");
    for line in &lines {
        assert_eq!(line["level"], "ERROR");
        assert_eq!(line["fields"]["message"], "panic");
        let location = line["fields"]["location"].as_str().unwrap();
        assert!(location.contains(file!()), "{location}");
    }
    assert_eq!(lines[0]["fields"]["payload"], "a text");
    assert!(
        lines[2]["fields"]["payload"]
            .as_str()
            .unwrap()
            .contains("not foreseen")
    );
}

#[test]
fn what_a_peer_makes_h2_warn_of_is_not_logged() {
    // All tests of this process install the same log.
    let _log = install_logs(LogFormat::Json, FILTER);
    assert!(tracing::enabled!(target: "loyd::service", Level::INFO));
    assert!(!tracing::enabled!(target: "h2::proto::ping_pong", Level::WARN));
    assert!(tracing::enabled!(target: "h2::proto::ping_pong", Level::ERROR));
}
