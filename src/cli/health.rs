//! `loyd health`: whether a server serves, as a probe asks.

use std::error::Error;
use std::io::Write;
use std::time::Duration;

use clap::Args;
use serde_json::json;
use tokio::time::timeout;
use tonic::{Code, Status};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

use super::backend::{TlsArgs, call_deadline, channel, server_url, unreachable};
use super::metrics::{self, Source};
use super::{Exit, Failure};
use crate::service::proto::puzzle_service_server::SERVICE_NAME;

const EXAMPLES: &str = "\
Examples:
  loyd health
  loyd health --service loyd.v1.PuzzleService
  loyd health --server https://127.0.0.1:50051 --tls-ca ca.crt --tls-cert tls.crt --tls-key tls.key
  loyd health --metrics 127.0.0.1:9464

The values of --service:
  (none)                 the process: whether it lives and answers, as it still does during
                         --drain-delay. For liveness
  loyd.v1.PuzzleService  whether the server wants calls; from SIGTERM on it does not. For readiness
                         and startup
  loyd.tables            whether all wanted tables are ready. Until then calls are served with
                         lesser ones, so this is no reason to wait

The probe is a call of the gRPC health protocol, grpc.health.v1.Health/Check. It needs no token,
takes no place of --max-calls and is logged at debug only: a busy server is healthy. A server with
--tls-client-ca requires the certificate of --tls-cert. With --metrics the probe is /livez on the
listener of the metrics, or /readyz for loyd.v1.PuzzleService, which need no certificate.

Prints SERVING or NOT_SERVING; with --json one object: server, service, status.

Exit codes: 0 serving, 2 a wrong option or a service that the server does not know, 3 no answer in
time, 4 no server, 5 a defect or a failed write, 6 not serving.";

/// Ask a running server whether it serves, as a probe does.
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub struct HealthArgs {
    /// The server to ask; https: with TLS.
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:50051", value_parser = server_url)]
    server: String,

    /// The server's --metrics-listen, to ask there instead: whether or not it has TLS, no certificate is needed.
    #[arg(long, value_name = "URL", conflicts_with = "server", value_parser = metrics::source)]
    metrics: Option<Source>,

    /// The service to ask for; default: the whole server.
    #[arg(
        long,
        value_name = "NAME",
        default_value = "",
        hide_default_value = true
    )]
    service: String,

    /// How long to wait, including the time to connect.
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = call_deadline)]
    timeout: Duration,

    /// Print one JSON object.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    tls: TlsArgs,
}

impl HealthArgs {
    /// Asks the server, and prints its status on `output`.
    ///
    /// # Errors
    /// When there is no answer, or it cannot be written.
    pub async fn run(&self, output: &mut dyn Write) -> Result<Exit, Failure> {
        let answer = timeout(self.timeout, self.ask()).await;
        let status = answer.map_err(|_| Failure::Late)??;
        let exit = if status == ServingStatus::Serving {
            Exit::Done
        } else {
            Exit::NotServing
        };
        let name = status.as_str_name();
        let written = if self.json {
            let metrics = self.metrics.as_ref().map(Source::to_string);
            let (server, service) = (metrics.as_ref().unwrap_or(&self.server), &self.service);
            let answer = json!({ "server": server, "service": service, "status": name });
            writeln!(output, "{answer}")
        } else {
            writeln!(output, "{name}")
        };
        exit.finish(output, written)
    }

    async fn ask(&self) -> Result<ServingStatus, Failure> {
        if let Some(metrics) = &self.metrics {
            return self.probe(metrics).await;
        }
        let channel = channel(&self.tls, &self.server).await?;
        let request = HealthCheckRequest {
            service: self.service.clone(),
        };
        let response = HealthClient::new(channel).check(request).await;
        let response = response.map_err(|status| self.failure(status))?;
        Ok(response.into_inner().status())
    }

    async fn probe(&self, metrics: &Source) -> Result<ServingStatus, Failure> {
        let path = match self.service.as_str() {
            "" => "/livez",
            SERVICE_NAME => "/readyz",
            service => {
                return Err(Failure::Input(format!(
                    "the listener of the metrics does not know the service {service:?}\n\
                     With --metrics, --service takes {SERVICE_NAME}, or is left out."
                )));
            }
        };
        Ok(match metrics.probe(path).await? {
            true => ServingStatus::Serving,
            false => ServingStatus::NotServing,
        })
    }

    fn failure(&self, status: Status) -> Failure {
        if status.code() == Code::NotFound {
            return Failure::Input(format!(
                "the server does not know the service {:?}\n\
                 --service takes {SERVICE_NAME} or loyd.tables, or is left out.",
                self.service
            ));
        }
        // A source means that the server did not send this status: the connection broke. That happens when only
        // one side speaks TLS, and when a certificate is missing, which TLS 1.3 reports only during a call.
        match status.source() {
            Some(source) => unreachable(&self.server, source),
            None => Failure::Refused(status),
        }
    }
}
