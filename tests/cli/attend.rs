//! What is shown of a search that is still running.

use std::time::Duration;

use loyd::cli::{Exit, Failure, Latest};
use loyd::service::proto::{Improvement, Progress};

#[test]
fn progress_says_what_is_known_and_no_more() {
    let latest = Latest::default();
    let line = |tenths: u64| latest.line(Duration::from_millis(100 * tenths));
    assert_eq!(line(12), "1.2 s");

    latest.progress(Progress {
        lower_bound: 71,
        nodes_generated: 1_234_567,
        ..Progress::default()
    });
    assert_eq!(line(25), "2.5 s, lower bound 71, nodes 1,234,567");

    latest.improvement(&Improvement {
        revision: 1,
        length: 120,
        lower_bound: 73,
    });
    assert_eq!(
        line(1_000),
        "100.0 s, best length 120, lower bound 73, nodes 1,234,567"
    );
}

#[test]
fn long_proofs_tell_how_long_they_may_take() {
    let seconds = |seconds| {
        Some(prost_types::Duration {
            seconds,
            nanos: 500,
        })
    };
    let latest = Latest::default();
    latest.progress(Progress {
        nodes_generated: 1_234_567,
        nodes_per_second: 31_249_000.0,
        iteration_remaining: seconds(40),
        next_iteration: seconds(7 * 60 + 2),
        ..Progress::default()
    });
    let line = latest.line(Duration::from_secs(2));
    assert_eq!(
        line,
        "2.0 s, nodes 1,234,567, 31.25 M/s, this iteration may take 40 seconds, the next one 7 minutes"
    );
}

#[test]
fn a_server_that_lets_the_deadline_pass_in_silence_is_no_server_that_refuses() {
    assert_eq!(Failure::Late.exit(), Exit::Limit);
    assert_eq!(
        Failure::Late.to_string(),
        "the server did not answer in time\n\
         Raise --timeout; if that does not help, the server is overloaded or out of reach."
    );
}
