//! The solvers: correct answers, exact counts and observed limits, however they are advanced.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../support/korf.rs"]
mod korf;
#[path = "../support/mod.rs"]
mod support;

#[path = "../support/adversary.rs"]
mod adversary;

mod a_star;
mod batch;
mod batched;
mod beam;
mod beams;
mod both_ways;
mod chain;
mod constructive;
mod constructive_moves;
mod cycle_automaton;
mod difficulty;
mod distance_table;
mod drawing;
mod driving;
mod forecast;
mod ida_star;
mod joined;
mod known_lengths;
mod korf_boards;
mod layers;
mod lengths;
mod lookahead;
mod multi_tile;
mod parts;
mod plan;
mod polish;
mod prepared;
mod pushes;
mod shared_rows;
mod side_beam;
mod staged_beam;
mod table_walk;
mod twelve_cells;
mod widening;
