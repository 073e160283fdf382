//! Files of the learned estimate's weights, including those of pairs of tiles near each other and
//! of networks.

use std::hint::black_box;

use loyd::heuristic::learned::near::NearWeights;
use loyd::heuristic::learned::{Kind, Network, Sums, UNITS, Weights, WeightsError};
use loyd::puzzle::{Board, Shape};
use twox_hash::XxHash3_64;

use super::{Target, Trait, about, trait_of};

pub(crate) const WEIGHTS: Target = Target {
    name: "weights",
    run,
    seeds,
    message_at: |_| None,
};

/// The size of the checksum at the end, which covers everything before it.
const CHECKSUM: usize = 8;

fn run(input: &[u8]) -> Trait {
    let came_to = read(input);
    // Input that gets past the checksum must not do any harm either.
    let mut summed = input.to_vec();
    if let Some(at) = summed.len().checked_sub(CHECKSUM) {
        let sum = XxHash3_64::oneshot(&summed[..at]);
        summed[at..].copy_from_slice(&sum.to_le_bytes());
    }
    came_to ^ read(&summed).rotate_left(1)
}

fn read(bytes: &[u8]) -> Trait {
    let weights = match Weights::from_bytes(bytes) {
        Ok(weights) => weights,
        Err(WeightsError::Other { found, .. }) => {
            return match found {
                Kind::NearWeights => read_near(bytes),
                _ => read_network(bytes),
            };
        }
        Err(error) => return trait_of(&error.to_string()),
    };
    let board = Board::solved(weights.shape());
    let tiles: Vec<u8> = board.tiles().map(|tile| tile as u8).collect();
    black_box(weights.of(&tiles));
    let again = Weights::from_bytes(&weights.to_bytes());
    assert_eq!(again.as_ref(), Ok(&weights));
    trait_of(&about(board.shape().cells()))
}

fn read_near(bytes: &[u8]) -> Trait {
    let weights = match NearWeights::from_bytes(bytes) {
        Ok(weights) => weights,
        Err(error) => return trait_of(&error.to_string()),
    };
    let board = Board::solved(weights.shape());
    let tiles: Vec<u8> = board.tiles().map(|tile| tile as u8).collect();
    black_box(weights.of_board(&tiles));
    trait_of(&about(board.shape().cells()))
}

fn read_network(bytes: &[u8]) -> Trait {
    let network = match Network::from_bytes(bytes) {
        Ok(network) => network,
        Err(error) => return trait_of(&error.to_string()),
    };
    let board = Board::solved(network.shape());
    let tiles: Vec<u8> = board.tiles().map(|tile| tile as u8).collect();
    black_box(network.of(&network.sums(&tiles)));
    let again = Network::from_bytes(&network.to_bytes()).unwrap();
    assert_eq!(again.to_bytes(), network.to_bytes());
    trait_of(&about(board.shape().cells()))
}

fn seeds() -> Vec<Vec<u8>> {
    let manhattan = |rows, columns| Weights::manhattan(Shape::new(rows, columns).unwrap());
    let small = [(2, 2), (2, 3), (3, 3)];
    let mut seeds: Vec<_> = small
        .map(|(rows, columns)| manhattan(rows, columns).to_bytes())
        .into();
    let near = NearWeights::of(&manhattan(8, 8));
    seeds.push(near.fit(Shape::new(8, 9).unwrap()).to_bytes());
    let [weight, bias, sign] = [-1, 7, 1].map(|number| Sums([number; UNITS]));
    let network = Network::new(Shape::new(2, 2).unwrap(), vec![weight; 16], bias, sign);
    seeds.push(network.unwrap().to_bytes());
    seeds
}
