use super::rules::LITERALS;
use super::*;

#[path = "../../../../tests/support/corpus.rs"]
mod corpus;
use rstest::rstest;

// Assembled at run time, so that no scanner takes a test for a leak.
fn fake(prefix: &str, length: usize) -> String {
    let body: String = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0z".chars().cycle().take(length).collect();
    format!("{prefix}{body}")
}

#[rstest]
#[case("AKIA", "AKIAIOSFODNN7EXAMPLE".to_owned(), "aws-key")]
#[case("GitHub", fake("ghp_", 36), "github-token")]
#[case("fine-grained", fake("github_pat_", 60), "github-token")]
#[case("OpenAI", fake("sk-proj-", 48), "api-key")]
#[case("Anthropic", fake("sk-ant-api03-", 80), "anthropic-key")]
#[case("Stripe", fake("sk_live_", 24), "stripe-key")]
#[case("Slack", fake("xoxb-", 40), "slack-token")]
#[case("Google", fake("AIza", 35), "google-key")]
#[case("GitLab", fake("glpat-", 20), "gitlab-token")]
#[case("npm", fake("npm_", 36), "npm-token")]
#[case("PyPI", fake("pypi-", 60), "pypi-token")]
#[case("JWT", format!("{}.{}.{}", fake("eyJ", 20), fake("eyJ", 30), fake("", 20)), "jwt")]
fn well_known_formats_are_redacted(#[case] name: &str, #[case] secret: String, #[case] kind: &str) {
    let text = format!("the {name} one is {secret} here");
    assert_eq!(redact(&text), format!("the {name} one is [REDACTED:{kind}] here"));
}

#[rstest]
#[case("postgres://app:hunter22@db:5432/x", "postgres://app:[REDACTED:url-password]@db:5432/x")]
#[case("Authorization: Bearer abcdef123456", "Authorization: Bearer [REDACTED:authorization]")]
#[case("API_KEY=9f86d081884c7d659a2f", "API_KEY=[REDACTED:secret]")]
#[case("{\"client_secret\": \"aB3dE5gH7jK9mN1p\"}", "{\"client_secret\": \"[REDACTED:secret]\"}")]
#[case("DB_PASSWORD=correct-horse", "DB_PASSWORD=[REDACTED:password]")]
#[case("password: 'tr0ub4dor'", "password: '[REDACTED:password]'")]
#[case(
    "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nafter",
    "[REDACTED:private-key]\nafter"
)]
#[case("-----BEGIN PRIVATE KEY-----\nMIIE", "[REDACTED:private-key]")]
fn secrets_by_place_are_redacted(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(redact(text), expected);
}

#[rstest]
#[case("commit 45ffe0a3bb7e2f0d0b3f64c2a8bd6d3cbb1a2f0e")]
#[case("uuid 3f2504e0-4f89-11d3-9a0c-0305e82c3301")]
#[case("/home/ana/token/secret/key.pem and src/auth/token.rs")]
#[case("max_tokens: 4096, token_count=12345678")]
#[case("primary_key=user_id_12345")]
#[case("API_KEY=${API_KEY} and api_key=os.environ['X']")]
#[case("password: string")]
#[case("the tokenizer is o200k_base")]
#[case("set SECRET_KEY=your-secret-here")]
#[case("https://example.com:8080/a@b")]
#[case("a risk-based approach-to-the-design-of-things")]
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
    fn the_look_passes_over_no_rule_that_matches(pieces in proptest::collection::vec(piece(), 0..10)) {
        let text = pieces.concat();
        let found = candidates(&text);
        for (at, rule) in RULES.iter().enumerate() {
            proptest::prop_assert!(found >> at & 1 == 1 || !rule.pattern.is_match(&text), "{} in {}", rule.kind, text);
        }
    }

    #[test]
    fn what_was_redacted_stays_as_it_is(pieces in proptest::collection::vec(piece(), 0..10)) {
        let once = redact(&pieces.concat()).into_owned();
        proptest::prop_assert_eq!(redact(&once), once.as_str());
    }
}

#[test]
fn every_rule_has_its_literals() {
    let kinds: Vec<&str> = RULES.iter().map(|rule| rule.kind).collect();
    assert_eq!(LITERALS.iter().map(|(kind, _)| *kind).collect::<Vec<_>>(), kinds);
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
