//! Redaction: removes secrets from everything that outlives a session or leaves the process (summaries, facts, probes,
//! events, prompts).
//!
//! What lives here: the patterns of secrets (`rules`), the checks that exclude look-alikes (`doubt`), and columns of
//! secrets in tables (`columns`).
//! Invariant: redaction never fails; commit hashes and UUIDs are kept unless the name before them marks them as secret,
//! and paths of files and names of migrations are kept.
//! Must not know: how the redacted text is used.

mod columns;
mod doubt;
mod rules;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

pub(crate) use columns::names_secret;
use rules::{RULES, Secret};

/// Replaces every secret by `[REDACTED:kind]`.
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut out = Cow::Borrowed(text);
    for rule in RULES.candidates_in(text) {
        if let Some(replaced) = apply(rule, &out) {
            out = Cow::Owned(replaced);
        }
    }
    if let Some(replaced) = columns::redact(&out) {
        out = Cow::Owned(replaced);
    }
    out
}

/// Whether a text may contain a secret; `false` means that it contains none.
pub fn may_hold_secret(text: &str) -> bool {
    RULES.may_match(text)
}

fn apply(rule: &Secret, text: &str) -> Option<String> {
    let mut out = String::new();
    let mut from = 0;
    for caps in rule.pattern.captures_iter(text) {
        let Some(secret) = rule.found(&caps, text) else { continue };
        out.push_str(text.get(from..secret.start).unwrap_or_default());
        out.push_str("[REDACTED:");
        out.push_str(&rule.kind);
        out.push(']');
        from = secret.end;
    }
    (from > 0).then(|| {
        out.push_str(text.get(from..).unwrap_or_default());
        out
    })
}

#[cfg(test)]
pub(crate) use tests::rule_problems;
