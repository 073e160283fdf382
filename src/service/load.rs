//! How much work an answer is: what is large is done apart, so that no other call waits for it.

use std::time::{Duration, Instant};

/// How much there is to do for an answer: the numbers in its message.
#[derive(Clone, Copy, Debug, Default)]
pub struct Load {
    numbers: usize,
    /// When there is no more time to wait for a place.
    pub(super) by: Option<Instant>,
}

impl Load {
    /// This many are worked out, and then encoded, on the thread where the call arrived: each of the two
    /// takes up to a fifth of a millisecond.
    const HERE: usize = 64 * 1024;

    /// The most that do not wait until their deadline for a place: a few milliseconds of a thread.
    const HURRIED: usize = 512 * 1024;

    /// Roughly how long a number takes to work out and encode.
    const NANOSECONDS: u64 = 10;

    /// An answer of `numbers` numbers, which is of use until the `deadline`, if any.
    pub(super) fn new(numbers: usize, deadline: Option<Instant>) -> Self {
        let takes = Duration::from_nanos(Self::NANOSECONDS * numbers as u64);
        let by = deadline.and_then(|deadline| deadline.checked_sub(takes));
        Self {
            numbers,
            by: by.filter(|_| numbers <= Self::HURRIED),
        }
    }

    /// Whether it would keep others waiting.
    pub(super) const fn is_large(self) -> bool {
        self.numbers > Self::HERE
    }
}
