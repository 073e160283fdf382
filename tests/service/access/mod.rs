//! Who may call, and under which name.

mod identity;
mod tls;
mod tokens;
