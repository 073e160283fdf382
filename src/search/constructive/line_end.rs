//! The last two tiles of a row or column.
//!
//! When all but one cell of a line are done, its tile can no longer be placed without taking another out
//! again (Parberry, 1995). It costs less to place the last two together (the special row ends of Hayes,
//! 2001). Either way both tiles are brought near, and an exact search over the places of the blank and the
//! two tiles in a small window does the rest.

use super::Variant;
use super::field::{Cell, Field};
use super::line::Line;
use super::route::{bring, estimate};
use super::walk::Walks;
use crate::puzzle::Direction;

/// Places the tiles of the cells `first` and `first + 1` of a line whose other cells are done.
pub(super) fn finish(field: &mut Field, walks: &mut Walks, line: Line, first: usize) {
    let targets = [line.cell(first, 0), line.cell(first + 1, 0)];
    let tiles = targets.map(|cell| field.belonging(cell));
    let window = window(field, line, first);
    match field.variant() {
        Variant::Parberry => one_by_one(
            field,
            walks,
            &window,
            tiles,
            targets,
            line.cell(first + 1, 1),
        ),
        Variant::Hayes | Variant::Best => {
            let behind = [line.cell(first, 1), line.cell(first + 1, 1)];
            together(field, walks, &window, tiles, targets, behind);
        }
    }
    if tiles.map(|tile| field.place(tile)) == targets {
        return;
    }
    let numbers = |cell: Cell| number(&window, cell).expect("in the window");
    let start = [0, tiles[0], tiles[1]].map(|tile| numbers(field.place(tile)));
    let ends = targets.map(numbers);
    let way = Graph::new(field, &window)
        .shortest(start, ends, &mut walks.nodes)
        .expect("two tiles can be brought anywhere in a window");
    for side in way {
        field.step(side);
    }
}

/// Places the first tile and brings the last one behind its cell.
fn one_by_one(
    field: &mut Field,
    walks: &mut Walks,
    window: &[Cell],
    tiles: [u16; 2],
    targets: [Cell; 2],
    behind: Cell,
) {
    bring(field, walks, tiles[0], targets[0], |_| false);
    if field.place(tiles[1]) == targets[1] {
        return;
    }
    field.set_free(targets[0], false);
    bring(field, walks, tiles[1], behind, |_| false);
    enter_beside(field, walks, window, tiles[1]);
    field.set_free(targets[0], true);
}

/// Brings both tiles into the window, unless they are there already: parks one of them where the other
/// belongs, and brings the other behind it.
fn together(
    field: &mut Field,
    walks: &mut Walks,
    window: &[Cell],
    tiles: [u16; 2],
    targets: [Cell; 2],
    behind: [Cell; 2],
) {
    let inside = |cell: Cell| window.contains(&cell);
    let places = tiles.map(|tile| field.place(tile));
    if places == targets || places.into_iter().all(inside) && enter(field, walks, window, &tiles) {
        return;
    }
    let cost = |parked: usize| {
        estimate(field, tiles[parked], targets[1 - parked])
            + estimate(field, tiles[1 - parked], behind[1 - parked])
    };
    let parked = usize::from(cost(1) < cost(0));
    let park = targets[1 - parked];
    bring(field, walks, tiles[parked], park, |_| false);
    field.set_free(park, false);
    bring(field, walks, tiles[1 - parked], behind[1 - parked], inside);
    enter_beside(field, walks, window, tiles[1 - parked]);
    field.set_free(park, true);
}

/// Walks the blank into the window without touching the given tile.
fn enter_beside(field: &mut Field, walks: &mut Walks, window: &[Cell], tile: u16) {
    let entered = enter(field, walks, window, &[tile]);
    debug_assert!(entered, "one tile cannot bar the way");
}

/// The free cells around the last two of a line: as many as allowed, about as wide as deep.
fn window(field: &Field, line: Line, first: usize) -> Vec<Cell> {
    let (mut start, mut end, mut depth) = (first, first + 2, 2);
    loop {
        let (left, right) = (start > 0, end < line.length);
        let (mut new_start, mut new_end, mut new_depth) = (start, end, depth);
        if depth < line.depth && (depth <= end - start || !(left || right)) {
            new_depth += 1;
        } else if right && (!left || end - first - 2 <= first - start) {
            new_end += 1;
        } else if left {
            new_start -= 1;
        } else {
            break;
        }
        if 2 + (new_end - new_start) * (new_depth - 1) > field.variant().window_cells() {
            break;
        }
        (start, end, depth) = (new_start, new_end, new_depth);
    }
    (0..depth)
        .flat_map(|d| (start..end).map(move |i| line.cell(i, d)))
        .filter(|&cell| field.is_free(cell))
        .collect()
}

/// Walks the blank into the window without touching the given tiles. Returns false if it cannot.
fn enter(field: &mut Field, walks: &mut Walks, window: &[Cell], tiles: &[u16]) -> bool {
    if window.contains(&field.blank()) {
        return true;
    }
    let blank = field.point(field.blank());
    let mut cells = window.to_vec();
    cells.sort_by_key(|&cell| field.point(cell).distance(blank));
    for &tile in tiles {
        field.set_free(field.place(tile), false);
    }
    let entered = cells.into_iter().any(|cell| walks.walk(field, cell));
    for &tile in tiles {
        field.set_free(field.place(tile), true);
    }
    entered
}

/// Cells by their number in the window: the blank's, and those of the two tiles.
type State = [u8; 3];

/// A window as the search sees it: its cells numbered, with their neighbours.
struct Graph {
    size: usize,
    neighbours: Vec<[Option<u8>; 4]>,
}

impl Graph {
    fn new(field: &Field, window: &[Cell]) -> Self {
        let neighbours = window
            .iter()
            .map(|&cell| Direction::ALL.map(|side| number(window, field.beside(cell, side))))
            .collect();
        Self {
            size: window.len(),
            neighbours,
        }
    }

    fn index(&self, [blank, a, b]: State) -> usize {
        (usize::from(blank) * self.size + usize::from(a)) * self.size + usize::from(b)
    }

    /// The state after the blank has stepped to the given side.
    fn step(&self, [blank, a, b]: State, side: Direction) -> Option<State> {
        let cell = self.neighbours[usize::from(blank)][side as usize]?;
        Some([
            cell,
            if a == cell { blank } else { a },
            if b == cell { blank } else { b },
        ])
    }

    /// The shortest path from a state to one with the tiles on their targets: breadth-first search.
    fn shortest(&self, start: State, targets: [u8; 2], nodes: &mut u64) -> Option<Vec<Direction>> {
        // The step by which each state was first reached.
        let mut steps: Vec<Option<Direction>> = vec![None; self.size.pow(3)];
        let mut queue = vec![start];
        let mut next = 0;
        while let Some(&state) = queue.get(next) {
            if state[1..] == targets {
                return Some(self.way(start, state, &steps));
            }
            next += 1;
            for side in Direction::ALL {
                let Some(after) = self.step(state, side) else {
                    continue;
                };
                *nodes += 1;
                let step = &mut steps[self.index(after)];
                if step.is_none() && after != start {
                    *step = Some(side);
                    queue.push(after);
                }
            }
        }
        None
    }

    /// Follows the steps back from the end.
    fn way(&self, start: State, end: State, steps: &[Option<Direction>]) -> Vec<Direction> {
        let mut way = Vec::new();
        let mut state = end;
        while state != start
            && let Some(side) = steps[self.index(state)]
            && let Some(before) = self.step(state, side.opposite())
        {
            way.push(side);
            state = before;
        }
        way.reverse();
        way
    }
}

fn number(window: &[Cell], cell: Cell) -> Option<u8> {
    window
        .iter()
        .position(|&other| other == cell)
        .map(|number| number as u8)
}
