//! The definitions of the tools, in the form in which each provider takes them.

use serde_json::{Map, Value, json};

use super::tool::{Argument, Kind, Tool};
use anchord_messages::format::Format;
use anchord_messages::tokens::TokenCounter;

/// The definitions of all tools for one provider.
#[derive(Clone, Debug, PartialEq)]
pub struct Definitions {
    /// One for each tool, as a request to the provider has them in `tools`.
    pub tools: Vec<Value>,
    /// The names of the tools, in the same order.
    pub names: Vec<&'static str>,
    /// The tokens of the definitions as JSON; providers count theirs in their own way.
    pub tokens: u32,
}

/// The definitions in the form of a format's provider.
pub fn definitions(format: Format) -> Definitions {
    let tools: Vec<Value> = Tool::ALL.iter().map(|tool| definition(*tool, format)).collect();
    let counter = TokenCounter::default();
    let tokens = tools.iter().map(|tool| counter.count_text(&tool.to_string())).sum();
    Definitions { tools, names: Tool::ALL.iter().map(|tool| tool.name()).collect(), tokens }
}

fn definition(tool: Tool, format: Format) -> Value {
    let (name, description, parameters) = (tool.name(), tool.description(), schema(tool));
    match format {
        Format::OpenaiChat => json!({
            "type": "function",
            "function": {"name": name, "description": description, "parameters": parameters},
        }),
        // Strict is the default there, and does not know optional arguments.
        Format::OpenaiResponses => json!({
            "type": "function", "name": name, "description": description, "parameters": parameters, "strict": false,
        }),
        Format::Anthropic => json!({"name": name, "description": description, "input_schema": parameters}),
    }
}

fn schema(tool: Tool) -> Value {
    let arguments = tool.arguments();
    let properties: Map<String, Value> =
        arguments.iter().map(|argument| (argument.name.to_owned(), property(argument))).collect();
    let required: Vec<&str> =
        arguments.iter().filter(|argument| argument.is_required).map(|argument| argument.name).collect();
    let mut schema = Map::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), properties.into());
    if !required.is_empty() {
        schema.insert("required".to_owned(), required.into());
    }
    schema.into()
}

/// Bounds are left out: they cost tokens at every call, and a result tells the one that is exceeded.
fn property(argument: &Argument) -> Value {
    let mut property = Map::new();
    let kind = if matches!(argument.kind, Kind::Count(_)) { "integer" } else { "string" };
    property.insert("type".to_owned(), kind.into());
    if let Kind::Word(words) = argument.kind {
        property.insert("enum".to_owned(), words().into());
    }
    if !argument.description.is_empty() {
        property.insert("description".to_owned(), argument.description.into());
    }
    property.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definitions are sent with every call of the model: docs/tools.md states what they take.
    const MOST_TOKENS: u32 = 480;

    #[test]
    fn the_definitions_are_small_enough_to_be_offered_with_every_call() {
        for format in [Format::OpenaiChat, Format::Anthropic, Format::OpenaiResponses] {
            let made = definitions(format);
            assert!(made.tokens <= MOST_TOKENS, "{} {}", format.as_ref(), made.tokens);
            assert_eq!(made.tools.len(), made.names.len());
        }
        let tokens = |format| definitions(format).tokens;
        let stated = format!(
            "{} tokens for `openai-chat`, {} for `openai-responses`, {} for `anthropic`",
            tokens(Format::OpenaiChat),
            tokens(Format::OpenaiResponses),
            tokens(Format::Anthropic)
        );
        let document = include_str!("../../../../docs/tools.md");
        assert!(document.contains(&stated), "docs/tools.md does not say: {stated}");
    }

    #[test]
    fn every_format_has_the_same_tools_with_the_same_schemas() {
        let chat = definitions(Format::OpenaiChat);
        let blocks = definitions(Format::Anthropic);
        let items = definitions(Format::OpenaiResponses);
        for (place, name) in chat.names.iter().enumerate() {
            let function = &chat.tools[place]["function"];
            assert_eq!(function["name"], *name);
            assert_eq!(blocks.tools[place]["name"], *name);
            assert_eq!(items.tools[place]["name"], *name);
            assert_eq!(blocks.tools[place]["input_schema"], function["parameters"]);
            assert_eq!(items.tools[place]["parameters"], function["parameters"]);
            assert_eq!(items.tools[place]["strict"], false);
        }
    }

    #[test]
    fn names_are_those_that_every_provider_takes_and_no_tool_pins() {
        for tool in Tool::ALL {
            let name = tool.name();
            assert!(name.len() <= 64 && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_'), "{name}");
            assert!(!name.contains("pin") && Tool::of_name(name) == Some(*tool));
        }
    }
}
