//! The moves that it takes to carry one tile to its cell, by the side of it that the blank is on.

use std::sync::OnceLock;

/// Walls farther away than this are treated as this far away. Tiles farther away cost a fixed amount more for
/// each cell.
const REACH: i16 = 8;

/// The steps from a cell to the cell on each side of it, as (u, v).
const SIDES: [(i16, i16); 4] = [(0, -1), (0, 1), (-1, 0), (1, 0)];

/// The cells round a tile, clockwise from the first side.
const RING: [(i16, i16); 8] = [
    (0, -1),
    (1, -1),
    (1, 0),
    (1, 1),
    (0, 1),
    (-1, 1),
    (-1, 0),
    (-1, -1),
];

/// The position of each side on the ring.
const ON_RING: [usize; 4] = [0, 4, 6, 2];

/// Means that there is no path.
const NO_WAY: u16 = 1 << 12;

const WIDTH: usize = 2 * REACH as usize + 1;
const HEIGHT: usize = REACH as usize + 1;

/// A kind of surroundings: how far the walls are from the group's first cell. Walls [`REACH`] away stand for
/// all that are farther and do not block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Walls {
    before: i16,
    after: i16,
    behind: i16,
    /// Whether the group has two tiles: the first cell is then open to the second tile.
    pair: bool,
}

impl Walls {
    /// Whether the blank can be on a cell other than the tile's. The cells of the line before the group are
    /// done. For the second tile of a pair, the cell just before it may be the first tile's and is open.
    const fn open(self, (u, v): (i16, i16)) -> bool {
        let slack = self.pair as i16;
        (u >= -self.before - slack || self.before == REACH)
            && (u <= self.after || self.after == REACH)
            && v >= 0
            && (v <= self.behind || self.behind == REACH)
            && (v > 0 || u >= -slack)
    }
}

/// The moves that bring a tile home, for each cell that it may be on and each side that the blank may be on,
/// and for a blank that begins where the tile belongs.
///
/// A tile takes five moves for a step straight on and three for one across a corner, and more where walls are
/// in the way. Dijkstra's algorithm (1959) over (tile, side) finds the exact numbers near the target.
#[derive(Debug)]
pub(super) struct Carry {
    costs: Box<[[u16; 4]]>,
    /// The costs when the blank begins beneath the target.
    later: Box<[u16]>,
}

/// One place for each kind of surroundings.
static TABLES: [OnceLock<Carry>; 2 * HEIGHT * HEIGHT * HEIGHT] =
    [const { OnceLock::new() }; 2 * HEIGHT * HEIGHT * HEIGHT];

impl Carry {
    /// The table for a group that is so many cells from the ends of its line and from the other side of its
    /// rectangle. It is made when it is first requested, in less than 0.1 ms, and then belongs to the
    /// process: all tables together would take 3 MB.
    pub(super) fn of(before: u8, after: u8, depth: u8, pair: bool) -> &'static Self {
        let near = |cells: u8| i16::from(cells).min(REACH);
        let walls = Walls {
            before: near(before),
            after: near(after),
            behind: near(depth - 1),
            pair,
        };
        let index = [i16::from(pair), walls.before, walls.after, walls.behind]
            .into_iter()
            .fold(0, |index, part| index * HEIGHT + part as usize);
        TABLES[index].get_or_init(|| Self::new(walls))
    }

    fn new(walls: Walls) -> Self {
        let mut carry = Self {
            costs: vec![[NO_WAY; 4]; WIDTH * HEIGHT].into(),
            later: vec![0; WIDTH * HEIGHT].into(),
        };
        let mut queue = Queue::default();
        for (side, &at) in SIDES.iter().enumerate() {
            if walls.open(at) {
                queue.lower(&mut carry.costs, (0, 0), side, 0);
            }
        }
        while let Some((cost, tile, side)) = queue.pop() {
            if carry.costs[place(tile)][side] != cost {
                continue;
            }
            carry.come_from(walls, &mut queue, cost, tile, side);
        }
        for v in 0..HEIGHT as i16 {
            for u in -REACH..=REACH {
                carry.later[place((u, v))] = carry.with_blank((0, 1), (u, v)) as u16;
            }
        }
        carry
    }

    /// Lowers the costs of the states that the blank may have come from to this side of the tile.
    fn come_from(
        &mut self,
        walls: Walls,
        queue: &mut Queue,
        cost: u16,
        tile: (i16, i16),
        side: usize,
    ) {
        for turn in [1, RING.len() - 1] {
            let mut at = ON_RING[side];
            for steps in 1..RING.len() as u16 - 1 {
                at = (at + turn) % RING.len();
                if !walls.open(plus(tile, RING[at])) {
                    break;
                }
                if let Some(before) = ON_RING.iter().position(|&other| other == at) {
                    queue.lower(&mut self.costs, tile, before, cost + steps);
                }
            }
        }
        // Or the tile has come from there.
        let before = plus(tile, SIDES[side]);
        if walls.open(before) && (-REACH..=REACH).contains(&before.0) && before.1 <= REACH {
            queue.lower(&mut self.costs, before, side ^ 1, cost + 1);
        }
    }

    /// The moves that bring home a tile that is (u, v) away from there, with the blank at `blank`, as if
    /// there were no other tile. All positions are relative to the target.
    #[inline]
    pub(super) fn with_blank(&self, blank: (i16, i16), tile: (i16, i16)) -> i16 {
        let costs = self.costs[place(tile)];
        let (u, v) = (blank.0 - tile.0, blank.1 - tile.1);
        let apart = u.abs() + v.abs();
        // To reach the far side of a tile that is in between, the blank has to step aside.
        let aside_v = if u == 0 { 2 } else { 0 };
        let aside_u = if v == 0 { 2 } else { 0 };
        let way = |is_near: bool, aside: i16| match is_near {
            true => apart - 1,
            false => apart + 1 + aside,
        };
        let ways = [
            way(v < 0, aside_v),
            way(v > 0, aside_v),
            way(u < 0, aside_u),
            way(u > 0, aside_u),
        ];
        let mut least = i16::MAX;
        for (way, cost) in ways.into_iter().zip(costs) {
            least = least.min(way + cost as i16);
        }
        least + beyond(tile)
    }

    /// The same with the blank where another tile of the group has just been brought home.
    #[inline]
    pub(super) fn later(&self, tile: (i16, i16)) -> i16 {
        let (u, v) = excess(tile);
        self.later[place(tile)] as i16 + beyond(tile) + u + v
    }
}

/// The index of a tile's costs. The edge of the table stands for what is beyond.
#[inline]
fn place((u, v): (i16, i16)) -> usize {
    let (u, v) = (u.clamp(-REACH, REACH) + REACH, v.clamp(0, REACH));
    v as usize * WIDTH + u as usize
}

/// What a tile beyond the table costs more than one at its edge.
#[inline]
fn beyond(tile: (i16, i16)) -> i16 {
    let (u, v) = excess(tile);
    5 * u.max(v) + u.min(v)
}

/// How far beyond the table a tile is.
#[inline]
fn excess((u, v): (i16, i16)) -> (i16, i16) {
    ((u.abs() - REACH).max(0), (v - REACH).max(0))
}

const fn plus(a: (i16, i16), b: (i16, i16)) -> (i16, i16) {
    (a.0 + b.0, a.1 + b.1)
}

/// States in order of their costs.
#[derive(Default)]
struct Queue {
    buckets: Vec<Vec<((i16, i16), usize)>>,
    first: usize,
}

impl Queue {
    /// Lowers the cost of a state if it was higher.
    fn lower(&mut self, costs: &mut [[u16; 4]], tile: (i16, i16), side: usize, cost: u16) {
        let known = &mut costs[place(tile)][side];
        if cost >= *known {
            return;
        }
        *known = cost;
        let bucket = usize::from(cost);
        if bucket >= self.buckets.len() {
            self.buckets.resize(bucket + 1, Vec::new());
        }
        self.buckets[bucket].push((tile, side));
    }

    fn pop(&mut self) -> Option<(u16, (i16, i16), usize)> {
        while self.first < self.buckets.len() {
            if let Some((tile, side)) = self.buckets[self.first].pop() {
                return Some((self.first as u16, tile, side));
            }
            self.first += 1;
        }
        None
    }
}
