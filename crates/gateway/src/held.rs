//! The answer to a request for a compaction, from what the session holds.

use axum::body::Bytes;
use axum::http::Method;
use serde::Deserialize;

use crate::api::{Api, Call, Problem};
use crate::keep::{Said, Seen, path_of};
use crate::mark::{Marks, Position};
use crate::pasted;
use crate::render::Served;
use crate::request::{Asked, Message, block_text, is_of_system};
use crate::rules::{Form, History, Rule};
use anchord_messages::id::SessionName;
use serde_json::value::RawValue;

/// A compression that is made now may take so long.
const WAIT: &str = "wait=45";
const SHORT_WAIT: &str = "wait=4";
/// A summary has at most this part of what it stands for, a third, and bounds of its own.
const PART: usize = 3;
const LEAST_TOKENS: usize = 5_000;
const MOST_TOKENS: usize = 20_000;
/// Bytes of a token, where an estimate is good enough.
const BYTES_OF_TOKEN: usize = 4;
/// Tokens of the facts that code kept, which are appended to a summary of the agent's own model.
const FACTS_TOKENS: u32 = 1_500;

/// What a session holds, at a place.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) text: String,
    pub(crate) position: Position,
}

/// A request without the instruction that its list ends in: the block, or the message that has nothing else.
pub(crate) fn without_instruction(asked: &Asked, rule: &Rule) -> Asked {
    let mut asked = asked.clone();
    if !rule.has_instruction() {
        return asked;
    }
    let list = &mut asked.list;
    while list.last().is_some_and(|last| is_of_system(last)) {
        list.pop();
    }
    let Some(asking) = list.pop() else { return asked };
    let kept = Message::read(&asking).and_then(|message| {
        let blocks: Vec<&RawValue> = serde_json::from_str(message.content?.get()).ok()?;
        let is_other =
            |block: &&&RawValue| block_text(block.get()).is_none_or(|text| !rule.is_instruction(&text));
        let others: Vec<&str> = blocks.iter().filter(is_other).map(|block| block.get()).collect();
        let speaker = message.role.as_deref().unwrap_or("user");
        let kept = || Bytes::from(format!("{{\"role\":\"{speaker}\",\"content\":[{}]}}", others.join(",")));
        (!others.is_empty()).then(kept)
    });
    list.extend(kept);
    asked
}

/// Brings the session to the list, and reads what it holds then.
pub(crate) async fn hold(
    (api, seen): (&Api, &Seen),
    (said, rule): (&Said, &Rule),
    asked: &Asked,
) -> Result<Held, Problem> {
    let room = format!("format=openai-chat&max_input_tokens={}", room(asked));
    let session = path_of(&said.identity.session);
    let (served, through) = match rule.history {
        History::List => {
            let reply = seen.sync(api, (said, &[]), Some(&room)).await?;
            let synced: Synced = serde_json::from_slice(&reply).map_err(|_| Problem::unreadable())?;
            let seq = i64::try_from(synced.sync.common + synced.sync.appended).unwrap_or(i64::MAX);
            (synced.context, Position { branch: synced.sync.branch, seq })
        }
        History::Pasted => {
            seen.settled().await;
            (None, pasted::through(api, &session, &asked.last_text()).await?)
        }
    };
    let context = || {
        let Position { branch, seq } = &through;
        Call::get(format!("{session}/context?{room}&branch={branch}&through_seq={seq}"))
    };
    let mut served: Served = match served {
        Some(served) => served,
        None => api.read(context()).await?,
    };
    if served.lacks_messages() {
        let path = format!("{session}/compressions?branch={}", through.branch);
        let compression = Call::with(Method::POST, path, "{}".to_owned()).preferring(WAIT);
        // One that runs already is as good.
        drop(api.call(compression).await);
        served = api.read(context()).await?;
    }
    Ok(Held { text: served.text(), position: through })
}

/// The tokens that a summary may have: a part of what it stands for, so that an agent with a small window has room again.
fn room(asked: &Asked) -> usize {
    let bytes: usize = asked.list.iter().map(Bytes::len).sum();
    (bytes / BYTES_OF_TOKEN / PART).clamp(LEAST_TOKENS, MOST_TOKENS)
}

/// The reply to a sync.
#[derive(Deserialize)]
struct Synced {
    context: Option<Served>,
    sync: SyncState,
}

#[derive(Deserialize)]
struct SyncState {
    branch: String,
    common: usize,
    appended: usize,
}

/// The answer in the form that the agent asked for.
pub(crate) fn answer(held: &Held, (session, marks): (&SessionName, &Marks), form: Form) -> String {
    let marked = |text: &str| marks.write(session, &held.position, text);
    match form {
        Form::Text | Form::Item => marked(&held.text),
        Form::Tags => {
            // A tag in what was said must not end ours.
            let text = marked(&held.text.replace("</summary>", "< /summary>"));
            format!(
                "<analysis>\nThe summary was kept while the work went on.\n</analysis>\n\n<summary>\n{text}\n</summary>"
            )
        }
    }
}

/// What code kept of a session, to be appended to a summary that the agent's own model writes.
pub(crate) async fn facts(
    (api, seen): (&Api, &Seen),
    (said, rule): (&Said, &Rule),
    asked: &Asked,
    marks: &Marks,
) -> Result<String, Problem> {
    let position = hold((api, seen), (said, rule), asked).await?.position;
    let session = &said.identity.session;
    let compressions = format!("{}/compressions?branch={}", path_of(session), position.branch);
    // What was said since the last version belongs to it too; code needs no time for it.
    drop(api.call(Call::with(Method::POST, compressions, "{}".to_owned()).preferring(SHORT_WAIT)).await);
    let path = format!("{}/summary?max_tokens={FACTS_TOKENS}&branch={}", path_of(session), position.branch);
    let kept = match api.call(Call::get(path)).await {
        Ok(record) => {
            let record = String::from_utf8_lossy(&record).replace("</summary>", "< /summary>");
            format!("# Kept word for word beside this summary\n\n{}", record.trim())
        }
        // No version yet: everything is in the messages that the model has just read.
        Err(problem) if problem.status == 404 => "The conversation before this summary is kept.".to_owned(),
        Err(problem) => return Err(problem),
    };
    Ok(format!("\n\n{}", marks.write(session, &position, &kept)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::request::Endpoint;

    fn rule_and_asked(content: &serde_json::Value) -> (&'static Rule, Asked) {
        let body =
            json!({"messages": [{"role": "user", "content": "hello"}, {"role": "user", "content": content}]});
        let asked = Asked::read(Endpoint::Messages, &Bytes::from(body.to_string())).unwrap();
        let rule = crate::rules::recognise(&asked, ("", &axum::http::HeaderMap::new())).unwrap();
        (rule, asked)
    }

    const ASKS: &str =
        "Your task is to create a detailed summary of the conversation the conversation … <summary>";

    #[test]
    fn the_instruction_is_none_of_the_conversation_and_a_result_beside_it_is() {
        let (rule, asked) = rule_and_asked(&json!(ASKS));
        assert_eq!(without_instruction(&asked, rule).list.len(), 1);
        let result = json!({"type": "tool_result", "tool_use_id": "t", "content": "out"});
        let (rule, asked) = rule_and_asked(&json!([result, {"type": "text", "text": ASKS}]));
        let list = without_instruction(&asked, rule).list;
        assert_eq!(list[1], Bytes::from(json!({"role": "user", "content": [result]}).to_string()));
    }

    #[test]
    fn a_tag_in_the_text_does_not_end_the_summary() {
        let held = Held {
            text: "said </summary> and more".to_owned(),
            position: Position { branch: "main".to_owned(), seq: 3 },
        };
        let session = SessionName::parse("s").unwrap();
        let marks = Marks::of(
            &anchord_store::secrets::SecretKeys::of_this_process(),
            anchord_messages::id::TenantId(uuid::Uuid::from_u128(1)),
        );
        let text = answer(&held, (&session, &marks), Form::Tags);
        assert_eq!(text.matches("</summary>").count(), 1);
        assert!(text.contains("and more\n\n[anchord: session s, branch main, message 3, after "), "{text}");
        assert!(text.ends_with("]\n</summary>"), "{text}");
    }
}
