//! How much work IDA* has left, estimated from the growth of its iterations.

use super::Iteration;

/// The nodes expected if no solution is found first. Iterations grow by about the same factor from one to the
/// next (the heuristic branching factor; Korf, Reid and Edelkamp, 2001).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forecast {
    /// What the present iteration has yet to generate; `None` when it has generated more than was expected of
    /// it.
    pub present: Option<u64>,
    /// What the iteration after it will generate.
    pub next: u64,
}

impl Forecast {
    /// The forecast after these iterations, of which the last is the present one. `None` unless at least two
    /// have been searched through and the last of those grew.
    ///
    /// ```
    /// use loyd::search::{Forecast, Iteration};
    ///
    /// let iterations = [(50, 1_000), (52, 6_000), (54, 10_000)];
    /// let iterations = iterations.map(|(threshold, generated)| Iteration {
    ///     threshold,
    ///     generated,
    /// });
    /// let forecast = Forecast::of(&iterations).expect("two were searched through");
    /// assert_eq!(forecast.present, Some(26_000));
    /// assert_eq!(forecast.next, 216_000);
    /// ```
    #[must_use]
    pub fn of(iterations: &[Iteration]) -> Option<Self> {
        let [.., before, last, present] = iterations else {
            return None;
        };
        if before.generated == 0 || last.generated <= before.generated {
            return None;
        }
        let grown = |nodes: u64| {
            let nodes = u128::from(nodes) * u128::from(last.generated);
            u64::try_from(nodes / u128::from(before.generated)).unwrap_or(u64::MAX)
        };
        let expected = grown(last.generated);
        Some(Self {
            present: expected.checked_sub(present.generated),
            next: grown(expected.max(present.generated)),
        })
    }
}
