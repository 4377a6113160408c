//! A message with its parsed text: values that several extractors need are computed once and cached.

use std::borrow::Cow;
use std::cell::OnceCell;

use super::prose::{self, Sentence};
use anchord_messages::id::Seq;
use anchord_messages::message::{Message, Numbered, Role, text_of};

/// A message with its text, and with values derived from the text that are computed at their first use.
#[derive(Debug)]
pub struct Reading<'a> {
    /// The message's position in the session.
    pub seq: Seq,
    /// The message itself.
    pub message: &'a Message,
    text: Cow<'a, str>,
    is_observation: OnceCell<bool>,
    person: OnceCell<Option<String>>,
    sentences: OnceCell<Vec<Sentence>>,
}

impl<'a> Reading<'a> {
    /// Wraps one message.
    pub fn new(numbered: &'a Numbered) -> Self {
        Self {
            seq: numbered.seq,
            message: &numbered.message,
            text: text_of(&numbered.message.parts),
            is_observation: OnceCell::new(),
            person: OnceCell::new(),
            sentences: OnceCell::new(),
        }
    }

    /// Wraps each message of a span.
    pub fn each(span: &'a [Numbered]) -> Vec<Self> {
        span.iter().map(Self::new).collect()
    }

    /// The text parts of the message, joined by newlines.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether a user message contains the output of a tool or a console.
    pub fn is_observation(&self) -> bool {
        *self.is_observation.get_or_init(|| prose::is_observation(self.message, &self.text))
    }

    /// The person's words in a user message, harness blocks removed; `None` when there are none.
    pub fn person(&self) -> Option<&str> {
        let person = || prose::person_text(self.message, &self.text, self.is_observation());
        self.person.get_or_init(person).as_deref()
    }

    /// The speaker that a person's message names: in its own field, or before its words as in minutes (`Ana Li: …`).
    pub fn speaker(&self) -> Option<&str> {
        let said =
            || prose::speaker(self.person()?).map(|(name, _)| name).filter(|name| prose::is_name(name));
        self.message.name.as_deref().map(str::trim).filter(|name| !name.is_empty()).or_else(said)
    }

    /// The words of the person or of the agent, without those of harnesses, tools and operators.
    pub fn words(&self) -> Option<&str> {
        match self.message.role {
            Role::User => self.person(),
            Role::Assistant => Some(self.text()),
            Role::System | Role::Developer | Role::Tool => None,
        }
    }

    /// The sentences of these words.
    pub fn sentences(&self) -> &[Sentence] {
        self.sentences.get_or_init(|| self.words().map(prose::sentences).unwrap_or_default())
    }
}
