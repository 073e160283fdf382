//! Code that is compiled twice: for any processor, and for those with vectors of 64 bytes.

/// What is compiled twice. (It is a trait because a closure cannot be told to be inlined.)
pub(crate) trait Work {
    /// Does the work. It must be marked `#[inline(always)]`. Of what it calls, only that is compiled
    /// twice which is inlined.
    fn run(self);
}

/// Whether this processor has vectors of 64 bytes (AVX-512).
#[derive(Clone, Copy, Debug)]
pub(crate) struct WideVectors(
    #[cfg_attr(
        not(target_arch = "x86_64"),
        expect(dead_code, reason = "only x86-64 has them")
    )]
    bool,
);

impl WideVectors {
    /// Asks the processor.
    pub(crate) fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        return Self(x86::are_there());
        #[cfg(not(target_arch = "x86_64"))]
        Self(false)
    }

    /// Does some work, compiled for such vectors where the processor has them.
    #[inline]
    #[allow(
        unsafe_code,
        reason = "without it a node of a beam takes a twentieth longer"
    )]
    pub(crate) fn run(self, work: impl Work) {
        #[cfg(target_arch = "x86_64")]
        if self.0 {
            // SAFETY: the processor has the instructions.
            return unsafe { x86::run(work) };
        }
        work.run();
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Work;

    pub(super) fn are_there() -> bool {
        is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
    }

    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512dq,avx512vl")]
    pub(super) fn run(work: impl Work) {
        work.run();
    }
}
