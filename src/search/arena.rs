//! An array that grows by segments and never moves what it holds.
//!
//! A `Vec` of a hundred million nodes stalls for a tenth of a second when it doubles, and meanwhile holds
//! both the old half and the new whole. Here growing takes one small allocation.

/// The approximate bytes of a segment: large enough to keep the list of segments short.
const SEGMENT_BYTES: usize = 1 << 16;

/// Rows of `stride` elements each, numbered from 0 as they are pushed.
#[derive(Debug)]
pub(super) struct Arena<T> {
    segments: Vec<Vec<T>>,
    stride: usize,
    /// The base-2 logarithm of the number of rows in a segment.
    shift: u32,
    rows: usize,
}

impl<T: Copy> Arena<T> {
    /// An empty arena; nothing is allocated yet.
    pub(super) fn new(stride: usize) -> Self {
        Self {
            segments: Vec::new(),
            stride,
            shift: Self::shift(stride),
            rows: 0,
        }
    }

    fn shift(stride: usize) -> u32 {
        let rows = (SEGMENT_BYTES / (stride * size_of::<T>())).max(1);
        rows.ilog2()
    }

    /// The number of rows.
    pub(super) const fn rows(&self) -> usize {
        self.rows
    }

    /// Adds a row of `stride` elements.
    #[inline]
    pub(super) fn push(&mut self, row: &[T]) {
        debug_assert_eq!(row.len(), self.stride);
        let segment = self.rows >> self.shift;
        if segment == self.segments.len() {
            self.begin_segment();
        }
        self.segments[segment].extend_from_slice(row);
        self.rows += 1;
    }

    #[cold]
    fn begin_segment(&mut self) {
        let room = self.stride << self.shift;
        self.segments.push(Vec::with_capacity(room));
    }

    /// A row.
    #[inline]
    pub(super) fn row(&self, row: usize) -> &[T] {
        let first = (row & ((1 << self.shift) - 1)) * self.stride;
        &self.segments[row >> self.shift][first..first + self.stride]
    }

    /// A mutable row.
    #[inline]
    pub(super) fn row_mut(&mut self, row: usize) -> &mut [T] {
        let first = (row & ((1 << self.shift) - 1)) * self.stride;
        &mut self.segments[row >> self.shift][first..first + self.stride]
    }

    /// Frees segments from the end, as many as there are `left` bytes to be freed. No row may be read
    /// afterwards.
    pub(super) fn shed(&mut self, left: &mut u64) {
        let segment = self.segment_bytes() as u64;
        while *left > 0 && self.segments.pop().is_some() {
            *left = left.saturating_sub(segment);
        }
    }

    const fn segment_bytes(&self) -> usize {
        (self.stride * size_of::<T>()) << self.shift
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        let list = self.segments.capacity() * size_of::<Vec<T>>();
        (self.segments.len() * self.segment_bytes() + list) as u64
    }

    /// The bytes that adding so many more rows may need on top of those held.
    pub(super) fn headroom(&self, rows: usize) -> u64 {
        let needed = (self.rows + rows).div_ceil(1 << self.shift);
        let segments = needed - self.segments.len().min(needed);
        let list = if needed > self.segments.capacity() {
            2 * needed.max(4) * size_of::<Vec<T>>()
        } else {
            0
        };
        (segments * self.segment_bytes() + list) as u64
    }
}
