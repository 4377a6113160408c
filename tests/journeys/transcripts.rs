//! Agents put all their messages before each call of the model, as their frameworks keep them: the list is stored as far as it
//! is new, on the branch that holds it, and the context is of that list and no other.

mod model;

use std::collections::BTreeSet;

use anchord_messages::content_digest::ContentDigest;
use anchord_messages::format::Format;
use anchord_messages::id::{SessionName, SessionRef};
use anchord_runtime::clock::Clock;
use anchord_store::branches::{Fork, ForkOutcome};
use futures::future::join_all;
use serde_json::{Value, json};

use crate::support::app::{Answer, App, app};
use crate::support::validity;

const FORMATS: [Format; 3] = [Format::OpenaiChat, Format::Anthropic, Format::OpenaiResponses];

/// A word that no other message has, in a text that says something.
pub fn text(word: &str) -> String {
    format!("Look at src/zq{word}.rs, please; it has to stay as small as it is.")
}

/// The unique words of a value.
pub fn words(value: &Value) -> BTreeSet<String> {
    let text = value.to_string();
    let found = text.match_indices("src/zq").map(|(at, _)| {
        let rest = &text[at + 6..];
        rest.chars().take_while(char::is_ascii_alphanumeric).collect()
    });
    found.collect()
}

pub fn user(word: &str) -> Value {
    json!({"role": "user", "content": text(word)})
}

pub fn assistant(word: &str) -> Value {
    json!({"role": "assistant", "content": text(word)})
}

fn system(word: &str) -> Value {
    json!({"role": "system", "content": text(word)})
}

/// A call with its result, as a format has them.
pub fn call(format: Format, id: &str, word: &str, output: &str) -> [Value; 2] {
    match format {
        Format::OpenaiChat => [
            json!({"role": "assistant", "content": null, "tool_calls": [
                {"id": id, "type": "function", "function": {"name": "read_file", "arguments": json!({"path": text(word)}).to_string()}},
            ]}),
            json!({"role": "tool", "tool_call_id": id, "content": output}),
        ],
        Format::Anthropic => [
            json!({"role": "assistant", "content": [
                {"type": "tool_use", "id": id, "name": "read_file", "input": {"path": text(word)}},
            ]}),
            json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": output}]}),
        ],
        Format::OpenaiResponses => [
            json!({"type": "function_call", "call_id": id, "name": "read_file", "arguments": json!({"path": text(word)}).to_string()}),
            json!({"type": "function_call_output", "call_id": id, "output": output}),
        ],
    }
}

/// The prompt, a question and a call with its result.
fn begun(format: Format) -> Vec<Value> {
    let mut list = vec![system("prompt"), user("task")];
    list.extend(call(format, "c1", "first", "done"));
    list
}

pub async fn put_with(app: &App, session: &str, query: &str, list: &[Value]) -> Answer {
    let path = format!("/v1/sessions/{session}/transcript{query}");
    app.call("PUT", &path, json!({"messages": list}).to_string()).await
}

/// Puts a list, and checks what must hold of every reply: the branch is current and holds the list, the context is valid and
/// of this list alone.
pub async fn put(app: &App, session: &str, list: &[Value]) -> Value {
    let reply = put_with(app, session, "", list).await.with(200);
    let reply = reply.json();
    check_reply(&reply, list);
    let branch = reply["sync"]["branch"].as_str().unwrap();
    let found = app.call("GET", &format!("/v1/sessions/{session}/branches/{branch}"), "").await.json();
    assert_eq!((&found["is_current"], &found["head_seq"]), (&json!(true), &json!(list.len())), "{found}");
    reply
}

pub fn check_reply(reply: &Value, list: &[Value]) {
    let sync = &reply["sync"];
    let counted = sync["common"].as_u64().unwrap() + sync["appended"].as_u64().unwrap();
    assert_eq!(counted, list.len() as u64, "{sync}");
    let context = &reply["context"];
    assert!(context.is_object(), "{reply:#}");
    assert_eq!(validity::problems(context), Vec::<String>::new(), "{context:#}");
    let (said, own) = (words(&context["messages"]), words(&json!(list)));
    assert!(said.is_subset(&own), "{:?} of another list", said.difference(&own));
}

/// The messages of a branch as they were sent.
pub async fn stored(app: &App, session: &str, branch: &str) -> Vec<Value> {
    let mut all = Vec::new();
    loop {
        let from = all.len() + 1;
        let path = format!("/v1/sessions/{session}/messages?branch={branch}&limit=1000&from_seq={from}");
        let page = app.call("GET", &path, "").await.with(200);
        let page = page.json();
        let items = page["items"].as_array().unwrap();
        all.extend(items.iter().map(|item| item["message"].clone()));
        if items.is_empty() {
            return all;
        }
    }
}

/// The names of a session's branches, oldest first.
pub async fn branches(app: &App, session: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut cursor = String::new();
    loop {
        let path = format!("/v1/sessions/{session}/branches?limit=100{cursor}");
        let page = app.call("GET", &path, "").await.json();
        let items = page["items"].as_array().unwrap();
        names.extend(items.iter().map(|item| item["name"].as_str().unwrap().to_owned()));
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return names,
        }
    }
}

/// What a reply says was done, with how many messages were there and how many are new.
fn done(reply: &Value) -> (&str, u64, u64) {
    let sync = &reply["sync"];
    let number = |name: &str| sync[name].as_u64().unwrap();
    (sync["outcome"].as_str().unwrap(), number("common"), number("appended"))
}

async fn assert_holds(app: &App, reply: &Value, list: &[Value]) {
    assert_eq!(stored(app, "s", reply["sync"]["branch"].as_str().unwrap()).await, list);
}

#[tokio::test]
async fn a_list_that_grows_is_stored_once_and_read_back_as_it_was_sent() {
    for format in FORMATS {
        let app = app().await;
        let mut list = begun(format);
        let reply = put(&app, "s", &list).await;
        assert_eq!(done(&reply), ("appended", 0, 4));
        assert_eq!(
            (&reply["first_seq"], &reply["last_seq"], &reply["next_seq"]),
            (&json!(1), &json!(4), &json!(5))
        );
        assert_eq!(reply["sync"]["branch"], "main");
        for turn in 0..3 {
            list.push(assistant(&format!("answer{turn}")));
            list.push(user(&format!("question{turn}")));
            assert_eq!(done(&put(&app, "s", &list).await), ("appended", list.len() as u64 - 2, 2));
            let again = put(&app, "s", &list).await;
            assert_eq!(done(&again), ("unchanged", list.len() as u64, 0));
            assert_eq!((&again["tokens_added"], again.get("decision")), (&json!(0), None));
        }
        assert_eq!(stored(&app, "s", "main").await, list);
        assert_eq!(branches(&app, "s").await, ["main"]);
    }
}

#[tokio::test]
async fn plain_texts_are_the_same_before_and_after_a_format_shows() {
    for format in FORMATS {
        let app = app().await;
        let list = begun(format);
        for upto in [2, 4] {
            assert_eq!(put(&app, "s", &list[..upto]).await["sync"]["outcome"], "appended");
        }
        assert_eq!(branches(&app, "s").await, ["main"], "{format:?}");
    }
}

#[tokio::test]
async fn an_answer_is_generated_again() {
    for format in FORMATS {
        let app = app().await;
        let mut first = begun(format);
        first.push(assistant("one"));
        put(&app, "s", &first).await;
        let mut second = begun(format);
        second.push(assistant("two"));
        let reply = put(&app, "s", &second).await;
        assert_eq!(done(&reply), ("branched", 4, 1));
        assert_holds(&app, &reply, &second).await;
        assert_eq!(stored(&app, "s", "main").await, first);
        // Also when the framework first takes the answer away.
        let reply = put(&app, "s", &begun(format)).await;
        assert_eq!(done(&reply), ("went_back", 4, 0));
        let mut third = begun(format);
        third.push(assistant("three"));
        let reply = put(&app, "s", &third).await;
        assert_eq!(done(&reply), ("appended", 4, 1));
        assert_holds(&app, &reply, &third).await;
        // And each of the earlier ones is found again.
        for list in [&first, &second, &third, &first] {
            let reply = put(&app, "s", list).await;
            assert_eq!(done(&reply), ("returned", 5, 0));
            assert_holds(&app, &reply, list).await;
        }
        assert_eq!(branches(&app, "s").await.len(), 3);
    }
}

#[tokio::test]
async fn a_failed_call_is_tried_again() {
    for format in FORMATS {
        let app = app().await;
        let mut failed = begun(format);
        failed.extend(call(format, "c2", "second", "Error: no such file"));
        put(&app, "s", &failed).await;
        let mut retried = begun(format);
        retried.extend(call(format, "c2", "second", "fn main() {}"));
        let reply = put(&app, "s", &retried).await;
        assert_eq!(done(&reply), ("branched", 5, 1), "the call is the same, its result is not");
        assert_holds(&app, &reply, &retried).await;
        assert_eq!(put_with(&app, "s", "", &failed).await.json()["sync"]["outcome"], "returned");
    }
}

#[tokio::test]
async fn marks_for_the_cache_move_from_turn_to_turn() {
    let app = app().await;
    let mut list = begun(Format::Anthropic);
    for turn in 0..5 {
        list.extend([assistant(&format!("a{turn}")), user(&format!("u{turn}"))]);
        let mut marked = list.clone();
        let newest = marked.last_mut().unwrap();
        let said = newest["content"].take();
        newest["content"] = json!([{"type": "text", "text": said, "cache_control": {"type": "ephemeral"}}]);
        let reply = put_with(&app, "s", "?cache_control=5m", &marked).await.with(200);
        let reply = reply.json();
        let (new, before) = if turn == 0 { (list.len(), 0) } else { (2, list.len() - 2) };
        assert_eq!(done(&reply), ("appended", before as u64, new as u64));
        assert_eq!(reply["context"]["format"], "anthropic");
    }
    assert_eq!(branches(&app, "s").await, ["main"]);
}

#[tokio::test]
async fn a_reminder_that_changes_at_every_turn_leaves_the_rest_as_it_is() {
    const TURNS: usize = 100;
    let app = app().await;
    let mut list = vec![system("prompt")];
    for turn in 0..TURNS {
        list.push(user(&format!("u{turn}")));
        let mut reminded = list.clone();
        reminded.push(json!({"role": "user", "content": text(&format!("reminder{turn}"))}));
        let reply = put_with(&app, "s", "", &reminded).await.with(200);
        let reply = reply.json();
        check_reply(&reply, &reminded);
        let expected = if turn == 0 { ("appended", 0, 3) } else { ("branched", list.len() as u64 - 2, 3) };
        assert_eq!(done(&reply), expected);
        if turn % 50 == 49 {
            assert_holds(&app, &reply, &reminded).await;
        }
        list.push(assistant(&format!("a{turn}")));
    }
    assert_eq!(branches(&app, "s").await.len(), TURNS);
    // An agent that goes back to the middle finds its place.
    let reply = put(&app, "s", &list[..TURNS]).await;
    assert_holds(&app, &reply, &list[..TURNS]).await;
}

#[tokio::test]
async fn syncs_at_once_never_mix_their_lists() {
    let app = app().await;
    let beginning = [system("prompt"), user("task")];
    for round in 0..4 {
        // Ten lists, each put twice; some are beginnings of others.
        let lists: Vec<Vec<Value>> = (0..20)
            .map(|sender| {
                let list = sender % 10;
                let mut messages = beginning.to_vec();
                let own =
                    |n: usize| assistant(&format!("r{round}l{}n{n}", if list < 5 { list } else { list - 5 }));
                messages.extend((0..if list < 5 { 3 } else { 1 + list % 5 }).map(own));
                messages
            })
            .collect();
        let replies = join_all(lists.iter().map(|list| put_with(&app, "s", "", list))).await;
        for (reply, list) in replies.iter().zip(&lists) {
            assert_eq!(reply.status, 200, "{}", reply.text);
            let reply = reply.json();
            check_reply(&reply, list);
            // What the context shows is of this list, to its end.
            let newest = words(&json!(list.last()));
            assert!(newest.is_subset(&words(&reply["context"]["messages"])), "{reply:#}");
            let held = stored(&app, "s", reply["sync"]["branch"].as_str().unwrap()).await;
            assert!(held.starts_with(list), "{list:#?} is not the beginning of {held:#?}");
        }
    }
    // No list is there twice, other than as a beginning of another.
    let mut firsts = Vec::new();
    for name in branches(&app, "s").await {
        let held = stored(&app, "s", &name).await;
        if held.len() > 2 {
            firsts.push((held[2].to_string(), held.len()));
        }
    }
    let whole: Vec<_> = firsts.iter().filter(|(_, length)| *length == 5).collect();
    assert_eq!(whole.iter().collect::<BTreeSet<_>>().len(), whole.len(), "{whole:?}");
}

#[tokio::test]
async fn a_list_that_cannot_be_taken_is_refused_before_anything_is_stored() {
    let app = app().await;
    let list = begun(Format::OpenaiChat);
    put(&app, "s", &list).await;
    let mut other = list[..2].to_vec();
    other.extend((0..5).map(|n| assistant(&n.to_string())));
    for (bad, pointer) in [
        (json!({"role": "robot", "content": "x"}), "/messages/7/role"),
        (json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1"}]}), "/messages/7"),
        (json!("text"), "/messages/7"),
    ] {
        let mut refused = other.clone();
        refused.push(bad);
        if pointer == "/messages/7" && refused[7].is_object() {
            refused[2] = call(Format::OpenaiChat, "c9", "new", "x")[0].clone();
        }
        let reply = put_with(&app, "s", "", &refused).await.with(422);
        assert_eq!(reply.json()["errors"][0]["pointer"], pointer, "{}", reply.text);
    }
    let empty = put_with(&app, "s", "", &[]).await;
    assert_eq!((empty.status.as_u16(), &empty.json()["errors"][0]["pointer"]), (422, &json!("/messages")));
    let many = vec![user("x"); 20_001];
    assert_eq!(put_with(&app, "s", "", &many).await.status, 422);
    assert_eq!(branches(&app, "s").await, ["main"]);
    assert_eq!(stored(&app, "s", "main").await, list);
    for session in ["none", "s"] {
        let refused = put_with(&app, session, "?branch=there", &list).await;
        assert_eq!(refused.refusal().1, "session-not-found");
        assert!(refused.json()["detail"].as_str().unwrap().contains("no branch there"), "{}", refused.text);
    }
}

#[tokio::test]
async fn more_messages_than_an_append_takes_are_one_request() {
    let app = app().await;
    let mut list: Vec<Value> = (0..2_500).map(|n| user(&n.to_string())).collect();
    let reply = put(&app, "s", &list).await;
    assert_eq!(done(&reply), ("appended", 0, 2_500));
    assert_eq!((&reply["first_seq"], &reply["last_seq"]), (&json!(1), &json!(2_500)));
    assert_holds(&app, &reply, &list).await;
    let counted = app.call("GET", "/v1/sessions/s", "").await.json();
    assert_eq!(reply["usage"]["context_tokens"], counted["usage"]["context_tokens"]);
    // From the beginning, on another branch.
    list[0] = user("other");
    let reply = put(&app, "s", &list).await;
    assert_eq!(done(&reply), ("branched", 0, 2_500));
    assert_holds(&app, &reply, &list).await;
}

#[tokio::test]
async fn what_a_crash_left_behind_is_used_by_the_repeated_request() {
    let app = app().await;
    let list = begun(Format::OpenaiChat);
    put(&app, "s", &list).await;
    let mut other = list[..3].to_vec();
    other.push(json!({"role": "tool", "tool_call_id": "c1", "content": "another result"}));
    other.extend([assistant("x"), user("y")]);
    // The process ended after it had forked.
    let of = SessionRef::from(SessionName::parse("s").unwrap());
    let digest = ContentDigest::of(Format::OpenaiChat, &other[3].to_string());
    let fork = Fork { seq: Some(3), first_digest: Some(digest.0), ..Fork::default() };
    let outcome = app.store.fork(app.tenant, &of, fork).await.unwrap();
    let ForkOutcome::Forked(branch) = outcome else { panic!("{outcome:?}") };
    let left = branch.name.to_string();
    let reply = put(&app, "s", &other).await;
    assert_eq!((done(&reply), &reply["sync"]["branch"]), (("returned", 3, 3), &json!(left)));
    assert_holds(&app, &reply, &other).await;
    // And after it had appended a part.
    other.extend([assistant("z"), user("zz")]);
    let body = json!({"messages": [other[6]]}).to_string();
    app.call("POST", &format!("/v1/sessions/s/messages?branch={left}"), body).await;
    assert_eq!(done(&put(&app, "s", &other).await), ("appended", 7, 1));
    assert_eq!(branches(&app, "s").await.len(), 2);
}

#[tokio::test]
async fn a_process_that_knows_nothing_reads_what_is_stored() {
    let mut app = app().await;
    let mut list: Vec<Value> = (0..1_500).map(|n| user(&n.to_string())).collect();
    put(&app, "s", &list).await;
    app.set_clock(Clock::system());
    list.push(assistant("end"));
    assert_eq!(done(&put(&app, "s", &list).await), ("appended", 1_500, 1));
    app.set_clock(Clock::system());
    list.truncate(1_200);
    assert_eq!(done(&put(&app, "s", &list).await), ("went_back", 1_200, 0));
}

#[tokio::test]
async fn branches_that_were_made_by_hand_are_found() {
    let app = app().await;
    let list = begun(Format::OpenaiChat);
    put(&app, "s", &list).await;
    let mut lists = Vec::new();
    for name in ["one", "two", "three"] {
        let fork = app
            .call(
                "POST",
                "/v1/sessions/s/branches",
                json!({"name": name, "seq": 4, "from": "main"}).to_string(),
            )
            .await;
        assert_eq!(fork.status, 201, "{}", fork.text);
        let mut own = list.clone();
        own.extend([assistant(name), user(&format!("{name}b"))]);
        let body = json!({"messages": own[4..]}).to_string();
        app.call("POST", &format!("/v1/sessions/s/messages?branch={name}"), body).await.with(201);
        lists.push((name, own));
    }
    let mut main = list.clone();
    main.push(assistant("main"));
    put(&app, "s", &main).await;
    for _ in 0..2 {
        for (name, list) in &lists {
            let reply = put(&app, "s", list).await;
            assert_eq!((done(&reply), &reply["sync"]["branch"]), (("returned", 6, 0), &json!(name)));
        }
    }
    assert_eq!(put(&app, "s", &main).await["sync"]["branch"], "main");
    // A branch that is named is compared first, and is current then.
    let reply = put_with(&app, "s", "?branch=two", &lists[1].1).await.json();
    assert_eq!((done(&reply), &reply["sync"]["branch"]), (("returned", 6, 0), &json!("two")));
    assert_eq!(put(&app, "s", &lists[1].1).await["sync"]["outcome"], "unchanged");
}

/// Where two branches that were forked by hand begin alike, a list goes along the older one. What only the other has is stored
/// again, once.
#[tokio::test]
async fn a_list_that_only_the_second_of_two_alike_branches_holds_is_stored_again_once() {
    let app = app().await;
    let list = begun(Format::OpenaiChat);
    put(&app, "s", &list).await;
    let mut lists = Vec::new();
    for name in ["one", "two"] {
        let body = json!({"name": name, "seq": 4, "from": "main"}).to_string();
        assert_eq!(app.call("POST", "/v1/sessions/s/branches", body).await.status, 201);
        let mut own = list.clone();
        own.extend([assistant("alike"), user(name)]);
        let body = json!({"messages": own[4..]}).to_string();
        app.call("POST", &format!("/v1/sessions/s/messages?branch={name}"), body).await.with(201);
        lists.push(own);
    }
    put(&app, "s", &[list, vec![assistant("main")]].concat()).await;
    let [one, two] = [&lists[0], &lists[1]];
    assert_eq!(put(&app, "s", one).await["sync"]["branch"], "one");
    let again = put(&app, "s", two).await;
    assert_eq!(done(&again), ("branched", 5, 1));
    for _ in 0..2 {
        assert_eq!(put(&app, "s", one).await["sync"]["branch"], "one");
        let found = put(&app, "s", two).await;
        assert_eq!((done(&found), &found["sync"]["branch"]), (("returned", 6, 0), &again["sync"]["branch"]));
    }
    assert_eq!(branches(&app, "s").await.len(), 4);
    // Named, it is found as it is.
    let named = put_with(&app, "s", "?branch=two", two).await.json();
    assert_eq!((done(&named), &named["sync"]["branch"]), (("returned", 6, 0), &json!("two")));
}

/// Branches that were forked by hand are read some at a time, by their number and by their bytes.
#[tokio::test]
async fn many_large_branches_that_were_made_by_hand_are_found() {
    let app = app().await;
    let list = begun(Format::OpenaiChat);
    put(&app, "s", &list).await;
    let mut lists = Vec::new();
    for n in 0..20 {
        let body = json!({"name": format!("b{n}"), "seq": 4}).to_string();
        assert_eq!(app.call("POST", "/v1/sessions/s/branches", body).await.status, 201);
        let size = if n % 3 == 0 { 300_000 } else { 10 };
        let own = [list.clone(), vec![user(&format!("{n} {}", "x".repeat(size)))]].concat();
        let body = json!({"messages": own[4..]}).to_string();
        app.call("POST", &format!("/v1/sessions/s/messages?branch=b{n}"), body).await.with(201);
        lists.push(own);
    }
    put(&app, "s", &[list, vec![assistant("main")]].concat()).await;
    for (n, list) in lists.iter().enumerate().rev() {
        let reply = put_with(&app, "s", "", list).await.json();
        assert_eq!((done(&reply), &reply["sync"]["branch"]), (("returned", 5, 0), &json!(format!("b{n}"))));
    }
}

#[tokio::test]
async fn a_sync_needs_a_key_that_reads_and_writes() {
    let app = app().await;
    let body = json!({"messages": [user("x")]}).to_string();
    for scopes in [json!(["write"]), json!(["read"])] {
        let made = app.call("POST", "/v1/keys", json!({"scopes": scopes}).to_string()).await.json();
        let key = made["key"].as_str().unwrap();
        assert_eq!(
            app.call_as(key, "PUT", "/v1/sessions/s/transcript", body.clone()).await.status,
            403,
            "{scopes}"
        );
    }
    assert_eq!(app.call("GET", "/v1/sessions/s", "").await.status, 404);
}

/// A branch that was forked for a message and got another one as its first hides nobody and stops nobody.
#[tokio::test]
async fn a_branch_that_begins_with_another_message_than_it_was_forked_for_stops_no_sync() {
    let app = app().await;
    let list = begun(Format::OpenaiChat);
    let holding = |said: &str| [list.clone(), vec![user(said)]].concat();
    put(&app, "s", &holding("first")).await;
    let of = SessionRef::from(SessionName::parse("s").unwrap());
    let wanted = holding("wanted");
    let digest = ContentDigest::of(Format::OpenaiChat, &wanted.last().unwrap().to_string());
    let seq = i64::try_from(list.len()).unwrap();
    let fork = Fork { seq: Some(seq), first_digest: Some(digest.0), ..Fork::default() };
    let outcome = app.store.fork(app.tenant, &of, fork).await.unwrap();
    let ForkOutcome::Forked(branch) = outcome else { panic!("{outcome:?}") };
    let body = json!({"messages": [user("another")]}).to_string();
    let path = format!("/v1/sessions/s/messages?branch={}", branch.name);
    assert_eq!(app.call("POST", &path, body).await.status, 201);
    let reply = put(&app, "s", &wanted).await;
    assert_holds(&app, &reply, &wanted).await;
    let other = holding("another");
    let reply = put(&app, "s", &other).await;
    assert_eq!(reply["sync"]["branch"], json!(branch.name.to_string()));
    assert_holds(&app, &reply, &other).await;
}

#[tokio::test]
async fn a_list_for_main_that_was_erased_is_not_found() {
    let app = app().await;
    let list = begun(Format::OpenaiChat);
    put(&app, "s", &list).await;
    app.call("POST", "/v1/sessions/s/branches", r#"{"name": "b", "switch": true}"#).await.with(201);
    assert_eq!(app.call("DELETE", "/v1/sessions/s/branches/main", "").await.status, 204);
    let refused = put_with(&app, "s", "?branch=main", &list).await;
    let detail = refused.json()["detail"].to_string();
    let refused = refused.refusal();
    assert_eq!((refused.0, refused.1.as_str()), (404, "session-not-found"));
    assert!(detail.contains("no branch main"), "{detail}");
}

/// Settings are the session's: a sync that ends on another branch changes none, and the model that it names is that of all.
#[tokio::test]
async fn a_sync_keeps_the_settings_whichever_branch_it_ends_on() {
    let app = app().await;
    let sync = async |list: &[Value], model: Option<&str>| {
        let body = json!({"messages": list, "model": model}).to_string();
        let reply = app.call("PUT", "/v1/sessions/s/transcript", body).await.with(200);
        let sync = &reply.json()["sync"];
        (
            sync["branch"].as_str().expect("a name").to_owned(),
            sync["outcome"].as_str().expect("a word").to_owned(),
        )
    };
    let settings = async |query: &str| {
        app.call("GET", &format!("/v1/sessions/s{query}"), "").await.json()["settings"].clone()
    };
    let first = [user("one"), assistant("two"), user("three")];
    let edited = [user("one"), assistant("two"), user("four")];
    assert_eq!(sync(&first, None).await, ("main".to_owned(), "appended".to_owned()));
    app.call("PATCH", "/v1/sessions/s", r#"{"context_window": 50000, "fill": 0.3}"#).await.with(200);
    let (branch, outcome) = sync(&edited, None).await;
    assert_eq!(
        (outcome.as_str(), settings("").await),
        ("branched", json!({"context_window": 50_000, "fill": 0.3}))
    );
    app.call("PATCH", "/v1/sessions/s", r#"{"fill": 0.2}"#).await;
    assert_eq!(sync(&first, None).await, ("main".to_owned(), "returned".to_owned()));
    assert_eq!(settings("").await, json!({"context_window": 50_000, "fill": 0.2}));
    // Whether it stores something or not.
    for (list, model, outcome) in [
        (&edited[..], "gpt-4o", "returned"),
        (&edited[..2], "claude-sonnet-4-5", "went_back"),
        (&[user("one"), assistant("two"), user("four"), assistant("five")][..], "gpt-4.1", "returned"),
        (&[user("six")][..], "gpt-4o", "branched"),
        (&[user("six"), assistant("seven")][..], "gpt-4.1", "appended"),
        (&[user("six"), assistant("seven")][..], "claude-sonnet-4-5", "unchanged"),
    ] {
        assert_eq!(sync(list, Some(model)).await.1, outcome, "{list:?}");
        let all = json!({"context_window": 50_000, "fill": 0.2, "model": model});
        for query in ["", "?branch=main", &format!("?branch={branch}")] {
            assert_eq!(settings(query).await, all, "{outcome}{query}");
        }
    }
}
