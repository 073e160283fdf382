//! The generated code of the wire contract, `proto/loyd/v1/puzzle.proto`.
#![allow(missing_docs, clippy::all, clippy::pedantic, unreachable_pub)]

use std::time::Duration;

tonic::include_proto!("loyd.v1");

/// The longest time that a `google.protobuf.Duration` can represent: about 10,000 years.
pub const LONGEST_DURATION: Duration = Duration::from_secs(315_576_000_000);

/// The descriptors of the contract, for reflection.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/loyd.descriptors.bin"));
