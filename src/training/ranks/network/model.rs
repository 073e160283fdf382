//! The network as trainable numbers, and how it learns to rank.

use super::features::Features;
use crate::heuristic::learned::{Network, Sums, UNITS};
use crate::puzzle::{Dice, Shape};
use crate::search::beam::{GROUP, Group};
use crate::training::ranks::chances::{ENOUGH, chances, sharpness};
use crate::training::solve::each;

/// The groups of a step.
pub(super) const STEP: usize = 512;

/// The groups of a step that are processed one after the other.
const PIECE: usize = 64;

/// The change below which a board teaches nothing.
const SLIGHT: f32 = 1e-5;

/// How fast the means of gradients and of their squares forget (Adam: Kingma & Ba, 2015).
const FORGET: [f32; 2] = [0.1, 0.001];

/// What is added to the usual size of a gradient.
const CALM: f32 = 1e-6;

/// The rate of the sharpness, relative to that of the other numbers.
const SHARPNESS_RATE: f32 = 0.1;

/// A number for each unit.
type Numbers = [f32; UNITS];

/// A network that is learned. It adds to the estimate the sum of the units' values times `outputs`.
struct Net {
    /// Indexed by the number of a [feature](Features).
    weights: Vec<Numbers>,
    bias: Numbers,
    outputs: Numbers,
    sharpness: f32,
}

/// The network, and the moving means of its gradients.
pub(super) struct Model {
    shape: Shape,
    features: Features,
    net: Net,
    means: Net,
    squares: Net,
    steps: i32,
}

impl Net {
    fn zero(features: usize) -> Self {
        Self {
            weights: vec![[0.0; UNITS]; features],
            bias: [0.0; UNITS],
            outputs: [0.0; UNITS],
            sharpness: 0.0,
        }
    }

    /// Returns all numbers except the sharpness.
    fn numbers(&self) -> impl Iterator<Item = &f32> {
        let others = [&self.bias, &self.outputs];
        self.weights.iter().chain(others).flatten()
    }

    fn numbers_mut(&mut self) -> impl Iterator<Item = &mut f32> {
        let others = [&mut self.bias, &mut self.outputs];
        self.weights.iter_mut().chain(others).flatten()
    }

    /// Returns the units' sums for features, and what the network adds to the estimate for them.
    fn look(&self, features: &[u32]) -> (Numbers, f32) {
        let mut sums = self.bias;
        for &feature in features {
            add(&mut sums, &self.weights[feature as usize]);
        }
        let mut worth = 0.0;
        for (sum, output) in sums.iter().zip(&self.outputs) {
            worth += sum.max(0.0) * output;
        }
        (sums, worth)
    }
}

fn add(sums: &mut Numbers, others: &Numbers) {
    for (sum, other) in sums.iter_mut().zip(others) {
        *sum += other;
    }
}

impl Model {
    /// Creates a new network that adds next to nothing, or continues from an existing one.
    pub(super) fn new(shape: Shape, from: Option<&Network>, dice: &mut Dice) -> Self {
        const GRAIN: u32 = 1 << 24;
        let features = Features::new(shape);
        let mut random = |least: f32, most: f32| {
            least + (most - least) * dice.below(GRAIN) as f32 / GRAIN as f32
        };
        let mut net = Net::zero(features.count());
        match from {
            None => {
                let own = &mut net.weights[..shape.cells().pow(2)];
                own.iter_mut()
                    .flatten()
                    .for_each(|weight| *weight = random(-0.05, 0.05));
                net.bias = std::array::from_fn(|_| random(-0.15, 0.35));
                net.outputs = std::array::from_fn(|_| random(-0.01, 0.01));
            }
            Some(network) => {
                // About the size of the outputs of a network that has learned.
                const OUTPUT: f32 = 0.1;
                let scale = 1.0 / (OUTPUT * Network::UNIT as f32);
                let numbers = |sums: &Sums| sums.0.map(|sum| f32::from(sum) * scale);
                for (weights, sums) in net.weights.iter_mut().zip(network.weights()) {
                    *weights = numbers(sums);
                }
                net.bias = numbers(network.bias());
                net.outputs = network.signs().0.map(|sign| f32::from(sign) * OUTPUT);
            }
        }
        Self {
            means: Net::zero(features.count()),
            squares: Net::zero(features.count()),
            shape,
            features,
            net,
            steps: 0,
        }
    }

    /// Returns whether the network has not learned yet.
    pub(super) const fn is_new(&self) -> bool {
        self.steps == 0
    }

    /// Sets the initial sharpness to the one that explains some groups best.
    pub(super) fn set_sharpness(&mut self, groups: &[Group]) {
        let mut features = Vec::new();
        let ranks = groups.iter().take(ENOUGH).map(|group| {
            group.ranks_with(|tiles| {
                features.clear();
                features.extend(self.features.of_board(tiles, false));
                self.net.look(&features).1
            })
        });
        self.net.sharpness = sharpness(&ranks.collect::<Vec<_>>());
    }

    /// Returns the network, with each unit's output multiplied into its weights.
    pub(super) fn network(&self) -> Network {
        let parts = |number: f32, unit: usize| {
            let scale = self.net.outputs[unit].abs() * Network::UNIT as f32;
            // A cast to an integer saturates.
            (number * scale).round() as i16
        };
        let sums = |numbers: &Numbers| Sums(std::array::from_fn(|unit| parts(numbers[unit], unit)));
        let cells = self.shape.cells();
        let weights = (0..cells * cells).map(|stand| {
            let mut weight = [0.0; UNITS];
            for feature in self.features.of(stand / cells, stand % cells) {
                add(&mut weight, &self.net.weights[feature as usize]);
            }
            sums(&weight)
        });
        let signs = self
            .net
            .outputs
            .map(|output| if output < 0.0 { -1 } else { 1 });
        Network::new(
            self.shape,
            weights.collect(),
            sums(&self.net.bias),
            Sums(signs),
        )
        .expect("as many weights as the shape has")
    }

    /// Makes a step: learns that the first board of each group should lead. The ranks in the groups
    /// do not include the network. A weight changes by up to `rate`. The result does not depend on
    /// the number of threads.
    pub(super) fn learn(&mut self, groups: &[Group], rate: f32, threads: usize, dice: &mut Dice) {
        let lessons: Vec<_> = groups
            .iter()
            .map(|group| (group, dice.below(2) == 1))
            .collect();
        let pieces: Vec<_> = lessons.chunks(PIECE).collect();
        let mut pieces = each(&pieces, threads, |_, piece| self.gradient(piece)).into_iter();
        let Some(mut gradient) = pieces.next() else {
            return;
        };
        for piece in pieces {
            gradient
                .numbers_mut()
                .zip(piece.numbers())
                .for_each(|(sum, one)| *sum += one);
            gradient.sharpness += piece.sharpness;
        }
        self.steps += 1;
        let share = 1.0 / groups.len() as f32;
        let [mean_grown, square_grown] = FORGET.map(|forget| 1.0 - (1.0 - forget).powi(self.steps));
        let change = |number: &mut f32, [mean, square]: [&mut f32; 2], gradient: f32, rate: f32| {
            let gradient = gradient * share;
            *mean += FORGET[0] * (gradient - *mean);
            *square += FORGET[1] * (gradient * gradient - *square);
            *number -= rate * (*mean / mean_grown) / ((*square / square_grown).sqrt() + CALM);
        };
        let Self {
            net,
            means,
            squares,
            ..
        } = self;
        let states = means.numbers_mut().zip(squares.numbers_mut());
        for ((number, (mean, square)), &gradient) in
            net.numbers_mut().zip(states).zip(gradient.numbers())
        {
            change(number, [mean, square], gradient, rate);
        }
        let state = [&mut means.sharpness, &mut squares.sharpness];
        change(
            &mut net.sharpness,
            state,
            gradient.sharpness,
            SHARPNESS_RATE * rate,
        );
    }

    /// Returns the gradient of the negative logarithm of the chance that the first boards lead.
    fn gradient(&self, lessons: &[(&Group, bool)]) -> Net {
        let cells = self.shape.cells();
        let mut gradient = Net::zero(self.features.count());
        let mut features: Vec<Vec<u32>> = vec![Vec::new(); GROUP];
        let mut sums = [[0.0; UNITS]; GROUP];
        for &(group, is_mirrored) in lessons {
            let mut ranks = group.ranks;
            for (i, tiles) in group.tiles.chunks_exact(cells).enumerate() {
                features[i].clear();
                features[i].extend(self.features.of_board(tiles, is_mirrored));
                let worth;
                (sums[i], worth) = self.net.look(&features[i]);
                ranks[i] += worth;
            }
            let chances = chances(ranks, self.net.sharpness);
            for (i, chance) in chances.into_iter().enumerate() {
                let missing = f32::from(u8::from(i == 0)) - chance;
                gradient.sharpness += missing * ranks[i];
                let fall = self.net.sharpness * missing;
                if fall.abs() < SLIGHT {
                    continue;
                }
                let mut falls = [0.0; UNITS];
                for unit in 0..UNITS {
                    gradient.outputs[unit] += fall * sums[i][unit].max(0.0);
                    let is_on = f32::from(u8::from(sums[i][unit] > 0.0));
                    falls[unit] = fall * self.net.outputs[unit] * is_on;
                }
                add(&mut gradient.bias, &falls);
                for &feature in &features[i] {
                    add(&mut gradient.weights[feature as usize], &falls);
                }
            }
        }
        gradient
    }
}
