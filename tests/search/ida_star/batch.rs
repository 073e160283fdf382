use loyd::heuristic::HeuristicKind;
use loyd::heuristic::pattern_database::{CellSet, Partition, Tables, Tier, Watch};
use loyd::puzzle::{Board, Dice, Problem, Shape, Symmetry};
use loyd::search::ida_star::batch::{Grid, Guide, LARGE_BYTES, Large, SMALL_BYTES, Small};
use loyd::search::{Budget, Iteration, Step, Stop, a_star};

use crate::driving::{run, run_sliced};
use crate::korf;
use crate::support::{all_distances, goal, random_problem, shape, walk};

fn guide<G: Grid>(partitions: &[Partition]) -> Guide<G> {
    let additive = Tables::new().additive(partitions, 2, &Watch::default());
    Guide::new(additive.unwrap()).unwrap()
}

/// Patterns of so many tiles each, cell by cell.
fn by_cells(shape: Shape, home: usize, tiles: usize) -> Partition {
    let cells: Vec<usize> = (0..shape.cells()).filter(|&cell| cell != home).collect();
    let patterns = cells.chunks(tiles).map(|cells| cells.iter().copied());
    let patterns: Vec<CellSet> = patterns.map(CellSet::from_iter).collect();
    Partition::new(shape, home, &patterns).unwrap()
}

#[test]
fn solves_korfs_boards() {
    let guide = guide::<Small>(&Tier::SixSixThree.partitions(15).unwrap());
    let mut moves = 0;
    for board in korf::easiest_first() {
        let run = run(guide.solver(&board.problem).unwrap());
        assert_eq!(run.length(), board.length);
        assert_eq!(run.progress.lower_bound as usize, board.length);
        assert_eq!(run.stop, Stop::Proven);
        assert!(run.progress.memory < SMALL_BYTES);
        moves += run.length();
    }
    assert_eq!(moves, 5305);
}

#[test]
fn agrees_with_breadth_first_search_on_3x3_for_every_home() {
    let shape = shape(3, 3);
    let mut dice = Dice::new(5);
    for home in 0..9 {
        let distances = all_distances(goal(shape, home));
        let rows = by_cells(shape, home, 4);
        let mut partitions = vec![rows.clone()];
        let columns = rows.image(Symmetry::TRANSPOSITION);
        if columns.home() == home {
            partitions.push(columns);
        }
        let guide = guide::<Small>(&partitions);
        for _ in 0..500 {
            let problem = random_problem(shape, home, &mut dice);
            let run = run(guide.solver(&problem).unwrap());
            assert_eq!(run.length(), distances[problem.start()] as usize);
            assert_eq!(run.progress.lower_bound as usize, run.length());
        }
    }
}

/// Tables for one home serve all its mirror images.
#[test]
fn agrees_with_a_star_for_every_home_of_the_15_puzzle() {
    let shape = shape(4, 4);
    let mut tables = Tables::new();
    let guides = [15, 14, 10].map(|home| {
        let partitions = Tier::SixSixThree.partitions(home).unwrap();
        Guide::<Small>::new(tables.additive(&partitions, 2, &Watch::default()).unwrap()).unwrap()
    });
    let mut dice = Dice::new(6);
    for home in 0..16 {
        for _ in 0..8 {
            let problem = walk(shape, home, 80, &mut dice);
            let solvers = guides.iter().filter_map(|guide| guide.solver(&problem));
            let lengths: Vec<_> = solvers.map(|solver| run(solver).length()).collect();
            let a_star = a_star::solver(&problem, HeuristicKind::LinearConflict, 1.0);
            assert_eq!(lengths, [run(a_star).length()]);
        }
    }
}

#[test]
fn agrees_with_a_star_on_rectangles() {
    let mut dice = Dice::new(9);
    for (rows, columns, home, tiles) in [
        (2, 5, 9, 3),
        (3, 4, 11, 4),
        (4, 3, 4, 3),
        (2, 7, 3, 4),
        (8, 2, 15, 4),
        (3, 5, 14, 5),
    ] {
        let shape = shape(rows, columns);
        let guide = guide::<Small>(&[by_cells(shape, home, tiles)]);
        for _ in 0..10 {
            let problem = walk(shape, home, 60, &mut dice);
            let a_star = run(a_star::solver(&problem, HeuristicKind::LinearConflict, 1.0));
            let run = run(guide.solver(&problem).unwrap());
            assert_eq!(run.length(), a_star.length());
        }
    }
}

#[test]
fn agrees_with_a_star_on_larger_boards() {
    let mut dice = Dice::new(10);
    for (rows, columns, home, tiles) in [(5, 5, 24, 3), (5, 5, 12, 4), (3, 6, 17, 4), (5, 4, 6, 4)]
    {
        let shape = shape(rows, columns);
        let guide = guide::<Large>(&[by_cells(shape, home, tiles)]);
        for _ in 0..10 {
            let problem = walk(shape, home, 60, &mut dice);
            let a_star = run(a_star::solver(&problem, HeuristicKind::LinearConflict, 1.0));
            let run = run(guide.solver(&problem).unwrap());
            assert_eq!(run.length(), a_star.length());
            assert!(run.progress.memory < LARGE_BYTES);
        }
    }
}

/// The boards take enough nodes to exercise everything that the store of waiting nodes does as it fills up.
#[test]
fn runs_the_same_whatever_the_slices() {
    let shape = shape(4, 4);
    let guide = guide::<Small>(&[by_cells(shape, 15, 3)]);
    let mut longest = 0;
    for board in &korf::easiest_first()[8..12] {
        let solver = || guide.solver(&board.problem).unwrap();
        let whole = run(solver());
        assert_eq!(whole.length(), board.length);
        longest = longest.max(whole.progress.generated);
        for nodes in [1, 50, 1000] {
            assert_eq!(run_sliced(solver(), Budget::nodes(nodes)), whole);
        }
    }
    assert!(longest > 100_000, "{longest}");
}

#[test]
fn iterations_rise_by_two_and_add_up() {
    let shape = shape(4, 4);
    let guide = guide::<Small>(&[by_cells(shape, 15, 5)]);
    let board = &korf::easiest_first()[2];
    let root = guide.additive().lower_bound(&board.problem);
    let mut solver = guide.solver(&board.problem).unwrap();
    let first = Iteration {
        threshold: root,
        generated: 0,
    };
    assert_eq!(solver.iterations(), [first]);
    while solver.advance(Budget::nodes(1000)) == Step::Working {}
    let (iterations, progress) = (solver.iterations(), solver.progress());
    let thresholds = iterations.iter().map(|iteration| iteration.threshold);
    assert!(thresholds.eq((root..=board.length as u32).step_by(2)));
    let sum: u64 = iterations.iter().map(|iteration| iteration.generated).sum();
    assert_eq!(sum, progress.generated);
}

#[test]
fn the_goal_itself_needs_no_moves() {
    let shape = shape(3, 3);
    let guide = guide::<Small>(&[by_cells(shape, 8, 4)]);
    let goal = goal(shape, 8);
    let problem = loyd::puzzle::Problem::new(&goal, &goal).unwrap();
    let run = run(guide.solver(&problem).unwrap());
    assert_eq!((run.length(), run.progress.generated), (0, 0));
}

#[test]
fn is_for_the_shape_and_the_home_of_its_tables_only() {
    let guide = guide::<Small>(&[by_cells(shape(3, 3), 8, 4)]);
    let mut dice = Dice::new(1);
    let mut solver =
        |rows, columns, home| guide.solver(&walk(shape(rows, columns), home, 9, &mut dice));
    assert!(solver(3, 3, 8).is_some());
    // In a mirror.
    assert!(solver(3, 3, 2).is_some());
    assert!(solver(3, 3, 7).is_none());
    assert!(solver(3, 4, 8).is_none());
}

/// A board that is its own image in the mirror along the main diagonal, if it is solvable.
fn symmetric(dice: &mut Dice) -> Option<Problem> {
    let shape = shape(4, 4);
    let shuffled = |mut cells: Vec<usize>, dice: &mut Dice| {
        dice.shuffle(&mut cells);
        cells
    };
    let mirrored = |cell: usize| cell % 4 * 4 + cell / 4;
    let goal = goal(shape, 15);
    let mut tiles = [0; 16];
    // Cells on the diagonal stay there, and mirrored pairs stay pairs.
    let diagonal = shuffled(vec![0, 5, 10, 15], dice);
    for (cell, &from) in [0, 5, 10, 15].into_iter().zip(&diagonal) {
        tiles[cell] = u32::from(goal.tile(from));
    }
    let upper = vec![1, 2, 3, 6, 7, 11];
    for (cell, from) in upper.clone().into_iter().zip(shuffled(upper, dice)) {
        let from = if dice.below(2) == 0 {
            from
        } else {
            mirrored(from)
        };
        tiles[cell] = u32::from(goal.tile(from));
        tiles[mirrored(cell)] = u32::from(goal.tile(mirrored(from)));
    }
    Problem::new(&Board::new(shape, &tiles).unwrap(), &goal).ok()
}

#[test]
fn boards_that_are_their_own_image_begin_with_half_of_their_moves() {
    let guide = guide::<Small>(&Tier::SevenSixTwo.partitions(15).unwrap());
    let mut dice = Dice::new(70);
    let boards: Vec<_> = std::iter::repeat_with(|| symmetric(&mut dice))
        .flatten()
        .take(12)
        .collect();
    for problem in boards {
        assert_eq!(problem.mirrored(Symmetry::TRANSPOSITION), problem);
        let run = run(guide.solver(&problem).unwrap());
        // One slide away, the board is no longer its own image.
        let mut lengths = Vec::new();
        for direction in loyd::puzzle::Direction::ALL {
            let mut board = problem.start().clone();
            if board.slide(direction) {
                let next = Problem::new(&board, &problem.goal()).unwrap();
                lengths.push(self::run(guide.solver(&next).unwrap()).length());
            }
        }
        assert_eq!(run.length(), lengths.into_iter().min().unwrap() + 1);
    }
}
