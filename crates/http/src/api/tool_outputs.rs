//! Offloaded tool outputs: returns the original text that a placeholder in a context replaces.

use crate::api::prelude::*;
use crate::api::usage::{about_tokens, refetch};
use anchord_messages::format::{self, Format};
use anchord_session::usage::Kind as UsageKind;

session_path! {
    /// The path of a tool output.
    ToolOutputPath {
        /// The reference, as placeholders name it.
        #[param(example = "1a2b3c4d5e6f7081")]
        #[serde(rename = "ref")]
        reference: String,
    }
}

/// Which lines to read.
#[derive(Clone, Copy, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct LinesQuery {
    /// The first line, from 1; default the first.
    #[param(minimum = 1)]
    pub from_line: Option<u32>,
    /// The last line; default the last.
    #[param(minimum = 1)]
    pub to_line: Option<u32>,
}

/// A tool output, in full or a range of its lines.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ToolOutput {
    /// Its reference.
    #[serde(rename = "ref")]
    pub reference: String,
    /// The first message that contains it.
    pub seq: Seq,
    /// The call that it answers.
    pub call_id: String,
    /// The number of lines of the whole output.
    pub lines: usize,
    /// The first line that was read; 0 when none was.
    pub from_line: usize,
    /// The last line that was read; 0 when none was.
    pub to_line: usize,
    /// The text of these lines.
    pub content: String,
}

/// Reads an offloaded tool output, in full or by lines.
///
/// Text is returned verbatim. Images and files are in the message itself (`seq`).
#[utoipa::path(
    get, path = "/v1/sessions/{session_id}/tool-outputs/{ref}", tag = "tool_outputs", operation_id = "tool_outputs.get",
    params(ToolOutputPath, LinesQuery),
    responses((status = 200, body = ToolOutput, description = "The tool output."))
)]
pub async fn find_tool_output(
    Reader { caller, state }: Reader,
    Path(path): Path<ToolOutputPath>,
    Query(query): Query<LinesQuery>,
) -> Result<Reply<ToolOutput>> {
    let from = query.from_line.unwrap_or(1);
    if from == 0 {
        return Err(ApiError::parameter("from_line", "must be at least 1"));
    }
    if query.to_line.is_some_and(|to| to < from) {
        return Err(ApiError::parameter("to_line", "must be at least from_line"));
    }
    let found = StoredOutput::find(&state, &caller, &path.session_id, &path.reference).await?;
    let part = lines(&found.text, from as usize, query.to_line.map(|to| to as usize));
    found.count(&state, &caller, part.content);
    Ok(Reply(ToolOutput {
        reference: path.reference,
        seq: found.seq,
        call_id: found.call_id.clone(),
        lines: part.lines,
        from_line: part.from,
        to_line: part.to,
        content: part.content.to_owned(),
    }))
}

/// A tool output as it is stored, for an endpoint or for a tool of the agent's.
#[derive(Clone, Debug)]
pub(crate) struct StoredOutput {
    session: SessionId,
    task_id: Option<String>,
    seq: Seq,
    call_id: String,
    pub(crate) text: String,
}

impl StoredOutput {
    /// Finds an output of a session by its reference.
    pub(crate) async fn find(
        state: &AppState,
        caller: &Caller,
        name: &SessionRef,
        reference: &str,
    ) -> Result<Self> {
        let found = state.store.find_tool_output(caller.tenant, name, reference).await?;
        let Some(found) = found else {
            // Read only after a miss, so that a hit stays one query.
            let session = state.store.find_session(caller.tenant, name).await?;
            return Err(ApiError::NotFound(
                session.map_or(Kind::SessionNotFound, |_| Kind::ToolOutputNotFound),
            ));
        };
        let corrupt = |reason: &str| StoreError::corrupt("tool_outputs", "ordinal", reference, reason);
        let format = found.format.parse::<Format>().map_err(|_| corrupt("unknown format"))?;
        let message =
            format::parse(format, &found.body).map_err(|_| corrupt("its message does not read back"))?;
        let place = usize::try_from(found.ordinal).unwrap_or(usize::MAX);
        let result = message.results().nth(place).ok_or_else(|| corrupt("its message has fewer results"))?;
        Ok(Self {
            session: found.session,
            task_id: found.task_id,
            seq: found.seq,
            call_id: result.call_id.clone(),
            text: result.text(),
        })
    }

    /// Adds the served text to the usage figures. The caller read a placeholder's reference, so that this output was
    /// missing from its context.
    pub(crate) fn count(&self, state: &AppState, caller: &Caller, given: &str) {
        let read = (UsageKind::ToolOutputs, refetch(about_tokens(given)));
        state.count_use(caller, self.session, self.task_id.as_deref(), read);
    }
}

/// Some lines of a text.
pub(crate) struct Part<'a> {
    /// How many lines the text has.
    pub(crate) lines: usize,
    from: usize,
    to: usize,
    /// The lines.
    pub(crate) content: &'a str,
}

/// The lines from one to another, both included, with their line ends; a whole text is returned unchanged.
pub(crate) fn lines(text: &str, from: usize, to: Option<usize>) -> Part<'_> {
    let mut count = 0;
    let (mut start, mut end, mut at) = (text.len(), 0, 0);
    let to = to.unwrap_or(usize::MAX);
    for line in text.split_inclusive('\n') {
        count += 1;
        if count == from {
            start = at;
        }
        at += line.len();
        if count >= from && count <= to {
            end = at;
        }
    }
    match text.get(start..end) {
        Some(content) if !content.is_empty() => Part { lines: count, from, to: to.min(count), content },
        _ => Part { lines: count, from: 0, to: 0, content: "" },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_with_their_ends_and_the_whole_stays_as_it_is() {
        let text = "one\r\ntwo\n\nfour";
        for (from, to, content, last) in [
            (1, None, text, 4),
            (2, Some(3), "two\n\n", 3),
            (4, Some(99), "four", 4),
            (1, Some(1), "one\r\n", 1),
        ] {
            let part = lines(text, from, to);
            assert_eq!((part.content, part.lines, part.from, part.to), (content, 4, from, last));
        }
    }

    #[test]
    fn lines_beyond_the_end_are_none() {
        for (text, from) in [("one\n", 2), ("", 1)] {
            let part = lines(text, from, None);
            assert_eq!((part.content, part.from, part.to), ("", 0, 0));
        }
    }
}
