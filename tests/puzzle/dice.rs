//! The expected throws were computed by an independent implementation of ChaCha8 and of the
//! rejection.

use loyd::puzzle::Dice;

fn throws<const N: usize>(seed: u64, bound: u32) -> [u32; N] {
    let mut dice = Dice::new(seed);
    std::array::from_fn(|_| dice.below(bound))
}

#[test]
fn a_seed_gives_the_same_throws_in_every_release() {
    assert_eq!(throws(1879, 6), [4, 5, 5, 4, 4, 5, 2, 3]);
    assert_eq!(
        throws(0, 1 << 31),
        [921_073_247, 1_886_639_571, 1_490_319_582, 218_944_774]
    );
}

#[test]
fn words_that_would_favour_a_face_are_thrown_again() {
    // Three words in ten are rejected at this bound.
    assert_eq!(
        throws(u64::MAX, 3_000_000_000),
        [
            1_596_609_486,
            2_657_544_240,
            1_489_265_893,
            1_311_139_275,
            608_613_620,
            927_697_168,
            1_010_152_482,
            576_422_929,
            1_386_352_539,
            2_126_520_814,
            1_960_170_576,
            1_948_203_645,
            1_475_670_900,
            733_896_683,
            2_381_184_543,
            120_296_529,
            34_850_442,
            2_046_269_697,
            2_085_159_673,
            973_936_998
        ]
    );
}

#[test]
fn one_face_always_falls() {
    assert_eq!(throws(5, 1), [0; 100]);
}

#[test]
#[should_panic(expected = "at least one face")]
fn dice_without_faces_cannot_be_thrown() {
    Dice::new(0).below(0);
}
