//! What the calls of a connection share.

mod inline;
