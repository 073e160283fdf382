//! The log: its format and filter.

use std::io::IsTerminal;
use std::panic::PanicHookInfo;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

use super::format::Format;
use super::lines::Log;

/// How log lines look.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

/// Reads a filter of the log: a level, or `TARGET=LEVEL`, or several of these with commas between.
///
/// # Errors
/// What is wrong with it. A word alone that is no level would be a target, and silence the rest.
pub fn log_filter(text: &str) -> Result<String, String> {
    let parts = text.split(',').map(str::trim);
    for part in parts.filter(|part| !part.contains(['=', '['])) {
        if part.is_empty() || part.parse::<LevelFilter>().is_err() {
            return Err(format!(
                "{part:?} is neither a level nor TARGET=LEVEL; levels are off, error, warn, info, debug and trace"
            ));
        }
    }
    EnvFilter::builder()
        .parse(text)
        .map_err(|error| error.to_string())?;
    Ok(text.to_owned())
}

/// Sends the log to standard error.
///
/// `filter` is one that can be [read](log_filter). Lines are written by a thread of their own, until what is returned is dropped:
/// calls do not wait for whoever reads the log, and when he is too slow lines are lost, and counted.
#[must_use]
pub fn install_logs(format: LogFormat, filter: &str) -> Log {
    let (log, lines) = Log::to(std::io::stderr());
    let builder = tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::builder().parse_lossy(filter))
        .with_writer(lines);
    // A second subscriber in one process is a test's; the first one stays.
    let _ = if format == LogFormat::Text && std::io::stderr().is_terminal() {
        builder.with_target(false).try_init()
    } else {
        builder.event_format(Format(format)).try_init()
    };
    std::panic::set_hook(Box::new(report_panic));
    log
}

/// A panic is a line like the others, with its place. What it costs is said where it is caught.
fn report_panic(panic: &PanicHookInfo<'_>) {
    let payload = panic.payload();
    let said = payload.downcast_ref::<&str>().copied();
    tracing::error!(
        said = said.or_else(|| payload.downcast_ref::<String>().map(String::as_str)),
        location = panic.location().map(tracing::field::display),
        thread = std::thread::current().name(),
        "panic"
    );
}
