//! The distances of all states of one class, and their computation.

use super::Class;
use super::crowds::{Crowds, Numbering};
use crate::heuristic::pile::Pile;
use crate::heuristic::shared_table::TableBuilder;

/// A distance modulo 3, as a number from 1 to 3: 3 stands for the multiples of 3.
///
/// 0 stands for an unknown distance, so that a new table is memory that the system hands out
/// zeroed, page by page when first written. Clearing the largest table at once would take
/// milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Residue(u8);

impl Residue {
    const UNKNOWN: Self = Self(0);
    const GOAL: Self = Self(3);

    /// Returns the residue of a distance greater by one.
    #[inline]
    pub(super) const fn further(self) -> Self {
        Self([0, 2, 3, 1][self.0 as usize])
    }

    /// Returns the residue of a distance less by one.
    const fn nearer(self) -> Self {
        self.further().further()
    }
}

/// Distances modulo 3, four to a byte (Cooperman & Finkelstein, 1992). The distances of
/// neighbouring states differ by one, so the residue is enough to update a known distance, and to
/// find an unknown one by walking down to the goal.
#[derive(Debug)]
struct Residues(Vec<u8>);

impl Residues {
    #[inline]
    fn get(&self, state: usize) -> Residue {
        Residue(self.0[state / 4] >> (2 * (state % 4)) & 3)
    }

    /// Sets the residue of a state whose distance is still unknown.
    fn set(&mut self, state: usize, residue: Residue) {
        self.0[state / 4] |= residue.0 << (2 * (state % 4));
    }
}

/// The walking distances along one axis.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) numbering: Numbering,
    residues: Residues,
}

impl Table {
    /// Returns the distance of a state modulo 3.
    #[inline]
    pub(super) fn residue(&self, crowds: Crowds) -> Residue {
        self.residues.get(self.numbering.number(crowds))
    }

    /// Returns the distance of a state, by walking down to the goal.
    pub(super) fn distance(&self, mut crowds: Crowds) -> u32 {
        let goal = self.numbering.goal();
        let mut distance = 0;
        let mut residue = self.residue(crowds);
        while crowds != goal {
            residue = residue.nearer();
            crowds = self
                .numbering
                .neighbours(crowds)
                .find(|&next| self.residue(next) == residue)
                .expect("every state but the goal has one next to it that is nearer");
            distance += 1;
        }
        distance
    }

    /// Returns the bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.numbering.bytes() + self.residues.0.capacity()
    }
}

/// A table under construction: a breadth-first search from the goal that advances in slices.
#[derive(Debug)]
pub(super) struct Building {
    table: Table,
    /// The states that are still to be expanded, and their distance modulo 3.
    layer: Pile<Crowds>,
    residue: Residue,
    /// The states one move farther away.
    next: Pile<Crowds>,
}

impl TableBuilder for Building {
    type Class = Class;
    type Plan = Numbering;
    type Table = Table;

    fn plan(class: &Class) -> Numbering {
        Numbering::new(*class)
    }

    fn need(numbering: &Numbering) -> usize {
        // During the construction at most about a tenth of the states are in two layers.
        let layers = Pile::<Crowds>::bytes(numbering.states() / 10, 2);
        numbering.bytes() + numbering.states() / 4 + layers
    }

    fn begin(_: &Class, numbering: Numbering) -> Self {
        let mut residues = Residues(vec![0; numbering.states().div_ceil(4)]);
        let goal = numbering.goal();
        residues.set(numbering.number(goal), Residue::GOAL);
        Self {
            table: Table {
                numbering,
                residues,
            },
            layer: Pile::of(goal),
            residue: Residue::GOAL,
            next: Pile::new(),
        }
    }

    /// Expands the given number of states.
    fn advance(&mut self, states: u64) -> bool {
        let Table {
            numbering,
            residues,
        } = &mut self.table;
        for _ in 0..states {
            if self.layer.is_empty() {
                if self.next.is_empty() {
                    return true;
                }
                std::mem::swap(&mut self.layer, &mut self.next);
                self.residue = self.residue.further();
            }
            let Some(crowds) = self.layer.pop() else {
                continue;
            };
            let further = self.residue.further();
            for next in numbering.neighbours(crowds) {
                let number = numbering.number(next);
                if residues.get(number) == Residue::UNKNOWN {
                    residues.set(number, further);
                    self.next.push(next);
                }
            }
        }
        false
    }

    fn finish(self) -> Option<Table> {
        Some(self.table)
    }

    fn bytes(table: &Table) -> usize {
        table.bytes()
    }
}
