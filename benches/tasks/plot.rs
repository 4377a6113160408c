//! A plot of the ways, as SVG.

use crate::svg::{Canvas, Side};
use crate::tally::{Prices, Tally};
use crate::ways::Way;

const LEFT: f64 = 170.0;
const WIDTH: f64 = 460.0;
const ROW: f64 = 46.0;

/// Two bars a way: its prompt tokens, the cached ones lighter, and what they cost.
pub fn bars(tallies: &[(Way, Tally)], prices: Prices) -> String {
    let most = tallies.iter().map(|(_, tally)| tally.tokens()).fold(1.0, f64::max);
    let mut canvas = Canvas::new(760.0, tallies.iter().map(|_| ROW).sum::<f64>() + 40.0);
    let mut top = 10.0;
    for (way, tally) in tallies {
        let full = tally.tokens() / most * WIDTH;
        let fresh = full * (1.0 - tally.cached_share());
        let cost = tally.cost(prices) / most * WIDTH;
        canvas.text((10.0, top + 19.0), Side::Right, way.name());
        canvas.area((LEFT, top), (full, 16.0), "#a9c7e8");
        canvas.area((LEFT, top), (fresh, 16.0), "#2f6db3");
        canvas.area((LEFT, top + 20.0), (cost, 12.0), "#d9822b");
        let label = format!("{:.1} M, cost {:.1} M", tally.tokens() / 1e6, tally.cost(prices) / 1e6);
        canvas.text((LEFT + full + 6.0, top + 13.0), Side::Right, &label);
        top += ROW;
    }
    let legend = "blue: prompt tokens (light: cached); orange: cost in tokens that are not cached";
    canvas.text((10.0, top + 16.0), Side::Right, legend);
    canvas.finish()
}
