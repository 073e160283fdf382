//! The view of a server that two scrapes and the time between them give.

use std::fmt;
use std::time::Duration;

use indicatif::HumanBytes;
use serde_json::{Value, json};

use super::Samples;

/// What a server did in an interval, and its state at the end.
#[derive(Debug)]
pub(super) struct View {
    version: String,
    methods: Vec<Method>,
    connections: f64,
    workers: f64,
    /// The time that searches used, easy ones on the threads of connections among them, as a fraction of the
    /// workers' time.
    busy: f64,
    helping: f64,
    running: f64,
    waiting: f64,
    parked: f64,
    capacity: f64,
    /// The seconds to the first slice.
    waited: Quantiles,
    nodes: f64,
    cache_hits: f64,
    cache_misses: f64,
    overloaded: f64,
    limits: f64,
    panics: f64,
    memory: f64,
    tables: f64,
    building: bool,
    guides: Vec<String>,
}

/// The figures of the calls of one method.
#[derive(Debug)]
struct Method {
    name: String,
    per_second: f64,
    in_flight: f64,
    seconds: Quantiles,
    /// The calls a second, by gRPC code.
    codes: Vec<(String, f64)>,
}

/// The median and the 99th percentile, or `None` if nothing was observed.
#[derive(Clone, Copy, Debug)]
struct Quantiles(Option<(f64, f64)>);

impl View {
    /// Computes the view from two scrapes.
    pub(super) fn new(before: &Samples, now: &Samples, between: Duration) -> Self {
        let seconds = between.as_secs_f64();
        let rate = |name: &str, labels: &[(&str, &str)]| {
            grown(before.sum(name, labels), now.sum(name, labels)) / seconds
        };
        let is = |name: &str| now.sum(name, &[]);
        let handled = "loyd_requests_handled_total";
        let methods = now.values("loyd_requests_started_total", &[], "method");
        let methods = methods.into_iter().map(|name| {
            let of = [("method", name)];
            let codes = now.values(handled, &of, "code").into_iter();
            Method {
                name: name.to_owned(),
                per_second: rate(handled, &of),
                in_flight: now.sum("loyd_requests_in_flight", &of),
                seconds: Quantiles::new(before, now, "loyd_request_seconds", &of),
                codes: codes
                    .map(|code| (code.to_owned(), rate(handled, &[of[0], ("code", code)])))
                    .filter(|(_, rate)| *rate > 0.0)
                    .collect(),
            }
        });
        let workers = is("loyd_workers");
        let guides = "loyd_pattern_databases";
        let in_use = now
            .values(guides, &[], "home")
            .into_iter()
            .flat_map(|home| {
                now.values(guides, &[("home", home)], "patterns")
                    .into_iter()
                    .filter(move |of| now.sum(guides, &[("home", home), ("patterns", of)]) > 0.0)
                    .map(move |of| format!("{home} by {of}"))
            });
        Self {
            version: now.values("loyd_build_info", &[], "version").concat(),
            methods: methods.collect(),
            connections: is("loyd_connections"),
            workers,
            busy: rate("loyd_slice_seconds_sum", &[]) / workers.max(1.0),
            helping: is("loyd_workers_helping"),
            running: is("loyd_searches_running"),
            waiting: is("loyd_queue_depth"),
            parked: is("loyd_searches_parked"),
            capacity: is("loyd_pool_capacity"),
            waited: Quantiles::new(before, now, "loyd_queue_seconds", &[]),
            nodes: rate("loyd_nodes_total", &[]),
            cache_hits: rate("loyd_cache_hits_total", &[]),
            cache_misses: rate("loyd_cache_misses_total", &[]),
            overloaded: rate("loyd_overloaded_total", &[]),
            limits: rate("loyd_limit_stops_total", &[]),
            panics: is("loyd_panics_total"),
            memory: is("loyd_memory_bytes"),
            tables: is("loyd_tables_bytes")
                + is("loyd_pattern_databases_bytes")
                + is("loyd_heuristic_tables_bytes"),
            building: is("loyd_tables_building") > 0.0,
            guides: in_use.collect(),
        }
    }

    /// Returns the view as JSON.
    pub(super) fn json(&self) -> Value {
        let methods = self.methods.iter().map(|method| {
            let codes = method.codes.iter().cloned();
            json!({
                "method": method.name,
                "per_second": method.per_second,
                "in_flight": method.in_flight,
                "seconds": method.seconds.json(),
                "codes": codes.collect::<std::collections::BTreeMap<_, _>>(),
            })
        });
        json!({
            "version": self.version,
            "methods": methods.collect::<Vec<_>>(),
            "connections": self.connections,
            "workers": {
                "threads": self.workers,
                "busy_ratio": self.busy,
                "helping": self.helping,
            },
            "searches": {
                "running": self.running,
                "waiting": self.waiting,
                "parked": self.parked,
                "capacity": self.capacity,
                "queue_seconds": self.waited.json(),
                "nodes_per_second": self.nodes,
                "cache_hits_per_second": self.cache_hits,
                "cache_misses_per_second": self.cache_misses,
            },
            "refused": {
                "overloaded_per_second": self.overloaded,
                "limit_stops_per_second": self.limits,
            },
            "panics": self.panics,
            "memory_bytes": self.memory,
            "tables": {
                "bytes": self.tables,
                "building": self.building,
                "pattern_databases": self.guides,
            },
        })
    }
}

impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "loyd {}, {} connections\n",
            self.version, self.connections
        )?;
        writeln!(
            f,
            "{:14}{:>10}{:>11}{:>11}{:>11}  codes, a second",
            "method", "calls/s", "in flight", "p50", "p99"
        )?;
        for method in &self.methods {
            let (p50, p99) = method.seconds.text();
            write!(
                f,
                "{:14}{:>10.1}{:>11}{p50:>11}{p99:>11} ",
                method.name, method.per_second, method.in_flight
            )?;
            for (code, rate) in &method.codes {
                write!(f, " {code} {rate:.1}")?;
            }
            writeln!(f)?;
        }
        let bytes = |bytes: f64| HumanBytes(bytes as u64);
        writeln!(
            f,
            "\nworkers   {}, {:.0} % busy, {} helping",
            self.workers,
            100.0 * self.busy,
            self.helping
        )?;
        write!(
            f,
            "searches  {} running, {} waiting, {} parked, of {}",
            self.running, self.waiting, self.parked, self.capacity
        )?;
        if self.waited.0.is_some() {
            let (p50, p99) = self.waited.text();
            write!(f, "; first slice after {p50}, p99 {p99}")?;
        }
        writeln!(f)?;
        writeln!(
            f,
            "nodes     {:.1} M/s; shared {:.1}/s, begun {:.1}/s",
            self.nodes / 1e6,
            self.cache_hits,
            self.cache_misses
        )?;
        writeln!(
            f,
            "refused   {:.1}/s overloaded; {:.1}/s stopped by a limit; {} panics",
            self.overloaded, self.limits, self.panics
        )?;
        writeln!(
            f,
            "memory    {} in searches and answers",
            bytes(self.memory)
        )?;
        let building = if self.building {
            ", one being built"
        } else {
            ""
        };
        write!(f, "tables    {}{building}", bytes(self.tables))?;
        for guide in &self.guides {
            write!(f, "; {guide}")?;
        }
        Ok(())
    }
}

impl Quantiles {
    fn new(before: &Samples, now: &Samples, name: &str, labels: &[(&str, &str)]) -> Self {
        let was = before.buckets(name, labels);
        let mut buckets = now.buckets(name, labels);
        // A server that was restarted has other buckets at first.
        if was.len() == buckets.len() {
            for (bucket, was) in buckets.iter_mut().zip(was) {
                bucket.1 = grown(was.1, bucket.1);
            }
        }
        let of = |quantile| Self::of(&buckets, quantile);
        Self(of(0.5).zip(of(0.99)))
    }

    /// Returns a quantile, interpolated linearly within its bucket. In the last bucket, which is unbounded, it is
    /// the lower bound.
    fn of(buckets: &[(f64, f64)], quantile: f64) -> Option<f64> {
        let all = buckets.last()?.1;
        let rank = quantile * all;
        let mut lower = (0.0, 0.0);
        for &(bound, count) in buckets {
            if count >= rank && all > 0.0 {
                let part = (rank - lower.1) / (count - lower.1).max(f64::MIN_POSITIVE);
                return Some(if bound.is_finite() {
                    lower.0 + part * (bound - lower.0)
                } else {
                    lower.0
                });
            }
            lower = (bound, count);
        }
        None
    }

    fn json(self) -> Value {
        self.0
            .map_or(Value::Null, |(p50, p99)| json!({ "p50": p50, "p99": p99 }))
    }

    fn text(self) -> (String, String) {
        let text = |seconds: f64| format!("{:.2} ms", 1e3 * seconds);
        self.0
            .map_or_else(Default::default, |(p50, p99)| (text(p50), text(p99)))
    }
}

/// Returns by how much a counter has grown. It starts again from 0 when its server is restarted.
fn grown(before: f64, now: f64) -> f64 {
    if now < before { now } else { now - before }
}
