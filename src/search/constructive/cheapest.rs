//! A tile's cheapest path to a cell, regardless of what becomes of the other tiles.
//!
//! The tile goes straight on and across corners in some order and never turns back. The best places for the
//! diagonals depend on the cells that are done already: beside them the blank has to take the long way round.
//! All orders are compared at once, by dynamic programming.

use super::field::{Cell, Field};
use super::push::{PUSHES, Push};
use super::walk::{Frame, Walks};
use crate::puzzle::Direction;

/// More moves than any path takes.
const NEVER: u32 = u32::MAX;

/// The fewest moves to have the tile on a cell and the blank on one of its sides, and the side that the blank
/// was on before the last push.
#[derive(Clone, Copy)]
struct Arrival {
    moves: u32,
    before: Direction,
}

/// Brings a tile to `target`, or until `near` holds for its cell.
pub(super) fn bring(
    field: &mut Field,
    walks: &mut Walks,
    tile: u16,
    target: Cell,
    near: impl Fn(Cell) -> bool,
) {
    let place = field.place(tile);
    if place == target || near(place) {
        return;
    }
    let (beside, pushes) =
        plan(field, walks, place, target).expect("the blank can go round a tile in a rectangle");
    field.set_free(place, false);
    walks.walk(field, beside);
    field.set_free(place, true);
    for push in pushes {
        for &side in push.steps() {
            field.step(side);
        }
        if near(field.place(tile)) {
            return;
        }
    }
}

/// Where the blank goes first, and the pushes from there.
fn plan(
    field: &mut Field,
    walks: &mut Walks,
    place: Cell,
    target: Cell,
) -> Option<(Cell, Vec<&'static Push>)> {
    let frame = Frame::new(field, place, target);
    let mut arrivals = vec![
        [Arrival {
            moves: NEVER,
            before: Direction::Up,
        }; 4];
        frame.rows * frame.columns
    ];
    arrivals[0] = approaches(field, walks, place);
    let mut row_start = place;
    for row in 0..frame.rows {
        let mut cell = row_start;
        for column in 0..frame.columns {
            let here = row * frame.columns + column;
            if row + 1 < frame.rows {
                relax(
                    field,
                    &mut arrivals,
                    cell,
                    here,
                    frame.vertical,
                    here + frame.columns,
                );
            }
            if column + 1 < frame.columns {
                relax(field, &mut arrivals, cell, here, frame.horizontal, here + 1);
            }
            cell = field.beside(cell, frame.horizontal);
        }
        row_start = field.beside(row_start, frame.vertical);
    }
    walks.nodes += arrivals.len() as u64;
    way_back(field, &frame, &arrivals, place, target)
}

/// The blank's paths to the sides of the tile. Sides behind the tile are left out: the blank then comes by
/// another side and goes on round the tile with the first push.
fn approaches(field: &mut Field, walks: &mut Walks, place: Cell) -> [Arrival; 4] {
    field.set_free(place, false);
    let approaches = Direction::ALL.map(|side| {
        let beside = field.beside(place, side);
        let reached =
            field.blank() == beside || field.is_free(beside) && walks.can_reach(field, beside);
        let distance = field.point(field.blank()).distance(field.point(beside)) as u32;
        Arrival {
            moves: if reached { distance } else { NEVER },
            before: side,
        }
    });
    field.set_free(place, true);
    approaches
}

/// Tries the push of the tile on a cell in a direction, from every side of the blank.
fn relax(
    field: &Field,
    arrivals: &mut [[Arrival; 4]],
    cell: Cell,
    here: usize,
    to: Direction,
    next: usize,
) {
    for before in Direction::ALL {
        let moves = arrivals[here][before as usize].moves;
        let arrival = &mut arrivals[next][to.opposite() as usize];
        if moves < arrival.moves
            && let Some(push) = shortest_push(field, cell, before, to)
            && moves + (push.length as u32) < arrival.moves
        {
            *arrival = Arrival {
                moves: moves + push.length as u32,
                before,
            };
        }
    }
}

/// The shorter way round a tile that leads over free cells only.
fn shortest_push(
    field: &Field,
    place: Cell,
    from: Direction,
    to: Direction,
) -> Option<&'static Push> {
    PUSHES[from as usize][to as usize]
        .iter()
        .filter(|push| {
            let mut cell = field.beside(place, from);
            push.steps().iter().all(|&side| {
                cell = field.beside(cell, side);
                field.is_free(cell)
            })
        })
        .min_by_key(|push| push.length)
}

/// Follows the pushes back from the cheapest arrival at the target.
fn way_back(
    field: &Field,
    frame: &Frame,
    arrivals: &[[Arrival; 4]],
    place: Cell,
    target: Cell,
) -> Option<(Cell, Vec<&'static Push>)> {
    let mut here = arrivals.len() - 1;
    let mut side = Direction::ALL
        .into_iter()
        .filter(|&side| arrivals[here][side as usize].moves < NEVER)
        .min_by_key(|&side| arrivals[here][side as usize].moves)?;
    let (mut cell, mut pushes) = (target, Vec::new());
    while cell != place {
        let (to, before) = (side.opposite(), arrivals[here][side as usize].before);
        here -= if to == frame.vertical {
            frame.columns
        } else {
            1
        };
        cell = field.beside(cell, side);
        pushes.push(shortest_push(field, cell, before, to)?);
        side = before;
    }
    pushes.reverse();
    Some((field.beside(place, side), pushes))
}
