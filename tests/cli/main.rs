//! The command line as people and scripts use it, with a scripted service.
#![cfg(feature = "service")]

mod attend;
mod backend;
mod bench;
mod check;
mod compare;
mod fake;
mod generate;
mod health;
mod help;
mod input;
mod refusal;
mod solve;
mod tables;
mod top;
mod train;
mod variables;
