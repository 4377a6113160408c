//! The ways at a glance, as SVG for a small screen: what a task costs, and the names needed that its prompts know. Its colours
//! follow the reader's: light or dark.

use std::fmt::Write as _;

use anchord_economy::tally::Tally;
use anchord_economy::ways::Way;

use crate::Row;

const WIDTH: f64 = 400.0;
const TOP: f64 = 82.0;
const STEP: f64 = 56.0;
const BAR: f64 = 16.0;
/// The room for bars; a longer one is broken off and says how long it is.
const ROOM: f64 = 300.0;
/// The largest cost that is drawn whole, as a multiple of plain compaction's.
const MOST: f64 = 2.0;

/// Bars for each way of the first group in its first window.
pub fn glance(rows: &[Row]) -> String {
    let Some(first) = rows.first() else { return String::new() };
    let shown = || rows.iter().filter(|row| row.group == first.group && row.window == first.window);
    let compact = shown().find(|row| row.choice.way == Way::Compact).map_or(1.0, |row| row.tally.cost());
    let height = TOP + STEP * 6.0 - 4.0;
    let mut svg = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="15" role="img" aria-label="What a task costs in each way of managing the context, and what its prompts know">
<style>
.card {{ fill: #ffffff }} text {{ fill: #1f2328 }} .soft {{ fill: #59636e }} .ours {{ font-weight: bold }} .cost {{ fill: #b6c2cf }} .ours-cost {{ fill: #2f6db3 }} .known {{ fill: #7fb685 }}
@media (prefers-color-scheme: dark) {{ .card {{ fill: #14181d }} text {{ fill: #e6edf3 }} .soft {{ fill: #9198a1 }} .cost {{ fill: #57626e }} .ours-cost {{ fill: #5b9be0 }} .known {{ fill: #3f7d48 }} }}
</style>
<rect class="card" width="{WIDTH}" height="{height}" rx="6"/>
<text class="ours" x="14" y="26">What a task costs, window {},000</text>
<text class="soft" x="14" y="47">in multiples of compaction; green: what it knows</text>
"#,
        first.window / 1_000
    );
    for (number, row) in (0u32..).zip(shown()) {
        bars(&mut svg, TOP + STEP * f64::from(number), row.choice.way, &row.tally, compact);
    }
    svg.push_str("</svg>\n");
    svg
}

// Infallible: a String is written to.
fn bars(svg: &mut String, top: f64, way: Way, tally: &Tally, compact: f64) {
    let (class, fill) = if way == Way::Service { ("ours", "ours-cost") } else { ("", "cost") };
    let name = match way {
        Way::Service => "anchord",
        Way::Compact => "compaction",
        Way::Capped => "compaction, outputs cut",
        Way::Keep20 => "compaction, 20 messages kept",
        Way::Truncate => "truncation",
        Way::Everything => "everything sent",
    };
    let cost = tally.cost() / compact;
    let known = tally.known.needs.share().unwrap_or_default();
    let long = (cost / MOST).min(1.0) * ROOM;
    let beyond = if cost > MOST { " …" } else { "" };
    let (bar, below) = (top + 6.0, top + 6.0 + BAR);
    let _ = writeln!(svg, r#"<text class="{class}" x="14" y="{top}">{name}</text>"#);
    let _ =
        writeln!(svg, r#"<rect class="{fill}" x="14" y="{bar}" width="{long:.1}" height="{BAR}" rx="3"/>"#);
    let _ = writeln!(
        svg,
        r#"<text class="{class}" x="{:.1}" y="{:.1}">{beyond} {cost:.2}</text>"#,
        16.0 + long,
        bar + 13.0
    );
    let _ = writeln!(
        svg,
        r#"<rect class="known" x="14" y="{below}" width="{:.1}" height="6" rx="2"/>"#,
        known * ROOM
    );
    let _ = writeln!(
        svg,
        r#"<text class="soft" x="386" y="{top}" text-anchor="end">knows {:.0} %</text>"#,
        known * 100.0
    );
}
