//! How single values of the configuration are parsed and checked.

use std::fmt::Display;
use std::net::SocketAddr;
use std::ops::{Bound, RangeBounds};
use std::str::FromStr;

use secrecy::SecretString;
use url::Url;

/// A value that was rejected after parsing. The error does not quote it, because it may be a secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{variable}: {allowed}")]
pub struct BadValue {
    /// The name of the variable.
    pub variable: &'static str,
    /// Values that are allowed.
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

/// Parses a secret.
pub(super) fn secret(text: &str) -> Result<SecretString, &'static str> {
    if text.is_empty() { Err("must not be empty") } else { Ok(SecretString::from(text)) }
}

/// Parses an address with its port.
pub(super) fn socket_address(text: &str) -> Result<SocketAddr, String> {
    text.parse()
        .map_err(|_| "must be an IP address and a port, such as 127.0.0.1:8080 or [::]:8080".to_owned())
}

/// A parser of whole numbers in a range, which says in words what is allowed.
pub fn whole<T>(range: impl RangeBounds<T>) -> impl Fn(&str) -> Result<T, String> + Clone
where
    T: FromStr + PartialOrd + Display + Copy,
{
    let bound = |bound: Bound<&T>| match bound {
        Bound::Included(at) | Bound::Excluded(at) => Some(*at),
        Bound::Unbounded => None,
    };
    let (least, most) = (bound(range.start_bound()), bound(range.end_bound()));
    move |text| {
        let fits = |number: &T| {
            least.is_none_or(|least| *number >= least) && most.is_none_or(|most| *number <= most)
        };
        text.parse().ok().filter(fits).ok_or_else(|| match (least, most) {
            (Some(least), Some(most)) => format!("must be a whole number from {least} to {most}"),
            (Some(least), None) => format!("must be a whole number of {least} or more"),
            (None, Some(most)) => format!("must be a whole number of {most} or less"),
            (None, None) => "must be a whole number".to_owned(),
        })
    }
}

/// Parses the base URL of a server.
pub(super) fn base_url(text: &str) -> Result<String, String> {
    let rest = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
    let host = rest.map(|rest| rest.split('/').next().unwrap_or_default());
    let good = host.is_some_and(|host| !host.is_empty()) && text.bytes().all(|b| b.is_ascii_graphic());
    if good {
        return Ok(text.trim_end_matches('/').to_owned());
    }
    Err("must begin with http:// or https://".to_owned())
}

/// Parses the base URL of a provider that requests are passed on to.
pub(super) fn upstream(text: &str) -> Result<Url, String> {
    let good = |url: &Url| url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
    let url = base_url(text)?.parse::<Url>().ok().filter(good);
    url.ok_or_else(|| "must be a URL without user, query and fragment".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_is_not_taken_is_told_what_is() {
        let told = |read: Result<u32, String>| read.expect_err("a refusal");
        for text in ["0", "x", "-1", "1.5", "", "99999999999"] {
            assert_eq!(told(whole(1..)(text)), "must be a whole number of 1 or more", "{text}");
            assert_eq!(told(whole(2..=9)(text)), "must be a whole number from 2 to 9", "{text}");
        }
        assert_eq!((whole(1..)("7"), whole(0..=7)("7")), (Ok(7_u32), Ok(7_u32)));
    }
}
