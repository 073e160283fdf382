//! How many frames that ask for nothing a peer may send.

use std::time::{Duration, Instant};

use loyd::service::{Flood, Frames};

use crate::raw::{
    ACK, CONTINUATION, DATA, END_HEADERS, GOAWAY_PING, HEADERS, PING, RST_STREAM, SETTINGS,
    goaway_pong, http2_frame,
};

fn ping() -> Vec<u8> {
    http2_frame(PING, 0, 0, &[0; 8])
}

/// How many of these frames pass at one moment.
fn passed(frames: &mut Frames, frame: &[u8], now: Instant) -> usize {
    (0..1_000_000)
        .take_while(|_| frames.received(frame, now).is_ok())
        .count()
}

#[test]
fn a_burst_passes_and_then_no_more() {
    let now = Instant::now();
    for kind in [RST_STREAM, SETTINGS, PING, 2, 8, 9, 200] {
        let mut frames = Frames::new(now);
        let frame = http2_frame(kind, 0, 1, &[0; 4]);
        assert_eq!(passed(&mut frames, &frame, now), 2_000, "type {kind}");
    }
}

#[test]
fn time_and_answers_earn_more() {
    let mut now = Instant::now();
    let mut frames = Frames::new(now);
    passed(&mut frames, &ping(), now);
    now += Duration::from_millis(500);
    assert_eq!(passed(&mut frames, &ping(), now), 50);
    frames.sent(64 * 70);
    assert_eq!(passed(&mut frames, &ping(), now), 70);
    // Credit does not grow forever: after an hour of silence a peer has no more than at first.
    now += Duration::from_secs(3600);
    assert_eq!(passed(&mut frames, &ping(), now), 2_000);
}

#[test]
fn the_calls_that_a_peer_gives_up_are_told_once() {
    let now = Instant::now();
    let mut frames = Frames::new(now);
    let resets = [3, 5].map(|stream| http2_frame(RST_STREAM, 0, stream, &[0; 4]));
    frames.received(&resets.concat(), now).unwrap();
    assert_eq!(frames.given_up(), [3, 5]);
    frames.received(&ping(), now).unwrap();
    assert!(frames.given_up().is_empty());
}

#[test]
fn the_answer_to_the_shutdown_ping_is_found_if_it_arrives_whole() {
    let now = Instant::now();
    let goaway_pong = goaway_pong();
    let other = http2_frame(PING, ACK, 0, &[7; 8]);
    let asked = http2_frame(PING, 0, 0, &GOAWAY_PING);
    let data = http2_frame(DATA, 0, 1, &goaway_pong);
    let before = [other, asked, data].concat();
    let all = [before.clone(), goaway_pong, ping()].concat();
    let mut frames = Frames::new(now);
    frames.received(&all, now).unwrap();
    assert_eq!(frames.goaway_pong(), Some(before.len()));
    assert!(frames.is_between());
    // Cut anywhere, only the part that has all of it is recognized.
    for cut in 1..all.len() {
        let mut frames = Frames::new(now);
        let parts = [&all[..cut], &all[cut..]].map(|part| {
            frames.received(part, now).unwrap();
            frames.goaway_pong()
        });
        let end = before.len() + 17;
        let expected = if cut >= end {
            [Some(before.len()), None]
        } else if cut <= before.len() {
            [None, Some(before.len() - cut)]
        } else {
            [None, None]
        };
        assert_eq!(parts, expected, "{cut}");
    }
}

#[test]
fn nothing_may_stand_in_a_frame_or_in_the_headers_of_a_call() {
    let now = Instant::now();
    let mut frames = Frames::new(now);
    let mut is_between_after = |bytes: &[u8]| {
        frames.received(bytes, now).unwrap();
        frames.is_between()
    };
    assert!(!is_between_after(&ping()[..5]));
    assert!(!is_between_after(&ping()[5..9]));
    assert!(is_between_after(&ping()[9..]));
    assert!(!is_between_after(&http2_frame(HEADERS, 0, 1, &[0; 4])));
    assert!(!is_between_after(&http2_frame(CONTINUATION, 0, 1, &[0; 4])));
    assert!(is_between_after(&http2_frame(
        CONTINUATION,
        END_HEADERS,
        1,
        &[0; 4]
    )));
    assert!(is_between_after(&http2_frame(
        HEADERS,
        END_HEADERS,
        3,
        &[0; 4]
    )));
}

#[test]
fn the_acknowledgement_of_a_ping_does_not_pay_for_it() {
    let now = Instant::now();
    let mut frames = Frames::new(now);
    let flood = (0..1_000_000).find(|_| {
        frames.sent(17);
        frames.received(&ping(), now) == Err(Flood)
    });
    assert!(flood.is_some());
}

#[test]
fn calls_are_not_counted_here() {
    let now = Instant::now();
    let mut frames = Frames::new(now);
    for frame in [
        http2_frame(HEADERS, 5, 1, &[0x83; 40]),
        http2_frame(DATA, 1, 1, &[7; 300]),
    ] {
        assert_eq!(passed(&mut frames, &frame, now), 1_000_000);
    }
}

#[test]
fn each_call_may_be_given_up() {
    let now = Instant::now();
    let mut frames = Frames::new(now);
    let mut both = http2_frame(HEADERS, 5, 1, &[0x83; 40]);
    both.extend(http2_frame(RST_STREAM, 0, 1, &[0, 0, 0, 8]));
    assert_eq!(passed(&mut frames, &both, now), 1_000_000);
}

#[test]
fn frames_are_told_apart_however_they_are_cut() {
    let now = Instant::now();
    // A payload that looks like many PINGs, and then one.
    let mut bytes = http2_frame(DATA, 0, 1, &ping().repeat(900));
    bytes.extend(ping());
    for cut in [1, 2, 7, 9, 10, 17, 1000] {
        let mut frames = Frames::new(now);
        for part in bytes.chunks(cut) {
            frames.received(part, now).unwrap();
        }
        assert_eq!(passed(&mut frames, &ping(), now), 1_999, "cut by {cut}");
    }
}

#[test]
fn in_a_turn_so_many_small_pieces_of_bodies_pass() {
    let now = Instant::now();
    let mut frames = Frames::new(now);
    let pieces = http2_frame(DATA, 0, 1, &[7]).repeat(1_000);
    // As many as cost 32 KiB at 255 each. The payload of the last one comes in the next turn.
    let first = 129 * 10 - 1;
    assert_eq!(frames.received(&pieces, now), Ok(first));
    assert!(frames.is_full());
    assert_eq!(frames.received(&pieces[first..], now), Ok(0));
    // A few when they could not be read, but no more than that.
    frames.turn(false);
    assert_eq!(frames.received(&pieces[first..], now), Ok(8 * 10));
    frames.turn(true);
    assert_eq!(frames.received(&pieces[first..], now), Ok(129 * 10));
    // Large ones cost nothing.
    frames.turn(true);
    let large = http2_frame(DATA, 0, 1, &[7; 256]).repeat(1_000);
    frames.received(&[7], now).unwrap();
    assert_eq!(frames.received(&large, now), Ok(large.len()));
}

#[test]
fn a_call_pays_for_two_resets_and_more_are_a_flood() {
    let now = Instant::now();
    let mut frames = Frames::new(now);
    let calls = http2_frame(HEADERS, 4, 1, &[0x83; 40]).repeat(3_000);
    let data = http2_frame(DATA, 0, 1, &[7; 256]);
    frames.received(&calls, now).unwrap();
    frames.sent_resets(6_000);
    frames.sent_resets(2_000);
    assert!(frames.received(&data, now).is_ok());
    frames.sent_resets(1);
    assert_eq!(frames.received(&data, now), Err(Flood));
}
