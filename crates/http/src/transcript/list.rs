//! The list of a sync: read once, with the digest of each message's text, and compared with branches.

use std::sync::Arc;
use std::time::Instant;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::super::heavy::in_steps;
use super::super::json::JsonBytes;
use super::super::message::Message;
use super::super::messages::{LARGE_BODY_BYTES, refused_under};
use super::super::problem::ApiError;
use anchord_messages::content_digest::{ContentDigest, Digests, TextDigest, common};
use anchord_messages::format::Format;
use anchord_messages::format::detect::Detector;
use anchord_messages::id::TenantId;

/// The most messages of a list.
const MAX_MESSAGES: usize = 20_000;

/// All messages of an agent, as its framework keeps them.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = TranscriptRequest)]
pub struct Transcript {
    /// The conversation format of the messages that are not stored yet. Without it they are recognised by their shapes, as in
    /// an append.
    #[serde(default)]
    #[schema(required = false, value_type = Format)]
    pub format: Option<Format>,
    /// The model that the session talks to from now on, as in an append.
    #[serde(default)]
    #[schema(min_length = 1, max_length = 200)]
    pub model: Option<String>,
    /// All messages from the first on, oldest first, as the format writes them.
    #[schema(value_type = Vec<Message>, min_items = 1, max_items = 20_000)]
    pub messages: Vec<Box<RawValue>>,
    /// Whether a task has just ended; some policies then compress. It is of no effect when nothing is stored.
    #[serde(default)]
    pub task_boundary: bool,
    /// The session's `user`, when this list makes the session; one that is there keeps its own.
    #[serde(default)]
    #[schema(min_length = 1, max_length = 200, pattern = r"^[^\u0000]*$")]
    pub user: Option<String>,
    /// The session's `metadata`, when this list makes the session; one that is there keeps its own.
    #[serde(default)]
    pub metadata: Option<Map<String, Value>>,
}

/// The messages of a list.
#[derive(Clone, Debug)]
pub(super) struct List {
    messages: Arc<[Listed]>,
    stated: Option<Format>,
    /// Whether work on all of them is for the tenant's turn.
    pub(super) is_large: bool,
}

/// A message of a list.
#[derive(Debug)]
struct Listed {
    raw: Box<RawValue>,
    text: TextDigest,
}

/// Parses a body; a large one in its tenant's turn.
pub(super) async fn read(body: &JsonBytes, tenant: TenantId) -> Result<(List, Transcript), ApiError> {
    let is_large = body.0.len() > LARGE_BODY_BYTES;
    let (body, mut begun) = (body.clone(), None);
    in_steps(tenant, is_large, move |until| {
        let Some((mut transcript, mut listed)) = begun.take() else {
            let mut transcript = body.parse_strictly::<Transcript>()?;
            let messages = std::mem::take(&mut transcript.messages);
            if messages.is_empty() {
                return Err(ApiError::invalid("/messages", "must hold at least one message"));
            }
            if messages.len() > MAX_MESSAGES {
                let detail = format!("must hold at most {MAX_MESSAGES} messages");
                return Err(ApiError::invalid("/messages", detail));
            }
            let listed = Vec::with_capacity(messages.len());
            begun = Some(((transcript, messages.into_iter()), listed));
            return Ok(None);
        };
        for raw in transcript.1.by_ref() {
            listed.push(Listed { text: TextDigest::of(raw.get()), raw });
            if Instant::now() > until {
                begun = Some((transcript, listed));
                return Ok(None);
            }
        }
        let list = List { messages: listed.into(), stated: transcript.0.format, is_large };
        Ok(Some((list, transcript.0)))
    })
    .await
}

impl List {
    /// How many messages it has.
    pub(super) fn len(&self) -> usize {
        self.messages.len()
    }

    /// The messages from one on.
    pub(super) fn rest(&self, from: usize) -> impl Iterator<Item = (TextDigest, &RawValue)> {
        self.messages.iter().skip(from).map(|listed| (listed.text, &*listed.raw))
    }

    /// How many messages it has in common with a branch at the beginning, of which the first `from` are known to be.
    pub(super) async fn common(
        &self,
        tenant: TenantId,
        branch: Arc<Vec<Digests>>,
        mut from: usize,
    ) -> Result<usize, ApiError> {
        let messages = Arc::clone(&self.messages);
        in_steps(tenant, self.is_large, move |until| {
            let list = messages.iter().map(|listed| (listed.text, listed.raw.get()));
            Ok(common(list, &branch, &mut from, || Instant::now() > until))
        })
        .await
    }

    /// The digest of a message; `before` is the format of the one before it, which it has when it shows none.
    pub(super) fn digest(
        &self,
        at: usize,
        before: Option<Format>,
    ) -> Result<Option<ContentDigest>, ApiError> {
        let Some(listed) = self.messages.get(at) else { return Ok(None) };
        let mut shown = Detector::new(self.stated);
        shown.look(at, listed.raw.get()).map_err(|refused| refused_under("/messages", refused))?;
        Ok(Some(ContentDigest::of(shown.finish().resolve(before), listed.raw.get())))
    }

    /// Whether a message is one that is stored.
    pub(super) fn is(&self, at: usize, stored: &Digests) -> bool {
        self.messages.get(at).is_some_and(|listed| stored.match_message(listed.text, listed.raw.get()))
    }
}
