//! Carries out a plan: its searches one after the other, as one search. While beams look for better
//! solutions, the search that proves runs beside them.

mod deferred;
mod parts;
mod prover;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use crate::heuristic::HeuristicKind;
use crate::heuristic::pushes::{self, PushKind};
use crate::puzzle::{Metric, Problem, Solution};

use super::anytime::beams;
use super::anytime::lookahead::{self, Lookahead};
use super::anytime::widening::{Beams, Widening};
use super::constructive::{Constructive, Variant};
use super::distance_table::table_walk::TableWalk;
use super::distance_table::{Class, DistanceTable};
use super::joined::Joined;
use super::plan::{Method, Objective, Ready, Stage, plan};
use super::tables::Tables;
use super::tables::guides::{Home, Strength};
use super::{
    Budget, Iteration, Part, Progress, Search, Solver, Step, Stop, UNNAMED, a_star, ida_star,
};

use deferred::Deferred;

/// The nodes that a stand-in generates before tables are made: some hundredths of a second, in which boards
/// near the goal are solved.
const STAND_IN_NODES: u64 = 500_000;

/// The least work on tables at a time, in nodes. It counts as none of the search's own: where few of these are
/// left, tables would be made state by state.
const LEAST_TO_PREPARE: u64 = 1024;

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
    waiting: VecDeque<Stage>,
    /// The strength of the pattern databases in use. Set while the current search is guided by them or stands
    /// in for one that is.
    guided_by: Option<Strength>,
    current: Option<(Stage, Solver)>,
    /// The stage that the current one stands in for, and how many nodes are generated before its tables are
    /// made.
    awaited: Option<(Stage, u64)>,
    /// The time left when the current stage began, if it still is the same asker's.
    began: Option<Duration>,
    /// How many times as long the first solution took as where beams were measured, waits for a worker
    /// included; 1 until it is found.
    slowness: f64,
    /// The search that proves, while the current one makes beams.
    prover: Option<Box<Self>>,
    /// The bytes reserved for it.
    reserve: u64,
    /// The most bytes that both have held together.
    peak_memory: u64,
    /// The nodes given to the stages and to the search beside them since the latter began.
    turns: [u64; 2],
    /// The time left at the last call of `advance`, and whose it was.
    left: Option<Duration>,
    asker: u32,
    /// The memory allowed at the last call of `advance`.
    memory: u64,
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
            guided_by: None,
            current: None,
            awaited: None,
            began: None,
            slowness: 1.0,
            prover: None,
            reserve: 0,
            peak_memory: 0,
            turns: [0; 2],
            left: None,
            asker: 0,
            memory: 0,
            deferred: None,
            out: 0,
            past: Progress::default(),
            past_iterations: Vec::new(),
            best_length: None,
            last_stop: Stop::Exhausted,
            begun: false,
        }
    }

    /// The searches that the server chooses for an objective, given the tables that are ready. Lengths are in
    /// slides.
    #[must_use]
    pub fn of_own_choice(problem: Problem, objective: Objective, tables: &Arc<Tables>) -> Self {
        let ready = Ready {
            distances: Class::of(&problem).is_some_and(|class| tables.ready(class).is_some()),
            guide: tables.guides().is_ready(Home::of(&problem)),
        };
        let metric = Metric::SingleTile;
        let stages = plan(metric, problem.shape(), objective, Method::default(), ready)
            .expect("the server's own choice suits every objective");
        Self::new(problem, metric, objective, stages, Arc::clone(tables))
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
        self.awaited = None;
        self.guided_by = None;
    }

    /// Learns from the time of the first solution how slow the machine is. Where beams are not staged that time
    /// is too short to say anything about them.
    fn note_slowness(&mut self) {
        let shape = self.problem.shape();
        let is_first = matches!(
            self.current,
            Some((Stage::Constructive(Variant::Best), _)) if beams::are_staged(shape)
        );
        let times = self.began.zip(self.left);
        if let Some((then, now)) = times.filter(|_| is_first) {
            self.slowness = lookahead::slowness(shape, then.saturating_sub(now));
        }
    }

    /// Whether there is as much memory as IDA* with pattern databases holds from its beginning.
    const fn can_be_guided(&self) -> bool {
        let guided = Stage::IdaStar(HeuristicKind::PatternDatabase);
        self.memory >= guided.fixed_bytes(self.problem.shape())
    }

    /// IDA* with pattern databases, or with the best other heuristic while they or the memory for them are
    /// missing.
    fn guided(&mut self) -> (HeuristicKind, Solver) {
        let heuristic = HeuristicKind::default();
        let guides = self.tables.guides();
        let strength = guides.strength(Home::of(&self.problem));
        if self.can_be_guided()
            && let Some(solver) = guides.solver(&self.problem)
        {
            self.guided_by = Some(strength);
            return (HeuristicKind::PatternDatabase, solver);
        }
        self.guided_by = Some(Strength::NONE);
        (heuristic, ida_star::solver(&self.problem, heuristic))
    }

    /// Whether the search goes on with its current stages.
    fn has_open_end(&self) -> bool {
        self.met().is_none() && !self.is_overtaken()
    }

    /// Whether better pattern databases are ready than those that the current search uses or would use.
    fn is_overtaken(&self) -> bool {
        let guides = self.tables.guides();
        self.can_be_guided()
            && self
                .guided_by
                .is_some_and(|guided_by| guides.strength(Home::of(&self.problem)) > guided_by)
    }

    /// Works on the tables of a stage for the time of so many nodes, and begins it once they are ready. What
    /// it is called is settled by then, whatever becomes of them later. A stage that counts pushes begins
    /// without them, as nobody asked for them and boards near the goal need none.
    fn prepare(&mut self, stage: Stage, nodes: u64) {
        let has_stand_in = matches!(stage, Stage::PushIdaStar(_));
        let nodes = if has_stand_in {
            0
        } else {
            nodes.max(LEAST_TO_PREPARE)
        };
        let is_ready = stage.prepare(&self.problem, nodes);
        if is_ready || has_stand_in {
            self.waiting.pop_front();
            self.begin(stage.or_fallback(&self.problem));
            let until = self.progress().generated + STAND_IN_NODES;
            self.awaited = (!is_ready).then_some((stage, until));
        }
    }

    /// Works on the tables of a stage that another one stands in for, which it replaces once they are ready;
    /// what was proven before remains.
    fn prepare_awaited(&mut self, stage: Stage, nodes: u64) {
        if stage.prepare(&self.problem, nodes.max(LEAST_TO_PREPARE)) {
            self.awaited = None;
            let stage = stage.or_fallback(&self.problem);
            let current = self.current.as_ref().map(|&(current, _)| current);
            if current != Some(stage) {
                // What stands in counts pushes, and such a search hands out no parts.
                debug_assert_eq!(self.out, 0, "no search is left before its parts are back");
                self.leave(Stop::Exhausted);
                self.begin(stage);
            }
        }
    }

    fn begin(&mut self, mut stage: Stage) {
        let problem = &self.problem;
        let solver: Solver = match stage {
            Stage::TableWalk => match self
                .table
                .take()
                .and_then(|table| TableWalk::new(table, problem))
            {
                Some(walk) => Box::new(walk),
                // The plan was made for tables that were ready. If they are gone, the answer is the same but
                // takes longer.
                None => {
                    self.waiting.push_front(match self.metric {
                        Metric::SingleTile => Stage::IdaStar(HeuristicKind::default()),
                        Metric::MultiTile => Stage::PushIdaStar(PushKind::of(problem.shape())),
                    });
                    return;
                }
            },
            Stage::Constructive(variant) => Box::new(Joined::new(
                problem,
                Constructive::new(Arc::clone(&self.tables), problem, variant),
            )),
            Stage::Lookahead => {
                let search = Lookahead::new(problem, &self.tables);
                Box::new(search.at_slowness(self.slowness))
            }
            Stage::AStar(heuristic, weight) => a_star::solver(problem, heuristic, weight.get()),
            Stage::IdaStar(HeuristicKind::PatternDatabase) => {
                let (used, solver) = self.guided();
                stage = Stage::IdaStar(used);
                solver
            }
            Stage::IdaStar(heuristic) => ida_star::solver(problem, heuristic),
            Stage::PushIdaStar(kind) => ida_star::push_solver_by(problem, kind),
            Stage::Beam => {
                let beams = self.widening(beams::beams(problem, &self.tables));
                self.begin_prover(self.memory / 2);
                beams
            }
            Stage::StagedBeam => self.widening(beams::staged(problem, &self.tables)),
        };
        self.current = Some((stage, solver));
        self.began = self.left;
    }

    /// Beams; the narrowest first where any solution will do.
    fn widening(&self, beams: Box<dyn Beams>) -> Solver {
        Box::new(if self.objective == Objective::Fast {
            Widening::from_narrowest(beams)
        } else {
            let beams = Widening::new(beams).at_slowness(self.slowness);
            let slides = self
                .best_length
                .filter(|_| self.metric == Metric::SingleTile);
            match slides {
                Some(slides) => beams.to_improve_on(slides),
                None => beams,
            }
        })
    }

    /// Records an answer, unless there is one at least as good.
    fn improved(&mut self, answer: Answer) -> Step<Answer> {
        if self.best_length.is_some_and(|best| best <= answer.length) {
            return Step::Working;
        }
        self.best_length = Some(answer.length);
        Step::Found(answer)
    }

    /// The progress of the stages that run one after the other.
    fn own_progress(&self) -> Progress {
        match &self.current {
            Some((stage, solver)) => {
                let mut now = solver.progress();
                if !stage.proves_in(self.metric) {
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
            .map(|(_, solver)| solver.iterations())
            .filter(|iterations| !iterations.is_empty())
            .unwrap_or_else(|| self.past_iterations.clone())
    }
}

impl Search for Chain {
    type Found = Answer;

    fn advance(&mut self, budget: Budget) -> Step<Answer> {
        self.resume_deferred(budget);
        if budget.asker != self.asker {
            self.asker = budget.asker;
            self.began = None;
        }
        self.left = budget.time;
        self.memory = budget.memory;
        if !self.begun {
            self.begun = true;
            self.past.lower_bound = lower_bound(&self.problem, self.metric);
            // No stage has to be prepared for a board that is solved.
            if self.problem.is_solved()
                && let (Some(&by), Ok(solution)) =
                    (self.waiting.front(), self.problem.replay(Vec::new()))
            {
                return self.improved(Answer {
                    solution,
                    length: 0,
                    by,
                });
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
            self.begin(Stage::IdaStar(HeuristicKind::PatternDatabase));
        }
        if self.is_provers_turn(budget.nodes) {
            let step = self.advance_prover(budget);
            // Without nodes this is a last look at what parts have brought back, to the proof and to the beams.
            let goes_on = budget.nodes == 0 && self.current.is_some();
            if !goes_on || !matches!(step, Step::Working) {
                return step;
            }
        }
        let mut nodes = budget.nodes;
        if let Some((stage, until)) = self.awaited {
            nodes = nodes.min(until.saturating_sub(self.progress().generated));
            if nodes == 0 {
                self.prepare_awaited(stage, budget.nodes);
                return Step::Working;
            }
        }
        let reserved = self.prover_memory();
        let Some((stage, solver)) = &mut self.current else {
            let Some(&stage) = self.waiting.front() else {
                return Step::Done(self.last_stop);
            };
            self.prepare(stage, nodes);
            return Step::Working;
        };
        let memory = budget.memory.saturating_sub(reserved);
        let budget = Budget {
            nodes,
            memory,
            ..budget
        };
        match solver.advance(budget) {
            Step::Working => Step::Working,
            Step::Found(solution) => {
                let length = self.metric.length(solution.moves());
                let by = *stage;
                self.improved(Answer {
                    solution,
                    length,
                    by,
                })
            }
            Step::Done(stop) => {
                let stage = *stage;
                self.defer(stage, stop, budget);
                let is_last = self.waiting.is_empty() && self.prover.is_none();
                if is_last && self.deferred.is_none() {
                    // The search is left as it stands, as above.
                    self.last_stop = after(stop);
                    return Step::Done(self.last_stop);
                }
                if self.shed(budget.nodes) {
                    self.leave(stop);
                }
                Step::Working
            }
        }
    }

    fn progress(&self) -> Progress {
        let own = self.own_progress();
        let Some(prover) = &self.prover else {
            return Progress {
                peak_memory: own.peak_memory.max(self.peak_memory),
                ..own
            };
        };
        let both = own.alongside(prover.progress());
        Progress {
            peak_memory: both.peak_memory.max(self.peak_memory),
            ..both
        }
    }

    /// The iterations of the last stage that worked by iterations.
    fn iterations(&self) -> Vec<Iteration> {
        match &self.prover {
            Some(prover) => prover.iterations(),
            None => self.own_iterations(),
        }
    }

    fn name(&self) -> &'static str {
        match &self.current {
            Some((stage, _)) => stage.name(),
            None => self.prover.as_ref().map_or(UNNAMED, |proof| proof.name()),
        }
    }

    fn gains_by_help(&self) -> bool {
        let current = self.current.as_ref();
        let gains = current.is_some_and(|(_, solver)| solver.gains_by_help());
        gains && self.has_open_end() && !self.proof_gains_most()
    }

    fn part_memory(&self) -> u64 {
        let current = self.current.as_ref();
        current.map_or(0, |(_, solver)| solver.part_memory()) + self.prover_memory()
    }

    fn split(&mut self, memory: u64) -> Option<Box<dyn Part>> {
        let part = self.hand_out(memory)?;
        Some(Box::new(part))
    }

    fn waits(&self) -> bool {
        let current = self.current.as_ref();
        let prover = self.prover.as_ref();
        let is_held_up = !self.has_open_end()
            || (current.is_none_or(|(_, solver)| solver.waits())
                && prover.is_none_or(|prover| prover.waits()));
        self.out > 0 && is_held_up
    }

    fn join(&mut self, part: Box<dyn Part>) {
        self.take_back(part);
    }

    fn shed(&mut self, nodes: u64) -> bool {
        let current = self.current.as_mut();
        current.is_none_or(|(_, solver)| solver.shed(nodes))
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

/// The solver that proves a shortest solution of a problem soonest, on one thread.
pub fn optimal_solver(problem: Problem, tables: &Arc<Tables>) -> Solver {
    Box::new(Solutions(Chain::of_own_choice(
        problem,
        Objective::Optimal,
        tables,
    )))
}

/// A chain that reports only its solutions.
struct Solutions(Chain);

impl Search for Solutions {
    type Found = Solution;

    fn advance(&mut self, budget: Budget) -> Step<Solution> {
        match self.0.advance(budget) {
            Step::Working => Step::Working,
            Step::Found(answer) => Step::Found(answer.solution),
            Step::Done(stop) => Step::Done(stop),
        }
    }

    fn progress(&self) -> Progress {
        self.0.progress()
    }

    fn shed(&mut self, nodes: u64) -> bool {
        self.0.shed(nodes)
    }
}
