//! What the health protocol says of the tables.

use std::sync::atomic::{AtomicBool, Ordering};

use loyd::service::Health;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

use crate::harness::in_time;

#[tokio::test]
async fn who_watches_the_tables_is_told_when_they_come_and_when_others_are_wanted() {
    let (health, server) = Health::new().await;
    let mut client = HealthClient::new(server);
    let request = HealthCheckRequest {
        service: "loyd.tables".into(),
    };
    let mut watch = client.watch(request).await.unwrap().into_inner();
    let are_there = AtomicBool::new(false);
    let watching = async {
        for (tables, status) in [
            (false, ServingStatus::NotServing),
            (true, ServingStatus::Serving),
            (false, ServingStatus::NotServing),
        ] {
            are_there.store(tables, Ordering::Relaxed);
            let told = in_time(watch.message()).await.unwrap().unwrap();
            assert_eq!(told.status(), status);
        }
    };
    tokio::select! {
        () = health.follow_tables(|| are_there.load(Ordering::Relaxed)) => {}
        () = watching => {}
    }
}
