//! Reads metrics in Prometheus' text format.

use std::collections::BTreeMap;

/// The samples of one scrape.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Samples(Vec<Sample>);

#[derive(Clone, Debug, PartialEq)]
struct Sample {
    name: String,
    labels: Vec<(String, String)>,
    value: f64,
}

impl Samples {
    /// Parses a scrape. Lines that are not samples are skipped.
    ///
    /// ```
    /// use loyd::cli::Samples;
    ///
    /// let samples = Samples::read("# HELP a b\na{method=\"Solve\"} 2\na{method=\"Generate\"} 3\n");
    /// assert_eq!(samples.sum("a", &[]), 5.0);
    /// assert_eq!(samples.sum("a", &[("method", "Solve")]), 2.0);
    /// ```
    #[must_use]
    pub fn read(text: &str) -> Self {
        Self(text.lines().filter_map(Sample::read).collect())
    }

    /// Returns the sum of the samples of a name that have these labels.
    #[must_use]
    pub fn sum(&self, name: &str, labels: &[(&str, &str)]) -> f64 {
        let values = self.of(name, labels).map(|sample| sample.value);
        // The sum of an empty iterator of floats is -0.
        values.fold(0.0, |sum, value| sum + value)
    }

    /// Returns the values of a label on the samples of a name that have these labels, in order and without duplicates.
    #[must_use]
    pub fn values(&self, name: &str, labels: &[(&str, &str)], label: &str) -> Vec<&str> {
        let mut values: Vec<&str> = self
            .of(name, labels)
            .filter_map(|sample| sample.label(label))
            .collect();
        values.sort_unstable();
        values.dedup();
        values
    }

    /// Returns the buckets of a histogram with these labels, as upper bounds and cumulative counts. The buckets of
    /// several histograms are added up. The last bound is infinite.
    #[must_use]
    pub fn buckets(&self, name: &str, labels: &[(&str, &str)]) -> Vec<(f64, f64)> {
        let mut buckets = BTreeMap::new();
        for sample in self.of(&format!("{name}_bucket"), labels) {
            let bound = sample.label("le").and_then(|bound| bound.parse().ok());
            if let Some(bound) = bound.filter(|bound: &f64| !bound.is_nan()) {
                // Bounds are not negative, so they are in the order of their bits.
                let (_, count) = buckets.entry(bound.to_bits()).or_insert((bound, 0.0));
                *count += sample.value;
            }
        }
        buckets.into_values().collect()
    }

    fn of(&self, name: &str, labels: &[(&str, &str)]) -> impl Iterator<Item = &Sample> {
        self.0.iter().filter(move |sample| {
            let has = |(label, value): &(&str, &str)| sample.label(label) == Some(value);
            sample.name == name && labels.iter().all(has)
        })
    }
}

impl Sample {
    /// Parses `name{label="value",…} number`, with or without labels and a timestamp at the end. Control characters
    /// would steer the terminal, and loyd's own labels have none.
    fn read(line: &str) -> Option<Self> {
        let line = line.trim();
        if line.contains(|c: char| c.is_control() && c != '\t') {
            return None;
        }
        let end = line.find(['{', ' ', '\t'])?;
        let (name, rest) = line.split_at(end);
        if name.is_empty() || name.starts_with('#') {
            return None;
        }
        let mut labels = Vec::new();
        let mut rest = rest;
        if let Some(inside) = rest.strip_prefix('{') {
            rest = inside;
            loop {
                rest = rest.trim_start_matches([',', ' ']);
                if let Some(after) = rest.strip_prefix('}') {
                    rest = after;
                    break;
                }
                let (label, after) = rest.split_once("=\"")?;
                let (value, after) = quoted(after)?;
                labels.push((label.to_owned(), value));
                rest = after;
            }
        }
        let value = rest.split_whitespace().next()?.parse().ok()?;
        Some(Self {
            name: name.to_owned(),
            labels,
            value,
        })
    }

    fn label(&self, label: &str) -> Option<&str> {
        let mut labels = self.labels.iter();
        labels
            .find(|(name, _)| name == label)
            .map(|(_, value)| value.as_str())
    }
}

/// Parses a label value up to its closing quote, and returns it with the text after that.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some((value, &text[at + 1..])),
            '\\' => match characters.next()?.1 {
                'n' => value.push('\n'),
                other => value.push(other),
            },
            _ => value.push(character),
        }
    }
    None
}
