//! A tile's way to a cell, the blank going round it between the pushes.
//!
//! Each push is chosen when it comes. With no look ahead the cheapest is: then a tile goes across
//! corners as far as that leads, and straight on afterwards.

use super::field::{Cell, Field, Point};
use super::push::{PUSHES, Push};
use super::walk::Walks;
use super::{Variant, cheapest};
use crate::puzzle::Direction;

/// What a move costs in a score, in units of [`Field::gain`]: a little less than a step of a tile
/// along its longer way is worth. Chosen by trial; the lengths hardly depend on it.
const MOVE: i32 = 4;

/// Moves added to the estimate where the look ahead finds no push.
const DETOUR: i32 = 8;

/// The fewest moves that bring a tile to a cell of an open plane, the blank being at its side
/// `blank`: between two pushes in one direction the blank makes four moves, when they are
/// at right angles two.
fn effort(from: Point, to: Point, blank: Direction) -> i32 {
    let ways = ways(from, to);
    let counts = [
        i32::from(from.row.abs_diff(to.row)),
        i32::from(from.column.abs_diff(to.column)),
    ];
    let mut best = None;
    for (i, way) in ways.into_iter().enumerate() {
        let Some(way) = way else { continue };
        let (first, other) = (counts[i], counts[1 - i]);
        let turns = if first > other {
            2 * other
        } else {
            2 * first - 1
        };
        let round = if way == blank {
            0
        } else if way == blank.opposite() {
            4
        } else {
            2
        };
        let moves = round + 5 * (first + other) - 4 - 2 * turns;
        if best.is_none_or(|best| moves < best) {
            best = Some(moves);
        }
    }
    best.unwrap_or(0)
}

/// The vertical and the horizontal direction from one cell to another.
fn ways(from: Point, to: Point) -> [Option<Direction>; 2] {
    use std::cmp::Ordering::{Equal, Greater, Less};
    [
        match to.row.cmp(&from.row) {
            Less => Some(Direction::Up),
            Equal => None,
            Greater => Some(Direction::Down),
        },
        match to.column.cmp(&from.column) {
            Less => Some(Direction::Left),
            Equal => None,
            Greater => Some(Direction::Right),
        },
    ]
}

/// About how many moves bring the tile on `place` to `target`, by the side that the blank goes to
/// first.
fn moves_by_side(field: &Field, place: Cell, target: Cell) -> [i32; 4] {
    let (from, to) = (field.point(place), field.point(target));
    let blank = field.point(field.blank());
    Direction::ALL.map(|side| {
        let beside = field.point(field.beside(place, side));
        blank.distance(beside) as i32 + effort(from, to, side)
    })
}

/// About how many moves bring a tile to a cell from where the blank is.
pub(super) fn estimate(field: &Field, tile: u16, target: Cell) -> i32 {
    let [up, down, left, right] = moves_by_side(field, field.place(tile), target);
    up.min(down).min(left).min(right)
}

/// Brings a tile to `target`, or until `near` says that it is near enough.
///
/// The free cells must be a rectangle of at least two rows and columns, with perhaps a part of
/// one more row or column beside it; if `target` lies in that part, so does a free neighbour.
pub(super) fn bring(
    field: &mut Field,
    walks: &mut Walks,
    tile: u16,
    target: Cell,
    near: impl Fn(Cell) -> bool,
) {
    match field.variant() {
        Variant::Hayes => cheapest::bring(field, walks, tile, target, near),
        Variant::Parberry | Variant::Best => {
            let look_ahead = field.look_ahead();
            push_by_push(field, walks, tile, target, near, look_ahead);
        }
    }
}

/// Brings a tile to `target`, each push chosen when it comes, by so many pushes looked ahead on.
fn push_by_push(
    field: &mut Field,
    walks: &mut Walks,
    tile: u16,
    target: Cell,
    near: impl Fn(Cell) -> bool,
    look_ahead: usize,
) {
    loop {
        let place = field.place(tile);
        if place == target || near(place) {
            return;
        }
        if field.point(place).distance(field.point(field.blank())) > 1 {
            approach(field, walks, place, target);
        }
        let (_, push) = best_push(field, walks, place, target, look_ahead)
            .expect("the blank can go round a tile in a rectangle");
        for &side in push.steps() {
            field.step(side);
        }
    }
}

/// Walks the blank to a side of the tile on `place` from where its way to `target` is shortest;
/// of two such sides, to the one whose walk does other tiles more good.
fn approach(field: &mut Field, walks: &mut Walks, place: Cell, target: Cell) {
    let moves = moves_by_side(field, place, target);
    let mut sides = Direction::ALL;
    sides.sort_by_key(|&side| moves[side as usize]);
    field.set_free(place, false);
    let mut best: Option<(i32, i32, Vec<Direction>)> = None;
    for side in sides {
        let moves = moves[side as usize];
        if best.as_ref().is_some_and(|&(fewest, ..)| moves > fewest) {
            break;
        }
        let beside = field.beside(place, side);
        let Some(gain) = walks.best(field, beside) else {
            continue;
        };
        if best.as_ref().is_none_or(|&(_, most, _)| gain > most) {
            best = Some((moves, gain, walks.way(field, beside)));
        }
    }
    field.set_free(place, true);
    for side in best.into_iter().flat_map(|(.., way)| way) {
        field.step(side);
    }
}

/// The push to make next, and its score: the moves made and to be made, less what all tiles gain
/// by them, so many pushes ahead; with no look ahead, those of the push alone.
fn best_push(
    field: &mut Field,
    walks: &mut Walks,
    place: Cell,
    target: Cell,
    look_ahead: usize,
) -> Option<(i32, &'static Push)> {
    let from = Direction::ALL
        .into_iter()
        .find(|&side| field.beside(place, side) == field.blank())?;
    let mut best: Option<(i32, &'static Push)> = None;
    for to in ways(field.point(place), field.point(target))
        .into_iter()
        .flatten()
    {
        let next = field.beside(place, to);
        let [left, right] = &PUSHES[from as usize][to as usize];
        let (short, long) = if left.length <= right.length {
            (left, right)
        } else {
            (right, left)
        };
        for push in [short, long] {
            let Some(score) = weigh(field, push) else {
                continue;
            };
            walks.nodes += push.length as u64;
            let open = effort(field.point(next), field.point(target), to.opposite());
            // A dead end ahead is no reason to despair: the blank will find a longer way round.
            let rest = if look_ahead == 0 {
                0
            } else if look_ahead > 1 && next != target {
                for &side in push.steps() {
                    field.try_step(side);
                }
                let rest = best_push(field, walks, next, target, look_ahead - 1);
                for side in push.steps().iter().rev() {
                    field.try_step(side.opposite());
                }
                rest.map_or(MOVE * (open + DETOUR), |(rest, _)| rest)
            } else {
                MOVE * open
            };
            if best.is_none_or(|(best, _)| score + rest < best) {
                best = Some((score + rest, push));
            }
            if short.length < long.length || from == to {
                break;
            }
        }
    }
    best
}

/// The moves of a push, less what the tiles gain that the blank passes; none when it is barred.
fn weigh(field: &Field, push: &Push) -> Option<i32> {
    let mut cell = field.blank();
    let mut score = MOVE * push.length as i32;
    for &side in push.steps() {
        cell = field.beside(cell, side);
        if !field.is_free(cell) {
            return None;
        }
        score -= field.gain(cell, side.opposite());
    }
    Some(score)
}
