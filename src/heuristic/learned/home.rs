//! Weights for goals with the blank's home elsewhere than in the last corner.
//!
//! Where the blank of such a goal goes to a corner, another goal results, for which there are weights:
//! those of the last corner, and for the others their mirror images. An estimate by these is off by
//! about as many moves as the blank makes, and it misplaces the tiles on its way. A mean over all
//! corners, and over several ways to each, places most tiles right, and what the weights learned by
//! chance weighs less in it.

use std::mem;

use super::file::Stored;
use super::mean::rounded;
use super::names::names_by_last_corner;
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

/// Weights for a home under construction, one pair of cells after the other.
pub(super) struct Homing<W> {
    from: W,
    views: Vec<View>,
    cells: Vec<Option<(usize, usize)>>,
    pairs: Vec<i8>,
    /// The sums for the current pair of cells.
    sums: Vec<i32>,
}

impl<W: Stored> Homing<W> {
    /// Starts to derive the weights for a home from those for the last corner.
    pub(super) fn begin(from: W, home: usize) -> Self {
        let (shape, ..) = from.parts();
        let squared = shape.cells().pow(2);
        let cells = W::pairs(shape);
        Self {
            views: View::all(shape, home),
            pairs: Vec::with_capacity(cells.len() * squared),
            cells,
            sums: vec![0; squared],
            from,
        }
    }

    /// Computes the weights of the given number of pairs of cells. Returns true when none are left.
    pub(super) fn advance(&mut self, pairs: u64) -> bool {
        for _ in 0..pairs {
            let Some(&pair) = self.cells.get(self.pairs.len() / self.sums.len()) else {
                return true;
            };
            self.push_pair(pair);
        }
        false
    }

    fn push_pair(&mut self, pair: Option<(usize, usize)>) {
        let (shape, _, weights) = self.from.parts();
        let cells = shape.cells();
        self.sums.fill(0);
        for view in &self.views {
            let Some((lower, upper)) =
                pair.map(|(lower, upper)| (view.cells[lower], view.cells[upper]))
            else {
                continue;
            };
            let block = W::number(shape, lower.min(upper), lower.max(upper));
            let block = &weights[block * cells * cells..][..cells * cells];
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
        let total = self.total();
        let means = self.sums.iter().map(|&sum| rounded(sum, total) as i8);
        self.pairs.extend(means);
    }

    /// Returns the weights once all pairs are done.
    pub(super) fn finish(&mut self) -> Option<W> {
        let (shape, ..) = self.from.parts();
        let cells = shape.cells();
        let total = self.total();
        let single = |at| rounded(self.sum(at / cells, at % cells), total) as i16;
        let singles = (0..cells * cells).map(single).collect();
        W::of_parts(shape, singles, mem::take(&mut self.pairs))
    }

    /// Returns the sum of the weights of a tile on a cell, each as often as its view counts.
    fn sum(&self, tile: usize, cell: usize) -> i32 {
        let (shape, singles, _) = self.from.parts();
        let weight = |view: &View| singles[view.names[tile] * shape.cells() + view.cells[cell]];
        let views = self.views.iter();
        views.map(|view| view.share * i32::from(weight(view))).sum()
    }

    /// Returns what all views count together.
    fn total(&self) -> i32 {
        self.views.iter().map(|view| view.share).sum()
    }
}

/// Returns the weights for a home, computed at once.
pub(super) fn at_home<W: Stored>(weights: W, home: usize) -> W {
    let (shape, ..) = weights.parts();
    if home + 1 == shape.cells() {
        return weights;
    }
    let mut homing = Homing::begin(weights, home);
    while !homing.advance(u64::MAX) {}
    homing.finish().expect("as many as the shape has")
}
