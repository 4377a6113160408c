//! The tools, with their descriptions and arguments: the table from which definitions are written and calls are read.

use serde_json::{Map, Value};
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::super::note::MAX_NOTE_CHARS;
use anchord_record::section::Section;

/// The most characters of a question; what a search takes.
const MAX_QUERY_CHARS: usize = 4_096;
/// The most hits of a search.
const MAX_HITS: u32 = 20;
/// The most characters of a reference.
const MAX_REFERENCE_CHARS: usize = 64;
/// The largest position.
const MAX_POSITION: u32 = i32::MAX as u32;

/// A tool of the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr, EnumString, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Tool {
    /// Searches the original messages.
    SearchPast,
    /// Reads original messages.
    ReadMessages,
    /// Reads a tool output, whole or by lines.
    ReadToolOutput,
    /// Reads the record, whole or a section.
    ReadRecord,
    /// Makes, replaces or removes a note.
    Note,
}

/// An argument of a tool.
#[derive(Clone, Copy, Debug)]
pub(super) struct Argument {
    pub name: &'static str,
    pub kind: Kind,
    /// Empty where the name says it.
    pub description: &'static str,
    pub is_required: bool,
}

/// What an argument's value is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// A text of at most so many characters.
    Text(usize),
    /// A whole number from 1 to the bound.
    Count(u32),
    /// One of a few words.
    Word(fn() -> Vec<&'static str>),
}

const fn argument(name: &'static str, kind: Kind, description: &'static str) -> Argument {
    Argument { name, kind, description, is_required: false }
}

const fn required(name: &'static str, kind: Kind, description: &'static str) -> Argument {
    Argument { name, kind, description, is_required: true }
}

/// The scopes of a search, by name.
fn scopes() -> Vec<&'static str> {
    vec!["session", "task", "user"]
}

fn sections() -> Vec<&'static str> {
    Section::ALL.iter().map(|section| section.as_str()).collect()
}

const POSITION: Kind = Kind::Count(MAX_POSITION);
const FROM_LINE: Argument = argument("from_line", POSITION, "");
const FROM_CHAR: Argument = argument("from_char", POSITION, "Only as a result tells");

impl Tool {
    /// All of them, in the order in which they are offered.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// The tool's name.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The tool of a name.
    pub fn of_name(name: &str) -> Option<Self> {
        name.parse().ok()
    }

    /// Whether a call changes anything.
    pub const fn writes(self) -> bool {
        matches!(self, Self::Note)
    }

    /// What the model is told of the tool.
    pub(super) const fn description(self) -> &'static str {
        match self {
            Self::SearchPast => {
                "Search all earlier messages of this conversation, also those that are no longer shown. Use it before asking \
                 again or guessing."
            }
            Self::ReadMessages => "Read earlier messages in full, by their numbers (12 for #12).",
            Self::ReadToolOutput => {
                "Read a tool output that is shown as a placeholder or shortened, whole or by lines."
            }
            Self::ReadRecord => "Read the full record of the earlier conversation, or one section of it.",
            Self::Note => {
                "Keep a short note that stays in view. With id and text it replaces that note, with id alone it removes it."
            }
        }
    }

    /// The arguments that the tool takes.
    pub(super) const fn arguments(self) -> &'static [Argument] {
        match self {
            Self::SearchPast => {
                const {
                    &[
                        required(
                            "query",
                            Kind::Text(MAX_QUERY_CHARS),
                            "Words, a question, an identifier or a path",
                        ),
                        argument("scope", Kind::Word(scopes), "Default session"),
                        argument("limit", Kind::Count(MAX_HITS), ""),
                    ]
                }
            }
            Self::ReadMessages => {
                const {
                    &[
                        required("from_seq", POSITION, ""),
                        argument("to_seq", POSITION, ""),
                        FROM_LINE,
                        FROM_CHAR,
                    ]
                }
            }
            Self::ReadToolOutput => {
                const {
                    &[
                        required("ref", Kind::Text(MAX_REFERENCE_CHARS), ""),
                        FROM_LINE,
                        argument("to_line", POSITION, ""),
                        FROM_CHAR,
                    ]
                }
            }
            Self::ReadRecord => {
                const { &[argument("section", Kind::Word(sections), ""), FROM_LINE, FROM_CHAR] }
            }
            Self::Note => {
                const {
                    &[
                        argument("text", Kind::Text(MAX_NOTE_CHARS), ""),
                        argument("id", Kind::Text(MAX_REFERENCE_CHARS), ""),
                    ]
                }
            }
        }
    }
}

/// Arguments of the call that reads on, in the order of the table.
pub fn next_arguments(given: &[(&str, Value)]) -> Map<String, Value> {
    given.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
}
