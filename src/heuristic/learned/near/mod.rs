//! The learned estimate of boards that are larger than those for which it was learned.
//!
//! What two tiles that are far from each other mean to each other is little, and is the first thing that weights
//! get wrong on a board for which they were not learned. So here only pairs of tiles that stand [near](REACH) each
//! other count. Some weights rank boards beside an estimate of the work that they are
//! ([`staged_beam`](crate::search::staged_beam)); others rank whole boards by themselves
//! ([`beam`](crate::search::beam)), which on large boards narrow beams do not find their way by.
//!
//! Either are those of 10×10, which began as those of 8×8 with lines put in and learned to rank from which boards of a
//! layer led on ([`training`](crate::training)), with lines put in or taken out.

mod lift;
mod ranking;
mod rows;
mod table;
mod weights;

pub use ranking::NearRanking;
pub use rows::{Between, NearRows};
pub use table::{
    prepare, prepare_whole, ready, ready_whole, shipped, shipped_whole, supports, supports_whole,
};
pub use weights::NearWeights;

pub(super) use table::MOST_WHOLE;

/// Two cells are near each other if a tile needs at most so many slides from one to the other.
pub const REACH: usize = 2;
