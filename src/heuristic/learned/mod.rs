//! A learned estimate of the moves to the goal, by table look-up.
//!
//! The estimate of a board is a sum over its tiles and over its pairs of tiles, where the blank
//! counts as a tile. It is as if there were a pattern database for *every* two tiles, with weights
//! that were learned from solutions instead of counted moves. It is not a bound.
//!
//! The weights of square boards are shipped; those of other boards are derived from them by
//! removing lines ([`PairWeights::lifted`]), or inserting some where a side is longer. These are for
//! goals with the blank in the last cell, on boards at least as wide as they are high; those for
//! other homes of the blank are derived in turn ([`Rows::at_home`]). All become [`Rows`], which
//! belong to the process, when first requested. Where a side is longer than 6, only pairs of tiles
//! [`near`] each other count.

mod all_pairs;
mod by_tile;
mod derived;
mod file;
mod home;
mod lift;
mod lookup;
mod making;
mod manhattan;
mod mean;
mod names;
pub mod near;
mod network;
mod ranking;
mod rows;
mod shipped;
mod slides;
mod table;
mod to_make;
mod weights;

pub use all_pairs::{AllPairs, Weights};
pub use by_tile::ByTile;
pub use file::{Kind, WeightsError};
pub use lift::Line;
pub use lookup::TOGETHER;
pub use network::{Along, Network, Sums, UNITS};
pub use ranking::{Changes, Ranking};
pub use rows::{Between, Rows};
pub use table::{has_network, prepare, ready, supports};
pub use weights::{PairWeights, Pairs};

pub(crate) use all_pairs::{pair_place, pairs_of};
pub(crate) use names::{Transposition, home_of, names_by_last_corner, renamed, tile_of};
