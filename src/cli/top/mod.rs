//! `loyd top`: shows what a running server does, from its metrics.

mod samples;
mod view;

use std::io::{IsTerminal, Write, stdout};
use std::time::{Duration, Instant};

use clap::Args;

use super::metrics::{self, Source};
use super::{Exit, Failure};

pub use samples::Samples;
use view::View;

const EXAMPLES: &str = "\
Examples:
  loyd top
  loyd top --metrics http://10.0.0.7:9464/metrics --interval 5s
  loyd top --once --json | jq .workers.busy_ratio

How busy the workers are is the time that searches took, as a share of that of all workers. Easy
searches count although they run on the threads of their connections, so that many of them make the
workers look busier than they are, even busier than 100 %.

Exit codes: 0 done, 4 no metrics at that address, 5 a defect or a failed write, 130 interrupted
(--once).";

/// Clears the terminal and moves to its upper left corner.
const CLEAR: &str = "\x1b[H\x1b[2J";

/// Watch a running server.
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub struct TopArgs {
    /// Where the server serves its metrics: its --metrics-listen.
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:9464/metrics", value_parser = metrics::source)]
    metrics: Source,

    /// How often to read the metrics. Rates and quantiles are over this interval.
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = interval)]
    interval: Duration,

    /// Print once, after one interval.
    #[arg(long)]
    once: bool,

    /// Print one JSON object per interval.
    #[arg(long)]
    json: bool,
}

impl TopArgs {
    /// Prints what the server does until Ctrl-C, or once.
    ///
    /// # Errors
    /// When Ctrl-C comes before the one look of `--once`; when the metrics cannot be read, unless that happens later
    /// on a redrawn terminal, which shows the failure; or when the output is closed.
    pub async fn run(&self, output: &mut impl Write) -> Result<Exit, Failure> {
        let redraws = !self.once && !self.json && stdout().is_terminal();
        // Ctrl-C must also work while the server does not answer.
        tokio::select! {
            ended = self.look(output, redraws) => ended,
            _ = tokio::signal::ctrl_c() => match self.once {
                true => Err(Failure::Interrupted),
                // There is no other end.
                false => Ok(Exit::Done),
            },
        }
    }

    async fn look(&self, output: &mut impl Write, redraws: bool) -> Result<Exit, Failure> {
        let mut before = (Instant::now(), self.metrics.scrape().await?);
        loop {
            tokio::time::sleep(self.interval).await;
            let now = match self.metrics.scrape().await {
                Ok(samples) => (Instant::now(), samples),
                // A server that is restarted will answer again.
                Err(failure) if redraws => {
                    writeln!(output, "{CLEAR}{failure}")?;
                    output.flush()?;
                    continue;
                }
                Err(failure) => return Err(failure),
            };
            let view = View::new(&before.1, &now.1, now.0 - before.0);
            if self.json {
                writeln!(output, "{}", view.json())?;
            } else {
                let clear = if redraws { CLEAR } else { "" };
                writeln!(output, "{clear}{}\n{view}", self.metrics)?;
            }
            output.flush()?;
            if self.once {
                return Ok(Exit::Done);
            }
            before = now;
        }
    }
}

/// Parses an interval that is long enough for rates to mean something.
fn interval(text: &str) -> Result<Duration, String> {
    const LEAST: Duration = Duration::from_millis(100);
    match humantime::parse_duration(text) {
        Ok(interval) if interval >= LEAST => Ok(interval),
        Ok(_) => Err("the shortest interval is 100ms".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}
