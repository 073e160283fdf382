//! Selection of lower bounds by name.

use std::fmt;

use crate::puzzle::{Problem, Shape};

use super::{
    Guided, Heuristic, SMALL_CELLS,
    corrected::{Conflicts, Corrected},
    discrete, hamming, linear_conflict, manhattan, pattern_database, walking_distance,
};

/// The lower bounds to choose from. All are admissible: they never exceed the true distance.
///
/// All but [`Self::LastMoves`] and the combinations are also consistent: one slide changes them by
/// at most one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HeuristicKind {
    /// 0 on the goal, 1 elsewhere: A* becomes a breadth-first search.
    Discrete,
    /// The number of misplaced tiles.
    Hamming,
    /// The sum of all tiles' distances from home, as if no tile were in another's way.
    Manhattan,
    /// Manhattan distance, plus two moves for each tile that has to step out of its line.
    LinearConflict,
    /// Manhattan distance, plus two moves for each tile at home beside a corner whose own tile
    /// still has to come in.
    CornerTiles,
    /// Manhattan distance, plus up to four moves for the tiles that the last two moves bring home.
    LastMoves,
    /// Manhattan distance and several corrections, where no tile pays twice for the same moves.
    Combined(Combination),
    /// The walking distance, for the shapes that it [supports](Self::supports).
    WalkingDistance,
    /// Additive pattern databases, for the shapes that they [support](Self::supports). Only
    /// searches that were given tables can use them; elsewhere the sum of the corrections is used
    /// instead.
    PatternDatabase,
}

/// The corrections that can be added to the Manhattan distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Correction {
    /// Tiles that block each other in their own line.
    LinearConflict,
    /// Tiles that block the way to a corner.
    CornerTiles,
    /// Tiles that the last moves have to bring home.
    LastMoves,
}

impl Correction {
    /// All three corrections.
    pub const ALL: [Self; 3] = [Self::LinearConflict, Self::CornerTiles, Self::LastMoves];

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// Two or three corrections. See [`HeuristicKind::corrected`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Combination(u8);

const CONFLICT: u8 = Correction::LinearConflict.bit();
const CORNERS: u8 = Correction::CornerTiles.bit();
const LAST: u8 = Correction::LastMoves.bit();

impl HeuristicKind {
    /// All bounds that need nothing from the caller but the board.
    pub const ALL: [Self; 11] = [
        Self::Discrete,
        Self::Hamming,
        Self::Manhattan,
        Self::LinearConflict,
        Self::CornerTiles,
        Self::LastMoves,
        Self::Combined(Combination(CONFLICT | CORNERS)),
        Self::Combined(Combination(CONFLICT | LAST)),
        Self::Combined(Combination(CORNERS | LAST)),
        Self::ALL_CORRECTIONS,
        Self::WalkingDistance,
    ];

    /// Manhattan and all three corrections.
    pub const ALL_CORRECTIONS: Self = Self::Combined(Combination(CONFLICT | CORNERS | LAST));

    /// Returns the Manhattan distance with the given corrections. Order and repetition do not
    /// matter.
    ///
    /// ```
    /// use loyd::heuristic::{Correction, HeuristicKind};
    ///
    /// assert_eq!(HeuristicKind::corrected(&[]), HeuristicKind::Manhattan);
    /// let both = [Correction::LastMoves, Correction::LinearConflict];
    /// let kind = HeuristicKind::corrected(&both);
    /// assert_eq!(kind.name(), "linear-conflict+last-moves");
    /// ```
    #[must_use]
    pub fn corrected(corrections: &[Correction]) -> Self {
        match corrections.iter().fold(0, |bits, one| bits | one.bit()) {
            0 => Self::Manhattan,
            CONFLICT => Self::LinearConflict,
            CORNERS => Self::CornerTiles,
            LAST => Self::LastMoves,
            bits => Self::Combined(Combination(bits)),
        }
    }

    /// Returns this bound with more corrections, or `None` if it is not based on Manhattan
    /// distance.
    #[must_use]
    pub fn with(self, corrections: &[Correction]) -> Option<Self> {
        let mut all = self.corrections()?;
        all.extend(corrections);
        Some(Self::corrected(&all))
    }

    /// Returns the corrections to the Manhattan distance, or `None` if the bound is not based on
    /// it.
    #[must_use]
    pub fn corrections(self) -> Option<Vec<Correction>> {
        let bits = self.correction_bits()?;
        let within = |one: &Correction| bits & one.bit() != 0;
        Some(Correction::ALL.into_iter().filter(within).collect())
    }

    const fn correction_bits(self) -> Option<u8> {
        match self {
            Self::Discrete | Self::Hamming | Self::WalkingDistance | Self::PatternDatabase => None,
            Self::Manhattan => Some(0),
            Self::LinearConflict => Some(CONFLICT),
            Self::CornerTiles => Some(CORNERS),
            Self::LastMoves => Some(LAST),
            Self::Combined(Combination(bits)) => Some(bits),
        }
    }

    const fn includes(self, correction: Correction) -> bool {
        match self.correction_bits() {
            Some(bits) => bits & correction.bit() != 0,
            None => false,
        }
    }

    /// Returns the name in lower case, with words joined by hyphens and corrections by plus signs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Discrete => "discrete",
            Self::Hamming => "hamming",
            Self::Manhattan => "manhattan",
            Self::LinearConflict => "linear-conflict",
            Self::CornerTiles => "corner-tiles",
            Self::LastMoves => "last-moves",
            Self::Combined(Combination(bits)) => match (bits & CONFLICT, bits & CORNERS) {
                (0, _) => "corner-tiles+last-moves",
                (_, 0) => "linear-conflict+last-moves",
                _ if bits & LAST == 0 => "linear-conflict+corner-tiles",
                _ => "linear-conflict+corner-tiles+last-moves",
            },
            Self::WalkingDistance => "walking-distance",
            Self::PatternDatabase => "pattern-database",
        }
    }

    /// Returns whether the bound exists for boards of this shape. Where it does not,
    /// [the default](Self::default) is used instead.
    #[must_use]
    pub fn supports(self, shape: Shape) -> bool {
        match self {
            Self::WalkingDistance => walking_distance::supports(shape),
            Self::PatternDatabase => pattern_database::supports(shape),
            _ => true,
        }
    }

    /// Returns the sizes of the boards for which the bound exists, as a phrase: "up to 5×5". Each may be turned on
    /// its side.
    #[must_use]
    pub const fn sizes(self) -> &'static str {
        match self {
            Self::WalkingDistance => walking_distance::SIZES,
            Self::PatternDatabase => pattern_database::SIZES,
            _ => "of any size",
        }
    }

    /// Works on the tables that the bound needs for a problem, for about as long as the given
    /// number of search nodes takes. Returns true once nothing is left to do, and false without work
    /// while another thread is at it. Where tables are missing, [the default](Self::default) is used
    /// instead.
    pub fn prepare(self, problem: &Problem, nodes: u64) -> bool {
        self != Self::WalkingDistance || walking_distance::prepare(problem, nodes)
    }

    /// Returns the bound that guides the search for a problem that is [prepared](Self::prepare):
    /// the best one without tables if the tables have no room.
    #[must_use]
    pub fn or_fallback(self, problem: &Problem) -> Self {
        match self {
            Self::WalkingDistance if !walking_distance::is_ready(problem) => Self::default(),
            kind => kind,
        }
    }

    /// Returns the bound of a problem's start, in moves. Builds missing tables first, which takes
    /// seconds on 5×5.
    #[must_use]
    pub fn lower_bound(self, problem: &Problem) -> u32 {
        // More than once while another thread works on them.
        while !self.prepare(problem, u64::MAX) {}
        self.guide(problem, Bound(problem))
    }

    /// Passes the heuristic for boards of any size, [prepared](Self::prepare) for the problem, to
    /// its user.
    pub(crate) fn guide<G: Guided>(self, problem: &Problem, guided: G) -> G::Output {
        match self {
            Self::Discrete => guided.by(discrete::Discrete(hamming::any(problem))),
            Self::Hamming => guided.by(hamming::any(problem)),
            Self::Manhattan => guided.by(manhattan::any(problem)),
            Self::LinearConflict => guided.by(linear_conflict::LinearConflict::new(problem)),
            Self::CornerTiles | Self::LastMoves | Self::Combined(_) => {
                if self.includes(Correction::LinearConflict) {
                    let base = linear_conflict::LinearConflict::new(problem);
                    guided.by(self.on(problem, base))
                } else {
                    guided.by(self.on(problem, manhattan::any(problem)))
                }
            }
            Self::WalkingDistance => match walking_distance::WalkingDistance::new(problem) {
                Some(walking) => guided.by(walking),
                None => Self::default().guide(problem, guided),
            },
            Self::PatternDatabase => Self::default().guide(problem, guided),
        }
    }

    /// Passes the heuristic for small boards to its user. Returns `None` if the board has more than
    /// [`SMALL_CELLS`] cells.
    pub(crate) fn guide_small<G: Guided>(self, problem: &Problem, guided: G) -> Option<G::Output> {
        if problem.shape().cells() > SMALL_CELLS {
            return None;
        }
        let short = || linear_conflict::ShortLines::new(problem);
        Some(match self {
            Self::Discrete => guided.by(discrete::Discrete(hamming::small(problem)?)),
            Self::Hamming => guided.by(hamming::small(problem)?),
            Self::Manhattan => guided.by(manhattan::small(problem)?),
            Self::LinearConflict => match short() {
                Some(short) => guided.by(short),
                None => self.guide(problem, guided),
            },
            Self::CornerTiles | Self::LastMoves | Self::Combined(_) => {
                if !self.includes(Correction::LinearConflict) {
                    guided.by(self.on(problem, manhattan::small(problem)?))
                } else if let Some(short) = short() {
                    guided.by(self.on(problem, short))
                } else {
                    self.guide(problem, guided)
                }
            }
            Self::WalkingDistance => self.guide(problem, guided),
            Self::PatternDatabase => return Self::default().guide_small(problem, guided),
        })
    }

    /// Adds the corrections other than linear conflict to a base, which may include linear
    /// conflict.
    fn on<B: Conflicts>(self, problem: &Problem, base: B) -> Corrected<B> {
        let corners = self.includes(Correction::CornerTiles);
        let last = self.includes(Correction::LastMoves);
        Corrected::new(problem, base, corners, last)
    }
}

impl Default for HeuristicKind {
    /// Returns the bound that guides searches best without tables.
    fn default() -> Self {
        Self::ALL_CORRECTIONS
    }
}

impl fmt::Display for HeuristicKind {
    /// Its name in the contract; for a sum, the names of its corrections.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name().to_ascii_uppercase().replace('-', "_"))
    }
}

/// Computes the bound of the start.
struct Bound<'a>(&'a Problem);

impl Guided for Bound<'_> {
    type Output = u32;

    fn by<H: Heuristic + 'static>(self, heuristic: H) -> u32 {
        H::value(heuristic.root(self.0.start()))
    }
}
