//! How many layers of a staged beam are still to come.

use super::phase::Phase;
use super::{GATHERED_LAYERS, StagedBeam};
use crate::search::beam::{Layers, Tile};
use crate::search::staged_beam::estimate::Staged;

/// The fraction of the stages' moves that is left when the fraction `open` of the cells is open, of which
/// `block` remains at the end; measured from 12×12 to 32×32 at widths from 30 to 3000. The first stages take
/// long because they bring all tiles nearer; the later ones go the faster, the larger the block.
fn moves_left(open: f32, block: f32) -> f32 {
    let unplaced = ((open - block) / (1.0 - block).max(f32::EPSILON)).max(0.0);
    let even = 0.3 + 0.3 * block;
    let faster = if block < 0.2 {
        0.5 - 2.0 * block
    } else {
        0.14 - 0.2 * block
    };
    let first = 1.0 - even - faster;
    unplaced * (even + faster * unplaced + first * unplaced.powi(9))
}

/// The layers of the finale, as a multiple of the cells of its block to the power of 3/2: it makes 640 to 910
/// on 10×10, in beams of thousands of boards and of 30.
const FINALE_LAYERS: f32 = 0.64;

/// The time of such a layer, as a multiple of the time of one of the stages. Once the finale has begun its
/// own time is measured.
const FINALE_TIME: f32 = 0.7;

/// The layers of the closing that come on top.
const CLOSING_LAYERS: u32 = 80;

/// The factor by which the remaining layers of the stages are overestimated: a beam that runs late ends with
/// few boards.
const CAUTION: f32 = 1.1;

/// The weight of the expected number of moves; the moves made have weight 1.
const EXPECTATION: f32 = 0.2;

impl<T: Tile> StagedBeam<T> {
    /// About how many layers are to come, at least one, if `expected` are expected in all.
    pub(super) fn layers_to_come(&self, expected: u32) -> u32 {
        match &self.phase {
            _ if self.replay.is_some() => 1,
            Phase::Gathering(stages, _) | Phase::Gathered(stages, _) => {
                let cells = self.block.shape.cells() as f32;
                let finale = FINALE_LAYERS * cells.powf(1.5);
                let stages_alone = expected.saturating_sub(finale as u32);
                let gathering = self.rest_of(stages.layers(), stages_alone) + GATHERED_LAYERS;
                gathering + (FINALE_TIME * finale) as u32
            }
            Phase::ToTable(stages, _) => self.rest_of(stages.layers(), expected) + CLOSING_LAYERS,
            // By the estimate alone: the wider the beam, the shorter its solutions become, all along the way.
            Phase::Finale(finale) => finale.layers().rest(),
            Phase::Failed(_) | Phase::Over(..) => 1,
        }
    }

    /// About how many layers the stages still take, by the fraction of the cells that is open. In the
    /// beginning, when that says little, the expected number counts.
    fn rest_of(&self, layers: &Layers<Staged<T>>, expected: u32) -> u32 {
        let block = self.block.shape.cells() as f32 / self.problem.shape().cells() as f32;
        let left = moves_left(layers.estimate().open(), block);
        let made = layers.depth() as f32;
        let in_all = (EXPECTATION * expected as f32 + made) / (EXPECTATION + 1.0 - left);
        (CAUTION * in_all * left) as u32
    }
}
