//! A learned estimate of the moves to the goal, by table look-up.
//!
//! The estimate of a board is a sum over its tiles and over its pairs of tiles, the blank counted
//! as a tile: as if there were a pattern database for *every* two tiles, with weights that were
//! learned from solutions instead of counted. It is no bound.
//!
//! The weights of square boards are shipped; those of other boards are made of them by taking lines
//! out or putting them in ([`Weights::lifted`]). Either become [`Rows`] when they are first asked for, which belong to the
//! process. They are for goals whose blank belongs to the last cell, on boards at least as wide as
//! they are high.

mod file;
mod lift;
mod lookup;
pub mod near;
mod network;
mod ranking;
mod rows;
mod shipped;
mod slides;
mod table;
mod weights;

pub use file::WeightsError;
pub use lift::Line;
pub use lookup::TOGETHER;
pub use network::{Along, Network, Sums, UNITS};
pub use ranking::{Changes, Ranking};
pub use rows::{Between, Rows};
pub use table::{has_network, prepare, ready, supports};
pub use weights::{MAX_CELLS, Weights};

pub(crate) use file::Stored;
pub(crate) use weights::{Transposition, home_of, pair_place, pairs_of, tile_of};
