use std::array;

use loyd::heuristic::learned::{self, Kind, Network, Sums, TOGETHER, UNITS, WeightsError};
use loyd::puzzle::{Dice, Shape};

use crate::learned::tiles;
use crate::support::files::{deflated, file, inflated};
use crate::support::{random_problem, shape, slides};

/// The shipped networks.
const SHIPPED: [(usize, &[u8]); 3] = [
    (6, include_bytes!("../../weights/network-6x6.loyd")),
    (9, include_bytes!("../../weights/network-whole-9x9.loyd")),
    (10, include_bytes!("../../weights/network-whole-10x10.loyd")),
];

/// Returns a random network of large numbers: many of its sums wrap around.
fn wild(shape: Shape) -> Network {
    let mut dice = Dice::new(3);
    let mut sums = || Sums(array::from_fn(|_| dice.below(1 << 16) as u16 as i16));
    let weights = (0..shape.cells().pow(2)).map(|_| sums()).collect();
    let bias = sums();
    let signs = Sums(sums().0.map(|number| number.signum() | 1));
    Network::new(shape, weights, bias, signs).unwrap()
}

#[test]
fn what_is_shipped_is_whole_and_for_its_size() {
    for (side, bytes) in SHIPPED {
        let network = Network::from_bytes(bytes).unwrap();
        assert_eq!(network.shape(), shape(side, side));
        assert!(learned::has_network(shape(side, side)));
        let again = Network::from_bytes(&network.to_bytes()).unwrap();
        assert_eq!(again.to_bytes(), network.to_bytes());
    }
    for side in [5, 7, 8, 11] {
        assert!(!learned::has_network(shape(side, side)));
    }
}

#[test]
fn a_slide_changes_a_board_by_what_is_told_of_it() {
    let shipped = Network::from_bytes(SHIPPED[0].1).unwrap();
    let networks = [
        (shipped, false),
        (wild(shape(3, 6)), true),
        (wild(shape(5, 5)), true),
    ];
    for (network, is_wild) in networks {
        let shape = network.shape();
        let mut dice = Dice::new(1);
        let problem = random_problem(shape, shape.cells() - 1, &mut dice);
        let mut sums = network.sums(&tiles(problem.start()));
        for (_, slide, after) in slides(problem.start(), 2000, &mut dice) {
            let before = network.of(&sums);
            let along = network.along(slide.to, slide.direction);
            let change = along.change(&sums, slide.tile);
            let (mut together, layer) = ([5; 2], [Sums([0; UNITS]), sums]);
            along.add_changes(slide.tile, &layer, &[1; TOGETHER], &mut together);
            assert_eq!(together, [5 + change; 2]);
            sums = along.after(&sums, slide.tile);
            assert_eq!(sums, network.sums(&tiles(&after)));
            // Numbers that exceed 16 bits wrap around.
            assert_eq!((before + change) as i16, network.of(&sums) as i16);
            assert!(is_wild || before + change == network.of(&sums));
        }
    }
}

#[test]
fn what_a_board_is_worth_may_be_more_than_fits_a_weight() {
    let shape = shape(3, 3);
    let weights = vec![Sums([300; UNITS]); 81];
    let network = Network::new(shape, weights, Sums([0; UNITS]), Sums([-1; UNITS])).unwrap();
    let sums = network.sums(&[1, 2, 3, 4, 5, 6, 7, 8, 0]);
    assert_eq!(network.of(&sums), -300 * 9 * UNITS as i32);
}

#[test]
fn damaged_networks_are_refused() {
    let whole = wild(shape(2, 3)).to_bytes();
    assert!(Network::from_bytes(&whole).is_ok());
    for at in [9, 10, 11, 12, 100, whole.len() - 9, whole.len() - 1] {
        let mut bytes = whole.clone();
        bytes[at] ^= 4;
        let expected = if at == 9 {
            WeightsError::Version(2 + (4 << 8))
        } else {
            WeightsError::Damaged
        };
        assert_eq!(
            Network::from_bytes(&bytes).unwrap_err(),
            expected,
            "byte {at}"
        );
    }
    let weights = include_bytes!("../../weights/5x5.loyd");
    for (bytes, error, told) in [
        (
            &b""[..],
            WeightsError::Foreign(Kind::Network),
            "it holds nothing of loyd's, and should hold a network",
        ),
        (&whole[..8], WeightsError::Damaged, "it is damaged"),
        (
            weights,
            WeightsError::Other {
                expected: Kind::Network,
                found: Kind::Weights,
            },
            "it holds weights of all pairs of tiles, not a network",
        ),
    ] {
        let found = Network::from_bytes(bytes).unwrap_err();
        assert_eq!((found, found.to_string().as_str()), (error, told));
    }
}

#[test]
fn a_file_whose_checksum_is_right_has_to_have_as_many_numbers_as_its_shape_and_signs() {
    let whole = wild(shape(2, 3)).to_bytes();
    let numbers = inflated(&whole);
    let read = |numbers: &[u8]| Network::from_bytes(&file(&whole, 2, &deflated(numbers)));
    assert_eq!(read(&numbers).unwrap().to_bytes(), whole);
    let end = numbers.len();
    let more = |bytes: usize| [&numbers[..], &vec![0; bytes]].concat();
    let other_sign = [&[2, 0], &numbers[2..]].concat();
    let wrong = [
        &numbers[..0],
        &numbers[..64],
        &numbers[..128],
        &numbers[..end - 64],
        &numbers[..end - 1],
    ];
    let wrong = wrong.map(<[u8]>::to_vec).into_iter();
    for wrong in wrong.chain([more(1), more(64), other_sign]) {
        assert_eq!(
            read(&wrong).unwrap_err(),
            WeightsError::Damaged,
            "{}",
            wrong.len()
        );
    }
    // Boards of more cells than any network has.
    let mut large = whole.clone();
    large[10..12].copy_from_slice(&[128, 128]);
    let large = file(&large, 2, &deflated(&numbers));
    assert_eq!(
        Network::from_bytes(&large).unwrap_err(),
        WeightsError::Damaged
    );
}

#[test]
fn a_network_has_a_weight_for_each_tile_on_each_cell_and_signs() {
    let network = |shape: Shape, weights, sign| {
        let [zero, sign] = [0, sign].map(|number| Sums([number; UNITS]));
        Network::new(shape, vec![zero; weights], zero, sign)
    };
    assert!(network(shape(2, 3), 36, 1).is_some());
    assert!(network(shape(2, 3), 36, -1).is_some());
    assert!(network(shape(2, 3), 36, 0).is_none());
    assert!(network(shape(2, 3), 35, 1).is_none());
    assert!(network(shape(2, 3), 37, 1).is_none());
    assert!(network(shape(11, 12), 132 * 132, 1).is_some());
    assert!(network(shape(11, 13), 143 * 143, 1).is_none());
}
