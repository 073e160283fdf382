//! The tables of one byte a board, for moves that are pushes: a push changes the distance by one or not at
//! all.

use crate::puzzle::Direction;

use super::position::Positions;
use super::{Class, DistanceTable, Entries};

/// A distance not known yet. The greatest distance is far below.
const UNKNOWN: u8 = u8::MAX;

/// Searches a class of the multi-tile metric breadth first, backwards from the goal.
pub(super) fn table(class: Class) -> DistanceTable {
    let positions = Positions::of(class);
    let mut distances = vec![UNKNOWN; class.boards()].into_boxed_slice();
    let mut counts = Vec::new();
    // Each position with the direction of the last push.
    let mut layer = vec![(positions.goal(), None)];
    let mut next_layer = Vec::new();
    let mut distance = 0;
    distances[positions.index(positions.goal())] = distance;
    while !layer.is_empty() {
        counts.push(layer.len() as u64);
        distance += 1;
        for (position, last) in layer.drain(..) {
            for direction in Direction::ALL {
                // Back, or along the same line: that leads nowhere that was not reached with fewer pushes.
                if last.is_some_and(|last: Direction| last.is_vertical() == direction.is_vertical())
                {
                    continue;
                }
                for next in positions.pushes(position, direction) {
                    let known = &mut distances[positions.index(next)];
                    if *known == UNKNOWN {
                        *known = distance;
                        next_layer.push((next, Some(direction)));
                    }
                }
            }
        }
        std::mem::swap(&mut layer, &mut next_layer);
    }
    DistanceTable {
        class,
        positions,
        entries: Entries::Bytes(distances),
        counts: counts.into(),
    }
}
