//! A stack that grows in pieces.

use std::mem;

/// The items of a piece: they take some kilobytes.
const PIECE: usize = 1 << 10;

/// A stack of items. A vector of tens of megabytes takes milliseconds to grow or to free, and keeps
/// its room when it is emptied; a pile does all of this piece by piece.
#[derive(Debug)]
pub(super) struct Pile<T> {
    /// The items that were added last: at most a piece.
    top: Vec<T>,
    /// The pieces below.
    full: Vec<Vec<T>>,
}

impl<T> Pile<T> {
    pub(super) const fn new() -> Self {
        Self {
            top: Vec::new(),
            full: Vec::new(),
        }
    }

    /// Returns a pile of one item.
    pub(super) fn of(item: T) -> Self {
        Self {
            top: vec![item],
            full: Vec::new(),
        }
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.top.is_empty() && self.full.is_empty()
    }

    #[inline]
    pub(super) fn push(&mut self, item: T) {
        if self.top.len() == PIECE {
            let full = mem::replace(&mut self.top, Vec::with_capacity(PIECE));
            self.full.push(full);
        }
        self.top.push(item);
    }

    /// Takes the item that was added last.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<T> {
        if self.top.is_empty() {
            self.top = self.full.pop()?;
        }
        self.top.pop()
    }

    /// Returns the bytes of so many items in some piles, with the room in their last pieces.
    pub(super) const fn bytes(items: usize, piles: usize) -> usize {
        (items + piles * PIECE) * size_of::<T>()
    }
}
