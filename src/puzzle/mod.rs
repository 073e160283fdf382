//! What a sliding-tile puzzle is: boards, moves, goals, parity, notation, random boards.
//!
//! The lowest layer of the crate: it does not depend on searching, time or requests.

mod board;
mod dice;
mod direction;
mod goal;
mod home;
mod metric;
mod parity;
mod problem;
mod shape;
mod solution;
mod symmetry;

pub mod generate;
pub mod notation;

pub use board::{Board, BoardError, BoardViolation};
pub use dice::Dice;
pub use direction::Direction;
pub use goal::GoalLayout;
pub use home::Home;
pub use metric::{Measure, Metric};
pub use parity::{Exchange, Parity, inversions_by_tile};
pub use problem::{Problem, ProblemError};
pub use shape::{Shape, ShapeError};
pub use solution::{Recording, Replay, ReplayError, Solution};
pub use symmetry::Symmetry;

pub(crate) use problem::{goal_cell, plain_goal, plain_names, plain_tile};
