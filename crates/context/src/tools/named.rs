//! How a context names the call that gives what it leaves out.
//!
//! Texts that are made when a context is read name the call or do not, and are counted as they are. Record and digest are
//! stored with their version, with their tokens, so that their phrases without a call are replaced by others of equally
//! many tokens: the setting then changes neither what is stored nor its counts.

use std::borrow::Cow;

use super::ToolMode;
use super::tool::Tool;
use anchord_messages::id::Seq;
use anchord_record::digest::STANDS_FOR;
use anchord_record::render::NOT_SHOWN;

/// What takes the place of [`NOT_SHOWN`].
const IN_RECORD: &str = "read_record";
/// What takes the place of [`STANDS_FOR`].
const IN_MESSAGES: &str = "in full with read_messages";

/// An output that a placeholder stands for, or of which a part is left out.
pub(crate) fn output_named(mode: ToolMode, reference: &str) -> String {
    match mode {
        ToolMode::None => format!("tool output {reference}"),
        ToolMode::Offered => format!("{}(\"{reference}\")", Tool::ReadToolOutput.name()),
    }
}

/// Messages that are left out, or of which a part is; `None` when no call is named.
pub(crate) fn messages_named(mode: ToolMode, from: Seq, to: Seq) -> Option<String> {
    let name = Tool::ReadMessages.name();
    match mode {
        ToolMode::None => None,
        ToolMode::Offered if from == to => Some(format!("{name}({from})")),
        ToolMode::Offered => Some(format!("{name}({from}, {to})")),
    }
}

/// The record as it is served.
pub(crate) fn record_named(mode: ToolMode, text: &str) -> Cow<'_, str> {
    let end = format!(", {NOT_SHOWN})");
    if mode == ToolMode::None || !text.contains(&end) {
        return Cow::Borrowed(text);
    }
    let named = |line: &str| {
        let bare = line.trim_end_matches('\n');
        // The renderer's own lines alone: they begin with a bracket, which no entry does.
        match bare.strip_suffix(&end).filter(|rest| rest.starts_with('(')) {
            Some(rest) => format!("{rest}, {IN_RECORD}){}", line.get(bare.len()..).unwrap_or_default()),
            None => line.to_owned(),
        }
    };
    Cow::Owned(text.split_inclusive('\n').map(named).collect())
}

/// The digest as it is served.
pub(crate) fn digest_named(mode: ToolMode, text: &str) -> Cow<'_, str> {
    let (head, rest) = text.split_once('\n').unwrap_or((text, ""));
    if mode == ToolMode::None || !head.contains(STANDS_FOR) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("{}\n{rest}", head.replacen(STANDS_FOR, IN_MESSAGES, 1)))
}

#[cfg(test)]
mod tests {
    use anchord_messages::tokens::{TokenCounter, Tokenizer};

    use super::*;

    #[test]
    fn the_forms_of_record_and_digest_have_equally_many_tokens_in_every_tokenizer() {
        let record = "## Files Modified\n- `a.rs` (modified)\n(+12 more, 3 shortened, stored-only)\n\n(+4 more in Errors, stored-only)\n";
        let digest = "[Digest of the earlier conversation, kept for the original messages: what was said.]\n\n#1 user: kept for the original messages";
        for tokenizer in [Tokenizer::O200kBase, Tokenizer::Cl100kBase, Tokenizer::Estimate] {
            let counter = TokenCounter::new(tokenizer);
            for (none, offered) in [
                (record, record_named(ToolMode::Offered, record)),
                (digest, digest_named(ToolMode::Offered, digest)),
            ] {
                assert_ne!(none, offered);
                assert_eq!(
                    counter.count_text(none),
                    counter.count_text(&offered),
                    "{tokenizer:?}: {offered}"
                );
            }
        }
        assert_eq!(record_named(ToolMode::None, record), record);
        assert_eq!(digest_named(ToolMode::None, digest), digest);
    }

    #[test]
    fn only_the_services_own_words_are_replaced() {
        let record = "- he said (+3 more, stored-only)\n(+3 more, stored-only)";
        let named = record_named(ToolMode::Offered, record);
        assert_eq!(named, "- he said (+3 more, stored-only)\n(+3 more, read_record)");
        let digest = "[Digest, kept for the original messages]\n\n#1 user: kept for the original messages";
        let named = digest_named(ToolMode::Offered, digest);
        assert_eq!(named, "[Digest, in full with read_messages]\n\n#1 user: kept for the original messages");
    }
}
