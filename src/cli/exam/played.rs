//! The figures of an exam: sessions, each played in every way, and their sums.

use anchord_economy::kept::{self, Fact, Kind};
use anchord_economy::known::{Known, Share};
use anchord_economy::piece::Piece;
use anchord_economy::sessions;
use anchord_economy::tally::Tally;
use anchord_economy::ways::{Played, Way};
use anchord_facts::redact::redact;
use anchord_messages::message::Role;
use anchord_messages::transcript::Log;
use anchord_record::probe::{ProbeResult, Verdict};
use anchord_session::compression::Cost;
use serde_json::{Value, json};

use crate::app::Examined;

/// A session that is played.
pub(super) struct Subject {
    pub(super) session: sessions::Session,
    pub(super) log: Log,
    /// What of its file is no message.
    pub(super) left_out: Option<String>,
    /// The facts before its last call.
    facts: Vec<Fact>,
}

impl Subject {
    pub(super) fn of(session: sessions::Session, log: Log, left_out: Option<String>) -> Self {
        let facts = kept::facts(&session);
        Self { session, log, left_out, facts }
    }

    pub(super) fn messages(&self) -> usize {
        self.session.pieces.len()
    }

    pub(super) fn tokens(&self) -> u64 {
        self.session.transcript.entries.iter().map(|entry| u64::from(entry.tokens)).sum()
    }

    pub(super) fn json(&self) -> Value {
        json!({
            "name": self.session.name,
            "format": self.log.as_ref(),
            "messages": self.messages(),
            "tokens": self.tokens(),
            "calls": self.session.calls().count(),
        })
    }
}

/// Questions of a model, and what a reader of the context answered.
#[derive(Default)]
pub(super) struct Asked {
    pub(super) results: Vec<ProbeResult>,
    pub(super) notes: Vec<String>,
    pub(super) cost: Cost,
}

impl Asked {
    pub(super) fn add(&mut self, examined: Examined) {
        self.results.extend(examined.results);
        self.notes.extend(examined.notes);
        self.cost.calls += examined.cost.calls;
        self.cost.failed_calls += examined.cost.failed_calls;
        self.cost.input_tokens += examined.cost.input_tokens;
        self.cost.output_tokens += examined.cost.output_tokens;
    }

    /// Questions that were answered right, of all.
    pub(super) fn share(&self) -> Share {
        let mut share = Share::default();
        for result in &self.results {
            share.count(result.verdict == Verdict::Pass);
        }
        share
    }
}

/// A session in one window, in every way.
pub(super) struct Session<'a> {
    pub(super) subject: &'a Subject,
    /// In the order of [`Way::ALL`].
    played: Vec<Played>,
    outcomes: Vec<Outcome>,
    pub(super) asked: Option<Asked>,
}

/// Figures of one way.
#[derive(Clone, Copy, Default)]
pub(super) struct Outcome {
    pub(super) tally: Tally,
    /// Facts in the last context, in the order of [`Kind::ALL`].
    pub(super) kept: [Share; 3],
}

impl<'a> Session<'a> {
    /// Takes what came of each way, in the order of [`Way::ALL`].
    pub(super) fn of(subject: &'a Subject, played: Vec<Played>) -> Self {
        let outcome = |played: &Played| {
            let kept = kept::kept(&subject.facts, &played.last).shares;
            Outcome { tally: played.tally, kept }
        };
        let outcomes = played.iter().map(outcome).collect();
        Self { subject, played, outcomes, asked: None }
    }

    pub(super) fn service(&self) -> &Played {
        self.played.first().unwrap_or_else(|| unreachable!("the service is the first of the ways"))
    }

    pub(super) fn outcome(&self, way: Way) -> Outcome {
        let one = Way::ALL.iter().zip(&self.outcomes).find(|(one, _)| **one == way);
        one.map(|(_, outcome)| *outcome).unwrap_or_default()
    }

    /// The facts that the service's last context does not have.
    pub(super) fn lost(&self) -> Vec<&Fact> {
        kept::kept(&self.subject.facts, &self.service().last).lost
    }
}

/// All sessions in one window.
pub(super) struct Group<'a> {
    pub(super) window: u32,
    pub(super) effective: u32,
    pub(super) sessions: Vec<Session<'a>>,
}

impl Group<'_> {
    /// The sums of a way.
    pub(super) fn sum(&self, way: Way) -> Outcome {
        let mut sum = Outcome::default();
        for session in &self.sessions {
            let outcome = session.outcome(way);
            sum.tally.add(&outcome.tally);
            for (sum, share) in sum.kept.iter_mut().zip(outcome.kept) {
                sum.add(share);
            }
        }
        sum
    }

    pub(super) fn json(&self) -> Value {
        let of = |way: Way, outcome: &Outcome, compact: f64| {
            let Outcome { tally, kept } = outcome;
            let Known { newest, last_three, last_ten, needs, edits, .. } = tally.known;
            let one = json!({
                "way": way.name(),
                "calls": tally.calls,
                "refused": tally.refused,
                "cost": rounded(tally.cost()),
                "of_compact": tally.cost() / compact,
                "sent": rounded(tally.tokens),
                "cached": rounded(tally.cached),
                "breaks": tally.breaks,
                "compressions": tally.compressions,
                "largest": rounded(tally.largest),
                "above": tally.over,
            });
            let known = [
                ("newest", newest),
                ("last_three", last_three),
                ("last_ten", last_ten),
                ("needs", needs),
                ("edits", edits),
            ];
            let kept = Kind::ALL.iter().zip(*kept).map(|(kind, share)| (kind.name(), share));
            let Value::Object(mut one) = one else { return Value::Null };
            for (name, share) in known.into_iter().chain(kept) {
                one.insert(name.replace(' ', "_"), json!({"found": share.found, "of": share.of}));
            }
            Value::Object(one)
        };
        let ways = |outcome: &dyn Fn(Way) -> Outcome| -> Vec<Value> {
            let compact = outcome(Way::Compact).tally.cost();
            Way::ALL.iter().map(|way| of(*way, &outcome(*way), compact)).collect()
        };
        let sessions = self.sessions.iter().map(|session| {
            let asked = session.asked.as_ref().map(|asked| {
                let share = asked.share();
                json!({"questions": share.of, "answered": share.found, "notes": asked.notes, "calls": asked.cost.calls})
            });
            json!({
                "name": session.subject.session.name,
                "ways": ways(&|way| session.outcome(way)),
                "exam": asked,
            })
        });
        let sessions: Vec<Value> = sessions.collect();
        json!({"window": self.window, "ways": ways(&|way| self.sum(way)), "sessions": sessions})
    }
}

/// The words of a prompt, without secrets.
pub(super) fn text(prompt: &[Piece]) -> String {
    let parts: Vec<String> =
        prompt.iter().map(|piece| format!("[{}]\n{}", speaker(piece), piece.text)).collect();
    redact(&parts.join("\n\n")).into_owned()
}

/// The speaker of a message, for people.
pub(super) fn speaker(piece: &Piece) -> &'static str {
    match piece.role {
        _ if piece.has_results => "result of a tool",
        Role::System | Role::Developer => "system",
        Role::User => "user",
        Role::Assistant => "agent",
        Role::Tool => "tool",
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count that is not negative")]
pub(super) fn rounded(tokens: f64) -> usize {
    tokens.round().max(0.0) as usize
}
