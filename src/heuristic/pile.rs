//! A stack that grows in pieces.

/// The items of a piece: they take some kilobytes.
const PIECE: usize = 1 << 10;

/// A stack of items. A vector of tens of megabytes takes milliseconds to grow or to free, and keeps
/// its room when it is emptied; a pile does all of this piece by piece.
#[derive(Debug)]
pub(super) struct Pile<T> {
    /// None is empty. All but the last are full.
    pieces: Vec<Vec<T>>,
}

impl<T> Pile<T> {
    pub(super) const fn new() -> Self {
        Self { pieces: Vec::new() }
    }

    /// Returns a pile of one item.
    pub(super) fn of(item: T) -> Self {
        let mut pile = Self::new();
        pile.push(item);
        pile
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    pub(super) fn push(&mut self, item: T) {
        match self.pieces.last_mut() {
            Some(piece) if piece.len() < PIECE => piece.push(item),
            _ => {
                let mut piece = Vec::with_capacity(PIECE);
                piece.push(item);
                self.pieces.push(piece);
            }
        }
    }

    /// Takes the item that was added last.
    pub(super) fn pop(&mut self) -> Option<T> {
        let piece = self.pieces.last_mut()?;
        let item = piece.pop();
        if piece.is_empty() {
            self.pieces.pop();
        }
        item
    }

    /// Returns the bytes of so many items in some piles, with the room in their last pieces.
    pub(super) const fn bytes(items: usize, piles: usize) -> usize {
        (items + piles * PIECE) * size_of::<T>()
    }
}
