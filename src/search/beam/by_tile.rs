//! Children in order of the tiles that slide, and what these slides change.

use std::{iter, mem};

use super::children::Child;

/// Children in order of their tiles, those of one tile in the order they came in, and the change by each.
#[derive(Debug)]
pub(super) struct ByTile {
    children: Vec<Child>,
    changes: Vec<i32>,
    /// By tile: the end of its children; 0 where there are none.
    ends: Box<[u16]>,
    /// The tiles that slide, as bits.
    tiles: u128,
}

/// The children by the slides of one tile.
#[derive(Debug)]
pub(super) struct Run<'a> {
    pub(super) tile: usize,
    pub(super) children: &'a [Child],
    pub(super) changes: &'a mut [i32],
}

impl ByTile {
    /// None yet, on boards of so many cells.
    pub(super) fn new(cells: usize) -> Self {
        Self {
            children: Vec::new(),
            changes: Vec::new(),
            ends: vec![0; cells].into(),
            tiles: 0,
        }
    }

    /// Puts children in order, by counting the tiles.
    #[inline]
    pub(super) fn sort(&mut self, children: &[Child]) {
        self.children.resize(children.len(), Child::default());
        self.changes(children.len());
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
        for &child in children {
            let end = &mut self.ends[child.tile()];
            self.children[usize::from(*end)] = child;
            *end += 1;
        }
    }

    /// The children of each tile that has some, once they are in order.
    #[inline]
    pub(super) fn runs(&mut self) -> impl Iterator<Item = Run<'_>> {
        let (mut children, mut changes) = (&*self.children, &mut *self.changes);
        let ends = &*self.ends;
        let mut first = 0;
        bits(self.tiles).map_while(move |tile| {
            let end = ends[tile];
            let count = usize::from(end - first);
            first = end;
            Some(Run {
                tile,
                children: children.split_off(..count)?,
                changes: changes.split_off_mut(..count)?,
            })
        })
    }

    /// Room for the changes by so many children that are not put in order.
    #[inline]
    pub(super) fn changes(&mut self, count: usize) -> &mut [i32] {
        if self.changes.len() < count {
            self.changes.resize(count, 0);
        }
        &mut self.changes[..count]
    }

    /// All children, each with its change.
    #[inline]
    pub(super) fn all(&self) -> (&[Child], &[i32]) {
        (&self.children, &self.changes[..self.children.len()])
    }
}

/// The numbers of the bits that are set.
#[inline]
fn bits(set: u128) -> impl Iterator<Item = usize> {
    let mut left = set;
    iter::from_fn(move || {
        let bit = left.trailing_zeros() as usize;
        left &= left.wrapping_sub(1);
        (bit < 128).then_some(bit)
    })
}
