//! How a tile is stored, and with it the boards of a layer.

use super::boards::{Boards, Whole};
use super::shared_rows::SharedRows;

/// How a tile is stored: in one byte on boards of up to 256 cells, otherwise in two.
pub trait Tile: Copy + Default + Eq + Into<usize> + TryFrom<u16> + Send + 'static {
    /// How boards of such tiles are stored.
    type Boards: Boards<Self>;
}

impl Tile for u8 {
    type Boards = Whole<Self>;
}

impl Tile for u16 {
    type Boards = SharedRows;
}

/// A board of a layer.
pub type BoardOf<'a, T> = <<T as Tile>::Boards as Boards<T>>::Board<'a>;
