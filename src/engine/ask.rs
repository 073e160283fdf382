//! How a question is answered: on the caller's thread, by a search of its own in the pool, or by a
//! running search for an equal question.

use std::sync::Arc;

use crate::search::chain::Chain;
use crate::search::plan::{Objective, Stage};
use crate::telemetry;

use super::backlog::Until;
use super::cache::{Asked, Leave};
use super::easy::{self, looks_easy};
use super::job::Job;
use super::pool::Next;
use super::rank::Rank;
use super::share::{Asker, Publisher, Shared};
use super::solving::Terms;
use super::{
    Best, Client, Engine, Limits, Question, Refused, Reservation, Solving, Waiting, expected_moves,
};

impl Engine {
    /// Answers an easy question at once. For any other, starts a search or joins one of the same
    /// client for an equal question. `client` is the caller, if known.
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
            let held = self.hold(&question, &stages, &limits)?;
            let mut easy = self.begin(&question, stages.clone(), never_fails, &limits, held);
            if self.pool.begin_here(client, &mut easy.job, easy::CHUNK) == Next::Finished {
                telemetry::solved_at_once();
                return Ok(self.solving(easy.asker, limits, objective, None));
            }
            begun = Some(easy);
        }
        let asked = Asked {
            question,
            max_nodes: limits.nodes,
            max_memory: limits.memory,
        };
        let key = self.cache.key(client, asked);
        let (due, _) = limits.time_up();
        let mut held = None;
        let asker = loop {
            let asked = self.cache.ask(&key, due, || {
                let problem = &key.question.problem;
                // What was begun here mostly has its first answer, and owes the proof.
                let has_answer = begun
                    .as_ref()
                    .is_some_and(|easy| easy.asker.snapshot().found.answer.is_some());
                let (until, rank, averages) = if never_fails && !has_answer {
                    let rank = Rank::of_first_answer(problem.shape());
                    (Until::Found, rank, &self.first_answers)
                } else {
                    let rank = Rank::of_proof(problem);
                    (Until::Proven, rank, &self.proofs)
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
                    None => {
                        let bytes = first_bytes(&key.question, &stages);
                        let free = || self.memory.reserve_free(bytes);
                        let held = held.take().or_else(free).ok_or(NotBegun::NoneFree)?;
                        self.begin(&key.question, stages.clone(), never_fails, &limits, held)
                    }
                };
                let promise = self.backlog.promise(until, average);
                let ticket = self.submit(client, job.ranked(rank).promised(promise))?;
                asker.shared().placed(ticket);
                Ok(asker)
            });
            match asked {
                Ok(asker) => break asker,
                Err(NotBegun::Refused(refused)) => return Err(refused),
                // Others may give some back in a moment, for which nobody else should have to wait.
                Err(NotBegun::NoneFree) => {
                    held = Some(self.hold(&key.question, &stages, &limits)?);
                }
            }
        };
        let leave = self.cache.leave_later(key, &asker);
        Ok(self.solving(asker, limits, objective, Some(leave)))
    }

    /// Reserves memory for the beginning of a search; may wait for it, but not for long.
    fn hold(
        &self,
        question: &Question,
        stages: &[Stage],
        limits: &Limits,
    ) -> Result<Reservation, Refused> {
        match self.memory.reserve(first_bytes(question, stages)) {
            Some(held) => Ok(held),
            // While others hold nearly all memory, it begins without pattern databases.
            None => self.reserve_above(expected_moves(question.problem.shape()), limits.answer),
        }
    }

    /// Creates the search for a question and its first asker.
    fn begin(
        &self,
        question: &Question,
        stages: Vec<Stage>,
        answer_first: bool,
        limits: &Limits,
        held: Reservation,
    ) -> Begun {
        let chain = Chain::new(
            question.problem.clone(),
            question.metric,
            question.objective,
            stages,
            Arc::clone(self.store.tables()),
        );
        let (asker, publisher) = Shared::begin(answer_first, limits.time_up().0);
        let job = Job::new(chain, publisher, limits.nodes, limits.memory, held);
        Begun { asker, job }
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
        Waiting::new(asker, limits, terms, self.draining.clone(), leave)
    }
}

/// The bytes of a search's first solution and of what its stages hold from the beginning.
fn first_bytes(question: &Question, stages: &[Stage]) -> u64 {
    let shape = question.problem.shape();
    let fixed = stages.iter().map(|stage| stage.fixed_bytes(shape)).max();
    expected_moves(shape) + fixed.unwrap_or(0)
}

/// Why a search has not begun.
enum NotBegun {
    Refused(Refused),
    /// There is no free memory for it.
    NoneFree,
}

impl From<Refused> for NotBegun {
    fn from(refused: Refused) -> Self {
        Self::Refused(refused)
    }
}

/// A search that has no place in the pool yet.
struct Begun {
    asker: Asker<Best>,
    job: Job<Chain, Publisher<Best>>,
}
