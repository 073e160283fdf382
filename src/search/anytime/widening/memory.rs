//! How wide beams may be by the memory that is granted.

use super::{AtWork, Scale, Widening};

impl Widening {
    /// The memory that was granted to this search beside so many bytes and the beams that were handed out.
    pub(super) fn granted_beside(&self, bytes: u64) -> u64 {
        self.granted
            .saturating_sub(self.side_beams.memory())
            .saturating_sub(bytes)
    }

    /// The widest beam of the kind that suits it, up to `most`, that takes no more than `memory` bytes.
    pub(super) fn widest_in(&self, memory: u64, most: Scale, is_paired: bool) -> Scale {
        let fits = self.widest_of_kind(memory, most);
        let kind = self.beams.kind(fits.width, is_paired);
        if kind == fits.kind {
            return fits;
        }
        self.widest_of_kind(memory, Scale { kind, ..fits })
    }

    fn widest_of_kind(&self, memory: u64, most: Scale) -> Scale {
        let mut fits = Scale { width: 0, ..most };
        for bit in (0..=most.width.max(1).ilog2()).rev() {
            let wider = Scale {
                width: fits.width | 1 << bit,
                ..most
            };
            if wider.width <= most.width && self.beams.bytes(wider) <= memory {
                fits = wider;
            }
        }
        fits
    }

    /// How wide a beam may be for so many more layers.
    pub(super) fn fitting(&self, beam: &AtWork, layers: u32) -> usize {
        let (beams, most) = (&*self.beams, beam.most);
        if self.granted_beside(0) >= beam.bytes(beams) {
            return most;
        }
        let room = self.granted_beside(beam.pass.progress().reserved());
        let fits = room as f64 / beam.paths(beams, most, layers).max(1) as f64;
        (most as f64 * fits.min(1.0)) as usize
    }
}
