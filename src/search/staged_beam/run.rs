//! A staged beam at work, phase by phase.

mod layers_to_come;
mod phase;

use std::mem;
use std::sync::Arc;

use super::closing::Closing;
use super::estimate::Staged;
use super::finale::{Finale, Prospect};
use super::replay::Replay;
use super::stages::{Completed, Setup, Stages};
use super::{LEARNED_SIDES, has_finales};
use crate::puzzle::{Problem, Shape, Solution, Symmetry};
use crate::search::beam::{Layers, Pass, Ready, Settings, State, Tile, Trace};
use crate::search::block::Block;
use crate::search::tables::Tables;
use crate::search::{Budget, Progress, Search, Step, Stop, shed};

use phase::Phase;

/// How many layers to wait for more boards to complete the stages after the first has.
const GATHERED_LAYERS: u32 = 30;

/// The most moves that are looked for: `most`, or about four times the cube of the side if that is less.
pub(super) fn deepest(shape: Shape, most: u32) -> u32 {
    let sides = shape.rows() + shape.columns();
    most.min((2 * shape.cells() * sides + 200) as u32)
}

/// A staged beam at work.
pub(super) struct StagedBeam<T: Tile> {
    problem: Problem,
    tables: Arc<Tables>,
    /// Maps the problem that was asked to the one that is solved.
    symmetry: Symmetry,
    /// The block that is left to what comes after the stages.
    block: Block,
    /// The finales that remain should the present one fail, the best last; after them comes the table.
    finales: Vec<Prospect>,
    setup: Setup,
    /// The width of the layers to come.
    width: usize,
    phase: Phase<T>,
    /// The solution that the present phase has found, while it is being replayed.
    replay: Option<Replay>,
    /// The nodes expanded and generated in phases that are over.
    past: (u64, u64),
    peak_memory: u64,
}

impl<T: Tile> StagedBeam<T> {
    /// A search of a problem that ends in the last of these finales, in the one before if that fails, and at
    /// last by a table.
    pub(super) fn new(
        problem: &Problem,
        setup: Setup,
        mut finales: Vec<Prospect>,
        tables: &Arc<Tables>,
    ) -> Self {
        let symmetry = problem.canonical_symmetry();
        let image = problem.mirrored(symmetry);
        let (phase, block) = Phase::stages(&image, &setup, finales.pop(), None);
        Self {
            problem: problem.clone(),
            tables: Arc::clone(tables),
            symmetry,
            block,
            finales,
            width: setup.settings.width(),
            setup,
            phase,
            replay: None,
            past: (0, 0),
            peak_memory: 0,
        }
    }

    /// The bytes that it can come to hold.
    pub(super) fn bytes(shape: Shape, width: usize, most_moves: u32) -> u64 {
        let settings = Settings::new(width, deepest(shape, most_moves));
        let width = settings.width();
        // A blank that belongs in a corner has at least as many.
        let finales = if has_finales(width, true) {
            LEARNED_SIDES.len() as u64
        } else {
            0
        };
        let trace = (finales + 1) * Trace::bytes_of(settings);
        // Beside the layers there are roots and completed boards, or roots twice while they enter; each takes
        // less than half of what a layer takes per board. A board of the finale can take a tenth more than one
        // of the stages, whose layers are gone by then; it has only roots beside it.
        2 * Layers::<Staged<T>>::bytes(shape, width) + trace
    }

    /// Replays the solution that the present phase has found.
    fn advance_replay(&mut self, mut replay: Replay, nodes: u64) -> Step<Solution> {
        let is_over = self
            .phase
            .trace()
            .is_none_or(|trace| replay.advance(trace, nodes));
        if !is_over {
            self.replay = Some(replay);
            return Step::Working;
        }
        match (replay.finish(), &self.phase) {
            // It was not the goal.
            (None, Phase::Finale(_)) => Step::Working,
            (solution, _) => self.end(solution),
        }
    }

    /// Ends the search, with a solution if one was found.
    fn end(&mut self, solution: Option<Solution>) -> Step<Solution> {
        let stop = match solution {
            Some(_) => Stop::FirstFound,
            None => Stop::Exhausted,
        };
        let last = mem::replace(&mut self.phase, Phase::Over(stop, None));
        self.count(last.counts());
        self.phase = Phase::Over(stop, Some(Box::new(last)));
        solution.map_or(Step::Done(stop), Step::Found)
    }

    /// Bytes held.
    fn memory(&self) -> u64 {
        let Some(trace) = self.phase.trace() else {
            return 0;
        };
        let (shape, width) = (self.problem.shape(), self.setup.settings.width());
        // The layers of a finale replace those of the stages, which come back if it fails.
        let stages = Layers::<Staged<T>>::bytes(shape, width);
        let layers = match &self.phase {
            Phase::Finale(_) | Phase::Failed(_) => {
                stages.max(Finale::<T>::bytes(self.block.shape, width))
            }
            _ => stages,
        };
        let replay = self.replay.as_ref().map_or(0, Replay::bytes);
        layers + self.phase.bytes_beside() + trace.bytes() + replay as u64
    }

    /// Goes on from boards that did not reach the goal, to end in the next best way; begins again if there
    /// are none. The table cannot fail.
    fn begin_again(&mut self, completed: Completed<T>) {
        let image = self.problem.mirrored(self.symmetry);
        (self.phase, self.block) =
            Phase::stages(&image, &self.setup, self.finales.pop(), Some(completed));
        self.set_width(self.width);
    }

    /// Adds the nodes of a phase that is over.
    fn count(&mut self, (expanded, generated): (u64, u64)) {
        self.past.0 += expanded;
        self.past.1 += generated;
    }

    /// Advances the stages before a finale, until enough boards have completed them.
    fn gather(&mut self, mut stages: Stages<T>, ranking: Ready, nodes: u64) {
        let state = stages.advance(nodes);
        let completed = stages.layers().completed();
        let is_over = state == State::Over || completed.len() >= self.setup.settings.width();
        if !is_over && !completed.is_empty() {
            let first = completed.head(0).depth;
            stages.end_by(first + GATHERED_LAYERS);
        }
        self.phase = if is_over {
            Phase::Gathered(stages, ranking)
        } else {
            Phase::Gathering(stages, ranking)
        };
    }

    /// Frees the layers of the stages, and then begins the finale.
    fn leave_stages(&mut self, mut stages: Stages<T>, ranking: Ready, nodes: u64) {
        let mut to_free = shed::bytes(nodes);
        if stages.layers().completed().is_empty() {
            // There is nothing to go on from, and paths take long to free, too.
            stages.shed(&mut to_free);
        } else {
            stages.shed_layers(&mut to_free);
        }
        if to_free > 0 {
            self.begin_finale(stages, ranking);
        } else {
            self.phase = Phase::Gathered(stages, ranking);
        }
    }

    /// Advances a finale, until a board seems to be the goal.
    fn advance_finale(&mut self, mut finale: Finale<T>, nodes: u64) {
        let state = finale.advance(nodes);
        self.replay = finale
            .next_goal()
            .map(|mark| Replay::new(mark, Vec::new(), &self.problem, self.symmetry));
        self.phase = if state == State::Over && self.replay.is_none() {
            Phase::Failed(finale)
        } else {
            Phase::Finale(finale)
        };
    }

    /// Frees the layers of a finale that has failed, and then goes on to the next best end.
    fn leave_finale(&mut self, mut finale: Finale<T>, nodes: u64) {
        let mut to_free = shed::bytes(nodes);
        finale.shed_layers(&mut to_free);
        if to_free > 0 {
            self.count(finale.layers().counts());
            self.begin_again(finale.give_up());
        } else {
            self.phase = Phase::Failed(finale);
        }
    }

    /// Advances the stages before a table, and keeps the board that the table takes home in the fewest moves.
    fn advance_to_table(
        &mut self,
        mut stages: Stages<T>,
        mut closing: Closing,
        nodes: u64,
    ) -> Step<Solution> {
        let state = stages.advance(nodes);
        if let Some(best) = closing.judge(stages.layers(), &self.tables) {
            stages.end_by(best);
        }
        if state == State::Over {
            self.replay = closing
                .end(stages.layers())
                .map(|(mark, rest)| Replay::new(mark, rest, &self.problem, self.symmetry));
        }
        self.phase = Phase::ToTable(stages, closing);
        if state == State::Over && self.replay.is_none() {
            return self.end(None);
        }
        Step::Working
    }

    /// Leaves the stages for the finale.
    fn begin_finale(&mut self, stages: Stages<T>, ranking: Ready) {
        self.count(stages.layers().counts());
        let completed = stages.finish();
        if completed.nodes.is_empty() {
            return self.begin_again(completed);
        }
        let finale = Finale::new(
            self.block,
            ranking,
            self.setup.settings,
            completed,
            self.setup.seed,
        );
        self.phase = Phase::Finale(finale);
        self.set_width(self.width);
    }
}

impl<T: Tile> Pass for StagedBeam<T> {
    fn rest(&self, expected: u32) -> u32 {
        self.layers_to_come(expected)
    }

    fn is_stuck(&self) -> bool {
        // In stages a layer need not come nearer, and a finale gives up by itself.
        false
    }

    fn makes_layers(&self) -> bool {
        match &self.phase {
            _ if self.replay.is_some() => false,
            Phase::Gathering(stages, _) | Phase::ToTable(stages, _) => stages.have_all_roots(),
            Phase::Finale(finale) => finale.has_all_roots(),
            Phase::Gathered(..) | Phase::Failed(_) | Phase::Over(..) => false,
        }
    }

    fn set_width(&mut self, width: usize) {
        self.width = width;
        match &mut self.phase {
            Phase::Gathering(stages, _) | Phase::ToTable(stages, _) => stages.set_width(width),
            Phase::Finale(finale) => finale.set_width(width),
            Phase::Gathered(..) | Phase::Failed(_) | Phase::Over(..) => {}
        }
    }
}

impl<T: Tile> Search for StagedBeam<T> {
    type Found = Solution;

    fn advance(&mut self, budget: Budget) -> Step<Solution> {
        self.peak_memory = self.peak_memory.max(self.memory());
        if let Some(replay) = self.replay.take() {
            return self.advance_replay(replay, budget.nodes);
        }
        let nodes = budget.nodes;
        match mem::replace(&mut self.phase, Phase::Over(Stop::Exhausted, None)) {
            Phase::Gathering(stages, ranking) => self.gather(stages, ranking, nodes),
            Phase::Gathered(stages, ranking) => self.leave_stages(stages, ranking, nodes),
            Phase::Finale(finale) => self.advance_finale(finale, nodes),
            Phase::Failed(finale) => self.leave_finale(finale, nodes),
            Phase::ToTable(stages, closing) => {
                return self.advance_to_table(stages, closing, nodes);
            }
            Phase::Over(stop, last) => {
                self.phase = Phase::Over(stop, last);
                return Step::Done(stop);
            }
        }
        Step::Working
    }

    fn progress(&self) -> Progress {
        let (expanded, generated) = self.phase.counts();
        let memory = self.memory();
        Progress {
            expanded: self.past.0 + expanded,
            generated: self.past.1 + generated,
            memory,
            peak_memory: self.peak_memory.max(memory),
            ..Progress::default()
        }
    }

    fn name(&self) -> &'static str {
        "beam"
    }

    fn shed(&mut self, nodes: u64) -> bool {
        let mut left = shed::bytes(nodes);
        self.phase.shed(&mut left);
        left > 0
    }
}
