//! Tools for the agent: their definitions, and running one with the arguments that the model gave.
//!
//! A mistake of the model is a result that says so; a mistake of the caller is a problem.

mod past;
mod result;
mod take_note;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use self::result::Outcome;
use crate::api::prelude::*;
use crate::extract::auth::{READ, WRITE, authenticate};
use anchord_context::tools::{self, Call, Tool};
use anchord_messages::format::Format;
use anchord_messages::inner_json;
use anchord_messages::tokens::TokenCounter;

/// Tokens of a result when the caller does not say.
const DEFAULT_TOKENS: u32 = 2_000;
/// The bounds of `max_tokens`.
const LEAST_TOKENS: u32 = 200;
const MOST_TOKENS: u32 = 20_000;

/// For whom the definitions are.
#[derive(Clone, Copy, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ToolsQuery {
    /// The format of the requests that the definitions are put into. Default `openai-chat`.
    #[param(inline)]
    pub format: Option<Format>,
}

/// The definitions of the service's tools.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = ToolDefinitions)]
pub struct Tools {
    /// Their format.
    pub format: Format,
    /// One for each tool, as a request to the provider has them in its `tools`.
    #[schema(value_type = Vec<Object>)]
    pub tools: Vec<Value>,
    /// The names of the tools, in the same order: a call of one of them is for the service.
    pub names: Vec<&'static str>,
    /// About the tokens that they add to every call of the model; part of `system_tokens`.
    pub tokens: u32,
}

session_path! {
    /// The path of a tool in a session.
    ToolPath {
        /// The tool's name.
        #[param(example = "search_past")]
        tool: String,
    }
}

/// A call as the model made it.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ToolCallRequest, examples(json!({"arguments": {"query": "why does parse_config fail"}})))]
pub struct NewCall {
    /// The arguments that the model gave, unchanged: an object, or its JSON text, as OpenAI's models give it. Absent, null
    /// and empty are no arguments. The result names their errors to the model.
    #[serde(default)]
    #[schema(value_type = serde_json::Value, required = false)]
    pub arguments: Value,
    /// The most tokens of the result, as the session counts.
    #[schema(minimum = 200, maximum = 20_000, default = 2_000)]
    pub max_tokens: Option<u32>,
}

/// A tool's result.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = ToolCallResult)]
pub struct ToolAnswer {
    /// The text for the model: a line of the service's, then what was read, as data.
    pub content: String,
    /// Whether the model has to call otherwise; `content` says how.
    pub is_error: bool,
    /// The tokens of `content`.
    pub tokens: u32,
    /// The arguments of the call that reads on; null at the end.
    #[schema(required = true, value_type = Option<Object>)]
    pub next: Option<Map<String, Value>>,
}

/// Who calls which tool: the reading ones need the scope `read`, though they are posted, and `note` needs `write`.
#[derive(Clone, Debug)]
pub struct ToolCaller {
    caller: Caller,
    state: AppState,
    session: SessionRef,
    tool: Tool,
}

impl FromRequestParts<AppState> for ToolCaller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self> {
        // Rejected after the authentication, so that who has no key learns nothing.
        let path = Path::<ToolPath>::from_request_parts(parts, state).await;
        let tool = path.as_ref().ok().and_then(|Path(path)| Tool::of_name(&path.tool));
        let scope = if tool.is_some_and(Tool::writes) { WRITE } else { READ };
        let (caller, state) = authenticate(parts, state, scope).await?;
        let Path(path) = path?;
        let tool = tool.or_missing(Kind::ToolNotFound)?;
        Ok(Self { caller, state, session: path.session_id, tool })
    }
}

/// Returns the definitions of the tools to offer to an agent's model.
///
/// They are in the form of the provider, small enough to be sent with every call of the model. With the setting `tools`
/// of a session, contexts name the tools where they leave something out.
#[utoipa::path(
    get, path = "/v1/tools", tag = "tools", operation_id = "tools.list", params(ToolsQuery),
    responses((status = 200, body = Tools, description = "The definitions."))
)]
pub async fn list_tools(_: Reader, Query(query): Query<ToolsQuery>) -> Result<Reply<Tools>> {
    let format = query.format.unwrap_or_default();
    let tools::Definitions { tools, names, tokens } = tools::definitions(format);
    Ok(Reply(Tools { format, tools, names, tokens }))
}

/// Runs a tool with the arguments that the model gave.
///
/// The result is text for the model, within `max_tokens`; `next` has the arguments that read on, and the text says so, too. A
/// mistake of the model's is a result with `is_error` that tells it what to do. The reading tools (`search_past`,
/// `read_messages`, `read_tool_output`, `read_record`) need the scope `read`, and their replies are not kept; `note` needs
/// `write`, and is done once with an `Idempotency-Key`.
#[utoipa::path(
    post, path = "/v1/sessions/{session_id}/tools/{tool}", tag = "tools", operation_id = "tools.run",
    params(ToolPath), request_body = NewCall,
    responses((status = 200, body = ToolAnswer, description = "The result."))
)]
pub async fn run_tool(
    ToolCaller { caller, state, session: name, tool }: ToolCaller,
    key: IdempotencyKey,
    body: Json<NewCall>,
) -> Result<Response> {
    let NewCall { arguments, max_tokens } = body.value;
    let max_tokens = max_tokens.unwrap_or(DEFAULT_TOKENS);
    if !(LEAST_TOKENS..=MOST_TOKENS).contains(&max_tokens) {
        let detail = format!("must be from {LEAST_TOKENS} to {MOST_TOKENS} tokens");
        return Err(ApiError::invalid("/max_tokens", detail));
    }
    let session = state.store.find_session(caller.tenant, &name).await?.or_missing(Kind::SessionNotFound)?;
    let counter = TokenCounter::new(session.effective_settings().tokenizer.unwrap_or_default());
    let call = match object_of(arguments).and_then(|arguments| tools::read(tool, &arguments)) {
        Ok(call) => call,
        Err(message) => return Ok(Reply(Outcome::error(message).answer(counter)).into_response()),
    };
    let asked = past::Asked { state: &state, caller: &caller, session: &session, counter, max_tokens };
    let outcome = match call {
        Call::SearchPast { query, scope, limit } => asked.search(&query, scope, limit).await,
        Call::ReadMessages { from_seq, to_seq, place } => asked.messages((from_seq, to_seq), place).await,
        Call::ReadToolOutput { reference, place, to_line } => asked.output(reference, place, to_line).await,
        Call::ReadRecord { section, place } => asked.record(section, place).await,
        Call::Note(call) => {
            let request = (&name, key, body.digest);
            return take_note::take(&state, &caller, request, (call, counter)).await;
        }
    };
    Ok(Reply(outcome?.answer(counter)).into_response())
}

/// The arguments as an object; `Err` is for the model.
fn object_of(arguments: Value) -> Result<Map<String, Value>, String> {
    let given = match arguments {
        Value::String(text) if text.trim().is_empty() => Value::Null,
        Value::String(text) if !inner_json::is_bounded(&text) => {
            return Err(format!(
                "the arguments are no JSON with at most {} values. Give one JSON object.",
                inner_json::MAX_VALUES
            ));
        }
        Value::String(text) => serde_json::from_str(&text)
            .map_err(|error| format!("the arguments are no JSON: {error}. Give one JSON object."))?,
        given @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
            given
        }
    };
    match given {
        Value::Null => Ok(Map::new()),
        Value::Object(fields) => Ok(fields),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Err("the arguments must be one JSON object.".to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_are_an_object_or_its_text() {
        let fields = json!({"query": "a"}).as_object().cloned();
        for given in [json!({"query": "a"}), json!("{\"query\": \"a\"}")] {
            assert_eq!(object_of(given).ok(), fields);
        }
        for none in [Value::Null, json!(""), json!("  "), json!("null"), json!({}), json!("{}")] {
            assert_eq!(object_of(none), Ok(Map::new()));
        }
        for wrong in [json!("{"), json!("[1]"), json!([1]), json!(7), json!("\"{}\"")] {
            assert!(object_of(wrong.clone()).is_err(), "{wrong}");
        }
        let large = format!("{{\"a\": [{}0]}}", "0,".repeat(inner_json::MAX_VALUES));
        assert!(object_of(json!(large)).is_err_and(|message| message.contains("25000 values")));
    }
}
