//! The stages of a board, and how far a group of tiles is from being home.

use super::carry::Carry;
use super::peel::Group;
use super::window::Window;

/// What is added when a tile is outside the window: as much as the exact distance at the window's
/// edge was ever seen to be more than what is said outside of it. So the way in always leads
/// down.
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

    /// The moves that bring the tiles home, about: exact while nothing leaves the window. Where a
    /// tile is outside, one is carried home after the other, in the better order. Cells are rows
    /// and columns of the board; a tile alone is given twice.
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
