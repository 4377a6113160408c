//! An event as callers get it: the same JSON in a session's event stream and in a message to a webhook.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use anchord_messages::id::{BranchName, CompressionId, Seq, SessionName, WebhookId};

/// Something that happened in a session. Streams and webhooks send the same JSON.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(examples(json!({
    "id": 812,
    "type": "summary.published",
    "session_id": "planner",
    "created_at": "2026-01-05T09:31:00.120Z",
    "data": {"version": 3, "compression_id": "cmp_01929f5be2c47c3fb1c4a6d24b4e1a12"}
})))]
pub struct Event {
    /// Its id, which grows within a session; a stream resumes after it. Null in a `webhook.test`.
    #[schema(required = true)]
    pub id: Option<i64>,
    /// The event.
    #[serde(rename = "type")]
    #[schema(value_type = EventType)]
    pub kind: String,
    /// The session. Null in a `webhook.test`.
    #[schema(required = true)]
    pub session_id: Option<SessionName>,
    /// The branch of the session; absent when it is `main`, and in what is no branch's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<BranchName>,
    /// When it happened.
    #[serde(serialize_with = "anchord_messages::time::serialize")]
    pub created_at: DateTime<Utc>,
    /// The details; which fields there are depends on the type.
    #[schema(value_type = EventData)]
    pub data: Map<String, Value>,
}

impl Event {
    /// The event as JSON text.
    pub fn text(&self) -> String {
        // A struct of text, numbers and JSON has no key that is not text, which is all that could fail.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// The types of events. A webhook can subscribe to all but `webhook.test`, which is sent on request.
// For the document alone.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub enum EventType {
    /// A compression has started. Data: `compression_id`, `trigger`, `from_seq`, `through_seq`.
    #[serde(rename = "compression.started")]
    CompressionStarted,
    /// A compression has succeeded. Data: `compression_id`, `status`, `version`, token counts and scores.
    #[serde(rename = "compression.succeeded")]
    CompressionSucceeded,
    /// A compression has failed, or its result was rejected. Data: as when it succeeds, with `error`.
    #[serde(rename = "compression.failed")]
    CompressionFailed,
    /// A compression was skipped, superseded or cancelled. Data: as when it succeeds.
    #[serde(rename = "compression.skipped")]
    CompressionSkipped,
    /// A summary version is current. Data: `version`, `compression_id` (null for a rollback).
    #[serde(rename = "summary.published")]
    SummaryPublished,
    /// An append has brought a session to its warn level. Data: `action`, `effective_utilization`, `context_tokens`,
    /// `effective_window`, `head_seq`.
    #[serde(rename = "trigger.warned")]
    TriggerWarned,
    /// Another branch of the session is current. Data: `from`, `to`.
    #[serde(rename = "session.branch_switched")]
    BranchSwitched,
    /// A test of a webhook. Data: `webhook_id`.
    #[serde(rename = "webhook.test")]
    WebhookTest,
}

/// The details of an event; see `type` for the fields that it has.
// For the document alone: data is stored as JSON when the event is written.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct EventData {
    /// The compression.
    pub compression_id: Option<CompressionId>,
    /// The summary version.
    pub version: Option<i64>,
    /// How the compression ended: `succeeded`, `failed`, `rejected`, `skipped`, `superseded` or `cancelled`.
    pub status: Option<String>,
    /// The cause of the compression: `manual`, or the signal's name.
    pub trigger: Option<String>,
    /// The first message of the span.
    pub from_seq: Option<Seq>,
    /// The last message of the span.
    pub through_seq: Option<Seq>,
    /// Record and digest of the version before plus the span, as contexts would serve them, in tokens.
    pub tokens_before: Option<i64>,
    /// Record and digest of the new version, as contexts serve them, in tokens.
    pub tokens_after: Option<i64>,
    /// The share of tokens that was saved: 1 − `tokens_after` / `tokens_before`.
    pub reduction: Option<f64>,
    /// The share of the probes that passed, from 0 to 1.
    pub probe_score: Option<f64>,
    /// The share of the probes about facts that passed, from 0 to 1.
    pub facts_score: Option<f64>,
    /// The score of the exam, from 0 to 1.
    pub exam_score: Option<f64>,
    /// Why the compression failed.
    pub error: Option<EventError>,
    /// The most severe action of the signals.
    pub action: Option<String>,
    /// The share of the effective window that the context takes; above 1 when it is larger.
    pub effective_utilization: Option<f64>,
    /// Tokens of the context.
    pub context_tokens: Option<i64>,
    /// Tokens of the effective window.
    pub effective_window: Option<i64>,
    /// The position of the newest message.
    pub head_seq: Option<Seq>,
    /// The branch that was current before.
    pub from: Option<BranchName>,
    /// The branch that is current now.
    pub to: Option<BranchName>,
    /// The webhook that is tested.
    pub webhook_id: Option<WebhookId>,
}

/// Why a compression failed.
// For the document alone.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct EventError {
    /// The kind of failure.
    pub r#type: String,
    /// The failure in a sentence.
    pub detail: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_written_in_one_order_with_milliseconds() {
        let event = Event {
            id: Some(7),
            kind: "summary.published".to_owned(),
            session_id: Some(SessionName::parse("s").expect("a name")),
            branch: None,
            created_at: DateTime::from_timestamp(1_700_000_000, 120_456_000).expect("a time"),
            data: Map::from_iter([("version".to_owned(), Value::from(3))]),
        };
        let retry = Event { branch: BranchName::parse("retry").ok(), ..event.clone() };
        assert!(retry.text().contains(r#""session_id":"s","branch":"retry","created_at":"#));
        assert_eq!(
            event.text(),
            r#"{"id":7,"type":"summary.published","session_id":"s","created_at":"2023-11-14T22:13:20.120Z","data":{"version":3}}"#
        );
    }
}
