//! How full a session is: one figure for all pages, that of the context that is served and not the count before anything is cut
//! to fit.
//!
//! The newest note of a call has it when nothing has come since; else the context is built, once for each state of a session.

use std::time::Duration;

use anchord_runtime::cache::{Cache, Expiry};
use serde_json::Value;

use crate::fault::Fault;
use crate::pages::Place;
use crate::view::Look as _;
use crate::visit::Visit;

/// The most sessions that are remembered, and for how long after they were looked at.
const MOST: u64 = 10_000;
const REMEMBERED: Duration = Duration::from_mins(10);

/// The tokens of a session's context, and how many it may have.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Full {
    pub(crate) tokens: i64,
    pub(crate) window: i64,
}

impl Full {
    /// How full the window is, from 0 to 1.
    #[expect(clippy::cast_precision_loss, reason = "token counts stay far below 2^52")]
    pub(crate) fn share(self) -> f64 {
        if self.window > 0 { (self.tokens as f64 / self.window as f64).min(1.0) } else { 0.0 }
    }

    /// The same of a context, or, where none can be built, of the session's own count.
    pub(crate) fn of(usage: &Value) -> Self {
        Self { tokens: usage.whole("context_tokens"), window: usage.whole("effective_window") }
    }
}

/// The figures of sessions by sign-in and state.
#[derive(Clone, Debug)]
pub(crate) struct Known(Cache<([u8; 32], String), Full>);

impl Default for Known {
    fn default() -> Self {
        Self(Cache::new(MOST, Expiry::Idle(REMEMBERED)))
    }
}

/// How full a session of the API is; `newest` is the list with the newest context that it was served, if that is at hand.
pub(crate) async fn full(
    visit: &Visit,
    (place, session): (&Place, &Value),
    newest: Option<&Value>,
) -> Result<Full, Fault> {
    let usage = session.under("usage");
    let window = usage.whole("effective_window");
    let numbers = ["head_seq", "summary_version", "context_revision"].map(|key| session.whole(key));
    let (branch, made) = (session.text("branch"), session.text("created_at"));
    let key = (visit.id(), format!("{} {branch} {made} {numbers:?} {window}", place.api("", &[])));
    if let Some(full) = visit.known.0.get(&key) {
        return Ok(full);
    }
    let read;
    let newest = if let Some(newest) = newest {
        newest
    } else {
        read = visit.look(place.api("/served-contexts", &[("limit", "1")])).await?;
        &read
    };
    let served = newest.list("items").first().filter(|served| is_of_now(served, session, window));
    let full = match served {
        Some(served) => Full { tokens: served.under("tokens").whole("total"), window },
        None => match visit.get(place.api("/context", &[])).await {
            Ok(context) => Full::of(context.under("usage")),
            // It cannot be built, or not now; this is not remembered.
            Err(Fault::Refused { .. }) => return Ok(Full::of(usage)),
            Err(other) => return Err(other),
        },
    };
    visit.known.0.insert(key, full);
    Ok(full)
}

/// Whether a context that was served is the default one of now.
fn is_of_now(served: &Value, session: &Value, window: i64) -> bool {
    let same = |of: &str, key: &str| served.whole(of) == session.whole(key);
    same("head_seq", "head_seq")
        && same("version", "summary_version")
        && same("context_revision", "context_revision")
        && served.whole("max_input_tokens") == window
        && !served.is("recap")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_call_has_the_figure_until_something_comes_or_changes() {
        let session = json!({"head_seq": 9, "summary_version": 2, "context_revision": 4});
        let served = |key: &str, value: Value| {
            let mut all = json!({"head_seq": 9, "version": 2, "context_revision": 4, "max_input_tokens": 7_500, "recap": false});
            all[key] = value;
            is_of_now(&all, &session, 7_500)
        };
        assert!(served("recap", json!(false)));
        for (key, value) in [
            ("head_seq", json!(8)),
            ("version", Value::Null),
            ("context_revision", json!(3)),
            ("max_input_tokens", json!(4_000)),
            ("recap", json!(true)),
        ] {
            assert!(!served(key, value), "{key}");
        }
        assert!((Full { tokens: 7_125, window: 7_500 }.share() - 0.95).abs() < 1e-9);
        assert!(Full::default().share().abs() < 1e-9);
    }
}
