//! A plot of the ways, as SVG.

use std::fmt::Write as _;

use crate::tally::{Prices, Tally};
use crate::ways::Way;

const LEFT: f64 = 170.0;
const WIDTH: f64 = 460.0;
const ROW: f64 = 46.0;

/// Two bars a way: its prompt tokens, the cached ones lighter, and what they cost.
pub fn bars(tallies: &[(Way, Tally)], prices: Prices) -> String {
    let most = tallies.iter().map(|(_, tally)| tally.tokens()).fold(1.0, f64::max);
    let mut svg = String::new();
    let height = tallies.iter().map(|_| ROW).sum::<f64>() + 40.0;
    // Writing to a string cannot fail.
    let _ = writeln!(
        svg,
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 {height}" font-family="sans-serif" font-size="13">"#
    );
    let _ = writeln!(svg, r#"<rect width="760" height="{height}" fill="white"/>"#);
    let mut top = 10.0;
    for (way, tally) in tallies {
        let full = tally.tokens() / most * WIDTH;
        let fresh = full * (1.0 - tally.cached_share());
        let cost = tally.cost(prices) / most * WIDTH;
        let (text, second) = (top + 19.0, top + 20.0);
        let _ = writeln!(svg, r#"<text x="10" y="{text}">{}</text>"#, way.name());
        let _ =
            writeln!(svg, r##"<rect x="{LEFT}" y="{top}" width="{full:.1}" height="16" fill="#a9c7e8"/>"##);
        let _ =
            writeln!(svg, r##"<rect x="{LEFT}" y="{top}" width="{fresh:.1}" height="16" fill="#2f6db3"/>"##);
        let _ = writeln!(
            svg,
            r##"<rect x="{LEFT}" y="{second}" width="{cost:.1}" height="12" fill="#d9822b"/>"##
        );
        let label = LEFT + full + 6.0;
        let _ = writeln!(
            svg,
            r#"<text x="{label:.1}" y="{:.1}">{:.1} M, cost {:.1} M</text>"#,
            top + 13.0,
            tally.tokens() / 1e6,
            tally.cost(prices) / 1e6
        );
        top += ROW;
    }
    let _ = writeln!(
        svg,
        r#"<text x="10" y="{:.1}">blue: prompt tokens (light: cached); orange: cost in tokens that are not cached</text>"#,
        top + 16.0
    );
    svg.push_str("</svg>\n");
    svg
}
