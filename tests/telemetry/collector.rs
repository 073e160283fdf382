//! A collector of spans, with as much of OTLP's contract as the tests look at.

use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use http::{HeaderMap, Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use prost::Message;
use tokio::net::TcpListener;
use tonic::body::Body;
use tonic::codegen::Bytes;

#[derive(Message)]
struct ExportTraceServiceRequest {
    #[prost(message, repeated, tag = "1")]
    resources: Vec<ResourceSpans>,
}

#[derive(Message)]
struct ResourceSpans {
    #[prost(message, optional, tag = "1")]
    resource: Option<Resource>,
    #[prost(message, repeated, tag = "2")]
    scopes: Vec<ScopeSpans>,
}

/// The process that the spans are of.
#[derive(Clone, Message)]
pub(crate) struct Resource {
    #[prost(message, repeated, tag = "1")]
    attributes: Vec<Attribute>,
}

#[derive(Message)]
struct ScopeSpans {
    #[prost(message, repeated, tag = "2")]
    spans: Vec<Span>,
}

#[derive(Clone, Message)]
pub(crate) struct Span {
    #[prost(bytes = "vec", tag = "1")]
    pub(crate) trace_id: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    pub(crate) span_id: Vec<u8>,
    #[prost(string, tag = "3")]
    pub(crate) trace_state: String,
    #[prost(bytes = "vec", tag = "4")]
    pub(crate) parent_span_id: Vec<u8>,
    #[prost(string, tag = "5")]
    pub(crate) name: String,
    /// 2 for a server's.
    #[prost(int32, tag = "6")]
    pub(crate) kind: i32,
    #[prost(fixed64, tag = "7")]
    pub(crate) start: u64,
    #[prost(fixed64, tag = "8")]
    pub(crate) end: u64,
    #[prost(message, repeated, tag = "9")]
    pub(crate) attributes: Vec<Attribute>,
    #[prost(message, optional, tag = "15")]
    status: Option<Status>,
}

#[derive(Clone, Message)]
struct Status {
    /// 2 for an error.
    #[prost(int32, tag = "3")]
    code: i32,
}

#[derive(Clone, Message)]
pub(crate) struct Attribute {
    #[prost(string, tag = "1")]
    pub(crate) key: String,
    #[prost(message, tag = "2")]
    pub(crate) value: Option<Value>,
}

#[derive(Clone, Message)]
pub(crate) struct Value {
    #[prost(oneof = "OneValue", tags = "1, 3")]
    pub(crate) value: Option<OneValue>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
pub(crate) enum OneValue {
    #[prost(string, tag = "1")]
    Text(String),
    #[prost(int64, tag = "3")]
    Number(i64),
}

impl Resource {
    pub(crate) fn attribute(&self, key: &str) -> Option<OneValue> {
        find(&self.attributes, key)
    }
}

impl Span {
    pub(crate) fn attribute(&self, key: &str) -> Option<OneValue> {
        find(&self.attributes, key)
    }

    pub(crate) fn is_error(&self) -> bool {
        self.status.as_ref().is_some_and(|status| status.code == 2)
    }
}

fn find(attributes: &[Attribute], key: &str) -> Option<OneValue> {
    let attribute = attributes.iter().find(|each| each.key == key)?;
    attribute.value.clone()?.value
}

/// A collector on its own port.
#[derive(Clone, Default)]
pub(crate) struct Collector {
    /// Whether the collector says that it is unavailable.
    pub(crate) refuses: Arc<AtomicBool>,
    pub(crate) spans: Arc<Mutex<Vec<Span>>>,
    /// The processes that sent them, each time.
    pub(crate) resources: Arc<Mutex<Vec<Resource>>>,
    /// It answers nobody while somebody else has this.
    pub(crate) gate: Arc<tokio::sync::Mutex<()>>,
}

impl Collector {
    /// Starts collecting and returns the URL.
    pub(crate) async fn start(&self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let collector = self.clone();
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let collector = collector.clone();
                let service = service_fn(move |request| collector.clone().collect(request));
                tokio::spawn(
                    http2::Builder::new(TokioExecutor::new())
                        .serve_connection(TokioIo::new(stream), service),
                );
            }
        });
        url
    }

    async fn collect(self, request: Request<Incoming>) -> Result<Response<Body>, Infallible> {
        assert!(request.uri().path().ends_with("TraceService/Export"));
        let body = request.into_body().collect().await.unwrap().to_bytes();
        drop(self.gate.lock().await);
        let refuses = self.refuses.load(Ordering::Relaxed);
        if !refuses {
            let export = ExportTraceServiceRequest::decode(&body[5..]).unwrap();
            for of_one in export.resources {
                self.resources.lock().unwrap().extend(of_one.resource);
                let spans = of_one.scopes.into_iter().flat_map(|scope| scope.spans);
                self.spans.lock().unwrap().extend(spans);
            }
        }
        let mut trailers = HeaderMap::new();
        let code = if refuses { "14" } else { "0" };
        trailers.insert("grpc-status", code.parse().unwrap());
        // An empty message in its frame.
        let answer = Full::new(Bytes::from_static(&[0; 5]));
        let body = answer.with_trailers(std::future::ready(Some(Ok(trailers))));
        let head = Response::builder().header("content-type", "application/grpc");
        Ok(head.body(Body::new(body)).unwrap())
    }
}
