//! How a question is answered: on the caller's thread, by a search of its own in the pool, or by a
//! running search for an equal question.

use std::sync::Arc;
use std::time::Duration;

use crate::search::Progress;
use crate::search::chain::Chain;
use crate::search::plan::{Objective, Stage};
use crate::telemetry;

use super::backlog::Until;
use super::cache::{Asked, Leave};
use super::easy::{self, looks_easy};
use super::job::Job;
use super::pool::{self, Next};
use super::rank::Rank;
use super::share::{Asker, Publisher, Shared};
use super::solving::Terms;
use super::{Best, Client, Engine, Limits, Question, Refused, Waiting, Work, expected_moves};

impl Engine {
    /// Answers an easy question at once. For any other, starts a search or joins one for an equal
    /// question. `client` is the caller, if known.
    ///
    /// # Errors
    /// When the request is refused.
    pub fn solve(
        &self,
        client: Option<&Client>,
        question: Question,
        limits: Limits,
    ) -> Result<Solving, Refused> {
        self.admit()?;
        let (stages, ready) = self.plan_with(&question)?;
        let is_easy = looks_easy(&question, &stages, ready.guide);
        let objective = question.objective;
        let takes_any = objective.takes_any();
        let first = stages.first();
        let never_fails =
            takes_any && matches!(first, Some(Stage::Constructive(_) | Stage::TableWalk));
        let mut begun = None;
        if is_easy {
            let mut easy = self.begin(&question, stages.clone(), never_fails, &limits)?;
            if self.pool.begin_here(client, &mut easy.job, easy::CHUNK) == Next::Finished {
                telemetry::solved_at_once();
                return Ok(self.solving(easy.asker, limits, objective, None));
            }
            begun = Some(easy);
        }
        let key = self.cache.key(Asked {
            question,
            max_nodes: limits.nodes,
            max_memory: limits.memory,
        });
        let (due, _) = limits.time_up();
        let asker = self.cache.ask(&key, due, || {
            let problem = &key.question.problem;
            let (until, rank, averages) = if never_fails {
                let rank = Rank::of_first_answer(problem.shape());
                (Until::Found, rank, &self.first_answers)
            } else {
                let rank = Rank::of_proof(problem);
                (Until::Proven(pool::SLICE), rank, &self.proofs)
            };
            let average = averages.of(rank);
            // Where any solution will do, only the call's own deadline limits the wait for the first.
            let latest = if takes_any {
                limits.deadline
            } else {
                Some(due)
            };
            self.in_time(client, rank, average.get(), latest)?;
            let Begun { asker, job } = match begun.take() {
                Some(begun) => begun,
                None => self.begin(&key.question, stages, never_fails, &limits)?,
            };
            let promise = self.backlog.promise(until, average);
            let ticket = self.submit(client, job.ranked(rank).promised(promise))?;
            asker.shared().placed(ticket);
            Ok::<_, Refused>(asker)
        })?;
        let leave = self.cache.leave_later(key, &asker);
        Ok(self.solving(asker, limits, objective, Some(leave)))
    }

    /// Creates the search for a question and its first asker.
    fn begin(
        &self,
        question: &Question,
        stages: Vec<Stage>,
        answer_first: bool,
        limits: &Limits,
    ) -> Result<Begun, Refused> {
        let shape = question.problem.shape();
        let moves = expected_moves(shape);
        let fixed = stages.iter().map(|stage| stage.fixed_bytes(shape)).max();
        // While others hold nearly all memory, it begins without pattern databases.
        let held = match self.memory.reserve(moves + fixed.unwrap_or(0)) {
            Some(held) => held,
            None => self.reserve_above(moves, limits.answer)?,
        };
        let chain = Chain::new(
            question.problem.clone(),
            question.metric,
            question.objective,
            stages,
            Arc::clone(self.store.tables()),
        );
        let (asker, publisher) = Shared::begin(answer_first, limits.time_up().0);
        let job = Job::new(chain, publisher, limits.nodes, limits.memory, held);
        Ok(Begun { asker, job })
    }

    fn solving(
        &self,
        asker: Asker<Best>,
        limits: Limits,
        objective: Objective,
        leave: Option<Leave>,
    ) -> Solving {
        let terms = Terms {
            objective: Some(objective),
            never_fails: asker.shared().answers_first(),
        };
        Solving {
            waiting: Waiting::new(asker, limits, terms, self.draining.clone()),
            _leave: leave,
        }
    }
}

/// A search that has no place in the pool yet.
struct Begun {
    asker: Asker<Best>,
    job: Job<Chain, Publisher<Best>>,
}

/// A request's part in the search for its question. Dropping it leaves the search.
#[derive(Debug)]
pub struct Solving {
    // Dropped before `_leave`, which checks whether anybody still waits.
    waiting: Waiting<Best>,
    _leave: Option<Leave>,
}

impl Work for Solving {
    fn progress(&self) -> Progress {
        self.waiting.progress()
    }

    fn queued(&self) -> Duration {
        self.waiting.queued()
    }
}

impl std::ops::Deref for Solving {
    type Target = Waiting<Best>;

    fn deref(&self) -> &Waiting<Best> {
        &self.waiting
    }
}

impl std::ops::DerefMut for Solving {
    fn deref_mut(&mut self) -> &mut Waiting<Best> {
        &mut self.waiting
    }
}
