//! The target `metrics` of `tests/fuzz/` under libFuzzer.
#![no_main]
#![allow(dead_code, reason = "the seeds and the other targets")]

#[path = "../../tests/fuzz/targets/mod.rs"]
mod targets;

libfuzzer_sys::fuzz_target!(|input: &[u8]| (targets::METRICS.run)(input));
