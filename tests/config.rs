//! How settings become what the engine is told.
#![cfg(feature = "service")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::{Duration, Instant};

use clap::Parser;
use loyd::config::{MemoryArgs, Parts, ServeConfig, weight};
use loyd::engine::guide_builder::GuideBuilder;
use loyd::puzzle::{Home, Shape};

#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    memory: MemoryArgs,
}

#[derive(Debug, Parser)]
struct Serve {
    #[command(flatten)]
    serve: ServeConfig,
}

#[test]
fn times_that_would_end_every_connection_are_refused_and_those_that_mean_never_are_not() {
    let parse = |flag: &str, time: &str| Serve::try_parse_from(["loyd", flag, time]);
    for flag in [
        "--keepalive",
        "--keepalive-timeout",
        "--stall-timeout",
        "--handshake-timeout",
    ] {
        let refusal = parse(flag, "0s").unwrap_err().to_string();
        assert!(
            refusal.contains(flag) && refusal.contains("such as 1s"),
            "{refusal}"
        );
        assert!(parse(flag, "soon").is_err());
        parse(flag, "1ms").unwrap();
    }
    type Read = fn(&ServeConfig) -> Duration;
    let never: [(&str, Read); 3] = [
        ("--max-connection-idle", |config| config.max_connection_idle),
        ("--max-connection-age", |config| config.max_connection_age),
        ("--drain-delay", |config| config.drain_delay),
    ];
    for (flag, read) in never {
        for (time, duration) in [("0s", Duration::ZERO), ("7s", Duration::from_secs(7))] {
            let config = parse(flag, time).unwrap().serve;
            assert_eq!(read(&config), duration, "{flag} {time}");
        }
    }
}

#[test]
fn a_bound_of_none_is_refused() {
    for flag in [
        "--max-calls",
        "--max-streams",
        "--max-connections",
        "--max-request-bytes",
        "--max-nodes",
        "--queue",
        "--workers",
    ] {
        let parse = |number| Serve::try_parse_from(["loyd", flag, number]);
        let refusal = parse("0").unwrap_err().to_string();
        assert!(refusal.contains(flag), "{refusal}");
        parse("1").unwrap();
    }
    for flag in ["--max-time", "--default-time"] {
        Serve::try_parse_from(["loyd", flag, "0s"]).unwrap_err();
    }
}

#[test]
fn the_number_of_workers_has_a_bound() {
    let parse = |workers| Serve::try_parse_from(["loyd", "--workers", workers]);
    assert_eq!(parse("1024").unwrap().serve.engine.workers, Some(1024));
    for workers in ["0", "1025", "100000"] {
        let refusal = parse(workers).unwrap_err().to_string();
        assert!(refusal.contains("is not in 1..=1024"), "{refusal}");
    }
}

#[test]
fn times_whose_end_no_clock_can_tell_are_shortened() {
    for flag in [
        "--handshake-timeout",
        "--keepalive",
        "--keepalive-timeout",
        "--stall-timeout",
        "--max-connection-idle",
        "--max-connection-age",
        "--drain-grace",
        "--max-time",
    ] {
        let set = ["loyd", flag, "500000000000years"];
        let config = Serve::try_parse_from(set).unwrap().serve;
        let times = [
            config.handshake_timeout,
            config.keepalive,
            config.keepalive_timeout,
            config.stall_timeout,
            config.max_connection_idle,
            config.max_connection_age,
            config.drain_grace,
            config.engine.max_time(),
        ];
        let longest = times.into_iter().max().unwrap();
        assert!(longest > Duration::from_secs(3600 * 24 * 365), "{flag}");
        assert!(Instant::now().checked_add(longest).is_some(), "{flag}");
    }
}

#[test]
fn an_address_is_a_number_and_a_port() {
    for (flag, example) in [
        ("--listen", "127.0.0.1:50051"),
        ("--metrics-listen", "127.0.0.1:9464"),
    ] {
        for address in ["localhost:50051", "127.0.0.1", ":50051"] {
            let refusal = Serve::try_parse_from(["loyd", flag, address]).unwrap_err();
            let refusal = refusal.to_string();
            assert!(
                refusal.contains(&format!("use IP:PORT, such as {example}\n")),
                "{refusal}"
            );
        }
        Serve::try_parse_from(["loyd", flag, example]).unwrap();
        Serve::try_parse_from(["loyd", flag, "[::1]:50051"]).unwrap();
    }
}

#[test]
fn the_two_addresses_differ() {
    let check = |listen: &str, metrics: &str| {
        let set = ["loyd", "--listen", listen, "--metrics-listen", metrics];
        Serve::try_parse_from(set).unwrap().serve.check()
    };
    for (listen, metrics) in [
        ("127.0.0.1:9000", "127.0.0.1:9000"),
        ("0.0.0.0:9000", "127.0.0.1:9000"),
        ("[::1]:9000", "[::]:9000"),
    ] {
        let refusal = check(listen, metrics).unwrap_err();
        for part in [
            "--listen",
            listen,
            "--metrics-listen",
            metrics,
            "must differ",
        ] {
            assert!(refusal.contains(part), "{refusal}");
        }
    }
    for (listen, metrics) in [
        ("127.0.0.1:9000", "127.0.0.1:9001"),
        ("127.0.0.1:9000", "127.0.0.2:9000"),
        ("[::1]:9000", "0.0.0.0:9000"),
        // Each gets a port of its own.
        ("127.0.0.1:0", "127.0.0.1:0"),
    ] {
        check(listen, metrics).unwrap();
    }
}

#[test]
fn settings_that_contradict_each_other_are_refused() {
    let check = |flags: &[&str]| {
        let set = ["loyd"].iter().chain(flags);
        Serve::try_parse_from(set).unwrap().serve.check()
    };
    for (flags, parts) in [
        (
            &["--default-time=2m", "--max-time=1s"][..],
            ["--default-time 2m is longer", "--max-time 1s"],
        ),
        (
            &["--max-memory=2G", "--memory=64M"],
            ["--max-memory 2048M", "--memory 64M"],
        ),
        (
            &["--client-weights=a=1,b=1,a=2"],
            ["--client-weights", "a the weights 1 and 2"],
        ),
        (
            &["--client-header=Authorization"],
            ["--client-header", "write tokens to the log"],
        ),
        (
            &[
                "--client-header=x-loyd-client",
                "--tls-client-ca=ca",
                "--tls-cert=a",
                "--tls-key=b",
            ],
            ["--client-header", "--tls-client-ca"],
        ),
        (
            &["--client-header=x-loyd-client", "--token-file=tokens"],
            ["--client-header", "--token-file"],
        ),
    ] {
        let refusal = check(flags).unwrap_err();
        for part in parts {
            assert!(refusal.contains(part), "{refusal}");
        }
    }
    // One setting is lowered to the other's default, or the other's default to it.
    for alone in [
        "--default-time=2m",
        "--max-time=500ms",
        "--max-memory=2G",
        "--memory=64M",
        "--client-weights=a=1,b=1",
        "--client-header=x-loyd-client",
    ] {
        check(&[alone]).unwrap();
    }
    let ratio = check(&["--otlp-ratio=0.5"]);
    if cfg!(feature = "otlp") {
        ratio.unwrap();
    } else {
        assert!(ratio.unwrap_err().contains("`--features otlp`"));
    }
}

#[test]
fn a_filter_of_the_log_has_levels() {
    let parse = |filter: &str| Serve::try_parse_from(["loyd", "--log", filter]);
    for filter in ["info", "WARN", "off", "info,h2=warn", "loyd::cli=debug"] {
        assert_eq!(parse(filter).unwrap().serve.log, filter);
    }
    // As files of variables have them.
    for (typed, filter) in [
        ("info ", "info"),
        ("info\n", "info"),
        ("warn, loyd=info ", "warn,loyd=info"),
    ] {
        assert_eq!(parse(typed).unwrap().serve.log, filter);
    }
    for filter in ["", "inof", "warning", "loyd", "loyd=bogus", "info,h2"] {
        let refusal = parse(filter).unwrap_err().to_string();
        assert!(refusal.contains("--log"), "{refusal}");
    }
}

fn memory(flags: &[&str]) -> MemoryArgs {
    Arguments::parse_from(["loyd"].iter().chain(flags)).memory
}

#[test]
fn a_small_limit_is_shared_out_and_a_quarter_is_left() {
    let parts = memory(&["--memory-limit", "256M"]).parts().unwrap();
    let percent = (256 << 20) / 100;
    let taken = (30 + 2 + 22 + 8) * percent;
    assert_eq!(
        parts,
        Parts {
            search: 15 * percent,
            searches: 30 * percent,
            cache: 2 * percent,
            tables: 22 * percent,
            heuristics: 8 * percent,
            build: ((256 << 20) - taken) / 2,
        }
    );
    assert!(taken + parts.build < 82 * percent);
}

#[test]
fn a_container_may_build_the_tables_that_it_has_room_for() {
    // As in deploy, and a small one that serves the 24-puzzle.
    for (limit, side, name) in [("1G", 4, "7-8"), ("256M", 5, "6-6-6-6")] {
        let parts = memory(&["--memory-limit", limit]).parts().unwrap();
        let mut builder = GuideBuilder::new(None, parts.build);
        let shape = Shape::new(side, side).unwrap();
        let mut choices = GuideBuilder::choices(Home::corner(shape));
        let best = choices
            .iter()
            .rposition(|choice| builder.bytes_of(choice).0 as u64 <= parts.tables);
        let best = choices.swap_remove(best.unwrap());
        assert_eq!(best.name, name);
        assert!(builder.can_build(&best));
    }
}

#[test]
fn a_large_limit_gives_everything_its_default() {
    let parts = memory(&["--memory-limit", "64G"]).parts().unwrap();
    assert_eq!(parts.search, 256 << 20);
    assert_eq!(parts.searches, 1 << 30);
    assert_eq!(parts.cache, 16 << 20);
    assert_eq!(parts.tables, 256 << 20);
    assert_eq!(parts.heuristics, 512 << 20);
}

#[test]
fn what_is_set_counts() {
    let flags = [
        "--memory-limit=1G",
        "--max-memory=1M",
        "--memory=2M",
        "--cache-memory=3M",
        "--table-memory=4M",
        "--heuristic-memory=5M",
        "--build-memory=6M",
    ];
    assert_eq!(
        memory(&flags).parts().unwrap(),
        Parts {
            search: 1 << 20,
            searches: 2 << 20,
            cache: 3 << 20,
            tables: 4 << 20,
            heuristics: 5 << 20,
            build: 6 << 20,
        }
    );
}

#[test]
fn settings_that_are_more_than_the_limit_are_refused_with_what_each_takes() {
    let flags = [
        "--memory-limit=256M",
        "--memory=200M",
        "--table-memory=100M",
    ];
    let text = memory(&flags).parts().unwrap_err().to_string();
    for part in [
        "--memory 200M",
        "--table-memory 100M",
        "the 256M that",
        "raise --memory-limit",
    ] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn what_is_too_little_to_serve_with_is_refused_with_what_is_enough() {
    for (flag, little, enough) in [
        ("--memory-limit", "31M", "32M"),
        ("--memory-limit", "1", "32M"),
        ("--memory", "0", "2M"),
        ("--memory", "1M", "2M"),
        ("--max-memory", "1023K", "1M"),
    ] {
        let error = memory(&[flag, little]).parts().unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("{flag} {little} is too little")),
            "{error}"
        );
        assert!(error.contains(&format!("use {enough} or more")), "{error}");
        memory(&[flag, enough]).parts().unwrap();
    }
}

#[test]
fn a_weight_has_a_name_and_a_number() {
    let (name, number) = weight("a=b=3").unwrap();
    assert_eq!((name.as_str(), number.get()), ("a=b", 3));
    assert_eq!(weight("a=1000").unwrap().1.get(), 1000);
    let long = format!("{}=1", "a".repeat(254));
    for wrong in [
        "", "a", "=3", "a=", "a=0", "a=-1", "a=1.5", "a=1001", "a b=1", "ä=1", &long,
    ] {
        assert!(weight(wrong).is_err(), "{wrong}");
    }
}
