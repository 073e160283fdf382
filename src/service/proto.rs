//! The generated code of the wire contract, `proto/loyd/v1/puzzle.proto`.
#![allow(missing_docs, clippy::all, clippy::pedantic, unreachable_pub)]

tonic::include_proto!("loyd.v1");

/// The descriptors of the contract, for reflection.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/loyd.descriptors.bin"));
