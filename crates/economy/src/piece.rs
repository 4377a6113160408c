//! The parts of prompts, as they are costed and read.

use std::rc::Rc;
use std::sync::LazyLock;

use anchord_messages::format::{self, Format};
use anchord_messages::message::{Message, Role};
use regex::Regex;

/// Bytes of text that a picture counts as.
const PICTURE_BYTES: usize = 4_000;

static PICTURE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"(data:[a-z/+.-]+;base64,|"data": ?")[A-Za-z0-9+/=]{400,}"#));

/// A pattern that is a constant.
///
/// # Panics
/// When it is none.
#[expect(clippy::expect_used, reason = "the patterns are constants, and every run compiles them")]
pub fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a pattern")
}

/// A message of a prompt.
#[derive(Clone, Debug)]
pub struct Piece {
    /// Who speaks.
    pub role: Role,
    /// Whether it has results of calls.
    pub has_results: bool,
    /// Its JSON, which is what it costs.
    pub json: Rc<str>,
    /// Its words: what is said, values of arguments without the parameters' names, and results.
    pub text: Rc<str>,
}

impl Piece {
    /// Reads a message.
    ///
    /// # Errors
    /// When the message does not parse in this format.
    pub fn read(format: Format, raw: &str) -> Result<Self, format::FormatError> {
        Ok(Self::of(raw, &format::parse(format, raw)?))
    }

    /// A piece of a message that is already parsed.
    pub fn of(raw: &str, message: &Message) -> Self {
        let mut text = String::new();
        message.each_text(&mut |part| {
            text.push_str(part);
            text.push('\n');
        });
        let json = if raw.contains("base64") || raw.contains(r#""data""#) {
            PICTURE.replace_all(raw, "p".repeat(PICTURE_BYTES)).as_ref().into()
        } else {
            raw.into()
        };
        let has_results = message.results().next().is_some();
        Self { role: message.role, has_results, json, text: text.trim_end().into() }
    }

    /// The system prompt of a format that sends it outside of the message list.
    pub fn system(text: &str) -> Self {
        Self { role: Role::System, has_results: false, json: text.into(), text: text.into() }
    }
}

/// A part of a prompt, as far as it is costed.
pub trait Part: Clone {
    /// Its bytes, which are what it costs.
    fn bytes(&self) -> usize;
    /// Length of the common prefix in bytes.
    fn same_start(&self, other: &Self) -> usize;
    /// Whether the role is assistant.
    fn is_agents(&self) -> bool;
    /// Whether it has results of calls, so that no prompt begins with it.
    fn has_results(&self) -> bool;
}

impl Part for Piece {
    fn bytes(&self) -> usize {
        self.json.len()
    }

    fn same_start(&self, other: &Self) -> usize {
        if self.json == other.json {
            return self.json.len();
        }
        self.json.bytes().zip(other.json.bytes()).take_while(|(one, other)| one == other).count()
    }

    fn is_agents(&self) -> bool {
        self.role == Role::Assistant
    }

    fn has_results(&self) -> bool {
        self.has_results
    }
}

/// A count as a number that is calculated with.
#[expect(clippy::cast_precision_loss, reason = "counts of tokens and bytes are far below 2^52")]
pub fn count(of: usize) -> f64 {
    of as f64
}
