//! A part of a search's open work, to be done beside the search: on another thread, if there is
//! one to spare.

use std::any::Any;

use super::Progress;

/// Some of the work that a search has before it, handed out by [`Search::split`] and given back to
/// the same search by [`Search::join`], done or not.
///
/// Like a search it is advanced by budgets, and takes no clock, lock, channel or thread. What it
/// finds it keeps until it is given back.
///
/// [`Search::split`]: super::Search::split
/// [`Search::join`]: super::Search::join
pub trait Part: Any + Send {
    /// Spends about so many more node generations, less if it comes to its end or finds
    /// something. Whether it is worth going on: if not, it should be given back.
    fn advance(&mut self, nodes: u64) -> bool;

    /// The nodes that it has expanded and generated since it was handed out, which its search does
    /// not know of until it is given back.
    fn progress(&self) -> Progress;
}
