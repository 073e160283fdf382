//! Weights for goals with the blank's home elsewhere than in the last corner.
//!
//! Where the blank of such a goal goes to a corner, another goal results, for which there are weights:
//! those of the last corner, and for the others their mirror images. An estimate by these is off by
//! about as many moves as the blank makes, and it misplaces the tiles on its way. A mean over all
//! corners, and over several ways to each, places most tiles right, and what the weights learned by
//! chance weighs less in it.

use super::derived::{Derivation, Derived};
use super::mean::rounded;
use super::names::names_by_last_corner;
use super::weights::{PairWeights, Pairs};
use crate::puzzle::{Board, Dice, Direction, Shape, Symmetry, plain_goal, plain_names};

/// The ways to each corner, drawn at random. With one way to each, beams of 7×7 are longer by 0.9 moves, with
/// two by 0.4; with eight they are no shorter.
const WAYS: u32 = 4;

/// What a way without slides counts, and the fraction of it that is left with each slide. Where the
/// home is near one corner, the others then count little.
const WHOLE: i32 = 1 << 10;
const LEFT: (i32, i32) = (6, 7);

/// The goal as one in which the blank went to a corner, seen so that this corner is the last one.
struct View {
    /// What it counts.
    share: i32,
    /// Maps names by the last corner to its names.
    names: Box<[usize]>,
    /// Maps cells to its cells.
    cells: Box<[usize]>,
}

impl View {
    /// Returns the views of the goal with this home of the blank: for each corner, some ways to it.
    fn all(shape: Shape, home: usize) -> Vec<Self> {
        let goal = plain_goal(shape, home);
        let mut dice = Dice::new(0);
        let flips = Symmetry::all().filter(|symmetry| !symmetry.transpose);
        let ways = flips.flat_map(|flip| (0..WAYS).map(move |_| flip));
        ways.map(|flip| Self::new(&goal, flip, &mut dice)).collect()
    }

    fn new(goal: &Board, flip: Symmetry, dice: &mut Dice) -> Self {
        let shape = goal.shape();
        let image = |cell| flip.cell(shape, cell);
        let mut corner = Board::from_legal(shape, |cell| goal.tile(image(cell)));
        let share = go_to_last_corner(&mut corner, dice);
        let seen = plain_names(&corner);
        let mut names = vec![0; shape.cells()];
        for (name, seen) in names_by_last_corner(goal).into_iter().zip(seen) {
            names[usize::from(name)] = seen.into();
        }
        Self {
            share,
            names: names.into(),
            cells: (0..shape.cells()).map(image).collect(),
        }
    }
}

/// Moves the blank right and down to the last corner, each way as likely as any other. Returns what
/// the way counts.
fn go_to_last_corner(board: &mut Board, dice: &mut Dice) -> i32 {
    let shape = board.shape();
    let mut share = WHOLE;
    loop {
        let blank = board.blank();
        let right = shape.columns() - 1 - shape.column(blank);
        let down = shape.rows() - 1 - shape.row(blank);
        if right + down == 0 {
            return share;
        }
        let is_right = (dice.below((right + down) as u32) as usize) < right;
        // The tile slides the other way.
        board.slide(if is_right {
            Direction::Left
        } else {
            Direction::Up
        });
        share = share * LEFT.0 / LEFT.1;
    }
}

/// Derives the weights for a home of the blank from those for the last corner.
pub(super) struct Homing {
    views: Vec<View>,
    /// What all views count together.
    total: i32,
    /// The sums for the current pair of cells.
    sums: Vec<i32>,
}

impl Homing {
    /// Starts to derive weights.
    pub(super) fn begin<P: Pairs>(from: PairWeights<P>, home: usize) -> Derived<P, Self> {
        let shape = from.shape();
        let views = View::all(shape, home);
        let homing = Self {
            total: views.iter().map(|view| view.share).sum(),
            views,
            sums: vec![0; shape.cells().pow(2)],
        };
        Derived::begin(from, shape, homing)
    }
}

impl<P: Pairs> Derivation<P> for Homing {
    fn push_pair(
        &mut self,
        from: &PairWeights<P>,
        pair: Option<(usize, usize)>,
        pairs: &mut Vec<i8>,
    ) {
        let shape = from.shape();
        let cells = shape.cells();
        self.sums.fill(0);
        for view in &self.views {
            let Some((lower, upper)) =
                pair.map(|(lower, upper)| (view.cells[lower], view.cells[upper]))
            else {
                continue;
            };
            let block = from.block(P::number(shape, lower.min(upper), lower.max(upper)));
            let (step, other_step) = if lower < upper {
                (cells, 1)
            } else {
                (1, cells)
            };
            for (sums, &name) in self.sums.chunks_exact_mut(cells).zip(&view.names) {
                for (sum, &other) in sums.iter_mut().zip(&view.names) {
                    *sum += view.share * i32::from(block[name * step + other * other_step]);
                }
            }
        }
        let sums = self.sums.iter();
        pairs.extend(sums.map(|&sum| rounded(sum, self.total) as i8));
    }

    fn single(&self, from: &PairWeights<P>, tile: usize, cell: usize) -> i16 {
        let weight = |view: &View| from.single(view.names[tile], view.cells[cell]);
        let views = self.views.iter();
        let sum = views.map(|view| view.share * weight(view)).sum();
        rounded(sum, self.total) as i16
    }
}

impl<P: Pairs> PairWeights<P> {
    /// Returns the weights for a home of the blank, computed at once.
    pub(super) fn at_home(self, home: usize) -> Self {
        if home + 1 == self.shape().cells() {
            return self;
        }
        Homing::begin(self, home).all()
    }
}
