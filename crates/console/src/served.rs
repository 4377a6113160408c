//! How a context has each message: by its sources, and by what it says that it masked, clipped and left out.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::message;
use crate::view::Look as _;
use crate::whereabouts::is_ours;

/// How a context has a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Has {
    /// As it is.
    Whole,
    /// In the system prompt, which its format keeps apart.
    InSystem,
    /// Its output is a placeholder.
    Placeholder,
    /// A shortened quote of it.
    Quoted,
    /// Not as it is, for a reason of the API.
    Omitted(Omission),
    /// Nothing; the summary covers it.
    Covered,
    /// Nothing.
    Nothing,
}

/// Why a message is not there, or not in full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Omission {
    /// Its beginning and its end are there.
    Clipped,
    /// There is no room.
    Budget,
    /// It, or a part of it, is nothing that the format knows.
    Unsupported,
    /// Its caller marked it.
    Marked,
    /// It answers a call that is not open.
    Held,
}

impl Omission {
    fn of(reason: &str) -> Option<Self> {
        match reason {
            "clipped" => Some(Self::Clipped),
            "budget" => Some(Self::Budget),
            "unsupported" => Some(Self::Unsupported),
            "marked" => Some(Self::Marked),
            "held" => Some(Self::Held),
            _ => None,
        }
    }

    const fn words(self) -> &'static str {
        match self {
            Self::Clipped => "its beginning and its end are shown",
            Self::Budget => "left out, the budget has no room",
            Self::Unsupported => "left out, the format does not know its kind",
            Self::Marked => "left out, its caller marked it",
            Self::Held => "left out until the open calls are answered",
        }
    }
}

/// A reason of the API in words.
pub(crate) fn reason(of: &str) -> &'static str {
    match of {
        "thinking" => "its thinking is left out",
        "in_system" => IN_SYSTEM,
        other => Omission::of(other).map_or("left out", Omission::words),
    }
}

/// Said of an output that stands for itself no longer.
pub(crate) const PLACEHOLDER: &str = "its output is a placeholder";
const IN_SYSTEM: &str = "in the system prompt";

impl Has {
    /// In few words, which every page uses.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::InSystem => IN_SYSTEM,
            Self::Placeholder => PLACEHOLDER,
            Self::Quoted => "shortened, in the digest",
            Self::Omitted(why) => why.words(),
            Self::Covered => "in the record only",
            Self::Nothing => "left out",
        }
    }

    /// The class of its mark.
    pub(crate) const fn class(self) -> &'static str {
        match self {
            Self::Whole | Self::InSystem => "here",
            Self::Placeholder | Self::Quoted | Self::Omitted(Omission::Clipped) => "warn",
            Self::Covered => "",
            Self::Omitted(_) | Self::Nothing => "gone",
        }
    }

    /// As a sentence about the context of now.
    pub(crate) const fn told(self) -> &'static str {
        match self {
            Self::Whole => "The context of now has it, word for word.",
            Self::InSystem => "The context of now has it in the system prompt.",
            Self::Placeholder => "The context of now shows its output as a placeholder.",
            Self::Quoted => "The context of now quotes it in its digest.",
            Self::Omitted(Omission::Clipped) => "The context of now shows its beginning and its end.",
            Self::Omitted(Omission::Budget) => "The context of now leaves it out: the budget has no room.",
            Self::Omitted(Omission::Unsupported) => {
                "The context of now leaves it out: the format does not know its kind."
            }
            Self::Omitted(Omission::Marked) => "The context of now leaves it out: its caller marked it.",
            Self::Omitted(Omission::Held) => {
                "The context of now leaves it out until the open calls are answered."
            }
            Self::Covered => "The summary covers it; the context of now does not quote it.",
            Self::Nothing => "The context of now does not have it.",
        }
    }

    /// Whether it has all of it.
    pub(crate) const fn is_whole(self) -> bool {
        matches!(self, Self::Whole | Self::InSystem)
    }
}

/// Which messages a context has, and how.
#[derive(Clone, Debug, Default)]
pub(crate) struct Served {
    anchor: i64,
    /// Whether each message that something came from is there by itself.
    sources: HashMap<i64, bool>,
    masked: HashSet<i64>,
    omitted: Vec<(i64, i64, Option<Omission>)>,
    has_system: bool,
}

impl Served {
    /// The same of a context in the format in which the agent has it; `None` when none could be built.
    pub(crate) fn of(context: &Value) -> Option<Self> {
        if context.is_null() {
            return None;
        }
        let anchor = context.whole("anchor_seq");
        let mut sources = HashMap::new();
        for (message, of) in context.list("messages").iter().zip(context.list("sources")) {
            let seqs: Vec<i64> = of.as_array().into_iter().flatten().filter_map(Value::as_i64).collect();
            let is_alone = || seqs.len() == 1 && !is_ours(&message::text(message));
            let is_itself = seqs.iter().any(|seq| *seq > anchor) || is_alone();
            sources.extend(seqs.iter().map(|seq| (*seq, is_itself)));
        }
        // Thinking alone makes no message another one.
        let omitted = context.list("omitted").iter().filter(|range| range.text("reason") != "thinking");
        Some(Self {
            anchor,
            sources,
            masked: context.list("masked").iter().map(|masked| masked.whole("seq")).collect(),
            omitted: omitted
                .map(|range| {
                    let why = Omission::of(&range.text("reason"));
                    (range.whole("from_seq"), range.whole("to_seq"), why)
                })
                .collect(),
            has_system: !context.under("system").is_null(),
        })
    }

    /// How it has a message, of a role.
    pub(crate) fn has(&self, seq: i64, role: &str) -> Has {
        let omitted = self.omitted.iter().find(|(from, to, _)| (*from..=*to).contains(&seq));
        let is_system = ["system", "developer"].contains(&role);
        match (omitted, self.sources.get(&seq)) {
            _ if self.masked.contains(&seq) => Has::Placeholder,
            (Some((.., Some(why))), _) => Has::Omitted(*why),
            (Some((.., None)), _) => Has::InSystem,
            (None, Some(true)) => Has::Whole,
            (None, Some(false)) => Has::Quoted,
            (None, None) if is_system && self.has_system => Has::InSystem,
            (None, None) if seq <= self.anchor => Has::Covered,
            (None, None) => Has::Nothing,
        }
    }
}

/// Positions in few words: what follows each other as a range, so many ranges at most.
pub(crate) fn ranges(seqs: &[i64]) -> String {
    const MOST: usize = 8;
    let mut all: Vec<(i64, i64)> = Vec::new();
    for seq in seqs {
        match all.last_mut() {
            Some((_, to)) if *to + 1 == *seq => *to = *seq,
            _ => all.push((*seq, *seq)),
        }
    }
    let more = all.len().saturating_sub(MOST);
    let word =
        |(from, to): &(i64, i64)| if from == to { from.to_string() } else { format!("{from} to {to}") };
    let listed = all.iter().take(MOST).map(word).collect::<Vec<_>>().join(", ");
    if more > 0 { format!("{listed} and {more} more") } else { listed }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_message_is_there_in_one_way() {
        let served = Served::of(&json!({
            "anchor_seq": 9,
            "messages": [
                {"role": "user", "content": "[Summary of the earlier conversation, kept]"},
                {"role": "user", "content": "[Digest of the earlier conversation, kept]\n#7"},
                {"role": "user", "content": "carried"},
                {"role": "user", "content": "new"}, {"role": "tool", "content": "a"}, {"role": "tool", "content": "b"}
            ],
            "sources": [null, [7], [8], [10], [11], [12]],
            "masked": [{"seq": 11, "ref": "r"}],
            "omitted": [
                {"from_seq": 12, "to_seq": 12, "reason": "clipped"}, {"from_seq": 13, "to_seq": 15, "reason": "budget"},
                {"from_seq": 10, "to_seq": 10, "reason": "thinking"}, {"from_seq": 16, "to_seq": 16, "reason": "in_system"}
            ],
            "system": "You are careful."
        }));
        let served = served.expect("a context");
        let has = |seq, role| served.has(seq, role).words();
        assert_eq!(has(1, "system"), "in the system prompt");
        assert_eq!(has(2, "user"), "in the record only");
        assert_eq!(has(7, "user"), "shortened, in the digest");
        assert_eq!((has(8, "user"), has(10, "assistant")), ("whole", "whole"));
        assert_eq!(has(11, "tool"), "its output is a placeholder");
        assert_eq!(has(12, "tool"), "its beginning and its end are shown");
        assert_eq!(has(14, "user"), "left out, the budget has no room");
        assert_eq!((has(16, "system"), has(17, "user")), ("in the system prompt", "left out"));
        assert!(Served::of(&Value::Null).is_none());
    }

    #[test]
    fn positions_are_ranges() {
        assert_eq!(ranges(&[1, 2, 3, 7, 9, 10]), "1 to 3, 7, 9 to 10");
        let far: Vec<i64> = (0..10).map(|n| n * 2).collect();
        assert_eq!(ranges(&far), "0, 2, 4, 6, 8, 10, 12, 14 and 2 more");
    }
}
