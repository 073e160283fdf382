//! Formatting of log lines into a single buffer. Each call has a line, and passing its parts
//! through layers of formatters took a sixth of all instructions of an easy call. Nobody reads that
//! many lines on a terminal, so colored output there is left to the library.

use std::fmt::{self, Debug, Display, Write};
use std::time::SystemTime;

use humantime::format_rfc3339_micros;
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

/// The initial capacity of a line, in bytes.
const USUAL: usize = 512;

/// The prefix of the fields that say where lines from the `log` crate come from. They are left out,
/// as the library does.
const FOREIGN: &str = "log.";

/// The format of log lines.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object per line.
    Json,
}

/// Writes events in a format, without their spans.
#[derive(Clone, Copy, Debug)]
pub(super) struct Format(pub(super) LogFormat);

impl<S, N> FormatEvent<S, N> for Format
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        #[expect(clippy::disallowed_methods, reason = "people read it")]
        let now = format_rfc3339_micros(SystemTime::now());
        let level = event.metadata().level();
        let mut line = Line {
            format: self.0,
            text: String::with_capacity(USUAL),
            value: String::new(),
        };
        match self.0 {
            LogFormat::Text => write!(line.text, "{now} {level:>5}")?,
            LogFormat::Json => write!(line.text, r#"{{"timestamp":"{now}","level":"{level}""#)?,
        }
        event.record(&mut line);
        line.text.push_str(match self.0 {
            LogFormat::Text => "\n",
            LogFormat::Json => "}\n",
        });
        writer.write_str(&line.text)
    }
}

/// A line that is being written, field by field.
struct Line {
    format: LogFormat,
    text: String,
    /// The text of a value, before it is quoted.
    value: String,
}

impl Line {
    /// Writes a field's name and returns true, unless the field is left out.
    fn begins(&mut self, field: &Field) -> bool {
        if field.name().starts_with(FOREIGN) {
            return false;
        }
        match self.format {
            LogFormat::Text if field.name() == "message" => self.text.push(' '),
            LogFormat::Text => self.push([" ", field.name(), "="]),
            LogFormat::Json => self.push([",\"", field.name(), "\":"]),
        }
        true
    }

    fn push(&mut self, parts: [&str; 3]) {
        self.text.extend(parts);
    }

    /// Writes a value that needs no quotes in either format.
    fn plain(&mut self, field: &Field, value: impl Display) {
        if !self.begins(field) {
            return;
        }
        // Writing into a string cannot fail.
        let _ = write!(self.text, "{value}");
    }
}

impl Visit for Line {
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.plain(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.plain(field, value);
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        if value.is_finite() {
            self.plain(field, value);
        } else {
            // JSON has no such numbers.
            self.record_debug(field, &value);
        }
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.plain(field, value);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        if !self.begins(field) {
            return;
        }
        match self.format {
            LogFormat::Text => {
                let _ = write!(self.text, "{value:?}");
            }
            LogFormat::Json => {
                let quoted = serde_json::to_string(value).expect("text is written as JSON");
                self.text.push_str(&quoted);
            }
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if self.format == LogFormat::Text {
            if self.begins(field) {
                let _ = write!(self.text, "{value:?}");
            }
            return;
        }
        let mut text = std::mem::take(&mut self.value);
        text.clear();
        let _ = write!(text, "{value:?}");
        self.record_str(field, &text);
        self.value = text;
    }
}
