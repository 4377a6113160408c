//! Answers that come slowly, break off, stall or are refused, and agents that read slowly or leave.

use std::convert::Infallible;
use std::io;

use futures::stream::{self, BoxStream};
use futures::{FutureExt as _, StreamExt as _};

use super::*;

/// An event of an answer with a text.
fn event(text: &str) -> Bytes {
    let delta =
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}});
    format!("event: content_block_delta\ndata: {delta}\n\n").into()
}

/// What begins an answer, and what ends it.
fn ends() -> [Bytes; 2] {
    let begin =
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}});
    let stop = json!({"type": "content_block_stop", "index": 0});
    let end = json!({"type": "message_stop"});
    [format!("data: {begin}\n\n").into(), format!("data: {stop}\n\ndata: {end}\n\n").into()]
}

/// Sends a request to an address, and gives the answer before its body has ended.
async fn open(address: std::net::SocketAddr, session: &str, text: &str) -> reqwest::Response {
    let body = json!({"messages": [user(text)], "stream": true}).to_string();
    reqwest::Client::builder()
        .no_proxy()
        .build()
        .expect("a client")
        .post(format!("http://{address}{MESSAGES}"))
        .header("x-anchord-key", OURS)
        .header("x-anchord-session", session)
        .body(body)
        .send()
        .await
        .expect("an answer")
}

#[tokio::test]
async fn two_hundred_agents_that_read_slowly_get_every_byte_and_are_kept() {
    const AGENTS: usize = 200;
    let (app, provider) = gateway(Answers::Model).await;
    let address = app.listen().await;
    let [begin, end] = ends();
    let parts: Vec<Bytes> = (0..32).map(|at| event(&format!("{at} {}", "slow ".repeat(400)))).collect();
    let all: Vec<Bytes> = [vec![begin], parts, vec![end]].concat();
    for _ in 0..AGENTS {
        let chunks = all.clone().into_iter().map(Ok::<_, Infallible>);
        provider.will_answer(200, "text/event-stream", Body::from_stream(stream::iter(chunks)));
    }
    let expected = all.concat();
    let agents = (0..AGENTS).map(|at| async move {
        let mut answer = open(address, &format!("slow-{at}"), "read slowly").await;
        let mut got = Vec::new();
        while let Some(chunk) = answer.chunk().await.expect("a chunk") {
            got.extend(chunk);
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        got
    });
    for got in futures::future::join_all(agents).await {
        assert!(got == expected, "{} of {} bytes", got.len(), expected.len());
    }
    for at in 0..AGENTS {
        let kept = stored(&app, &format!("slow-{at}"), 2).await;
        assert!(kept[1]["content"][0]["text"].as_str().is_some_and(|text| text.contains("31 slow")));
    }
}

#[tokio::test]
async fn an_answer_that_breaks_off_reaches_the_agent_as_far_as_it_came_and_is_marked() {
    let (app, provider) = gateway(Answers::Model).await;
    let address = app.listen().await;
    let [begin, _] = ends();
    let broken = stream::iter([Ok(begin), Ok(event("half")), Err(io::Error::other("broken"))]);
    // Each is sent before the next comes.
    let broken = broken.then(|part| async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        part
    });
    provider.will_answer(200, "text/event-stream", Body::from_stream(broken));
    let mut answer = open(address, "broken", "say all").await;
    let mut got = Vec::new();
    let ended = loop {
        match answer.chunk().await {
            Ok(Some(chunk)) => got.extend(chunk),
            other => break other.is_err(),
        }
    };
    assert!(ended, "an answer that broke off is none that ended");
    assert!(String::from_utf8_lossy(&got).contains("half"));
    let kept = stored(&app, "broken", 2).await;
    assert_eq!(kept[1]["content"][0]["text"], "half");
    assert!(kept[1].to_string().contains("cut off"), "{}", kept[1]);
}

#[tokio::test]
async fn events_arrive_while_the_provider_stalls_and_an_agent_that_leaves_ends_the_call() {
    let (app, provider) = gateway(Answers::Model).await;
    let address = app.listen().await;
    let (left, has_left) = futures::channel::oneshot::channel::<()>();
    let [begin, _] = ends();
    // Dropped when nobody reads any more.
    let stalled: BoxStream<'static, Result<Bytes, Infallible>> =
        stream::iter([begin, event("first")].map(Ok))
            .chain(stream::pending())
            .inspect(move |_| {
                let _ = &left;
            })
            .boxed();
    provider.will_answer(200, "text/event-stream", Body::from_stream(stalled));
    let mut answer = open(address, "stalled", "say something").await;
    let mut got = Vec::new();
    while !String::from_utf8_lossy(&got).contains("first") {
        let chunk = tokio::time::timeout(Duration::from_secs(10), answer.chunk()).await;
        got.extend(chunk.expect("it arrives at once").expect("a chunk").expect("not the end"));
    }
    assert!(answer.chunk().now_or_never().is_none(), "nothing more comes");
    drop(answer);
    let left = tokio::time::timeout(Duration::from_secs(10), has_left).await;
    assert!(left.expect("the provider is told").is_err());
    let kept = stored(&app, "stalled", 2).await;
    assert!(kept[1].to_string().contains("first") && kept[1].to_string().contains("cut off"));
}

#[tokio::test]
async fn what_the_provider_says_in_bad_times_comes_back_word_for_word() {
    let (app, provider) = gateway(Answers::Model).await;
    let body = json!({"messages": [user("a")], "stream": true}).to_string();
    for (status, after) in [(429, "7"), (529, "3"), (500, "1")] {
        let said = format!(
            "{{\"type\":\"error\",\"error\":{{\"type\":\"overloaded_error\",\"message\":\"{status}\"}}}}"
        );
        let mut answer = Response::new(Body::from(said.clone()));
        *answer.status_mut() = StatusCode::from_u16(status).expect("a status");
        answer.headers_mut().insert("retry-after", after.parse().expect("a text"));
        provider.answers.lock().expect("no panic").push_back(answer);
        let answer = send(&app, OURS, MESSAGES, &body, &[("x-anchord-session", "bad")]).await.with(status);
        assert_eq!((answer.text, &answer.headers["retry-after"]), (said, &after.parse().unwrap()));
    }
    app.call("GET", "/v1/sessions/bad", "").await.with(404);
    let [begin, end] = ends();
    let malformed = [
        &begin[..],
        b"data: {\"type\":\n\n: a comment\ndata\n\nevent: unknown\n\xff\xfe\n\n",
        &event("good"),
        &end,
    ];
    let malformed = malformed.concat();
    provider.will_answer(200, "text/event-stream", malformed.clone());
    let address = app.listen().await;
    let got = open(address, "malformed", "a").await.bytes().await.expect("a body");
    assert!(got == malformed, "byte for byte: {}", String::from_utf8_lossy(&got));
    assert_eq!(stored(&app, "malformed", 1).await[0]["role"], "user");
}
