//! The name by which a client is known.
//!
//! A call gets its name from its client's certificate, else from its token, else from the header
//! that a trusted proxy sets. Otherwise it has none.

use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::{HeaderMap, HeaderName, Request};
use tower::Service;

use crate::engine::Client;
use crate::service::call::Call;

/// The name of a client, stored as a request extension of its calls: 1 to 253 bytes of printable
/// ASCII without spaces.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Identity(Arc<str>);

impl Identity {
    /// Reads a name, or returns `None` if it is invalid.
    #[must_use]
    pub fn new(name: &str) -> Option<Self> {
        Client::is_name(name).then(|| Self(name.into()))
    }

    /// The name.
    #[must_use]
    pub const fn name(&self) -> &Arc<str> {
        &self.0
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A client's share of the service relative to others, 1 to 1000: a request extension of calls
/// whose token sets it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weight(NonZeroU32);

impl Weight {
    /// Reads a weight, or returns `None` if it is invalid.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        Client::read_weight(text).map(Self)
    }

    /// The weight.
    #[must_use]
    pub const fn get(self) -> NonZeroU32 {
        self.0
    }
}

impl Default for Weight {
    /// The weight of clients for which none is set.
    fn default() -> Self {
        Self(NonZeroU32::MIN)
    }
}

/// A service that names calls without a name by a header, and records names for the log.
#[derive(Clone, Debug)]
pub struct Identify<S> {
    inner: S,
    header: Option<HeaderName>,
}

impl<S> Identify<S> {
    /// Names the calls of `inner` by `header`, if any.
    pub const fn new(inner: S, header: Option<HeaderName>) -> Self {
        Self { inner, header }
    }

    /// Reads the header. One that appears twice was not set by a proxy that can be trusted.
    fn read(&self, headers: &HeaderMap) -> Option<Identity> {
        let mut values = headers.get_all(self.header.as_ref()?).iter();
        let name = values.next()?.to_str().ok().and_then(Identity::new)?;
        values.next().is_none().then_some(name)
    }
}

impl<S, B> Service<Request<B>> for Identify<S>
where
    S: Service<Request<B>>,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut request: Request<B>) -> S::Future {
        let known = request.extensions().get::<Identity>().cloned();
        if let Some(name) = known.or_else(|| self.read(request.headers())) {
            if let Some(call) = request.extensions().get::<Call>() {
                call.note(|record| record.client = Some(name.clone()));
            }
            request.extensions_mut().insert(name);
        }
        self.inner.call(request)
    }
}
