//! Conversion between the wire and the domain: reads requests, reporting all their faults at once,
//! and writes answers.

mod generate;
mod method;
mod reader;
mod response;
mod solve;

pub use generate::{Kind, ReadGenerate, read_generate};
pub use response::{
    check_response, duration, moves, objective_name, solution, statistics, stop_reason,
    tiles_and_boards,
};
pub use solve::{
    ReadSolve, ReadStream, cannot_fit, declared_shape, may_fit, read_check, read_solve, read_stream,
};
