//! The list of a sync: read once, with the digest of each message's text, and compared with branches.

use std::sync::Arc;
use std::time::Instant;

use axum::body::Bytes;
use serde_json::value::RawValue;

use crate::admission::heavy::in_steps;
use crate::api::batch::{LARGE_BODY_BYTES, refused_under};
use crate::api::message::Message;
use crate::api::prelude::*;
use anchord_messages::content_digest::{ContentDigest, Digests, TextDigest, common, trimmed};
use anchord_messages::format::Format;
use anchord_messages::format::detect::Detector;
use anchord_messages::message::Role;

/// The most messages of a list.
const MAX_MESSAGES: usize = 20_000;

/// All messages of an agent, as its framework keeps them.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = TranscriptRequest)]
pub struct Transcript<'a> {
    /// The conversation format of the messages that are not stored yet. Without it they are recognised by their shapes, as in
    /// an append.
    #[schema(required = false, value_type = Format)]
    pub format: Option<Format>,
    /// The model that the session talks to from now on, as in an append.
    #[schema(min_length = 1, max_length = 200)]
    pub model: Option<String>,
    /// How many messages of the branch stand before this list: a caller that no longer has its first messages, as after a
    /// compaction of its own, goes on behind that position. Default 0: the list begins with the first message.
    #[serde(default)]
    #[schema(minimum = 0)]
    pub after: Seq,
    /// All messages from the first on, or from the one behind `after`; oldest first, as the format writes them.
    #[serde(borrow)]
    #[schema(value_type = Vec<Message>, min_items = 1, max_items = 20_000)]
    pub messages: Vec<&'a RawValue>,
    /// Whether the branch may have more than the list. Then it stays as it is, and does not go back to the list's last
    /// message; the context is that of the list. Default false.
    #[serde(default)]
    pub may_be_longer: bool,
    /// Whether a message may be sent again with less than was said: an answer without its thoughts, white space or end, and a
    /// user's message without its end. It counts as the stored one when those before it and behind it agree. Default false.
    #[serde(default)]
    pub may_be_trimmed: bool,
    /// Whether a task has just ended; some policies then compress. It is of no effect when nothing is stored.
    #[serde(default)]
    pub task_boundary: bool,
    /// The session's `user`, when this list makes the session; one that is there keeps its own.
    #[schema(min_length = 1, max_length = 200, pattern = r"^[^\u0000]*$")]
    pub user: Option<String>,
    /// The session's `metadata`, when this list makes the session; one that is there keeps its own.
    pub metadata: Option<Map<String, Value>>,
}

/// The messages of a list.
#[derive(Clone, Debug)]
pub(super) struct List {
    messages: Arc<[Listed]>,
    /// How many messages of the branch stand before it.
    after: usize,
    stated: Option<Format>,
    /// Whether work on all of them is for the tenant's turn.
    is_large: bool,
}

/// A message of a list.
#[derive(Debug)]
pub(super) struct Listed {
    /// Its place in the body, whose memory is held as long.
    raw: Bytes,
    pub(super) text: TextDigest,
}

/// Fields of a list beside its messages.
pub(super) struct SyncFields {
    pub(super) after: usize,
    pub(super) may_be_longer: bool,
    pub(super) may_be_trimmed: bool,
    pub(super) format: Option<Format>,
    pub(super) model: Option<String>,
    pub(super) task_boundary: bool,
    pub(super) user: Option<String>,
    pub(super) metadata: Option<Map<String, Value>>,
}

impl Listed {
    pub(super) fn raw(&self) -> &str {
        // The body is.
        std::str::from_utf8(&self.raw).unwrap_or_default()
    }
}

/// Parses a body; a large one in its tenant's turn.
pub(super) async fn read(body: JsonBytes, tenant: TenantId) -> Result<(List, SyncFields)> {
    let is_large = body.0.len() > LARGE_BODY_BYTES;
    let mut begun = None;
    in_steps(tenant, is_large, move |until| {
        let Some((fields, mut unread, mut listed)) = begun.take() else {
            let (fields, unread) = parse(&body)?;
            let listed = Vec::with_capacity(unread.len());
            begun = Some((fields, unread.into_iter(), listed));
            return Ok(None);
        };
        for raw in unread.by_ref() {
            listed.push(Listed { text: TextDigest::of(&raw), raw });
            if Instant::now() > until {
                begun = Some((fields, unread, listed));
                return Ok(None);
            }
        }
        let list = List { messages: listed.into(), after: fields.after, stated: fields.format, is_large };
        Ok(Some((list, fields)))
    })
    .await
}

/// Fields of a list, and its messages as text of the body.
fn parse(body: &JsonBytes) -> Result<(SyncFields, Vec<Bytes>)> {
    let Transcript {
        after,
        format,
        model,
        messages,
        may_be_longer,
        may_be_trimmed,
        task_boundary,
        user,
        metadata,
    } = body.parse_strictly()?;
    let after = usize::try_from(after).map_err(|_| ApiError::invalid("/after", "must be at least 0"))?;
    if messages.is_empty() {
        return Err(ApiError::invalid("/messages", "must hold at least one message"));
    }
    if messages.len() > MAX_MESSAGES {
        return Err(ApiError::invalid("/messages", format!("must hold at most {MAX_MESSAGES} messages")));
    }
    let messages = messages.into_iter().map(|raw| body.0.slice_ref(raw.get().as_bytes())).collect();
    let fields =
        SyncFields { after, may_be_longer, may_be_trimmed, format, model, task_boundary, user, metadata };
    Ok((fields, messages))
}

impl List {
    /// How many messages of the branch stand before it.
    pub(super) fn after(&self) -> usize {
        self.after
    }

    /// The position of its last message.
    pub(super) fn len(&self) -> usize {
        self.after + self.messages.len()
    }

    fn at(&self, position: usize) -> Option<&Listed> {
        self.messages.get(position.checked_sub(self.after)?)
    }

    /// The messages from one on.
    pub(super) fn rest(&self, from: usize) -> &[Listed] {
        self.messages.get(from.saturating_sub(self.after)..).unwrap_or_default()
    }

    /// Whether work on the messages from one on is for the tenant's turn.
    pub(super) fn is_large_from(&self, from: usize) -> bool {
        self.rest(from).iter().map(|listed| listed.raw.len()).sum::<usize>() > LARGE_BODY_BYTES
    }

    /// How many messages it has in common with a branch at the beginning, of which the first `from` are known to be.
    pub(super) async fn common(
        &self,
        tenant: TenantId,
        branch: Arc<Vec<Digests>>,
        mut from: usize,
    ) -> Result<usize> {
        // Equal texts cost nothing; what is behind them is parsed.
        let after = self.after.min(branch.len());
        from = from.max(after) - after;
        let beyond = branch.get(after..).unwrap_or_default();
        let texts = self.messages.iter().zip(beyond).skip(from);
        from += texts.take_while(|(listed, known)| listed.text == known.text).count();
        if from == self.messages.len().min(beyond.len()) {
            return Ok(after + from);
        }
        let messages = Arc::clone(&self.messages);
        in_steps(tenant, self.is_large, move |until| {
            let list = messages.iter().map(|listed| (listed.text, listed.raw()));
            let beyond = branch.get(after..).unwrap_or_default();
            let common = common(list, beyond, &mut from, || Instant::now() > until);
            Ok(common.map(|common| after + common))
        })
        .await
    }

    /// The digest of a message; `before` is the format of the one before it, which it has when it shows none.
    pub(super) fn digest(&self, at: usize, before: Option<Format>) -> Result<Option<ContentDigest>> {
        let Some(listed) = self.at(at) else { return Ok(None) };
        let mut shown = Detector::new(self.stated);
        shown.look(at - self.after, listed.raw()).map_err(|refused| refused_under("/messages", refused))?;
        Ok(Some(ContentDigest::of(shown.finish().resolve(before), listed.raw())))
    }

    /// The role of a stored message, when the list has it with less than was said.
    pub(super) fn trimmed(&self, at: usize, (format, stored): (Format, &str)) -> Option<Role> {
        trimmed(format, stored, self.at(at)?.raw())
    }

    /// Whether a message is one that is stored.
    pub(super) fn is(&self, at: usize, stored: &Digests) -> bool {
        self.at(at).is_some_and(|listed| stored.match_message(listed.text, listed.raw()))
    }
}
