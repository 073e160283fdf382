//! What a staged beam is doing.

use crate::puzzle::Problem;
use crate::search::Stop;
use crate::search::beam::{Ready, Tile, Trace};
use crate::search::block::Block;
use crate::search::staged_beam::closing::Closing;
use crate::search::staged_beam::finale::{Finale, Prospect};
use crate::search::staged_beam::stages::{Completed, Setup, Stages};

/// What is being done.
pub(super) enum Phase<T: Tile> {
    /// The stages, until the block can be left to the learned estimate.
    Gathering(Stages<T>, Ready),
    /// The stages are over, and their layers make room for those of the finale.
    Gathered(Stages<T>, Ready),
    /// The block, by the learned estimate.
    Finale(Finale<T>),
    /// The finale has failed, and its layers make room for other stages.
    Failed(Finale<T>),
    /// The stages, with a table for the block.
    ToTable(Stages<T>, Closing),
    /// The search is over. The last phase is still there to be freed.
    Over(Stop, Option<Box<Self>>),
}

impl<T: Tile> Phase<T> {
    /// The stages of a problem before a finale, or before the table where there is none, and the block that is left
    /// to that. They go on from `before`, or begin at the start if there is nothing to go on from.
    pub(super) fn stages(
        problem: &Problem,
        setup: &Setup,
        finale: Option<Prospect>,
        before: Option<Completed<T>>,
    ) -> (Self, Block) {
        let ending = Prospect::ending(finale.as_ref());
        let stages = match before {
            Some(before) if !before.nodes.is_empty() => {
                Stages::go_on(problem, setup, ending, before)
            }
            _ => Stages::from_start(problem, setup, ending),
        };
        let block = Block::new(problem.shape(), stages.block(), problem.home());
        let phase = match finale {
            None => Self::ToTable(stages, Closing::new(block)),
            Some(finale) => Self::Gathering(stages, finale.ranking),
        };
        (phase, block)
    }

    /// The nodes expanded and generated in it.
    pub(super) fn counts(&self) -> (u64, u64) {
        match self {
            Self::Gathering(stages, _) | Self::Gathered(stages, _) | Self::ToTable(stages, _) => {
                stages.layers().counts()
            }
            Self::Finale(finale) | Self::Failed(finale) => finale.layers().counts(),
            Self::Over(..) => (0, 0),
        }
    }

    /// The paths to its nodes.
    pub(super) fn trace(&self) -> Option<&Trace> {
        match self {
            Self::Gathering(stages, _) | Self::Gathered(stages, _) | Self::ToTable(stages, _) => {
                Some(stages.layers().trace())
            }
            Self::Finale(finale) | Self::Failed(finale) => Some(finale.layers().trace()),
            Self::Over(_, last) => last.as_ref()?.trace(),
        }
    }

    /// The bytes of the boards beside its layers.
    pub(super) fn bytes_beside(&self) -> u64 {
        match self {
            Self::Gathering(stages, _) | Self::Gathered(stages, _) | Self::ToTable(stages, _) => {
                stages.bytes_beside()
            }
            Self::Finale(finale) | Self::Failed(finale) => finale.bytes_beside(),
            Self::Over(_, last) => last.as_ref().map_or(0, |last| last.bytes_beside()),
        }
    }

    /// Frees all that is large.
    pub(super) fn shed(&mut self, left: &mut u64) {
        match self {
            Self::Gathering(stages, _) | Self::Gathered(stages, _) | Self::ToTable(stages, _) => {
                stages.shed(left);
            }
            Self::Finale(finale) | Self::Failed(finale) => finale.shed(left),
            Self::Over(_, last) => {
                if let Some(phase) = last {
                    phase.shed(left);
                }
                if *left > 0 {
                    *last = None;
                }
            }
        }
    }
}
