//! `SolveStream`: progress, better solutions, moves in chunks, and the summary.

use std::sync::Arc;
use std::time::{Duration, Instant};

use loyd::engine::{Caps, Engine, EngineConfig};
use loyd::puzzle::Board;
use loyd::search::{Forecast, Iteration};
use loyd::service::Puzzles;
use loyd::service::proto::puzzle_service_client::PuzzleServiceClient;
use loyd::service::proto::puzzle_service_server::PuzzleService;
use loyd::service::proto::solve_stream_response::Event;
use loyd::service::proto::{self, Objective, StopReason};
use metrics_exporter_prometheus::PrometheusBuilder;
use tokio_stream::StreamExt;
use tonic::{Code, Request, Status, Streaming};
use tonic_types::StatusExt;

use crate::harness::{
    PATIENCE, Service, any_board, ask_for, assert_reason, hopeless, in_time, milliseconds, play,
    reason, solved, try_start,
};
use crate::log::Log;
use crate::raw::{RawClient, frame};
use crate::support::published::KORF_1985;
use crate::support::shape;

type Events = Streaming<proto::SolveStreamResponse>;

fn ask(solve: proto::SolveRequest) -> proto::SolveStreamRequest {
    proto::SolveStreamRequest {
        solve: Some(solve),
        ..proto::SolveStreamRequest::default()
    }
}

async fn next(events: &mut Events) -> Option<Event> {
    let event = in_time(events.message()).await.unwrap();
    event.map(|response| response.event.expect("an event"))
}

/// What a stream has sent; the contract has been checked.
#[derive(Default)]
struct Followed {
    improvements: Vec<proto::Improvement>,
    /// The sizes of the chunks of each revision.
    chunks: Vec<Vec<usize>>,
    progress: Vec<proto::Progress>,
    /// The number of tiles and boards that came with the moves of the newest revision.
    tiles: usize,
    boards: usize,
    length: usize,
    summary: Option<proto::Summary>,
}

/// Reads to the end, plays the moves of every revision, and checks that the last one solves the board.
async fn follow(mut events: Events, start: &Board) -> Followed {
    let mut followed = Followed::default();
    let mut board = start.clone();
    while let Some(event) = next(&mut events).await {
        assert_eq!(followed.summary, None, "nothing comes after the summary");
        match event {
            Event::Progress(progress) => followed.progress.push(progress),
            Event::Improvement(improvement) => {
                if let Some(before) = followed.improvements.last() {
                    assert!(improvement.revision > before.revision);
                    assert!(improvement.length < before.length);
                    assert!(improvement.lower_bound >= before.lower_bound);
                }
                followed.improvements.push(improvement);
                followed.chunks.push(Vec::new());
                board = start.clone();
                followed.length = 0;
            }
            Event::Moves(moves) => {
                let newest = followed.improvements.last().expect("opened before");
                assert_eq!(moves.revision, newest.revision);
                assert_eq!(moves.first as usize, followed.length);
                assert!(!moves.moves.is_empty());
                play(&mut board, &moves.moves, &moves.tiles, &moves.boards);
                followed.length += moves.moves.len();
                followed.tiles += moves.tiles.len();
                followed.boards += moves.boards.len();
                followed.chunks.last_mut().unwrap().push(moves.moves.len());
            }
            Event::Summary(summary) => followed.summary = Some(summary),
        }
    }
    let summary = followed.summary.as_ref().expect("a summary is the last");
    assert_eq!(board, solved(start));
    let newest = followed.improvements.last().unwrap();
    assert_eq!(summary.revision, newest.revision);
    let solution = summary.solution.as_ref().unwrap();
    assert_eq!(solution.length as usize, followed.length);
    assert!(newest.length == 0 || newest.length == solution.length);
    assert!(solution.moves.is_empty());
    assert_eq!(solution.optimal, solution.lower_bound == solution.length);
    assert!(summary.statistics.is_some());
    followed
}

#[tokio::test]
async fn better_solutions_come_one_after_the_other_and_the_summary_last() {
    let service = Service::start().await;
    let mut client = service.client().await;
    let (tiles, length, _) = KORF_1985[4];
    let start = Board::new(shape(4, 4), &tiles).unwrap();
    let mut request = ask(ask_for(Objective::Best, &start));
    request.moves_per_message = 10;
    let events = client.solve_stream(request).await.unwrap().into_inner();
    let followed = follow(events, &start).await;
    assert_eq!(followed.length, length);
    let summary = followed.summary.unwrap();
    assert_eq!(summary.stop_reason(), StopReason::Proven);
    assert!(summary.solution.unwrap().optimal);
    let revisions = followed.improvements.iter().zip(&followed.chunks);
    for (number, (improvement, chunks)) in revisions.enumerate() {
        let (sent, whole) = (chunks.iter().sum::<usize>(), improvement.length as usize);
        // The rest of a solution is not sent when a shorter one has been found meanwhile.
        let is_last = number + 1 == followed.improvements.len();
        assert!(sent == whole || sent < whole && !is_last);
        let full = chunks.len() - usize::from(sent == whole);
        assert!(chunks[..full].iter().all(|&moves| moves == 10));
    }
    assert_eq!((followed.tiles, followed.boards), (0, 0));
}

#[tokio::test]
async fn an_improvement_comes_when_it_is_found_not_when_the_search_ends() {
    let service = Service::start().await;
    let mut client = service.client().await;
    let mut request = ask(hopeless(1));
    request.progress_interval = Some(milliseconds(3_600_000));
    let mut events = client.solve_stream(request).await.unwrap().into_inner();
    let Some(Event::Improvement(improvement)) = next(&mut events).await else {
        panic!("the constructive solution is the first news");
    };
    assert_eq!(improvement.revision, 1);
    assert!(improvement.length > improvement.lower_bound);
}

#[tokio::test]
async fn with_final_only_the_last_solution_alone_has_moves() {
    let service = Service::start().await;
    let mut client = service.client().await;
    let (tiles, length, _) = KORF_1985[6];
    let start = Board::new(shape(4, 4), &tiles).unwrap();
    for objective in [Objective::Best, Objective::Fast] {
        let mut request = ask(ask_for(objective, &start));
        request.final_only = true;
        let events = client.solve_stream(request).await.unwrap().into_inner();
        let followed = follow(events, &start).await;
        let (last, before) = followed.chunks.split_last().unwrap();
        assert!(before.iter().all(Vec::is_empty));
        assert!(!last.is_empty());
        assert!(followed.length >= length);
        assert!(followed.improvements.iter().all(|found| found.length > 0));
    }
}

#[tokio::test]
async fn tiles_and_boards_replay() {
    let service = Service::start().await;
    let mut client = service.client().await;
    let start = any_board(6, 7, 1);
    for objective in [Objective::Fast, Objective::Best] {
        let mut solve = ask_for(objective, &start);
        solve.include = Some(proto::Include {
            tiles: true,
            boards: true,
        });
        solve.limits = Some(proto::Limits {
            max_time: Some(milliseconds(100)),
            ..proto::Limits::default()
        });
        let events = client.solve_stream(ask(solve)).await.unwrap().into_inner();
        let followed = follow(events, &start).await;
        let sent: usize = followed.chunks.iter().flatten().sum();
        assert_eq!((followed.tiles, followed.boards), (sent, sent));
    }
}

#[tokio::test]
async fn a_large_board_is_sent_before_its_end_is_worked_out() {
    let service = Service::start().await;
    let mut client = service.client().await;
    let start = any_board(64, 64, 1);
    let request = ask(ask_for(Objective::Fast, &start));
    let events = client.solve_stream(request).await.unwrap().into_inner();
    let followed = follow(events, &start).await;
    // Its length was not known when it was opened.
    assert_eq!(followed.improvements.len(), 1);
    assert_eq!(followed.improvements[0].length, 0);
    assert!(followed.improvements[0].lower_bound > 10_000);
    // As many as there are if the request does not say.
    assert_eq!(followed.chunks[0].iter().max(), Some(&256));
    assert_eq!(
        followed.summary.unwrap().stop_reason(),
        StopReason::FirstFound
    );
}

#[tokio::test]
async fn chunks_are_as_large_as_was_asked_and_no_larger_than_fits_with_boards() {
    let service = Service::start().await;
    let mut client = service.client().await;
    let start = any_board(32, 32, 1);
    let mut request = ask(ask_for(Objective::Fast, &start));
    request.moves_per_message = 65_536;
    // The last solution is sent when it is complete, and nothing before it.
    request.final_only = true;
    request.progress_interval = Some(milliseconds(3_600_000));
    let events = client.solve_stream(request.clone()).await;
    let followed = follow(events.unwrap().into_inner(), &start).await;
    let lengths: Vec<usize> = followed.chunks.iter().map(Vec::len).collect();
    assert_eq!(lengths, [1]);
    assert!(followed.chunks[0][0] > 10_000);

    request.solve.as_mut().unwrap().include = Some(proto::Include {
        tiles: false,
        boards: true,
    });
    let mut events = client.solve_stream(request).await.unwrap().into_inner();
    assert!(matches!(
        next(&mut events).await,
        Some(Event::Improvement(_))
    ));
    // A message holds 64 boards of 1024 numbers.
    for _ in 0..3 {
        let Some(Event::Moves(moves)) = next(&mut events).await else {
            panic!("there are more moves than these");
        };
        assert_eq!((moves.moves.len(), moves.boards.len()), (64, 64));
    }
}

#[tokio::test]
async fn room_for_large_chunks_of_a_small_solution_takes_little_memory() {
    let service = Service::with(&["--memory", "2M"]).await;
    let mut client = service.client().await;
    let start = any_board(3, 3, 1);
    let mut request = ask(ask_for(Objective::Optimal, &start));
    request.moves_per_message = 65_536;
    let events = client.solve_stream(request).await;
    let followed = follow(events.unwrap().into_inner(), &start).await;
    assert_eq!(followed.chunks.len(), 1);
}

#[tokio::test]
async fn progress_comes_no_more_often_than_asked_and_its_bound_only_grows() {
    let service = Service::start().await;
    let mut client = service.client().await;
    let mut request = ask(hopeless(2));
    request.progress_interval = Some(milliseconds(20));
    let mut events = client.solve_stream(request).await.unwrap().into_inner();
    let mut progress: Vec<proto::Progress> = Vec::new();
    let mut is_found = false;
    // On a busy machine the search may have had no turn meanwhile.
    let goes_on = |progress: &[proto::Progress]| {
        let nodes = |progress: &proto::Progress| progress.nodes_generated;
        progress.last().map(nodes) > progress.first().map(nodes)
    };
    while progress.len() < 5 || !goes_on(&progress) {
        match next(&mut events).await.unwrap() {
            Event::Progress(now) if is_found => progress.push(now),
            Event::Progress(_) | Event::Moves(_) => {}
            Event::Improvement(_) => is_found = true,
            Event::Summary(_) => panic!("there is no end to this"),
        }
    }
    let nanos = |progress: &proto::Progress| {
        let elapsed = progress.elapsed.unwrap();
        elapsed.seconds * 1_000_000_000 + i64::from(elapsed.nanos)
    };
    for pair in progress.windows(2) {
        assert!(pair[1].lower_bound >= pair[0].lower_bound);
        assert!(pair[1].nodes_generated >= pair[0].nodes_generated);
        assert!(pair[1].best_length > pair[1].lower_bound);
    }
    let (first, last) = (&progress[0], &progress[4]);
    // Four intervals, minus the delay of the first event.
    assert!(nanos(last) - nanos(first) >= 60_000_000);
    for pair in progress.windows(2) {
        let seconds = (nanos(&pair[1]) - nanos(&pair[0])) as f64 / 1e9;
        let made = (pair[1].nodes_generated - pair[0].nodes_generated) as f64;
        let told = pair[1].nodes_per_second * seconds;
        assert!((told - made).abs() <= 1.0 + made / 1e6, "{told} and {made}");
    }
}

#[tokio::test]
async fn without_an_interval_progress_comes_four_times_a_second_at_most() {
    const INTERVAL: Duration = Duration::from_millis(250);
    let service = Service::start().await;
    let mut client = service.client().await;
    let mut events = client
        .solve_stream(ask(hopeless(4)))
        .await
        .unwrap()
        .into_inner();
    let mut before = Duration::ZERO;
    for _ in 0..2 {
        let now = loop {
            if let Event::Progress(now) = next(&mut events).await.unwrap() {
                break Duration::try_from(now.elapsed.unwrap()).unwrap();
            }
        };
        assert!(now - before >= INTERVAL, "{before:?}, {now:?}");
        before = now;
    }
}

#[tokio::test]
async fn who_joins_a_search_is_not_told_the_pace_of_all_that_was_done_before() {
    let service = Service::start().await;
    let mut client = service.client().await;
    let mut request = ask(hopeless(2));
    request.progress_interval = Some(milliseconds(20));
    let mut first = client
        .solve_stream(request.clone())
        .await
        .unwrap()
        .into_inner();
    let begun = Instant::now();
    let mut before = loop {
        if let Event::Progress(now) = next(&mut first).await.unwrap()
            && begun.elapsed() > Duration::from_millis(400)
        {
            break now.nodes_generated;
        }
    };
    let now = loop {
        assert!(begun.elapsed() < PATIENCE, "the search has no more turns");
        let second = client.solve_stream(request.clone()).await;
        let mut second = second.unwrap().into_inner();
        let now = loop {
            if let Event::Progress(now) = next(&mut second).await.unwrap() {
                break now;
            }
        };
        // Both calls follow one search, which may have had no turn since on a busy machine.
        assert!(now.nodes_generated >= before);
        if now.nodes_generated > before {
            break now;
        }
        before = now.nodes_generated;
    };
    let elapsed = Duration::try_from(now.elapsed.unwrap()).unwrap();
    let told = now.nodes_per_second * elapsed.as_secs_f64();
    // The elapsed time counts from the call's arrival, a little before it joined.
    let since = (now.nodes_generated - before) as f64;
    assert!(told <= 1.5 * since, "{told} of {since}");
}

#[tokio::test]
async fn ida_star_tells_how_long_its_iterations_may_take() {
    let service = Service::start().await;
    let mut client = service.client().await;
    let mut solve = hopeless(2);
    solve.method = Some(proto::Method {
        algorithm: proto::Algorithm::IdaStar.into(),
        heuristic: proto::Heuristic::LinearConflict.into(),
        ..proto::Method::default()
    });
    let mut request = ask(solve);
    request.progress_interval = Some(milliseconds(20));
    let mut events = client.solve_stream(request).await.unwrap().into_inner();
    let seconds = |duration: &prost_types::Duration| {
        duration.seconds as f64 + f64::from(duration.nanos) / 1e9
    };
    loop {
        match next(&mut events).await.unwrap() {
            Event::Progress(now) => {
                let Some(next) = &now.next_iteration else {
                    assert_eq!(now.iteration_remaining, None);
                    continue;
                };
                assert!(now.nodes_per_second > 0.0);
                let Some(remaining) = &now.iteration_remaining else {
                    continue;
                };
                // It is larger than all of the current one, so certainly larger than the rest of it.
                assert!(seconds(next) > seconds(remaining));
                assert!(seconds(remaining) >= 0.0);
                return;
            }
            Event::Improvement(_) | Event::Moves(_) => {}
            Event::Summary(_) => panic!("there is no end to this"),
        }
    }
}

#[tokio::test]
async fn what_beams_do_beside_a_proof_is_no_pace_of_its_iterations() {
    let service = Service::start().await;
    let mut client = service.client().await;
    let begun = Instant::now();
    // On a busy machine beams may have no time left by when there are forecasts.
    for seed in 2.. {
        let start = any_board(6, 6, seed);
        let mut solve = ask_for(Objective::Best, &start);
        solve.limits = Some(proto::Limits {
            max_time: Some(milliseconds(1_500)),
            ..proto::Limits::default()
        });
        let mut request = ask(solve);
        request.progress_interval = Some(milliseconds(100));
        request.final_only = true;
        let events = client.solve_stream(request).await.unwrap().into_inner();
        let followed = follow(events, &start).await;
        let thresholds = followed.summary.unwrap().statistics.unwrap().thresholds;
        let iterations: Vec<_> = thresholds
            .iter()
            .map(|each| Iteration {
                threshold: each.threshold,
                generated: each.nodes_generated,
            })
            .collect();
        let last = Forecast::of(&iterations).map(|forecast| forecast.next as f64);
        // The nodes that the whole search would generate in the forecast time.
        let told = followed.progress.iter().filter_map(|now| {
            let next = Duration::try_from(now.next_iteration?).unwrap();
            Some(next.as_secs_f64() * now.nodes_per_second)
        });
        let most = told.fold(0.0, f64::max);
        // The beams generate many nodes for each of the proof's, and forecasts only grow.
        if last.is_some_and(|last| most > 8.0 * last) {
            return;
        }
        assert!(begun.elapsed() < PATIENCE, "{most} and {last:?}");
    }
}

#[tokio::test]
async fn a_solved_board_has_an_improvement_without_moves() {
    let service = Service::start().await;
    let mut client = service.client().await;
    for side in [3, 4, 20] {
        let start = Board::solved(shape(side, side));
        for objective in [Objective::Best, Objective::Optimal, Objective::Fast] {
            let request = ask(ask_for(objective, &start));
            let events = client.solve_stream(request).await.unwrap().into_inner();
            let followed = follow(events, &start).await;
            assert_eq!(followed.improvements.len(), 1);
            assert_eq!(followed.length, 0);
            let summary = followed.summary.unwrap();
            assert_eq!(summary.stop_reason(), StopReason::Proven);
        }
    }
}

#[tokio::test]
async fn a_limit_ends_a_stream_as_it_ends_a_call() {
    let service = Service::start().await;
    let mut client = service.client().await;
    let mut solve = hopeless(3);
    solve.limits = Some(proto::Limits {
        max_nodes: Some(100_000),
        ..proto::Limits::default()
    });
    let mut request = ask(solve);
    request.progress_interval = Some(milliseconds(3_600_000));
    let mut events = client.solve_stream(request).await.unwrap().into_inner();
    let mut kinds = Vec::new();
    let status = loop {
        match in_time(events.message()).await {
            Ok(event) => kinds.push(event.unwrap().event.unwrap()),
            Err(status) => break status,
        }
    };
    assert!(matches!(kinds[0], Event::Improvement(_)));
    let (code, name, metadata) = reason(&status);
    assert_eq!(
        (code, name.as_str()),
        (Code::ResourceExhausted, "NODE_LIMIT")
    );
    assert!(metadata.contains_key("lower_bound") && metadata.contains_key("best_length"));
}

/// How a stream ends.
async fn end(mut events: Events) -> Result<proto::Summary, Status> {
    loop {
        let event = in_time(events.message()).await?;
        let event = event.expect("a summary or a status is the last");
        if let Some(Event::Summary(summary)) = event.event {
            return Ok(summary);
        }
    }
}

#[tokio::test]
async fn the_deadline_holds_on_streams() {
    let service = Service::start().await;
    let client = service.client().await;
    let within_200_ms = async |objective| {
        let mut request = Request::new(ask(ask_for(objective, &any_board(5, 5, 9))));
        let timeout = "200m".parse().unwrap();
        request.metadata_mut().insert("grpc-timeout", timeout);
        let events = client.clone().solve_stream(request).await;
        end(events.unwrap().into_inner()).await
    };
    let status = within_200_ms(Objective::Optimal).await.unwrap_err();
    assert_reason(&status, Code::DeadlineExceeded, "DEADLINE_EXCEEDED");
    let begun = Instant::now();
    let summary = loop {
        match within_200_ms(Objective::Best).await {
            Ok(summary) => break summary,
            // On a busy machine it may be late.
            Err(status) => assert_reason(&status, Code::DeadlineExceeded, "DEADLINE_EXCEEDED"),
        }
        assert!(begun.elapsed() < PATIENCE, "every one is late");
    };
    assert_eq!(summary.stop_reason(), StopReason::Deadline);
}

/// The fields of the one call that has ended since the last look.
fn logged_call(log: &Log) -> serde_json::Value {
    let text = log.take();
    let mut calls = text
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["fields"].take())
        .filter(|fields| fields["message"] == "request");
    let call = calls.next().expect("it is logged");
    assert!(calls.next().is_none());
    call
}

#[tokio::test]
async fn an_answer_is_told_of_when_it_was_sent_whole() {
    let log = Log::default();
    // All of the service except its searches is on this thread.
    let _listening = log.listen();
    // Without a network nothing is sent before it is asked for.
    let calls = try_start(&[]).await.unwrap().calls();
    let mut client = PuzzleServiceClient::new(calls);
    let start = any_board(5, 5, 1);
    for final_only in [true, false] {
        let request = proto::SolveStreamRequest {
            moves_per_message: 1,
            final_only,
            ..ask(ask_for(Objective::Fast, &start))
        };
        let events = client.solve_stream(request.clone()).await.unwrap();
        let followed = follow(events.into_inner(), &start).await;
        let told = logged_call(&log);
        assert_eq!(told["outcome"], "solved");
        assert_eq!(told["length"], followed.length);

        // With only the final moves, the first of them arrive when the search is over.
        let events = client.solve_stream(request).await.unwrap();
        let mut events = events.into_inner();
        while !matches!(next(&mut events).await.unwrap(), Event::Moves(_)) {}
        drop(events);
        let told = logged_call(&log);
        assert_eq!(told["outcome"], "cancelled", "{told}");
        assert_eq!(told.get("length"), None, "{told}");
    }
}

#[tokio::test]
async fn a_deadline_that_comes_while_the_answer_is_sent_is_counted_once() {
    // Once when the search is over by then, and once while it waits for its reader.
    for (objective, side) in [(Objective::Best, 20), (Objective::Fast, 100)] {
        let recorder = PrometheusBuilder::new().build_recorder();
        // All of the service except its searches is on this thread.
        let _counting = metrics::set_default_local_recorder(&recorder);
        let service = Service::start().await;
        let mut raw = RawClient::with_window(service.address, 1 << 10).await;
        let request = proto::SolveStreamRequest {
            moves_per_message: 1,
            ..ask(ask_for(objective, &any_board(side, side, 3)))
        };
        let timeout = [("grpc-timeout", "400m")];
        let _unread = raw.open("SolveStream", &timeout, frame(&request)).await;
        tokio::time::sleep(Duration::from_millis(800)).await;
        let told = || recorder.handle().render();
        let stops = r#"loyd_limit_stops_total{limit="deadline"} 1"#;
        in_time(async {
            while !told().lines().any(|line| line == stops) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        })
        .await;
        assert!(!told().contains("abandoned"), "{}", told());
    }
}

#[tokio::test]
async fn who_reads_is_not_blamed_for_a_search_that_gets_no_worker() {
    let engine = Engine::start(EngineConfig {
        workers: 0,
        capacity: 8,
        caps: Caps {
            nodes: u64::MAX,
            time: Duration::from_millis(50),
            memory: 64 << 20,
            default_time: Duration::from_secs(1),
        },
        memory: 256 << 20,
        cache_memory: 0,
        table_memory: 0,
        heuristic_memory: u64::MAX,
        build_memory: 0,
        database_build_memory: 0,
        store: None,
    });
    let puzzles = Puzzles::new(Arc::new(engine.unwrap()), 128);
    let request = ask(ask_for(Objective::Fast, &any_board(30, 30, 1)));
    let events = puzzles.solve_stream(Request::new(request)).await.unwrap();
    let mut events = events.into_inner();
    let status = loop {
        if let Err(status) = in_time(events.next()).await.expect("a status") {
            break status;
        }
    };
    assert_reason(&status, Code::ResourceExhausted, "OVERLOADED");
    let retry = status.get_details_retry_info().unwrap();
    assert!(retry.retry_delay.unwrap() > Duration::ZERO);
}
