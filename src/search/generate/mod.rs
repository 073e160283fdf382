//! Boards made to order, as searches like any other.

pub mod batch;
pub mod difficulty;
pub mod drawing;
pub mod lengths;
