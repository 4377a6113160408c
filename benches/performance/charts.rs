//! Charts of figures with their spread: lines over steps, or bars in groups.

use crate::figures::Spread;
use crate::svg::{Canvas, Side};
use crate::tables::figure;

const WIDTH: f64 = 430.0;
const HEIGHT: f64 = 322.0;
const LEFT: f64 = 62.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 44.0;
const BOTTOM: f64 = 240.0;
/// Told apart by people who see few colours, too.
const COLOURS: [&str; 4] = ["#0b62b5", "#c25a00", "#5c8a1e", "#8a3ab0"];
const GREY: &str = "#d0d7de";
const DARK: &str = "#57606a";

/// How figures are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Lines,
    Bars,
}

/// Where the axis begins and how it grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    FromZero,
    Logarithmic,
}

/// A name, and a figure for each step.
#[derive(Clone, Debug)]
pub struct Series {
    pub name: String,
    pub points: Vec<Spread>,
}

/// One chart of a picture.
#[derive(Clone, Debug)]
pub struct Panel {
    pub title: String,
    /// What the steps are.
    pub steps_are: &'static str,
    pub steps: Vec<String>,
    pub series: Vec<Series>,
    pub kind: Kind,
    pub scale: Scale,
}

/// Draws charts side by side.
pub fn draw(panels: &[Panel]) -> String {
    let mut canvas = Canvas::new(WIDTH * count(panels.len()), HEIGHT);
    for (place, panel) in panels.iter().enumerate() {
        panel.draw(&mut canvas, WIDTH * count(place));
    }
    canvas.finish()
}

#[expect(clippy::cast_precision_loss, reason = "a handful")]
fn count(of: usize) -> f64 {
    of as f64
}

/// The figures that an axis reaches from and to, and those that it names.
struct Axis {
    low: f64,
    high: f64,
    ticks: Vec<f64>,
    scale: Scale,
}

impl Axis {
    fn of(figures: impl Iterator<Item = f64> + Clone, scale: Scale) -> Self {
        let finite = figures.filter(|figure| figure.is_finite() && *figure > 0.0);
        let most = finite.clone().fold(f64::MIN_POSITIVE, f64::max);
        let least = finite.fold(most, f64::min);
        match scale {
            Scale::FromZero => {
                let step = nice(most / 4.0);
                let steps = (most / step).ceil();
                let ticks =
                    (0..=8).map(|n| step * f64::from(n)).filter(|tick| *tick <= step * (steps + 0.01));
                Self { low: 0.0, high: step * steps, ticks: ticks.collect(), scale }
            }
            Scale::Logarithmic => {
                let marks = (-6..=9).flat_map(|power| [1.0, 2.0, 5.0].map(|n| n * 10_f64.powi(power)));
                let low = marks.clone().filter(|mark| *mark <= least).fold(1e-6, f64::max);
                let high = marks.clone().filter(|mark| *mark >= most).fold(1e10, f64::min).max(low * 2.0);
                Self { low, high, ticks: marks.filter(|mark| (low..=high).contains(mark)).collect(), scale }
            }
        }
    }

    fn place(&self, figure: f64) -> f64 {
        let share = match self.scale {
            Scale::FromZero => figure / self.high,
            Scale::Logarithmic => (figure / self.low).ln() / (self.high / self.low).ln(),
        };
        BOTTOM - share.clamp(0.0, 1.0) * (BOTTOM - TOP)
    }
}

/// The next larger of 1, 2, 5, 10 and so on.
fn nice(step: f64) -> f64 {
    let power = 10_f64.powf(step.log10().floor());
    [1.0, 2.0, 5.0].map(|n| n * power).into_iter().find(|n| *n >= step).unwrap_or(10.0 * power)
}

/// A figure as people write it.
fn written(figure: f64) -> String {
    if figure >= 10_000.0 {
        format!("{}k", figure / 1000.0)
    } else if figure >= 100.0 || figure.fract() == 0.0 {
        format!("{figure:.0}")
    } else {
        let text = format!("{figure:.2}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    }
}

impl Panel {
    fn draw(&self, canvas: &mut Canvas, x: f64) {
        let (left, right) = (x + LEFT, x + WIDTH - RIGHT);
        let all =
            self.series.iter().flat_map(|series| series.points.iter().flat_map(|p| [p.median, p.min, p.max]));
        let axis = Axis::of(all, self.scale);
        canvas.text((left, 24.0), Side::Right, &self.title);
        for tick in &axis.ticks {
            let y = axis.place(*tick);
            canvas.line(&[(left, y), (right, y)], GREY, 1.0);
            canvas.text((left - 6.0, y + 4.0), Side::Left, &written(*tick));
        }
        canvas.line(&[(left, BOTTOM), (right, BOTTOM)], DARK, 1.0);
        let step = (right - left) / count(self.steps.len().max(1));
        for (place, name) in self.steps.iter().enumerate() {
            let middle = left + step * (count(place) + 0.5);
            canvas.text((middle, BOTTOM + 18.0), Side::Middle, name);
        }
        canvas.text((f64::midpoint(left, right), BOTTOM + 36.0), Side::Middle, self.steps_are);
        for (number, (series, colour)) in self.series.iter().zip(COLOURS.iter().cycle()).enumerate() {
            match self.kind {
                Kind::Lines => lines(canvas, &axis, series, (left, step), colour),
                Kind::Bars => {
                    let width = step * 0.8 / count(self.series.len());
                    let first = left + step * 0.1 + width * count(number);
                    bars(canvas, &axis, series, (first, step, width), colour);
                }
            }
            // Two in a row.
            let legend = (left + count(number % 2) * 165.0, BOTTOM + 60.0 + count(number / 2) * 20.0);
            canvas.area((legend.0, legend.1 - 10.0), (12.0, 12.0), colour);
            canvas.text((legend.0 + 18.0, legend.1), Side::Right, &series.name);
        }
    }
}

fn lines(canvas: &mut Canvas, axis: &Axis, series: &Series, (left, step): (f64, f64), colour: &str) {
    let at = |place: usize| left + step * (count(place) + 0.5);
    let points = series.points.iter().enumerate().filter(|(_, point)| point.median.is_finite());
    let places: Vec<(f64, f64)> =
        points.clone().map(|(place, point)| (at(place), axis.place(point.median))).collect();
    canvas.line(&places, colour, 2.0);
    for (place, point) in points {
        canvas.dot((at(place), axis.place(point.median)), colour);
        whisker(canvas, axis, point, at(place), colour);
    }
}

fn bars(
    canvas: &mut Canvas,
    axis: &Axis,
    series: &Series,
    (first, step, width): (f64, f64, f64),
    colour: &str,
) {
    for (place, point) in series.points.iter().enumerate().filter(|(_, point)| point.median.is_finite()) {
        let (x, y) = (first + step * count(place), axis.place(point.median));
        canvas.area((x, y), (width - 2.0, BOTTOM - y), colour);
        let middle = x + width / 2.0 - 1.0;
        whisker(canvas, axis, point, middle, DARK);
        canvas.text((middle, axis.place(point.max) - 6.0), Side::Middle, &figure(point.median));
    }
}

/// From the least to the most of the rounds.
fn whisker(canvas: &mut Canvas, axis: &Axis, point: &Spread, x: f64, colour: &str) {
    let (low, high) = (axis.place(point.min), axis.place(point.max));
    canvas.line(&[(x, low), (x, high)], colour, 1.5);
    for y in [low, high] {
        canvas.line(&[(x - 4.0, y), (x + 4.0, y)], colour, 1.5);
    }
}
