//! A lack of places, as connections hear of it.

use std::pin::pin;
use std::task::{Context, Waker};
use std::thread::sleep;
use std::time::{Duration, Instant};

use loyd::service::Shortage;

/// How long it is not told again.
const PAUSE: Duration = Duration::from_millis(250);

#[test]
fn all_that_wait_are_told_but_not_all_the_time() {
    let shortage = Shortage::default();
    let mut context = Context::from_waker(Waker::noop());
    let (mut one, mut other) = (pin!(shortage.told()), pin!(shortage.told()));
    assert!(one.as_mut().poll(&mut context).is_pending());
    assert!(other.as_mut().poll(&mut context).is_pending());
    let begun = Instant::now();
    shortage.tell();
    assert!(one.as_mut().poll(&mut context).is_ready());
    assert!(other.as_mut().poll(&mut context).is_ready());
    let mut again = pin!(shortage.told());
    assert!(again.as_mut().poll(&mut context).is_pending());
    shortage.tell();
    let is_told = again.as_mut().poll(&mut context).is_ready();
    assert!(!is_told || begun.elapsed() >= PAUSE);
    if !is_told {
        sleep(PAUSE);
        shortage.tell();
        assert!(again.as_mut().poll(&mut context).is_ready());
    }
}
