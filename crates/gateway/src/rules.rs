//! Recognises requests that are more, or less, than a turn of the conversation. The rules are data (`rules/requests.toml`).
//!
//! Invariant: a request that no rule knows for sure is a turn, and goes upstream.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use axum::body::Bytes;
use axum::http::HeaderMap;
use memchr::memmem::Finder;
use serde::Deserialize;

use crate::request::{Asked, Endpoint, Message, content_texts, is_of_system, texts_of};

/// Bytes before the first words of an instruction.
const NEAR: usize = 2_000;
/// Bytes of a message in which its first words stand.
const BEGINNING: usize = 300;

/// How a request is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Meaning {
    /// It asks for a summary of the conversation, from which the agent goes on.
    Compaction,
    /// It is none of the conversation: a title, a suggestion, a trial.
    Aside,
}

/// The shape that an agent wants of a summary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Form {
    /// Text.
    #[default]
    Text,
    /// Text in the tags `analysis` and `summary`.
    Tags,
    /// An opaque item, which later requests bring back.
    Item,
}

/// Where the conversation is that is to be summarised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum History {
    /// In the list, before the instruction.
    #[default]
    List,
    /// In the text of the instruction; the list has nothing of it.
    Pasted,
}

/// A rule. All of what it names must hold.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rule {
    /// Agent, meaning and version of the rule.
    pub(crate) name: String,
    pub(crate) means: Meaning,
    /// Operations that it may be; any, without it.
    #[serde(default)]
    endpoints: Vec<Endpoint>,
    /// The path at the provider.
    path: Option<String>,
    /// Parts of the values of headers.
    #[serde(default)]
    headers: BTreeMap<String, String>,
    /// Whether the request offers tools.
    tools: Option<bool>,
    /// Words of the system prompt.
    #[serde(default)]
    system: Vec<String>,
    /// Words of the last text of the last message, which is a user's; the first of them stand near its beginning.
    #[serde(default)]
    pub(crate) last_user: Vec<String>,
    /// The type of the last item.
    last_item: Option<String>,
    #[serde(default)]
    pub(crate) form: Form,
    #[serde(default)]
    pub(crate) history: History,
}

#[derive(Deserialize)]
struct Rules {
    reports: Vec<String>,
    frames: Vec<String>,
    frame_answer: String,
    rule: Vec<Rule>,
}

#[expect(clippy::expect_used, reason = "a file of this crate, which a test reads")]
static RULES: LazyLock<Rules> =
    LazyLock::new(|| toml::from_str(include_str!("../rules/requests.toml")).expect("rules of this crate"));

/// The frames, as each message of each list is looked through for them.
static FRAMES: LazyLock<Vec<Finder<'static>>> =
    LazyLock::new(|| RULES.frames.iter().map(|words| Finder::new(words).into_owned()).collect());

/// The rule that knows a request; `None` for a turn.
pub(crate) fn recognise(asked: &Asked, (path, headers): (&str, &HeaderMap)) -> Option<&'static Rule> {
    let facts = Facts { asked, path, headers, last_user: last_user(asked) };
    RULES.rule.iter().find(|rule| rule.knows(&facts))
}

/// A message of the system that reports what a tool did, as a user's, as which other messages of tools come; `None` for any other.
pub(crate) fn report(raw: &[u8]) -> Option<Bytes> {
    let is_report = |text: &String| RULES.reports.iter().any(|words| text.starts_with(words.as_str()));
    let content = Message::read(raw)?.content?;
    let mut texts = content_texts(content.get().as_bytes()).into_iter();
    texts
        .any(|text| is_report(&text))
        .then(|| Bytes::from(format!("{{\"role\":\"user\",\"content\":{content}}}")))
}

/// The messages of a list that are said, without those of the agent's frame in a user's name and its own answers to them.
pub(crate) fn without_frames(list: &[Bytes]) -> impl Iterator<Item = &Bytes> {
    let mut is_behind_frame = false;
    list.iter().filter(move |raw| {
        let is_answer =
            is_behind_frame && begins(raw, "assistant", |text| text.starts_with(&RULES.frame_answer));
        let start = raw.get(..BEGINNING.min(raw.len())).unwrap_or_default();
        let found = FRAMES.iter().find(|words| words.find(start).is_some());
        is_behind_frame = found
            .is_some_and(|words| begins(raw, "user", |text| text.as_bytes().starts_with(words.needle())));
        !is_behind_frame && !is_answer
    })
}

/// Whether a message is of a role, and its first text begins in a way.
fn begins(raw: &Bytes, role: &str, way: impl Fn(&str) -> bool) -> bool {
    let text = || texts_of(raw).into_iter().next();
    Message::read(raw).is_some_and(|message| message.is_of(role)) && text().is_some_and(|text| way(&text))
}

struct Facts<'a> {
    asked: &'a Asked,
    path: &'a str,
    headers: &'a HeaderMap,
    last_user: Vec<String>,
}

/// Texts of the last message, when it is a user's. What an agent's frame says behind it does not count.
fn last_user(asked: &Asked) -> Vec<String> {
    let last = asked.list.iter().rfind(|raw| !is_of_system(raw));
    let is_users = |raw: &&Bytes| Message::read(raw).is_some_and(|message| message.is_of("user"));
    last.filter(is_users).map(|raw| texts_of(raw)).unwrap_or_default()
}

impl Rule {
    fn knows(&self, facts: &Facts<'_>) -> bool {
        let asked = facts.asked;
        (self.endpoints.is_empty() || self.endpoints.contains(&asked.endpoint))
            && self.tools.is_none_or(|tools| tools == asked.has_tools())
            && self.path.as_ref().is_none_or(|path| path == facts.path)
            && self.headers.iter().all(|(name, part)| {
                facts
                    .headers
                    .get(name)
                    .and_then(|value| value.to_str().ok())
                    .is_some_and(|value| value.contains(part))
            })
            && self.last_item.as_ref().is_none_or(|kind| {
                let last = asked.list.last().and_then(|raw| Message::read(raw));
                last.is_some_and(|last| last.kind.as_deref() == Some(kind))
            })
            && (self.last_user.is_empty()
                || facts.last_user.last().is_some_and(|text| self.is_instruction(text)))
            && (self.system.is_empty() || {
                let system = asked.system_text();
                self.system.iter().all(|words| system.contains(words.as_str()))
            })
    }

    /// Whether the list ends in an instruction.
    pub(crate) fn has_instruction(&self) -> bool {
        !self.last_user.is_empty() || self.last_item.is_some()
    }

    /// Whether a text has the words of the rule's instruction.
    pub(crate) fn is_instruction(&self, text: &str) -> bool {
        // The first words stand near its beginning, and what a reminder quotes asks for nothing.
        let is_asked = |words: &String| text.find(words.as_str()).is_some_and(|at| at <= NEAR);
        !text.starts_with("<system-reminder>")
            && self.last_user.first().is_some_and(is_asked)
            && self.last_user.iter().all(|words| text.contains(words.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::{Value, json};

    use super::*;

    fn name_of(system: &str, user: &str) -> Option<&'static str> {
        let message = |role, content: &str| json!({"role": role, "content": content});
        let list: Vec<Value> = vec![message("system", system), message("user", user)];
        let body = Bytes::from(json!({"messages": list}).to_string());
        let asked = Asked::read(Endpoint::ChatCompletions, &body)?;
        recognise(&asked, ("/v1/chat/completions", &HeaderMap::new())).map(|rule| rule.name.as_str())
    }

    #[rstest]
    #[case::gptme(
        "You are…",
        "Context budget has been reached. Write a structured checkpoint …",
        Some("gptme.compaction/1")
    )]
    #[case::aider(
        "*Briefly* summarize this partial conversation about …",
        "# USER\nhello",
        Some("aider.summary/1")
    )]
    #[case::cline(
        "Summarize the provided coding session. …",
        "Summarize this session for continuation.",
        Some("cline.compaction/1")
    )]
    #[case::a_turn("You are…", "Please mend the tests.", None)]
    #[case::a_quotation("You are…", &format!("{} Context budget has been reached, structured checkpoint", "x".repeat(NEAR + 1)), None)]
    fn a_request_is_known_by_its_words(
        #[case] system: &str,
        #[case] user: &str,
        #[case] expected: Option<&str>,
    ) {
        assert_eq!(name_of(system, user), expected);
    }

    #[test]
    fn what_an_agent_puts_anew_into_each_request_is_not_said() {
        let message =
            |role: &str, text: &str| Bytes::from(json!({"role": role, "content": text}).to_string());
        let list = [
            message("user", "Here are summaries of some files present in my git repository.\n…"),
            message("assistant", "Ok, I won't edit them."),
            message("user", "I am not sharing any files that you can edit yet."),
            message("assistant", "Then show me them."),
            message("user", "Mend it. I have *added these files to the chat*."),
            message("assistant", "Ok."),
        ];
        let said: Vec<&Bytes> = without_frames(&list).collect();
        assert_eq!(said, list[3..].iter().collect::<Vec<_>>());
    }

    #[test]
    fn a_report_of_a_sub_agent_is_kept_and_the_frame_is_not() {
        let said =
            |text: &str| json!({"role": "system", "content": [{"type": "text", "text": text}]}).to_string();
        let told = "[SYSTEM NOTIFICATION - NOT USER INPUT] <task-notification><result>done</result>";
        let kept: Value = serde_json::from_slice(&report(said(told).as_bytes()).unwrap()).unwrap();
        assert_eq!(kept, json!({"role": "user", "content": [{"type": "text", "text": told}]}));
        assert_eq!(report(said("You are an agent.").as_bytes()), None);
    }
}
