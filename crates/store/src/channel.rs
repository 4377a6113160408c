//! The channels of `NOTIFY` on which processes wake each other.

/// Tells workers of a new job.
pub(super) const JOBS: &str = "anchord_queue";
/// Tells followers of new events; the payload is the session's id.
pub(super) const EVENTS: &str = "anchord_events";
/// Tells senders of new deliveries.
pub(super) const DELIVERIES: &str = "anchord_deliveries";
/// Tells every process that a tenant or a key of it has changed; the payload is the tenant's id.
pub(super) const KEYS: &str = "anchord_keys";
