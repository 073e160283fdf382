//! Who has the turn of those that were passed over.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use loyd::engine::pool::{Next, Pool};
use loyd::engine::rank::Rank;

use super::set_up::{Of, hold_worker, pool};
use crate::fake::{PATIENCE, receive, task};
use crate::support::shape;

/// The rank of a question for a first answer on square boards of this side.
fn rank(side: usize) -> Rank {
    Rank::of_first_answer(shape(side, side))
}

/// Submits tasks of these sides in this order, each of which says its word.
fn submit(pool: &Pool, said: &Sender<&'static str>, newcomers: &[(usize, &'static str)]) {
    for &(side, word) in newcomers {
        let said = said.clone();
        let says = task(move |_| {
            // Nobody listens once the test is over.
            let _ = said.send(word);
            Next::Finished
        });
        pool.submit(Box::new(Of(rank(side), says))).unwrap();
    }
}

fn next<const N: usize>(said: &Receiver<&'static str>) -> [&'static str; N] {
    [(); N].map(|()| receive(said))
}

#[test]
fn of_newcomers_of_a_rank_the_first_to_come_has_the_turn_of_those_passed_over() {
    let pool = pool(1, 10);
    let release = hold_worker(&pool);
    let (sender, said) = channel();
    submit(&pool, &sender, &[(10, "first"), (10, "second")]);
    submit(&pool, &sender, &[(3, "small"); 4]);
    drop(release);
    let order = ["small", "small", "small", "first", "small", "second"];
    assert_eq!(next(&said), order);
}

#[test]
fn a_turn_in_which_nobody_was_passed_over_begins_the_count_anew() {
    let pool = Arc::new(pool(1, 10));
    let release = hold_worker(&pool);
    let (sender, said) = channel();
    let (later, inner) = (sender.clone(), Arc::downgrade(&pool));
    let large = task(move |_| {
        let pool = inner.upgrade().expect("the test goes on");
        submit(&pool, &later, &[(10, "later")]);
        submit(&pool, &later, &[(3, "small"); 4]);
        // The test drops it last: a worker cannot wait for itself.
        drop(pool);
        later.send("large").unwrap();
        Next::Finished
    });
    pool.submit(Box::new(Of(rank(10), large))).unwrap();
    submit(&pool, &sender, &[(3, "small"); 2]);
    drop(release);
    // The large one is alone by then.
    assert_eq!(next(&said), ["small", "small", "large"]);
    let from_then_on = ["small", "small", "small", "later", "small"];
    assert_eq!(next(&said), from_then_on);
}

/// Submits newcomers beside three endless tasks of very different service, and returns whose turns come after that,
/// or nothing if the machine was so busy that their service is in another order.
fn turns_beside_newcomers() -> Option<[&'static str; 21]> {
    let pool = Arc::new(pool(1, 30));
    let release = hold_worker(&pool);
    let (sender, said) = channel();
    // The service that each had had after its first turn, and when it had its last.
    let services = Arc::new(Mutex::new([[Duration::from_millis(2); 3]; 2]));
    for (number, word) in ["little", "more", "most"].into_iter().enumerate() {
        let (said, services) = (sender.clone(), Arc::clone(&services));
        let inner = Arc::downgrade(&pool);
        let mut turns = 0;
        let endless = task(move |turn| {
            turns += 1;
            let [firsts, lasts] = &mut *services.lock().unwrap();
            let heard = match turns {
                1 => {
                    // Several times as much as the one before.
                    thread::sleep(5 * firsts[number.saturating_sub(1)]);
                    firsts[number] = turn.service();
                    Ok(())
                }
                // After the first turns of all it is the one with the least that has another.
                2 if word == "little" => {
                    let pool = inner.upgrade().expect("the test goes on");
                    submit(&pool, &said, &[(3, "new"); 20]);
                    Ok(())
                }
                _ => said.send(word),
            };
            lasts[number] = turn.service();
            // They continue until nobody listens.
            match heard {
                Ok(()) => Next::Again,
                Err(_) => Next::Finished,
            }
        });
        pool.submit(endless).unwrap();
    }
    drop(release);
    let words = next(&said);
    drop(said);
    let [[_, more, most], [little, last_of_more, _]] = *services.lock().unwrap();
    (little < more && last_of_more < most).then_some(words)
}

#[test]
fn those_with_most_and_with_little_and_who_has_waited_longest_take_turns_beside_newcomers() {
    let begun = Instant::now();
    let words = loop {
        assert!(begun.elapsed() < PATIENCE, "the machine is never quiet");
        if let Some(words) = turns_beside_newcomers() {
            break words;
        }
    };
    let turns = words.chunks(4).map(|turns| turns[0]);
    let turns: Vec<_> = turns.collect();
    assert_eq!(turns, ["most", "little", "more", "most", "little", "more"]);
    assert_eq!(words.iter().filter(|&&word| word == "new").count(), 15);
}
