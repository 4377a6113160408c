//! How a time is written: RFC 3339 in UTC, with milliseconds, wherever the service says one.
//!
//! The database has microseconds and a clock has nanoseconds; serde would write as many digits as a value happens to have.

use chrono::{DateTime, SecondsFormat, Utc};
use serde::Serializer;

/// A time as text.
pub fn text(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// For `#[serde(serialize_with)]` on a time.
pub fn serialize<S: Serializer>(at: &DateTime<Utc>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&text(*at))
}

/// For `#[serde(serialize_with)]` on a time that may be absent.
pub fn serialize_option<S: Serializer>(at: &Option<DateTime<Utc>>, to: S) -> Result<S::Ok, S::Error> {
    match at {
        Some(at) => to.serialize_some(&text(*at)),
        None => to.serialize_none(),
    }
}

/// For `#[serde(serialize_with)]` on a time that an import reads back: with the microseconds of the database, because
/// messages of one time were appended together.
pub fn serialize_exactly<S: Serializer>(at: &DateTime<Utc>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&at.to_rfc3339_opts(SecondsFormat::Micros, true))
}

/// The same of a time that may be absent.
pub fn serialize_exactly_option<S: Serializer>(at: &Option<DateTime<Utc>>, to: S) -> Result<S::Ok, S::Error> {
    match at {
        Some(at) => serialize_exactly(at, to),
        None => to.serialize_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("2026-01-05T09:31:00Z", "2026-01-05T09:31:00.000Z")]
    #[case("2026-01-05T09:31:00.12Z", "2026-01-05T09:31:00.120Z")]
    #[case("2026-01-05T09:31:00.123456789Z", "2026-01-05T09:31:00.123Z")]
    #[case("2026-01-05T10:31:00.9999+01:00", "2026-01-05T09:31:00.999Z")]
    fn a_time_has_milliseconds_whatever_it_came_with(#[case] given: &str, #[case] written: &str) {
        assert_eq!(text(given.parse().expect("a time")), written);
    }
}
