//! How a question is answered: on the caller's thread, by a search of its own in the pool, or by a
//! running search for an equal question.

use std::sync::Arc;

use crate::search::chain::Chain;
use crate::search::plan::Stage;
use crate::telemetry;

use super::backlog::Until;
use super::cache::Asked;
use super::easy::{self, looks_easy};
use super::job::Job;
use super::pool::Next;
use super::rank::Rank;
use super::share::{Asker, Publisher, Shared};
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
        let objective = Some(question.objective);
        let draining = self.draining.clone();
        let mut begun = None;
        if looks_easy(&question, &stages, ready.guide) {
            let held = self.hold(&question, &stages, &limits)?;
            let mut easy = self.begin(&question, &stages, &limits, held);
            if self.pool.begin_here(client, &mut easy.job, easy::CHUNK) == Next::Finished {
                telemetry::solved_at_once();
                return Ok(Waiting::new(easy.asker, limits, objective, draining, None));
            }
            begun = Some(easy);
        }
        let key = self.cache.key(
            client,
            Asked {
                question,
                max_nodes: limits.nodes,
                max_memory: limits.memory,
            },
        );
        let question = &key.question;
        let (due, _) = limits.time_up();
        let asker = loop {
            let place = || self.place(client, question, &stages, &limits, begun.take());
            match self.cache.ask(&key, due, place) {
                Ok(asker) => break asker,
                Err(NotPlaced::Refused(refused)) => return Err(refused),
                // Others may give some back in a moment, for which nobody else should have to wait.
                Err(NotPlaced::NoneFree) => {
                    let held = self.hold(question, &stages, &limits)?;
                    begun = Some(self.begin(question, &stages, &limits, held));
                }
            }
        };
        let leave = self.cache.leave_later(key, &asker);
        Ok(Waiting::new(
            asker,
            limits,
            objective,
            draining,
            Some(leave),
        ))
    }

    /// Gives the search for a question, which may have `begun`, a place in the pool, unless its answer would come
    /// too late. Returns its first asker.
    fn place(
        &self,
        client: Option<&Client>,
        question: &Question,
        stages: &[Stage],
        limits: &Limits,
        begun: Option<Begun>,
    ) -> Result<Asker<Best>, NotPlaced> {
        // What was begun on the caller's thread mostly has its first answer, and owes the proof.
        let has_answer = begun.as_ref().is_some_and(Begun::has_answer);
        let (until, rank, averages) = if never_fails(question, stages) && !has_answer {
            let rank = Rank::of_first_answer(question.problem.shape());
            (Until::Found, rank, &self.first_answers)
        } else {
            let rank = Rank::of_proof(&question.problem);
            (Until::Proven, rank, &self.proofs)
        };
        let average = averages.of(rank);
        // Where any solution will do, only the call's own deadline limits the wait for the first.
        let latest = if question.objective.takes_any() {
            limits.deadline
        } else {
            Some(limits.time_up().0)
        };
        self.in_time(client, rank, average.get(), latest)?;
        let Begun { asker, job } = match begun {
            Some(begun) => begun,
            None => {
                let held = self.memory.reserve_free(first_bytes(question, stages));
                let held = held.ok_or(NotPlaced::NoneFree)?;
                self.begin(question, stages, limits, held)
            }
        };
        let promise = self.backlog.promise(until, average);
        let ticket = self.submit(client, job.ranked(rank).promised(promise))?;
        asker.shared().placed(ticket);
        Ok(asker)
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
            None => self.reserve_above(expected_moves(question.problem.shape()), limits.held),
        }
    }

    /// Creates the search for a question and its first asker.
    fn begin(
        &self,
        question: &Question,
        stages: &[Stage],
        limits: &Limits,
        held: Reservation,
    ) -> Begun {
        let answer_first = never_fails(question, stages);
        let chain = Chain::new(
            question.problem.clone(),
            question.metric,
            question.objective,
            stages.to_vec(),
            Arc::clone(self.store.tables()),
        );
        let (asker, publisher) = Shared::begin(answer_first, limits.time_up().0);
        let job = Job::new(chain, publisher, limits.nodes, limits.memory, held);
        Begun { asker, job }
    }
}

/// Whether any solution is a good answer when a limit comes, and there will be one soon.
fn never_fails(question: &Question, stages: &[Stage]) -> bool {
    let first = stages.first();
    question.objective.takes_any()
        && matches!(first, Some(Stage::Constructive(_) | Stage::TableWalk))
}

/// The bytes of a search's first solution and of what its stages hold from the beginning.
fn first_bytes(question: &Question, stages: &[Stage]) -> u64 {
    let shape = question.problem.shape();
    let fixed = stages.iter().map(|stage| stage.fixed_bytes(shape)).max();
    expected_moves(shape) + fixed.unwrap_or(0)
}

/// Why a search has no place in the pool.
enum NotPlaced {
    Refused(Refused),
    /// There is no free memory for it.
    NoneFree,
}

impl From<Refused> for NotPlaced {
    fn from(refused: Refused) -> Self {
        Self::Refused(refused)
    }
}

/// A search that has no place in the pool yet.
struct Begun {
    asker: Asker<Best>,
    job: Job<Chain, Publisher<Best>>,
}

impl Begun {
    fn has_answer(&self) -> bool {
        self.asker.snapshot().found.answer.is_some()
    }
}
