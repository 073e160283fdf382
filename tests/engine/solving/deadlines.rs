//! Deadlines, and the time that searches are told.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use loyd::engine::rank::Rank;
use loyd::engine::{Failure, Limits, StopReason, Wanted};
use loyd::puzzle::Dice;
use loyd::search::plan::Objective;
use loyd::search::{Budget, Progress, Step, Stop};
use tokio::time::timeout;

use super::time;
use crate::fake::{CAPS, PATIENCE, Scripted, due_in, engine, hopeless, question, wanting};
use crate::support::{random_problem, shape};

#[tokio::test]
async fn a_deadline_ends_a_proof_and_lets_best_answer() {
    let engine = engine(2, 8);
    let begin = Instant::now();
    loop {
        assert!(begin.elapsed() < PATIENCE, "it never began");
        let limits = due_in(Duration::from_millis(80));
        let optimal = question(hopeless(4), Objective::Optimal);
        let mut solving = engine.solve(None, optimal, limits).unwrap();
        let ended = solving.end().await.err();
        let Some(Failure::Limit {
            reason, progress, ..
        }) = ended
        else {
            panic!("{ended:?}");
        };
        assert_eq!(reason, StopReason::Deadline);
        assert!(Instant::now() >= limits.deadline.unwrap());
        // On a busy machine it may have had no turn until then.
        if progress.generated > 0 {
            assert!(progress.lower_bound > 0);
            break;
        }
    }

    let outcome = loop {
        assert!(begin.elapsed() < PATIENCE, "it never began");
        let best = question(hopeless(4), Objective::Best);
        let limits = due_in(Duration::from_millis(80));
        let mut solving = engine.solve(None, best, limits).unwrap();
        match solving.end().await {
            Ok(outcome) => break outcome,
            // It may have had no turn until then, either.
            Err(failure) => assert_eq!(failure.name(), "deadline"),
        }
    };
    assert_eq!(outcome.reason, StopReason::Deadline);
    assert!(outcome.found.answer.is_some());
}

#[tokio::test]
async fn a_deadline_that_has_passed_is_not_waited_for() {
    let engine = engine(1, 8);
    for objective in [Objective::Best, Objective::Optimal, Objective::Fast] {
        let question = question(hopeless(5), objective);
        let mut solving = engine
            .solve(None, question, due_in(Duration::ZERO))
            .unwrap();
        match timeout(PATIENCE, solving.end()).await.unwrap() {
            Err(failure) => assert_eq!(failure.name(), "deadline"),
            // The answer was there before anybody looked.
            Ok(outcome) => {
                assert!(outcome.found.answer.is_some());
                let expected = match objective {
                    Objective::Fast => StopReason::FirstFound,
                    Objective::Best => StopReason::Deadline,
                    _ => panic!("nobody proves this"),
                };
                assert_eq!(outcome.reason, expected);
            }
        }
    }
}

#[tokio::test]
async fn while_there_is_no_solution_only_the_deadline_ends_a_search_for_any() {
    let engine = engine(1, 8);
    // It takes longer until there is one.
    let board = random_problem(shape(128, 128), 128 * 128 - 1, &mut Dice::new(1));
    let no_time = time(Duration::from_millis(1));
    let limits = Limits::new(
        Instant::now(),
        no_time,
        Some(Duration::from_millis(20)),
        false,
        Duration::ZERO,
        &CAPS,
    );
    let asked = question(board, Objective::Best);
    let mut solving = engine.solve(None, asked, limits).unwrap();
    assert_eq!(solving.end().await.unwrap_err().name(), "deadline");
    assert!(Instant::now() >= limits.last_moment.unwrap());
}

#[tokio::test]
async fn a_search_is_told_the_time_that_is_left_for_it() {
    let engine = engine(1, 8);
    let told = Arc::new(Mutex::new(Vec::new()));
    let note = Arc::clone(&told);
    let search = Scripted::<(), _>::new(move |budget: Budget, _: &mut Progress| {
        note.lock().unwrap().push(budget.time);
        std::thread::sleep(Duration::from_millis(1));
        Step::Working
    });
    // On a busy machine some slices are tens of milliseconds apart.
    let given = Duration::from_millis(600);
    let wanted = Wanted {
        time: Some(given),
        ..Wanted::default()
    };
    let mut waiting = engine
        .draw(None, Rank::FIRST, search, wanting(wanted))
        .unwrap();
    waiting.end().await.expect_err("it finds nothing");
    let told = told.lock().unwrap();
    let times: Vec<Duration> = told.iter().copied().map_while(|time| time).collect();
    assert!(times.len() > 3, "{told:?}");
    assert!(times.iter().all(|&time| time <= given));
    assert!(times.windows(2).all(|pair| pair[1] < pair[0]));
}

#[tokio::test]
async fn a_search_that_sees_no_use_in_its_last_moment_ends_by_what_would_have_ended_it() {
    let engine = engine(1, 8);
    let later = CAPS.time / 2;
    for (limits, reason) in [
        (due_in(later), "deadline"),
        (wanting(time(later)), "time_limit"),
    ] {
        let search = Scripted::<(), _>::new(|_, _| Step::Done(Stop::Time));
        let mut waiting = engine.draw(None, Rank::FIRST, search, limits).unwrap();
        assert_eq!(waiting.end().await.unwrap_err().name(), reason);
    }
}
