//! Carries out a plan: its searches one after the other, as one search. While beams look for better
//! solutions, the search that proves runs beside them.

mod current;
mod deferred;
mod own_choice;
mod parts;
mod prover;

use std::collections::VecDeque;
use std::mem;
use std::sync::Arc;

use crate::heuristic::{HeuristicKind, pushes};
use crate::puzzle::{Metric, Problem, Solution};

use super::distance_table::{Class, DistanceTable};
use super::plan::{Objective, Stage};
use super::tables::Tables;
use super::{Budget, Iteration, Part, Progress, Search, Step, Stop, UNNAMED};

use current::{Current, PATIENCE, Role};
use deferred::Deferred;
use prover::Prover;

pub use own_choice::optimal_solver;

/// A solution, and the search that found it.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The solution, shorter than any before it.
    pub solution: Solution,
    /// Its length in the metric that was asked for.
    pub length: usize,
    /// The search that found it.
    pub by: Stage,
}

/// Runs the stages of a plan until the objective is met. Finds ever shorter solutions.
pub struct Chain {
    problem: Problem,
    metric: Metric,
    objective: Objective,
    tables: Arc<Tables>,
    /// The problem's own table, if the plan needs it and it is ready. Kept until it is walked, whatever
    /// becomes of it elsewhere.
    table: Option<Arc<DistanceTable>>,
    /// The stages that have not begun.
    waiting: VecDeque<Stage>,
    current: Option<Current>,
    /// How many times as long the first solution took as where beams were measured, waits for a worker
    /// included; 1 until it is found.
    slowness: f64,
    /// The search that proves, while the current one makes beams.
    prover: Option<Box<Prover>>,
    /// The most bytes that both have held together.
    peak_memory: u64,
    /// The budget of the last call of `advance`.
    budget: Budget,
    /// The work on tables, in nodes, that stages still wait for before another search stands in for them.
    patience: u64,
    /// Beams that were given up for lack of time or memory.
    deferred: Option<Deferred>,
    /// The number of parts handed out. No search is left before its own parts are back.
    out: usize,
    /// The progress of the stages that are over; its lower bound is that of all searches.
    past: Progress,
    /// The iterations of the last stage that is over and worked by iterations.
    past_iterations: Vec<Iteration>,
    best_length: Option<usize>,
    /// What to report when no stage is left.
    last_stop: Stop,
    begun: bool,
}

impl Chain {
    /// A search by `stages`, which [`super::plan::plan`] chose for the metric. Lengths and bounds are in that
    /// metric.
    #[must_use]
    pub fn new(
        problem: Problem,
        metric: Metric,
        objective: Objective,
        stages: Vec<Stage>,
        tables: Arc<Tables>,
    ) -> Self {
        let table = Class::of(&problem)
            .and_then(|class| class.counted_in(metric))
            .filter(|_| stages.contains(&Stage::TableWalk))
            .and_then(|class| tables.ready(class));
        Self {
            problem,
            metric,
            objective,
            tables,
            table,
            waiting: stages.into(),
            current: None,
            slowness: 1.0,
            prover: None,
            peak_memory: 0,
            budget: Budget {
                memory: 0,
                ..Budget::nodes(0)
            },
            patience: PATIENCE,
            deferred: None,
            out: 0,
            past: Progress::default(),
            past_iterations: Vec::new(),
            best_length: None,
            last_stop: Stop::Exhausted,
            begun: false,
        }
    }

    /// The end that the proven facts allow, if any.
    fn met(&self) -> Option<Stop> {
        let bound = self.progress().lower_bound;
        self.objective.end(self.best_length?, bound)
    }

    /// Ends the current stage. What it has done still counts.
    fn leave(&mut self, stop: Stop) {
        self.last_stop = after(stop);
        self.past_iterations = self.own_iterations();
        self.past = self.own_progress().at_rest();
        self.note_slowness();
        self.current = None;
    }

    /// Whether the search goes on with its current stages.
    fn has_open_end(&self) -> bool {
        self.met().is_none() && !self.is_overtaken()
    }

    /// Records an answer, unless there is one at least as good.
    fn improved(&mut self, answer: Answer) -> Step<Answer> {
        if self.best_length.is_some_and(|best| best <= answer.length) {
            return Step::Working;
        }
        self.best_length = Some(answer.length);
        Step::Found(answer)
    }

    /// The answer for a board that is solved, for which no stage has to be prepared.
    fn answer_if_solved(&self) -> Option<Answer> {
        let solution = self.problem.replay(Vec::new()).ok()?;
        Some(Answer {
            solution,
            length: 0,
            by: *self.waiting.front()?,
        })
    }

    /// Advances the current stage, or prepares the next one.
    fn advance_stages(&mut self) -> Step<Answer> {
        let budget = self.budget;
        match self.current.as_ref().map(|current| current.role) {
            None => match self.waiting.front() {
                Some(&stage) => self.prepare(stage),
                None => return Step::Done(self.last_stop),
            },
            Some(Role::Planned) => return self.advance_current(budget.nodes),
            Some(Role::StandsIn { stage, until }) => {
                match until.saturating_sub(self.progress().generated) {
                    0 => self.prepare_awaited(stage),
                    left => return self.advance_current(budget.nodes.min(left)),
                }
            }
            Some(Role::MakesWay { stage }) => {
                if self.shed(budget.nodes) {
                    self.leave(Stop::Exhausted);
                    self.waiting.push_front(stage);
                }
            }
        }
        Step::Working
    }

    /// Advances the current stage by so many nodes.
    fn advance_current(&mut self, nodes: u64) -> Step<Answer> {
        let memory = self.budget.memory.saturating_sub(self.prover_memory());
        let Some(current) = &mut self.current else {
            return Step::Working;
        };
        let stage = current.stage;
        let step = current.solver.advance(Budget {
            nodes,
            memory,
            ..self.budget
        });
        match step {
            Step::Working => Step::Working,
            Step::Found(solution) => self.improved(Answer {
                length: self.metric.length(solution.moves()),
                solution,
                by: stage,
            }),
            Step::Done(stop) => {
                let role = mem::replace(&mut current.role, Role::Planned);
                if let (Role::StandsIn { stage, .. }, Stop::Memory) = (role, stop) {
                    // Nobody asked for this search. The one that it stood in for may need less: its tables
                    // are waited for.
                    current.role = Role::MakesWay { stage };
                    self.patience = u64::MAX;
                    return Step::Working;
                }
                self.defer(stage, stop);
                let is_last = self.waiting.is_empty() && self.prover.is_none();
                if is_last && self.deferred.is_none() {
                    // Freeing a large search takes longer than a slice, and the asker is waiting for the end.
                    self.last_stop = after(stop);
                    return Step::Done(self.last_stop);
                }
                if self.shed(self.budget.nodes) {
                    self.leave(stop);
                }
                Step::Working
            }
        }
    }

    /// The progress of the stages that run one after the other.
    fn own_progress(&self) -> Progress {
        match &self.current {
            Some(current) => {
                let mut now = current.solver.progress();
                if !current.stage.proves_in(self.metric) {
                    now.lower_bound = 0;
                }
                self.past.then(now)
            }
            None => self.past,
        }
    }

    /// The iterations of the last of these stages that worked by iterations.
    fn own_iterations(&self) -> Vec<Iteration> {
        self.current
            .as_ref()
            .map(|current| current.solver.iterations())
            .filter(|iterations| !iterations.is_empty())
            .unwrap_or_else(|| self.past_iterations.clone())
    }
}

impl Search for Chain {
    type Found = Answer;

    fn advance(&mut self, budget: Budget) -> Step<Answer> {
        let before = mem::replace(&mut self.budget, budget);
        let is_another = budget.asker != before.asker;
        self.resume_deferred(is_another);
        if let Some(current) = self.current.as_mut().filter(|_| is_another) {
            current.began = None;
        }
        if !self.begun {
            self.begun = true;
            self.past.lower_bound = lower_bound(&self.problem, self.metric);
            if let Some(answer) = self.answer_if_solved() {
                return self.improved(answer);
            }
        }
        if self.prover.is_some() {
            self.peak_memory = self.progress().peak_memory;
        }
        let met = self.met();
        let is_overtaken = self.is_overtaken();
        if self.out > 0 && (met.is_some() || is_overtaken) {
            return Step::Working;
        }
        if let Some(stop) = met {
            // The search is left as it stands: freeing a large one takes longer than a slice, and the asker
            // is waiting for the end.
            return Step::Done(stop);
        }
        if is_overtaken {
            // The search begins again; what was proven before remains.
            self.leave(Stop::Exhausted);
            self.begin_guided();
        }
        if self.is_provers_turn(budget.nodes) {
            let step = self.advance_prover();
            // Without nodes this is a last look at what parts have brought back, to the proof and to the beams.
            let goes_on = budget.nodes == 0 && self.current.is_some();
            if !goes_on || !matches!(step, Step::Working) {
                return step;
            }
        }
        self.advance_stages()
    }

    fn progress(&self) -> Progress {
        let own = self.own_progress();
        let all = match &self.prover {
            Some(prover) => own.alongside(prover.chain.progress()),
            None => own,
        };
        Progress {
            peak_memory: all.peak_memory.max(self.peak_memory),
            ..all
        }
    }

    /// The iterations of the last stage that worked by iterations.
    fn iterations(&self) -> Vec<Iteration> {
        match &self.prover {
            Some(prover) => prover.chain.iterations(),
            None => self.own_iterations(),
        }
    }

    fn name(&self) -> &'static str {
        match (&self.current, &self.prover) {
            (Some(current), _) => current.stage.name(),
            (None, Some(prover)) => prover.chain.name(),
            (None, None) => UNNAMED,
        }
    }

    fn gains_by_help(&self) -> bool {
        let current = self.current.as_ref();
        let gains = current.is_some_and(|current| current.solver.gains_by_help());
        gains && self.has_open_end() && !self.proof_gains_most()
    }

    fn part_memory(&self) -> u64 {
        let current = self.current.as_ref();
        current.map_or(0, |current| current.solver.part_memory()) + self.prover_memory()
    }

    fn split(&mut self, memory: u64) -> Option<Box<dyn Part>> {
        let part = self.hand_out(memory)?;
        Some(Box::new(part))
    }

    fn waits(&self) -> bool {
        let current = self.current.as_ref();
        let prover = self.prover.as_ref();
        let is_held_up = !self.has_open_end()
            || (current.is_none_or(|current| current.solver.waits())
                && prover.is_none_or(|prover| prover.chain.waits()));
        self.out > 0 && is_held_up
    }

    fn join(&mut self, part: Box<dyn Part>) {
        self.take_back(part);
    }

    fn shed(&mut self, nodes: u64) -> bool {
        let current = self.current.as_mut();
        current.is_none_or(|current| current.solver.shed(nodes))
    }
}

/// What to report if no stage follows one that stopped like this.
const fn after(stop: Stop) -> Stop {
    match stop {
        Stop::Memory | Stop::Time => stop,
        _ => Stop::Exhausted,
    }
}

/// A quickly computed lower bound on the length of a problem's shortest solutions in a metric.
#[must_use]
pub fn lower_bound(problem: &Problem, metric: Metric) -> u32 {
    match metric {
        Metric::SingleTile => HeuristicKind::default().lower_bound(problem),
        Metric::MultiTile => pushes::lower_bound(problem),
    }
}
