//! The learned estimate for larger boards, by pairs of tiles near each other.
//!
//! The weights of pairs of tiles far from each other are small, and are the first to be wrong on a
//! board for which they were not learned. So here only pairs of tiles that stand [near](REACH) each
//! other count. One set of weights ranks boards beside an estimate of the remaining work
//! ([`staged_beam`](crate::search::staged_beam)). Another ranks whole boards by itself
//! ([`beam`](crate::search::beam)); on large boards, narrow beams get stuck with it.
//!
//! Both are weights of squares, which began as those of other squares with lines inserted or removed
//! and learned to rank from which boards of a layer led on ([`training`](crate::training)). Other
//! shapes use those of a square with lines inserted or removed.

mod lookup;
mod pairs;
mod ranking;
mod row;
mod rows;
mod shapes;
mod table;

pub use pairs::{NearPairs, NearWeights};
pub use ranking::NearRanking;
pub use rows::{Between, NearRows};
pub use shapes::{supports, supports_whole};
pub use table::{prepare, prepare_whole, ready, ready_whole, shipped, shipped_whole};

pub(super) use shapes::MOST_WHOLE;

/// The most slides that a tile needs between two cells that are near each other.
pub const REACH: usize = 2;
