//! The worth of a slide to the tile that slides.
//!
//! A tile's *toil* is the number of moves that bring it home, which is, up to a few moves, five for each step
//! straight on and six for each pair of steps at right angles. So a step along the longer way is worth five,
//! one along the shorter way one.

use crate::puzzle::Direction;

/// The tile on a cell: how far it has to go, and whether it may move at all.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    rows: i8,
    columns: i8,
    /// What its slides are worth: an index into [`GAINS`].
    kind: u8,
}

/// The kinds of spots. The first kinds are distinguished by the ways that a tile has to go and by which of
/// them is longer.
const WAYS: u8 = 27;
const CLOSED: u8 = WAYS;
const BLIND: u8 = WAYS + 1;

/// The worth of sliding a tile that may not move: less than any walk can make up for.
pub(super) const BARRED: i32 = -(1 << 20);

/// The worth of slides, by kind and direction.
static GAINS: [[i32; 4]; 32] = {
    let mut gains = [[0; 4]; 32];
    let mut kind = 0;
    while kind < WAYS as usize {
        let longer = [(1, 2), (1, 1), (2, 1)][kind % 3];
        let (down, right) = (kind as i8 / 9 - 1, kind as i8 / 3 % 3 - 1);
        let mut direction = 0;
        while direction < 4 {
            gains[kind][direction] =
                gain(down * longer.0, right * longer.1, Direction::ALL[direction]);
            direction += 1;
        }
        kind += 1;
    }
    gains[CLOSED as usize] = [BARRED; 4];
    gains
};

/// By how much a slide reduces the toil of a tile that has to go so many rows down and columns to the right.
const fn gain(rows: i8, columns: i8, direction: Direction) -> i32 {
    let (along, across) = if direction.is_vertical() {
        (rows, columns)
    } else {
        (columns, rows)
    };
    let is_nearer = match direction {
        Direction::Up | Direction::Left => along < 0,
        Direction::Down | Direction::Right => along > 0,
    };
    let (along, across) = (along.unsigned_abs(), across.unsigned_abs());
    match (is_nearer, along > across, along == across) {
        (true, true, _) => 5,
        (true, false, _) => 1,
        (false, false, false) => -1,
        (false, ..) => -5,
    }
}

impl Spot {
    /// A cell that holds nothing and never will.
    pub(super) const MARGIN: Self = Self {
        rows: 0,
        columns: 0,
        kind: CLOSED,
    };

    /// A free spot with a tile that has to go so many rows down and columns to the right. If `is_blind`, it
    /// is moved as if it were at home.
    pub(super) const fn new(rows: i16, columns: i16, is_blind: bool) -> Self {
        let mut spot = Self {
            rows: rows as i8,
            columns: columns as i8,
            kind: CLOSED,
        };
        spot.set_free(true, is_blind);
        spot
    }

    /// The kind of a tile that may move.
    #[inline]
    const fn way(self) -> u8 {
        let (rows, columns) = (self.rows.unsigned_abs(), self.columns.unsigned_abs());
        let longer = (rows > columns) as i8 - (rows < columns) as i8;
        (9 * self.rows.signum() + 3 * self.columns.signum() + longer + 13) as u8
    }

    /// Sets whether the tile may move.
    pub(super) const fn set_free(&mut self, is_free: bool, is_blind: bool) {
        self.kind = match (is_free, is_blind) {
            (false, _) => CLOSED,
            (true, true) => BLIND,
            (true, false) => self.way(),
        };
    }

    /// Whether the tile may move.
    #[inline]
    pub(super) const fn is_free(self) -> bool {
        self.kind != CLOSED
    }

    /// By how much a slide reduces its toil; [`BARRED`] if it may not move.
    #[inline]
    pub(super) fn gain(self, direction: Direction) -> i32 {
        GAINS[usize::from(self.kind % 32)][direction as usize]
    }

    /// The tile after a slide, on its new cell.
    #[inline]
    pub(super) const fn after(mut self, direction: Direction) -> Self {
        match direction {
            Direction::Up => self.rows = self.rows.wrapping_add(1),
            Direction::Down => self.rows = self.rows.wrapping_sub(1),
            Direction::Left => self.columns = self.columns.wrapping_add(1),
            Direction::Right => self.columns = self.columns.wrapping_sub(1),
        }
        if self.kind < WAYS {
            self.kind = self.way();
        }
        self
    }
}
