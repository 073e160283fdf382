//! Ranks of the orders in which a pattern's tiles stand on the board.
//!
//! Read row by row, the k tiles of a pattern form a sequence of the numbers 0 to k−1. Its rank is
//! Σ d(v) · (k−1−v)!, where d(v) counts the tiles greater than v that come before it. So when one
//! tile passes another, the rank changes by an amount that depends on these two tiles alone.

/// The most tiles: the ranks of orders of eight fit 16 bits.
pub(super) const MOST_TILES: usize = 8;

/// Returns the number of orders of `tiles` tiles.
pub(super) const fn orders(tiles: usize) -> usize {
    const ORDERS: [usize; MOST_TILES + 1] = {
        let mut orders = [1; MOST_TILES + 1];
        let mut tiles = 1;
        while tiles < orders.len() {
            orders[tiles] = tiles * orders[tiles - 1];
            tiles += 1;
        }
        orders
    };
    ORDERS[tiles]
}

/// Returns the rank of a sequence.
pub(super) fn rank(sequence: &[u8]) -> usize {
    let last = sequence.len() - 1;
    let digit = |place: usize| {
        let greater = |&&before: &&u8| before > sequence[place];
        sequence[..place].iter().filter(greater).count()
    };
    (0..sequence.len())
        .map(|place| digit(place) * orders(last - usize::from(sequence[place])))
        .sum()
}

/// Returns the sequence with a rank.
pub(super) fn unrank(rank: usize, tiles: usize) -> Vec<u8> {
    let mut sequence = Vec::with_capacity(tiles);
    // All tiles already inserted are greater.
    for tile in (0..tiles).rev() {
        let weight = orders(tiles - 1 - tile);
        sequence.insert(rank / weight % (tiles - tile), tile as u8);
    }
    sequence
}

/// Returns the change of the rank when `tile` moves from just before `other` to just after it. The
/// opposite move changes it by the negative of that.
pub(crate) const fn passing(tile: usize, other: usize, tiles: usize) -> i32 {
    if other > tile {
        orders(tiles - 1 - tile) as i32
    } else {
        -(orders(tiles - 1 - other) as i32)
    }
}

/// Returns, by old rank, the rank of each sequence after the tile at one place has moved to
/// another.
pub(super) fn moved(tiles: usize, from: usize, to: usize) -> Box<[u16]> {
    (0..orders(tiles))
        .map(|before| {
            let mut sequence = unrank(before, tiles);
            let tile = sequence.remove(from);
            sequence.insert(to, tile);
            rank(&sequence) as u16
        })
        .collect()
}
