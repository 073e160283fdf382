//! Plots lengths over time as an SVG, for light and dark pages.

use std::fmt::Write;

/// How the lengths of a suite fall with time.
pub(super) struct Curve {
    /// The name.
    pub(super) name: String,
    /// The seconds and the mean length divided by n³, in the order of time.
    pub(super) points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 440.0;

/// The edges of the plot area.
const LEFT: f64 = 60.0;
const RIGHT: f64 = 660.0;
const TOP: f64 = 44.0;
const BOTTOM: f64 = 388.0;

/// The least distance between two names.
const LINE: f64 = 16.0;

/// Colors that are easy to tell apart on white and on black.
const COLOURS: [&str; 8] = [
    "#4e79a7", "#f28e2b", "#e15759", "#499894", "#59a14f", "#b6992d", "#b07aa1", "#9c755f",
];

const STYLE: &str = "\
text { font: 13px system-ui, sans-serif; fill: #4d5560 }
.title { font-size: 15px; font-weight: 600 }
.grid { stroke: #8b949e; stroke-opacity: .3 }
.curve { fill: none; stroke-width: 2; stroke-linejoin: round }
.leader { fill: none; stroke-opacity: .6 }
@media (prefers-color-scheme: dark) { text { fill: #b6bfc9 } }";

/// An axis: each end's number, and its position in the picture.
struct Axis {
    from: (f64, f64),
    to: (f64, f64),
}

impl Axis {
    fn place(&self, number: f64) -> f64 {
        let share = (number - self.from.0) / (self.to.0 - self.from.0);
        self.from.1 + share * (self.to.1 - self.from.1)
    }
}

/// Draws the curves over time on a logarithmic axis.
pub(super) fn svg(curves: &[Curve]) -> String {
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let powers = whole(points().map(|&(seconds, _)| seconds.log10()));
    let tenths = whole(points().map(|&(_, length)| 10.0 * length));
    let time = Axis {
        from: (f64::from(powers.0), LEFT),
        to: (f64::from(powers.1), RIGHT),
    };
    let length = Axis {
        from: (f64::from(tenths.0), BOTTOM),
        to: (f64::from(tenths.1), TOP),
    };
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\">\n\
         <style>\n{STYLE}\n</style>\n"
    );
    let title = "Mean length of the best solution by time, divided by n³";
    let middle = (LEFT + RIGHT) / 2.0;
    text(&mut svg, "title", "start", (LEFT, 24.0), title);
    text(&mut svg, "axis", "middle", (middle, HEIGHT - 10.0), "time");
    for power in powers.0..=powers.1 {
        let x = time.place(f64::from(power));
        grid(&mut svg, (x, TOP), (x, BOTTOM));
        text(
            &mut svg,
            "tick",
            "middle",
            (x, BOTTOM + 20.0),
            &seconds(power),
        );
    }
    for tenth in (tenths.0..=tenths.1).step_by(step(tenths.1 - tenths.0)) {
        let y = length.place(f64::from(tenth));
        grid(&mut svg, (LEFT, y), (RIGHT, y));
        let tick = format!("{:.1}", f64::from(tenth) / 10.0);
        text(&mut svg, "tick", "end", (LEFT - 8.0, y + 4.0), &tick);
    }
    let places: Vec<Vec<(f64, f64)>> = curves
        .iter()
        .map(|curve| {
            let place = |&(seconds, by_cube): &(f64, f64)| {
                (time.place(seconds.log10()), length.place(10.0 * by_cube))
            };
            curve.points.iter().map(place).collect()
        })
        .collect();
    let ends: Vec<f64> = places
        .iter()
        .map(|places| places.last().map_or(BOTTOM, |&(_, y)| y))
        .collect();
    let names = apart(&ends);
    for (number, (curve, places)) in curves.iter().zip(&places).enumerate() {
        let colour = COLOURS[number % COLOURS.len()];
        draw(&mut svg, colour, places);
        if let Some(&(x, y)) = places.last() {
            let name = names[number];
            let _ = writeln!(
                svg,
                "<path class=\"leader\" stroke=\"{colour}\" d=\"M{x:.1} {y:.1}L{RIGHT:.1} {y:.1}L{:.1} {name:.1}\"/>",
                RIGHT + 14.0
            );
            text(
                &mut svg,
                "name",
                "start",
                (RIGHT + 18.0, name + 4.0),
                &curve.name,
            );
        }
    }
    svg.push_str("</svg>\n");
    svg
}

/// Returns the whole numbers just below and above all of `numbers`, at least 1 apart.
fn whole(numbers: impl Iterator<Item = f64>) -> (i32, i32) {
    let (least, most) = numbers
        .filter(|number| number.is_finite())
        .fold((f64::MAX, f64::MIN), |(least, most), number| {
            (least.min(number), most.max(number))
        });
    if least > most {
        return (0, 1);
    }
    let (least, most) = (least.floor() as i32, most.ceil() as i32);
    (least, most.max(least.saturating_add(1)))
}

/// Returns the step between grid lines over this many tenths: at most a dozen steps.
fn step(tenths: i32) -> usize {
    let steps = [1, 2, 5];
    let mut steps = (0..9).flat_map(|power| steps.map(|step| step * 10_usize.pow(power)));
    let fits = |&step: &usize| tenths.unsigned_abs() as usize <= 12 * step;
    steps.find(fits).unwrap_or(usize::MAX)
}

/// Formats a power of ten in seconds.
fn seconds(power: i32) -> String {
    match power {
        ..=-4 => format!("{} µs", 10_f64.powi(power + 6)),
        -3..=-1 => format!("{} ms", 10_f64.powi(power + 3)),
        0.. => format!("{} s", 10_f64.powi(power)),
    }
}

/// Returns the heights, moved apart as far as names need.
fn apart(heights: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..heights.len()).collect();
    order.sort_by(|&one, &other| heights[one].total_cmp(&heights[other]));
    let mut apart = heights.to_vec();
    let mut free = f64::MIN;
    for &each in &order {
        apart[each] = apart[each].max(free);
        free = apart[each] + LINE;
    }
    let mut free = BOTTOM;
    for &each in order.iter().rev() {
        apart[each] = apart[each].min(free);
        free = apart[each] - LINE;
    }
    apart
}

fn grid(svg: &mut String, from: (f64, f64), to: (f64, f64)) {
    let _ = writeln!(
        svg,
        "<path class=\"grid\" d=\"M{:.1} {:.1}L{:.1} {:.1}\"/>",
        from.0, from.1, to.0, to.1
    );
}

fn draw(svg: &mut String, colour: &str, places: &[(f64, f64)]) {
    let line: Vec<String> = places
        .iter()
        .map(|(x, y)| format!("{x:.1},{y:.1}"))
        .collect();
    let _ = writeln!(
        svg,
        "<polyline class=\"curve\" stroke=\"{colour}\" points=\"{}\"/>",
        line.join(" ")
    );
    for (x, y) in places {
        let _ = writeln!(
            svg,
            "<circle fill=\"{colour}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"/>"
        );
    }
}

fn text(svg: &mut String, class: &str, anchor: &str, (x, y): (f64, f64), text: &str) {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    let _ = writeln!(
        svg,
        "<text class=\"{class}\" text-anchor=\"{anchor}\" x=\"{x:.1}\" y=\"{y:.1}\">{text}</text>"
    );
}
