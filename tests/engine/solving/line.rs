//! Requests that wait for a worker, or find no place to.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use loyd::engine::rank::Rank;
use loyd::engine::{Glance, Lack, Refused, Waiting, Work};
use loyd::search::constructive::Variant;
use loyd::search::plan::Objective;
use loyd::search::{Step, Stop};

use crate::fake::{PATIENCE, Scripted, engine, hopeless, patient, question, receive, unlimited};

#[tokio::test]
async fn where_places_seldom_become_free_it_says_to_come_later() {
    let engine = engine(1, 1);
    let proof = |number| {
        let asked = question(hopeless(number), Objective::Optimal);
        engine.solve(None, asked, unlimited())
    };
    let long = proof(0).unwrap();
    std::thread::sleep(Duration::from_millis(100));
    drop(long);
    let begun = Instant::now();
    let busy = loop {
        match proof(1) {
            Ok(busy) => break busy,
            Err(refused) => assert!(begun.elapsed() < PATIENCE, "{refused}"),
        }
    };
    let later = Duration::from_millis(160);
    let refused = proof(2).err();
    assert!(
        matches!(refused, Some(Refused::Overloaded { retry_after, .. }) if retry_after >= later)
    );
    drop(busy);
}

#[tokio::test]
async fn a_full_pool_says_when_to_come_again() {
    for (workers, capacity, expected) in [(1, 2, 20), (2, 64, 80), (1, 250, 640)] {
        let engine = engine(workers, capacity);
        let begun = Instant::now();
        let busy: Vec<_> = (0..capacity as u64)
            .map(|number| {
                let proof = question(hopeless(number), Objective::Optimal);
                engine.solve(None, proof, patient()).unwrap()
            })
            .collect();
        let proof = question(hopeless(capacity as u64), Objective::Optimal);
        let refused = engine.solve(None, proof, patient()).err();
        let Some(Refused::Overloaded { lack, retry_after }) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(lack, Lack::Places);
        let expected = Duration::from_millis(expected);
        // Later if it has been full for longer than that.
        let latest = expected.max(2 * begun.elapsed());
        assert!(
            (expected..=latest).contains(&retry_after),
            "{retry_after:?}"
        );
        let problem = hopeless(1);
        assert!(matches!(
            engine
                .pipe(None, &problem, Variant::Best, &unlimited())
                .err(),
            Some(Refused::Overloaded { .. })
        ));
        drop(busy);
    }
}

#[tokio::test]
async fn newcomers_do_not_wait_for_hopeless_proofs() {
    let engine = engine(2, 100);
    let proofs: Vec<_> = (0..64)
        .map(|number| {
            let proof = question(hopeless(number), Objective::Optimal);
            engine.solve(None, proof, patient()).unwrap()
        })
        .collect();
    let glances: Arc<[_]> = proofs.iter().map(Waiting::glance).collect();
    let done = |glances: &[Glance<_>]| -> Vec<u64> {
        let progress = glances.iter().map(|glance| glance.progress().generated);
        progress.collect()
    };
    let mut overtaken_by: Vec<usize> = Vec::new();
    for _ in 0..101 {
        let (sender, told) = channel();
        let looks = Arc::clone(&glances);
        let newcomer = Scripted::<(), _>::new(move |_, _| {
            sender.send(done(&looks)).unwrap();
            Step::Done(Stop::Exhausted)
        });
        let _waiting = engine.draw(None, Rank::FIRST, newcomer, unlimited());
        let before = done(&glances);
        let after = receive(&told);
        let worked_on = before.iter().zip(&after).filter(|(a, b)| a < b);
        overtaken_by.push(worked_on.count());
    }
    overtaken_by.sort();
    // Taking turns, all 64 would have had their slices first. So these are tasks that were running already, and now and
    // then one that was passed over for long.
    assert!(overtaken_by[50] <= 4, "{overtaken_by:?}");
    // All of the proofs are still being worked on.
    for mut proof in proofs {
        let begin = Instant::now();
        while proof.progress().generated == 0 {
            assert!(begin.elapsed() < PATIENCE, "starved");
            tokio::task::yield_now().await;
        }
        assert!(proof.found().revision <= 1);
        drop(proof.news());
    }
}

#[test]
fn a_search_that_nobody_waits_for_leaves_the_pool_at_once() {
    let engine = engine(1, 1);
    // The chunks that a search has been advanced by, and the search. The pool has only one place, so whoever gets it
    // comes after the one that left.
    let begin = || {
        let begun = Instant::now();
        loop {
            let chunks = Arc::new(AtomicUsize::new(0));
            let counted = Arc::clone(&chunks);
            let search = Scripted::<(), _>::new(move |_, _| {
                counted.fetch_add(1, Ordering::Relaxed);
                std::thread::sleep(Duration::from_micros(50));
                Step::Working
            });
            match engine.draw(None, Rank::FIRST, search, unlimited()) {
                Ok(waiting) => return (chunks, waiting),
                Err(_) => assert!(begun.elapsed() < PATIENCE, "the other never left"),
            }
            std::thread::yield_now();
        }
    };
    let (mut chunks, mut waiting) = begin();
    for _ in 0..100 {
        let begun = Instant::now();
        while chunks.load(Ordering::Relaxed) == 0 {
            assert!(begun.elapsed() < PATIENCE, "it never began");
            std::thread::yield_now();
        }
        drop(waiting);
        let before = chunks.load(Ordering::Relaxed);
        let next = begin();
        // None but one that was about to begin.
        assert!(chunks.load(Ordering::Relaxed) - before <= 1);
        (chunks, waiting) = next;
    }
}
