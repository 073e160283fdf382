//! The log: its format and filter.

use std::io::IsTerminal;
use std::panic::PanicHookInfo;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

use super::format::{Format, LogFormat};
use super::lines::Log;

/// Checks a filter of the log: a level, `TARGET=LEVEL`, or several of these separated by commas. Returns it
/// without the spaces around them: a level with a space would be a target, too.
///
/// # Errors
/// What is wrong with the filter. A single word that is not a level would be a target, and silence
/// everything else.
pub fn log_filter(text: &str) -> Result<String, String> {
    let parts: Vec<_> = text.split(',').map(str::trim).collect();
    for part in parts.iter().filter(|part| !part.contains(['=', '['])) {
        if part.is_empty() || part.parse::<LevelFilter>().is_err() {
            return Err(format!(
                "{part:?} is neither a level nor TARGET=LEVEL; levels are off, error, warn, info, debug and trace"
            ));
        }
    }
    let filter = parts.join(",");
    EnvFilter::builder()
        .parse(&filter)
        .map_err(|error| error.to_string())?;
    Ok(filter)
}

/// What is said of h2 unless the filter names it. It warns of each frame that a peer should not have
/// sent, and a peer can send any number.
const H2: &str = "h2=error";

/// Sends the log to standard error.
///
/// `filter` is one that [`log_filter`] accepts; h2's warnings are left out unless it names h2. A thread
/// writes the lines until the returned value is dropped. Calls do not wait for whoever reads the log; if
/// the reader is too slow or has gone, lines are lost and counted.
#[must_use]
pub fn install_logs(format: LogFormat, filter: &str) -> Log {
    let (log, lines) = Log::to(std::io::stderr());
    let builder = tracing_subscriber::fmt()
        // Of two directives for one target the later counts.
        .with_env_filter(EnvFilter::builder().parse_lossy(format!("{H2},{filter}")))
        .with_writer(lines);
    // Only tests install a second subscriber in one process. The first one stays.
    let _ = if format == LogFormat::Text && std::io::stderr().is_terminal() {
        builder.with_target(false).try_init()
    } else {
        builder.event_format(Format(format)).try_init()
    };
    std::panic::set_hook(Box::new(report_panic));
    log
}

/// Logs a panic as a line like the others, with its location. What the panic costs is logged where
/// it is caught.
fn report_panic(panic: &PanicHookInfo<'_>) {
    let payload = panic.payload();
    let text = payload.downcast_ref::<&str>().copied();
    tracing::error!(
        payload = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)),
        location = panic.location().map(tracing::field::display),
        thread = std::thread::current().name(),
        "panic"
    );
}
