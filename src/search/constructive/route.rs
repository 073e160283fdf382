//! A tile's route to a cell, with the blank going round it between the pushes.
//!
//! Each push is chosen when its turn comes. With no look-ahead the cheapest push is chosen: the tile then
//! goes across corners as far as possible, and straight on afterwards.

use super::field::{Cell, Field};
use super::look_ahead::{At, LookAhead, MOVE, effort, round};
use super::push::Push;
use super::walk::{Frame, Walks};
use super::{Variant, cheapest};
use crate::puzzle::Direction;

/// About how many moves bring the tile on `place` to `target`, by the side that the blank goes to first.
fn moves_by_side(field: &Field, place: Cell, target: Cell) -> [i32; 4] {
    let frame = Frame::new(field, place, target);
    let blank = field.point(field.blank());
    Direction::ALL.map(|side| {
        let beside = field.point(field.beside(place, side));
        let [down, right] = frame.ways().map(|way| round(side, way));
        let [rows, columns] = frame.steps();
        blank.distance(beside) as i32 + effort((rows, down), (columns, right))
    })
}

/// About how many moves bring a tile to a cell from where the blank is.
pub(super) fn estimate(field: &Field, tile: u16, target: Cell) -> i32 {
    let [up, down, left, right] = moves_by_side(field, field.place(tile), target);
    up.min(down).min(left).min(right)
}

/// Brings a tile to `target`, or until `near` holds for its cell.
///
/// The free cells must be a rectangle of at least two rows and columns, possibly with a part of one more row
/// or column beside it; if `target` lies in that part, so does a free neighbour.
pub(super) fn bring(
    field: &mut Field,
    walks: &mut Walks,
    tile: u16,
    target: Cell,
    near: impl Fn(Cell) -> bool,
) {
    match field.variant() {
        Variant::Hayes => cheapest::bring(field, walks, tile, target, near),
        Variant::Parberry | Variant::Best => push_by_push(field, walks, tile, target, near),
    }
}

/// Brings a tile to `target`. Each push is chosen when its turn comes.
fn push_by_push(
    field: &mut Field,
    walks: &mut Walks,
    tile: u16,
    target: Cell,
    near: impl Fn(Cell) -> bool,
) {
    loop {
        let place = field.place(tile);
        if place == target || near(place) {
            return;
        }
        if field.point(place).distance(field.point(field.blank())) > 1 {
            approach(field, walks, place, target);
        }
        let push = best_push(field, walks, place, target)
            .expect("the blank can go round a tile in a rectangle");
        for &side in push.steps() {
            field.step(side);
        }
    }
}

/// Walks the blank to the side of the tile on `place` from which its route to `target` is shortest, less what
/// other tiles gain by the walk.
fn approach(field: &mut Field, walks: &mut Walks, place: Cell, target: Cell) {
    let moves = moves_by_side(field, place, target);
    field.set_free(place, false);
    let sides = Direction::ALL.map(|side| {
        let cost = MOVE * moves[side as usize];
        (field.beside(place, side), cost)
    });
    let way = walks.best_of(field, sides);
    field.set_free(place, true);
    for side in way {
        field.step(side);
    }
}

/// The next push of a tile on a cell that has the blank beside it.
fn best_push(
    field: &mut Field,
    walks: &mut Walks,
    place: Cell,
    target: Cell,
) -> Option<&'static Push> {
    let is_blank = |&side: &Direction| field.beside(place, side) == field.blank();
    let blank = Direction::ALL.into_iter().find(is_blank)?;
    let frame = Frame::new(field, place, target);
    let pushes = field.look_ahead();
    let mut ahead = LookAhead {
        field,
        ways: frame.ways(),
        nodes: 0,
    };
    let left = frame.steps();
    let best = ahead.best(At { place, blank, left }, pushes);
    walks.nodes += ahead.nodes;
    best.map(|(_, push)| push)
}
