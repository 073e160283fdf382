//! Children of some nodes, before their boards are looked at.

use super::nodes::Head;

/// A child: the tile that slides, and which of the nodes is its parent.
#[derive(Clone, Copy, Debug, Default)]
pub struct Child {
    pub(super) tile: u16,
    pub(super) parent: u16,
}

impl Child {
    /// The tile that slides.
    #[must_use]
    #[inline]
    pub fn tile(self) -> usize {
        usize::from(self.tile)
    }
}

/// Children by the slides of one lane.
#[derive(Clone, Copy, Debug)]
pub struct Children<'a, V> {
    all: &'a [Child],
    /// The number in its layer of the first of the nodes.
    first: usize,
    heads: &'a [Head<V>],
}

impl<'a, V: Copy> Children<'a, V> {
    /// The children of nodes of which the first has this number in its layer.
    #[inline]
    pub(super) const fn new(all: &'a [Child], first: usize, heads: &'a [Head<V>]) -> Self {
        Self { all, first, heads }
    }

    /// All children.
    #[must_use]
    #[inline]
    pub const fn all(&self) -> &'a [Child] {
        self.all
    }

    /// The number of a child's parent in its layer.
    #[must_use]
    #[inline]
    pub fn node(&self, child: Child) -> usize {
        self.first + usize::from(child.parent)
    }

    /// A child's parent.
    ///
    /// # Panics
    /// When it is not one of these children.
    #[must_use]
    #[inline]
    pub fn parent(&self, child: Child) -> &'a Head<V> {
        &self.heads[usize::from(child.parent)]
    }
}
