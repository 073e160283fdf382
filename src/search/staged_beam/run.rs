//! A staged beam at work, phase by phase.

use std::mem;
use std::sync::Arc;

use super::closing::Closing;
use super::estimate::Staged;
use super::finale::Finale;
use super::peel::Ending;
use super::replay::Replay;
use super::stages::{Completed, Setup, Stages, most_nodes};
use crate::puzzle::{Problem, Shape, Solution, Symmetry};
use crate::search::beam::{Layers, Pass, Ready, Settings, State, Tile, Trace};
use crate::search::block::Block;
use crate::search::tables::Tables;
use crate::search::{Budget, Progress, Search, Step, Stop, shed};

/// How many layers to wait for more boards to complete the stages after the first has.
const GATHERED_LAYERS: u32 = 30;

/// The most moves that are looked for: `most`, or about four times the cube of the side if that is less.
pub(super) fn deepest(shape: Shape, most: u32) -> u32 {
    let sides = shape.rows() + shape.columns();
    most.min((2 * shape.cells() * sides + 200) as u32)
}

/// The fraction of the stages' moves that is left when the fraction `open` of the cells is open, of which
/// `block` remains at the end; measured from 12×12 to 32×32 at widths from 30 to 3000. The first stages take
/// long because they bring all tiles nearer; the later ones go the faster, the larger the block.
fn moves_left(open: f32, block: f32) -> f32 {
    let unplaced = ((open - block) / (1.0 - block).max(f32::EPSILON)).max(0.0);
    let even = 0.3 + 0.3 * block;
    let faster = if block < 0.2 {
        0.5 - 2.0 * block
    } else {
        0.14 - 0.2 * block
    };
    let first = 1.0 - even - faster;
    unplaced * (even + faster * unplaced + first * unplaced.powi(9))
}

/// The layers of the finale, as a multiple of the cells of its block to the power of 3/2: it makes 640 to 910
/// on 10×10, in beams of thousands of boards and of 30.
const FINALE_LAYERS: f32 = 0.64;

/// The time of such a layer, as a multiple of the time of one of the stages. Once the finale has begun its
/// own time is measured.
const FINALE_TIME: f32 = 0.7;

/// The layers of the closing that come on top.
const CLOSING_LAYERS: u32 = 80;

/// The factor by which the remaining layers of the stages are overestimated: a beam that runs late ends with
/// few boards.
const CAUTION: f32 = 1.1;

/// The weight of the expected number of moves; the moves made have weight 1.
const EXPECTATION: f32 = 0.2;

/// A staged beam at work.
pub(super) struct StagedBeam<T: Tile> {
    problem: Problem,
    tables: Arc<Tables>,
    /// Maps the problem that was asked to the one that is solved.
    symmetry: Symmetry,
    /// What is left to what comes after the stages.
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

/// A finale in which a search can end.
pub(super) struct Prospect {
    /// The longest side of the block that is left to it.
    pub(super) side: usize,
    /// The tables that rank boards of the block, held from the beginning so that they stay.
    pub(super) ranking: Ready,
}

impl Prospect {
    /// The ending for a finale, or by a table where there is none.
    pub(super) fn ending(finale: Option<&Self>) -> Ending {
        finale.map_or(Ending::Table, |finale| Ending::Learned(finale.side))
    }
}

/// What is being done.
enum Phase<T: Tile> {
    /// The stages, until the block can be left to the learned estimate.
    Gathering(Stages<T>, Ready),
    /// The stages are over, and their layers make room for those of the finale.
    Gathered(Stages<T>, Ready),
    /// The block, by the learned estimate.
    Finale(Finale<T>),
    /// The finale has failed, and its layers make room for other stages.
    Failed(Finale<T>),
    /// The stages, with a table for the block.
    ToTable(Stages<T>, Closing),
    /// The search is over. The last phase is still there to be freed.
    Over(Stop, Option<Box<Self>>),
}

impl<T: Tile> Phase<T> {
    /// The phase that begins with the stages, and the block that is left to what comes after them.
    fn of(stages: Stages<T>, image: &Problem, finale: Option<Prospect>) -> (Self, Block) {
        let block = Block::new(image.shape(), stages.block(), image.home());
        let phase = match finale {
            None => Self::ToTable(stages, Closing::new(block)),
            Some(finale) => Self::Gathering(stages, finale.ranking),
        };
        (phase, block)
    }

    /// The nodes expanded and generated in it.
    fn counts(&self) -> (u64, u64) {
        match self {
            Self::Gathering(stages, _) | Self::Gathered(stages, _) | Self::ToTable(stages, _) => {
                stages.layers().counts()
            }
            Self::Finale(finale) | Self::Failed(finale) => finale.layers().counts(),
            Self::Over(..) => (0, 0),
        }
    }

    /// The paths to its nodes.
    fn trace(&self) -> Option<&Trace> {
        match self {
            Self::Gathering(stages, _) | Self::Gathered(stages, _) | Self::ToTable(stages, _) => {
                Some(stages.layers().trace())
            }
            Self::Finale(finale) | Self::Failed(finale) => Some(finale.layers().trace()),
            Self::Over(_, last) => last.as_ref()?.trace(),
        }
    }

    /// The bytes of the boards beside its layers.
    fn bytes_beside(&self) -> u64 {
        match self {
            Self::Gathering(stages, _) | Self::Gathered(stages, _) | Self::ToTable(stages, _) => {
                stages.bytes_beside()
            }
            Self::Finale(finale) | Self::Failed(finale) => finale.bytes_beside(),
            Self::Over(_, last) => last.as_ref().map_or(0, |last| last.bytes_beside()),
        }
    }

    /// Frees all that is large.
    fn shed(&mut self, left: &mut u64) {
        match self {
            Self::Gathering(stages, _) | Self::Gathered(stages, _) | Self::ToTable(stages, _) => {
                stages.shed(left);
            }
            Self::Finale(finale) | Self::Failed(finale) => finale.shed(left),
            Self::Over(_, last) => {
                if let Some(phase) = last {
                    phase.shed(left);
                }
                if *left > 0 {
                    *last = None;
                }
            }
        }
    }
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
        let finale = finales.pop();
        let ending = Prospect::ending(finale.as_ref());
        let stages = Stages::from_start(&image, &setup, ending);
        let (phase, block) = Phase::of(stages, &image, finale);
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
        let trace = Trace::bytes_with(most_nodes(settings));
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

    /// The bytes of the boards beside its layers that may be set aside beyond those that are.
    fn to_set_aside(&self) -> u64 {
        let (shape, width) = (self.problem.shape(), self.setup.settings.width());
        match &self.phase {
            Phase::Over(..) => 0,
            phase => Layers::<Staged<T>>::bytes(shape, width).saturating_sub(phase.bytes_beside()),
        }
    }

    /// About how many layers the stages still take, by the fraction of the cells that is open. In the
    /// beginning, when that says little, the expected number counts.
    fn rest_of(&self, layers: &Layers<Staged<T>>, expected: u32) -> u32 {
        let block = self.block.shape.cells() as f32 / self.problem.shape().cells() as f32;
        let left = moves_left(layers.estimate().open(), block);
        let made = layers.depth() as f32;
        let in_all = (EXPECTATION * expected as f32 + made) / (EXPECTATION + 1.0 - left);
        (CAUTION * in_all * left) as u32
    }

    /// Goes on from boards that did not reach the goal, to end in the next best way; begins again if there
    /// are none. The table cannot fail.
    fn begin_again(&mut self, completed: Completed<T>) {
        let image = self.problem.mirrored(self.symmetry);
        let finale = self.finales.pop();
        let ending = Prospect::ending(finale.as_ref());
        let stages = if completed.nodes.is_empty() {
            Stages::from_start(&image, &self.setup, ending)
        } else {
            Stages::go_on(&image, &self.setup, ending, completed)
        };
        (self.phase, self.block) = Phase::of(stages, &image, finale);
        self.set_width(self.width);
    }

    /// Adds the nodes of a phase that is over.
    fn count(&mut self, (expanded, generated): (u64, u64)) {
        self.past.0 += expanded;
        self.past.1 += generated;
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
        match &self.phase {
            _ if self.replay.is_some() => 1,
            Phase::Gathering(stages, _) | Phase::Gathered(stages, _) => {
                let cells = self.block.shape.cells() as f32;
                let finale = FINALE_LAYERS * cells.powf(1.5);
                let stages_alone = expected.saturating_sub(finale as u32);
                let gathering = self.rest_of(stages.layers(), stages_alone) + GATHERED_LAYERS;
                gathering + (FINALE_TIME * finale) as u32
            }
            Phase::ToTable(stages, _) => self.rest_of(stages.layers(), expected) + CLOSING_LAYERS,
            // By the estimate alone: the wider the beam, the shorter its solutions become, all along the way.
            Phase::Finale(finale) => finale.layers().rest(),
            Phase::Failed(_) | Phase::Over(..) => 1,
        }
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
        let mut to_free = shed::bytes(budget.nodes);
        match mem::replace(&mut self.phase, Phase::Over(Stop::Exhausted, None)) {
            Phase::Over(stop, last) => {
                self.phase = Phase::Over(stop, last);
                Step::Done(stop)
            }
            Phase::Gathering(mut stages, ranking) => {
                let state = stages.advance(budget.nodes);
                let completed = stages.layers().completed();
                if state == State::Over || completed.len() >= self.setup.settings.width() {
                    self.phase = Phase::Gathered(stages, ranking);
                    return Step::Working;
                }
                if !completed.is_empty() {
                    let first = completed.head(0).depth;
                    stages.end_by(first + GATHERED_LAYERS);
                }
                self.phase = Phase::Gathering(stages, ranking);
                Step::Working
            }
            Phase::Gathered(mut stages, ranking) => {
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
                Step::Working
            }
            Phase::Finale(mut finale) => {
                let state = finale.advance(budget.nodes);
                self.replay = finale
                    .next_goal()
                    .map(|mark| Replay::new(mark, Vec::new(), &self.problem, self.symmetry));
                self.phase = if state == State::Over && self.replay.is_none() {
                    Phase::Failed(finale)
                } else {
                    Phase::Finale(finale)
                };
                Step::Working
            }
            Phase::Failed(mut finale) => {
                finale.shed_layers(&mut to_free);
                if to_free > 0 {
                    self.count(finale.layers().counts());
                    self.begin_again(finale.give_up());
                } else {
                    self.phase = Phase::Failed(finale);
                }
                Step::Working
            }
            Phase::ToTable(mut stages, mut closing) => {
                let state = stages.advance(budget.nodes);
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
        }
    }

    fn progress(&self) -> Progress {
        let (expanded, generated) = self.phase.counts();
        let memory = self.memory();
        Progress {
            expanded: self.past.0 + expanded,
            generated: self.past.1 + generated,
            memory,
            claimed: self.to_set_aside(),
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
