//! The boards of A*'s nodes, packed: four bits a cell up to 16 cells, one byte up to 256, two bytes beyond.

use crate::heuristic::Tiles;
use crate::puzzle::{Board, Problem};
use crate::search::arena::Arena;

/// All boards, by node number, and the current one.
pub(super) trait Boards: Tiles + Send {
    /// No stored boards; the current one is the problem's start.
    fn new(problem: &Problem) -> Self;

    /// Stores the current board as the next node's.
    fn push(&mut self);

    /// Makes a node's board the current one.
    fn load(&mut self, node: u32);

    /// Whether a node's board equals the current one.
    fn is(&self, node: u32) -> bool;

    /// Whether the current board is the goal.
    fn is_goal(&self) -> bool;

    /// The blank's cell on the current board.
    fn blank(&self) -> usize;

    /// Slides the tile on `from` to the blank on `to`, on the current board.
    fn slide(&mut self, from: usize, to: usize);

    /// The hash of the current board.
    fn hash(&self) -> u64;

    /// Frees boards, as many as there are `left` bytes to be freed. No board may be loaded afterwards.
    fn shed(&mut self, left: &mut u64);

    /// Bytes held.
    fn bytes(&self) -> u64;

    /// The bytes that adding so many more boards may need on top of those held.
    fn headroom(&self, boards: usize) -> u64;
}

/// Folds the product with an odd constant (from the golden ratio), so that every bit of the hash depends on
/// all bits.
const fn mix(bits: u64) -> u64 {
    let product = bits as u128 * 0x9E37_79B9_7F4A_7C15;
    (product >> 64) as u64 ^ product as u64
}

/// Boards of at most 16 cells: cell `c` in the bits `4c..4c + 4`.
pub(super) struct Nibbles {
    at_work: u64,
    goal: u64,
    boards: Arena<u64>,
}

impl Tiles for Nibbles {
    fn tile(&self, cell: usize) -> usize {
        (self.at_work >> (4 * cell) & 15) as usize
    }
}

impl Boards for Nibbles {
    fn new(problem: &Problem) -> Self {
        Self {
            at_work: problem.start().packed(),
            goal: problem.goal().packed(),
            boards: Arena::new(1),
        }
    }

    fn push(&mut self) {
        self.boards.push(&[self.at_work]);
    }

    fn load(&mut self, node: u32) {
        self.at_work = self.boards.row(node as usize)[0];
    }

    fn is(&self, node: u32) -> bool {
        self.boards.row(node as usize)[0] == self.at_work
    }

    fn is_goal(&self) -> bool {
        self.at_work == self.goal
    }

    /// The lowest zero: those beyond the board's last cell are higher.
    fn blank(&self) -> usize {
        let halves = self.at_work | self.at_work >> 1;
        let tiles = (halves | halves >> 2) & 0x1111_1111_1111_1111;
        (tiles ^ 0x1111_1111_1111_1111).trailing_zeros() as usize / 4
    }

    fn slide(&mut self, from: usize, to: usize) {
        let tile = self.at_work >> (4 * from) & 15;
        self.at_work ^= tile << (4 * from) | tile << (4 * to);
    }

    fn hash(&self) -> u64 {
        mix(self.at_work)
    }

    fn shed(&mut self, left: &mut u64) {
        self.boards.shed(left);
    }

    fn bytes(&self) -> u64 {
        self.boards.bytes()
    }

    fn headroom(&self, boards: usize) -> u64 {
        self.boards.headroom(boards)
    }
}

/// An integer that can hold a tile's number.
pub(super) trait Cell: Copy + Default + Eq + Send + TryFrom<u16> + Into<u16> {}

impl Cell for u8 {}

impl Cell for u16 {}

/// Boards of more cells, row by row.
pub(super) struct Wide<C> {
    at_work: Box<[C]>,
    goal: Box<[C]>,
    boards: Arena<C>,
}

impl<C: Cell> Tiles for Wide<C> {
    fn tile(&self, cell: usize) -> usize {
        usize::from(self.at_work[cell].into())
    }
}

impl<C: Cell> Boards for Wide<C> {
    fn new(problem: &Problem) -> Self {
        let cell = |tile| C::try_from(tile).unwrap_or_default();
        let pack = |board: &Board| board.tiles().map(cell).collect();
        Self {
            at_work: pack(problem.start()),
            goal: pack(&problem.goal()),
            boards: Arena::new(problem.shape().cells()),
        }
    }

    fn push(&mut self) {
        self.boards.push(&self.at_work);
    }

    fn load(&mut self, node: u32) {
        self.at_work.copy_from_slice(self.boards.row(node as usize));
    }

    fn is(&self, node: u32) -> bool {
        *self.boards.row(node as usize) == *self.at_work
    }

    fn is_goal(&self) -> bool {
        self.at_work == self.goal
    }

    fn blank(&self) -> usize {
        self.at_work
            .iter()
            .take_while(|&&cell| cell != C::default())
            .count()
    }

    fn slide(&mut self, from: usize, to: usize) {
        self.at_work.swap(from, to);
    }

    fn hash(&self) -> u64 {
        self.at_work.chunks(4).fold(0, |hash, chunk| {
            let word = chunk
                .iter()
                .fold(0, |word, &cell| word << 16 | u64::from(cell.into()));
            mix(hash ^ word)
        })
    }

    fn shed(&mut self, left: &mut u64) {
        self.boards.shed(left);
    }

    fn bytes(&self) -> u64 {
        (2 * size_of_val(&*self.goal)) as u64 + self.boards.bytes()
    }

    fn headroom(&self, boards: usize) -> u64 {
        self.boards.headroom(boards)
    }
}
