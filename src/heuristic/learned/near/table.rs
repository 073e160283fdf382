//! The process's rows of tiles near each other, for stages and for whole boards.

use std::sync::Arc;

use super::pairs::NearWeights;
use super::ranking::NearRanking;
use super::rows::{self, NearRows};
use super::shapes::{supports, supports_whole};
use crate::heuristic::learned::Ranking;
use crate::heuristic::learned::making::{self, Purpose, Work};
use crate::heuristic::learned::shipped::{self, Square};
use crate::heuristic::shared_table::{Slot, Slots};
use crate::puzzle::{Home, Shape};

static STAGED: Slots<Work<InStages>> = Slots::new();
static WHOLE: Slots<Work<Whole>> = Slots::new();

/// Returns the slot of the rows for stages, which are for boards at least as wide as they are high.
fn of_stages(shape: Shape) -> Option<&'static Slot<Work<InStages>>> {
    let home = supports(shape).then(|| Home::corner(shape))?;
    making::slot(&STAGED, home)
}

/// Works on the rows for stages, for about as long as the given number of search nodes takes.
/// Returns true once nothing is left to do.
pub fn prepare(shape: Shape, nodes: u64) -> bool {
    of_stages(shape).is_none_or(|slot| slot.build(nodes))
}

/// Works on the tables that rank whole boards for a home of the blank, as [`prepare`] does on the rows
/// for stages.
pub fn prepare_whole(home: Home, nodes: u64) -> bool {
    making::slot(&WHOLE, home).is_none_or(|slot| slot.build(nodes))
}

/// Returns the rows for stages if they are ready.
#[must_use]
pub fn ready(shape: Shape) -> Option<Arc<NearRows>> {
    of_stages(shape)?.get()
}

/// Returns the tables that rank whole boards for a home of the blank if they are ready.
#[must_use]
pub fn ready_whole(home: Home) -> Option<Arc<NearRanking>> {
    making::slot(&WHOLE, home)?.get()
}

/// Returns the shipped weights for stages, fitted to a shape, or `None` if they are damaged.
#[must_use]
pub fn shipped(shape: Shape) -> Option<NearWeights> {
    making::weights::<InStages>(shape)
}

/// Returns the shipped weights for whole boards, fitted to a shape, or `None` if they are damaged.
#[must_use]
pub fn shipped_whole(shape: Shape) -> Option<NearWeights> {
    making::weights::<Whole>(shape)
}

/// For staged beams.
struct InStages;

impl Purpose for InStages {
    type Rows = rows::TableBuilder;
    type Table = NearRows;

    fn supports(shape: Shape) -> bool {
        supports(shape)
    }

    fn shipped(_shape: Shape) -> Square {
        shipped::NEAR_STAGED
    }

    fn shape(table: &NearRows) -> Shape {
        table.shape()
    }

    fn bytes(shape: Shape) -> usize {
        NearRows::bytes(shape)
    }

    fn table(rows: rows::TableBuilder) -> Option<NearRows> {
        let (rows, _) = rows.finish();
        Some(rows)
    }
}

/// For beams over whole boards.
struct Whole;

impl Purpose for Whole {
    type Rows = rows::TableBuilder;
    type Table = NearRanking;

    fn supports(shape: Shape) -> bool {
        supports_whole(shape)
    }

    fn shipped(shape: Shape) -> Square {
        shipped::near_whole(shape)
    }

    fn shape(table: &NearRanking) -> Shape {
        table.shape()
    }

    fn bytes(shape: Shape) -> usize {
        NearRanking::bytes(shape)
    }

    fn table(rows: rows::TableBuilder) -> Option<NearRanking> {
        shipped::with_network(NearRanking::of_rows(rows))
    }
}
