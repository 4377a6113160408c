//! Declares the messages to webhooks for the OpenAPI document; nothing here is called.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// The body of a message to a webhook.
///
/// `data` begins with `session_id` and `event_id`, the place of the event in its session, and goes on with
/// what the event tells, as in the session's event stream. A `webhook.test` has `webhook_id` instead.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(examples(json!({
    "type": "summary.published",
    "timestamp": "2026-01-05T09:31:00.120000Z",
    "data": {"session_id": "planner", "event_id": 812, "version": 3, "compression_id": "cmp_01929f5be2c47c3fb1c4a6d24b4e1a12"}
})))]
pub struct WebhookMessage {
    /// What happened: one of the events of webhooks, or `webhook.test`.
    #[serde(rename = "type")]
    pub kind: String,
    /// When it happened.
    pub timestamp: DateTime<Utc>,
    /// What is known about it.
    #[schema(value_type = Object)]
    pub data: Map<String, Value>,
}

/// A message about an event.
///
/// Signed as Standard Webhooks say: `webhook-signature` holds one or, while a secret is being rotated, two
/// signatures, parted by blanks, each `v1,` and the base64 of the HMAC-SHA256 of `webhook-id`, `.`,
/// `webhook-timestamp`, `.` and the body. Verify it over the bytes as they came, refuse timestamps of another time, and do
/// nothing twice for the same `webhook-id`: a message arrives at least once and in any order. Anything but 2xx
/// within ten seconds is tried again for about a day; 410 disables the webhook.
#[utoipa::path(
    post, path = "event", operation_id = "webhook_event", tag = "webhooks", security(()),
    params(
        ("webhook-id" = String, Header, description = "The message's id, the same at every attempt."),
        ("webhook-timestamp" = i64, Header, description = "When this attempt was made, in seconds since 1970.", minimum = 0),
        ("webhook-signature" = String, Header, description = "The signatures of this attempt.",
         example = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    ),
    request_body = WebhookMessage,
    responses(
        (status = "2XX", description = "It has arrived."),
        (status = 410, description = "The receiver wants no more: the webhook is disabled.")
    )
)]
#[expect(dead_code, reason = "its declaration is what is wanted")]
pub(super) fn event() {}
