//! `traceparent`, by the rules of W3C's recommendation.

use loyd::telemetry::TraceContext;

const GOOD: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

fn read(header: &str) -> Option<TraceContext> {
    TraceContext::read(header.as_bytes())
}

#[test]
fn a_header_is_read() {
    let context = read(GOOD).unwrap();
    assert_eq!(context.trace.0, 0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736);
    assert_eq!(context.span, 0x00f0_67aa_0ba9_02b7);
    assert_eq!(context.flags, 1);
    assert_eq!(context.trace.to_string(), &GOOD[3..35]);
}

#[test]
fn later_versions_may_say_more() {
    let later = GOOD.replacen("00", "cc", 1);
    assert_eq!(read(&later), read(GOOD));
    assert_eq!(read(&format!("{later}-more")), read(GOOD));
    assert_eq!(read(&format!("{later}.more")), None);
    assert_eq!(read(&format!("{GOOD}-more")), None);
}

#[test]
fn what_is_none_is_none() {
    for header in [
        "",
        "00",
        &GOOD[..54],
        &GOOD.to_uppercase(),
        &GOOD.replace('-', "_"),
        &GOOD.replacen("00", "ff", 1),
        &GOOD.replacen("4bf", "4-f", 1),
        &GOOD.replacen("-00f0", "0-0f0", 1),
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "é0-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    ] {
        assert_eq!(read(header), None, "{header}");
    }
}
