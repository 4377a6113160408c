//! Declares the messages to webhooks for the OpenAPI document; nothing here is called.

use anchord_webhooks::event::Event;

/// Receives an event.
///
/// The body is an `Event`, the same JSON as in the session's event stream. It is
/// signed as Standard Webhooks specify: `webhook-signature` holds one or, while a secret is being rotated, two
/// signatures, parted by blanks, each `v1,` and the base64 of the HMAC-SHA256 of `webhook-id`, `.`,
/// `webhook-timestamp`, `.` and the body. Verify it over the bytes as they came, refuse timestamps of another time, and do
/// nothing twice for the same `webhook-id`: a message arrives at least once and in any order. Anything but 2xx
/// within ten seconds is tried again for about a day; 410 disables the webhook.
#[utoipa::path(
    post, path = "event", operation_id = "webhook_messages.receive", tag = "webhook_messages", security(()),
    params(
        ("webhook-id" = String, Header, description = "The message's id, the same at every attempt."),
        ("webhook-timestamp" = i64, Header, description = "When this attempt was made, in seconds since 1970.", minimum = 0),
        ("webhook-signature" = String, Header, description = "The signatures of this attempt.",
         example = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    ),
    request_body = Event,
    responses(
        (status = "2XX", description = "It has arrived."),
        (status = 410, description = "The receiver wants no more: the webhook is disabled.")
    )
)]
#[expect(dead_code, reason = "its declaration is what is wanted")]
pub(crate) fn event() {}
