//! Which answers have begun and not ended, judging by the bytes sent.

use std::time::{Duration, Instant};

use loyd::service::Answers;

use crate::raw::{DATA, END_HEADERS, END_STREAM, HEADERS, PING, RST_STREAM, http2_frame};

const PATIENCE: Duration = Duration::from_secs(30);

/// The most calls at once.
const CALLS: usize = 1000;

/// The number of silent answers, long after these bytes were sent and nothing more.
fn silent_after(sent: &[u8], part: usize) -> usize {
    let now = Instant::now();
    let mut answers = Answers::new(CALLS);
    for part in sent.chunks(part) {
        answers.sent(part, now);
    }
    assert_eq!(answers.silent_for(PATIENCE, now + PATIENCE), 0);
    answers.silent_for(PATIENCE, now + 2 * PATIENCE)
}

#[test]
fn an_answer_has_ended_by_its_trailers_its_last_data_or_a_reset() {
    let head = http2_frame(HEADERS, END_HEADERS, 1, b"head");
    let data = http2_frame(DATA, 0, 1, &[HEADERS; 100]);
    let begun = [head, data].concat();
    let others = http2_frame(PING, 0, 0, &[0; 8]);
    for end in [
        http2_frame(HEADERS, END_HEADERS | END_STREAM, 1, b"trailers"),
        http2_frame(DATA, END_STREAM, 1, &[]),
        http2_frame(RST_STREAM, 0, 1, &[0; 4]),
    ] {
        for part in [1, 7, 9, 1000] {
            assert_eq!(silent_after(&begun, part), 1, "{part}");
            let all = [&begun[..], &others, &end].concat();
            assert_eq!(silent_after(&all, part), 0, "{part}");
        }
    }
}

#[test]
fn only_resets_count_as_resets() {
    let now = Instant::now();
    let mut answers = Answers::new(CALLS);
    let reset = http2_frame(RST_STREAM, 0, 5, &[0; 4]);
    for (sent, resets) in [
        (http2_frame(HEADERS, END_HEADERS, 1, b"head"), 0),
        (http2_frame(HEADERS, END_HEADERS | END_STREAM, 1, b"end"), 0),
        (http2_frame(DATA, END_STREAM, 3, &[]), 0),
        (reset.clone(), 1),
        (reset.repeat(3), 3),
    ] {
        assert_eq!(answers.sent(&sent, now), resets, "{sent:?}");
    }
}

#[test]
fn a_refusal_in_one_frame_never_was_open() {
    let refusal = http2_frame(HEADERS, END_HEADERS | END_STREAM, 1, b"refused");
    assert_eq!(silent_after(&refusal, 1000), 0);
}

#[test]
fn what_was_written_before_a_peer_gave_up_and_passes_after_it_is_over() {
    let now = Instant::now();
    let mut answers = Answers::new(CALLS);
    let head = |stream| http2_frame(HEADERS, END_HEADERS, stream, b"head");
    let data = |stream| http2_frame(DATA, 0, stream, b"more");
    answers.sent(&[head(1), head(3)].concat(), now);
    // The answer to 5 has not begun.
    answers.given_up(&[3, 5]);
    answers.sent(&[data(1), data(3), head(5), data(5)].concat(), now);
    assert_eq!(answers.silent_for(PATIENCE, now + 2 * PATIENCE), 1);
    // The number of those remembered is bounded.
    let streams: Vec<u32> = (0..10_000).map(|call| 2 * call + 7).collect();
    answers.given_up(&streams);
    answers.sent(&[head(19_999), data(19_999)].concat(), now);
    assert_eq!(answers.silent_for(PATIENCE, now + 2 * PATIENCE), 1);
    let (first, last) = (streams[10_000 - CALLS], streams[9_999]);
    answers.sent(&[head(first), head(last)].concat(), now);
    assert_eq!(answers.silent_for(PATIENCE, now + 2 * PATIENCE), 1);
    answers.sent(&[head(7), data(7)].concat(), now);
    assert_eq!(answers.silent_for(PATIENCE, now + 2 * PATIENCE), 2);
}

#[test]
fn what_is_taken_by_the_byte_is_silent() {
    let now = Instant::now();
    let mut answers = Answers::new(CALLS);
    answers.sent(&http2_frame(HEADERS, END_HEADERS, 1, b"head"), now);
    let mut later = now;
    for _ in 0..10 {
        later += PATIENCE / 3;
        answers.sent(&http2_frame(DATA, 0, 1, &[0]), later);
    }
    assert_eq!(answers.silent_for(PATIENCE, later), 1);
}

#[test]
fn what_a_peer_gives_up_is_over_and_what_goes_on_is_not_silent() {
    let now = Instant::now();
    let mut answers = Answers::new(CALLS);
    for stream in [1, 3, 5] {
        answers.sent(&http2_frame(HEADERS, END_HEADERS, stream, b"head"), now);
    }
    answers.given_up(&[3, 7]);
    let later = now + PATIENCE;
    answers.sent(&http2_frame(DATA, 0, 5, &[0; 4 << 10]), later);
    assert_eq!(
        answers.silent_for(PATIENCE, later + Duration::from_secs(1)),
        1
    );
    assert_eq!(answers.silent_for(PATIENCE, later + 2 * PATIENCE), 2);
}
