//! Has a server solve the suites.

use std::fmt;
use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

use super::kept::{self, Kept};
use super::served::{self, Call, Called, Served};
use super::suites::Name;
use super::{BenchArgs, Failure, bar};

impl BenchArgs {
    /// Has a server solve the boards, and prints the figures. Fails if a suite got no answer at all.
    pub(super) async fn by_server(&self, output: &mut dyn Write, url: &str) -> Result<(), Failure> {
        if !self.deadline.is_empty() && !self.suites()?.is_empty() {
            let hint = "--deadline with --server is only for --suite deadline; for other suites use --timeout";
            return Err(Failure::Input(hint.to_owned()));
        }
        if self.suite.contains(&Name::Deadline) {
            let calls = kept::calls(self.count, self.seed, &self.deadline);
            let called = self.called(calls, url, &"deadlines").await?;
            let outcome = served::outcome(&called);
            let kept = Kept::of(called);
            if self.json {
                writeln!(output, "{}", kept.as_json(url, self.each))?;
            } else {
                kept.print(output, url, self.each)?;
            }
            outcome?;
        }
        for suite in self.suites()? {
            let cases = self.cases(&suite)?;
            let suite = Arc::new(suite);
            let call = |case| Call {
                case,
                deadline: self.server.timeout,
                suite: Some(Arc::clone(&suite)),
            };
            let calls = cases.into_iter().map(call).collect();
            let begun = Instant::now();
            let called = self.called(calls, url, &*suite).await?;
            let served = Served::of(&called, begun.elapsed());
            if self.json {
                writeln!(output, "{}", served.as_json(&suite, url))?;
            } else {
                served.print(output, &suite, url)?;
            }
            output.flush()?;
            served::outcome(&called)?;
        }
        Ok(())
    }

    async fn called(
        &self,
        calls: Vec<Call>,
        url: &str,
        name: &dyn fmt::Display,
    ) -> Result<Vec<Called>, Failure> {
        let bar = bar(calls.len(), name);
        let done = {
            let bar = bar.clone();
            move || bar.inc(1)
        };
        let called = served::make(calls, &self.server, url, self.in_flight.into(), done).await;
        bar.finish_and_clear();
        called
    }
}
