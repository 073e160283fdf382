//! The states along one axis, numbered without gaps.
//!
//! All that matters is how many tiles of each home line stand in each line of the board: a line's
//! *crowd*. The crowds of all lines together make a state. Tiles with the same home line are alike,
//! so there are few states: 24,964 on 4×4, compared with ten million million boards.

use std::collections::HashMap;

use super::Class;

/// The lines that an array has room for. Boards with tables have fewer.
pub(super) const MAX_LINES: usize = 8;

/// The number of tiles of each home line, one byte each.
type Counts = u64;

/// Returns the count of one tile of a home line.
const fn one(home_line: usize) -> Counts {
    1 << (8 * home_line)
}

const fn count(counts: Counts, home_line: usize) -> u64 {
    counts >> (8 * home_line) & 255
}

/// Whether a crowd has at most so many tiles of each home line. Counts are less than 128, so that in no byte
/// the subtraction borrows from the next one.
const fn is_within(crowd: Counts, left: Counts) -> bool {
    const ONE_MORE: Counts = 0x8080_8080_8080_8080;
    ((left | ONE_MORE) - crowd) & ONE_MORE == ONE_MORE
}

fn total(counts: Counts) -> u64 {
    (0..MAX_LINES).map(|line| count(counts, line)).sum()
}

/// The number of each line's crowd, one byte each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Crowds(pub(super) u64);

impl Crowds {
    #[inline]
    pub(super) const fn of(self, line: usize) -> usize {
        (self.0 >> (8 * line) & 255) as usize
    }
}

/// The crowd that results when a tile joins or leaves a crowd, at crowd × 8 + home line. [`NONE`]
/// where no such tile can join or leave.
#[derive(Debug)]
struct Changes {
    coming: Box<[u8]>,
    going: Box<[u8]>,
}

const NONE: u8 = u8::MAX;

/// One line's part of a state's number: see [`Numbering::number`].
#[derive(Clone, Copy, Debug, Default)]
struct Step {
    /// The number of states with the same lines before this one and a lesser crowd in this one.
    states_before: u32,
    /// The row of `steps` for the tiles that are left to the lines after this one.
    left: u32,
}

/// The numbering of the states of one class.
#[derive(Debug)]
pub(super) struct Numbering {
    class: Class,
    /// Crowds of full lines first, then crowds of a line with the blank in it; each group in order.
    crowds: Vec<Counts>,
    full: usize,
    changes: Changes,
    /// A row for each set of tiles left, a column for each crowd. The tiles left to the last line
    /// are its crowd and need no row.
    steps: Vec<Step>,
    states: u32,
}

impl Numbering {
    pub(super) fn new(class: Class) -> Self {
        let homes = homes(class);
        let mut crowds = Vec::new();
        subsets(homes, class.lines, class.cells as u64, &mut crowds);
        let full = crowds.len();
        subsets(homes, class.lines, class.cells as u64 - 1, &mut crowds);
        let changes = Changes::new(&crowds, class);
        let mut numbering = Self {
            class,
            crowds,
            full,
            changes,
            steps: Vec::new(),
            states: 0,
        };
        numbering.states = numbering.fill(0, homes, &mut HashMap::new()).1;
        numbering
    }

    /// Returns the row of the tiles left to the lines from `line` on, which is created if
    /// necessary, and the number of ways to place them.
    fn fill(
        &mut self,
        line: usize,
        left: Counts,
        rows: &mut HashMap<Counts, (u32, u32)>,
    ) -> (u32, u32) {
        let is_last = line + 1 == self.class.lines;
        if is_last {
            return (0, 1);
        }
        if let Some(&known) = rows.get(&left) {
            return known;
        }
        let row = self.steps.len();
        self.steps.resize(row + self.crowds.len(), Step::default());
        // The blank is in one line; the others are full.
        let room = (self.class.lines - line) * self.class.cells;
        let has_blank = total(left) < room as u64;
        let crowds = if has_blank {
            self.crowds.len()
        } else {
            self.full
        };
        let mut states = 0;
        for crowd in 0..crowds {
            let counts = self.crowds[crowd];
            if !is_within(counts, left) {
                continue;
            }
            let (next, ways) = self.fill(line + 1, left - counts, rows);
            self.steps[row + crowd] = Step {
                states_before: states,
                left: next,
            };
            states += ways;
        }
        rows.insert(left, (row as u32, states));
        (row as u32, states)
    }

    /// Returns the number of states.
    pub(super) const fn states(&self) -> usize {
        self.states as usize
    }

    /// Returns the number of a state.
    #[inline]
    pub(super) fn number(&self, crowds: Crowds) -> usize {
        let mut row = 0;
        let mut number = 0;
        for line in 0..self.class.lines - 1 {
            let step = self.steps[row + crowds.of(line)];
            number += step.states_before;
            row = step.left as usize;
        }
        number as usize
    }

    /// Returns the crowds after a tile of `home_line` has moved from one line to another.
    #[inline]
    pub(super) fn after(&self, crowds: Crowds, home_line: usize, from: usize, to: usize) -> Crowds {
        let going = self.changes.going[crowds.of(from) * MAX_LINES + home_line];
        let coming = self.changes.coming[crowds.of(to) * MAX_LINES + home_line];
        let kept = crowds.0 & !(255 << (8 * from) | 255 << (8 * to));
        Crowds(kept | u64::from(going) << (8 * from) | u64::from(coming) << (8 * to))
    }

    /// Returns the states one move away.
    pub(super) fn neighbours(&self, crowds: Crowds) -> impl Iterator<Item = Crowds> {
        let lines = self.class.lines;
        let blank_line = (0..lines)
            .find(|&line| crowds.of(line) >= self.full)
            .expect("the blank is in one line");
        let beside = [blank_line.checked_sub(1), Some(blank_line + 1)];
        beside
            .into_iter()
            .flatten()
            .filter(move |&from| from < lines)
            .flat_map(move |from| {
                (0..lines)
                    .filter(move |home| {
                        self.changes.going[crowds.of(from) * MAX_LINES + home] != NONE
                    })
                    .map(move |home| self.after(crowds, home, from, blank_line))
            })
    }

    /// Returns the state with the given number of tiles for each line and each home line.
    pub(super) fn crowds(&self, counts: [[u8; MAX_LINES]; MAX_LINES]) -> Crowds {
        let crowd = |counts| {
            let counts = u64::from_le_bytes(counts);
            let is_full = total(counts) == self.class.cells as u64;
            let among = if is_full {
                0..self.full
            } else {
                self.full..self.crowds.len()
            };
            let place = self.crowds[among.clone()].binary_search(&counts);
            (among.start + place.expect("a line's tiles are one of its crowds")) as u64
        };
        let lines = counts.into_iter().take(self.class.lines).enumerate();
        Crowds(lines.fold(0, |bits, (line, counts)| bits | crowd(counts) << (8 * line)))
    }

    /// Returns the goal: each tile in its home line.
    pub(super) fn goal(&self) -> Crowds {
        let homes = homes(self.class);
        let mut counts = [[0; MAX_LINES]; MAX_LINES];
        for (line, counts) in counts.iter_mut().enumerate() {
            counts[line] = count(homes, line) as u8;
        }
        self.crowds(counts)
    }

    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.crowds)
            + size_of_val(&*self.changes.coming)
            + size_of_val(&*self.changes.going)
            + self.steps.capacity() * size_of::<Step>()
    }
}

impl Changes {
    fn new(crowds: &[Counts], class: Class) -> Self {
        let numbers: HashMap<_, _> = crowds.iter().copied().zip(0..).collect();
        let change = |change: fn(Counts, usize) -> Option<Counts>| {
            let home_lines = (0..crowds.len() * MAX_LINES).map(|i| (i / MAX_LINES, i % MAX_LINES));
            home_lines
                .map(|(crowd, home_line)| {
                    change(crowds[crowd], home_line)
                        .filter(|_| home_line < class.lines)
                        .and_then(|changed| numbers.get(&changed).copied())
                        .unwrap_or(NONE)
                })
                .collect()
        };
        Self {
            coming: change(|counts, line| Some(counts + one(line))),
            going: change(|counts, line| (count(counts, line) > 0).then(|| counts - one(line))),
        }
    }
}

/// Returns the number of tiles of each home line.
fn homes(class: Class) -> Counts {
    let all: Counts = (0..class.lines)
        .map(|line| class.cells as u64 * one(line))
        .sum();
    all - one(class.home)
}

/// Collects all ways to take `size` of the tiles of the first `lines` home lines, in order.
fn subsets(of: Counts, lines: usize, size: u64, found: &mut Vec<Counts>) {
    fn extend(of: Counts, line: usize, size: u64, taken: Counts, found: &mut Vec<Counts>) {
        match line.checked_sub(1) {
            None if size == 0 => found.push(taken),
            None => {}
            Some(line) => {
                for take in 0..=size.min(count(of, line)) {
                    extend(of, line, size - take, taken + take * one(line), found);
                }
            }
        }
    }
    extend(of, lines, size, 0, found);
}
