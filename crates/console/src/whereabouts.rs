//! Where a text is now: in which parts of the context, or with which version it went.

use serde_json::Value;

use crate::fault::Fault;
use crate::lost::folded;
use crate::message;
use crate::pages::Place;
use crate::view::Look as _;
use crate::visit::Visit;

/// The most versions that are looked at, the newest first.
pub(crate) const MOST_VERSIONS: usize = 12;
/// How the service's own messages begin, with their names.
const HEADS: [(&str, &str); 5] = [
    ("[Summary of the earlier conversation", "record"),
    ("[Digest of the earlier conversation", "digest"),
    ("[Notes that the agent made", "notes"),
    ("[Recap by the context service", "recap"),
    ("Constraints that hold for the whole session", "pins"),
];
/// The most places that are named.
const NAMED: usize = 4;

/// A context, as the texts of its parts.
#[derive(Debug, Default)]
pub(crate) struct Shown {
    /// Each with its name.
    parts: Vec<(String, String)>,
    whole: String,
}

impl Shown {
    /// The address of a context in the format in which every part is a message; the current one without a version.
    pub(crate) fn path(place: &Place, version: Option<i64>) -> String {
        let version = version.map(|version| version.to_string()).unwrap_or_default();
        place.api("/context", &[("format", "openai-chat"), ("version", &version)])
    }

    pub(crate) fn of(context: &Value) -> Self {
        let mut all = Self::default();
        let sources = context.list("sources");
        for (at, message) in context.list("messages").iter().enumerate() {
            let text = message::text(message);
            let head = HEADS.iter().find(|(head, _)| text.starts_with(head));
            let seqs = sources.get(at).and_then(Value::as_array);
            let name = match (head, seqs.and_then(|seqs| seqs.first()).and_then(Value::as_i64)) {
                (Some((_, name)), _) => (*name).to_owned(),
                (None, Some(seq)) => format!("message {seq}"),
                (None, None) => "a part that the service wrote".to_owned(),
            };
            all.add(name, &text);
        }
        all.add("system prompt".to_owned(), &message::system(context));
        all
    }

    fn add(&mut self, name: String, text: &str) {
        let mut all = folded(text);
        if text.contains('\\') {
            // Arguments of calls are JSON in JSON.
            all.push('\n');
            all.push_str(&folded(&unescaped(text)));
        }
        let text = all;
        self.whole.push_str(&text);
        self.whole.push('\n');
        self.parts.push((name, text));
    }

    /// All of it, folded.
    pub(crate) fn whole(&self) -> &str {
        &self.whole
    }

    /// The names of the parts that have a folded text; empty for none.
    pub(crate) fn places(&self, text: &str) -> String {
        let mut names: Vec<&str> = self
            .parts
            .iter()
            .filter(|(_, part)| part.contains(text))
            .map(|(name, _)| name.as_str())
            .collect();
        names.dedup();
        let more = names.len().saturating_sub(NAMED);
        names.truncate(NAMED);
        let listed = names.join(", ");
        if more > 0 { format!("{listed} and {more} more") } else { listed }
    }
}

/// A text with the escapes of JSON undone, as far as people write what they stand for.
fn unescaped(text: &str) -> String {
    text.replace("\\n", "\n").replace("\\t", "\t").replace("\\\"", "\"").replace("\\\\", "\\")
}

/// A version of the session.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Version {
    pub(crate) number: i64,
    /// The last message that it covers.
    pub(crate) through: i64,
}

/// The versions of the API's list, the newest first.
pub(crate) fn versions(listed: &Value) -> Vec<Version> {
    let of = |one: &Value| Version { number: one.whole("version"), through: one.whole("through_seq") };
    listed.list("items").iter().map(of).collect()
}

/// How a text stands to the context of now.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Standing {
    /// Where it is; empty when it is nowhere.
    pub(crate) here: String,
    /// What became of it, up to the version.
    pub(crate) gone: String,
    /// The version that it went with; 0 without one.
    pub(crate) version: i64,
    /// What that version dropped.
    pub(crate) href: String,
}

/// A text that is looked for.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    /// Folded.
    pub(crate) text: String,
    /// The first message that it came from; 0 without one.
    pub(crate) seq: i64,
}

/// How texts stand: those that are nowhere are looked for in the contexts with which earlier versions began.
pub(crate) async fn standing(
    (visit, place): (&Visit, &Place),
    now: &Shown,
    versions: &[Version],
    wanted: &[Wanted],
) -> Result<Vec<Standing>, Fault> {
    let mut all: Vec<Standing> =
        wanted.iter().map(|one| Standing { here: now.places(&one.text), ..Standing::default() }).collect();
    let mut left: Vec<usize> =
        (0..all.len()).filter(|at| all.get(*at).is_some_and(|one| one.here.is_empty())).collect();
    for (at, version) in versions.iter().enumerate().take(MOST_VERSIONS) {
        if left.is_empty() {
            break;
        }
        let began = Shown::of(&visit.look(Shown::path(place, Some(version.number))).await?);
        let newer = at.checked_sub(1).and_then(|at| versions.get(at));
        left.retain(|index| {
            let (Some(one), Some(standing)) = (wanted.get(*index), all.get_mut(*index)) else { return false };
            if !began.whole.contains(&one.text) {
                return true;
            }
            *standing = went(place, Some(*version), newer.copied());
            false
        });
    }
    for index in left {
        let (Some(one), Some(standing)) = (wanted.get(index), all.get_mut(index)) else { continue };
        // Until a version covered its message, the window had it.
        let first = versions.iter().rposition(|version| one.seq > 0 && version.through >= one.seq);
        if let Some(first) = first {
            *standing = went(place, versions.get(first + 1).copied(), versions.get(first).copied());
        }
    }
    Ok(all)
}

/// What is said of a text that was last served with one version and went with another.
fn went(place: &Place, last: Option<Version>, with: Option<Version>) -> Standing {
    let gone = match (last, with) {
        (Some(last), Some(_)) => format!("last served with version {}, went with", last.number),
        (None, Some(_)) => "served until then, went with".to_owned(),
        (Some(last), None) => {
            format!("it was there when version {} began; the window shows it no longer", last.number)
        }
        (None, None) => String::new(),
    };
    let href = with.map(|with| {
        let from = last.map(|last| last.number.to_string()).unwrap_or_default();
        format!("{}#between", place.page("/dropped", &[("from", &from), ("to", &with.number.to_string())]))
    });
    let version = with.map_or(0, |with| with.number);
    Standing { here: String::new(), gone, version, href: href.unwrap_or_default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_text_is_named_by_the_parts_that_have_it() {
        let shown = Shown::of(&json!({
            "messages": [
                {"role": "system", "content": "You are careful."},
                {"role": "user", "content": "[Summary of the earlier conversation, kept]\nThe port is 5433."},
                {"role": "user", "content": "[Digest of the earlier conversation, kept]\n#2 user: port 5433"},
                {"role": "user", "content": "Is the PORT  5433?"},
                {"role": "assistant", "tool_calls": [{"function": {"name": "sh", "arguments": r#"{"c": "grep \"a b\" x\nls"}"#}}]}
            ],
            "sources": [[1], null, [2, 3], [31], [32]]
        }));
        assert_eq!(shown.places(&folded("5433")), "record, digest, message 31");
        assert_eq!(shown.places(&folded("port 5433?")), "message 31");
        assert_eq!(shown.places("careful."), "message 1");
        assert_eq!(shown.places(&folded("grep \"a b\" x\nls")), "message 32");
        assert_eq!(shown.places("5434"), "");
    }
}
