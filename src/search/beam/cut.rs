//! The cut: which ranks belong to the best of a layer.

/// Ranks are told apart within so many steps; beyond them the ends stand for all that is outside.
const BUCKETS: usize = 4096;

/// The steps that are kept for ranks below the best of the layer before.
const BELOW: i32 = 512;

/// By how many steps less than before the greatest rank that stays is expected to fall.
const MARGIN: i32 = 2;

/// By how many steps more a wider layer may be expected to reach.
const MUCH: usize = 16;

/// Counts candidates by rank, and says from which rank on none can be among the best any more.
#[derive(Debug)]
pub(super) struct Cut {
    width: usize,
    /// The width from the next layer on.
    width_to_come: usize,
    counts: Box<[u32; BUCKETS]>,
    /// The rank of the first bucket.
    base: i32,
    /// The last bucket that is admitted.
    limit: usize,
    /// The last bucket that anything was counted in: narrow layers leave most of them alone.
    highest: usize,
    /// Candidates in admitted buckets.
    admitted: usize,
    /// The least rank that was added.
    least: i32,
    /// The greatest rank that stayed in the layer before, or would have if that had been as wide as this
    /// one; where all stayed, greater than any.
    before: i32,
    /// The greatest rank that is expected to stay in this one; greater than any where nothing is expected.
    expected: i32,
    /// By how much the greatest rank that stays fell with the last layer, and with the one before; 0 where
    /// that is not known.
    falls: [i32; 2],
    /// Whether a candidate was not looked at.
    skipped: bool,
}

/// Which candidates of a full count stay.
#[derive(Clone, Copy, Debug)]
pub(super) struct Verdict {
    base: i32,
    limit: usize,
    /// How many of the bucket at the limit may stay.
    quota: usize,
    /// Those of it stay whose lot is below this: about as many as may, and none because of where
    /// its blank is.
    lot: u64,
}

impl Cut {
    /// A cut that keeps `width` candidates.
    pub(super) fn new(width: usize) -> Self {
        Self {
            width,
            width_to_come: width,
            counts: Box::new([0; BUCKETS]),
            base: 0,
            limit: BUCKETS - 1,
            highest: 0,
            admitted: 0,
            least: i32::MAX,
            before: i32::MAX,
            expected: i32::MAX,
            falls: [0; 2],
            skipped: false,
        }
    }

    /// Keeps so many candidates of the layers to come.
    pub(super) const fn set_width(&mut self, width: usize) {
        self.width_to_come = width;
    }

    /// Forgets all candidates. The next ones are expected about the rank of the best before them. Told
    /// whether ranks mean the same as so far.
    pub(super) fn clear(&mut self, best_before: i32, is_same_sense: bool) {
        self.expect(is_same_sense);
        self.skipped = false;
        self.width = self.width_to_come;
        let lowest = bucket(self.base, self.least).min(self.highest);
        self.counts[lowest..=self.highest].fill(0);
        self.highest = 0;
        self.base = best_before.saturating_sub(BELOW);
        self.limit = BUCKETS - 1;
        self.admitted = 0;
        self.least = i32::MAX;
    }

    /// Expects the greatest rank that stays to fall as it fell with the last layers: of full layers it
    /// falls by about as much each time, or each second time, to within a tenth of a move.
    ///
    /// Where too much was expected the layer is not quite full, and nothing is expected of the next.
    fn expect(&mut self, is_same_sense: bool) {
        let is_full = self.admitted >= self.width;
        // The greatest rank that stayed, by this width and by that of the next layer.
        let (last, before) = match (is_same_sense, is_full) {
            (false, _) => (i32::MAX, i32::MAX),
            (true, false) => (self.expected, self.expected),
            (true, true) => (
                self.base.saturating_add(self.limit as i32),
                self.last_of(self.width_to_come),
            ),
        };
        let is_known = self.before != i32::MAX && last != i32::MAX;
        let fall = if is_known {
            self.before.saturating_sub(last)
        } else {
            0
        };
        self.falls = [fall, self.falls[0]];
        let fall = self.falls[0].min(self.falls[1]) - MARGIN;
        self.expected = if is_full && before != i32::MAX && fall > 0 {
            before.saturating_sub(fall)
        } else {
            i32::MAX
        };
        self.before = before;
    }

    /// The greatest rank that would have stayed in a full layer of another width; greater than any if
    /// that is much wider.
    fn last_of(&self, width: usize) -> i32 {
        let (mut limit, mut admitted) = (self.limit, self.admitted);
        while limit > 0 && admitted - self.counts[limit] as usize >= width {
            admitted -= self.counts[limit] as usize;
            limit -= 1;
        }
        // What is beyond the limit was not counted; it is about as much as at the limit.
        let beyond = width.saturating_sub(admitted) / (self.counts[limit] as usize).max(1);
        if beyond > MUCH {
            return i32::MAX;
        }
        self.base.saturating_add((limit + beyond) as i32)
    }

    /// The greatest rank of a candidate that may be among the best.
    #[inline]
    pub(super) const fn most(&self) -> i32 {
        if self.limit == BUCKETS - 1 {
            return self.expected;
        }
        let most = self.base.saturating_add(self.limit as i32);
        if most < self.expected {
            most
        } else {
            self.expected
        }
    }

    /// The greatest rank that a candidate may be expected to have to be looked at, where so many ranks
    /// make a move.
    ///
    /// The last ones of a layer are most of a move better than those of the layer before. Of those that stay
    /// three in a hundred are lost by this, all of them among the last; of those that do not, most are
    /// not looked at.
    #[inline]
    pub(super) const fn worth_a_look(&self, unit: i32) -> i32 {
        self.before.saturating_sub(unit / 4)
    }

    /// Told whether candidates were not looked at.
    pub(super) const fn skip(&mut self, is_skipped: bool) {
        self.skipped |= is_skipped;
    }

    /// Whether the layer has become much narrower than it may by what was expected of it or what was
    /// not looked at. From now on all is admitted and looked at, for the layer to be gone through again:
    /// where the estimate does not fall as it did, few or none may have seemed worth it.
    pub(super) const fn look_again(&mut self) -> bool {
        let is_narrow = self.admitted < self.width - self.width / 8;
        let is_hasty = self.skipped || self.expected != i32::MAX;
        if is_narrow && is_hasty {
            self.before = i32::MAX;
            self.expected = i32::MAX;
            self.skipped = false;
        }
        is_narrow && is_hasty
    }

    /// Counts a candidate that is admitted.
    #[inline]
    pub(super) fn add(&mut self, rank: i32) {
        let bucket = bucket(self.base, rank);
        self.counts[bucket] += 1;
        self.highest = self.highest.max(bucket);
        self.admitted += 1;
        self.least = self.least.min(rank);
        if self.admitted >= self.width {
            self.limit = self.limit.min(self.highest);
        }
        while self.admitted - self.counts[self.limit] as usize >= self.width {
            self.admitted -= self.counts[self.limit] as usize;
            self.limit -= 1;
        }
    }

    /// The least rank among those counted.
    pub(super) const fn least(&self) -> i32 {
        self.least
    }

    /// How many stay at most.
    pub(super) fn kept(&self) -> usize {
        self.admitted.min(self.width)
    }

    /// Who stays.
    pub(super) fn verdict(&self) -> Verdict {
        let last = self.counts[self.limit] as usize;
        let quota = self.width.saturating_sub(self.admitted - last);
        Verdict {
            base: self.base,
            limit: self.limit,
            quota,
            lot: ((quota as u64) << 32).checked_div(last as u64).unwrap_or(0),
        }
    }
}

impl Verdict {
    /// Whether the next candidate stays; to be asked once for each, in the order of the layer.
    #[inline]
    pub(super) fn keeps(&mut self, rank: i32, hash: u64) -> bool {
        let bucket = bucket(self.base, rank);
        let is_drawn =
            (bucket == self.limit) & (self.quota > 0) & (u64::from(hash as u32) < self.lot);
        self.quota -= usize::from(is_drawn);
        is_drawn | (bucket < self.limit)
    }
}

#[inline]
fn bucket(base: i32, rank: i32) -> usize {
    rank.saturating_sub(base).clamp(0, BUCKETS as i32 - 1) as usize
}
