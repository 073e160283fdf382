//! Directions are those of the tiles.

use loyd::puzzle::Direction::{self, Down, Left, Right, Up};

#[test]
fn opposites_come_in_pairs() {
    assert_eq!(
        Direction::ALL.map(Direction::opposite),
        [Down, Up, Right, Left]
    );
}

#[test]
fn transposition_exchanges_rows_and_columns() {
    assert_eq!(
        Direction::ALL.map(Direction::transposed),
        [Left, Right, Up, Down]
    );
    for direction in Direction::ALL {
        assert_ne!(
            direction.is_vertical(),
            direction.transposed().is_vertical()
        );
        assert_eq!(direction.transposed().transposed(), direction);
    }
}

#[test]
fn each_direction_has_its_letter() {
    assert_eq!(Direction::ALL.map(Direction::letter), ['U', 'D', 'L', 'R']);
    let letters: Vec<char> = ('\0'..='\u{FFFF}')
        .filter(|&letter| Direction::from_letter(letter).is_some())
        .collect();
    assert_eq!(letters, ['D', 'L', 'R', 'U', 'd', 'l', 'r', 'u']);
    for direction in Direction::ALL {
        let letter = direction.letter();
        assert_eq!(Direction::from_letter(letter), Some(direction));
        assert_eq!(
            Direction::from_letter(letter.to_ascii_lowercase()),
            Some(direction)
        );
    }
}
