//! What counts as one move.

use super::Direction;

/// What counts as one move.
///
/// ```
/// use loyd::puzzle::Metric;
/// use loyd::puzzle::notation::parse_moves;
///
/// let moves = parse_moves("R3D2")?;
/// assert_eq!(Metric::SingleTile.length(&moves), 5);
/// assert_eq!(Metric::MultiTile.length(&moves), 2);
/// # Ok::<(), loyd::puzzle::notation::MovesNotationError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Metric {
    /// Each slide of one tile.
    #[default]
    SingleTile,
    /// Each push of a line of tiles, of which the first slides into the blank.
    MultiTile,
}

impl Metric {
    /// Both.
    pub const ALL: [Self; 2] = [Self::SingleTile, Self::MultiTile];

    /// The length of a list of slides. A push is written as its slides, one after the other.
    #[must_use]
    pub fn length(self, slides: &[Direction]) -> usize {
        match self {
            Self::SingleTile => slides.len(),
            Self::MultiTile => slides.chunk_by(|a, b| a == b).count(),
        }
    }
}
