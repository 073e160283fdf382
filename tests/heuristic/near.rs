use std::array;

use loyd::heuristic::learned::near::{self, NearRanking, NearRows, NearWeights};
use loyd::heuristic::learned::{Changes, Kind, Line, Ranking, TOGETHER, Weights, WeightsError};
use loyd::heuristic::table_counts;
use loyd::puzzle::{Board, Dice, Direction, Home};

use crate::learned::tiles;
use crate::support::{random_problem, shape, slides};

fn weights() -> Weights {
    Weights::from_bytes(include_bytes!("../../weights/5x5.loyd")).unwrap()
}

#[test]
fn where_all_cells_are_near_each_other_it_is_the_whole_estimate() {
    let lines = [Line::FewerRows, Line::FewerColumns];
    let lines = lines.into_iter().cycle().take(6);
    let small = lines.fold(weights(), |weights, line| weights.lifted(line).unwrap());
    let near = NearWeights::of(&small);
    let mut dice = Dice::new(5);
    let mut is_any_other = false;
    for _ in 0..50 {
        let board = tiles(random_problem(shape(2, 2), 3, &mut dice).start());
        assert_eq!(near.of_board(&board), small.of(&board));
        let large = tiles(random_problem(shape(5, 5), 24, &mut dice).start());
        is_any_other |= NearWeights::of(&weights()).of_board(&large) != weights().of(&large);
    }
    assert!(is_any_other);
}

#[test]
fn rows_tell_what_each_slide_changes_there_and_back() {
    let square = NearWeights::of(&weights());
    let wide = square.clone().lifted(Line::MoreColumns).unwrap();
    for weights in [square, wide] {
        let shape = weights.shape();
        let rows = NearRows::new(weights.clone());
        assert_eq!(rows.shape(), shape);
        let mut dice = Dice::new(9);
        let problem = random_problem(shape, shape.cells() - 1, &mut dice);
        for (before, slide, after) in slides(problem.start(), 2000, &mut dice) {
            let (before, after) = (tiles(&before), tiles(&after));
            let change = weights.of_board(&after) - weights.of_board(&before);
            let there = rows.between(slide.to, slide.direction);
            assert_eq!(there.change(slide.tile, &before[..]), change);
            // Back again, computed from either board.
            let back = rows.between(slide.from, slide.direction.opposite());
            assert_eq!(back.change(slide.tile, &after[..]), -change);
            assert_eq!(back.change(slide.tile, &before[..]), -change);
        }
    }
}

#[test]
fn a_ranking_tells_of_boards_by_themselves_what_it_tells_by_slides() {
    let ranking = NearRanking::new(NearWeights::of(&weights()));
    let shape = ranking.shape();
    let goal = Board::solved(shape);
    assert_eq!(ranking.of(&tiles(&goal)), 0);
    let mut value = 0;
    let mut seen = vec![false; ranking.count()];
    for (_, slide, after) in slides(&goal, 5_000, &mut Dice::new(10)) {
        let after = tiles(&after);
        let rows = ranking.between(slide.to, slide.direction);
        value += rows.sign() * rows.sum(slide.tile, &after);
        assert_eq!(ranking.of(&after), value);
        assert_eq!(rows.numbers().len(), shape.cells() - 1);
        seen[rows.numbers()][slide.tile - 1] = true;
    }
    // Each slide of each tile has its own row.
    assert!(seen.iter().filter(|&&seen| seen).count() > ranking.count() / 4);
}

#[test]
fn boards_looked_up_together_come_to_what_each_comes_to_alone() {
    // As many cells as a vector has bytes, fewer, as many as two have, fewer, and more.
    for (rows, columns) in [(8, 8), (5, 6), (8, 16), (9, 11), (11, 12)] {
        let shape = shape(rows, columns);
        let ranking = NearRanking::new(near::shipped_whole(shape).unwrap());
        let mut dice = Dice::new(12);
        let problem = random_problem(shape, shape.cells() - 1, &mut dice);
        let counts = (1..=TOGETHER).cycle();
        for (count, (_, slide, _)) in counts.zip(slides(problem.start(), 300, &mut Dice::new(13))) {
            let rows = ranking.between(slide.to, slide.direction);
            let boards: Vec<Vec<u8>> = (0..40)
                .map(|_| tiles(random_problem(shape, slide.to, &mut dice).start()))
                .collect();
            let nodes: [u32; TOGETHER] = array::from_fn(|_| dice.below(40));
            let mut sums = vec![0; count];
            let next = 1 + dice.below(shape.cells() as u32 - 1) as usize;
            rows.sums(slide.tile, &boards.concat(), &nodes, next, &mut sums);
            for (sum, &node) in sums.iter().zip(&nodes) {
                assert_eq!(*sum, rows.sum(slide.tile, &boards[node as usize]));
            }
        }
    }
}

#[test]
#[should_panic]
fn a_board_that_is_not_there_is_not_looked_up() {
    let ranking = NearRanking::new(NearWeights::of(&weights()));
    let boards = [0; 2 * 5 * 5];
    let between = ranking.between(0, Direction::Left);
    between.sums(1, &boards, &[2; TOGETHER], 1, &mut [0; TOGETHER]);
}

#[test]
fn the_moves_to_go_grow_with_what_pairs_tell() {
    let ranking = NearRanking::new(NearWeights::of(&weights()));
    assert_eq!(ranking.moves(0), 0);
    assert_eq!(ranking.moves(-5), 0);
    let moves: Vec<i32> = (0..400)
        .map(|pairs| ranking.moves(pairs * Weights::UNIT))
        .collect();
    assert!(moves.is_sorted_by(|less, more| less < more));
}

#[test]
fn a_line_more_is_as_it_is_for_all_pairs_and_one_less_for_single_tiles() {
    for line in [Line::MoreRows, Line::MoreColumns] {
        let lifted = NearWeights::of(&weights()).lifted(line).unwrap();
        assert_eq!(lifted, NearWeights::of(&weights().lifted(line).unwrap()));
    }
    let manhattan = |rows, columns| NearWeights::of(&Weights::manhattan(shape(rows, columns)));
    let lifted = manhattan(5, 6).lifted(Line::MoreRows);
    assert_eq!(lifted, Some(manhattan(6, 6)));
    for (line, smaller) in [
        (Line::FewerRows, manhattan(4, 6)),
        (Line::FewerColumns, manhattan(5, 5)),
    ] {
        assert_eq!(manhattan(5, 6).lifted(line), Some(smaller));
    }
}

#[test]
fn a_line_less_is_the_mean_of_the_lines_that_keep_near_what_is_near() {
    let small = weights().lifted(Line::MoreRows).unwrap();
    let large = NearWeights::of(&small.clone().lifted(Line::MoreRows).unwrap());
    let back = large.lifted(Line::FewerRows).unwrap();
    // Inserting a line and removing it again changes a board's estimate little.
    let small = NearWeights::of(&small);
    assert_eq!(back.shape(), small.shape());
    let mut dice = Dice::new(6);
    let (mut moves, mut change) = (0, 0);
    for _ in 0..200 {
        let board = tiles(random_problem(small.shape(), 29, &mut dice).start());
        moves += small.of_board(&board);
        change += (back.of_board(&board) - small.of_board(&board)).abs();
    }
    assert!(20 * change < moves, "{change} of {moves}");
}

#[test]
fn a_mean_is_that_of_all_pairs_where_these_are_near() {
    let all = [weights(), Weights::manhattan(shape(5, 5))];
    let near = all.each_ref().map(NearWeights::of);
    assert_eq!(
        NearWeights::mean(&near),
        NearWeights::of(&Weights::mean(&all))
    );
}

#[test]
fn weights_are_read_as_they_were_written() {
    let weights = NearWeights::of(&weights()).fit(shape(8, 9));
    let bytes = weights.to_bytes();
    assert!(bytes.len() < NearRows::bytes(shape(8, 9)) / 10);
    assert!(NearWeights::from_bytes(&bytes) == Ok(weights));
}

#[test]
fn what_is_shipped_is_whole() {
    let bytes = include_bytes!("../../weights/near-10x10.loyd");
    let weights = NearWeights::from_bytes(bytes).unwrap();
    assert_eq!(weights.shape(), shape(10, 10));
    assert!(weights.to_bytes() == bytes);
    assert!(near::shipped(shape(10, 10)) == Some(weights.clone()));
    assert!(near::shipped(shape(8, 12)) == Some(weights.fit(shape(8, 12))));
    // For whole boards: weights, and the shapes that are made of them.
    let of_7: &[u8] = include_bytes!("../../weights/whole-7x7.loyd");
    let of_8: &[u8] = include_bytes!("../../weights/whole-8x8.loyd");
    let of_10: &[u8] = include_bytes!("../../weights/whole-10x10.loyd");
    let whole = [
        (of_7, [(7, 7), (2, 7), (3, 7), (6, 7)]),
        (of_8, [(8, 8), (2, 8), (7, 9), (6, 10)]),
        (of_10, [(10, 10), (9, 9), (8, 9), (3, 12)]),
    ];
    for (bytes, shapes) in whole {
        let weights = NearWeights::from_bytes(bytes).unwrap();
        assert!(weights.to_bytes() == bytes);
        for (rows, columns) in shapes {
            let shape = shape(rows, columns);
            assert!(near::shipped_whole(shape) == Some(weights.clone().fit(shape)));
        }
    }
}

#[test]
fn damaged_weights_are_refused() {
    let whole = NearWeights::of(&weights()).fit(shape(8, 9)).to_bytes();
    for at in [8, 10, 11, 12, 5000, whole.len() - 9, whole.len() - 1] {
        let mut bytes = whole.clone();
        bytes[at] ^= 4;
        let expected = match at {
            8 => WeightsError::Version(6),
            _ => WeightsError::Damaged,
        };
        let read = NearWeights::from_bytes(&bytes);
        assert_eq!(read, Err(expected), "byte {at}");
    }
    let shorter = &whole[..whole.len() - 1];
    assert_eq!(NearWeights::from_bytes(shorter), Err(WeightsError::Damaged));
    // Weights of all pairs and weights of near pairs are not read as each other.
    let all = weights().to_bytes();
    let other = |expected, found| WeightsError::Other { expected, found };
    let (near, pairs) = (Kind::NearWeights, Kind::Weights);
    assert_eq!(NearWeights::from_bytes(&all), Err(other(near, pairs)));
    assert_eq!(Weights::from_bytes(&whole), Err(other(pairs, near)));
    // There are no such weights for boards that need none.
    let small = NearWeights::of(&weights()).to_bytes();
    assert_eq!(NearWeights::from_bytes(&small), Err(WeightsError::Damaged));
}

#[test]
fn lines_are_put_in_and_taken_out_until_a_shape_is_reached() {
    let small = || NearWeights::of(&weights());
    let by_line = small().lifted(Line::MoreRows).unwrap();
    let by_line = by_line.lifted(Line::MoreColumns).unwrap();
    assert_eq!(small().fit(shape(6, 6)), by_line);
    assert_eq!(small().fit(shape(5, 5)), small());
    let by_line = small().lifted(Line::FewerRows).unwrap();
    let by_line = by_line.lifted(Line::MoreColumns).unwrap();
    assert_eq!(small().fit(shape(4, 6)), by_line);
}

#[test]
fn rows_are_made_bit_by_bit_for_boards_beyond_those_that_were_learned() {
    let supported = [(8, 9), (8, 12), (9, 9), (10, 11), (11, 12), (12, 12)];
    let not = [(8, 8), (7, 10), (9, 8), (8, 13), (16, 16), (5, 20)];
    for (rows, columns) in supported {
        assert!(near::supports(shape(rows, columns)), "{rows}×{columns}");
    }
    for (rows, columns) in not {
        let shape = shape(rows, columns);
        assert!(!near::supports(shape), "{shape}");
        assert!(near::prepare(shape, 0) && near::ready(shape).is_none());
    }
    // Whole boards in either orientation, but neither the largest nor the smallest.
    let whole = [(2, 7), (7, 7), (7, 8), (8, 6), (8, 8), (9, 8), (12, 5)];
    let long = [(3, 14), (8, 16), (12, 11), (2, 20)];
    for (rows, columns) in whole.into_iter().chain(long) {
        assert!(near::supports_whole(shape(rows, columns)));
    }
    for shape in [
        shape(6, 6),
        shape(4, 2),
        shape(12, 12),
        shape(13, 11),
        shape(3, 17),
        shape(2, 21),
    ] {
        assert!(!near::supports_whole(shape), "{shape}");
        assert!(
            near::prepare_whole(Home::corner(shape), 0)
                && near::ready_whole(Home::corner(shape)).is_none()
        );
    }
    let wide = shape(8, 9);
    let mut slices = 0;
    while !near::prepare(wide, 512) {
        slices += 1;
    }
    assert!(slices > 100, "{slices}");
    let rows = near::ready(wide).unwrap();
    assert_eq!(rows.shape(), wide);
    assert!(table_counts().bytes >= NearRows::bytes(wide));
    let before = table_counts().bytes;
    let tall = shape(9, 8);
    assert!(near::ready_whole(Home::corner(tall)).is_none());
    while !near::prepare_whole(Home::corner(tall), 512) {}
    let ranking = near::ready_whole(Home::corner(tall)).unwrap();
    assert_eq!(ranking.shape(), wide);
    assert!(ranking.network().is_none());
    let square = shape(9, 9);
    while !near::prepare_whole(Home::corner(square), 1 << 20) {}
    assert!(
        near::ready_whole(Home::corner(square))
            .unwrap()
            .network()
            .is_some()
    );
    assert!(table_counts().bytes >= before + NearRanking::bytes(wide));
}

#[test]
fn tables_of_all_boards_keep_within_their_bounds() {
    let sides = || 2..=20;
    let shapes = sides().flat_map(|rows| sides().map(move |columns| shape(rows, columns)));
    let shapes: Vec<_> = shapes
        .filter(|shape| shape.rows() <= shape.columns())
        .collect();
    let whole = || shapes.iter().filter(|&&shape| near::supports_whole(shape));
    let small = whole().filter(|shape| shape.columns() <= 8);
    let small: usize = small.map(|&shape| NearRanking::bytes(shape)).sum();
    assert!(small < 31_000_000, "{small}");
    let all: usize = whole().map(|&shape| NearRanking::bytes(shape)).sum();
    let staged = shapes.iter().filter(|&&shape| near::supports(shape));
    let staged: usize = staged.map(|&shape| NearRows::bytes(shape)).sum();
    assert!(all + staged < 1_900_000_000, "{all} and {staged}");
}
