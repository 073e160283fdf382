//! Equal concurrent questions are answered by one search; proven answers are kept.

use std::sync::Arc;
use std::time::{Duration, Instant};

use loyd::engine::{
    Engine, Failure, Limits, News, Question, Refused, Solving, StopReason, Wanted, Work,
};
use loyd::puzzle::Dice;
use loyd::search::plan::{Algorithm, Objective, Ratio};
use tokio::time::timeout;

use crate::admission::hold;
use crate::fake::{PATIENCE, client, engine, hopeless, question, unlimited, wanting};
use crate::support::published::KORF_1985;
use crate::support::{problem, random_problem, shape};

fn proof(number: u64) -> Question {
    question(hopeless(number), Objective::Optimal)
}

/// A pool with one place: any question that gets in beside the one that has it has joined its search.
fn one_place() -> Engine {
    engine(1, 1)
}

fn is_taken(engine: &Engine, question: Question) -> bool {
    match engine.solve(None, question, unlimited()) {
        Ok(_) => true,
        Err(refused) => {
            assert!(matches!(refused, Refused::Overloaded { .. }));
            false
        }
    }
}

/// Asks until there is a place.
async fn solve_when_possible(engine: &Engine, question: &Question, limits: Limits) -> Solving {
    let begin = Instant::now();
    loop {
        match engine.solve(None, question.clone(), limits) {
            Ok(solving) => return solving,
            Err(_) => assert!(begin.elapsed() < PATIENCE, "there never was a place"),
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn equal_questions_share_one_search_and_others_do_not() {
    let engine = one_place();
    let first = engine.solve(None, proof(1), unlimited()).unwrap();
    let second = engine.solve(None, proof(1), unlimited()).unwrap();
    let third = engine.solve(None, proof(1), unlimited()).unwrap();
    // Everything that affects the answer makes a different question.
    assert!(!is_taken(&engine, proof(2)));
    assert!(!is_taken(&engine, question(hopeless(1), Objective::Best)));
    assert!(!is_taken(
        &engine,
        question(hopeless(1), Objective::Bounded(Ratio::ONE))
    ));
    for wanted in [
        Wanted {
            nodes: Some(1 << 40),
            ..Wanted::default()
        },
        Wanted {
            memory: Some(1 << 20),
            ..Wanted::default()
        },
    ] {
        let refused = engine.solve(None, proof(1), wanting(wanted)).err();
        assert!(matches!(refused, Some(Refused::Overloaded { .. })));
    }
    // Time does not: each asker ends its own wait.
    let wanted = Wanted {
        time: Some(Duration::from_secs(1)),
        ..Wanted::default()
    };
    let fourth = engine.solve(None, proof(1), wanting(wanted)).unwrap();
    drop((first, second, third, fourth));
}

#[tokio::test]
async fn a_search_goes_on_until_its_last_asker_has_gone() {
    let engine = one_place();
    let first = engine.solve(None, proof(1), unlimited()).unwrap();
    let mut second = engine.solve(None, proof(1), unlimited()).unwrap();
    drop(first);
    // The remaining asker gets its constructive solution.
    let news = timeout(PATIENCE, second.news()).await.unwrap();
    assert!(matches!(news, News::Found));
    let before = second.progress().generated;
    let begin = Instant::now();
    while second.progress().generated == before {
        assert!(begin.elapsed() < PATIENCE, "the search was given up");
        tokio::task::yield_now().await;
    }
    assert!(!is_taken(&engine, proof(2)));
    drop(second);
    drop(solve_when_possible(&engine, &proof(2), unlimited()).await);
    // The first question is not remembered as one that is being worked on.
    let mut again = solve_when_possible(&engine, &proof(1), unlimited()).await;
    let news = timeout(PATIENCE, again.news()).await.unwrap();
    assert!(matches!(news, News::Found));
}

#[tokio::test]
async fn who_leaves_keeps_nobody_from_joining_those_who_stay() {
    let engine = one_place();
    let first = engine.solve(None, proof(1), unlimited()).unwrap();
    let second = engine.solve(None, proof(1), unlimited()).unwrap();
    drop(first);
    assert!(is_taken(&engine, proof(1)));
    drop(second);
}

#[tokio::test]
async fn a_search_that_never_began_leaves_with_its_last_asker() {
    let engine = engine(1, 2);
    let (release, _) = hold(&engine, 0);
    let waits = engine.solve(None, proof(1), unlimited()).unwrap();
    assert!(!is_taken(&engine, proof(2)));
    drop(waits);
    // The worker has had no turn to find that out.
    assert!(is_taken(&engine, proof(2)));
    drop(release);
}

#[tokio::test]
async fn who_leaves_an_ended_search_hides_no_other_for_the_same_question() {
    let engine = engine(1, 2);
    let mut best = question(hopeless(1), Objective::Best);
    best.method.algorithm = Some(Algorithm::IdaStar);
    let few = wanting(Wanted {
        nodes: Some(50_000),
        ..Wanted::default()
    });
    let mut ended = engine.solve(None, best.clone(), few).unwrap();
    assert_eq!(ended.end().await.unwrap().reason, StopReason::NodeLimit);
    // The next one stays where it is, and takes the last place.
    let (release, _) = hold(&engine, 0);
    let next = engine.solve(None, best.clone(), few).unwrap();
    drop(ended);
    assert!(engine.solve(None, best, few).is_ok());
    drop((next, release));
}

#[tokio::test]
async fn one_who_joins_late_hears_what_was_found_before() {
    let engine = one_place();
    let mut first = engine.solve(None, proof(1), unlimited()).unwrap();
    let news = timeout(PATIENCE, first.news()).await.unwrap();
    assert!(matches!(news, News::Found));
    let mut late = engine.solve(None, proof(1), unlimited()).unwrap();
    let news = timeout(PATIENCE, late.news()).await.unwrap();
    assert!(matches!(news, News::Found));
    let (one, other) = (first.found().answer.unwrap(), late.found().answer.unwrap());
    assert!(Arc::ptr_eq(&one, &other));
    assert_eq!((first.found().revision, late.found().revision), (1, 1));
}

#[tokio::test]
async fn each_asker_keeps_its_own_time() {
    let engine = one_place();
    let in_time = |milliseconds| {
        wanting(Wanted {
            time: Some(Duration::from_millis(milliseconds)),
            ..Wanted::default()
        })
    };
    let hasty = in_time(50);
    let patient = in_time(400);
    let mut first = engine.solve(None, proof(1), hasty).unwrap();
    let mut second = engine.solve(None, proof(1), patient).unwrap();
    let limit = |ended| match ended {
        Err(Failure::Limit { reason, .. }) => reason,
        other => panic!("{other:?}"),
    };
    assert_eq!(limit(first.end().await), StopReason::TimeLimit);
    assert!(Instant::now() >= hasty.time_limit);
    let between = second.progress().generated;
    // The search goes on for as long as somebody asks, even if this test has slept through the rest.
    let begun = Instant::now();
    while second.progress().generated == between {
        assert!(begun.elapsed() < PATIENCE, "the search has ended");
        tokio::task::yield_now().await;
    }
    assert_eq!(limit(second.end().await), StopReason::TimeLimit);
    assert!(Instant::now() >= patient.time_limit);
}

#[tokio::test]
async fn a_proven_answer_is_given_again_without_a_search() {
    let engine = one_place();
    let (tiles, length, _) = KORF_1985[0];
    let korf = question(problem(4, 4, &tiles), Objective::Optimal);
    let mut solving = engine.solve(None, korf.clone(), unlimited()).unwrap();
    let first = solving.end().await.unwrap();
    assert_eq!(first.reason, StopReason::Proven);
    let first = first.found.answer.unwrap();
    assert_eq!(first.solution.len(), length);
    drop(solving);
    // There is no place for another search, and none is needed.
    let _busy = solve_when_possible(&engine, &proof(1), unlimited()).await;
    for _ in 0..3 {
        let mut solving = engine.solve(None, korf.clone(), unlimited()).unwrap();
        // The answer is news to this asker even though the end came with it.
        assert!(matches!(solving.news().await, News::Found));
        let again = solving.end().await.unwrap();
        assert_eq!(again.reason, StopReason::Proven);
        assert_eq!(again.queued, Duration::ZERO);
        assert!(Arc::ptr_eq(&first, &again.found.answer.unwrap()));
    }
}

#[tokio::test]
async fn no_more_is_kept_than_there_is_memory_for() {
    let mut config = one_place().config().clone();
    config.cache_memory = 10_000;
    let engine = Engine::start(config).unwrap();
    let mut answers = Vec::new();
    for seed in 0..50 {
        let problem = random_problem(shape(3, 3), 8, &mut Dice::new(seed));
        let mut asked = question(problem, Objective::Optimal);
        asked.method.algorithm = Some(Algorithm::IdaStar);
        let mut solving = solve_when_possible(&engine, &asked, unlimited()).await;
        let outcome = solving.end().await.unwrap();
        answers.push(Arc::downgrade(&outcome.found.answer.unwrap()));
        drop(solving);
        // Each takes somewhat more than a kilobyte, and the cache looks now and then.
        let kept = || answers.iter().filter(|answer| answer.strong_count() > 0);
        let begun = Instant::now();
        while kept().count() > 9 {
            assert!(begun.elapsed() < PATIENCE, "{} are kept", kept().count());
            drop(engine.solve(None, asked.clone(), unlimited()));
            tokio::task::yield_now().await;
        }
    }
    assert!(answers.iter().any(|answer| answer.strong_count() > 0));
}

#[tokio::test]
async fn an_answer_as_large_as_many_is_not_kept() {
    let engine = one_place();
    for (side, is_kept) in [(20, true), (40, false)] {
        let problem = random_problem(shape(side, side), 0, &mut Dice::new(1));
        let loose = Objective::Bounded(Ratio::new(100.0).unwrap());
        let asked = question(problem, loose);
        let mut answers = Vec::new();
        for _ in 0..2 {
            let mut solving = solve_when_possible(&engine, &asked, unlimited()).await;
            let outcome = solving.end().await.unwrap();
            assert_eq!(outcome.reason, StopReason::Proven);
            answers.push(outcome.found.answer.unwrap());
        }
        let moves = answers[0].solution.len();
        assert_eq!(moves < 60_000, is_kept, "{moves}");
        assert_eq!(Arc::ptr_eq(&answers[0], &answers[1]), is_kept, "{side}");
    }
}

#[tokio::test]
async fn clients_share_what_is_proven_but_no_running_search() {
    let engine = one_place();
    let (one, other) = (client("one", 1), client("other", 1));
    let proof = proof(1);
    let begun = engine.solve(Some(&one), proof.clone(), unlimited());
    let joined = engine.solve(Some(&one), proof.clone(), unlimited());
    assert!(begun.is_ok() && joined.is_ok());
    for caller in [Some(&other), None] {
        let refused = engine.solve(caller, proof.clone(), unlimited()).err();
        assert!(matches!(refused, Some(Refused::Overloaded { .. })));
    }
    drop((begun, joined));
    let (tiles, ..) = KORF_1985[0];
    let korf = question(problem(4, 4, &tiles), Objective::Optimal);
    let mut solving = solve_when_possible(&engine, &korf, unlimited()).await;
    let first = solving.end().await.unwrap().found.answer.unwrap();
    drop(solving);
    let _busy = solve_when_possible(&engine, &proof, unlimited()).await;
    for caller in [&one, &other] {
        let mut solving = engine
            .solve(Some(caller), korf.clone(), unlimited())
            .unwrap();
        let again = solving.end().await.unwrap().found.answer.unwrap();
        assert!(Arc::ptr_eq(&first, &again));
    }
}

#[tokio::test]
async fn what_another_client_has_proven_is_told_at_once_though_the_own_search_goes_on() {
    let engine = engine(1, 4);
    let (one, other) = (client("one", 1), client("other", 1000));
    let (tiles, ..) = KORF_1985[0];
    let korf = question(problem(4, 4, &tiles), Objective::Optimal);
    let _own = engine.solve(Some(&one), korf.clone(), unlimited()).unwrap();
    let mut solving = engine
        .solve(Some(&other), korf.clone(), unlimited())
        .unwrap();
    let first = solving.end().await.unwrap().found.answer.unwrap();
    drop(solving);
    let mut solving = engine.solve(Some(&one), korf, unlimited()).unwrap();
    let again = solving.end().await.unwrap().found.answer.unwrap();
    assert!(Arc::ptr_eq(&first, &again));
}

#[tokio::test]
async fn an_answer_that_a_limit_cut_short_is_not_given_again() {
    let engine = one_place();
    let mut best = question(hopeless(1), Objective::Best);
    // The widths of beams depend on the clock.
    best.method.algorithm = Some(Algorithm::IdaStar);
    let few = Wanted {
        nodes: Some(50_000),
        ..Wanted::default()
    };
    let mut generated = Vec::new();
    // Not even while the asker before is still there.
    let mut answered = Vec::new();
    for _ in 0..2 {
        let mut solving = solve_when_possible(&engine, &best, wanting(few)).await;
        let outcome = solving.end().await.unwrap();
        assert_eq!(outcome.reason, StopReason::NodeLimit);
        generated.push(outcome.found.answer.unwrap());
        answered.push(solving);
    }
    assert!(!Arc::ptr_eq(&generated[0], &generated[1]));
    assert_eq!(generated[0].solution, generated[1].solution);
}

#[tokio::test]
async fn what_is_over_and_of_no_use_to_others_takes_no_memory() {
    let engine = one_place();
    let limits = wanting(Wanted {
        nodes: Some(50_000),
        ..Wanted::default()
    });
    let best = question(hopeless(1), Objective::Best);
    let mut solving = engine.solve(None, best, limits).unwrap();
    let outcome = solving.end().await.unwrap();
    let answer = Arc::downgrade(&outcome.found.answer.unwrap());
    drop(solving);
    let begin = Instant::now();
    while answer.upgrade().is_some() {
        assert!(begin.elapsed() < PATIENCE, "somebody still has it");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn nothing_is_kept_where_there_is_no_memory_for_it() {
    let mut config = one_place().config().clone();
    config.cache_memory = 0;
    let engine = Engine::start(config).unwrap();
    let (tiles, length, _) = KORF_1985[0];
    let korf = question(problem(4, 4, &tiles), Objective::Optimal);
    for _ in 0..3 {
        let mut solving = solve_when_possible(&engine, &korf, unlimited()).await;
        let outcome = solving.end().await.unwrap();
        assert_eq!(outcome.found.answer.unwrap().solution.len(), length);
    }
}
