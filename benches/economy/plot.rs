//! A plot of cost over what is known, as SVG.

use anchord_economy::piece::count;
use anchord_economy::tally::Tally;
use anchord_economy::ways::Way;

use crate::Row;
use crate::svg::{Canvas, Side};

const LEFT: f64 = 60.0;
const WIDTH: f64 = 440.0;
const HEIGHT: f64 = 220.0;
const PANEL: f64 = HEIGHT + 90.0;
/// The largest cost that is drawn, as a multiple of plain compaction's.
const MOST: f64 = 2.0;
/// Dots that are so near share a label.
const NEAR: f64 = 7.0;
const COLOURS: [&str; 4] = ["#2f6db3", "#d9822b", "#3c8d40", "#8250a8"];

/// One panel for each group of sessions: a dot for each way and window, and a line through the fills of the service for
/// each of its triggers.
pub fn plot(rows: &[Row]) -> String {
    let mut groups: Vec<&str> = rows.iter().map(|row| row.group.as_str()).collect();
    groups.dedup();
    let panels: f64 = groups.iter().map(|_| PANEL).sum();
    let mut canvas = Canvas::new(680.0, panels + 10.0);
    let mut top = 34.0;
    for group in groups {
        panel(&mut canvas, top, group, &rows.iter().filter(|row| row.group == group).collect::<Vec<_>>());
        top += PANEL;
    }
    canvas.finish()
}

fn panel(canvas: &mut Canvas, top: f64, group: &str, rows: &[&Row]) {
    let place =
        |needs: f64, cost: f64| (LEFT + needs * WIDTH, top + HEIGHT - (cost / MOST).min(1.0) * HEIGHT);
    canvas.text(
        (LEFT, top - 14.0),
        Side::Right,
        &format!("{group}: cost (compact is 1.0; 2.0 is that or more) over the share of needs known"),
    );
    for fifth in 0..=5 {
        let share = f64::from(fifth) / 5.0;
        let (x, y) = place(share, share * MOST);
        canvas.text((x, top + HEIGHT + 18.0), Side::Middle, &format!("{share:.1}"));
        canvas.text((LEFT - 8.0, y + 4.0), Side::Left, &format!("{:.1}", share * MOST));
        canvas.line(&[(LEFT, y), (LEFT + WIDTH, y)], "#e4e7eb", 1.0);
    }
    let mut windows: Vec<u32> = rows.iter().map(|row| row.window).collect();
    windows.dedup();
    let mut legend = top + 14.0;
    for (window, colour) in windows.iter().zip(COLOURS.iter().cycle()) {
        let of_window = || rows.iter().filter(|row| row.window == *window);
        let Some(compact) = of_window().find(|row| row.choice.way == Way::Compact) else { continue };
        let at = |tally: &Tally| {
            let needs = tally.known.needs;
            let share = count(needs.found) / count(needs.of.max(1));
            place(share, tally.cost() / compact.tally.cost())
        };
        let mut settings = Vec::new();
        for row in of_window() {
            if row.choice.way == Way::Service {
                settings.push((row.choice.compress, at(&row.tally)));
            }
        }
        for line in settings.chunk_by(|one, next| one.0 == next.0) {
            canvas.line(&line.iter().map(|(_, place)| *place).collect::<Vec<_>>(), colour, 1.2);
        }
        let mut labels: Vec<((f64, f64), String)> = Vec::new();
        for row in of_window() {
            let (x, y) = at(&row.tally);
            canvas.dot((x, y), colour);
            // Settings of the service would hide each other.
            if settings.len() > 1 && row.choice.way == Way::Service {
                continue;
            }
            let is_near = |there: (f64, f64)| (there.0 - x).abs() < NEAR && (there.1 - y).abs() < NEAR;
            match labels.iter_mut().find(|(there, _)| is_near(*there)) {
                Some((_, label)) => label.push(letter(row.choice.way)),
                None => labels.push(((x, y), letter(row.choice.way).to_string())),
            }
        }
        for ((x, y), label) in &labels {
            canvas.text((x + 5.0, y + 4.0), Side::Right, label);
        }
        canvas.line(&[(LEFT + WIDTH + 14.0, legend - 4.0), (LEFT + WIDTH + 34.0, legend - 4.0)], colour, 2.5);
        canvas.text((LEFT + WIDTH + 40.0, legend), Side::Right, &format!("window {window}"));
        legend += 18.0;
    }
    for line in ["S service", "C compact", "P capped", "K keep20", "T truncate"] {
        legend += 18.0;
        canvas.text((LEFT + WIDTH + 14.0, legend), Side::Right, line);
    }
}

fn letter(way: Way) -> char {
    match way {
        Way::Service => 'S',
        Way::Compact => 'C',
        Way::Capped => 'P',
        Way::Keep20 => 'K',
        Way::Truncate => 'T',
        Way::Everything => 'E',
    }
}
