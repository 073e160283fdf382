//! The figures of a suite, as text and as JSON.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::made::Made;
use crate::bench::{Figures, Run, Suite, milliseconds};
use crate::cli::spelling::count;

/// Prints the line with the times.
pub(super) fn print_times(output: &mut dyn Write, figures: &Figures) -> io::Result<()> {
    writeln!(
        output,
        "  ms: mean {:.3}, median {:.3}, p95 {:.3}, p99 {:.3}, max {:.3}",
        figures.mean, figures.median, figures.p95, figures.p99, figures.max
    )
}

/// Returns the times as JSON.
pub(super) fn times_as_json(figures: &Figures) -> Value {
    json!({
        "mean": figures.mean,
        "median": figures.median,
        "p95": figures.p95,
        "p99": figures.p99,
        "max": figures.max,
    })
}

pub(super) fn print(
    output: &mut dyn Write,
    suite: &Suite,
    figures: &Figures,
    tables: &Made,
    threads: Option<u16>,
    each: &[(String, Run)],
) -> io::Result<()> {
    for (board, run) in each {
        let length = match run.length {
            Some(length) => count(length as u64, "move"),
            None => format!("at least {}", count(run.lower_bound.into(), "move")),
        };
        let time = milliseconds(run.time);
        write!(output, "{board}: {length}, {time:.3} ms, ")?;
        if threads.is_some() {
            write!(output, "{:.3} ms wall-clock, ", milliseconds(run.wall))?;
        }
        writeln!(output, "{}", count(run.nodes, "node"))?;
    }
    let Figures { boards, solved, .. } = figures;
    writeln!(
        output,
        "{suite}: {solved} of {boards} boards solved, mean length {:.3}",
        figures.mean_length
    )?;
    print_times(output, figures)?;
    if let Some(threads) = threads {
        writeln!(
            output,
            "  on {}: mean {:.3} ms wall-clock, max {:.3}",
            count(threads.into(), "thread"),
            figures.mean_wall,
            figures.max_wall
        )?;
    }
    writeln!(
        output,
        "  nodes: mean {:.0}, max {}; {:.1} ns/node",
        figures.mean_nodes, figures.max_nodes, figures.per_node
    )?;
    writeln!(
        output,
        "  tables: {:.1} MB, ready after {:.2} s",
        tables.bytes as f64 / 1e6,
        tables.time.as_secs_f64()
    )
}

pub(super) fn as_json(
    suite: &Suite,
    figures: &Figures,
    tables: &Made,
    threads: Option<u16>,
    each: &[(String, Run)],
) -> Value {
    let mut object = json!({
        "suite": suite.to_string(),
        "boards": figures.boards,
        "solved": figures.solved,
        "mean_length": figures.mean_length,
        "milliseconds": times_as_json(figures),
        "nodes": { "mean": figures.mean_nodes, "max": figures.max_nodes },
        "ns_per_node": figures.per_node,
        "table_bytes": tables.bytes,
        "table_seconds": tables.time.as_secs_f64(),
    });
    if let Some(threads) = threads {
        object["threads"] = threads.into();
        object["wall_milliseconds"] = json!({ "mean": figures.mean_wall, "max": figures.max_wall });
    }
    if !each.is_empty() {
        let run = |(board, run): &(String, Run)| {
            let mut object = json!({
                "board": board,
                "length": run.length,
                "lower_bound": run.lower_bound,
                "milliseconds": milliseconds(run.time),
                "nodes": run.nodes,
            });
            if threads.is_some() {
                object["wall_milliseconds"] = milliseconds(run.wall).into();
            }
            object
        };
        object["runs"] = each.iter().map(run).collect();
    }
    object
}
