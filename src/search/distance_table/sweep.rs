//! The tables of one bit a board, distance by distance.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use crate::puzzle::{Direction, Metric};
use crate::share_out::share_out;

use super::bits::Bits;
use super::position::Positions;
use super::pull::{Layout, Pull};
use super::{Class, DistanceTable, Entries};

/// A breadth-first search backwards from the goal through all boards of a class, one distance after the
/// other.
///
/// The neighbours of the boards at the last distance are at the next one, unless they were reached before.
/// There are two bits a board: one for boards reached at a distance whose second bit is 0, and one for those
/// where it is 1. These also identify the boards at the last distance: the others with the same bit and
/// colour are at least four slides nearer to the goal, and all their neighbours have been reached.
///
/// ```
/// use std::num::NonZeroUsize;
/// use std::ops::ControlFlow;
/// use loyd::puzzle::Shape;
/// use loyd::search::distance_table::{Class, Sweep};
///
/// let class = Class::new(Shape::new(2, 3)?, 5).expect("small enough");
/// let mut sweep = Sweep::new(class);
/// let table = loop {
///     match sweep.advance(NonZeroUsize::MIN) {
///         ControlFlow::Continue(more) => sweep = more,
///         ControlFlow::Break(table) => break table,
///     }
/// };
/// assert_eq!(table.counts().len(), 22);
/// # Ok::<(), loyd::puzzle::ShapeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sweep {
    class: Class,
    positions: Positions,
    layout: Layout,
    /// The rows an even number of slides from the goal, and those an odd number.
    rows: [Vec<Row>; 2],
    /// The number of boards at each distance so far.
    counts: Vec<u64>,
}

/// The boards with the blank on one cell.
#[derive(Clone, Debug)]
struct Row {
    blank: usize,
    pulls: Vec<Pull>,
    /// The boards reached, by the second bit of the distance and then by rank.
    reached: [Box<[u64]>; 2],
    /// The chunks with boards that were reached when the row was last added to.
    fresh: Box<[bool]>,
}

/// The part of a row that is processed at once.
struct Chunk<'a> {
    /// Its first word.
    start: usize,
    pulls: &'a [Pull],
    reached: [&'a mut [u64]; 2],
    fresh: &'a mut bool,
}

impl Sweep {
    /// Starts from the goal. The table counts in single tiles, whatever the metric of the class.
    #[must_use]
    pub fn new(class: Class) -> Self {
        let class = class
            .counted_in(Metric::SingleTile)
            .expect("every class has a table in single tiles");
        let positions = Positions::of(class);
        let layout = Layout::of(&positions);
        let goal = positions.goal();
        let mut rows = [Vec::new(), Vec::new()];
        for blank in 0..class.shape().cells() {
            let row = || vec![0; layout.words].into_boxed_slice();
            let mut row = Row {
                blank,
                pulls: Direction::ALL
                    .into_iter()
                    .filter_map(|direction| Pull::new(&positions, &layout, blank, direction))
                    .collect(),
                reached: [row(), row()],
                fresh: vec![false; layout.words / layout.chunk].into(),
            };
            if blank == goal.blank() {
                row.reached[0][0] = 1;
                row.fresh[0] = true;
            }
            rows[usize::from(positions.is_odd_distance(blank))].push(row);
        }
        Self {
            class,
            positions,
            layout,
            rows,
            counts: vec![1],
        }
    }

    /// The number of boards reached so far, out of [`Class::boards`].
    #[must_use]
    pub fn reached(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Reaches the boards of the next distance on so many threads. Returns the table once all are reached. On
    /// 12 cells a distance takes some tens of milliseconds on one thread.
    pub fn advance(mut self, threads: NonZeroUsize) -> ControlFlow<DistanceTable, Self> {
        if self.reached() == self.class.boards() as u64 {
            return ControlFlow::Break(self.finish());
        }
        let distance = self.counts.len();
        let [even, odd] = &mut self.rows;
        let (sources, targets) = if distance % 2 == 1 {
            (even, odd)
        } else {
            (odd, even)
        };
        let step = Step {
            layout: &self.layout,
            sources,
            from: (distance - 1) >> 1 & 1,
            to: distance >> 1 & 1,
        };
        let chunks = targets
            .iter_mut()
            .flat_map(|row| row.chunks(self.layout.chunk));
        let count = step.run(chunks, threads);
        self.counts.push(count);
        ControlFlow::Continue(self)
    }

    fn finish(self) -> DistanceTable {
        let mut rows: Vec<Row> = self.rows.into_iter().flatten().collect();
        rows.sort_unstable_by_key(|row| row.blank);
        let rows = rows.into_iter().map(|row| {
            let [_, second_bit_set] = row.reached;
            second_bit_set
        });
        DistanceTable {
            positions: self.positions,
            class: self.class,
            entries: Entries::Bits(Bits::new(rows.collect())),
            counts: self.counts.into(),
        }
    }
}

impl Row {
    fn chunks(&mut self, words: usize) -> impl Iterator<Item = Chunk<'_>> {
        let [low, high] = &mut self.reached;
        let words = low
            .chunks_exact_mut(words)
            .zip(high.chunks_exact_mut(words));
        let pulls = &self.pulls;
        words
            .zip(&mut self.fresh)
            .enumerate()
            .map(move |(i, ((low, high), fresh))| Chunk {
                start: i * low.len(),
                pulls,
                reached: [low, high],
                fresh,
            })
    }
}

/// The step from the boards at one distance to those at the next.
struct Step<'a> {
    layout: &'a Layout,
    /// The rows of the boards at the last distance.
    sources: &'a [Row],
    /// The second bit of the last distance.
    from: usize,
    /// The second bit of the next distance.
    to: usize,
}

impl Step<'_> {
    /// Adds to all chunks. Returns the number of boards reached.
    fn run<'c>(
        &self,
        chunks: impl Iterator<Item = Chunk<'c>> + Send,
        threads: NonZeroUsize,
    ) -> u64 {
        let counts = share_out(chunks, threads.get(), |chunks| {
            let mut sum = vec![0; self.layout.chunk];
            chunks.map(|chunk| self.add(chunk, &mut sum)).sum::<u64>()
        });
        counts.into_iter().sum()
    }

    /// Adds the neighbours of the boards at the last distance to a chunk. Returns how many of them are new.
    fn add(&self, chunk: Chunk<'_>, sum: &mut [u64]) -> u64 {
        let [low, high] = chunk.reached;
        *chunk.fresh = false;
        if low
            .iter()
            .zip(&*high)
            .all(|(low, high)| low | high == self.layout.full)
        {
            return 0;
        }
        sum.fill(0);
        for pull in chunk.pulls {
            // In reading order, of every two cells one has the other colour.
            let source = &self.sources[pull.from / 2];
            pull.add(
                self.layout,
                chunk.start,
                &source.reached[self.from],
                &source.fresh,
                sum,
            );
        }
        let mut count = 0;
        let (to, other) = if self.to == 0 {
            (low, high)
        } else {
            (high, low)
        };
        for ((to, other), sum) in to.iter_mut().zip(other).zip(sum) {
            let new = *sum & !(*to | *other);
            *to |= new;
            count += u64::from(new.count_ones());
        }
        *chunk.fresh = count > 0;
        count
    }
}
