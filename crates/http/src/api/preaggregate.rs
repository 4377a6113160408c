//! Condenses the outputs of several agents, without a session.

use crate::api::prelude::*;
use anchord_preaggregate::{
    AgentOutput, DEFAULT_PREFIX, DEFAULT_THRESHOLD_BYTES, Options, Preaggregated, is_prefix, preaggregate,
};

/// The most files of a call, and the most that are expected.
const MAX_FILES: usize = 1_000;
/// The most bytes of a file's name.
const MAX_NAME_BYTES: usize = 255;

/// The outputs of several agents.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PreaggregateRequest {
    /// The files.
    #[schema(value_type = Vec<NamedFile>, min_items = 1, max_items = 1000)]
    pub files: Vec<Object<NamedFile>>,
    /// Bytes of all files together from which on they are condensed. Default 25,000.
    pub threshold_bytes: Option<u32>,
    /// The prefix of markers, as in `<!-- PREFIX:FINDING … -->`. Default `RUNE`.
    #[schema(min_length = 1, max_length = 32, pattern = "^[A-Za-z][A-Za-z0-9_-]*$")]
    pub prefix: Option<String>,
    /// Names of the files that should be there.
    #[serde(default)]
    #[schema(max_items = 1000)]
    pub expected: Vec<String>,
}

/// An agent's output.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NamedFile {
    /// The file's name, or its path below the folder of outputs: no `..`, no leading `/`, no `\`.
    #[schema(min_length = 1, max_length = 255, examples("security.md"))]
    pub name: String,
    /// Its Markdown.
    pub content: String,
}

/// Condenses the outputs of several agents by their markers, when together they are large.
///
/// No model is asked. Kept are each file's header, every finding (P1 and P2 byte for byte), and the sections
/// `## Reviewer Assumptions` and `## Summary`; rejected findings are listed, and kept verbatim. Nothing
/// is stored.
#[utoipa::path(
    post, path = "/v1/preaggregate", tag = "stateless", operation_id = "stateless.preaggregate",
    request_body = PreaggregateRequest,
    responses((status = 200, body = Preaggregated, description = "The files, condensed or as they were, and a report."))
)]
pub async fn preaggregate_outputs(
    Writer { caller, .. }: Writer,
    _: IdempotencyKey,
    body: JsonBytes,
) -> Result<Reply<Preaggregated>> {
    caller.compute(move |_| condense(&body)).await.map(Reply)
}

fn condense(body: &JsonBytes) -> Result<Preaggregated> {
    let request: PreaggregateRequest = body.parse_strictly()?;
    check(&request)?;
    let outputs: Vec<AgentOutput<'_>> = request
        .files
        .iter()
        .map(|Object(file)| AgentOutput { name: &file.name, content: &file.content })
        .collect();
    let threshold = request.threshold_bytes.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
    let options = Options {
        threshold_bytes: threshold.unwrap_or(DEFAULT_THRESHOLD_BYTES),
        prefix: request.prefix.as_deref().unwrap_or(DEFAULT_PREFIX),
        expected: &request.expected,
    };
    Ok(preaggregate(&outputs, options))
}

fn check(request: &PreaggregateRequest) -> Result<()> {
    if request.files.is_empty() {
        return Err(ApiError::invalid("/files", "must have at least one file"));
    }
    for (what, count) in [("files", request.files.len()), ("expected", request.expected.len())] {
        if count > MAX_FILES {
            return Err(ApiError::TooLarge { what: format!("`{what}`"), limit: MAX_FILES, unit: "names" });
        }
    }
    let mut refused = Vec::new();
    let mut refuse = |pointer: String, detail: &str| {
        refused.push(FieldError { pointer, detail: detail.to_owned() });
    };
    if request.prefix.as_deref().is_some_and(|prefix| !is_prefix(prefix)) {
        refuse("/prefix".to_owned(), "must be a letter and at most 31 letters, digits, `_` or `-`");
    }
    let mut names = std::collections::BTreeSet::new();
    for (index, Object(file)) in request.files.iter().enumerate() {
        if let Some(fault) = name_fault(&file.name) {
            refuse(format!("/files/{index}/name"), fault);
        } else if !names.insert(file.name.as_str()) {
            refuse(format!("/files/{index}/name"), "another file of this call has the same name");
        }
    }
    for (index, name) in request.expected.iter().enumerate() {
        if let Some(fault) = name_fault(name) {
            refuse(format!("/expected/{index}"), fault);
        }
    }
    if refused.is_empty() { Ok(()) } else { Err(ApiError::Invalid(refused)) }
}

/// Why a name is not allowed; callers write files under it.
fn name_fault(name: &str) -> Option<&'static str> {
    if name.trim().is_empty() || name.len() > MAX_NAME_BYTES {
        return Some("must have 1 to 255 bytes and more than white space");
    }
    if name.chars().any(char::is_control) {
        return Some("must have no control characters");
    }
    if name.starts_with('/') || name.contains('\\') {
        return Some("must have no leading `/` and no `\\`");
    }
    let odd_step = |step: &str| matches!(step, "" | "." | "..");
    name.split('/').any(odd_step).then_some("must have no `.`, no `..` and no empty name between `/`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_elsewhere_are_unfit() {
        for name in ["a.md", "reviews/a.md", "a..b.md", "é 1.md"] {
            assert_eq!(name_fault(name), None, "{name}");
        }
        for name in
            ["", " ", "../a", "a/../b", "/a", "a\0", "a\nb", "a\\b", "a//b", "./a", "a/", &"a".repeat(256)]
        {
            assert!(name_fault(name).is_some(), "{name:?}");
        }
    }
}
