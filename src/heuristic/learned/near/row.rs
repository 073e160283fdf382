//! How a row of changes is laid out.

use crate::heuristic::learned::rows::NAMES;

/// The cells that stand together in a row, and the number of such groups. At most 16 cells are near
/// one of two neighbouring cells, not counting these two.
pub(super) const GROUP: usize = 4;
pub(super) const GROUPS: usize = 4;

/// Cells by group.
pub(super) type Cells = [[u8; GROUP]; GROUPS];

/// The bytes that follow the last row: room for looking up [`NAMES`] tiles.
pub(super) const SLACK: usize = NAMES * GROUP;

/// Returns the bytes of a row.
pub(super) const fn row_bytes(cells: usize) -> usize {
    GROUPS * cells * GROUP
}
