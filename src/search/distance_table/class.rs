//! Which small boards share a distance table.

use crate::puzzle::{Home, Metric, Problem, Shape};

use super::bits::WORD_BOARDS;

/// The blank's [`Home`], the same for all that are mirror images of each other, and a metric.
///
/// There are 18 classes in single tiles: 2×2 has one; 2×3 and 2×4 have two; 2×5, 2×6 and 3×3 three, 3×4 four.
/// The eleven of up to ten cells also exist in the other metric.
///
/// ```
/// use loyd::puzzle::Shape;
/// use loyd::search::distance_table::Class;
///
/// let corner = Class::new(Shape::new(3, 3)?, 0).expect("small enough");
/// assert_eq!(corner.home(), 8);
/// assert_eq!(corner.boards(), 181_440);
/// # Ok::<(), loyd::puzzle::ShapeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Class {
    home: Home,
    metric: Metric,
}

impl Class {
    /// The most cells of a board with a table: a table of 12 cells takes 32 MB in single tiles.
    pub const MAX_CELLS: usize = 12;

    /// The same where lines of tiles are pushed: there a board takes a byte, not a bit.
    pub const MAX_MULTI_TILE_CELLS: usize = 10;

    /// The class, in single tiles, of the boards of a shape whose blank belongs on the cell `home`; `None`
    /// when they are too large for a table or have no such cell.
    #[must_use]
    pub fn new(shape: Shape, home: usize) -> Option<Self> {
        let is_covered = shape.cells() <= Self::MAX_CELLS && home < shape.cells();
        is_covered.then(|| Self::in_single_tiles(Home::new(shape, home)))
    }

    const fn in_single_tiles(home: Home) -> Self {
        Self {
            home,
            metric: Metric::SingleTile,
        }
    }

    /// The class of a problem in single tiles; `None` when its board is too large for a table.
    #[must_use]
    pub fn of(problem: &Problem) -> Option<Self> {
        Self::new(problem.shape(), problem.home())
    }

    /// The class of the same boards in another metric; `None` when they are too large for a table in it.
    #[must_use]
    pub const fn counted_in(self, metric: Metric) -> Option<Self> {
        let most = match metric {
            Metric::SingleTile => Self::MAX_CELLS,
            Metric::MultiTile => Self::MAX_MULTI_TILE_CELLS,
        };
        if self.shape().cells() > most {
            return None;
        }
        Some(Self { metric, ..self })
    }

    /// All classes in single tiles, the smallest boards first.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let mut classes: Vec<Self> = Vec::new();
        for rows in Shape::MIN_SIDE..=Self::MAX_CELLS / Shape::MIN_SIDE {
            for columns in rows..=Self::MAX_CELLS / rows {
                if let Ok(shape) = Shape::new(rows, columns) {
                    classes.extend(Home::all(shape).map(Self::in_single_tiles));
                }
            }
        }
        classes.sort_by_key(|class| class.boards());
        classes
    }

    /// The size of the boards.
    #[must_use]
    pub const fn shape(self) -> Shape {
        self.home.shape()
    }

    /// The cell where the blank belongs.
    #[must_use]
    pub const fn home(self) -> usize {
        self.home.cell()
    }

    /// What counts as one move.
    #[must_use]
    pub const fn metric(self) -> Metric {
        self.metric
    }

    /// The number of boards from which the goal can be reached: half the factorial of the cells.
    #[must_use]
    pub fn boards(self) -> usize {
        (3..=self.shape().cells()).product()
    }

    /// The bytes of the class's table.
    #[must_use]
    pub fn table_bytes(self) -> usize {
        match self.metric {
            Metric::SingleTile => {
                let cells = self.shape().cells();
                let words = (self.boards() / cells).div_ceil(WORD_BOARDS as usize);
                cells * words * size_of::<u64>()
            }
            Metric::MultiTile => self.boards(),
        }
    }
}
