//! The search of a plan that is at work: how its tables are prepared, and how it begins.

use std::sync::Arc;
use std::time::Duration;

use super::Chain;
use crate::heuristic::HeuristicKind;
use crate::heuristic::pushes::PushKind;
use crate::puzzle::{Home, Metric};
use crate::search::anytime::beams;
use crate::search::anytime::lookahead::{self, Lookahead};
use crate::search::anytime::widening::{Beams, Widening};
use crate::search::constructive::{Constructive, Variant};
use crate::search::distance_table::table_walk::TableWalk;
use crate::search::joined::Joined;
use crate::search::plan::{Objective, Stage};
use crate::search::tables::guides::Strength;
use crate::search::{Search, Solver, a_star, ida_star};

/// The nodes that a stand-in generates before tables are made: some hundredths of a second, in which boards
/// near the goal are solved.
const STAND_IN_NODES: u64 = 500_000;

/// The work on tables, in nodes, that the stages of a chain wait for in all before another search stands in for one:
/// some milliseconds, in which those of 4×4 are made, of which some goals need two.
pub(super) const PATIENCE: u64 = 700_000;

/// How many nodes of work on tables there are for each that the stand-in generates meanwhile. A node of the stand-in
/// takes several times as long as one of work on tables, so that the stand-in has more than half of the time.
const TABLES_BESIDE: u64 = 4;

/// The least work on tables at a time, in nodes. It counts as none of the search's own: where few of these are
/// left, tables would be made state by state.
const LEAST_TO_PREPARE: u64 = 1024;

/// A search that has begun.
pub(super) struct Current {
    pub(super) stage: Stage,
    pub(super) solver: Solver,
    /// The strength of the pattern databases in use, if it is IDA* that takes whichever are ready; none while
    /// another heuristic replaces them.
    pub(super) guided_by: Option<Strength>,
    pub(super) role: Role,
    /// The time left when it began, if it still is the same asker's.
    pub(super) began: Option<Duration>,
}

/// Why a search is at work.
#[derive(Clone, Copy, Debug)]
pub(super) enum Role {
    /// It is a stage of the plan.
    Planned,
    /// It stands in for a stage until so many nodes are generated; then the tables of that one are worked on.
    StandsIn { stage: Stage, until: u64 },
    /// It has stood in for a stage, which begins once the memory of this search is freed.
    MakesWay { stage: Stage },
}

impl Chain {
    /// Works on the tables of a stage, and begins it once they are ready. What it is called is settled by then,
    /// whatever becomes of them later. If they take long, another search stands in for it; at once where pushes
    /// are counted, as nobody asked for their tables and boards near the goal need none.
    pub(super) fn prepare(&mut self, stage: Stage) {
        let counts_pushes = matches!(stage, Stage::PushIdaStar(_));
        let work = if counts_pushes {
            0
        } else {
            self.budget.nodes.max(LEAST_TO_PREPARE)
        };
        let is_ready = stage.prepare(&self.problem, work);
        if !is_ready {
            self.patience = self.patience.saturating_sub(work);
            if self.patience > 0 && !counts_pushes {
                return;
            }
        }
        self.waiting.pop_front();
        self.begin(stage.or_fallback(&self.problem));
        let until = self.progress().generated + STAND_IN_NODES;
        if let Some(current) = self.current.as_mut().filter(|_| !is_ready) {
            current.role = Role::StandsIn { stage, until };
        }
    }

    /// Works on the tables of a stage that another one stands in for, which it replaces once they are ready; what was
    /// proven before remains. Until then the two go on in turn, except where pushes are counted: with these tables
    /// the search takes so much less that it pays to wait for them.
    pub(super) fn prepare_awaited(&mut self, stage: Stage) {
        let nodes = self.budget.nodes;
        let work = nodes.max(LEAST_TO_PREPARE);
        let (work, beside) = match stage {
            Stage::PushIdaStar(_) => (work, 0),
            _ => (work.saturating_mul(TABLES_BESIDE), nodes),
        };
        let is_ready = stage.prepare(&self.problem, work);
        let runs = stage.or_fallback(&self.problem);
        let until = self.progress().generated.saturating_add(beside);
        let Some(current) = &mut self.current else {
            return;
        };
        // Those that stand in count pushes, or look at one node after the other.
        debug_assert_eq!(self.out, 0, "a search that stands in hands out no parts");
        current.role = if !is_ready {
            Role::StandsIn { stage, until }
        } else if current.stage == runs {
            // There is no room for the tables.
            Role::Planned
        } else {
            Role::MakesWay { stage }
        };
    }

    /// Begins a stage whose tables are ready.
    pub(super) fn begin(&mut self, stage: Stage) {
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
            Stage::IdaStar(HeuristicKind::PatternDatabase) => return self.begin_guided(),
            Stage::IdaStar(heuristic) => ida_star::solver(problem, heuristic),
            Stage::PushIdaStar(kind) => ida_star::push_solver_by(problem, kind),
            Stage::Beam => {
                let beams = self.widening(beams::beams(problem, &self.tables));
                self.begin_prover(self.budget.memory / 2);
                beams
            }
            Stage::StagedBeam => self.widening(beams::staged(problem, &self.tables)),
        };
        self.put_to_work(stage, solver, None);
    }

    /// Begins IDA* with pattern databases, or with the best other heuristic while they or the memory for them
    /// are missing.
    pub(super) fn begin_guided(&mut self) {
        let problem = &self.problem;
        let guides = self.tables.guides();
        let strength = guides.strength(Home::of(problem));
        if self.can_be_guided()
            && let Some(solver) = guides.solver(problem)
        {
            let stage = Stage::IdaStar(HeuristicKind::PatternDatabase);
            self.put_to_work(stage, solver, Some(strength));
        } else {
            let heuristic = HeuristicKind::default();
            let solver = ida_star::solver(problem, heuristic);
            self.put_to_work(Stage::IdaStar(heuristic), solver, Some(Strength::NONE));
        }
    }

    fn put_to_work(&mut self, stage: Stage, solver: Solver, guided_by: Option<Strength>) {
        self.current = Some(Current {
            stage,
            solver,
            guided_by,
            role: Role::Planned,
            began: self.budget.time,
        });
    }

    /// Whether there is as much memory as IDA* with pattern databases holds from its beginning.
    const fn can_be_guided(&self) -> bool {
        let guided = Stage::IdaStar(HeuristicKind::PatternDatabase);
        self.budget.memory >= guided.fixed_bytes(self.problem.shape())
    }

    /// The strength of the pattern databases that the current search uses, if it is one to be guided.
    pub(super) fn guided_by(&self) -> Option<Strength> {
        self.current.as_ref()?.guided_by
    }

    /// Whether better pattern databases are ready than those that the current search uses or would use.
    pub(super) fn is_overtaken(&self) -> bool {
        let guides = self.tables.guides();
        self.can_be_guided()
            && self
                .guided_by()
                .is_some_and(|guided_by| guides.strength(Home::of(&self.problem)) > guided_by)
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

    /// Learns from the time of the first solution how slow the machine is. Where beams are not staged that time
    /// is too short to say anything about them.
    pub(super) fn note_slowness(&mut self) {
        let shape = self.problem.shape();
        if let Some(current) = &self.current
            && current.stage == Stage::Constructive(Variant::Best)
            && beams::are_staged(shape)
            && let Some((then, now)) = current.began.zip(self.budget.time)
        {
            self.slowness = lookahead::slowness(shape, then.saturating_sub(now));
        }
    }
}
