//! Partitions of the tiles into patterns.

use crate::puzzle::{Shape, Symmetry};

use super::cell_set::CellSet;
use super::pattern::Pattern;

/// The sides of rectangles, and the most tiles of a pattern on each.
const STRIPS: [((usize, usize), usize); 5] = [
    ((2, 7), 7),
    ((2, 8), 8),
    ((3, 5), 7),
    ((3, 6), 6),
    ((4, 5), 7),
];

/// Patterns that share no tile and together contain all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    shape: Shape,
    home: usize,
    patterns: Vec<Pattern>,
}

impl Partition {
    /// Creates the partition into patterns whose tiles belong on the given cells, for problems with
    /// the blank's home at `home`.
    ///
    /// Returns `None` if a cell is in two of the sets or in none, or if a set is not a [`Pattern`].
    #[must_use]
    pub fn new(shape: Shape, home: usize, patterns: &[CellSet]) -> Option<Self> {
        let patterns = patterns
            .iter()
            .map(|&cells| Pattern::new(shape, home, cells))
            .collect::<Option<Vec<_>>>()?;
        let bits = patterns.iter().map(|pattern| pattern.cells().bits());
        let all = CellSet::all(shape).toggled(home).bits();
        let is_cover = bits.clone().fold(0, |all, bits| all | bits) == all;
        let is_disjoint = bits.map(u32::count_ones).sum::<u32>() == all.count_ones();
        (is_cover && is_disjoint).then_some(Self {
            shape,
            home,
            patterns,
        })
    }

    /// Returns the partition of the 24-puzzle into four patterns of six tiles: blocks of 2×3 around
    /// the centre, like the sails of a windmill. If the blank's home is in a block, the tile of the
    /// centre takes its place there. With the home in a corner it is the partition of Korf & Felner
    /// (2002). Returns `None` if the home is off the board.
    #[must_use]
    pub fn windmill(home: usize) -> Option<Self> {
        const CENTRE: u32 = 1 << 12;
        let shape = Shape::new(5, 5).expect("sides in range");
        let sails = [0x0000_00E7, 0x0000_6318, 0x01CE_0000, 0x0031_8C00];
        let patterns = sails.map(|sail: u32| match sail & 1_u32.checked_shl(home as u32)? {
            0 => Some(CellSet::from_bits(sail)),
            taken => Some(CellSet::from_bits(sail ^ taken | CENTRE)),
        });
        let patterns: Option<Vec<_>> = patterns.into_iter().collect();
        Self::new(shape, home, &patterns?)
    }

    /// Returns a partition into as few patterns of at most `most` tiles as possible, of about equal
    /// size: strips across the board's longer side. Returns `None` if a strip is not a [`Pattern`].
    ///
    /// # Panics
    /// If `most` is 0.
    #[must_use]
    pub fn strips(shape: Shape, home: usize, most: usize) -> Option<Self> {
        let is_wide = shape.columns() > shape.rows();
        let mut cells: Vec<usize> = (0..shape.cells()).filter(|&cell| cell != home).collect();
        if is_wide {
            cells.sort_by_key(|&cell| (shape.column(cell), shape.row(cell)));
        }
        let count = cells.len().div_ceil(most);
        let patterns: Vec<CellSet> = (0..count)
            .map(|strip| {
                let ends = [strip, strip + 1].map(|end| end * cells.len() / count);
                cells[ends[0]..ends[1]].iter().copied().collect()
            })
            .collect();
        Self::new(shape, home, &patterns)
    }

    /// Returns the partitions for solving boards of a shape: the 24-puzzle, and the rectangles
    /// between the 15-puzzle and the 24-puzzle. Their tables take 2 to 224 MB. Returns `None` for
    /// other shapes; the 15-puzzle has its own partitions, in [`Tier`](super::Tier).
    #[must_use]
    pub fn standard(shape: Shape, home: usize) -> Option<Vec<Self>> {
        let sides = (
            shape.rows().min(shape.columns()),
            shape.rows().max(shape.columns()),
        );
        if sides == (5, 5) {
            let beside = Self::windmill(Symmetry::TRANSPOSITION.cell(shape, home))?;
            return Some(vec![
                Self::windmill(home)?,
                beside.image(Symmetry::TRANSPOSITION),
            ]);
        }
        let most = STRIPS.iter().find(|strips| strips.0 == sides)?.1;
        Some(vec![Self::strips(shape, home, most)?])
    }

    /// Returns the image of the partition under a symmetry.
    #[must_use]
    pub fn image(&self, symmetry: Symmetry) -> Self {
        let patterns = self.patterns.iter();
        Self {
            shape: symmetry.shape(self.shape),
            home: symmetry.cell(self.shape, self.home),
            patterns: patterns.map(|pattern| pattern.image(symmetry)).collect(),
        }
    }

    /// Returns the size of the board.
    #[must_use]
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// Returns the cell where the blank belongs.
    #[must_use]
    pub const fn home(&self) -> usize {
        self.home
    }

    /// Returns the patterns.
    #[must_use]
    pub fn patterns(&self) -> &[Pattern] {
        &self.patterns
    }
}
