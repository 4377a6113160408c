//! Keeps what was said: the list of a request, and its answer, in the session.
//!
//! Invariant: requests of one session are kept one after the other, in the order in which their answers ended, so that a
//! shorter list never comes after the longer one that follows it.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use axum::body::Bytes;
use axum::http::Method;
use memchr::memmem::Finder;
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use crate::api::{Api, Call, Problem};
use crate::identity::Identity;
use crate::mark::{self, Marks, Position};
use crate::request::{Asked, Endpoint, Message, block_text, is_of_system};
use crate::route::Mode;
use crate::rules;
use anchord_messages::content_digest::ContentDigest;
use anchord_messages::id::{SessionName, TenantId};
use anchord_runtime::cache::{Cache, Expiry};

/// The window of a session that the gateway makes to answer compactions from: its record is kept up to date as it grows, and
/// what is served of it is about as large as a summary may be.
const COMPACT_WINDOW: u32 = 32_000;
/// The most tenants that are remembered, the most sessions of one, and for how long.
const MAX_TENANTS: u64 = 1_000;
const MAX_SESSIONS: u64 = 2_000;
const FORGET_AFTER: Duration = Duration::from_hours(6);

/// Messages at the end of a list that may be others in the next one.
const NEWEST: usize = 4;

/// Pauses before another try to keep something, when the tenant has too much at once or the database is away.
const PAUSES: [Duration; 5] = [
    Duration::from_millis(250),
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(4),
];

/// The most messages from further before that an agent puts before those that it sends again.
const MOST_REPEATED: usize = 2;
/// How many messages before a summary's place are looked at for those that an agent sends again behind it.
const REPEATED: i64 = 200;
/// The most messages that are looked at.
const LOOKED_AT: i64 = 1_000;

static BEGINS: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(mark::BEGINS));

/// What a request says, as it is kept.
#[derive(Clone, Debug)]
pub(crate) struct Said {
    pub(crate) identity: Identity,
    pub(crate) endpoint: Endpoint,
    pub(crate) mode: Mode,
    pub(crate) model: Option<String>,
    /// The messages, without those that a summary of ours stands for.
    pub(crate) list: Vec<Bytes>,
    /// The summary that the list goes on behind; `None` when it begins with the first message.
    pub(crate) after: Option<Before>,
}

/// A summary that stands for the history before a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Before {
    /// One of ours, with its place.
    Ours(Position),
    /// One of the provider's own that is opaque: it stands for all that was said until then.
    Opaque(ContentDigest),
}

impl Said {
    pub(crate) fn of(mut identity: Identity, asked: &Asked, (mode, marks): (Mode, &Marks)) -> Self {
        let mut list = asked.list.clone();
        let mut after = None;
        let of_session = |found: &Summary| identity.is_chain || identity.session == found.session;
        let mut summaries: Vec<(usize, Summary)> = Vec::new();
        let mut is_behind_answer = false;
        for (at, raw) in list.iter().enumerate() {
            // Behind what a model or a tool has said a summary was pasted, but for older ones, which were answers.
            let is_older = |found: &Summary| {
                found.is_answer && summaries.iter().any(|(_, known)| known.position.seq > found.position.seq)
            };
            match summary_in(raw, marks).filter(of_session) {
                Some(found) if !is_behind_answer || is_older(&found) => summaries.push((at, found)),
                _ => is_behind_answer |= !is_of_people(raw),
            }
            if is_behind_answer && summaries.is_empty() {
                break;
            }
        }
        // An agent may keep older ones among the messages that it sends again.
        let newest = summaries.iter().map(|(_, found)| found.position.seq).max();
        if let Some(newest) = summaries.iter().position(|(_, found)| Some(found.position.seq) == newest) {
            let (place, Summary { session, position, rest, .. }) = summaries.swap_remove(newest);
            // With the questions that they answer.
            let older: HashSet<usize> = summaries
                .iter()
                .flat_map(|(at, found)| [Some(*at), at.checked_sub(1).filter(|_| found.is_answer)])
                .flatten()
                .collect();
            let behind = list.iter().enumerate().skip(place + 1).filter(|(at, _)| !older.contains(at));
            list = rest.into_iter().chain(behind.map(|(_, raw)| raw.clone())).collect();
            identity.session = session;
            after = Some(Before::Ours(position));
        }
        let has_items = asked.endpoint == Endpoint::Responses;
        if let Some(place) = list.iter().rposition(|raw| has_items && is_opaque(raw)) {
            let item = list.drain(..=place).next_back();
            let item = item.as_deref().and_then(|raw| std::str::from_utf8(raw).ok());
            after = item.map(|item| Before::Opaque(ContentDigest::of(asked.endpoint.format(), item)));
        }
        if mode == Mode::Compact {
            // Each request brings its instructions anyway, and an agent repeats them behind a summary.
            let said = |raw: &Bytes| if is_of_system(raw) { rules::report(raw) } else { Some(raw.clone()) };
            list = rules::without_frames(&list).filter_map(said).collect();
        }
        let (endpoint, model) = (asked.endpoint, asked.model.clone());
        Self { identity, endpoint, mode, model, list, after }
    }

    /// The body of a sync. Without an answer the session may have it already.
    fn body(&self, joint: &Joint, answer: &[String]) -> String {
        let bytes = self.list.iter().map(Bytes::len).chain(answer.iter().map(String::len)).sum::<usize>();
        let mut body = String::with_capacity(bytes + 1_024);
        let format = self.endpoint.format();
        let model = self.model.as_ref().map(|model| json!(model).to_string());
        let (format, after) = (format.as_ref(), joint.after);
        let _ = write!(body, "{{\"format\":\"{format}\",\"after\":{after},\"may_be_trimmed\":true,");
        if let Some(model) = model {
            let _ = write!(body, "\"model\":{model},");
        }
        if answer.is_empty() {
            body.push_str("\"may_be_longer\":true,");
        }
        body.push_str("\"messages\":[");
        let said =
            self.list.iter().skip(joint.repeated).filter_map(|message| std::str::from_utf8(message).ok());
        for (at, message) in said.chain(answer.iter().map(String::as_str)).enumerate() {
            body.push_str(if at == 0 { "" } else { "," });
            body.push_str(message);
        }
        body.push_str("]}");
        body
    }
}

/// Whether an item is a summary that only the provider reads.
fn is_opaque(raw: &[u8]) -> bool {
    memchr::memmem::find(raw, b"compaction").is_some()
        && Message::read(raw).is_some_and(|item| item.kind.is_some_and(|kind| kind.starts_with("compaction")))
}

/// Whether a message is of the operator or of people, and has no output of a tool.
fn is_of_people(raw: &Bytes) -> bool {
    is_of_system(raw)
        || Message::read(raw).is_some_and(|message| message.is_of("user"))
            && memchr::memmem::find(raw, b"\"tool_result\"").is_none()
}

/// A summary of ours, as it stands in a list.
struct Summary {
    session: SessionName,
    /// Through which message it stands for the history.
    position: Position,
    /// What its message says behind it.
    rest: Option<Bytes>,
    /// Whether it is an answer, as it was given.
    is_answer: bool,
}

/// The summary of ours in a message.
fn summary_in(raw: &Bytes, marks: &Marks) -> Option<Summary> {
    BEGINS.find(raw)?;
    let text = std::str::from_utf8(raw).ok()?;
    let message = Message::read(raw)?;
    let is_answer = message.is_of("assistant");
    if !(message.is_of("user") || is_answer) {
        return None;
    }
    let content = message.content?.get();
    // Texts alone: what a tool puts out may be anybody's.
    if let Ok(text) = serde_json::from_str::<String>(content) {
        let (session, position) = marks.read(&text)?;
        return Some(Summary { session, position, rest: None, is_answer });
    }
    let blocks: Vec<&RawValue> = serde_json::from_str(content).ok()?;
    let mark = |(at, block): (usize, &&RawValue)| Some((at, marks.read(&block_text(block.get())?)?));
    let (place, (session, position)) = blocks.iter().enumerate().rev().find_map(mark)?;
    let rest: Vec<&str> = blocks.iter().skip(place + 1).map(|block| block.get()).collect();
    let rest = (!rest.is_empty()).then(|| {
        let speaker = message.role.as_deref().unwrap_or("user");
        let kind = if text.contains("\"type\":\"message\"") { "\"type\":\"message\"," } else { "" };
        Bytes::from(format!("{{{kind}\"role\":\"{speaker}\",\"content\":[{}]}}", rest.join(",")))
    });
    Some(Summary { session, position, rest, is_answer })
}

/// Where a list goes on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Joint {
    /// The branch; `None` for the current one.
    branch: Option<String>,
    /// The message behind which it does.
    after: i64,
    /// How many of its first messages stand further before too.
    repeated: usize,
}

impl Joint {
    /// The message behind which a list goes on, and how many of its own are before that, by stored messages, the first of
    /// which is at `from`. An agent may send the newest of them again, up
    /// to the last, and before these one or two from further before.
    fn find(stored: &[ContentDigest], list: &[ContentDigest], from: i64) -> Option<(i64, usize)> {
        (0..=MOST_REPEATED.min(list.len())).find_map(|repeated| {
            let (before, tail) = list.split_at(repeated);
            let is_tail = |&at: &usize| stored.get(at..).is_some_and(|end| tail.starts_with(end));
            let at = (0..stored.len()).find(is_tail)?;
            let is_known = before.iter().all(|message| stored.iter().take(at).any(|known| known == message));
            is_known.then(|| (from + i64::try_from(at).unwrap_or_default() - 1, repeated))
        })
    }
}

/// The beginning of a list that was kept: the next list of an agent has it again, and only the rest is synced, so that keeping a
/// turn costs the same in a long session.
#[derive(Clone, Debug)]
struct Beginning {
    of: Option<Before>,
    /// Where the list went on.
    joint: Joint,
    messages: usize,
    hash: u64,
}

impl Beginning {
    fn of(said: &Said, joint: &Joint) -> Option<Self> {
        // The newest ones change between two requests: an agent moves its marks for the cache.
        let messages = said.list.len().checked_sub(joint.repeated + NEWEST)?;
        let hash = hash_of(&said.list, joint.repeated, messages)?;
        Some(Self { of: said.after.clone(), joint: joint.clone(), messages, hash })
    }

    /// Where a list with this beginning goes on behind it.
    fn behind(&self, said: &Said) -> Option<Joint> {
        let Joint { branch, after, repeated } = &self.joint;
        let has_it = self.of == said.after
            && self.messages > 0
            && hash_of(&said.list, *repeated, self.messages) == Some(self.hash);
        let after = after + i64::try_from(self.messages).ok()?;
        has_it.then(|| Joint { branch: branch.clone(), after, repeated: repeated + self.messages })
    }
}

fn hash_of(list: &[Bytes], from: usize, messages: usize) -> Option<u64> {
    static KEY: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    Some(KEY.hash_one(list.get(from..from + messages)?))
}

/// The reply to a sync.
#[derive(Deserialize)]
struct Synced {
    sync: SyncState,
}

#[derive(Deserialize)]
struct SyncState {
    branch: String,
}

/// Sessions that the gateway has seen, by tenant: one that has many forgets its own.
#[derive(Clone)]
pub(crate) struct Keeper(Cache<TenantId, Cache<SessionName, Arc<Seen>>>);

/// A session that the gateway has seen.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// The turn to keep something, and whether the session is there.
    turn: tokio::sync::Mutex<bool>,
    /// Why the last request was not kept.
    problem: Mutex<Option<Problem>>,
    /// The last summary that a list went on from, and where it truly goes on.
    resolved: Mutex<Option<(Before, Joint)>>,
    /// The beginning of the last list that was kept.
    beginning: Mutex<Option<Beginning>>,
    /// Tokens of system prompt and tools, as the session was told.
    system_tokens: AtomicU32,
}

impl Default for Keeper {
    fn default() -> Self {
        Self(Cache::new(MAX_TENANTS, Expiry::Idle(FORGET_AFTER)))
    }
}

impl Keeper {
    pub(crate) fn seen(&self, tenant: TenantId, session: &SessionName) -> Arc<Seen> {
        let of_tenant = || Cache::new(MAX_SESSIONS, Expiry::Idle(FORGET_AFTER));
        self.0.get_with(tenant, of_tenant).get_with(session.clone(), Arc::default)
    }
}

impl Seen {
    /// Why the last request of the session was not kept.
    pub(crate) fn problem(&self) -> Option<Problem> {
        self.problem.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether system prompt and tools have changed by more than a tenth since the session was told.
    pub(crate) fn has_other_system(&self, tokens: u32) -> bool {
        let told = self.system_tokens.load(Ordering::Relaxed);
        tokens.abs_diff(told) > told / 10
    }

    pub(crate) fn note_system(&self, tokens: u32) {
        self.system_tokens.store(tokens, Ordering::Relaxed);
    }

    /// Keeps what was said and answered.
    pub(crate) async fn keep(&self, api: &Api, said: &Said, answer: &[String]) -> Result<(), Problem> {
        let mut is_there = self.turn.lock().await;
        let mut pauses = PAUSES.into_iter();
        let kept = loop {
            let kept = self.sync_in_turn(&mut is_there, api, (said, answer), None).await.map(drop);
            match (&kept, pauses.next()) {
                (Err(problem), Some(pause)) if problem.passes() => tokio::time::sleep(pause).await,
                _ => break kept,
            }
        };
        if let Err(problem) = &kept {
            metrics::counter!("anchord_gateway_not_kept_total", "reason" => problem.kind.clone())
                .increment(1);
            tracing::warn!(session = %said.identity.session, %problem, "gateway.not_kept");
        }
        let mut last = self.problem.lock().unwrap_or_else(PoisonError::into_inner);
        *last = kept.clone().err();
        kept
    }

    /// Brings the session to a list and its answer. With a query, that of the context, the reply has one; else it is empty.
    pub(crate) async fn sync(
        &self,
        api: &Api,
        (said, answer): (&Said, &[String]),
        query: Option<&str>,
    ) -> Result<Bytes, Problem> {
        let mut is_there = self.turn.lock().await;
        self.sync_in_turn(&mut is_there, api, (said, answer), query).await
    }

    async fn sync_in_turn(
        &self,
        is_there: &mut bool,
        api: &Api,
        (said, answer): (&Said, &[String]),
        query: Option<&str>,
    ) -> Result<Bytes, Problem> {
        if !*is_there {
            begin(api, said).await?;
            *is_there = true;
        }
        if said.list.is_empty() && answer.is_empty() {
            return Ok(Bytes::new());
        }
        let beginning = self.beginning.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(joint) = beginning.as_ref().and_then(|beginning| beginning.behind(said)) {
            let synced = self.put(api, (said, answer), (&joint, query)).await;
            match synced {
                // The session is not as it was left.
                Err(Problem { status: 404 | 409 | 422, .. }) => {}
                Err(problem) => {
                    *self.beginning.lock().unwrap_or_else(PoisonError::into_inner) = beginning;
                    return Err(problem);
                }
                Ok(reply) => {
                    self.note_beginning(
                        said,
                        &beginning.map(|known| known.joint).unwrap_or_default(),
                        &reply,
                    );
                    return Ok(reply);
                }
            }
        }
        let joint = self.resolve(api, said).await?;
        let synced = self.put(api, (said, answer), (&joint, query)).await;
        // It may have been deleted, and is made again with the next request.
        *is_there = synced.is_ok();
        if let Ok(reply) = &synced {
            self.note_beginning(said, &joint, reply);
        }
        synced
    }

    /// Notes the beginning of a list that is kept, on the branch that the reply names.
    fn note_beginning(&self, said: &Said, joint: &Joint, reply: &[u8]) {
        let branch = serde_json::from_slice::<Synced>(reply).ok().map(|synced| synced.sync.branch);
        let joint = Joint { branch, ..joint.clone() };
        let beginning = Beginning::of(said, &joint).filter(|beginning| beginning.joint.branch.is_some());
        *self.beginning.lock().unwrap_or_else(PoisonError::into_inner) = beginning;
    }

    async fn put(
        &self,
        api: &Api,
        (said, answer): (&Said, &[String]),
        (joint, query): (&Joint, Option<&str>),
    ) -> Result<Bytes, Problem> {
        let branch = joint.branch.as_ref().map_or(String::new(), |branch| format!("&branch={branch}"));
        let path =
            format!("{}/transcript?{}{branch}", path_of(&said.identity.session), query.unwrap_or_default());
        let call = Call::with(Method::PUT, path, said.body(joint, answer));
        let prefer = if query.is_none() { Some("return=minimal") } else { None };
        api.call(Call { prefer, ..call }).await
    }

    /// Where a list goes on: behind the summary's place, unless it has messages from before that again.
    async fn resolve(&self, api: &Api, said: &Said) -> Result<Joint, Problem> {
        let Some(after) = &said.after else { return Ok(Joint::default()) };
        let known = self.resolved.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((_, joint)) = known.filter(|(before, _)| before == after) {
            return Ok(joint);
        }
        let session = path_of(&said.identity.session);
        let (place, looked_at) = match after {
            Before::Ours(place) => (place.clone(), REPEATED),
            // Messages behind the item may have been kept by a process that ended.
            Before::Opaque(_) => (api.newest(&session).await?, LOOKED_AT),
        };
        let from = (place.seq - looked_at).max(0) + 1;
        let page = api.messages((&session, &place.branch), (from, LOOKED_AT)).await?;
        let format = said.endpoint.format();
        let stored: Vec<ContentDigest> =
            page.items.iter().map(|stored| ContentDigest::of(format, stored.message.get())).collect();
        let list = said.list.iter().take(stored.len() + MOST_REPEATED);
        let list = list.filter_map(|raw| std::str::from_utf8(raw).ok());
        let list: Vec<ContentDigest> = list.map(|raw| ContentDigest::of(format, raw)).collect();
        let found = if page.next_cursor.is_none() { Joint::find(&stored, &list, from) } else { None };
        let (after_seq, repeated) = found.unwrap_or((place.seq, 0));
        let joint = Joint { branch: Some(place.branch), after: after_seq, repeated };
        *self.resolved.lock().unwrap_or_else(PoisonError::into_inner) = Some((after.clone(), joint.clone()));
        Ok(joint)
    }

    /// Waits until what was said before is kept.
    pub(crate) async fn settled(&self) {
        drop(self.turn.lock().await);
    }
}

/// The path of a session.
pub(crate) fn path_of(session: &SessionName) -> String {
    format!("/v1/sessions/{session}")
}

/// Makes the session unless it is there.
async fn begin(api: &Api, said: &Said) -> Result<(), Problem> {
    let Identity { session, parent, .. } = &said.identity;
    match api.call(Call::get(path_of(session))).await {
        Err(problem) if problem.status == 404 => {}
        other => return other.map(drop),
    }
    let window = (said.mode == Mode::Compact).then_some(COMPACT_WINDOW);
    let settings =
        json!({"context_window": window, "parent_session_id": parent.as_ref().map(SessionName::as_str)});
    api.call(Call::with(Method::PUT, path_of(session), settings.to_string())).await.map(drop)
}

#[cfg(test)]
mod tests {
    use anchord_store::secrets::SecretKeys;
    use uuid::Uuid;

    use super::*;

    static MARKS: LazyLock<Marks> =
        LazyLock::new(|| Marks::of(&SecretKeys::of_this_process(), TenantId(Uuid::from_u128(1))));

    fn marked(seq: i64) -> String {
        let position = Position { branch: "main".to_owned(), seq };
        MARKS.write(&SessionName::parse("s1").unwrap(), &position, &format!("so far: {seq}."))
    }

    fn said(endpoint: Endpoint, body: String, session: &str, is_chain: bool) -> Said {
        let asked = Asked::read(endpoint, &Bytes::from(body)).unwrap();
        let session = SessionName::parse(session).unwrap();
        Said::of(Identity { session, parent: None, is_chain }, &asked, (Mode::Compact, &*MARKS))
    }

    #[test]
    fn a_list_that_continues_from_a_summary_is_kept_behind_its_place() {
        let body = json!({"messages": [
            {"role": "user", "content": [
                {"type": "text", "text": "reminder"}, {"type": "text", "text": marked(42)}, {"type": "text", "text": "go on"}]},
            {"role": "assistant", "content": "yes"},
        ]});
        let said = said(Endpoint::Messages, body.to_string(), "s1", false);
        assert_eq!(said.after, Some(Before::Ours(Position { branch: "main".to_owned(), seq: 42 })));
        let kept: serde_json::Value = serde_json::from_str(
            &said.body(&Joint { after: 42, ..Joint::default() }, &["{\"role\":\"user\"}".to_owned()]),
        )
        .unwrap();
        let expected = json!({"format": "anthropic", "after": 42, "may_be_trimmed": true, "messages": [
            {"role": "user", "content": [{"type": "text", "text": "go on"}]},
            {"role": "assistant", "content": "yes"}, {"role": "user"}]});
        assert_eq!(kept, expected);
    }

    #[test]
    fn of_several_summaries_the_newest_counts_and_the_others_are_nobodys_words() {
        let body = json!({"messages": [
            {"role": "user", "content": "And so far?"}, {"role": "assistant", "content": marked(69)},
            {"role": "assistant", "content": "kept"}, {"role": "user", "content": "And so far?"},
            {"role": "assistant", "content": marked(58)}, {"role": "user", "content": "go on"},
        ]});
        let said = said(Endpoint::ChatCompletions, body.to_string(), "s1", false);
        assert!(matches!(said.after, Some(Before::Ours(Position { seq: 69, .. }))));
        let left: Vec<_> = said.list.iter().flat_map(|raw| crate::request::texts_of(raw)).collect();
        assert_eq!(left, ["kept", "go on"]);
    }

    #[test]
    fn a_list_is_joined_where_its_own_messages_go_on() {
        let digests = |texts: &str| -> Vec<ContentDigest> {
            texts
                .chars()
                .map(|text| ContentDigest::of(anchord_messages::format::Format::Anthropic, &text.to_string()))
                .collect()
        };
        let find = |stored, list| Joint::find(&digests(stored), &digests(list), 11);
        assert_eq!(find("abcd", "cde"), Some((12, 0)), "the tail again");
        assert_eq!(find("abcd", "acde"), Some((12, 1)), "with one from further before");
        assert_eq!(find("abcd", "xcde"), None, "one that nobody said is new");
        assert_eq!(find("abcd", "efg"), None);
        assert_eq!(find("abab", "ab"), Some((12, 0)), "up to the last");
        assert_eq!(find("abcd", "b"), None, "one alone that was said before is said again");
    }

    #[test]
    fn only_a_text_of_the_session_itself_continues_it() {
        let of_tool = json!({"messages": [{"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t", "content": marked(42)}]}]});
        assert_eq!(said(Endpoint::Messages, of_tool.to_string(), "s1", false).after, None);
        let of_tool = json!({"messages": [{"role": "tool", "tool_call_id": "t", "content": marked(42)}]});
        assert_eq!(said(Endpoint::ChatCompletions, of_tool.to_string(), "s1", false).after, None);
        let text = json!({"messages": [{"role": "user", "content": marked(42)}]}).to_string();
        let other = said(Endpoint::ChatCompletions, text.clone(), "s2", false);
        assert_eq!((other.after.is_some(), other.list.len()), (false, 1));
        let pasted = json!({"messages": [
            {"role": "user", "content": "go on"}, {"role": "assistant", "content": "I run it."},
            {"role": "user", "content": format!("Output:\n{}", marked(42))}]});
        let pasted = said(Endpoint::ChatCompletions, pasted.to_string(), "s1", false);
        assert_eq!((pasted.after, pasted.list.len()), (None, 3), "behind an answer it was pasted");
        let chain = said(Endpoint::ChatCompletions, text, "chain-0", true);
        assert_eq!((chain.identity.session.as_str(), chain.list.len()), ("s1", 0));
    }
}
