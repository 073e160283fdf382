//! Waits for an answer, shows progress meanwhile, and handles Ctrl-C.

use std::io::{Write, stderr};
use std::pin::pin;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use std::{process, thread};

use indicatif::{HumanCount, HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use tokio::runtime;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout};

use super::{Exit, Failure};
use crate::service::proto::{Improvement, Progress};

/// No progress is shown before this time: a little over the second that a question without limits takes.
const PATIENCE: Duration = Duration::from_millis(1200);

const REDRAW: Duration = Duration::from_millis(250);

/// How long after the deadline to wait for the server to report itself that it has passed.
const AFTER_DEADLINE: Duration = Duration::from_millis(500);

/// The newest progress of a search that is still going on.
#[derive(Debug, Default)]
pub struct Latest(Mutex<Progress>);

impl Latest {
    /// Records progress that the service reports.
    pub fn progress(&self, progress: Progress) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = progress;
    }

    /// Records a better solution.
    pub fn improvement(&self, improvement: &Improvement) {
        let mut latest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        latest.best_length = improvement.length;
        latest.lower_bound = improvement.lower_bound;
    }

    /// Returns the progress line after `elapsed`, with the speed in millions of nodes a second and
    /// how long IDA* may need for its iterations.
    #[must_use]
    pub fn line(&self, elapsed: Duration) -> String {
        let latest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut line = format!("{:.1} s", elapsed.as_secs_f64());
        for (value, word) in [
            (u64::from(latest.best_length), "best length"),
            (u64::from(latest.lower_bound), "lower bound"),
            (latest.nodes_generated, "nodes"),
        ] {
            if value > 0 {
                line += &format!(", {word} {}", HumanCount(value));
            }
        }
        if latest.nodes_per_second > 0.0 {
            line += &format!(", {:.2} M/s", latest.nodes_per_second / 1e6);
        }
        for (time, words) in [
            (latest.iteration_remaining, "this iteration may take"),
            (latest.next_iteration, "the next one"),
        ] {
            if let Some(time) = time.and_then(|time| Duration::try_from(time).ok()) {
                line += &format!(", {words} {}", HumanDuration(time));
            }
        }
        line
    }
}

/// Waits for `work`, at most a little longer than its deadline, and shows progress on standard error.
/// Ctrl-C drops the work, which cancels its call; once there is an answer, it ends the process.
pub(super) async fn attend<T>(
    latest: &Latest,
    deadline: Option<Duration>,
    work: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    let start = Instant::now();
    let mut work = pin!(in_time(deadline, work));
    let mut interrupt = pin!(tokio::signal::ctrl_c());
    let mut ticks = interval_at(start + PATIENCE, REDRAW);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let mut meter = Meter::new();
    loop {
        tokio::select! {
            biased;
            _ = &mut interrupt => return Err(Failure::Interrupted),
            result = &mut work => {
                let result = result.unwrap_or(Err(Failure::Late));
                if result.is_ok() {
                    end_on_interrupt()?;
                }
                return result;
            }
            _ = ticks.tick() => meter.show(start.elapsed(), latest),
        }
    }
}

/// Waits for the answer to a call, at most a little longer than its deadline: the library stops waiting by itself only
/// for the beginning of an answer. Returns `None` if the answer has not come by then.
pub(super) async fn in_time<T>(
    deadline: Option<Duration>,
    answer: impl Future<Output = T>,
) -> Option<T> {
    match deadline {
        Some(deadline) => {
            let longest = deadline.saturating_add(AFTER_DEADLINE);
            timeout(longest, answer).await.ok()
        }
        None => Some(answer.await),
    }
}

/// Lets Ctrl-C end the process from now on. Once [`attend`] has waited for it, the system's own way to do
/// so is gone, and nobody would notice it while a long answer is printed.
fn end_on_interrupt() -> Result<(), Failure> {
    let broken = |error| Failure::Broken(format!("cannot wait for Ctrl-C: {error}"));
    let runtime = runtime::Builder::new_current_thread()
        .enable_io()
        .build()
        .map_err(broken)?;
    // Before anything is printed: a signal is lost while its handler is being installed.
    let mut interrupt = {
        let _entered = runtime.enter();
        signal(SignalKind::interrupt()).map_err(broken)?
    };
    let wait = move || {
        if runtime.block_on(interrupt.recv()).is_some() {
            process::exit(Exit::Interrupted as i32);
        }
    };
    thread::Builder::new().spawn(wait).map_err(broken)?;
    Ok(())
}

/// Shows progress: a spinner on a terminal, elsewhere lines at growing intervals. Dropping it removes the spinner.
struct Meter {
    spinner: ProgressBar,
    next_line: Duration,
}

impl Meter {
    fn new() -> Self {
        let style = ProgressStyle::with_template("{spinner} {wide_msg}").expect("a legal template");
        let spinner = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        Self {
            spinner: spinner.with_style(style),
            next_line: PATIENCE,
        }
    }

    fn show(&mut self, elapsed: Duration, latest: &Latest) {
        if !self.spinner.is_hidden() {
            self.spinner.set_message(latest.line(elapsed));
            self.spinner.tick();
        } else if elapsed >= self.next_line {
            // A failure to show progress must not fail the command.
            let _ = writeln!(stderr(), "{}", latest.line(elapsed));
            self.next_line *= 2;
        }
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        self.spinner.finish_and_clear();
    }
}
