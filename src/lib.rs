//! loyd solves sliding-tile puzzles: the 8-, 15- and 24-puzzle and every other rectangle from 2×2
//! to 128×128.
//!
//! The crate is a library of puzzles, lower bounds and searches. With the feature `service` (on by
//! default) it is also the gRPC service and the command line. Each module uses only those listed
//! before it:
//!
//! - [`puzzle`]: boards, goals, parity, notation, random boards;
//! - [`heuristic`]: lower bounds on the moves still to make, and a learned estimate of them;
//! - [`search`]: the solvers, each a machine that can be advanced;
//! - [`training`]: learns the weights of an estimate;
//! - `engine`: runs searches for requests on a bounded pool of workers;
//! - `service`: the gRPC service;
//! - `bench`: suites of boards, and how fast they are solved; uses `search` and `engine`;
//! - `cli`: the command line, a client of the service.
//!
//! Beside them are `config` (every setting), `telemetry` (every log line and metric), `few`, which
//! `service` and `telemetry` both use, `text` (text without a byte order mark), `share_out`, by which
//! `heuristic` and `search` build tables on several threads, and `allocator` (what of freed memory
//! returns to the system).

#[cfg(feature = "service")]
mod allocator;
#[cfg(feature = "service")]
#[forbid(unsafe_code)]
pub mod bench;
#[cfg(feature = "service")]
#[forbid(unsafe_code)]
pub mod cli;
pub mod heuristic;
#[forbid(unsafe_code)]
pub mod puzzle;
#[forbid(unsafe_code)]
pub mod search;
#[forbid(unsafe_code)]
mod share_out;
#[forbid(unsafe_code)]
pub mod training;

#[cfg(feature = "service")]
#[forbid(unsafe_code)]
pub mod config;
#[cfg(feature = "service")]
#[forbid(unsafe_code)]
pub mod engine;
#[cfg(feature = "service")]
#[forbid(unsafe_code)]
mod few;
#[cfg(feature = "service")]
#[forbid(unsafe_code)]
pub mod service;
#[cfg(feature = "service")]
#[forbid(unsafe_code)]
pub mod telemetry;
#[cfg(feature = "service")]
#[forbid(unsafe_code)]
mod text;
