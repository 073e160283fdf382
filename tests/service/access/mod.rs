//! Who may call, and by which name.

mod identity;
mod tls;
mod tokens;
