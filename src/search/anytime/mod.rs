//! The shortest solution within a time: which searches to try, how wide or far-sighted to make them, and how
//! to shorten what they find.

pub mod beams;
pub mod lookahead;
mod polish;
pub mod widening;
