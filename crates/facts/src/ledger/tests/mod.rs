//! Tests of the ledger as a whole: conversations in, facts out.

mod families;
mod matching;
mod parsers;
mod robust;
mod shells;
mod spelling;
mod state;
mod vocabularies;

use serde_json::Value;

use super::{EarlierNames, Facts, LedgerState, read};
use anchord_messages::message::{Message, Numbered, Part, Role, ToolCall, ToolResult};

/// A conversation that is written message by message.
#[derive(Default)]
pub(super) struct Talk {
    span: Vec<Numbered>,
    first: i64,
}

impl Talk {
    pub fn new() -> Self {
        Self::from(1)
    }

    /// A conversation whose first message has this number.
    pub fn from(first: i64) -> Self {
        Self { span: Vec::new(), first }
    }

    fn push(mut self, role: Role, name: Option<&str>, parts: Vec<Part>) -> Self {
        let seq = self.first + i64::try_from(self.span.len()).unwrap();
        self.span.push(Numbered { seq, message: Message { role, name: name.map(str::to_owned), parts } });
        self
    }

    pub fn says(self, role: Role, text: &str) -> Self {
        self.push(role, None, vec![Part::Text(text.to_owned())])
    }

    pub fn system(self, text: &str) -> Self {
        self.says(Role::System, text)
    }

    pub fn user(self, text: &str) -> Self {
        self.says(Role::User, text)
    }

    pub fn aider(self, text: &str) -> Self {
        self.push(Role::User, Some("aider"), vec![Part::Text(text.to_owned())])
    }

    pub fn assistant(self, text: &str) -> Self {
        self.says(Role::Assistant, text)
    }

    /// One assistant message with several calls: `(id, tool, arguments)`.
    pub fn calls(self, calls: &[(&str, &str, Value)]) -> Self {
        let parts = calls
            .iter()
            .map(|(id, name, arguments)| {
                Part::ToolCall(ToolCall {
                    id: (*id).to_owned(),
                    name: (*name).to_owned(),
                    arguments: arguments.to_string(),
                })
            })
            .collect();
        self.push(Role::Assistant, None, parts)
    }

    pub fn result(self, id: &str, text: &str, is_error: Option<bool>) -> Self {
        self.answer(Role::Tool, id, text, is_error)
    }

    pub fn answer(self, role: Role, id: &str, text: &str, is_error: Option<bool>) -> Self {
        let result =
            ToolResult { call_id: id.to_owned(), parts: vec![Part::Text(text.to_owned())], is_error };
        self.push(role, None, vec![Part::ToolResult(result)])
    }

    /// A call and its result.
    pub fn tool(self, name: &str, arguments: Value, output: &str) -> Self {
        self.calls(&[("c", name, arguments)]).result("c", output, None)
    }

    pub fn span(&self) -> &[Numbered] {
        &self.span
    }

    pub fn facts(&self) -> Facts {
        read(&self.span, &LedgerState::default(), &EarlierNames::default())
    }

    /// The files as `action path`, in the order of appearance.
    pub fn files(&self) -> Vec<String> {
        lines(&self.facts())
    }
}

pub(super) fn lines(facts: &Facts) -> Vec<String> {
    let line = |f: &super::FileFact| {
        let action = f.action.map_or("read", <&str>::from);
        let mut line = format!("{action} {}", f.path);
        if let Some(from) = &f.renamed_from {
            line.push_str(" from ");
            line.push_str(from);
        }
        if f.transient {
            line.push_str(" transient");
        }
        if f.overwrite_possible {
            line.push_str(" unsure");
        }
        line
    };
    facts.files.iter().map(line).collect()
}
