//! Has a server solve the suites.

use std::fmt;
use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

use super::kept::{self, Kept};
use super::served::{self, Call, Called, Served};
use super::{BenchArgs, Failure, bar};
use crate::cli::backend;

impl BenchArgs {
    /// Has a server answer calls with deadlines, and prints how it kept them. Fails if there was no answer at all.
    pub(super) async fn keep(&self, output: &mut dyn Write, url: &str) -> Result<(), Failure> {
        let calls = kept::calls(self.count(), self.seed(), &self.deadline);
        let client = backend::connect(&self.server, url).await?;
        let called = self.called(calls, &client, &"deadlines").await?;
        let outcome = served::outcome(&called);
        let kept = Kept::of(called);
        let written = if self.json {
            writeln!(output, "{}", kept.as_json(url, self.each))
        } else {
            kept.print(output, url, self.each)
        };
        let written = written.and_then(|()| output.flush());
        // It holds even if nobody reads the figures.
        outcome?;
        Ok(written?)
    }

    /// Has a server solve the boards, and prints the figures. Fails if a suite got no answer at all.
    pub(super) async fn call(&self, output: &mut dyn Write, url: &str) -> Result<(), Failure> {
        let client = backend::connect(&self.server, url).await?;
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
            let called = self.called(calls, &client, &*suite).await?;
            let served = Served::of(&called, begun.elapsed());
            let written = if self.json {
                writeln!(output, "{}", served.as_json(&suite, url))
            } else {
                served.print(output, &suite, url)
            };
            let written = written.and_then(|()| output.flush());
            served::outcome(&called)?;
            written?;
        }
        Ok(())
    }

    async fn called(
        &self,
        calls: Vec<Call>,
        client: &backend::Client,
        name: &dyn fmt::Display,
    ) -> Result<Vec<Called>, Failure> {
        let bar = bar(calls.len(), name);
        let done = {
            let bar = bar.clone();
            move || bar.inc(1)
        };
        let called = served::make(calls, client, self.in_flight.into(), done).await;
        bar.finish_and_clear();
        called
    }
}
