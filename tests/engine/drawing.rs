//! Boards drawn at random.

use loyd::engine::rank::Rank;
use loyd::engine::{Failure, StopReason, Wanted};
use loyd::puzzle::Board;
use loyd::puzzle::generate::Solvability;
use loyd::search::batch::Batch;
use loyd::search::drawing::{Draw, Drawing};

use crate::fake::{engine, unlimited, wanting};
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
    assert_eq!(outcome.found.0.len(), 100);
    assert_eq!(outcome.reason, StopReason::Proven);

    let enough = Wanted {
        nodes: Some(1_600),
        ..Wanted::default()
    };
    let mut waiting = engine
        .draw(None, Rank::FIRST, drawing(), wanting(enough))
        .unwrap();
    assert_eq!(waiting.end().await.unwrap().found.0.len(), 100);

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
