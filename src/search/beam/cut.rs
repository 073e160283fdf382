//! The cut: which ranks belong to the best of a layer.

/// Ranks are told apart within so many steps; beyond them the ends stand for all that is outside.
const BUCKETS: usize = 4096;

/// The steps that are kept for ranks below the best of the layer before.
const BELOW: i32 = 512;

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
    /// The greatest rank that stayed in the layer before; where all stayed, greater than any.
    before: i32,
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
            skipped: false,
        }
    }

    /// Keeps so many candidates of the layers to come.
    pub(super) const fn set_width(&mut self, width: usize) {
        self.width_to_come = width;
    }

    /// Forgets all candidates. The next ones are expected about the rank of the best before them.
    pub(super) fn clear(&mut self, best_before: i32) {
        self.before = if self.admitted < self.width {
            i32::MAX
        } else {
            self.base + self.limit as i32
        };
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

    /// The greatest rank of a candidate that may be among the best.
    #[inline]
    pub(super) const fn most(&self) -> i32 {
        if self.limit == BUCKETS - 1 {
            return i32::MAX;
        }
        self.base.saturating_add(self.limit as i32)
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

    /// Has all candidates of this layer looked at from now on; whether some were not. Where the
    /// estimate does not fall, none may have seemed worth it.
    pub(super) const fn look_again(&mut self) -> bool {
        self.before = i32::MAX;
        std::mem::replace(&mut self.skipped, false)
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
