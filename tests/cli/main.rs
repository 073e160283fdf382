//! The command line, asked as people and scripts ask it, with a service that says what it is told.
#![cfg(feature = "service")]

mod attend;
mod bench;
mod check;
mod compare;
mod fake;
mod generate;
mod health;
mod input;
mod refusal;
mod solve;
mod tables;
mod top;
