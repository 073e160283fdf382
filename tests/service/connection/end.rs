//! What becomes of a connection whose server code fails.

use futures_util::FutureExt;
use loyd::service::End;
use metrics_exporter_prometheus::PrometheusBuilder;

#[test]
fn a_panic_of_a_connection_is_counted_and_is_its_end() {
    let recorder = PrometheusBuilder::new().build_recorder();
    let ended = metrics::with_local_recorder(&recorder, || {
        End::of(async { panic!("a defect") }).now_or_never()
    });
    assert_eq!(ended, Some(End::Defect));
    let told = recorder.handle().render();
    let counted = "loyd_panics_total{place=\"connection\"} 1";
    assert!(told.contains(counted), "{told}");
}

#[test]
fn another_end_is_told_as_it_is() {
    let ended = End::of(async { End::Peer }).now_or_never();
    assert_eq!(ended, Some(End::Peer));
}
