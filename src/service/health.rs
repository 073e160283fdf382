//! What the health protocol says about this server.

use std::future::ready;
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use futures_util::stream::{Stream, StreamExt, once, pending, poll_fn};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};
use tonic::{Code, Request, Response, Status};
use tonic_health::ServingStatus;
use tonic_health::pb::health_check_response::ServingStatus as Told;
use tonic_health::pb::health_server::{self, HealthServer};
use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse};
use tonic_health::server::{HealthReporter, HealthService};

use super::proto::puzzle_service_server::SERVICE_NAME;

/// The health name for the tables: whether all tables that are wanted are ready. Until then calls
/// are served with lesser ones.
const TABLES: &str = "loyd.tables";

/// How often the tables are checked.
const TABLES_LOOK: Duration = Duration::from_millis(250);

/// The state shown by the health protocol: of the process (`""`), of the service, and of its tables.
#[derive(Clone, Debug)]
pub struct Health {
    reporter: HealthReporter,
    /// Cancelled when watchers have to go.
    leaving: CancellationToken,
}

impl Health {
    /// Reports the process and the service as serving. Also returns the service that answers health calls.
    pub async fn new() -> (Self, HealthServer<impl health_server::Health>) {
        let reporter = HealthReporter::new();
        let leaving = CancellationToken::new();
        let service = HealthServer::new(Watched {
            service: HealthService::from_health_reporter(reporter.clone()),
            leaving: leaving.clone(),
        });
        let health = Self { reporter, leaving };
        health.say(SERVICE_NAME, ServingStatus::Serving).await;
        health.say(TABLES, ServingStatus::NotServing).await;
        (health, service)
    }

    async fn say(&self, name: &str, status: ServingStatus) {
        self.reporter.set_service_status(name, status).await;
    }

    /// Reports for as long as it is polled whether the tables are there.
    pub async fn follow_tables(&self, has_tables: impl Fn() -> bool) {
        let mut were_there = false;
        loop {
            let are_there = has_tables();
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

    /// Ends the streams of watchers once they have been told everything: they would hold up a drain.
    pub fn end(&self) {
        self.leaving.cancel();
    }
}

/// tonic's service, except that watching an unknown name yields `SERVICE_UNKNOWN` and a stream that
/// stays open, as the protocol requires. tonic refuses such calls.
#[derive(Debug)]
struct Watched {
    service: HealthService,
    leaving: CancellationToken,
}

type Statuses = Pin<Box<dyn Stream<Item = Result<HealthCheckResponse, Status>> + Send>>;

/// The same, until it has nothing to tell at the moment and has to end.
fn until_left(
    statuses: impl Stream<Item = Result<HealthCheckResponse, Status>> + Send + 'static,
    left: WaitForCancellationFutureOwned,
) -> Statuses {
    let (mut statuses, mut left) = (Box::pin(statuses), Box::pin(left));
    Box::pin(poll_fn(move |cx| match statuses.poll_next_unpin(cx) {
        Poll::Pending => left.as_mut().poll(cx).map(|()| None),
        told => told,
    }))
}

#[tonic::async_trait]
impl health_server::Health for Watched {
    type WatchStream = Statuses;

    async fn check(
        &self,
        request: Request<HealthCheckRequest>,
    ) -> Result<Response<HealthCheckResponse>, Status> {
        self.service.check(request).await
    }

    async fn watch(
        &self,
        request: Request<HealthCheckRequest>,
    ) -> Result<Response<Self::WatchStream>, Status> {
        let left = self.leaving.clone().cancelled_owned();
        let statuses = match self.service.watch(request).await {
            Err(status) if status.code() == Code::NotFound => {
                let unknown = HealthCheckResponse {
                    status: Told::ServiceUnknown.into(),
                };
                until_left(once(ready(Ok(unknown))).chain(pending()), left)
            }
            watched => until_left(watched?.into_inner(), left),
        };
        Ok(Response::new(statuses))
    }
}
