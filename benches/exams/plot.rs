//! A plot of what is known over what is filled, as SVG.

use crate::Outcome;
use crate::svg::{Canvas, Side};

const LEFT: f64 = 60.0;
const TOP: f64 = 20.0;
const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 260.0;
/// The largest fill that is drawn.
const MOST: f64 = 0.6;
const COLOURS: [&str; 4] = ["#2f6db3", "#d9822b", "#3c8d40", "#8250a8"];

/// One line a window for the context, and a thin one for the better of its two controls.
pub fn plot(outcomes: &[Outcome]) -> String {
    let mut canvas = Canvas::new(640.0, TOP + HEIGHT + 60.0);
    for tenth in 0..=6 {
        let share = f64::from(tenth) / 10.0;
        let (x, y) = place(share, share);
        canvas.text((x, TOP + HEIGHT + 18.0), Side::Middle, &format!("{share:.1}"));
        canvas.text((LEFT - 8.0, y + 4.0), Side::Left, &format!("{share:.1}"));
        canvas.line(&[(LEFT, y), (LEFT + WIDTH, y)], "#e4e7eb", 1.0);
    }
    canvas.text(
        (LEFT + WIDTH / 2.0, TOP + HEIGHT + 40.0),
        Side::Middle,
        "share of the window that is filled",
    );
    let mut windows: Vec<u32> = outcomes.iter().map(|outcome| outcome.window).collect();
    windows.dedup();
    for (number, (window, colour)) in windows.iter().zip(COLOURS.iter().cycle()).enumerate() {
        let of_window = || outcomes.iter().filter(|outcome| outcome.window == *window);
        let line = |known: fn(&Outcome) -> usize| -> Vec<(f64, f64)> {
            of_window().filter_map(|o| Some(place(o.fill?, share(known(o), o.known.questions)))).collect()
        };
        let context = line(|outcome| outcome.known.context);
        canvas.line(&context, colour, 2.5);
        for dot in &context {
            canvas.dot(*dot, colour);
        }
        canvas.line(&line(|outcome| outcome.known.tail.max(outcome.known.words)), colour, 0.8);
        let y = TOP + 14.0 + 18.0 * number_of(number);
        canvas.line(&[(LEFT + WIDTH + 14.0, y - 4.0), (LEFT + WIDTH + 34.0, y - 4.0)], colour, 2.5);
        canvas.text((LEFT + WIDTH + 40.0, y), Side::Right, &format!("window {window}"));
    }
    canvas.text((LEFT + WIDTH + 14.0, TOP + 110.0), Side::Right, "thin: better control");
    canvas.finish()
}

fn place(fill: f64, known: f64) -> (f64, f64) {
    (LEFT + fill / MOST * WIDTH, TOP + HEIGHT - (known / MOST).min(1.0) * HEIGHT)
}

#[expect(clippy::cast_precision_loss, reason = "questions are few")]
fn share(known: usize, questions: usize) -> f64 {
    known as f64 / questions.max(1) as f64
}

#[expect(clippy::cast_precision_loss, reason = "windows are few")]
fn number_of(window: usize) -> f64 {
    window as f64
}
