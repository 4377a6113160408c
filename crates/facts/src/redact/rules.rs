//! The rules of `rules/secrets.toml`: the patterns of secrets.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Captures;
use serde::Deserialize;

use super::doubt::{
    follows_a_flag, named_password, named_secret, placeholder, random, session_cookie, token, told_password,
};
use crate::pattern::{Grouped, Rule, Table};
use crate::rules;

pub(super) static RULES: LazyLock<Table<Secret>> =
    LazyLock::new(|| rules::read::<Secrets>(rules::SECRETS).secrets);

#[derive(Deserialize)]
#[cfg_attr(test, serde(deny_unknown_fields))]
struct Secrets {
    #[serde(rename = "secret")]
    secrets: Table<Secret>,
}

/// A kind of secret.
#[derive(Deserialize)]
#[cfg_attr(test, serde(deny_unknown_fields))]
pub(super) struct Secret {
    pub(super) kind: String,
    #[serde(deserialize_with = "begun")]
    pub(super) pattern: Grouped,
    check: Option<Check>,
    #[cfg(test)]
    pub(super) samples: Vec<String>,
    #[cfg(test)]
    #[serde(default)]
    pub(super) not: Vec<String>,
}

/// A check that a match must pass to count as a secret.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Check {
    Mixed,
    Random,
    NoPlaceholder,
    Value,
    Named,
    NamedPassword,
    ToldPassword,
    Cookie,
}

impl Secret {
    /// The byte range of the secret in a match within a text; `None` when it only looks like one.
    pub(super) fn found(&self, caps: &Captures<'_>, text: &str) -> Option<Range<usize>> {
        let secret = caps.name("secret").or_else(|| caps.get(0))?;
        let value = secret.as_str();
        let is_secret = match self.check {
            None => true,
            Some(Check::Mixed) => token(text, &secret.range()),
            Some(Check::Random) => random(value),
            Some(Check::NoPlaceholder) => !placeholder(value),
            Some(Check::Value) => follows_a_flag(value),
            Some(Check::Named) => named_secret(caps, text),
            Some(Check::NamedPassword) => named_password(caps, text),
            Some(Check::ToldPassword) => told_password(caps),
            Some(Check::Cookie) => session_cookie(value),
        };
        is_secret.then(|| secret.range())
    }
}

impl Rule for Secret {
    fn pattern(&self) -> &Grouped {
        &self.pattern
    }

    #[cfg(test)]
    fn name(&self) -> String {
        format!("secrets.toml, {}", self.kind)
    }
}

/// Deserializes a pattern so that it also matches after an escaped line break in JSON, because arguments of calls are
/// scanned as sent and the `n` of `\n` is not part of the secret; and next to letters of other scripts.
fn begun<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Grouped, D::Error> {
    const START: &str = r"(?:\b|\\[nrt])";
    let text = String::deserialize(deserializer)?;
    let (flags, body) = text.strip_prefix("(?i)").map_or(("", text.as_str()), |body| ("(?i)", body));
    let Some(body) = body.strip_prefix(r"\b") else { return Ok(Grouped::ascii_bounded(&text)) };
    let pattern = if body.contains("(?P<") {
        format!("{flags}{START}{body}")
    } else {
        format!("{flags}{START}(?P<secret>{})", body.replace(r"|\b", "|"))
    };
    Ok(Grouped::ascii_bounded(&pattern))
}
