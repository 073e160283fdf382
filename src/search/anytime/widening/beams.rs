//! The beams of a problem, whatever they are: how to make one, and what is known about it beforehand.

use super::scale::{Kind, Scale};
use crate::search::beam::Pass;

/// Makes the beams of a problem.
pub trait Beams: Send + Sync {
    /// Works on the tables that the best beams need, about as long as so many nodes take. Returns true once
    /// they are ready. Until then other beams are made.
    fn prepare(&self, nodes: u64) -> bool;

    /// Works on tables without which beams like this one are a little worse, in the same way.
    fn refine(&self, _scale: Scale, _nodes: u64) -> bool {
        true
    }

    /// A beam, which may later be made as wide as `most`; `None` if the problem has none.
    fn beam(&self, scale: Scale, most: usize, seed: u64) -> Option<Box<dyn Pass>>;

    /// The least width from which two beams, the one with the odd seed from the other end, are together as
    /// good as one of twice the width; `None` where all beams begin at the same end.
    fn pair_width(&self) -> Option<usize>;

    /// Whether two beams side by side are better than one alone that has as much time as either.
    fn suit_two(&self) -> bool;

    /// The narrowest beam: a narrower one would find nothing, or nothing good.
    fn narrowest(&self) -> usize;

    /// The widest beam: a wider one would hold all boards there are.
    fn widest(&self) -> usize {
        usize::MAX
    }

    /// The best kind for beams of this width. `is_paired` says that another beam runs from the other end,
    /// which may find what this one misses.
    fn kind(&self, width: usize, is_paired: bool) -> Kind;

    /// The bytes that a beam can come to hold.
    fn bytes(&self, scale: Scale) -> u64;

    /// About how many layers a beam has to make; rather too many than too few.
    fn layers(&self, scale: Scale) -> u32;

    /// About the nanoseconds that a node of a beam takes. The factor by which it is slower is measured.
    fn cost(&self, scale: Scale) -> f64;
}
