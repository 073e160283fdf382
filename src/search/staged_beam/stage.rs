//! The stages of a board, and how far a group of tiles is from home.

use super::carry::Carry;
use super::peel::Group;
use super::window::Window;

/// Added when a tile is outside the window: the most by which the exact distance at the window's edge was
/// ever seen to exceed the estimate outside. So entering the window always lowers the distance.
const OUTSIDE: i16 = 12;

/// A group and its tables.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stage {
    group: Group,
    carry: &'static Carry,
    window: &'static Window,
}

impl Stage {
    pub(super) fn new(group: Group) -> Self {
        let Group {
            before,
            after,
            depth,
            tiles,
            ..
        } = group;
        Self {
            group,
            carry: Carry::of(before, after, depth, tiles == 2),
            window: Window::of(before, after, depth, tiles == 2),
        }
    }

    /// About the number of moves that bring the tiles home: exact while nothing leaves the window. If a tile
    /// is outside, one tile is carried home after the other, in the better order. Cells are rows and columns
    /// of the board; a single tile is given twice.
    #[inline]
    pub(super) fn distance(&self, blank: (i16, i16), first: (i16, i16), second: (i16, i16)) -> u16 {
        let local = |cell| self.group.local(cell);
        let (blank, first, second) = (local(blank), local(first), local(second));
        if let Some(distance) = self.window.distance(blank, first, second) {
            return distance as u16;
        }
        let ways = if self.group.tiles == 1 {
            self.carry.with_blank(blank, first)
        } else {
            let (blank_on, second_on) = ((blank.0 - 1, blank.1), (second.0 - 1, second.1));
            let in_order = self.carry.with_blank(blank, first) + self.carry.later(second_on);
            let reversed = self.carry.with_blank(blank_on, second_on) + self.carry.later(first);
            in_order.min(reversed)
        };
        (OUTSIDE + ways.max(1)) as u16
    }
}
