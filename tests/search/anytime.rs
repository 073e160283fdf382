//! The shortest solution within a time.

mod beams;
mod lengths;
mod lookahead;
mod polish;
mod widening;
