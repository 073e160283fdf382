//! The process's rows of all pairs.

use std::sync::Arc;

use super::making::{self, Purpose, Work};
use super::ranking::Ranking;
use super::rows::{self, Rows};
use super::shipped::{self, Square, landscape};
use crate::heuristic::shared_table::Slots;
use crate::puzzle::{Home, Shape};

static SLOTS: Slots<Work<Small>> = Slots::new();

/// Returns whether boards of this shape, in either orientation, are ranked by all pairs.
#[must_use]
pub const fn supports(shape: Shape) -> bool {
    shipped::supports(landscape(shape))
}

/// Works on the rows for a home of the blank, for about as long as the given number of search nodes
/// takes. Returns true once nothing is left to do.
pub fn prepare(home: Home, nodes: u64) -> bool {
    making::slot(&SLOTS, home).is_none_or(|slot| slot.build(nodes))
}

/// Returns the rows for a home of the blank if they are ready. Those for the corners of all shapes
/// together take 8 MB, and those for larger boards ([`near`](super::near)) 1.9 GB.
#[must_use]
pub fn ready(home: Home) -> Option<Arc<Rows>> {
    making::slot(&SLOTS, home)?.get()
}

/// Returns whether there is a [`Network`](super::Network) for boards of this shape, in either
/// orientation.
#[must_use]
pub fn has_network(shape: Shape) -> bool {
    shipped::network(landscape(shape)).is_some()
}

/// For beams over small boards.
struct Small;

impl Purpose for Small {
    type Rows = rows::TableBuilder;
    type Table = Rows;

    fn supports(shape: Shape) -> bool {
        shipped::supports(shape)
    }

    fn shipped(shape: Shape) -> Square {
        shipped::all_pairs(shape)
    }

    fn shape(table: &Rows) -> Shape {
        table.shape()
    }

    fn bytes(shape: Shape) -> usize {
        Rows::bytes(shape) + shipped::network_bytes(shape)
    }

    fn table(rows: rows::TableBuilder) -> Option<Rows> {
        shipped::with_network(rows.finish())
    }
}
