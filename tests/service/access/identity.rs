//! The name by which a client is known.

use std::convert::Infallible;

use http::{HeaderName, HeaderValue, Request};
use loyd::service::{Identify, Identity};
use tower::{Service, service_fn};

/// The name that a handler sees behind `Identify`.
async fn seen(header: Option<&'static str>, request: Request<()>) -> Option<Identity> {
    let handler = service_fn(|request: Request<()>| async move {
        Ok::<_, Infallible>(request.extensions().get::<Identity>().cloned())
    });
    Identify::new(handler, header.map(HeaderName::from_static))
        .call(request)
        .await
        .unwrap()
}

fn named(values: &[&[u8]]) -> Request<()> {
    let mut request = Request::new(());
    for value in values {
        let value = HeaderValue::from_bytes(value).unwrap();
        request.headers_mut().append("x-loyd-client", value);
    }
    request
}

#[test]
fn a_name_is_short_and_printable() {
    let longest = "n".repeat(253);
    for name in ["a", "tenant-7", "spiffe://game/lobby", &longest] {
        assert_eq!(Identity::new(name).unwrap().to_string(), name);
    }
    for name in ["", " ", "two words", "tab\t", "naïve", &"n".repeat(254)] {
        assert_eq!(Identity::new(name), None, "{name:?}");
    }
}

#[tokio::test]
async fn a_trusted_proxy_names_the_client() {
    let name = seen(Some("x-loyd-client"), named(&[b"tenant-7"])).await;
    assert_eq!(name, Identity::new("tenant-7"));
}

#[tokio::test]
async fn a_header_that_was_not_chosen_names_nobody() {
    assert_eq!(seen(None, named(&[b"tenant-7"])).await, None);
    assert_eq!(seen(Some("x-other"), named(&[b"tenant-7"])).await, None);
    assert_eq!(seen(Some("x-loyd-client"), named(&[])).await, None);
}

#[tokio::test]
async fn what_is_no_name_names_nobody() {
    for values in [
        &[&b"two words"[..]][..],
        &[b""],
        &[b"\xff\xfe"],
        &[&[b'n'; 254]],
        &[b"tenant-7", b"tenant-8"],
    ] {
        let name = seen(Some("x-loyd-client"), named(values)).await;
        assert_eq!(name, None, "{values:?}");
    }
}

#[tokio::test]
async fn a_name_that_was_proven_outdoes_the_header() {
    let mut request = named(&[b"tenant-8"]);
    let proven = Identity::new("tenant-7").unwrap();
    request.extensions_mut().insert(proven.clone());
    assert_eq!(seen(Some("x-loyd-client"), request).await, Some(proven));
}
