//! What secrets look like: one rule for each kind, and a look that tells in one pass which rules may match.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use regex::Captures;

use super::super::ledger::pattern::Grouped;
use super::doubt::{follows_a_flag, mixed, named_secret, placeholder};

/// What a rule replaces: the whole match, or the group named `s`.
pub(super) struct Rule {
    pub(super) kind: &'static str,
    pub(super) pattern: Grouped,
    /// Tells a secret from what only looks like one.
    pub(super) is_secret: fn(&Captures<'_>) -> bool,
}

fn always(_: &Captures<'_>) -> bool {
    true
}

/// Literals without one of which a rule cannot match, in lower case; by the rule's kind.
pub(super) const LITERALS: &[(&str, &[&str])] = &[
    ("private-key", &["-----begin"]),
    ("aws-key", &["akia", "asia"]),
    ("github-token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"]),
    ("anthropic-key", &["sk-ant-"]),
    ("api-key", &["sk-"]),
    ("stripe-key", &["k_live_", "k_test_", "whsec_"]),
    ("slack-token", &["xox", "xapp-"]),
    ("google-key", &["aiza", "ya29."]),
    ("gitlab-token", &["glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glsoat-", "glagent-"]),
    ("npm-token", &["npm_"]),
    ("pypi-token", &["pypi-"]),
    (
        "service-token",
        &[
            "hf_",
            "sg.",
            "dop_v1_",
            "doo_v1_",
            "shpat_",
            "shpss_",
            "shpca_",
            "sq0",
            "dckr_pat_",
            "gsk_",
            "gocspx-",
            "rubygems_",
            "r8_",
            "key-",
            "dapi",
            "hvs.",
            "hvb.",
            "glsa_",
            "lin_api_",
            "ntn_",
            "atatt3",
            ".atlasv1.",
            "nrak-",
            "sntrys_",
            "sbp_",
            "dp.pt.",
            "pmak-",
            "xkeysib-",
            "pscale_tkn_",
            "age-secret-key-",
        ],
    ),
    ("webhook", &["hooks.slack.com/services/", "/api/webhooks/", "api.telegram.org/bot"]),
    ("bot-token", &[":aa", ".login(", "discord"]),
    ("jwt", &["eyj"]),
    ("url-password", &["://"]),
    ("authorization", &["authorization"]),
    ("bearer", &["bearer"]),
    ("secret", &["key", "token", "secret", "credential", "passphrase"]),
    ("password", &["passw", "pwd", "dbpass"]),
    ("flag", &["--"]),
    ("login", &["curl", "wget", "mysql", "login "]),
    ("signature", &["?sig", "&sig"]),
    ("password-word", &["密码", "口令", "パスワード", "пароль", "contraseña", "mot de passe", "kennwort"]),
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
pub(super) fn candidates(text: &str) -> u32 {
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

/// A pattern that also begins behind a line break as JSON writes it: the `n` of `\n` is no letter of what
/// follows, and calls' arguments are read as they were sent.
fn begun(text: &str) -> String {
    const START: &str = r"(?:\b|\\[nrt])";
    let (flags, body) = text.strip_prefix("(?i)").map_or(("", text), |body| ("(?i)", body));
    let Some(body) = body.strip_prefix(r"\b") else { return text.to_owned() };
    if body.contains("(?P<") {
        return format!("{flags}{START}{}", body.replace(r"|\b", &format!("|{START}")));
    }
    format!("{flags}{START}(?P<s>{})", body.replace(r"|\b", "|"))
}

pub(super) static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    // Beside letters of other scripts a key is a key too, and what stands behind it is no less secret
    // for being long: counted repetitions would only make the automata large.
    let rule =
        |kind, text: &str, is_secret| Rule { kind, pattern: Grouped::ascii_bounded(&begun(text)), is_secret };
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
        rule("gitlab-token", r"\bgl(?:pat|dt|rt|cbt|ptt|ft|soat|agent)-[0-9A-Za-z_\-]{20,}", always),
        rule("npm-token", r"\bnpm_[A-Za-z0-9]{36}\b", always),
        rule("pypi-token", r"\bpypi-[A-Za-z0-9_\-]{50,}", always),
        rule(
            "service-token",
            concat!(
                r"\b(?:hf_[A-Za-z0-9]{30,}|SG\.[A-Za-z0-9_\-]{16,}\.[A-Za-z0-9_\-]{16,}|do[op]_v1_[a-f0-9]{64}",
                r"|shp(?:at|ss|ca)_[a-fA-F0-9]{32}|sq0[a-z]{3}-[A-Za-z0-9_\-]{22,}|dckr_pat_[A-Za-z0-9_\-]{20,}",
                r"|gsk_[A-Za-z0-9]{40,}|GOCSPX-[A-Za-z0-9_\-]{24,}|rubygems_[a-f0-9]{48}|r8_[A-Za-z0-9]{36,}",
                r"|key-[a-f0-9]{32}\b|dapi[a-f0-9]{32}|hv[sb]\.[A-Za-z0-9_\-]{24,}",
                r"|glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}|lin_api_[A-Za-z0-9]{32,}|ntn_[A-Za-z0-9]{40,}",
                r"|ATATT3[A-Za-z0-9_\-=]{40,}|[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_\-]{40,}|NRAK-[A-Z0-9]{27}",
                r"|sntrys_[A-Za-z0-9_\-=+/]{40,}|sbp_[a-f0-9]{40}|dp\.pt\.[A-Za-z0-9]{40,}",
                r"|PMAK-[a-f0-9]{24}-[a-f0-9]{34}|xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}",
                r"|pscale_tkn_[A-Za-z0-9_\-]{32,}|AGE-SECRET-KEY-1[A-Z0-9]{58})",
            ),
            always,
        ),
        rule(
            "webhook",
            r"(?:hooks\.slack\.com/services/|/api/webhooks/|api\.telegram\.org/bot)(?P<s>[A-Za-z0-9_:\-]{6,}(?:/[A-Za-z0-9_\-]{8,}){0,2})",
            |c| mixed(c.name("s").map_or("", |m| m.as_str())),
        ),
        rule(
            "bot-token",
            r"\b\d{8,10}:AA[A-Za-z0-9_\-]{33}|\b[MNO][A-Za-z0-9_\-]{23,27}\.[A-Za-z0-9_\-]{6}\.[A-Za-z0-9_\-]{27,}",
            always,
        ),
        rule("jwt", r"\beyJ[A-Za-z0-9_\-]{8,}\.eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}", always),
        rule(
            "url-password",
            r"\b[a-zA-Z][a-zA-Z0-9+.\-]{1,20}://[^\s:/@?#\x22'`<>\[]*:(?P<s>[^\s/@?#\x22'`<>]+)@",
            |c| !placeholder(c.name("s").map_or("", |m| m.as_str())),
        ),
        rule(
            "authorization",
            r#"(?i)\bauthorization\\{0,2}["']?\s*[:=]\s*\\{0,2}["']?(?:bearer|basic|token|apikey|digest)\s+(?P<s>[A-Za-z0-9._~+/=\-]{6,})"#,
            |c| !placeholder(c.name("s").map_or("", |m| m.as_str())),
        ),
        rule("bearer", r"(?i)\bbearer\s+(?P<s>[A-Za-z0-9._~+/=\-]{20,})", |c| {
            mixed(c.name("s").map_or("", |m| m.as_str()))
        }),
        rule(
            "secret",
            r#"(?i)(?P<n>[A-Za-z0-9_.\-]*(?:api[_\-]?key|access[_\-]?key(?:[_\-]?id)?|secret[_\-]?key|private[_\-]?key|signing[_\-]?key|encryption[_\-]?key|master[_\-]?key|account[_\-]?key|auth[_\-]?key|client[_\-]?key|service[_\-]?key|[_\-]key|token|secret|credentials?|passphrase))\\{0,2}["']?\s{0,3}(?::|=|=>|:=)\s{0,3}(?P<q>\\{0,2}["'`]?)(?P<s>[^\s"'`,;<>(){}\[\]\\]{8,})"#,
            |c| named_secret(c, false),
        ),
        rule(
            "password",
            r#"(?i)(?P<n>[A-Za-z0-9_.\-]*(?:password|passwd|passwort|_pwd|\bpwd|dbpass))\\{0,2}["']?\s{0,3}(?::|=|=>|:=)\s{0,3}(?P<q>\\{0,2}["'`]?)(?P<s>[^\s"'`,;<>(){}\[\]\\]{4,})"#,
            |c| named_secret(c, true),
        ),
        rule(
            "flag",
            r#"--(?P<n>[A-Za-z0-9\-]*(?:password|passwd|pass|token|secret|api-key|access-key|private-key))\s+["']?(?P<s>[^\s"'`,;<>(){}\[\]\-][^\s"'`,;<>(){}\[\]]{5,})"#,
            |c| follows_a_flag(c.name("s").map_or("", |m| m.as_str())),
        ),
        rule(
            "login",
            concat!(
                r#"\b(?:curl|wget)\b[^\n]*?\s(?:-u|--user)[ =]?["']?[^\s:"']+:(?P<s>[^\s"'@]{3,})"#,
                r#"|\bmysql(?:dump|admin|import)?\b[^\n]*?\s-p["']?(?P<t>[^\s"']{4,})"#,
                r#"|\blogin\s+\S+\s+password\s+(?P<u>\S{4,})"#,
            ),
            |c| {
                let value = ["s", "t", "u"].iter().find_map(|name| c.name(name)).map_or("", |m| m.as_str());
                follows_a_flag(value)
            },
        ),
        rule("signature", r"[?&]sig=(?P<s>[A-Za-z0-9%+/=]{24,})", always),
        Rule {
            kind: "password-word",
            // Words of other scripts: what is around them is no ASCII.
            pattern: Grouped::new(
                r#"(?i)(?:密码|口令|パスワード|пароль|contraseña|mot de passe|kennwort)\s{0,3}(?:[:：=]|是|为|は|\bis\b|es\b)\s{0,3}["'`「“]?(?P<s>[!#-&*-\[\]-~]{6,})"#.to_owned(),
            ),
            is_secret: |c| follows_a_flag(c.name("s").map_or("", |m| m.as_str())),
        },
    ]
});
