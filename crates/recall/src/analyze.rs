//! The analyzer: turns a message into terms with their frequencies.

use std::collections::HashMap;
use std::hash::Hasher as _;

use fnv::FnvHasher;
use foldhash::fast::RandomState;

use super::stem::{Stems, is_own_stem};
use super::words::{Kind, scan};
use anchord_messages::inner_json;
use anchord_messages::message::{MediaSource, Message, Part, Role};

/// The most different terms of one message; in a longer message, only repetitions of these terms still count.
const MOST_TERMS: usize = 20_000;
/// The longest speaker's name, in bytes.
const LONGEST_SPEAKER: usize = 120;
/// The deepest level of tool results within tool results that is read.
const DEEPEST: usize = 8;

/// A searchable term: 40 bits of the hash of its normal form.
///
/// In a session of 100,000 different terms, one in ten million look-ups matches falsely. A false match only changes a
/// rank, because hits are checked against their text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term(u64);

impl Term {
    /// How many bits a term has.
    const BITS: u32 = 40;

    pub(super) fn new(kind: Kind, text: &str) -> Self {
        let mut hasher = FnvHasher::default();
        // The kind is part of the hash: a stem and an identifier with the same spelling are different terms.
        hasher.write_u8(match kind {
            Kind::Word => 0,
            Kind::Compound | Kind::Tail => 1,
            Kind::Pair | Kind::Character => 2,
        });
        hasher.write(text.as_bytes());
        let hash = hasher.finish();
        Self((hash ^ (hash >> Self::BITS)) & ((1 << Self::BITS) - 1))
    }

    /// The bucket of the index that contains the term, from 0 to 255.
    pub fn bucket(self) -> u8 {
        self.0.to_le_bytes()[4]
    }

    /// The bits that identify the term within its bucket.
    pub(super) fn rest(self) -> u32 {
        let [a, b, c, d, ..] = self.0.to_le_bytes();
        u32::from_le_bytes([a, b, c, d])
    }
}

/// How often a term occurs in a message, by field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frequencies {
    /// Occurrences in the words of a person or the model, at most 63.
    pub said: u8,
    /// Occurrences in tool calls, tool results, reasoning and files, at most 255.
    pub shown: u8,
    /// Whether it occurs in the speaker's name.
    pub speaker: bool,
}

impl Frequencies {
    /// The largest count of occurrences in speech, for which a posting has six bits.
    pub(super) const MOST_SAID: u8 = 63;

    fn count(&mut self, field: Field) {
        match field {
            Field::Said => self.said = (self.said + 1).min(Self::MOST_SAID),
            Field::Shown => self.shown = self.shown.saturating_add(1),
            Field::Speaker => self.speaker = true,
        }
    }

    pub(super) fn join(&mut self, other: Self) {
        self.said = self.said.saturating_add(other.said).min(Self::MOST_SAID);
        self.shown = self.shown.saturating_add(other.shown);
        self.speaker |= other.speaker;
    }
}

/// The terms of one message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// The number of words in speech.
    pub said: u32,
    /// The number of words in tool calls, tool results, reasoning and files.
    pub shown: u32,
    /// Every term, in order.
    pub terms: Vec<(Term, Frequencies)>,
}

impl Document {
    /// How often a term occurs; `None` when it does not.
    pub fn frequencies(&self, term: Term) -> Option<Frequencies> {
        let at = self.terms.binary_search_by_key(&term, |(t, _)| *t).ok()?;
        self.terms.get(at).map(|(_, f)| *f)
    }
}

/// The field of a message that contains a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Said,
    Shown,
    Speaker,
}

/// The terms of a message; for several messages, [`Analyzer`] is faster.
pub fn analyze(message: &Message) -> Document {
    Analyzer::default().read(message)
}

/// Turns messages into terms, with a cache of words, because most words are repeated.
#[derive(Default)]
pub struct Analyzer {
    reader: Reader,
    /// Empty between messages; reused to keep its memory.
    terms: HashMap<Term, Frequencies, RandomState>,
}

impl Analyzer {
    /// The terms of a message.
    pub fn read(&mut self, message: &Message) -> Document {
        let mut document = Document::default();
        let Self { reader, terms } = self;
        each_text(message, &mut |field, text| {
            scan(text, |token| {
                if matches!(token.kind, Kind::Word | Kind::Character) {
                    match field {
                        Field::Said => document.said = document.said.saturating_add(1),
                        Field::Shown => document.shown = document.shown.saturating_add(1),
                        Field::Speaker => {}
                    }
                }
                let term = reader.term(token.kind, &token.text);
                if let Some(frequencies) = terms.get_mut(&term) {
                    frequencies.count(field);
                } else if terms.len() < MOST_TERMS {
                    terms.entry(term).or_default().count(field);
                }
            });
        });
        document.terms = terms.drain().collect();
        document.terms.sort_unstable_by_key(|(term, _)| *term);
        document
    }
}

/// Turns tokens into terms; the term of a word is cached, so that each word is stemmed once.
#[derive(Default)]
pub(super) struct Reader {
    stems: Stems,
    known: HashMap<Box<str>, Term, RandomState>,
}

impl Reader {
    pub fn term(&mut self, kind: Kind, text: &str) -> Term {
        // Words without endings are not cached: most are numbers, which are rarely repeated.
        if kind != Kind::Word || is_own_stem(text) {
            return Term::new(kind, text);
        }
        if let Some(term) = self.known.get(text) {
            return *term;
        }
        let term = Term::new(Kind::Word, &self.stems.stem(text));
        if self.known.len() < MOST_TERMS {
            self.known.insert(text.into(), term);
        }
        term
    }
}

/// Calls `visit` for every searchable text of a message, which excludes images and other binary data.
pub(super) fn each_text(message: &Message, visit: &mut impl FnMut(Field, &str)) {
    if let Some(name) = &message.name {
        visit(Field::Speaker, name);
    }
    let speech = match message.role {
        Role::System | Role::Developer | Role::User | Role::Assistant => Field::Said,
        Role::Tool => Field::Shown,
    };
    let mut first = true;
    for part in &message.parts {
        if let Part::Text(text) = part
            && first
            && speech == Field::Said
        {
            first = false;
            let (speaker, rest) = speaker(text);
            if !speaker.is_empty() {
                visit(Field::Speaker, speaker);
            }
            visit(speech, rest);
        } else {
            part_texts(part, speech, DEEPEST, visit);
        }
    }
}

fn part_texts(part: &Part, field: Field, depth: usize, visit: &mut impl FnMut(Field, &str)) {
    match part {
        Part::Text(text) => visit(field, text),
        Part::Image(_) => {}
        Part::File(file) => {
            if let Some(name) = &file.name {
                visit(field, name);
            }
            if let MediaSource::Text(text) = &file.source {
                visit(Field::Shown, text);
            }
        }
        Part::Thinking(thinking) => visit(Field::Shown, &thinking.text),
        Part::ToolCall(call) => {
            visit(Field::Shown, &call.name);
            json_texts(&call.arguments, visit);
        }
        Part::ToolResult(result) => {
            if depth > 0 {
                for inner in &result.parts {
                    part_texts(inner, Field::Shown, depth - 1, visit);
                }
            }
        }
        Part::Other(json) => json_texts(json, visit),
    }
}

/// Visits the strings and numbers of a JSON text; the text itself, when it is not JSON, or has too many values to be read.
fn json_texts(json: &str, visit: &mut impl FnMut(Field, &str)) {
    match inner_json::read::<serde_json::Value>(json) {
        Some(value) => value_texts(&value, visit),
        None => visit(Field::Shown, json),
    }
}

// The parser rejects nesting deeper than 128, so this recursion cannot exhaust the stack.
fn value_texts(value: &serde_json::Value, visit: &mut impl FnMut(Field, &str)) {
    match value {
        serde_json::Value::String(text) => visit(Field::Shown, text),
        serde_json::Value::Number(number) => visit(Field::Shown, &number.to_string()),
        serde_json::Value::Array(items) => items.iter().for_each(|item| value_texts(item, visit)),
        serde_json::Value::Object(fields) => {
            for (key, value) in fields {
                visit(Field::Shown, key);
                value_texts(value, visit);
            }
        }
        serde_json::Value::Null | serde_json::Value::Bool(_) => {}
    }
}

/// Splits `Speaker: text`; the speaker is empty when the text does not start with one.
pub(super) fn speaker(text: &str) -> (&str, &str) {
    let line = text.lines().next().unwrap_or_default();
    let colon = line.char_indices().find(|(at, c)| {
        *c == '：'
            || *c == ':' && line.get(at + 1..).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    });
    if let Some((at, c)) = colon
        && at <= LONGEST_SPEAKER
        && let (Some(name), Some(rest)) = (text.get(..at), text.get(at + c.len_utf8()..))
        && name.chars().next().is_some_and(|c| c.is_alphabetic() && !c.is_lowercase())
        // A sentence before a colon has full stops and many words, a name few.
        && name.split_whitespace().count() <= 10
    {
        return (name, rest);
    }
    ("", text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use anchord_messages::inner_json::MAX_VALUES;
    use anchord_messages::message::{ToolCall, ToolResult};

    fn message(role: Role, parts: Vec<Part>) -> Message {
        Message { role, name: None, parts }
    }

    fn word(text: &str) -> Term {
        Term::new(Kind::Word, text)
    }

    #[test]
    fn what_is_said_and_what_is_shown_are_told_apart() {
        let said = Part::Text("Please look at the crane".to_owned());
        let call = Part::ToolCall(ToolCall {
            id: String::new(),
            name: "read_file".to_owned(),
            arguments: r#"{"path": "a/crane.rs", "note": "line\nbreak", "lines": 42}"#.to_owned(),
        });
        let document = analyze(&message(Role::Assistant, vec![said, call]));
        let crane = document.frequencies(word("crane")).unwrap();
        assert_eq!((crane.said, crane.shown, crane.speaker), (1, 1, false));
        assert!(document.frequencies(word("42")).is_some(), "numbers of arguments are read");
        assert!(document.frequencies(word("nbreak")).is_none(), "escapes of arguments are no letters");
        assert!(document.frequencies(Term::new(Kind::Compound, "read_file")).is_some());
        assert!(document.frequencies(word("boat")).is_none());
    }

    #[test]
    fn tool_results_are_shown_whatever_role_carries_them() {
        let inner = vec![Part::Text("FAILED: crane".to_owned())];
        let result = Part::ToolResult(ToolResult { call_id: String::new(), parts: inner, is_error: None });
        let as_tool = analyze(&message(Role::Tool, vec![Part::Text("crane".to_owned())]));
        for document in [analyze(&message(Role::User, vec![result])), as_tool] {
            let crane = document.frequencies(word("crane")).unwrap();
            assert_eq!((crane.said, crane.shown), (0, 1));
        }
    }

    #[test]
    fn arguments_that_are_no_json_are_read_as_text() {
        let call =
            ToolCall { id: String::new(), name: String::new(), arguments: "{\"path: crane".to_owned() };
        let document = analyze(&message(Role::Assistant, vec![Part::ToolCall(call)]));
        assert!(document.frequencies(word("crane")).is_some());
    }

    #[test]
    fn arguments_with_more_values_than_are_read_are_text() {
        let read = |numbers: usize| {
            let arguments = format!(r#"{{"note": "line\nbreak", "numbers": [{}0]}}"#, "0,".repeat(numbers));
            let call = ToolCall { id: String::new(), name: String::new(), arguments };
            analyze(&message(Role::Assistant, vec![Part::ToolCall(call)]))
        };
        // The letter of an escape belongs to a word only where a text is read as it stands.
        assert!(read(MAX_VALUES - 10).frequencies(word("nbreak")).is_none());
        assert!(read(MAX_VALUES).frequencies(word("nbreak")).is_some());
    }

    #[test]
    fn a_speaker_is_a_name_before_a_colon() {
        assert_eq!(speaker("Grace Hopper: it works").0, "Grace Hopper");
        assert_eq!(speaker("Ms. A. Smith (North, Ind.): thanks").0, "Ms. A. Smith (North, Ind.)");
        assert_eq!(speaker("田中：はい").0, "田中");
        for none in
            ["http://example.org", "it works: yes", "12:30 is fine", "", ": x", "C:\\temp", "No colon"]
        {
            assert_eq!(speaker(none), ("", none));
        }
        let sentence = "We have looked at all of the options that there are today: none";
        assert_eq!(speaker(sentence), ("", sentence));
    }

    #[test]
    fn hostile_texts_are_read_in_bounds() {
        let words: String =
            (0..60_000).flat_map(|i| [String::from("w"), i.to_string(), String::from("x ")]).collect();
        let nested = "[".repeat(100_000);
        let letters = "a".repeat(1 << 20);
        let base64 = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZn+/0=".repeat(20_000);
        let minified = "function(a,b){return a.b.c[d]?e:f};".repeat(20_000);
        let accents = format!("a{}", "\u{301}".repeat(200_000));
        let hangul = "가".repeat(100_000);
        for text in [words, nested, letters, base64, minified, accents, hangul] {
            let call = ToolCall { id: String::new(), name: String::new(), arguments: text.clone() };
            let document = analyze(&message(Role::User, vec![Part::Text(text), Part::ToolCall(call)]));
            assert!(document.terms.len() <= MOST_TERMS);
        }
    }

    proptest::proptest! {
        #[test]
        fn a_text_said_twice_has_the_terms_of_one_and_every_name_in_it_is_found(
            words in proptest::collection::vec("[a-z]{4,9}[0-9]{1,2}|src/[a-z]{3,8}\\.rs|起重[机械]|[A-Z][a-z]{3,8}Error|é|[(){}]", 1..30),
            cut in 0..6_usize,
        ) {
            let text = words.join(" ");
            let text = &text[..text.floor_char_boundary(text.len().saturating_sub(cut))];
            let once = analyze(&message(Role::User, vec![Part::Text(text.to_owned())]));
            proptest::prop_assert!(once.terms.len() <= 4 * text.len());
            let twice = analyze(&message(Role::User, vec![Part::Text(format!("{text}\n\n{text}"))]));
            proptest::prop_assert!(twice.terms.len() <= once.terms.len() + 4, "{} {}", twice.terms.len(), once.terms.len());
            for word in words.iter().filter(|w| w.starts_with("src/") && text.contains(w.as_str())) {
                let query = crate::Query::parse(word).unwrap();
                proptest::prop_assert!(query.terms().iter().any(|t| once.frequencies(*t).is_some()), "{}", word);
            }
        }
    }
}
