//! A part of a search's open work, to be done beside the search: on another thread, if one is idle.

use std::any::Any;

use super::{Budget, Progress};

/// Some of the work that a search has before it, handed out by [`Search::split`] and given back to the same
/// search by [`Search::join`], done or not.
///
/// Like a search, it is advanced by budgets and takes no clock, channel or thread. It keeps what it finds until
/// it is given back.
///
/// [`Search::split`]: super::Search::split
/// [`Search::join`]: super::Search::join
pub trait Part: Any + Send {
    /// Spends about `budget.nodes` more node generations, fewer if it ends or finds something. Returns
    /// whether it is worth going on: if not, it should be given back. The memory that it may hold was settled
    /// when it was handed out; the time is that of its search.
    fn advance(&mut self, budget: Budget) -> bool;

    /// The nodes that it has expanded and generated since it was handed out. Its search does not know of them
    /// until it is given back.
    fn progress(&self) -> Progress;

    /// Whether its nodes belong to the present one of its search's [iterations].
    ///
    /// [iterations]: super::Search::iterations
    fn is_of_an_iteration(&self) -> bool {
        false
    }
}
