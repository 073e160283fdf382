//! Lower bounds: never above the true distance, and the same however they are computed.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../support/mod.rs"]
mod support;

mod admissible;
mod by_tile;
mod corrected;
mod home;
mod incremental;
mod kind;
mod learned;
mod linear_conflict;
mod near;
mod network;
mod pattern_database;
mod pattern_store;
mod pushes;
mod walking_distance;
