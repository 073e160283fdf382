//! Boards made to order.

mod batch;
mod difficulty;
mod drawing;
mod lengths;
