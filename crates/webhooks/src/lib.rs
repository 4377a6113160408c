//! Webhooks: the events (`event` is what is sent), the addresses that a webhook may have, the message's signature, and when a
//! failed delivery is tried again.
//!
//! Invariant: a message has the same bytes at every attempt, and an address that is not public on the
//! internet is refused, unless the operator allows others; `worker` applies this to what a name resolves to.
//! Must not know: how names are resolved, how a message is sent.

pub mod address;
pub mod event;
pub mod signature;
pub mod target;

use std::time::Duration;

use serde::{Deserialize, Serialize};
use strum::{AsRefStr, EnumString, IntoStaticStr, VariantArray};
use utoipa::ToSchema;

/// The waits after the first, second … failed attempt. After the last one the message is given up, about 28
/// hours after the first attempt.
const WAITS: [Duration; 8] = [
    Duration::from_secs(5),
    Duration::from_mins(1),
    Duration::from_mins(5),
    Duration::from_mins(30),
    Duration::from_hours(2),
    Duration::from_hours(5),
    Duration::from_hours(10),
    Duration::from_hours(10),
];
/// The most that is added to a wait, as a share of it, so that messages which failed together are not retried
/// together.
const SPREAD: f64 = 0.2;
/// The longest wait that a receiver can ask for with `Retry-After`.
const LONGEST_ASKED: Duration = Duration::from_hours(10);

/// The kinds of events that a webhook can receive.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema, VariantArray,
)]
#[schema(as = WebhookEventType)]
pub enum WebhookEvent {
    /// A compression has begun.
    #[serde(rename = "compression.started")]
    CompressionStarted,
    /// A compression ended well.
    #[serde(rename = "compression.succeeded")]
    CompressionSucceeded,
    /// A compression failed, or its result was rejected.
    #[serde(rename = "compression.failed")]
    CompressionFailed,
    /// A compression had nothing to do, or was overtaken.
    #[serde(rename = "compression.skipped")]
    CompressionSkipped,
    /// A version is current.
    #[serde(rename = "summary.published")]
    SummaryPublished,
    /// An append has brought a session to its warn level.
    #[serde(rename = "trigger.warned")]
    TriggerWarned,
    /// Another branch of a session is current.
    #[serde(rename = "session.branch_switched")]
    BranchSwitched,
}

impl WebhookEvent {
    /// The number of kinds.
    pub const COUNT: usize = Self::VARIANTS.len();

    /// Its name, as events are stored.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::CompressionStarted => "compression.started",
            Self::CompressionSucceeded => "compression.succeeded",
            Self::CompressionFailed => "compression.failed",
            Self::CompressionSkipped => "compression.skipped",
            Self::SummaryPublished => "summary.published",
            Self::TriggerWarned => "trigger.warned",
            Self::BranchSwitched => "session.branch_switched",
        }
    }

    /// Parses a stored name; `None` when it is not one.
    pub fn parse(name: &str) -> Option<Self> {
        Self::VARIANTS.iter().copied().find(|event| event.as_str() == name)
    }
}

/// The event of a test message.
pub const TEST_EVENT: &str = "webhook.test";

/// The status of a delivery to a webhook.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema, EnumString, AsRefStr, IntoStaticStr,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case")]
#[schema(as = WebhookDeliveryStatus)]
pub enum DeliveryStatus {
    /// It is to be tried, for the first time or again.
    Pending,
    /// The receiver answered 2xx.
    Succeeded,
    /// It is given up: every attempt failed, or the receiver said 410.
    Failed,
    /// The webhook was disabled before it could be delivered.
    Cancelled,
}

/// Why an attempt failed.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema, EnumString, AsRefStr, IntoStaticStr,
)]
#[serde(rename_all = "lowercase")]
#[schema(as = WebhookDeliveryFailure)]
#[strum(serialize_all = "snake_case")]
pub enum Failure {
    /// The receiver answered something else than 2xx; redirects are not followed.
    Status,
    /// The receiver did not answer in time.
    Timeout,
    /// No connection came about, or it broke.
    Connection,
    /// There was no TLS with a good certificate.
    Tls,
    /// The address is not public, or its name leads to none that is.
    Address,
    /// The secret cannot be decrypted: the operator's keys lack the one that encrypted it. The operator can put it
    /// back, and a rotation makes a new secret.
    Secret,
}

/// Why a webhook gets nothing.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema, EnumString, AsRefStr, IntoStaticStr,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case")]
#[schema(as = WebhookDisabledReason)]
pub enum DisabledReason {
    /// Its tenant disabled it.
    Caller,
    /// The receiver answered 410 Gone.
    Gone,
    /// Every attempt of several days failed.
    Failing,
}

/// The wait after `tries` failed attempts; `None` when the message is given up.
///
/// `spread`, from 0 to 1, is the random part of the wait. `asked` is the wait that the receiver asked for; it
/// can make the wait longer and never shorter.
pub fn wait_after(tries: u32, spread: f64, asked: Option<Duration>) -> Option<Duration> {
    let place = usize::try_from(tries.max(1) - 1).ok()?;
    let own = WAITS.get(place)?.mul_f64(1.0 + SPREAD * spread.clamp(0.0, 1.0));
    Some(asked.map_or(own, |asked| own.max(asked.min(LONGEST_ASKED))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_more_than_a_day_and_then_it_is_given_up() {
        let waits: Vec<u64> =
            (1..=8).map(|tries| wait_after(tries, 0.0, None).expect("a wait").as_secs()).collect();
        assert_eq!(waits, [5, 60, 300, 1_800, 7_200, 18_000, 36_000, 36_000]);
        assert!(waits.is_sorted() && waits.iter().sum::<u64>() > 24 * 3_600);
        assert_eq!(wait_after(9, 0.0, None), None);
        assert_eq!(wait_after(u32::MAX, 0.5, None), None);
    }

    #[test]
    fn a_wait_is_spread_and_never_shorter_than_what_was_asked() {
        assert_eq!(wait_after(2, 1.0, None), Some(Duration::from_secs(72)));
        assert_eq!(wait_after(2, 7.0, None), Some(Duration::from_secs(72)));
        assert_eq!(wait_after(1, 0.0, Some(Duration::from_secs(90))), Some(Duration::from_secs(90)));
        assert_eq!(wait_after(3, 0.0, Some(Duration::from_secs(90))), Some(Duration::from_mins(5)));
        assert_eq!(wait_after(1, 0.0, Some(Duration::MAX)), Some(Duration::from_hours(10)));
        assert_eq!(wait_after(9, 0.0, Some(Duration::from_secs(90))), None, "asking makes no attempt more");
    }

    #[test]
    fn names_read_back() {
        let mut found = 0;
        for name in ["compression.started", "compression.succeeded", "compression.failed"] {
            assert_eq!(WebhookEvent::parse(name).map(WebhookEvent::as_str), Some(name));
            found += 1;
        }
        for name in ["compression.skipped", "summary.published", "trigger.warned", "session.branch_switched"]
        {
            let event = WebhookEvent::parse(name).expect("an event");
            assert_eq!(serde_json::to_value(event).expect("JSON"), name);
            found += 1;
        }
        assert_eq!(found, WebhookEvent::COUNT);
        assert_eq!(WebhookEvent::parse(TEST_EVENT), None);
        assert_eq!("cancelled".parse::<DeliveryStatus>().ok(), Some(DeliveryStatus::Cancelled));
        assert_eq!("tls".parse::<Failure>().ok(), Some(Failure::Tls));
        assert_eq!("gone".parse::<DisabledReason>().ok(), Some(DisabledReason::Gone));
    }
}
