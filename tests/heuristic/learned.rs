use loyd::heuristic::learned::{
    self, Changes, Kind, Line, Network, Ranking, Rows, Weights, WeightsError,
};
use loyd::heuristic::table_counts;
use loyd::puzzle::{Board, Dice, Home, Shape};

use crate::support::files::{deflated, file, inflated};
use crate::support::{random_problem, shape, slides};

/// The weights that are shipped: those of 5×5 and of 6×6.
const SHIPPED: &[u8] = include_bytes!("../../weights/5x5.loyd");
const SHIPPED_6: &[u8] = include_bytes!("../../weights/6x6.loyd");

pub(crate) fn tiles(board: &Board) -> Vec<u8> {
    board.tiles().map(|tile| tile as u8).collect()
}

/// Returns weights that differ everywhere: those of 5×5 with a row removed.
fn weights() -> Weights {
    let square = Weights::from_bytes(SHIPPED).unwrap();
    square.lifted(Line::FewerRows).unwrap()
}

#[test]
fn what_is_shipped_is_whole_and_for_its_size() {
    for (side, bytes) in [(5, SHIPPED), (6, SHIPPED_6)] {
        let weights = Weights::from_bytes(bytes).unwrap();
        assert_eq!(weights.shape(), shape(side, side));
        let written = weights.to_bytes();
        assert_eq!(written[..12], bytes[..12]);
        assert_eq!(inflated(&written), inflated(bytes));
        assert!(learned::supports(weights.shape()));
    }
}

#[test]
fn weights_read_what_they_wrote() {
    let weights = weights();
    assert_eq!(weights.shape(), shape(4, 5));
    assert_eq!(Weights::from_bytes(&weights.to_bytes()), Ok(weights));
}

#[test]
fn weights_are_read_packed_and_as_they_are_and_have_to_be_as_many_as_the_shape_has() {
    let weights = Weights::manhattan(shape(4, 5));
    let packed = weights.to_bytes();
    let plain = inflated(&packed);
    let cells = 4 * 5;
    assert_eq!(plain.len(), cells * cells * (2 + cells * (cells - 1) / 2));
    let mut more = plain.clone();
    more.push(0);
    let read = |layout, weights: &[u8]| Weights::from_bytes(&file(&packed, layout, weights));
    // In layout 1, weights are in parts of a move that are twice as large.
    let board = tiles(random_problem(shape(4, 5), 19, &mut Dice::new(3)).start());
    assert!(weights.of(&board) > 0);
    assert_eq!(read(1, &plain).unwrap().of(&board), 2 * weights.of(&board));
    assert_eq!(read(2, &deflated(&plain)), Ok(weights));
    for wrong in [&plain[..plain.len() - 1], &plain[..700], &[], &more] {
        assert_eq!(read(1, wrong), Err(WeightsError::Damaged));
        assert_eq!(read(2, &deflated(wrong)), Err(WeightsError::Damaged));
    }
    assert_eq!(read(2, &plain), Err(WeightsError::Damaged));
    assert_eq!(read(3, &plain), Err(WeightsError::Version(3)));
}

#[test]
fn squares_are_the_same_on_their_side() {
    let weights = Weights::from_bytes(SHIPPED).unwrap();
    assert_eq!(weights.transposed(), weights);
    let narrow = self::weights();
    assert_eq!(narrow.transposed().shape(), shape(5, 4));
    assert_eq!(narrow.transposed().transposed(), narrow);
}

#[test]
fn damaged_weights_are_refused() {
    let whole = SHIPPED;
    for at in [8, 10, 11, 12, 500, whole.len() - 9, whole.len() - 1] {
        let mut bytes = whole.to_vec();
        bytes[at] ^= 4;
        let error = Weights::from_bytes(&bytes).unwrap_err();
        let expected = if at == 8 {
            WeightsError::Version(6)
        } else {
            WeightsError::Damaged
        };
        assert_eq!(error, expected, "byte {at}");
    }
    for foreign in [&b"loyd-pdb"[..], b"", &whole[..7]] {
        let error = Weights::from_bytes(foreign).unwrap_err();
        assert_eq!(error, WeightsError::Foreign(Kind::Weights));
    }
    for length in [8, 12, whole.len() - 1] {
        let error = Weights::from_bytes(&whole[..length]).unwrap_err();
        assert_eq!(error, WeightsError::Damaged, "{length} bytes");
    }
}

#[test]
fn a_slide_changes_the_estimate_by_what_the_row_says() {
    let mut dice = Dice::new(1);
    for (weights, moves) in [(weights(), 2000), (Weights::manhattan(shape(3, 6)), 500)] {
        let shape = weights.shape();
        let rows = Rows::new(weights.clone());
        let problem = random_problem(shape, shape.cells() - 1, &mut dice);
        for (before, slide, after) in slides(problem.start(), moves, &mut dice) {
            let before = tiles(&before);
            let rows = rows.between(slide.to, slide.direction);
            let change = rows.sign() * rows.sum(slide.tile, &before);
            assert_eq!(weights.of(&before) + change, weights.of(&tiles(&after)));
        }
    }
}

#[test]
fn weights_of_manhattan_are_the_manhattan_distance() {
    let mut dice = Dice::new(2);
    let shape = shape(4, 6);
    let rows = Rows::new(Weights::manhattan(shape));
    for _ in 0..20 {
        let problem = random_problem(shape, 23, &mut dice);
        let distance = loyd::heuristic::manhattan::lower_bound(&problem) as i32;
        assert_eq!(rows.of(&tiles(problem.start())), Weights::UNIT * distance);
    }
}

#[test]
fn a_mean_is_between_weights_as_often_as_each_is_given() {
    let learned = weights();
    let plain = Weights::manhattan(learned.shape());
    assert_eq!(Weights::mean(std::slice::from_ref(&learned)), learned);
    let three = [learned.clone(), plain.clone(), learned.clone()];
    let mean = Weights::mean(&three);
    let mut dice = Dice::new(3);
    for _ in 0..50 {
        let board = tiles(random_problem(learned.shape(), 19, &mut dice).start());
        let sum: i32 = three.iter().map(|weights| weights.of(&board)).sum();
        // Each of its weights is rounded by at most half a part.
        let weights = 20 + 20 * 19 / 2;
        assert!((3 * mean.of(&board) - sum).abs() <= 3 * weights / 2);
        assert!((learned.of(&board) - plain.of(&board)).abs() > weights);
    }
}

#[test]
fn a_line_more_or_less_leaves_distances_right() {
    for line in [
        Line::MoreRows,
        Line::MoreColumns,
        Line::FewerRows,
        Line::FewerColumns,
    ] {
        let lifted = Weights::manhattan(shape(5, 6)).lifted(line).unwrap();
        assert_eq!(lifted, Weights::manhattan(lifted.shape()));
    }
    assert!(
        Weights::manhattan(shape(2, 3))
            .lifted(Line::FewerRows)
            .is_none()
    );
}

#[test]
fn a_lift_of_the_goal_stays_near_it() {
    // The goal's estimate was learned as that of a solution of no moves, about 0; ranks moved it a little.
    let side = 5;
    let weights = Weights::from_bytes(SHIPPED).unwrap();
    let moves = |weights: &Weights| {
        let goal = tiles(&Board::solved(weights.shape()));
        f64::from(weights.of(&goal)) / f64::from(Weights::UNIT)
    };
    assert!(moves(&weights).abs() < 2.0 * side as f64);
    let lifted = weights.lifted(Line::MoreColumns).unwrap();
    assert!(moves(&lifted).abs() < 3.0 * side as f64);
}

#[test]
fn rows_are_made_in_slices_and_then_shared() {
    let wide = Shape::new(5, 5).unwrap();
    let mut slices = 0;
    while !learned::prepare(Home::corner(wide), 512) {
        slices += 1;
    }
    assert!(slices > 50, "{slices}");
    let rows = learned::ready(Home::corner(wide)).unwrap();
    assert!(std::sync::Arc::ptr_eq(
        &rows,
        &learned::ready(Home::corner(wide)).unwrap()
    ));
    assert!(table_counts().bytes >= Rows::bytes(wide));
    assert!(learned::prepare(Home::corner(wide), 0));
}

#[test]
fn all_rows_together_keep_within_their_bound() {
    let sides = || 2..=128;
    let shapes = sides().flat_map(|rows| sides().map(move |columns| shape(rows, columns)));
    let supported: Vec<Shape> = shapes
        .filter(|&shape| shape.rows() <= shape.columns() && learned::supports(shape))
        .collect();
    assert_eq!(supported.len(), 15);
    let network = |shape| {
        if learned::has_network(shape) {
            Network::bytes(shape)
        } else {
            0
        }
    };
    let bytes: usize = supported
        .into_iter()
        .map(|shape| Rows::bytes(shape) + network(shape))
        .sum();
    assert!(bytes < 8_000_000, "{bytes}");
}

#[test]
fn there_are_none_for_boards_nobody_learned() {
    for (rows, columns) in [(2, 7), (2, 21), (7, 6), (9, 9), (128, 128)] {
        assert!(!learned::supports(shape(rows, columns)));
        assert!(learned::prepare(Home::corner(shape(rows, columns)), 0));
        assert!(learned::ready(Home::corner(shape(rows, columns))).is_none());
    }
}
