//! Where a text is now: in which parts of the context, or with which version it went.

use std::collections::HashSet;

use serde_json::Value;

use crate::fault::Fault;
use crate::lost::{self, folded};
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

/// Whether the service wrote a message, by how it begins.
pub(crate) fn is_ours(text: &str) -> bool {
    HEADS.iter().any(|(head, _)| text.starts_with(head))
}

/// The least characters of a line that says that a message is there, and the most lines that are looked for.
const LEAST_OF_A_LINE: usize = 12;
const MOST_LINES: usize = 2_000;
/// The most places that are named.
const NAMED: usize = 4;

/// A context, as the texts of its parts.
#[derive(Debug, Default)]
pub(crate) struct Shown {
    /// Each with its name.
    parts: Vec<(String, String)>,
    whole: String,
    /// Messages that it has as they are.
    uncut: HashSet<i64>,
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
            if head.is_none() {
                all.uncut.extend(seqs.into_iter().flatten().filter_map(Value::as_i64));
            }
        }
        for masked in context.list("masked") {
            all.uncut.remove(&masked.whole("seq"));
        }
        for range in context.list("omitted").iter().filter(|range| range.text("reason") != "thinking") {
            let range = range.whole("from_seq")..=range.whole("to_seq");
            all.uncut.retain(|seq| !range.contains(seq));
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

    /// Whether it has a message as it is, of some that something came from.
    pub(crate) fn has_uncut(&self, seqs: &[i64]) -> bool {
        seqs.iter().any(|seq| self.uncut.contains(seq))
    }

    /// Whether it has a folded text, or a message that it came from as it is. Every page decides by this.
    pub(crate) fn has(&self, text: &str, seqs: &[i64]) -> bool {
        self.whole.contains(text) || self.has_uncut(seqs)
    }

    /// Where that is; empty for nowhere.
    pub(crate) fn find(&self, wanted: &Wanted) -> String {
        let places = self.places(|part| part.contains(&wanted.text));
        match wanted.seqs.iter().find(|seq| self.uncut.contains(seq)) {
            Some(seq) if places.is_empty() => format!("message {seq}"),
            _ => places,
        }
    }

    /// How it has a message that it does not have as it is: so many of its sentences and lines, of all, and where they are.
    pub(crate) fn lines_of(&self, text: &str) -> (usize, usize, String) {
        let counts = |line: &String| line.chars().count() >= LEAST_OF_A_LINE;
        let mut lines: Vec<String> =
            lost::sentences(text).map(folded).filter(counts).take(MOST_LINES).collect();
        if lines.is_empty() {
            lines.push(folded(text));
        }
        let all = lines.len();
        lines.retain(|line| self.whole.contains(line));
        (lines.len(), all, self.places(|part| lines.iter().any(|line| part.contains(line))))
    }

    /// The names of the parts that have something.
    fn places(&self, has: impl Fn(&str) -> bool) -> String {
        let mut names: Vec<&str> =
            self.parts.iter().filter(|(_, part)| has(part)).map(|(name, _)| name.as_str()).collect();
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
    /// Whether it is the name of a file, whose content the context does not have.
    pub(crate) name_only: bool,
    /// What of it is there, when it is not there as a whole; empty for nothing.
    pub(crate) part: String,
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
    /// The messages that it came from.
    pub(crate) seqs: Vec<i64>,
    /// Whether it is the name of a file.
    pub(crate) is_file: bool,
}

impl Wanted {
    fn seq(&self) -> i64 {
        self.seqs.first().copied().unwrap_or_default()
    }
}

/// How texts stand: those that are nowhere are looked for in the contexts with which earlier versions began.
pub(crate) async fn standing(
    (visit, place): (&Visit, &Place),
    now: &Shown,
    versions: &[Version],
    wanted: &[Wanted],
) -> Result<Vec<Standing>, Fault> {
    let stands = |one: &Wanted| Standing {
        here: now.find(one),
        name_only: one.is_file && !now.has_uncut(&one.seqs),
        ..Standing::default()
    };
    let mut all: Vec<Standing> = wanted.iter().map(stands).collect();
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
            *standing = went(place, (Some(*version), newer.copied()), one.seq());
            false
        });
    }
    for index in left {
        let (Some(one), Some(standing)) = (wanted.get(index), all.get_mut(index)) else { continue };
        // Until a version covered its message, the window had it.
        let first = versions.iter().rposition(|version| one.seq() > 0 && version.through >= one.seq());
        if let Some(first) = first {
            let between = (versions.get(first + 1).copied(), versions.get(first).copied());
            *standing = went(place, between, one.seq());
        }
    }
    Ok(all)
}

/// What is said of a text of a message that was last served with one version and went with another.
fn went(place: &Place, (last, with): (Option<Version>, Option<Version>), seq: i64) -> Standing {
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
        let seq = if seq > 0 { seq.to_string() } else { String::new() };
        let pairs = [("from", from.as_str()), ("to", &with.number.to_string()), ("seq", &seq)];
        format!("{}#between", place.page("/dropped", &pairs))
    });
    let version = with.map_or(0, |with| with.number);
    Standing { gone, version, href: href.unwrap_or_default(), ..Standing::default() }
}

/// Whether two versions of the API's list say the same: a roll back makes one that has the record of another.
pub(crate) fn is_same(listed: &Value, one: i64, other: i64) -> bool {
    let of = |number| {
        let found = listed.list("items").iter().find(|version| version.whole("version") == number)?;
        Some((found.text("last_compressed_at"), found.whole("through_seq")))
    };
    one == other || of(one).is_some_and(|one| of(other) == Some(one))
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
        let find = |text: &str, seqs: &[i64]| {
            shown.find(&Wanted { text: folded(text), seqs: seqs.to_vec(), is_file: false })
        };
        assert_eq!(find("5433", &[]), "record, digest, message 31");
        assert_eq!(find("port 5433?", &[]), "message 31");
        assert_eq!(find("careful.", &[]), "message 1");
        assert_eq!(find("grep \"a b\" x\nls", &[]), "message 32");
        assert_eq!(find("5434", &[2]), "", "the digest has not all of message 2");
        assert_eq!(find("a shortened form of it", &[9, 31]), "message 31");
    }

    #[test]
    fn a_message_is_told_by_its_lines_and_a_cut_one_is_not_there_as_it_is() {
        let shown = Shown::of(&json!({
            "messages": [
                {"role": "system", "content": "Constraints that hold for the whole session:\n- Keep the old name of it.\n  timeout = 30 seconds"},
                {"role": "tool", "content": "a cut output"}, {"role": "user", "content": "go on"}
            ],
            "sources": [null, [7], [8]],
            "omitted": [{"from_seq": 7, "to_seq": 7, "reason": "clipped"}]
        }));
        assert_eq!(
            shown.lines_of("Keep the old name of it.\ntimeout = 30 seconds\n"),
            (2, 2, "pins".to_owned())
        );
        assert_eq!(shown.lines_of("timeout = 30 seconds\nretries = 5 at most"), (1, 2, "pins".to_owned()));
        assert_eq!(shown.lines_of("nothing of it is there").0, 0);
        assert!(shown.has("no such text", &[8]) && !shown.has("no such text", &[7]));
    }

    #[test]
    fn a_version_that_a_roll_back_made_is_the_same_as_the_one_that_it_went_to() {
        let of = |version: i64, at: &str, through: i64| json!({"version": version, "last_compressed_at": at, "through_seq": through});
        let listed = json!({"items": [of(3, "a", 9), of(2, "b", 20), of(1, "a", 9)]});
        assert!(is_same(&listed, 1, 3) && is_same(&listed, 2, 2));
        assert!(!is_same(&listed, 2, 3) && !is_same(&listed, 4, 5));
    }
}
