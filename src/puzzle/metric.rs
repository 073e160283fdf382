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
    /// Each push of a line of tiles, the first of which slides into the blank.
    MultiTile,
}

impl Metric {
    /// Both metrics.
    pub const ALL: [Self; 2] = [Self::SingleTile, Self::MultiTile];

    /// Returns the length of a list of slides. A push is written as its slides, one after the
    /// other.
    #[must_use]
    pub fn length(self, slides: &[Direction]) -> usize {
        let mut measure = Measure::new(self);
        measure.add(slides);
        measure.length()
    }
}

/// Measures a list of slides that arrives in pieces.
///
/// ```
/// use loyd::puzzle::{Direction, Measure, Metric};
///
/// let mut measure = Measure::new(Metric::MultiTile);
/// measure.add(&[Direction::Right, Direction::Down]);
/// measure.add(&[Direction::Down]);
/// assert_eq!(measure.length(), 2);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Measure {
    metric: Metric,
    length: usize,
    last: Option<Direction>,
}

impl Measure {
    /// Starts with no slides.
    #[must_use]
    pub const fn new(metric: Metric) -> Self {
        Self {
            metric,
            length: 0,
            last: None,
        }
    }

    /// Adds the next slides.
    pub fn add(&mut self, slides: &[Direction]) {
        match self.metric {
            Metric::SingleTile => self.length += slides.len(),
            Metric::MultiTile => {
                for &slide in slides {
                    self.length += usize::from(self.last != Some(slide));
                    self.last = Some(slide);
                }
            }
        }
    }

    /// Returns the length of all slides so far.
    #[must_use]
    pub const fn length(&self) -> usize {
        self.length
    }
}
