//! The summary as JSON: what clients read, and what earlier releases stored.
//!
//! One shape serves both. `intent_history` and `technical_context` are views of the requests and the things,
//! kept for clients until the API is settled; a summary that was stored before there were requests and things
//! is parsed from them.
//! Invariant: parsing what was written gives the summary again, except the digest, which is no part of the
//! document.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::entries::{
    Blocker, CurrentState, Decision, ErrorEntry, ModifiedFile, ReadFile, Remark, RequestEntry, RequestState,
    TestResult,
};
use super::section::Section;
use anchord_facts::key::Key;
use anchord_facts::ledger::constraints::Constraint;
use anchord_facts::thing::{Property, Thing};
use anchord_messages::id::Seq;

/// The sections of one summary version.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[schema(as = SummarySections)]
pub struct Document {
    /// The current request.
    pub(super) session_intent: String,
    /// The messages that the intent came from.
    pub(super) session_intent_seqs: Vec<Seq>,
    /// What people asked for, oldest first.
    #[serde(default)]
    pub(super) requests: Vec<RequestEntry>,
    /// What stood for past requests in versions of an earlier release: read where they have no `requests`, never written.
    #[serde(default, skip_serializing)]
    #[schema(ignore)]
    pub(super) intent_history: Vec<PastIntent>,
    /// Files that the session changed.
    pub(super) files_modified: Vec<ModifiedFile>,
    /// Files that the session read and did not change.
    pub(super) files_read: Vec<ReadFile>,
    /// Decisions, oldest first.
    pub(super) decisions_made: Vec<Decision>,
    /// The current state of the work.
    pub(super) current_state: CurrentState,
    /// Errors, open and resolved.
    pub(super) errors: Vec<ErrorEntry>,
    /// The latest run of each test command.
    pub(super) test_results: Vec<TestResult>,
    /// What blocks progress.
    pub(super) blockers: Vec<Blocker>,
    /// Unanswered questions.
    #[serde(default)]
    pub(super) open_questions: Vec<Remark>,
    /// What was learnt and is not obvious: causes, limits, dead ends.
    #[serde(default)]
    pub(super) findings: Vec<Remark>,
    /// What comes next, in order.
    pub(super) next_steps: Vec<String>,
    /// The messages that the next steps came from.
    pub(super) next_steps_seqs: Vec<Seq>,
    /// What has an identity in the session, with its properties as last known.
    #[serde(default)]
    pub(super) things: Vec<Thing>,
    /// What the agent noted for itself.
    #[serde(default)]
    pub(super) notes: Vec<Remark>,
    /// What stood for things in versions of an earlier release: read where they have no `things`, never written.
    #[serde(default, skip_serializing)]
    #[schema(ignore)]
    pub(super) technical_context: Vec<TechnicalFact>,
    /// Requirements, verbatim.
    pub(super) constraints: Vec<Constraint>,
    /// Requirements found in messages that take effect only when the caller pins them (setting `constraints`:
    /// `propose`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) proposed_constraints: Vec<Constraint>,
    /// How many entries of a section a bound left out; recall finds what they came from.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) left_out: BTreeMap<Section, u32>,
}

/// A request that is not open any more.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
pub struct PastIntent {
    /// The request's text.
    pub text: String,
    /// The messages that it came from.
    pub seqs: Vec<Seq>,
    /// The session that it came from, when merged from another one; `seqs` are that session's then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
}

/// A fact as a key and a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
pub struct TechnicalFact {
    /// What it is (`commit`, `port`, `reservation_id` …).
    pub key: String,
    /// Its value, verbatim.
    pub value: String,
    /// The messages that it came from.
    pub seqs: Vec<Seq>,
    /// The session that it came from, when merged from another one; `seqs` are that session's then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
}

impl From<PastIntent> for RequestEntry {
    fn from(PastIntent { text, seqs, session_id }: PastIntent) -> Self {
        Self {
            text,
            state: RequestState::Superseded,
            superseded_by: None,
            outcome: None,
            seqs,
            session_id,
            key: Key::default(),
        }
    }
}

impl TechnicalFact {
    /// A thing as keys and values: its id, and each of its properties under a name that contains the thing's.
    pub fn of(thing: &Thing) -> impl Iterator<Item = Self> {
        let fact = |key: &str, value: &str| Self {
            key: key.to_owned(),
            value: value.to_owned(),
            seqs: thing.seqs.clone(),
            session_id: thing.session_id.clone(),
        };
        let whose = format!("{} {}", thing.kind, thing.id);
        let whose = whose.trim();
        let is_bare = thing.kind.is_empty();
        let own = (!is_bare || thing.properties.is_empty()).then(|| fact(&thing.kind, &thing.id));
        let properties = thing.properties.iter().map(|property| match property.name.as_str() {
            "" => fact(whose, &property.value),
            name => fact(&format!("{whose} {name}"), &property.value),
        });
        own.into_iter().chain(properties).collect::<Vec<_>>().into_iter()
    }
}

impl From<TechnicalFact> for Thing {
    /// A key that names one of many is the thing's kind, and the value its id; any other key is the thing's
    /// id, and the value its property.
    fn from(fact: TechnicalFact) -> Self {
        let TechnicalFact { key, value, seqs, session_id } = fact;
        let (kind, id, properties) = if names_one_of_many(&key) {
            (key, value, Vec::new())
        } else {
            (String::new(), key, vec![Property::new("", value)])
        };
        Self { kind, id, properties, seqs, session_id, ..Self::default() }
    }
}

/// Whether a session has several of what a key names: it has many commits and one port.
fn names_one_of_many(key: &str) -> bool {
    const MANY: [&str; 26] = [
        "id",
        "ids",
        "uuid",
        "identifier",
        "commit",
        "sha",
        "hash",
        "url",
        "uri",
        "link",
        "endpoint",
        "route",
        "email",
        "ticket",
        "issue",
        "pr",
        "order",
        "reservation",
        "flight",
        "invoice",
        "number",
        "signature",
        "type",
        "image",
        "attachment",
        "name",
    ];
    let key = key.to_lowercase();
    key.split(|c: char| !c.is_alphanumeric()).any(|word| MANY.contains(&word))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::summary::Summary;

    /// A document as it was stored before there were requests and things.
    fn before() -> Value {
        json!({
            "session_intent": "Ship it", "session_intent_seqs": [9],
            "intent_history": [{"text": "Build it", "seqs": [1]}],
            "files_modified": [], "files_read": [], "decisions_made": [],
            "current_state": {"text": "", "seqs": []}, "errors": [], "test_results": [], "blockers": [],
            "next_steps": [], "next_steps_seqs": [],
            "technical_context": [
                {"key": "commit", "value": "abc1234", "seqs": [2]},
                {"key": "commit", "value": "def5678", "seqs": [3]},
                {"key": "port", "value": "8080", "seqs": [4]},
            ],
            "constraints": [],
        })
    }

    #[test]
    fn a_document_from_before_is_read_whole_and_written_without_its_views() {
        let record: Summary = serde_json::from_value(before()).unwrap();
        assert_eq!(record.requests.len(), 1);
        assert_eq!(
            (record.requests[0].text.as_str(), record.requests[0].state),
            ("Build it", RequestState::Superseded)
        );
        let things: Vec<(&str, &str)> =
            record.things.iter().map(|t| (t.kind.as_str(), t.id.as_str())).collect();
        assert_eq!(things, [("commit", "abc1234"), ("commit", "def5678"), ("", "port")]);
        let shown = serde_json::to_value(&record).unwrap();
        assert_eq!(shown["session_intent"], before()["session_intent"]);
        for view in ["intent_history", "technical_context"] {
            assert!(shown.get(view).is_none(), "{view}");
        }
        let again: Summary = serde_json::from_value(shown).unwrap();
        assert_eq!(again, record, "what was written reads back");
    }

    #[test]
    fn a_thing_is_shown_as_keys_that_say_whose_they_are() {
        let thing = Thing {
            kind: "reservation".into(),
            id: "LQ940Q".into(),
            properties: vec![Property::new("cabin", "economy"), Property::new("", "paid")],
            seqs: vec![5],
            ..Thing::default()
        };
        let facts: Vec<String> =
            TechnicalFact::of(&thing).map(|f| format!("{}={}", f.key, f.value)).collect();
        assert_eq!(
            facts,
            ["reservation=LQ940Q", "reservation LQ940Q cabin=economy", "reservation LQ940Q=paid"]
        );
    }
}
