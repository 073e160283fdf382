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
    distances[positions.index(positions.goal())] = 0;
    // The boards at a distance are found by going through all: a list of them would take more than the table.
    for distance in 0.. {
        let mut count = 0;
        for index in 0..distances.len() {
            if distances[index] != distance {
                continue;
            }
            count += 1;
            let position = positions.at_index(index);
            for direction in Direction::ALL {
                for next in positions.pushes(position, direction) {
                    let known = &mut distances[positions.index(next)];
                    if *known == UNKNOWN {
                        *known = distance + 1;
                    }
                }
            }
        }
        if count == 0 {
            break;
        }
        counts.push(count);
    }
    DistanceTable {
        class,
        positions,
        entries: Entries::Bytes(distances),
        counts: counts.into(),
    }
}
