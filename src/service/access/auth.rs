//! Lets callers in by token, where tokens are required.
//!
//! Health is open to everybody, since load balancers and probes have no token. Reflection and all
//! other calls need one.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::future::Either;
use http::header::AUTHORIZATION;
use http::{HeaderMap, Request, Response};
use tonic::body::Body;
use tower::Service;

use super::identity::Identity;
use super::reload::Reloaded;
use super::tokens::{Token, Tokens};
use crate::service::status::{self, AuthFailure};
use crate::telemetry;

/// The path prefix that needs no token.
const OPEN: &str = "/grpc.health.v1.Health/";

/// What precedes the token in the header.
const SCHEME: &str = "Bearer ";

/// A service that only callers with a token may call, if there are tokens.
#[derive(Clone, Debug)]
pub struct Authenticate<S> {
    inner: S,
    tokens: Option<Arc<Reloaded<Tokens>>>,
}

impl<S> Authenticate<S> {
    /// Requires callers of `inner` to present one of `tokens`.
    pub const fn new(inner: S, tokens: Option<Arc<Reloaded<Tokens>>>) -> Self {
        Self { inner, tokens }
    }
}

impl<S, B> Service<Request<B>> for Authenticate<S>
where
    S: Service<Request<B>, Response = Response<Body>, Error = Infallible>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Either<S::Future, Ready<Result<Response<Body>, Infallible>>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut request: Request<B>) -> Self::Future {
        if let Some(tokens) = &self.tokens
            && !request.uri().path().starts_with(OPEN)
        {
            let tokens = tokens.current();
            match presented(&tokens, request.headers()) {
                Ok(token) => {
                    // A certificate's name, if already set, is more specific.
                    let extensions = request.extensions_mut();
                    if extensions.get::<Identity>().is_none() {
                        extensions.insert(token.name.clone());
                    }
                    extensions.insert(token.weight);
                }
                Err(failure) => {
                    let peer = request.extensions().get();
                    telemetry::unauthenticated(failure.label(), peer.copied());
                    let refusal = status::unauthenticated(failure).into_http();
                    return Either::Right(ready(Ok(refusal)));
                }
            }
        }
        // The token has done its work, and goes no further.
        request.headers_mut().remove(AUTHORIZATION);
        Either::Left(self.inner.call(request))
    }
}

fn presented<'t>(tokens: &'t Tokens, headers: &HeaderMap) -> Result<&'t Token, AuthFailure> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let value = values.next().ok_or(AuthFailure::MissingToken)?;
    let known = value.to_str().ok().and_then(|value| {
        let (scheme, token) = value.split_at_checked(SCHEME.len())?;
        let token = scheme.eq_ignore_ascii_case(SCHEME).then_some(token)?;
        tokens.find(token.trim().as_bytes())
    });
    known
        .filter(|_| values.next().is_none())
        .ok_or(AuthFailure::WrongToken)
}
