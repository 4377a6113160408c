//! Agents that send their messages again otherwise than they were said.

use super::*;

/// A provider's answer of chat completions with one text.
fn will_answer(provider: &Provider, text: &str) {
    let message = json!({"role": "assistant", "content": text});
    provider.will_answer(200, "application/json", json!({"choices": [{"message": message}]}).to_string());
}

fn message(role: &str, text: &str) -> Value {
    json!({"role": role, "content": text})
}

async fn ask(app: &App, list: &[Value], headers: &[(&str, &str)]) {
    send(app, OURS, CHAT, &json!({"messages": list}).to_string(), headers).await.with(200);
}

#[tokio::test]
async fn an_agent_that_sends_less_again_than_was_said_stays_on_one_branch() {
    let (mut app, provider) = gateway(Answers::Model).await;
    let headers = [("x-session-id", "less")];
    let mut list = Vec::new();
    for turn in 0..4 {
        will_answer(
            &provider,
            &format!("<think>\nhm\n</think>\n\nI run {turn}:\n```\nls\n```\nThen more.\n"),
        );
        // A reminder stands behind the newest words alone; of the answer only what was used stays.
        let asked = format!("Do step {turn}.");
        let newest = message("user", &format!("{asked}\n\nAnswer in blocks."));
        ask(&app, &[list.as_slice(), &[newest]].concat(), &headers).await;
        stored(&app, "less", 2 * turn + 2).await;
        list.extend([message("user", &asked), message("assistant", &format!("I run {turn}:\n```\nls\n```"))]);
        if turn == 2 {
            // Another process knows nothing of what was sent before.
            app.put_gateway(config(&provider.base));
        }
    }
    let kept = stored(&app, "less", 8).await;
    assert_eq!(branches(&app, "less").await, 1);
    assert_eq!(kept[6]["content"], "Do step 3.\n\nAnswer in blocks.");
    assert!(kept[7]["content"].as_str().is_some_and(|text| text.ends_with("Then more.\n")), "as it was said");

    // Another answer to the same words is another one, though it begins alike.
    will_answer(&provider, "I run 3:");
    let again = [&list[..6], &[message("user", "Do step 3.\n\nAnswer in blocks.")]].concat();
    ask(&app, &again, &headers).await;
    for _ in 0..400 {
        if stored(&app, "less", 8).await[7]["content"] == "I run 3:" {
            assert_eq!(branches(&app, "less").await, 2);
            return;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("it was taken for the answer before");
}

#[tokio::test]
async fn what_an_agent_puts_anew_into_each_request_makes_no_branch() {
    let (app, provider) = gateway(Answers::Model).await;
    let mut done = Vec::new();
    for turn in 0..3 {
        will_answer(&provider, &format!("Step {turn} is done."));
        let files = [
            message("user", &format!("I have *added these files to the chat*:\nversion {turn}")),
            message("assistant", "Ok, any changes will be to those."),
        ];
        let asked = message("user", &format!("Do step {turn}."));
        ask(&app, &[done.as_slice(), &files, std::slice::from_ref(&asked)].concat(), &[]).await;
        done.extend([asked, message("assistant", &format!("Step {turn} is done."))]);
        assert_eq!(stored(&app, &only_session(&app).await, 2 * turn + 2).await, done);
    }
    assert_eq!(branches(&app, &only_session(&app).await).await, 1);
}

/// The name of the one session that there is, once there is one.
async fn only_session(app: &App) -> String {
    for _ in 0..1200 {
        let sessions = app.call("GET", "/v1/sessions", "").await.good().json();
        match sessions["items"].as_array().map(Vec::as_slice) {
            Some([session]) => return session["session_id"].as_str().expect("a name").to_owned(),
            Some([_, ..]) => panic!("more than one: {sessions}"),
            _ => tokio::time::sleep(Duration::from_millis(25)).await,
        }
    }
    panic!("there is none");
}

#[tokio::test]
async fn a_conversation_that_an_agent_pastes_without_a_name_is_found_and_goes_on() {
    let (app, provider) = gateway(Answers::Code).await;
    let mut list = vec![message("user", "Please write the parser in src/parse.rs.")];
    for round in 1..=3_usize {
        let text = format!("Round {round} is done, the port is 47{round}1.");
        will_answer(&provider, &text);
        ask(&app, &list, &[]).await;
        list.extend([
            message("assistant", &text),
            message("user", &format!("Now begin round {}.", round + 1)),
        ]);
        stored(&app, &only_session(&app).await, 2 * round).await;
        let before = provider.got().len();
        let pasted: Vec<String> = list[..list.len() - 1]
            .iter()
            .map(|said| {
                format!(
                    "[{}]: {}",
                    said["role"].as_str().unwrap_or_default(),
                    said["content"].as_str().unwrap_or_default()
                )
            })
            .collect();
        let asking = [
            message("system", "Summarize the provided coding session into a note."),
            message(
                "user",
                &format!(
                    "Summarize this session for continuation.\n\nConversation:\n{}",
                    pasted.join("\n\n")
                ),
            ),
        ];
        let body = json!({"messages": asking}).to_string();
        let body = body.replace("Context summary:", "Previous summary:");
        let answer = send(&app, OURS, CHAT, &body, &[]).await.with(200).json();
        assert_eq!(provider.got().len(), before, "the provider was not asked");
        let summary = answer["choices"][0]["message"]["content"].as_str().expect("a text").to_owned();
        assert!(summary.contains(&format!("47{round}1")), "{summary}");
        list =
            vec![message("user", &format!("Context summary:\n\n{summary}")), list.pop().expect("a message")];
    }
    assert_eq!(branches(&app, &only_session(&app).await).await, 1);
    // Another conversation is none of it.
    provider.will_answer(200, "application/json", "{}");
    let body = json!({"messages": [message("system", "Summarize the provided coding session"),
        message("user", "Summarize this session for continuation.\n\nConversation:\n[user]: Something else.")]});
    let passed = send(&app, OURS, CHAT, &body.to_string(), &[]).await.with(200);
    assert_eq!(passed.headers["x-anchord-not-kept"], "aside");
}
