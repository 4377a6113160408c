//! Secrets are taken out of everything that outlives a session: summaries, facts, probes, events.
//!
//! Invariant: a match redacts and never fails; commit hashes, UUIDs and paths stay as they are
//! unless the name in front of them says that they are secret.

use std::borrow::Cow;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use regex::{Captures, Regex};

use super::ledger::{Facts, pattern};
use super::proposal::Proposal;
use super::summary::{Constraint, Decision, Summary};

/// What a rule replaces: the whole match, or the group named `s`.
struct Rule {
    kind: &'static str,
    pattern: Regex,
    /// Tells a secret from what only looks like one.
    is_secret: fn(&Captures<'_>) -> bool,
}

fn always(_: &Captures<'_>) -> bool {
    true
}

/// Literals without one of which a rule cannot match, in lower case; by the rule's kind.
const LITERALS: &[(&str, &[&str])] = &[
    ("private-key", &["-----begin"]),
    ("aws-key", &["akia", "asia"]),
    ("github-token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"]),
    ("anthropic-key", &["sk-ant-"]),
    ("api-key", &["sk-"]),
    ("stripe-key", &["k_live_", "k_test_", "whsec_"]),
    ("slack-token", &["xox", "xapp-"]),
    ("google-key", &["aiza", "ya29."]),
    ("gitlab-token", &["glpat-"]),
    ("npm-token", &["npm_"]),
    ("pypi-token", &["pypi-"]),
    ("service-token", &["hf_", "sg.", "dop_v1_", "shpat_", "sq0", "dckr_pat_", "gsk_"]),
    ("jwt", &["eyj"]),
    ("url-password", &["://"]),
    ("authorization", &["authorization"]),
    ("bearer", &["bearer"]),
    ("secret", &["key", "token", "secret", "credential", "passphrase"]),
    ("password", &["passw", "pwd", "dbpass"]),
];

/// Finds out in one pass which rules may match.
struct Look {
    literals: AhoCorasick,
    /// The rules that each literal speaks for, as bits.
    rules: Vec<u32>,
    /// The rule for addresses, as a bit.
    addresses: u32,
}

static LOOK: LazyLock<Look> = LazyLock::new(|| {
    let at = |kind| RULES.iter().position(|rule| rule.kind == kind);
    let bit = |kind| at(kind).map_or(u32::MAX, |at| 1 << at);
    let all = LITERALS.iter().flat_map(|(kind, literals)| literals.iter().map(|text| (*text, bit(*kind))));
    let (texts, rules): (Vec<&str>, Vec<u32>) = all.unzip();
    #[expect(clippy::expect_used, reason = "the literals are constants, and a test compiles them")]
    let literals = aho_corasick::AhoCorasickBuilder::new()
        .ascii_case_insensitive(true)
        .kind(Some(aho_corasick::AhoCorasickKind::DFA))
        .build(texts)
        .expect("the literals are valid");
    Look { literals, rules, addresses: at("url-password").map_or(0, |at| 1 << at) }
});

/// The rules that may match, as bits.
fn candidates(text: &str) -> u32 {
    let mut found = 0;
    for hit in LOOK.literals.find_overlapping_iter(text) {
        found |= LOOK.rules.get(hit.pattern().as_usize()).copied().unwrap_or_default();
    }
    // Most addresses carry no password.
    if found & LOOK.addresses != 0 && memchr::memchr(b'@', text.as_bytes()).is_none() {
        found &= !LOOK.addresses;
    }
    found
}

static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    // Beside letters of other scripts a key is a key too, and what stands behind it is no less secret
    // for being long: counted repetitions would only make the automata large.
    let rule = |kind, text: &str, is_secret| Rule { kind, pattern: pattern::ascii_bounded(text), is_secret };
    vec![
        rule(
            "private-key",
            r"-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----(?s:.*?)(?:-----END (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----|\z)",
            always,
        ),
        rule("aws-key", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b", always),
        rule("github-token", r"\bgh[pousr]_[A-Za-z0-9]{30,}\b|\bgithub_pat_[A-Za-z0-9_]{40,}\b", always),
        rule("anthropic-key", r"\bsk-ant-[A-Za-z0-9_\-]{16,}", always),
        rule("api-key", r"\bsk-(?:proj-|svcacct-|admin-|or-v1-|None-)?[A-Za-z0-9_\-]{20,}", |c| {
            mixed(c.get(0).map_or("", |m| m.as_str()))
        }),
        rule(
            "stripe-key",
            r"\b(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}\b|\bwhsec_[A-Za-z0-9+/=]{20,}",
            always,
        ),
        rule("slack-token", r"\bxox[abeoprs]-[A-Za-z0-9\-]{10,}|\bxapp-\d-[A-Za-z0-9\-]{10,}", always),
        rule("google-key", r"\bAIza[0-9A-Za-z_\-]{35}|\bya29\.[0-9A-Za-z_\-]{20,}", always),
        rule("gitlab-token", r"\bglpat-[0-9A-Za-z_\-]{20,}", always),
        rule("npm-token", r"\bnpm_[A-Za-z0-9]{36}\b", always),
        rule("pypi-token", r"\bpypi-[A-Za-z0-9_\-]{50,}", always),
        rule(
            "service-token",
            r"\b(?:hf_[A-Za-z0-9]{30,}|SG\.[A-Za-z0-9_\-]{16,}\.[A-Za-z0-9_\-]{16,}|dop_v1_[a-f0-9]{64}|shpat_[a-fA-F0-9]{32}|sq0[a-z]{3}-[A-Za-z0-9_\-]{22,}|dckr_pat_[A-Za-z0-9_\-]{20,}|gsk_[A-Za-z0-9]{40,})",
            always,
        ),
        rule("jwt", r"\beyJ[A-Za-z0-9_\-]{8,}\.eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}", always),
        rule(
            "url-password",
            r"\b[a-zA-Z][a-zA-Z0-9+.\-]{1,20}://[^\s:/@?#\x22'`<>]*:(?P<s>[^\s/@?#\x22'`<>]+)@",
            |c| !placeholder(c.name("s").map_or("", |m| m.as_str())),
        ),
        rule(
            "authorization",
            r#"(?i)\bauthorization["']?\s*[:=]\s*["']?(?:bearer|basic|token|apikey|digest)\s+(?P<s>[A-Za-z0-9._~+/=\-]{6,})"#,
            |c| !placeholder(c.name("s").map_or("", |m| m.as_str())),
        ),
        rule("bearer", r"(?i)\bbearer\s+(?P<s>[A-Za-z0-9._~+/=\-]{20,})", |c| {
            mixed(c.name("s").map_or("", |m| m.as_str()))
        }),
        rule(
            "secret",
            r#"(?i)(?P<n>[A-Za-z0-9_.\-]*(?:api[_\-]?key|access[_\-]?key(?:[_\-]?id)?|secret[_\-]?key|private[_\-]?key|signing[_\-]?key|encryption[_\-]?key|master[_\-]?key|account[_\-]?key|auth[_\-]?key|client[_\-]?key|service[_\-]?key|[_\-]key|token|secret|credentials?|passphrase))["']?\s{0,3}(?::|=|=>|:=)\s{0,3}(?P<q>["'`]?)(?P<s>[^\s"'`,;<>(){}\[\]]{8,})"#,
            |c| named_secret(c, false),
        ),
        rule(
            "password",
            r#"(?i)(?P<n>[A-Za-z0-9_.\-]*(?:password|passwd|passwort|_pwd|\bpwd|dbpass))["']?\s{0,3}(?::|=|=>|:=)\s{0,3}(?P<q>["'`]?)(?P<s>[^\s"'`,;<>(){}\[\]]{4,})"#,
            |c| named_secret(c, true),
        ),
    ]
});

/// Whether letters and digits are mixed as in a random token, unlike in words and names.
fn mixed(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let upper = value.bytes().filter(u8::is_ascii_uppercase).count();
    let lower = value.bytes().filter(u8::is_ascii_lowercase).count();
    digits >= 2 && (upper + lower) >= 4 || upper >= 4 && lower >= 4 && !value.contains(['-', '_', '/'])
}

/// Whether a value stands for a secret without being one.
fn placeholder(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    value.is_empty()
        || value.starts_with(['$', '%', '<', '{', '*', '['])
        || value.contains("[REDACTED")
        || value.contains("${")
        || value.bytes().all(|b| matches!(b, b'*' | b'x' | b'X' | b'.' | b'-' | b'_'))
        || [
            "your",
            "example",
            "changeme",
            "placeholder",
            "redacted",
            "process.env",
            "os.environ",
            "os.getenv",
            "env.",
            "secrets.",
            "config.",
            "settings.",
            "self.",
            "this.",
            "none",
            "null",
            "undefined",
            "true",
            "false",
            "string",
            "required",
            "optional",
            "foobar",
        ]
        .iter()
        .any(|p| lower.starts_with(p))
        || lower.contains("example.com")
}

fn named_secret(caps: &Captures<'_>, password: bool) -> bool {
    let text = |name| caps.name(name).map_or("", |m| m.as_str());
    let (name, quoted, value) = (text("n").to_ascii_lowercase(), !text("q").is_empty(), text("s"));
    if placeholder(value) || is_path(value) {
        return false;
    }
    // `primary_key`, `foreign_key`, `cache_key`, `sort_key`: names of things, not of secrets.
    let harmless = [
        "primary_key",
        "foreign_key",
        "public_key",
        "cache_key",
        "sort_key",
        "partition_key",
        "unique_key",
        "lookup_key",
        "next_token",
        "page_token",
        "public-key",
        "primary-key",
        "foreign-key",
        "cache-key",
        "idempotency_key",
        "idempotency-key",
        "object_key",
        "group_key",
        "dict_key",
        "map_key",
        "hot_key",
        "row_key",
        "query_key",
    ];
    if harmless.iter().any(|h| name.ends_with(h)) {
        return false;
    }
    if password {
        // In prose ("password: must have 8 characters") the value is a word; in code a type.
        let assigned = quoted
            || mixed(value)
            || name.bytes().any(|b| b == b'_')
            || value.contains(['!', '@', '#', '%', '&', '*', '+']);
        return assigned && !value.chars().all(|c| c.is_ascii_digit() && value.len() < 4);
    }
    if value.bytes().all(|b| b.is_ascii_digit() || b == b'.' || b == b',') {
        return false;
    }
    mixed(value) || entropy(value) >= 3.5 && value.len() >= 16 && !value.contains(['.', '/', ':'])
}

/// Whether a value is a path or an address rather than a token: several readable segments.
fn is_path(value: &str) -> bool {
    value.starts_with(['/', '~'])
        || value.starts_with("./")
        || value.starts_with("../")
        || value.contains("://")
}

/// Shannon entropy in bits per byte.
fn entropy(value: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in value.bytes() {
        if let Some(n) = counts.get_mut(usize::from(byte)) {
            *n += 1;
        }
    }
    let total = f64::from(u32::try_from(value.len()).unwrap_or(u32::MAX).max(1));
    counts
        .iter()
        .filter(|n| **n > 0)
        .map(|n| {
            let p = f64::from(*n) / total;
            -p * p.log2()
        })
        .sum()
}

/// Replaces every secret by `[REDACTED:kind]`.
#[must_use]
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut rules = candidates(text);
    if rules == 0 {
        return Cow::Borrowed(text);
    }
    let mut out = Cow::Borrowed(text);
    for (at, rule) in RULES.iter().enumerate() {
        if rules >> at & 1 == 1
            && let Some(replaced) = apply(rule, &out)
        {
            rules |= candidates(&replaced);
            out = Cow::Owned(replaced);
        }
    }
    out
}

fn apply(rule: &Rule, text: &str) -> Option<String> {
    let mut out = String::new();
    let mut from = 0;
    for caps in rule.pattern.captures_iter(text) {
        let Some(secret) = caps.name("s").or_else(|| caps.get(0)) else { continue };
        if !(rule.is_secret)(&caps) {
            continue;
        }
        out.push_str(text.get(from..secret.start()).unwrap_or_default());
        out.push_str("[REDACTED:");
        out.push_str(rule.kind);
        out.push(']');
        from = secret.end();
    }
    (from > 0).then(|| {
        out.push_str(text.get(from..).unwrap_or_default());
        out
    })
}

fn clean(text: &mut String) {
    if let Cow::Owned(replaced) = redact(text) {
        *text = replaced;
    }
}

fn clean_some(text: &mut Option<String>) {
    text.iter_mut().for_each(clean);
}

/// Redacts every text of a summary in place, verbatim sections included.
pub fn redact_summary(summary: &mut Summary) {
    clean(&mut summary.session_intent);
    summary.intent_history.iter_mut().for_each(|i| clean(&mut i.text));
    for file in &mut summary.files_modified {
        clean(&mut file.path);
        clean_some(&mut file.renamed_from);
        file.changes.iter_mut().for_each(clean);
    }
    for file in &mut summary.files_read {
        clean(&mut file.path);
        clean_some(&mut file.reason);
    }
    summary.decisions_made.iter_mut().for_each(clean_decision);
    clean_some(&mut summary.current_state.phase);
    clean_some(&mut summary.current_state.task);
    clean(&mut summary.current_state.text);
    for error in &mut summary.errors {
        clean(&mut error.message);
        clean_some(&mut error.resolution);
        clean_some(&mut error.location);
    }
    for run in &mut summary.test_results {
        clean(&mut run.command);
        run.failing.iter_mut().for_each(clean);
    }
    summary.blockers.iter_mut().for_each(|b| clean(&mut b.text));
    summary.next_steps.iter_mut().for_each(clean);
    for fact in &mut summary.technical_context {
        clean_value(&fact.key, &mut fact.value);
    }
    summary.constraints.iter_mut().for_each(|c| clean(&mut c.text));
}

/// The caller's constraints without their secrets.
#[must_use]
pub fn redacted_constraints(constraints: &[Constraint]) -> Vec<Constraint> {
    let mut redacted = constraints.to_vec();
    for constraint in &mut redacted {
        clean(&mut constraint.text);
    }
    redacted
}

/// Redacts every text of a proposal in place.
pub fn redact_proposal(proposal: &mut Proposal) {
    proposal.intent.iter_mut().for_each(|i| clean(&mut i.text));
    proposal.decisions.iter_mut().for_each(clean_decision);
    clean_some(&mut proposal.current_state.phase);
    clean_some(&mut proposal.current_state.task);
    clean(&mut proposal.current_state.text);
    proposal.blockers.iter_mut().for_each(|b| clean(&mut b.text));
    proposal.next_steps.iter_mut().for_each(clean);
    for note in &mut proposal.notes {
        clean_value(&note.key, &mut note.value);
    }
    proposal.warnings.iter_mut().for_each(clean);
}

fn clean_decision(decision: &mut Decision) {
    clean(&mut decision.decision);
    clean(&mut decision.rationale);
    decision.alternatives.iter_mut().for_each(clean);
    clean_some(&mut decision.superseded_by);
}

/// Redacts every text of a span's facts in place, what is carried to the next span included.
pub fn redact_facts(facts: &mut Facts) {
    for file in &mut facts.files {
        clean(&mut file.path);
        clean_some(&mut file.renamed_from);
        file.changes.iter_mut().for_each(clean);
        clean_some(&mut file.reason);
    }
    facts.commands.iter_mut().for_each(|c| clean(&mut c.command));
    for run in &mut facts.test_runs {
        clean(&mut run.command);
        run.failing.iter_mut().for_each(clean);
    }
    for error in &mut facts.errors {
        clean(&mut error.message);
        clean_some(&mut error.location);
        clean_some(&mut error.command);
        clean_some(&mut error.resolution);
    }
    for fact in &mut facts.identifiers {
        clean_value(&fact.key, &mut fact.value);
    }
    facts.constraints.iter_mut().for_each(|c| clean(&mut c.text));
    if let Some(todos) = &mut facts.todos {
        todos.items.iter_mut().for_each(|t| clean(&mut t.content));
    }
    let carry = &mut facts.carry;
    carry.todos.iter_mut().for_each(|(_, t)| clean(&mut t.content));
    for (message, command) in &mut carry.open_errors {
        clean(message);
        clean(command);
    }
    carry.failing_commands.iter_mut().for_each(clean);
}

/// A value apart from its key is judged together with it.
fn clean_value(key: &str, value: &mut String) {
    // No literal holds the sign between them, so what neither has they do not have together.
    if candidates(key) | candidates(value) == 0 {
        return;
    }
    clean(value);
    let together = format!("{key}={value}");
    if let Cow::Owned(replaced) = redact(&together)
        && let Some(rest) = replaced.strip_prefix(key).and_then(|r| r.strip_prefix('='))
    {
        rest.clone_into(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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

    #[test]
    fn a_summary_is_redacted_everywhere() {
        let mut summary =
            Summary { session_intent: "use password='abcd1234'".to_owned(), ..Summary::default() };
        summary.next_steps.push(fake("call with ghp_", 36));
        redact_summary(&mut summary);
        let text = serde_json::to_string(&summary).unwrap();
        assert!(!text.contains("abcd1234") && !text.contains("ghp_"), "{text}");
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
}
