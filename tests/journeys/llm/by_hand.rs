//! `anchord compress` with a provider from the environment, and the settings that the how-to names.

use std::collections::BTreeMap;

use rstest::rstest;
use serde_json::{Value, json};

use super::raw;
use crate::observed::work;
use crate::support::provider::{Act, Asks, FakeProvider, answers, exam};

/// Runs the command on the session of these tests, with these settings alone.
async fn compress(settings: &BTreeMap<String, String>, flags: &[&str]) -> (bool, String) {
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), Value::from(work(10)).to_string()).expect("a transcript");
    let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_anchord"));
    command.arg("compress").arg(file.path()).args(flags).env_clear().envs(settings);
    let output = command.output().await.expect("a run");
    let told = String::from_utf8(output.stdout).expect("UTF-8") + &*String::from_utf8_lossy(&output.stderr);
    (output.status.success(), told)
}

fn settings(fake: &FakeProvider) -> BTreeMap<String, String> {
    [
        ("ANCHORD_LLM_PROVIDER", "openai".to_owned()),
        ("ANCHORD_LLM_BASE_URL", format!("{}/v1", fake.url)),
        ("ANCHORD_LLM_MODEL", "small".to_owned()),
        ("ANCHORD_LLM_PRICES", "small=2/10".to_owned()),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value))
    .collect()
}

#[tokio::test]
async fn a_transcript_is_worded_by_a_model_of_the_environment_and_its_calls_are_told() {
    let fake = FakeProvider::start([Act::Good]).await;
    let (good, told) = compress(&settings(&fake), &["--strategy", "anchored"]).await;
    assert!(good, "{told}");
    for part in [
        "Write a test for quoted fields of the importer",
        "engine: llm (small), strategy: anchored",
        "by small: ok, 100 + 10 tokens",
        "cost: 1 call (0 failed), 100 + 10 tokens",
        "0.000300 in the currency of ANCHORD_LLM_PRICES",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let mut all = settings(&fake);
    all.insert("ANCHORD_PROBE_MODEL".to_owned(), "examiner".to_owned());
    all.insert("ANCHORD_JUDGE_MODEL".to_owned(), "judge".to_owned());
    let (good, told) = compress(&all, &["--json", "--strategy", "opaque"]).await;
    let object: Value =
        serde_json::from_str(told.split("\n}\n").next().map(|o| format!("{o}\n}}")).unwrap().as_str())
            .unwrap_or_else(|error| panic!("{error}: {told}"));
    assert!(good, "{told}");
    assert_eq!(
        (&object["summary"]["engine"], &object["strategy"]),
        (&json!("llm"), &json!("opaque")),
        "{told}"
    );
    assert_eq!((&object["cost"]["calls"], &object["rubric"]["overall"]), (&json!(3), &json!(4.0)), "{told}");
    assert_eq!(object["calls"][1]["purpose"], "probe", "{told}");
    assert_eq!(object["exam"], Value::Null, "no examiner was named: {told}");
    let mut examined = settings(&fake);
    examined.insert("ANCHORD_EXAM_MODEL".to_owned(), "examiner".to_owned());
    fake.play_for(Asks::Exam, [Act::Say(exam().to_string())]);
    fake.play_for(Asks::Answers, [answers(&["the csv crate; it is hard by hand", "vendor/", "no idea"])]);
    let (good, told) = compress(&examined, &["--strategy", "anchored"]).await;
    assert!(good, "{told}");
    for part in [
        "exam: 2 of 3 answered from the summary alone",
        "failed: Where is the importer?",
        "call: examine of 1 to ",
        "call: read of 1 to ",
        "cost: 3 calls (0 failed)",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
}

#[tokio::test]
async fn a_model_that_fails_leaves_the_transcript_to_code_and_its_calls_are_told() {
    let fake = FakeProvider::start([raw(401, &[])]).await;
    let (good, told) = compress(&settings(&fake), &[]).await;
    assert!(good, "{told}");
    for part in [
        "engine: extractive, strategy: anchored", "by small: status 401, 0 + 0 tokens",
        "cost: 1 call (1 failed)", "warning: llm: status",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
}

#[tokio::test]
async fn without_a_provider_nobody_is_asked_and_a_half_setting_is_refused() {
    let (good, told) = compress(&BTreeMap::new(), &["--strategy", "sliding-window"]).await;
    assert!(
        good && told.contains("engine: extractive, strategy: sliding_window") && !told.contains("cost:"),
        "{told}"
    );
    let half = [("ANCHORD_LLM_PROVIDER".to_owned(), "openai".to_owned())].into();
    let (good, told) = compress(&half, &[]).await;
    assert!(!good && told.contains("ANCHORD_LLM_MODEL"), "{told}");
}

/// The settings as the how-to names them, with our server in the place of theirs.
#[rstest]
#[case::openai("OpenAI", "/v1/chat/completions")]
#[case::anthropic("Anthropic", "/v1/messages")]
#[case::ollama("Ollama", "/v1/chat/completions")]
#[case::vllm("vLLM", "/v1/chat/completions")]
#[case::azure("Azure OpenAI", "/v1/chat/completions")]
#[case::openrouter("OpenRouter", "/v1/chat/completions")]
#[case::gemini("Gemini", "/v1/chat/completions")]
#[case::mistral("Mistral", "/v1/chat/completions")]
#[tokio::test]
async fn the_settings_of_the_how_to_work(#[case] server: &str, #[case] path: &str) {
    let text = include_str!("../../../docs/models.md");
    let section = text.split(&format!("### {server}\n")).nth(1).expect("a section");
    let block = section.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next()).expect("settings");
    let mut named: BTreeMap<String, String> = block
        .lines()
        .filter_map(|line| line.split_once('='))
        .map(|(name, value)| (name.to_owned(), value.replace('…', "key")))
        .collect();
    let fake = FakeProvider::start([Act::Good]).await;
    let version = if server == "Anthropic" { "" } else { "/v1" };
    named.insert("ANCHORD_LLM_BASE_URL".to_owned(), format!("{}{version}", fake.url));
    let (good, told) = compress(&named, &[]).await;
    assert!(good && told.contains(&format!("engine: llm ({})", named["ANCHORD_LLM_MODEL"])), "{told}");
    let seen = fake.seen_for(Asks::Narrative);
    assert_eq!((seen.len(), seen[0].path.as_str()), (1, path));
    assert_eq!(seen[0].body["model"], named["ANCHORD_LLM_MODEL"].as_str());
    let header = match (server, named.get("ANCHORD_LLM_KEY_HEADER").map(String::as_str)) {
        ("Anthropic", _) => "x-api-key",
        (_, Some("api-key")) => "api-key",
        _ => "authorization",
    };
    let sent = |name: &str| seen[0].headers.contains_key(name);
    assert_eq!(sent(header), named.contains_key("ANCHORD_LLM_API_KEY"));
    // The key goes one way alone.
    assert_eq!(
        ["authorization", "x-api-key", "api-key"].iter().filter(|name| sent(name)).count(),
        usize::from(sent(header))
    );
}

#[test]
fn the_how_to_names_no_setting_that_is_not_there() {
    let text = include_str!("../../../docs/models.md");
    let known = include_str!("../../../.env.example");
    for name in
        text.split(|c: char| !c.is_ascii_uppercase() && c != '_').filter(|word| word.starts_with("ANCHORD_"))
    {
        assert!(known.contains(name), "{name}");
    }
}
