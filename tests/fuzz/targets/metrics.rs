//! Metrics in Prometheus' text format, as `loyd top` reads them.

use std::hint::black_box;

use loyd::cli::Samples;

use super::{Target, Trait, about, trait_of};

pub(crate) const METRICS: Target = Target {
    name: "metrics",
    run,
    seeds,
    message_at: |_| None,
};

fn run(input: &[u8]) -> Trait {
    let samples = Samples::read(&String::from_utf8_lossy(input));
    let methods = samples.values("calls", &[], "method");
    for method in methods.clone() {
        black_box(samples.sum("calls", &[("method", method)]));
    }
    let buckets = samples.buckets("seconds", &[]);
    assert!(buckets.is_sorted_by(|a, b| a.0.to_bits() < b.0.to_bits()));
    trait_of(&format!(
        "{} of {}",
        about(methods.len()),
        about(buckets.len())
    ))
}

fn seeds() -> Vec<Vec<u8>> {
    [
        "# HELP calls how many\n# TYPE calls counter\ncalls{method=\"Solve\",code=\"OK\"} 3\n",
        "calls{method=\"a \\\"quoted\\\" \\\\ \\n one\",} 1e3 1700000000\ncalls 7",
        "seconds_bucket{le=\"0.1\"} 2\nseconds_bucket{le=\"+Inf\"} 4\nseconds_sum 1.5\n",
        "seconds_bucket{le=\"-1\"} NaN\nseconds_bucket{le=\"NaN\"} -Inf\n",
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec()
}
