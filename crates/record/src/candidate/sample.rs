//! A small sample session that is compressed once to warm caches up.

use chrono::DateTime;

use super::{Material, check, draft, read};
use anchord_messages::format::{Format, parse};
use anchord_messages::message::Numbered;
use anchord_messages::tokens::TokenCounter;

/// Runs every step on a small session, so that vocabularies and patterns are compiled and warm in the calling
/// thread.
pub fn warm_up() {
    let material = sample();
    let facts = read(&material);
    let draft = draft(&material, &facts);
    let _ = check(&material, &facts, draft);
}

/// A session with everything that the ledger reads: calls, a shell, tests, errors, figures, demands.
pub(super) fn sample() -> Material {
    let messages =
        include_str!("sample.jsonl").lines().filter_map(|line| parse(Format::OpenaiChat, line).ok());
    let span: Vec<Numbered> = (1..).zip(messages).map(|(seq, message)| Numbered { seq, message }).collect();
    Material::first(span, 10_000, TokenCounter::default(), DateTime::UNIX_EPOCH)
}
