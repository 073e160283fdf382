//! Children in order of the tiles that slide.

use std::{iter, mem};

use super::children::Child;

/// Children sorted by tile, each given by its index among the children that were sorted.
#[derive(Debug)]
pub(super) struct ByTile {
    places: Vec<u16>,
    /// By tile: the end of its children; 0 where there are none.
    ends: Box<[u16]>,
    /// The tiles that slide, as bits.
    tiles: u64,
}

impl ByTile {
    /// No children yet, on boards of so many cells. On boards of more than 64 cells none can be sorted.
    pub(super) fn new(cells: usize) -> Self {
        Self {
            places: Vec::new(),
            ends: vec![0; cells].into(),
            tiles: 0,
        }
    }

    /// Sorts children by counting their tiles.
    #[inline]
    pub(super) fn sort(&mut self, children: &[Child]) {
        self.places.resize(children.len(), 0);
        for tile in bits(mem::take(&mut self.tiles)) {
            self.ends[tile] = 0;
        }
        for child in children {
            self.ends[child.tile()] += 1;
            self.tiles |= 1 << child.tile();
        }
        let mut sum = 0;
        for tile in bits(self.tiles) {
            let end = &mut self.ends[tile];
            (*end, sum) = (sum, sum + *end);
        }
        for (place, child) in (0..).zip(children) {
            let end = &mut self.ends[child.tile()];
            self.places[usize::from(*end)] = place;
            *end += 1;
        }
    }

    /// Each tile that slides, with the indices of its children, once they are sorted.
    #[inline]
    pub(super) fn runs(&self) -> impl Iterator<Item = (usize, &[u16])> {
        let mut places = &*self.places;
        let mut first = 0;
        bits(self.tiles).map_while(move |tile| {
            let end = self.ends[tile];
            let count = usize::from(end - first);
            first = end;
            Some((tile, places.split_off(..count)?))
        })
    }
}

/// The numbers of the bits that are set.
#[inline]
fn bits(set: u64) -> impl Iterator<Item = usize> {
    let mut left = set;
    iter::from_fn(move || {
        let bit = left.trailing_zeros() as usize;
        left &= left.wrapping_sub(1);
        (bit < 64).then_some(bit)
    })
}
