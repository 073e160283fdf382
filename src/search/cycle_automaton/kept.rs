//! The runs that are not pruned, by their effect.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use twox_hash::XxHash3_64;

use super::Bounds;

/// Which cells hold the contents of other cells: pairs of the two, the lowest first.
pub(super) type Effect = [[u16; 2]];

/// Ends a list of runs.
const NONE: u32 = u32::MAX;

struct Run {
    bounds: Bounds,
    /// The last run before this one with the same effect.
    before: u32,
}

/// Runs with the same effect.
struct Same {
    hash: u64,
    /// The range of the effect in the list of all effects.
    begin: u32,
    end: u32,
    last_run: u32,
}

/// The runs kept so far. There are hundreds of thousands, so none has an allocation of its own.
#[derive(Default)]
pub(super) struct Kept {
    effects: Vec<[u16; 2]>,
    runs: Vec<Run>,
    by_effect: HashTable<Same>,
}

impl Kept {
    /// Keeps a run and returns true, unless a kept run with the same effect stays within its bounds.
    pub(super) fn keep(&mut self, effect: &Effect, bounds: Bounds) -> bool {
        let hash = XxHash3_64::oneshot(bytemuck::cast_slice(effect));
        let effects = &mut self.effects;
        let is_same = |same: &Same| {
            same.hash == hash && effects[same.begin as usize..same.end as usize] == *effect
        };
        let number = self.runs.len() as u32;
        let before = match self.by_effect.entry(hash, is_same, |same| same.hash) {
            Entry::Vacant(place) => {
                let begin = effects.len() as u32;
                effects.extend_from_slice(effect);
                place.insert(Same {
                    hash,
                    begin,
                    end: effects.len() as u32,
                    last_run: number,
                });
                NONE
            }
            Entry::Occupied(mut same) => {
                let mut run = same.get().last_run;
                while let Some(kept) = self.runs.get(run as usize) {
                    if kept.bounds.is_within(bounds) {
                        return false;
                    }
                    run = kept.before;
                }
                std::mem::replace(&mut same.get_mut().last_run, number)
            }
        };
        self.runs.push(Run { bounds, before });
        true
    }
}
