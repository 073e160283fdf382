//! Who may call, and under which name: certificates, tokens, and the names of clients.

mod auth;
mod identity;
mod reload;
mod tls;

pub mod tokens;

pub use auth::Authenticate;
pub use identity::{Identify, Identity, Weight};
pub use tls::{Certificates, Stream as TlsStream, certificates, handshake};
