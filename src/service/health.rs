//! What the health protocol says about this server.

use std::pin::Pin;
use std::time::Duration;

use tokio_stream::{Stream, StreamExt};
use tonic::{Code, Request, Response, Status};
use tonic_health::ServingStatus;
use tonic_health::pb::health_check_response::ServingStatus as Told;
use tonic_health::pb::health_server::{self, HealthServer};
use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse};
use tonic_health::server::{HealthReporter, HealthService};

use super::proto::puzzle_service_server::SERVICE_NAME;
use crate::engine::Engine;

/// The health name for the tables: whether all tables that are wanted are ready. Until then calls
/// are served with lesser ones.
const TABLES: &str = "loyd.tables";

/// How often the tables are checked.
const TABLES_LOOK: Duration = Duration::from_millis(250);

/// The state shown by the health protocol: of the process (`""`), of the service, and of its tables.
#[derive(Clone, Debug)]
pub struct Health(HealthReporter);

impl Health {
    /// Reports the process and the service as serving. Also returns the service that answers health calls.
    pub async fn new() -> (Self, HealthServer<impl health_server::Health>) {
        let reporter = HealthReporter::new();
        let service = HealthServer::new(Watched(HealthService::from_health_reporter(
            reporter.clone(),
        )));
        let health = Self(reporter);
        health.say(SERVICE_NAME, ServingStatus::Serving).await;
        health.say(TABLES, ServingStatus::NotServing).await;
        (health, service)
    }

    async fn say(&self, name: &str, status: ServingStatus) {
        self.0.set_service_status(name, status).await;
    }

    /// Reports the state of the engine's tables for as long as it is polled.
    pub async fn follow_tables(&self, engine: &Engine) {
        let mut were_there = false;
        loop {
            let are_there = engine.has_tables();
            if are_there != were_there {
                let status = if are_there {
                    ServingStatus::Serving
                } else {
                    ServingStatus::NotServing
                };
                self.say(TABLES, status).await;
                were_there = are_there;
            }
            tokio::time::sleep(TABLES_LOOK).await;
        }
    }

    /// Reports the service as not serving. The process still lives.
    pub async fn take_leave(&self) {
        self.say(SERVICE_NAME, ServingStatus::NotServing).await;
    }

    /// Ends the streams of watchers: they have been told, and would hold up a drain.
    pub async fn end(&mut self) {
        for name in [SERVICE_NAME, TABLES, ""] {
            self.0.clear_service_status(name).await;
        }
    }
}

/// tonic's service, except that watching an unknown name yields `SERVICE_UNKNOWN` and a stream that
/// stays open, as the protocol requires. tonic refuses such calls.
#[derive(Debug)]
struct Watched(HealthService);

#[tonic::async_trait]
impl health_server::Health for Watched {
    type WatchStream =
        Pin<Box<dyn Stream<Item = Result<HealthCheckResponse, Status>> + Send + 'static>>;

    async fn check(
        &self,
        request: Request<HealthCheckRequest>,
    ) -> Result<Response<HealthCheckResponse>, Status> {
        self.0.check(request).await
    }

    async fn watch(
        &self,
        request: Request<HealthCheckRequest>,
    ) -> Result<Response<Self::WatchStream>, Status> {
        let stream: Self::WatchStream = match self.0.watch(request).await {
            Err(status) if status.code() == Code::NotFound => {
                // Open for as long as the process reports anything about itself.
                let process = Request::new(HealthCheckRequest::default());
                let process = self.0.watch(process).await?.into_inner();
                Box::pin(process.map(|told| {
                    told.map(|_| HealthCheckResponse {
                        status: Told::ServiceUnknown.into(),
                    })
                }))
            }
            watched => Box::pin(watched?.into_inner()),
        };
        Ok(Response::new(stream))
    }
}
