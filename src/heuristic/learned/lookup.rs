//! Whether the processor can look up one row for many boards together.

/// The number of boards that are looked up together.
pub const TOGETHER: usize = 32;

/// Proof that this processor can look boards up together. It has vectors of 64 bytes, of which each
/// byte selects a byte of another vector, and which can be compressed (AVX-512 VBMI and VBMI2).
#[derive(Clone, Copy, Debug)]
pub(super) struct Lookup(());

impl Lookup {
    /// Returns it if the processor can.
    pub(super) fn available() -> Option<Self> {
        is_there().then_some(Self(()))
    }
}

/// Returns whether the processor has the instructions, also those that group slides.
#[cfg(target_arch = "x86_64")]
fn is_there() -> bool {
    let has_512 = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw");
    let has_256 = is_x86_feature_detected!("avx512vl") && is_x86_feature_detected!("avx2");
    let has_bytes =
        is_x86_feature_detected!("avx512vbmi") && is_x86_feature_detected!("avx512vbmi2");
    has_512 && has_256 && has_bytes && is_x86_feature_detected!("popcnt")
}

/// Returns false: other processors have other instructions.
#[cfg(not(target_arch = "x86_64"))]
const fn is_there() -> bool {
    false
}
