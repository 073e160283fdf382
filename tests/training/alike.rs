//! Weights that are alike become their mean.

use loyd::heuristic::learned::Weights;
use loyd::puzzle::{Dice, Shape};
use loyd::training::{Course, rank_whole, train};

use crate::support::files::{deflated, file, inflated};
use crate::support::{random_problem, shape};
use crate::{inverse, with_blank_at_home};

/// A course that learns next to nothing.
const IDLE: Course = Course {
    seed: 7,
    threads: 2,
    generations: 0,
    solves: 40,
    width: 48,
    epochs: 1,
    rate: 1e-30,
    trials: 100,
    trial_width: 60,
};

/// Returns weights of tiles on cells that are off the Manhattan distance by up to two moves, and
/// weights of pairs of up to one move. None of them are alike.
fn noisy(shape: Shape) -> Weights {
    let manhattan = Weights::manhattan(shape).to_bytes();
    let mut numbers = inflated(&manhattan);
    let (singles, pairs) = numbers.split_at_mut(2 * shape.cells().pow(2));
    let mut dice = Dice::new(1);
    for bytes in singles.as_chunks_mut().0 {
        let noise = dice.below(4 * Weights::UNIT as u32) as i16 - 2 * Weights::UNIT as i16;
        *bytes = (i16::from_le_bytes(*bytes) + noise).to_le_bytes();
    }
    pairs.fill_with(|| dice.below(Weights::UNIT as u32) as u8);
    Weights::from_bytes(&file(&manhattan, 2, &deflated(&numbers))).unwrap()
}

/// Returns the weights after a course that only makes them alike.
fn alike(weights: &Weights) -> Weights {
    rank_whole(&IDLE, weights.clone(), None, &mut |_| {})
}

/// Returns the image of a square board in the diagonal.
pub(super) fn transposed(side: usize, tiles: &[u8]) -> Vec<u8> {
    let turned = |cell: usize| cell % side * side + cell / side;
    let tile = |cell: usize| match tiles[turned(cell)] {
        0 => 0,
        tile => turned(usize::from(tile) - 1) as u8 + 1,
    };
    (0..tiles.len()).map(tile).collect()
}

/// The most that rounding changes the estimate of a board of so few tiles: many times what it does
/// on average.
const ROUNDING: i32 = Weights::UNIT / 2;

#[test]
fn a_board_with_the_blank_at_home_is_estimated_at_the_mean_of_its_images() {
    let mut dice = Dice::new(2);
    for (shape, weights) in [shape(3, 4), shape(3, 3)].map(|shape| (shape, noisy(shape))) {
        let learned = alike(&weights);
        for _ in 0..100 {
            let board = with_blank_at_home(shape.cells(), &mut dice);
            let mut images = vec![inverse(&board), board];
            if shape.rows() == shape.columns() {
                images.extend(
                    images
                        .clone()
                        .iter()
                        .map(|image| transposed(shape.rows(), image)),
                );
            }
            let sum: i32 = images.iter().map(|image| weights.of(image)).sum();
            let mean = sum / images.len() as i32;
            let estimate = learned.of(&images[1]);
            assert!((estimate - mean).abs() <= ROUNDING, "{estimate} {mean}");
        }
    }
}

#[test]
fn what_is_alike_stays_so() {
    for shape in [shape(3, 4), shape(3, 3)] {
        let first = alike(&noisy(shape));
        let second = alike(&first);
        let mut dice = Dice::new(3);
        for _ in 0..100 {
            let problem = random_problem(shape, shape.cells() - 1, &mut dice);
            let tiles: Vec<u8> = problem.start().tiles().map(|tile| tile as u8).collect();
            let [before, after] = [&first, &second].map(|weights| weights.of(&tiles));
            assert!((before - after).abs() <= ROUNDING, "{before} {after}");
        }
        // Nothing is left to move from the weights of pairs.
        let numbers = [&first, &second].map(|weights| inflated(&weights.to_bytes()));
        let pairs = 2 * shape.cells().pow(2)..;
        let mut changes = numbers[0][pairs.clone()].iter().zip(&numbers[1][pairs]);
        assert!(changes.all(|(&one, &other)| (one as i8).abs_diff(other as i8) <= 1));
    }
}

#[test]
fn a_tile_on_a_cell_has_the_mean_of_its_images() {
    for shape in [shape(3, 4), shape(3, 3)] {
        let cells = shape.cells();
        let squared = cells.pow(2);
        let manhattan = Weights::manhattan(shape).to_bytes();
        let mut numbers = inflated(&noisy(shape).to_bytes());
        numbers[2 * squared..].fill(0);
        let weights = Weights::from_bytes(&file(&manhattan, 2, &deflated(&numbers))).unwrap();
        let singles = |weights: &Weights| -> Vec<i32> {
            let numbers = inflated(&weights.to_bytes());
            let singles = numbers[..2 * squared].as_chunks().0.iter();
            singles.map(|&one| i16::from_le_bytes(one).into()).collect()
        };
        let (before, after) = (singles(&weights), singles(&alike(&weights)));
        for (tile, cell) in (0..squared).map(|at| (at / cells, at % cells)) {
            let mut images = vec![(tile, cell)];
            // Where only the blank or only its home is part of it, it has no inverse.
            if (tile == 0) == (cell == cells - 1) {
                images.push(((cell + 1) % cells, (tile + cells - 1) % cells));
            }
            if shape.rows() == shape.columns() {
                let turned = |cell: usize| cell % shape.rows() * shape.rows() + cell / shape.rows();
                let tile = |tile: usize| (turned((tile + cells - 1) % cells) + 1) % cells;
                images.extend(
                    images
                        .clone()
                        .iter()
                        .map(|&one| (tile(one.0), turned(one.1))),
                );
            }
            let sum: i32 = images
                .iter()
                .map(|&(tile, cell)| before[tile * cells + cell])
                .sum();
            let count = images.len() as i32;
            let off = (count * after[tile * cells + cell] - sum).abs();
            assert!(2 * off <= count, "{tile} on {cell}");
        }
    }
}

#[test]
fn predictions_and_ranks_know_the_same_weights_as_alike() {
    for shape in [shape(3, 4), shape(3, 3)] {
        let noisy = noisy(shape);
        let course = Course {
            generations: 1,
            ..IDLE
        };
        let learned = train(&course, noisy.clone(), &mut |_| {});
        assert!(learned != noisy);
        assert!(learned == alike(&noisy));
    }
}
