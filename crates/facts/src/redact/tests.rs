use super::rules::Secret;
use super::*;
use crate::rules::Rule as _;

#[path = "../../../../tests/support/corpus.rs"]
mod corpus;
use rstest::rstest;

// Assembled at run time, so that no scanner takes a test for a leak.
fn fake(prefix: &str, length: usize) -> String {
    let body: String = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0z".chars().cycle().take(length).collect();
    format!("{prefix}{body}")
}

impl Secret {
    fn problems(&self) -> Vec<String> {
        let mark = format!("[REDACTED:{}]", self.kind);
        let redacted = |text: &str| apply(self, text).unwrap_or_else(|| text.to_owned());
        let missed = self.samples.iter().filter_map(|sample| {
            let case = corpus::secret(&self.kind, sample);
            let is_read = RULES.candidates_in(&case.text).any(|rule| std::ptr::eq(rule, self));
            let read = redacted(&case.text);
            (!is_read || read != case.without.replace('¤', &mark))
                .then(|| format!("makes {read} of {sample}"))
        });
        let taken =
            self.not.iter().filter(|text| redacted(text) != **text).map(|text| format!("takes {text}"));
        let bare = self.samples.is_empty().then(|| "it has no sample".to_owned());
        missed.chain(taken).chain(bare).map(|problem| format!("{}: {problem}", self.name())).collect()
    }
}

/// What is wrong with the rules.
pub(crate) fn rule_problems() -> Vec<String> {
    RULES.problems().into_iter().chain(RULES.iter().flat_map(Secret::problems)).collect()
}

#[rstest]
#[case("commit 45ffe0a3bb7e2f0d0b3f64c2a8bd6d3cbb1a2f0e")]
#[case("uuid 3f2504e0-4f89-11d3-9a0c-0305e82c3301")]
#[case("/home/ana/token/secret/key.pem and src/auth/token.rs")]
#[case("the tokenizer is o200k_base")]
fn what_is_no_secret_stays(#[case] text: &str) {
    assert_eq!(redact(text), text);
}

proptest::proptest! {
    #[test]
    fn redacting_twice_changes_nothing_more(text in "(password|token|key|=|:| |\"|sk-|abc123XYZ|://|@|é|Bearer ){0,40}") {
        let once = redact(&text).into_owned();
        let twice = redact(&once).into_owned();
        proptest::prop_assert_eq!(once, twice);
    }
}

/// Pieces of secrets and what stands around them.
fn piece() -> impl proptest::strategy::Strategy<Value = String> {
    use proptest::prelude::*;
    let fakes = [
        "ghp_",
        "github_pat_",
        "sk-proj-",
        "sk-ant-",
        "pk_test_",
        "xoxb-",
        "xapp-1-",
        "AIza",
        "ya29.",
        "glpat-",
    ]
    .into_iter()
    .chain([
        "npm_",
        "pypi-",
        "hf_",
        "SG.",
        "dop_v1_",
        "shpat_",
        "sq0atp-",
        "dckr_pat_",
        "gsk_",
        "eyJ",
        "whsec_",
        "",
    ])
    .map(|prefix| fake(prefix, 60));
    let words = [
        " ",
        "=",
        ":",
        ": ",
        "\"",
        "'",
        "@",
        "/",
        "://",
        "https",
        "user",
        ".",
        "-",
        "_",
        "\n",
        "é",
        "密码",
        "key",
        "api_key",
        "Token",
        "SECRET",
        "password",
        "PWD",
        "db",
        "dbpass",
        "Bearer ",
        "Authorization",
        "basic ",
        "AKIAIOSFODNN7EXAMPLE",
        "-----BEGIN PRIVATE KEY-----",
        "credentials",
        "passphrase",
        "x",
    ];
    prop::sample::select(fakes.chain(words.into_iter().map(str::to_owned)).collect::<Vec<_>>())
}

proptest::proptest! {
    #[test]
    fn a_rule_that_is_no_candidate_does_not_match(pieces in proptest::collection::vec(piece(), 0..10)) {
        let text = pieces.concat();
        let found: Vec<&Secret> = RULES.candidates_in(&text).collect();
        for rule in RULES.iter() {
            let is_found = found.iter().any(|one| std::ptr::eq(*one, rule));
            proptest::prop_assert!(is_found || !rule.pattern.is_match(&text), "{} in {}", rule.kind, text);
        }
    }

    #[test]
    fn what_was_redacted_stays_as_it_is(pieces in proptest::collection::vec(piece(), 0..10)) {
        let once = redact(&pieces.concat()).into_owned();
        proptest::prop_assert_eq!(redact(&once), once.as_str());
    }
}

#[test]
fn a_secret_beside_letters_of_another_script_or_of_any_length_is_redacted() {
    assert_eq!(redact("密钥AKIAIOSFODNN7EXAMPLE"), "密钥[REDACTED:aws-key]");
    assert_eq!(redact(&fake("sk-ant-", 9_000)), "[REDACTED:anthropic-key]");
    assert_eq!(redact(&fake("pk_test_", 24)), "[REDACTED:stripe-key]");
}

#[test]
fn every_secret_of_the_corpus_is_redacted_and_nothing_around_it() {
    let mark = regex::Regex::new(r"\[REDACTED:[a-z-]+\]").unwrap();
    let mut missed = Vec::new();
    for case in corpus::secrets() {
        let redacted = redact(&case.text).into_owned();
        if mark.replace_all(&redacted, "¤") != case.without {
            missed.push(format!("{}: {redacted}", case.name));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
    assert!(corpus::secrets().len() >= 60);
}

#[test]
fn a_secret_of_the_corpus_within_a_call_s_arguments_is_redacted() {
    for case in corpus::secrets() {
        let arguments = serde_json::json!({"command": case.text}).to_string();
        let redacted = redact(&arguments);
        for secret in &case.secrets {
            assert!(!redacted.contains(secret.as_str()), "{}: {redacted}", case.name);
        }
    }
}

#[test]
fn nothing_of_the_corpus_that_is_no_secret_is_redacted() {
    let taken: Vec<String> = corpus::benign()
        .into_iter()
        .filter(|line| redact(line) != *line)
        .map(|line| redact(line).into_owned())
        .collect();
    assert!(taken.is_empty(), "{}", taken.join("\n"));
    assert!(corpus::benign().len() >= 60);
}
