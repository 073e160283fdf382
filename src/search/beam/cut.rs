//! The cut: which ranks are among the best of a layer.

/// The number of ranks that are distinguished; the end buckets hold all ranks beyond.
const BUCKETS: usize = 4096;

/// The buckets reserved for ranks below the best of the layer before.
const BELOW: i32 = 512;

/// The number of steps by which the greatest kept rank is expected to fall less than before.
const MARGIN: i32 = 2;

/// The most steps by which the limit of a wider layer is extrapolated.
const MUCH: usize = 16;

/// Counts candidates by rank and tells from which rank on none can be among the best any more.
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
    /// The last bucket in which anything was counted: narrow layers leave most buckets untouched.
    highest: usize,
    /// The candidates in admitted buckets.
    admitted: usize,
    /// The least rank that was added.
    least: i32,
    /// The greatest rank that was kept in the layer before, or would have been had that layer been as wide as
    /// this one; greater than any rank if all were kept.
    before: i32,
    /// The greatest rank that is expected to be kept in this layer; greater than any rank if nothing is
    /// expected.
    expected: i32,
    /// By how much the greatest kept rank fell with the last layer, and with the one before; 0 where unknown.
    falls: [i32; 2],
    /// Whether a candidate was skipped unseen.
    skipped: bool,
}

/// Which candidates of a complete count are kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct Verdict {
    base: i32,
    limit: usize,
    /// How many of the bucket at the limit may be kept.
    quota: usize,
    /// In that bucket, candidates are kept whose lot is below this: about as many as may be, and regardless
    /// of where the blank is.
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

    /// Sets the number of candidates to keep in the layers to come.
    pub(super) const fn set_width(&mut self, width: usize) {
        self.width_to_come = width;
    }

    /// Forgets all candidates. The next ones are expected about the rank of the best before them.
    /// `is_same_sense` says whether ranks still mean the same.
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

    /// Expects the greatest kept rank to fall as it fell with the last layers: in full layers it falls by
    /// about as much each time, or every second time, to within a tenth of a move.
    ///
    /// If too much was expected, the layer is not quite full, and nothing is expected of the next.
    fn expect(&mut self, is_same_sense: bool) {
        let is_full = self.admitted >= self.width;
        // The greatest rank that was kept, by this width and by that of the next layer.
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

    /// The greatest rank that would have been kept in a full layer of another width; greater than any rank if
    /// that is much wider.
    fn last_of(&self, width: usize) -> i32 {
        let (mut limit, mut admitted) = (self.limit, self.admitted);
        while limit > 0 && admitted - self.counts[limit] as usize >= width {
            admitted -= self.counts[limit] as usize;
            limit -= 1;
        }
        // What lies beyond the limit was not counted. It is assumed to be as dense as at the limit.
        let beyond = width.saturating_sub(admitted) / (self.counts[limit] as usize).max(1);
        if beyond > MUCH {
            return i32::MAX;
        }
        self.base.saturating_add((limit + beyond) as i32)
    }

    /// The greatest rank with which a candidate may be among the best.
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

    /// The greatest foreseen rank with which a candidate is looked at. `unit` is the number of ranks in a
    /// move.
    ///
    /// The last boards of a layer are most of a move better than those of the layer before. This loses three
    /// in a hundred of the candidates that would be kept, all of them among the last. Of the others, most are
    /// not looked at.
    #[inline]
    pub(super) const fn worth_a_look(&self, unit: i32) -> i32 {
        self.before.saturating_sub(unit / 4)
    }

    /// Records whether candidates were skipped unseen.
    pub(super) const fn skip(&mut self, is_skipped: bool) {
        self.skipped |= is_skipped;
    }

    /// Whether expectations or skipped candidates have left the layer much narrower than it may be. If so,
    /// everything is admitted and looked at from now on, and the layer must be gone through again: where the
    /// estimate does not fall as it did before, few candidates or none may have seemed worth a look.
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

    /// The least rank counted.
    pub(super) const fn least(&self) -> i32 {
        self.least
    }

    /// The most candidates that are kept.
    pub(super) fn kept(&self) -> usize {
        self.admitted.min(self.width)
    }

    /// Decides which candidates are kept.
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
    /// Whether the next candidate is kept. Must be called once for each, in the order of the layer.
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
