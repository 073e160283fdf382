//! Boards drawn at random.

use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::task::{Context, Wake, Waker};

use loyd::engine::rank::Rank;
use loyd::engine::{Failure, StopReason, Wanted};
use loyd::puzzle::Board;
use loyd::puzzle::generate::Solvability;
use loyd::search::generate::batch::Batch;
use loyd::search::generate::drawing::{Draw, Drawing};
use loyd::search::{Step, Stop};

use crate::fake::{Scripted, engine, receive, unlimited, wanting};
use crate::support::shape;

#[tokio::test]
async fn the_engine_draws_all_or_says_which_limit_came_first() {
    let engine = engine(1, 4);
    let drawing = || {
        let goal = Board::solved(shape(4, 4));
        Batch::new(1, 100, move |seed| {
            Drawing::new(goal.clone(), Draw::Uniform(Solvability::Solvable), seed)
        })
    };
    let mut waiting = engine
        .draw(None, Rank::FIRST, drawing(), unlimited())
        .unwrap();
    let outcome = waiting.end().await.unwrap();
    assert_eq!(outcome.found.len(), 100);
    assert_eq!(outcome.reason, StopReason::Proven);

    let enough = Wanted {
        nodes: Some(1_600),
        ..Wanted::default()
    };
    let mut waiting = engine
        .draw(None, Rank::FIRST, drawing(), wanting(enough))
        .unwrap();
    assert_eq!(waiting.end().await.unwrap().found.len(), 100);

    let too_few = Wanted {
        nodes: Some(160),
        ..Wanted::default()
    };
    let mut waiting = engine
        .draw(None, Rank::FIRST, drawing(), wanting(too_few))
        .unwrap();
    let Err(Failure::Limit {
        reason, progress, ..
    }) = waiting.end().await
    else {
        panic!("ten boards are not a hundred");
    };
    assert_eq!(reason, StopReason::NodeLimit);
    assert_eq!(progress.generated, 160);
}

/// Counts wake-ups.
#[derive(Default)]
struct Wakes(AtomicUsize);

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[tokio::test]
async fn who_waits_for_the_end_sleeps_through_the_findings() {
    const BOARDS: usize = 10;
    let engine = engine(1, 4);
    let (go_on, told) = mpsc::channel();
    let (found, all_found) = mpsc::channel();
    let mut drawn = 0;
    let search = Scripted::new(move |_, _| {
        if drawn == 0 {
            receive(&told);
        }
        if drawn < BOARDS {
            drawn += 1;
            return Step::Found(drawn);
        }
        found.send(()).unwrap();
        receive(&told);
        Step::Done(Stop::Proven)
    });
    let mut waiting = engine.draw(None, Rank::FIRST, search, unlimited()).unwrap();
    let mut end = pin!(waiting.end());
    let wakes = Arc::<Wakes>::default();
    let waker = Waker::from(Arc::clone(&wakes));
    let polled = end.as_mut().poll(&mut Context::from_waker(&waker));
    assert!(polled.is_pending());
    go_on.send(()).unwrap();
    receive(&all_found);
    assert_eq!(wakes.0.load(Ordering::Relaxed), 0);
    go_on.send(()).unwrap();
    assert_eq!(end.await.unwrap().found.len(), BOARDS);
}
