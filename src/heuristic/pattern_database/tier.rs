//! Partitions of the 15-puzzle, by the memory that they take.

use crate::puzzle::{Shape, Symmetry};

use super::cell_set::CellSet;
use super::partition::Partition;

/// The memory that the tables of the 15-puzzle may take, for one home of the blank.
///
/// Every tier has the upper half of the board in one pattern or two, and the lower half without the
/// blank's home in another, so that tables of the upper half serve several homes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// Six, six and three tiles: 3 MB.
    SixSixThree,
    /// Seven, six and two tiles: 19 MB.
    SevenSixTwo,
    /// Seven, seven and one tile: 35 MB.
    SevenSevenOne,
    /// Seven and eight tiles: 196 MB.
    SevenEight,
    /// The same, plus another partition into seven and eight for boards that are hard with the
    /// first: 392 MB.
    SevenEightTwice,
}

/// The upper half, whole and in parts.
const UPPER: CellSet = CellSet::from_bits(0x00FF);
const UPPER_SEVEN: CellSet = CellSet::from_bits(0x00EF);
const UPPER_SIX: CellSet = CellSet::from_bits(0x00EE);
/// The cell to the left of `UPPER_SIX` in the second row, then the cells to its left in both rows.
const FIFTH: CellSet = CellSet::from_bits(0x0010);
const FIRST_AND_FIFTH: CellSet = CellSet::from_bits(0x0011);
/// The lower half.
const LOWER: CellSet = CellSet::from_bits(0xFF00);
const NINTH: CellSet = CellSet::from_bits(0x0100);
/// The upper row and the left column, with the cell between them.
const ANGLE: CellSet = CellSet::from_bits(0x113F);

impl Tier {
    /// All tiers, smallest first.
    pub const ALL: [Self; 5] = [
        Self::SixSixThree,
        Self::SevenSixTwo,
        Self::SevenSevenOne,
        Self::SevenEight,
        Self::SevenEightTwice,
    ];

    /// Returns the sizes of the patterns, joined by hyphens.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::SixSixThree => "6-6-3",
            Self::SevenSixTwo => "7-6-2",
            Self::SevenSevenOne => "7-7-1",
            Self::SevenEight => "7-8",
            Self::SevenEightTwice => "7-8-twice",
        }
    }

    /// Returns the partitions of the 15-puzzle for a home of the blank in the lower right quarter:
    /// one into the upper and the lower half, and the corresponding one into the left and the right
    /// half. Returns `None` for other homes, and for homes where the tier should have
    /// [others](Self::others) but has none.
    #[must_use]
    pub fn partitions(self, home: usize) -> Option<[Partition; 2]> {
        let shape = Shape::new(4, 4).expect("sides in range");
        let (row, column) = (shape.row(home), shape.column(home));
        if home >= shape.cells() || row < 2 || column < 2 {
            return None;
        }
        if self == Self::SevenEightTwice {
            self.others(home)?;
        }
        let beside = self.halves(shape, shape.cell(column, row))?;
        Some([
            self.halves(shape, home)?,
            beside.image(Symmetry::TRANSPOSITION),
        ])
    }

    /// Returns another partition, and its mirror image, for boards that are hard with the first
    /// two. Only the largest tier has them, and only for a home in the lower right corner.
    ///
    /// The eight tiles are those of the upper row, the left column and the cell between them, so
    /// both partitions use the same tables.
    #[must_use]
    pub fn others(self, home: usize) -> Option<[Partition; 2]> {
        let shape = Shape::new(4, 4).expect("sides in range");
        if self != Self::SevenEightTwice || home != shape.cells() - 1 {
            return None;
        }
        let rest = CellSet::all(shape).without(ANGLE).toggled(home);
        let others = Partition::new(shape, home, &[rest, ANGLE])?;
        Some([others.clone(), others.image(Symmetry::TRANSPOSITION)])
    }

    /// Returns all partitions that serve a home on the way to this tier: its own, its [others](Self::others), and those of
    /// the smallest tier, with which a server starts. Returns `None` where it has no [partitions](Self::partitions).
    #[must_use]
    pub fn on_the_way(self, home: usize) -> Option<Vec<Partition>> {
        let own = self.partitions(home)?.into_iter();
        let others = self.others(home).into_iter().flatten();
        let smallest = Self::ALL[0].partitions(home).into_iter().flatten();
        Some(own.chain(others).chain(smallest).collect())
    }

    /// Returns the partition by rows, for a home in the lower half.
    fn halves(self, shape: Shape, home: usize) -> Option<Partition> {
        let lower = LOWER.toggled(home);
        let six = lower.without(NINTH);
        match self {
            Self::SixSixThree => {
                let three = CellSet::from_bits(FIRST_AND_FIFTH.bits() | NINTH.bits());
                Partition::new(shape, home, &[six, UPPER_SIX, three])
            }
            Self::SevenSixTwo => Partition::new(shape, home, &[lower, UPPER_SIX, FIRST_AND_FIFTH]),
            Self::SevenSevenOne => Partition::new(shape, home, &[lower, UPPER_SEVEN, FIFTH]),
            Self::SevenEight | Self::SevenEightTwice => {
                Partition::new(shape, home, &[lower, UPPER])
            }
        }
    }
}
