//! Finds the reason that the source gives for a decision.

use std::sync::LazyLock;

use regex::Regex;

use super::super::summary::Decision;
use anchord_facts::{pattern, wording};
use anchord_messages::message::{Numbered, Role};

pub(super) static REASON: LazyLock<Regex> = LazyLock::new(|| {
    pattern::unicode(
        r"(?i)\b(?:because|since|so that|in order to|due to|as it|as this|the reason is)\b[:,]?\s+([^.;\n]{3,300})",
    )
});

/// The most characters of a message that are searched, for each decision again.
const MOST_READ: usize = 64 * 1024;

/// The reason that the source gives for a decision in the same sentence.
pub(super) fn stated_reason(decision: &Decision, span: &[Numbered]) -> Option<String> {
    let said = |text: &str| REASON.captures(text).and_then(|c| Some(c.get(1)?.as_str().trim().to_owned()));
    if said(&decision.decision).is_some() {
        // The decision contains its reason.
        return None;
    }
    let wanted = wording::normalized(wording::clip_chars(&decision.decision, 200));
    if wanted.is_empty() {
        return None;
    }
    let sources = span.iter().filter(|n| decision.seqs.contains(&n.seq) && n.message.role != Role::Tool);
    sources.into_iter().find_map(|n| {
        let text = n.message.text();
        let text = wording::clip_chars(&text, MOST_READ);
        let mut sentences = text.split(['\n', ';']).flat_map(|line| line.split(". "));
        sentences.find_map(|s| wording::normalized(s).contains(&wanted).then(|| said(s)).flatten())
    })
}
