//! Boards that are as hard as possible for the constructive solvers that look at one tile at a time.
//!
//! Such a solver's moves for a tile depend only on that tile and the blank. So tiles may be renamed
//! at the last moment: whenever one is about to be placed, its name goes to the tile from whose
//! cell the way is longest. Played backwards from the goal, the moves lead to the board that had
//! these names from the start.

use std::sync::Arc;

use loyd::puzzle::{Board, Direction, Problem, Shape};
use loyd::search::constructive::{Constructive, Variant};
use loyd::search::tables::Tables;
use loyd::search::{Budget, Search, Step};

/// With up to this many free cells, each is tried for a tile; on larger boards only those near the
/// corners, where the longest ways begin.
const FEW_CELLS: usize = 49;

/// A board for the default goal that costs a blind variant about as many moves as any.
pub(crate) fn hard_problem(tables: &Arc<Tables>, variant: Variant, shape: Shape) -> Problem {
    let goal = Board::solved(shape);
    let mut board = goal.clone();
    let mut moves = Vec::new();
    let (steps, block) = steps(shape, variant);
    for (index, step) in steps.iter().enumerate() {
        let mut hardest: Option<(Vec<Direction>, Board)> = None;
        for renamed in renamings(&board, step) {
            let run = run_of_step(tables, variant, &renamed, index);
            if hardest
                .as_ref()
                .is_none_or(|(most, _)| run.len() > most.len())
            {
                hardest = Some((run, renamed));
            }
        }
        let (run, renamed) = hardest.expect("a tile can be renamed to itself");
        board = renamed;
        for direction in run {
            assert!(board.slide(direction));
            moves.push(direction);
        }
    }
    moves.extend(hard_block(tables, variant, board, &block));
    // Play everything backwards.
    let mut start = goal;
    for direction in moves.iter().rev() {
        assert!(start.slide(direction.opposite()));
    }
    problem(&start)
}

/// The moves of the last block, with its tiles renamed as long as that increases their number.
fn hard_block(
    tables: &Arc<Tables>,
    variant: Variant,
    mut board: Board,
    cells: &[usize],
) -> Vec<Direction> {
    let mut hardest = solution(tables, variant, &board);
    loop {
        let before = hardest.len();
        for cycle in cycles(cells) {
            let mut tiles: Vec<u32> = board.tiles().map(u32::from).collect();
            if cycle.iter().any(|&cell| tiles[cell] == 0) {
                continue;
            }
            tiles.swap(cycle[0], cycle[1]);
            tiles.swap(cycle[0], cycle[2]);
            let cycled = Board::new(board.shape(), &tiles).expect("a permutation");
            let moves = solution(tables, variant, &cycled);
            if moves.len() > hardest.len() {
                (hardest, board) = (moves, cycled);
            }
        }
        if hardest.len() == before {
            return hardest;
        }
    }
}

/// All cycles of three cells, in both directions.
fn cycles(cells: &[usize]) -> impl Iterator<Item = [usize; 3]> {
    cells.iter().enumerate().flat_map(move |(i, &a)| {
        let others = &cells[i + 1..];
        others.iter().flat_map(move |&b| {
            let third = others.iter().filter(move |&&c| c != b);
            third.map(move |&c| [a, b, c])
        })
    })
}

fn solution(tables: &Arc<Tables>, variant: Variant, board: &Board) -> Vec<Direction> {
    let mut search = Constructive::new(Arc::clone(tables), &problem(board), variant);
    let mut moves = Vec::new();
    while let Step::Found(run) = search.advance(Budget::UNLIMITED) {
        moves.extend(run);
    }
    moves
}

fn problem(board: &Board) -> Problem {
    Problem::new(board, &Board::solved(board.shape())).expect("renamed by even permutations")
}

/// One step of the solver: the cells whose tiles it places, and the corner of what is then free.
struct Placed {
    cells: Vec<usize>,
    done: Vec<bool>,
    top: usize,
    left: usize,
}

/// What the solver places in turn, and the cells of the last block. It places rows and columns from
/// above and from the left, the longer side first, a tile at a time and the last two together.
fn steps(shape: Shape, variant: Variant) -> (Vec<Placed>, Vec<usize>) {
    let block_cells = if variant == Variant::Hayes { 4 } else { 9 };
    let (mut top, mut left) = (0, 0);
    let mut done = vec![false; shape.cells()];
    let mut steps = Vec::new();
    while (shape.rows() - top) * (shape.columns() - left) > block_cells {
        let line: Vec<usize> = if shape.rows() - top >= shape.columns() - left {
            top += 1;
            (left..shape.columns())
                .map(|column| shape.cell(top - 1, column))
                .collect()
        } else {
            left += 1;
            (top..shape.rows())
                .map(|row| shape.cell(row, left - 1))
                .collect()
        };
        let (singles, pair) = line.split_at(line.len() - 2);
        for cells in singles.chunks(1).chain([pair]) {
            steps.push(Placed {
                cells: cells.to_vec(),
                done: done.clone(),
                top,
                left,
            });
            for &cell in cells {
                done[cell] = true;
            }
        }
    }
    let block = (0..shape.cells()).filter(|&cell| !done[cell]).collect();
    (steps, block)
}

/// The boards with the tiles of a step anywhere among those not placed yet.
fn renamings(board: &Board, step: &Placed) -> Vec<Board> {
    let goal = Board::solved(board.shape());
    let wanted: Vec<u32> = step
        .cells
        .iter()
        .map(|&cell| tile_on(&goal, cell))
        .collect();
    let mut boards = vec![board.clone()];
    for (placed, &tile) in wanted.iter().enumerate() {
        let fixed = &wanted[..placed];
        boards = boards
            .iter()
            .flat_map(|board| {
                candidates(board, step)
                    .filter(|&to| !fixed.contains(&tile_on(board, to)))
                    .map(|to| renamed(board, step, tile, to, fixed))
            })
            .collect();
    }
    boards
}

fn tile_on(board: &Board, cell: usize) -> u32 {
    u32::from(board.tile(cell))
}

/// The cells from which a tile may have the longest way.
fn candidates<'a>(board: &'a Board, step: &'a Placed) -> impl Iterator<Item = usize> + 'a {
    let shape = board.shape();
    let free = move |&cell: &usize| !step.done[cell] && cell != board.blank();
    let few = step.done.iter().filter(|&&done| !done).count() <= FEW_CELLS;
    let near = |at: usize, from: usize, to: usize| at.abs_diff(from) < 2 || to - at <= 2;
    (0..shape.cells()).filter(free).filter(move |&cell| {
        few || near(shape.row(cell), step.top, shape.rows())
            && near(shape.column(cell), step.left, shape.columns())
    })
}

/// The board with a tile's name moved to another cell, by a cycle of three names not in use yet.
fn renamed(board: &Board, step: &Placed, tile: u32, to: usize, fixed: &[u32]) -> Board {
    let shape = board.shape();
    let mut tiles: Vec<u32> = board.tiles().map(u32::from).collect();
    let from = tiles
        .iter()
        .position(|&other| other == tile)
        .expect("on the board");
    if from != to {
        let third = (0..shape.cells())
            .rfind(|&cell| {
                !step.done[cell]
                    && cell != from
                    && cell != to
                    && tiles[cell] != 0
                    && !fixed.contains(&tiles[cell])
            })
            .expect("more than three tiles are left");
        tiles.swap(from, to);
        tiles.swap(from, third);
    }
    Board::new(shape, &tiles).expect("a permutation")
}

/// The moves of one step, given that the steps before it have nothing to do.
fn run_of_step(
    tables: &Arc<Tables>,
    variant: Variant,
    board: &Board,
    step: usize,
) -> Vec<Direction> {
    let mut search = Constructive::new(Arc::clone(tables), &problem(board), variant);
    let mut moves = Vec::new();
    for _ in 0..=step {
        if let Step::Found(run) = search.advance(Budget::nodes(0)) {
            moves.extend(run);
        }
    }
    moves
}
