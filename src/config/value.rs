//! How single values of the configuration are parsed and checked.

use secrecy::{ExposeSecret as _, SecretString};

/// A value that was rejected after parsing. The error does not quote it, because it may be a secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{variable}: {allowed}")]
pub struct BadValue {
    /// The name of the variable.
    pub variable: &'static str,
    /// What is allowed.
    pub allowed: &'static str,
}

/// A part of the configuration that checks what clap cannot.
pub trait Check {
    /// Checks the secrets, and values that depend on one another.
    ///
    /// # Errors
    /// When a value is not allowed.
    fn check(&self) -> Result<(), BadValue>;
}

/// Rejects the value of a variable unless it is good.
pub(super) fn refuse_unless(
    good: bool,
    variable: &'static str,
    allowed: &'static str,
) -> Result<(), BadValue> {
    if good { Ok(()) } else { Err(BadValue { variable, allowed }) }
}

/// The value, unless it is empty: a variable that is set to nothing (`NAME=` in a file) counts as not set.
pub(super) fn given(value: Option<&str>) -> Option<&str> {
    value.filter(|text| !text.is_empty())
}

/// The secret, unless it is empty.
pub(super) fn given_secret(value: Option<&SecretString>) -> Option<&SecretString> {
    value.filter(|secret| !secret.expose_secret().is_empty())
}

/// Parses a secret.
#[expect(clippy::unnecessary_wraps, reason = "clap's parsers return a Result")]
pub(super) fn secret(text: &str) -> Result<SecretString, std::convert::Infallible> {
    Ok(SecretString::from(text))
}

/// Parses the base URL of a server, or an empty text.
pub(super) fn base_url(text: &str) -> Result<String, String> {
    let rest = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
    let host = rest.map(|rest| rest.split('/').next().unwrap_or_default());
    let good = host.is_some_and(|host| !host.is_empty()) && text.bytes().all(|b| b.is_ascii_graphic());
    if good || text.is_empty() {
        return Ok(text.trim_end_matches('/').to_owned());
    }
    Err("an address is allowed that begins with http:// or https://".to_owned())
}
