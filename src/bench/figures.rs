//! The figures of many runs.

use std::time::Duration;

use super::Run;

/// The figures of a suite. Times are those of the boards that were solved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Figures {
    /// The number of boards.
    pub boards: usize,
    /// The number of boards whose shortest length was proven within the limit.
    pub solved: usize,
    /// The mean of these lengths, in moves.
    pub mean_length: f64,
    /// The mean CPU time, in milliseconds, like the quantiles that follow.
    pub mean: f64,
    /// The CPU time that half of the boards do not exceed.
    pub median: f64,
    /// The CPU time that 95 of 100 boards do not exceed.
    pub p95: f64,
    /// The CPU time that 99 of 100 boards do not exceed.
    pub p99: f64,
    /// The longest CPU time.
    pub max: f64,
    /// The mean wall-clock time, in milliseconds.
    pub mean_wall: f64,
    /// The longest wall-clock time, in milliseconds.
    pub max_wall: f64,
    /// The mean number of nodes generated.
    pub mean_nodes: f64,
    /// The greatest number of nodes generated.
    pub max_nodes: u64,
    /// Nanoseconds of CPU time per node, including unsolved boards.
    pub per_node: f64,
}

impl Figures {
    /// Returns the figures of these runs; those of solved boards are 0 if there are none.
    #[must_use]
    pub fn of(runs: &[Run]) -> Self {
        let solved: Vec<(&Run, usize)> = runs
            .iter()
            .filter_map(|run| Some((run, run.length?)))
            .collect();
        let mut times: Vec<f64> = solved
            .iter()
            .map(|(run, _)| milliseconds(run.time))
            .collect();
        times.sort_by(f64::total_cmp);
        let walls = || solved.iter().map(|(run, _)| milliseconds(run.wall));
        // The sum of no numbers is -0.
        let mean = |sum: f64| (sum + 0.0) / solved.len().max(1) as f64;
        let time: Duration = runs.iter().map(|run| run.time).sum();
        let nodes: u64 = runs.iter().map(|run| run.nodes).sum();
        Self {
            boards: runs.len(),
            solved: solved.len(),
            mean_length: mean(solved.iter().map(|&(_, length)| length as f64).sum()),
            mean: mean(times.iter().sum()),
            median: quantile(&times, 0.5),
            p95: quantile(&times, 0.95),
            p99: quantile(&times, 0.99),
            max: quantile(&times, 1.0),
            mean_wall: mean(walls().sum()),
            max_wall: walls().fold(0.0, f64::max),
            mean_nodes: mean(solved.iter().map(|(run, _)| run.nodes as f64).sum()),
            max_nodes: solved.iter().map(|(run, _)| run.nodes).max().unwrap_or(0),
            per_node: time.as_secs_f64() * 1e9 / nodes.max(1) as f64,
        }
    }
}

/// A time in milliseconds, the unit of all figures.
pub(crate) fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Returns the least value that this share of all values does not exceed, or 0 if there are none.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let rank = (sorted.len() as f64 * share).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0.0)
}
