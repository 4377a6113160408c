//! The chart of a session's calls, as SVG: a stacked bar for each context that was served, a line of how full it was, and a
//! mark where another version begins. No library draws it, so that it needs no script and every bar is a link.

use std::fmt::Write as _;

use anchord_economy::sizes::Tokens;

use crate::view::{count, time};

/// The parts of a context, from the bottom of a bar to its top, with their names.
pub(crate) const PARTS: [(&str, &str); 6] = [
    ("system", "System and pins"),
    ("digest", "Digest"),
    ("summary", "Record"),
    ("notes", "Notes"),
    ("messages", "Messages"),
    ("outputs", "Tool outputs"),
];
/// The width of a bar, the room between two, and the height of the chart.
const WIDTH: i64 = 8;
const STEP: i64 = 11;
const HEIGHT: i64 = 160;

/// A context that was served, as far as it is drawn.
#[derive(Clone, Debug, Default)]
pub(crate) struct Call {
    pub(crate) id: String,
    pub(crate) at: String,
    pub(crate) head_seq: i64,
    pub(crate) version: i64,
    /// In the order of [`PARTS`].
    pub(crate) tokens: [i64; 6],
    pub(crate) total: i64,
    pub(crate) whole: i64,
    /// What a provider charges for.
    pub(crate) sent: Tokens,
    pub(crate) budget: i64,
}

/// A chart.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chart {
    pub(crate) width: i64,
    pub(crate) height: i64,
    pub(crate) bars: Vec<Bar>,
    /// The points of the line of utilisation.
    pub(crate) line: String,
    pub(crate) marks: Vec<Mark>,
    /// The tokens at the top.
    pub(crate) top: String,
    /// Where the budget is, from the top.
    pub(crate) budget_y: i64,
    pub(crate) budget: String,
}

/// A call.
#[derive(Clone, Debug)]
pub(crate) struct Bar {
    pub(crate) id: String,
    pub(crate) label: String,
    pub(crate) x: i64,
    pub(crate) width: i64,
    pub(crate) pieces: Vec<Piece>,
}

/// A part of a call.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub(crate) part: &'static str,
    pub(crate) y: i64,
    pub(crate) height: i64,
}

/// A version that begins.
#[derive(Clone, Debug)]
pub(crate) struct Mark {
    pub(crate) x: i64,
    pub(crate) version: i64,
}

/// Draws calls, oldest first.
pub(crate) fn draw(calls: &[Call]) -> Chart {
    let budget = calls.iter().map(|call| call.budget).max().unwrap_or_default();
    let largest = calls.iter().map(|call| call.total).max().unwrap_or_default().max(1);
    // The budget is drawn unless everything is far below it.
    let top = if budget > 0 && budget < largest.saturating_mul(4) { budget.max(largest) } else { largest };
    let scale = |tokens: i64| tokens.saturating_mul(HEIGHT) / top;
    let mut chart = Chart {
        width: STEP * i64::try_from(calls.len()).unwrap_or_default() + 4,
        height: HEIGHT,
        top: count(top),
        budget: count(budget),
        budget_y: if budget <= top { HEIGHT - scale(budget) } else { -1 },
        ..Chart::default()
    };
    let mut before: Option<&Call> = None;
    for (at, call) in calls.iter().enumerate() {
        let x = 2 + STEP * i64::try_from(at).unwrap_or_default();
        let mut pieces = Vec::new();
        let mut below = 0;
        for ((part, _), tokens) in PARTS.iter().zip(call.tokens) {
            let (from, to) = (scale(below), scale(below + tokens));
            below += tokens;
            if to > from {
                pieces.push(Piece { part, y: HEIGHT - to, height: to - from });
            }
        }
        let filled = if call.budget > 0 { call.total.saturating_mul(100) / call.budget } else { 0 };
        let label = format!(
            "Call at {}: message {}, version {}, {} tokens, {filled} % of the budget",
            time(&call.at),
            call.head_seq,
            call.version,
            count(call.total)
        );
        let _ = write!(chart.line, "{},{} ", x + WIDTH / 2, HEIGHT - filled.min(100) * HEIGHT / 100);
        if before.is_some_and(|before| before.version != call.version) {
            chart.marks.push(Mark { x: x - 2, version: call.version });
        }
        chart.bars.push(Bar { id: call.id.clone(), label, x, width: WIDTH, pieces });
        before = Some(call);
    }
    chart
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_has_its_parts_above_each_other_and_a_mark_where_a_version_begins() {
        let call = |version, tokens: [i64; 6]| Call {
            version,
            tokens,
            total: tokens.iter().sum(),
            budget: 1_000,
            ..Call::default()
        };
        let chart = draw(&[call(0, [100, 0, 0, 0, 500, 200]), call(1, [100, 100, 200, 0, 100, 0])]);
        assert_eq!(chart.bars.len(), 2);
        let heights: Vec<i64> = chart.bars[0].pieces.iter().map(|piece| piece.height).collect();
        assert_eq!(heights, [16, 80, 32]);
        let mut bottom = HEIGHT;
        for piece in &chart.bars[1].pieces {
            assert_eq!(piece.y + piece.height, bottom);
            bottom = piece.y;
        }
        assert_eq!(chart.marks.len(), 1);
        assert_eq!((chart.budget_y, chart.top.as_str()), (0, "1,000"));
        assert!(draw(&[]).bars.is_empty());
    }
}
