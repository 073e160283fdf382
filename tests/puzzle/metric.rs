//! What counts as one move.

use loyd::puzzle::Direction::{Down, Left, Right, Up};
use loyd::puzzle::{Measure, Metric};

/// Four runs: two slides up, one to the left, one down and two to the left.
const SLIDES: [loyd::puzzle::Direction; 6] = [Up, Up, Left, Down, Left, Left];

#[test]
fn a_run_of_slides_in_one_direction_is_one_push() {
    for (slides, pushes) in [
        (&SLIDES[..], 4),
        (&[], 0),
        (&[Right], 1),
        (&[Right, Right, Right], 1),
        (&[Right, Left, Right], 3),
    ] {
        assert_eq!(Metric::SingleTile.length(slides), slides.len());
        assert_eq!(Metric::MultiTile.length(slides), pushes, "{slides:?}");
    }
}

#[test]
fn a_run_may_come_in_pieces() {
    for metric in Metric::ALL {
        for end in 0..=SLIDES.len() {
            let mut measure = Measure::new(metric);
            let (first, second) = SLIDES.split_at(end);
            measure.add(first);
            measure.add(second);
            assert_eq!(measure.length(), metric.length(&SLIDES), "cut at {end}");
        }
    }
}
