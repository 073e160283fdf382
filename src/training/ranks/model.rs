//! The weights as trainable numbers, and how they learn to rank.

use std::sync::Arc;

use super::chances::{self, ENOUGH, chances};
use super::kind::Kind;
use super::shares::Shares;
use crate::heuristic::learned::PairWeights;
use crate::puzzle::{Dice, Shape};
use crate::search::beam::{GROUP, Group};
use crate::training::weight::{Weight, means_by_number, means_of};

/// The initial sum of squares: weights that are seldom updated change little.
const CALM: f32 = 1.0;

/// How the groups of a generation are to be learned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lessons {
    /// How often each group is seen.
    pub(super) epochs: u32,
    /// The most that a shared weight changes at first, in moves. It falls to a twentieth.
    pub(super) rate: f32,
    /// The factor of the weights in ranks.
    pub(super) times: f32,
    /// The value of [`Model::sharpness`].
    pub(super) sharpness: f32,
    pub(super) seed: u64,
}

/// The fraction of the rate at which unshared weights change: a pair's own, or a single tile's.
const OWN_RATE: f32 = 1.0 / 3.0;

/// The change below which a board teaches nothing.
const SLIGHT: f32 = 1e-4;

/// Weights of a [kind](Kind) in moves, those of pairs [in parts](Shares).
#[derive(Clone, Debug)]
pub(super) struct Model {
    shape: Shape,
    shares: Arc<Shares>,
    /// The cells of each pair that has a block, and the index of the block's first weight.
    blocks: Arc<[(usize, usize, usize)]>,
    singles: Vec<Weight>,
    pairs: Vec<Weight>,
}

impl Model {
    /// Creates a model, in which each weight is the mean of a given weight and its images. The
    /// shared parts are zero.
    pub(super) fn of<K: Kind>(weights: &PairWeights<K>) -> Self {
        let (shape, singles, pairs) = weights.parts();
        let squared = shape.cells().pow(2);
        let shares = Arc::new(Shares::new::<K>(shape));
        let blocks = K::blocks(shape).into_iter().enumerate();
        let blocks = blocks.filter_map(|(number, cells)| {
            let (cell, other) = cells?;
            Some((cell, other, number * squared))
        });
        let singles = singles.iter().map(|&single| single.into());
        let pairs = pairs.iter().map(|&pair| pair.into());
        let own = shares.own.iter().copied();
        Self {
            singles: means_by_number(shares.singles.iter().copied(), singles, squared),
            pairs: means_by_number(own, pairs, shares.pair_numbers),
            blocks: blocks.collect(),
            shape,
            shares,
        }
    }

    /// Returns the weights, as the kind that the model was created from.
    pub(super) fn weights<K: Kind>(&self) -> PairWeights<K> {
        let singles = self.shares.singles.iter();
        let singles = singles.map(|&one| self.singles[one as usize].value);
        let pairs = (0..self.shares.own.len()).map(|place| self.pair(place));
        K::nearest_to(self.shape, singles.collect(), pairs.collect())
    }

    /// Returns the weight of a pair by its index.
    #[inline]
    fn pair(&self, place: usize) -> f32 {
        let value = |number: u32| self.pairs[number as usize].value;
        let shared = self.shares.shared.get(place);
        let shared = shared.map_or(0.0, |numbers| numbers.map(value).into_iter().sum());
        value(self.shares.own[place]) + shared
    }

    /// Returns the numbers of a board's weights of tiles on cells.
    fn singles_of<'a>(&'a self, tiles: &'a [u8]) -> impl Iterator<Item = u32> + 'a {
        let places = tiles.iter().enumerate();
        let places = places.map(|(cell, &tile)| usize::from(tile) * tiles.len() + cell);
        places.map(|place| self.shares.singles[place])
    }

    /// Returns the indices of a board's pairs.
    fn pairs_of<'a>(&'a self, tiles: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
        self.blocks.iter().map(|&(cell, other, first)| {
            let [tile, other] = [tiles[cell], tiles[other]].map(usize::from);
            first + tile * tiles.len() + other
        })
    }

    /// Returns the sum of the weights of a board, in moves.
    pub(super) fn of_board(&self, tiles: &[u8]) -> f32 {
        let singles = self.singles_of(tiles);
        let singles: f32 = singles.map(|one| self.singles[one as usize].value).sum();
        let pairs: f32 = self.pairs_of(tiles).map(|place| self.pair(place)).sum();
        singles + pairs
    }

    /// Returns the [sharpness](chances::sharpness) of groups by these weights.
    pub(super) fn sharpness(&self, groups: &[Group], times: f32) -> f32 {
        let ranks = groups.iter().take(ENOUGH);
        let ranks: Vec<_> = ranks.map(|group| self.ranks(group, times)).collect();
        chances::sharpness(&ranks)
    }

    /// Returns the ranks of a group's boards, in moves.
    fn ranks(&self, group: &Group, times: f32) -> [f32; GROUP] {
        group.ranks_with(|tiles| times * self.of_board(tiles))
    }

    /// Learns that the first board of each group should lead, in an order that the seed determines.
    /// The ranks in the groups do not include this estimate.
    pub(super) fn learn(&mut self, groups: &[Group], lessons: Lessons) {
        let mut dice = Dice::new(lessons.seed);
        let mut order: Vec<u32> = (0..groups.len() as u32).collect();
        let total = u64::from(lessons.epochs) * groups.len() as u64;
        let mut done = 0;
        let mut changes = Changes {
            singles: vec![0.0; self.singles.len()],
            pairs: vec![0.0; self.pairs.len()],
            ..Changes::default()
        };
        for _ in 0..lessons.epochs {
            dice.shuffle(&mut order);
            for &group in &order {
                let past = done as f32 / total as f32;
                done += 1;
                let rate = lessons.rate * (1.0 - 0.95 * past);
                self.step(&groups[group as usize], lessons, rate, &mut changes);
            }
        }
    }

    /// Learns from one group, by the logarithm of the chance that its first board leads (logistic
    /// regression).
    fn step(&mut self, group: &Group, lessons: Lessons, rate: f32, changes: &mut Changes) {
        let cells = self.shape.cells();
        let boards = group.tiles.chunks_exact(cells);
        let chances = chances(self.ranks(group, lessons.times), lessons.sharpness);
        for (i, (tiles, chance)) in boards.zip(chances).enumerate() {
            let change = f32::from(u8::from(i == 0)) - chance;
            if change.abs() < SLIGHT {
                continue;
            }
            for single in self.singles_of(tiles) {
                changes.singles[single as usize] += change;
                changes.touched_singles.push(single);
            }
            for place in self.pairs_of(tiles) {
                let own = self.shares.own[place];
                changes.pairs[own as usize] += change;
                changes.touched_pairs.push(own);
            }
        }
        // What all boards of a group have in common has changed by nothing, or by a rounding error.
        let take = |change: &mut f32| {
            let change = std::mem::take(change);
            (change.abs() > f32::EPSILON * GROUP as f32).then_some(change)
        };
        for single in changes.touched_singles.drain(..) {
            if let Some(change) = take(&mut changes.singles[single as usize]) {
                self.singles[single as usize].learn(change, OWN_RATE * rate, CALM);
            }
        }
        for own in changes.touched_pairs.drain(..) {
            let Some(change) = take(&mut changes.pairs[own as usize]) else {
                continue;
            };
            self.pairs[own as usize].learn(change, OWN_RATE * rate, CALM);
            let shared = self.shares.shared.get(own as usize);
            for &shared in shared.into_iter().flatten() {
                changes.pairs[shared as usize] += change;
                changes.touched_shared.push(shared);
            }
        }
        for shared in changes.touched_shared.drain(..) {
            if let Some(change) = take(&mut changes.pairs[shared as usize]) {
                self.pairs[shared as usize].learn(change, rate, CALM);
            }
        }
    }

    /// Returns the mean of two models that started from the same one.
    pub(super) fn mean(&self, other: &Self) -> Self {
        Self {
            singles: means_of(&self.singles, &other.singles),
            pairs: means_of(&self.pairs, &other.pairs),
            ..self.clone()
        }
    }
}

/// The changes made by a group, by the numbers of the weights. All are 0 between groups.
#[derive(Debug, Default)]
struct Changes {
    singles: Vec<f32>,
    pairs: Vec<f32>,
    /// The numbers of the weights that the group changes.
    touched_singles: Vec<u32>,
    touched_pairs: Vec<u32>,
    touched_shared: Vec<u32>,
}
