//! Identifiers in speech, commands and plain output.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::super::{pattern, pipeline};
use super::Hit;
use super::look::{
    AT, DIGIT, HYPHEN, HYPHEN_DIGIT, NUMBER_SIGN, Needs, OPENING, POINT, UNDERSCORE, UPPER, V_DIGIT, Words,
};

/// The longest line that is read, in bytes: what is longer is data.
const MAX_LINE: usize = 1_000;
/// The most hits taken from one text.
const MAX_HITS: usize = 120;

type Rule = (&'static str, fn(&Captures<'_>) -> Option<Hit>);

const fn needs(marks: u16, words: &'static [&'static str]) -> Needs {
    Needs { marks, words }
}

fn group(caps: &Captures<'_>, at: usize) -> String {
    caps.get(at).map_or(String::new(), |m| m.as_str().to_owned())
}

fn hit(key: &str, value: &str, weight: u32) -> Option<Hit> {
    let value = value
        .trim_end_matches(['.', ',', ';', ':', ')', ']', '\'', '"', '>', '!', '?', '`', '*', '。', '，']);
    (!value.is_empty()).then(|| Hit { key: key.to_owned(), value: value.to_owned(), weight })
}

fn url(caps: &Captures<'_>) -> Option<Hit> {
    let url = group(caps, 0);
    let mut url = url
        .trim_end_matches(['.', ',', ';', ':', ')', ']', '\'', '"', '>', '!', '?', '`', '*', '}', '|'])
        .to_owned();
    // Credentials and signatures are not for a record that outlives the session.
    if let Some((scheme, rest)) = url.split_once("://") {
        let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
        if let Some((_, host)) = authority.rsplit_once('@') {
            url = format!("{scheme}://{host}{}", rest.get(authority.len()..).unwrap_or_default());
        }
    }
    let lower = url.to_ascii_lowercase();
    if ["token=", "signature=", "sig=", "key=", "password=", "secret="].iter().any(|s| lower.contains(s)) {
        url.truncate(url.find('?').unwrap_or(url.len()));
    }
    (url.len() < 300 && url.len() > 10 && !url.contains("://...") && !url.contains("${")).then(|| Hit {
        key: "url".to_owned(),
        value: url,
        weight: 2,
    })
}

/// The word in front of an id names it: `order id: 123` is an `order_id`.
fn named_id(caps: &Captures<'_>) -> Option<Hit> {
    let value = group(caps, 3);
    if !value.bytes().any(|b| b.is_ascii_digit()) || value.len() > 64 {
        return None;
    }
    let noun = group(caps, 1).to_lowercase().replace(' ', "_");
    let sort = if group(caps, 2).to_lowercase().starts_with("num") { "number" } else { "id" };
    hit(&format!("{noun}_{sort}"), &value, 4)
}

fn version(caps: &Captures<'_>) -> Option<Hit> {
    let name = group(caps, 1).to_lowercase();
    if matches!(
        name.as_str(),
        "in" | "to"
            | "from"
            | "and"
            | "or"
            | "of"
            | "at"
            | "is"
            | "the"
            | "about"
            | "took"
            | "than"
            | "by"
            | "for"
            | "with"
            | "step"
            | "section"
            | "line"
            | "lines"
            | "part"
            | "table"
            | "figure"
            | "chapter"
            | "http"
            | "elapsed"
            | "time"
            | "total"
            | "over"
            | "under"
            | "around"
            | "was"
            | "on"
            | "be"
            | "as"
            | "file"
            | "issue"
            | "task"
            | "phase"
            | "score"
            | "v"
            | "ver"
            | "coverage"
            | "duration"
            | "ipv"
            | "only"
            | "now"
    ) {
        return None;
    }
    let name = if matches!(name.as_str(), "version" | "release" | "tag" | "bump") {
        "version".to_owned()
    } else {
        format!("{name}_version")
    };
    hit(&name, &group(caps, 2), 2)
}

fn commit(caps: &Captures<'_>) -> Option<Hit> {
    let sha = group(caps, 1);
    (sha.bytes().any(|b| b.is_ascii_digit()) && sha.bytes().any(|b| b.is_ascii_alphabetic()))
        .then(|| hit("commit", &sha, 4))
        .flatten()
}

const SPEECH: &[Rule] = &[
    (r#"https?://[^\s<>"'`\\\])}]+"#, url),
    (
        r"(?i)\b(user|order|reservation|booking|ticket|case|account|customer|confirmation|invoice|tracking|payment|transaction|item|product|passport|member(?:ship)?|loyalty|policy|claim|reference|request|incident|build|run|job|session|client|tenant|project|employee|patient|contract|shipment|return|gift card|credit card)\s?(id|no\.?|number|code|#|reference)?s?\s*(?:(?:is|are|was|:|=|#|:?\s*\*\*|`|“)\s*)*[`'\x22#*(]*([A-Za-z0-9_\-]*\d[A-Za-z0-9_\-]*)",
        named_id,
    ),
    (r"(?i)\bflight\s+(number\s+)?(?:is\s+|:\s*)?()([A-Z]{2,4}\s?\d{1,4})\b", |c| {
        hit("flight_number", &group(c, 3), 4)
    }),
    (r"(?i)\bport\s*(?:is|=|:)?\s*(\d{2,5})\b", |c| hit("port", &group(c, 1), 3)),
    (r"\b(localhost|127\.0\.0\.1|0\.0\.0\.0):(\d{2,5})\b", |c| hit("port", &group(c, 2), 3)),
    (r"\b((?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3})(?::\d{1,5}|/\d{1,2})?\b", |c| {
        let ip = group(c, 0);
        (!ip.starts_with("127.0.0.1") && !ip.starts_with("0.0.0.0") && !ip.starts_with("0."))
            .then(|| hit("ip", &ip, 3))
            .flatten()
    }),
    (r"(?i)\bcommit(?:ted as|ted)?\s+[`'(]?([0-9a-f]{7,40})\b", commit),
    (r"[`(\[]([0-9a-f]{7,12}|[0-9a-f]{40})[`)\]]", commit),
    (
        r"(?i)\bbranch(?:\s+(?:is|named|called|name))?\s*:?\s+[`'\x22]([A-Za-z0-9][\w./\-]{1,100})[`'\x22]",
        |c| hit("branch", &group(c, 1), 3),
    ),
    (r"(?i)\b(?:PR|pull request|MR|merge request)\s*#?!?(\d{1,7})\b", |c| {
        hit("pull_request", &format!("#{}", group(c, 1)), 4)
    }),
    (r"(?i)\bissue\s*#?(\d{1,7})\b", |c| hit("issue", &format!("#{}", group(c, 1)), 4)),
    (r"(?:^|[\s(\[])#(\d{1,7})\b", |c| hit("issue", &format!("#{}", group(c, 1)), 2)),
    (r"\b([A-Z][A-Z0-9]{1,9}-\d{1,6})\b", |c| {
        let key = group(c, 1);
        let family = key.split('-').next().unwrap_or("");
        (!matches!(
            family,
            "UTF"
                | "SHA"
                | "ISO"
                | "RFC"
                | "TLS"
                | "AES"
                | "MD"
                | "UTC"
                | "GMT"
                | "HTTP"
                | "CVE"
                | "GPT"
                | "X"
                | "T"
                | "IPV"
                | "PEP"
                | "ES"
                | "COVID"
                | "F"
                | "A"
                | "B"
                | "CP"
                | "WINDOWS"
                | "LATIN"
                | "SSE"
                | "ARM"
                | "RS"
                | "HS"
                | "BASE"
                | "KB"
                | "MB"
        ))
        .then(|| hit("ticket", &key, 4))
        .flatten()
    }),
    (r"\b(CVE-\d{4}-\d{4,7})\b", |c| hit("cve", &group(c, 1), 4)),
    (r"\b([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})\b", |c| {
        hit("uuid", &group(c, 1), 2)
    }),
    // What stands before the sign in an address of a server is a user and a password, and no mail.
    (r"(://[^\s/@]*)?\b([\w.+\-]{1,64}@[\w\-]+(?:\.[\w\-]+)*\.[a-zA-Z]{2,})\b", |c| {
        let mail = group(c, 2);
        let is_mail = c.get(1).is_none() && !mail.starts_with("git@") && !mail.contains("noreply");
        is_mail.then(|| hit("email", &mail, 3)).flatten()
    }),
    (
        r"(?:[$€£¥₽₹]|US\$|\b(?:USD|EUR|GBP|CHF|CNY|RMB|JPY|RUB)\s)\s?\d[\d,.]*(?:\s?(?:million|billion|[kKmM]\b))?|\b\d[\d,.]*\s?(?:USD|EUR|GBP|CHF|CNY|RMB|JPY|RUB|dollars?|euros?|pounds|yuan|roubles|rubles|€|£|元|美元|块钱|円|руб(?:лей|ля|\.)?)",
        |c| hit("amount", &group(c, 0), 3),
    ),
    (r"\b(\d{4}-\d{2}-\d{2})\b", |c| hit("date", &group(c, 1), 1)),
    (
        r"\b((?:January|February|March|April|May|June|July|August|September|October|November|December)\s+\d{1,2}(?:st|nd|rd|th)?(?:,?\s+\d{4})?|\d{1,2}(?:st|nd|rd|th)?\s+(?:January|February|March|April|May|June|July|August|September|October|November|December)(?:\s+\d{4})?)\b",
        |c| hit("date", &group(c, 1), 1),
    ),
    (r"\d{4}年\d{1,2}月\d{1,2}[日号]|\d{1,2}月\d{1,2}[日号]", |c| hit("date", &group(c, 0), 2)),
    (
        r"(?i)\b([a-z][a-z0-9+.#\-]{1,30}?)(?:\s+version|\s+v|\s+|@|==|/v?)(\d+\.\d+(?:\.\d+){0,2}(?:-?(?:alpha|beta|rc|dev|preview|canary|lts)[.\-]?\d*)?)\b",
        version,
    ),
    (r"\b(v\d+\.\d+(?:\.\d+)?(?:-[\w.]+)?)\b", |c| hit("version", &group(c, 1), 2)),
    (r"`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)`|\$\{?([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b", |c| {
        let name = c.get(1).or_else(|| c.get(2))?;
        hit("env_or_constant", name.as_str(), 1)
    }),
];

/// How a request's number may follow its short name; the two letters alone stand in too many words.
const REQUESTS: &[&str] = &[
    "pull request",
    "merge request",
    "pr ",
    "pr#",
    "pr!",
    "pr\t",
    "pr\r",
    "pr\u{a0}",
    "pr0",
    "pr1",
    "pr2",
    "pr3",
    "pr4",
    "pr5",
    "pr6",
    "pr7",
    "pr8",
    "pr9",
    "mr ",
    "mr#",
    "mr!",
    "mr\t",
    "mr\r",
    "mr\u{a0}",
    "mr0",
    "mr1",
    "mr2",
    "mr3",
    "mr4",
    "mr5",
    "mr6",
    "mr7",
    "mr8",
    "mr9",
];

/// What a line must have for the rule at the same place to match.
const SPEECH_NEEDS: &[Needs] = &[
    needs(0, &["://"]),
    needs(
        DIGIT,
        &[
            "user",
            "order",
            "reservation",
            "booking",
            "ticket",
            "case",
            "account",
            "customer",
            "confirmation",
            "invoice",
            "tracking",
            "payment",
            "transaction",
            "item",
            "product",
            "passport",
            "member",
            "loyalty",
            "policy",
            "claim",
            "reference",
            "request",
            "incident",
            "build",
            "run",
            "job",
            "session",
            "client",
            "tenant",
            "project",
            "employee",
            "patient",
            "contract",
            "shipment",
            "return",
            "card",
        ],
    ),
    needs(DIGIT, &["flight"]),
    needs(DIGIT, &["port"]),
    needs(DIGIT, &["localhost:", "127.0.0.1:", "0.0.0.0:"]),
    needs(DIGIT | POINT, &[]),
    needs(DIGIT, &["commit"]),
    needs(DIGIT | OPENING, &[]),
    needs(0, &["branch"]),
    needs(DIGIT, REQUESTS),
    needs(DIGIT, &["issue"]),
    needs(DIGIT | NUMBER_SIGN, &[]),
    needs(DIGIT | HYPHEN_DIGIT | UPPER, &[]),
    needs(DIGIT, &["cve-"]),
    needs(DIGIT | HYPHEN, &[]),
    needs(AT, &[]),
    needs(
        DIGIT,
        &[
            "$", "€", "£", "¥", "₽", "₹", "usd", "eur", "gbp", "chf", "cny", "rmb", "jpy", "rub", "dollar",
            "pounds", "yuan", "roubles", "元", "块钱", "円", "руб",
        ],
    ),
    needs(DIGIT | HYPHEN_DIGIT, &[]),
    needs(
        DIGIT,
        &[
            "january",
            "february",
            "march",
            "april",
            "may",
            "june",
            "july",
            "august",
            "september",
            "october",
            "november",
            "december",
        ],
    ),
    needs(DIGIT, &["月"]),
    needs(DIGIT | POINT, &[]),
    needs(DIGIT | POINT | V_DIGIT, &[]),
    needs(UNDERSCORE | OPENING | UPPER, &[]),
];

const OUTPUT: &[Rule] = &[
    // `[main 45ffe0a] Subject` is git's own word for a new commit.
    (r"^\[([^\s\]]+)(?: \([\w\- ]+\))? ([0-9a-f]{7,40})\] (.+)$", |c| {
        hit("commit", &format!("{} {}", group(c, 2), group(c, 3)), 8)
    }),
    (r"^\s+[0-9a-f]{7,40}\.\.\.?[0-9a-f]{7,40}\s+\S+ -> (\S+)$", |c| hit("pushed_branch", &group(c, 1), 4)),
    (r"^(?:On branch|Switched to (?:a new )?branch|branch) '?([\w./\-]+)'?", |c| {
        hit("branch", &group(c, 1), 4)
    }),
    (r"^\* \[new branch\]\s+(\S+) ->", |c| hit("branch", &group(c, 1), 4)),
    (
        r"^(?:remote:\s+)?(https://(?:github|gitlab|bitbucket)\S*/(?:pull|merge_requests|issues|pull-requests)/\d+)\S*$",
        |c| hit("url", &group(c, 1), 5),
    ),
    (
        r"(?i)(?:listening|running|server|serving|started|available|local:).{0,60}?\b(https?://[\w.\-]+:\d{2,5}\S*)",
        |c| hit("url", &group(c, 1), 4),
    ),
    (r"(?i)\blistening\b.{0,40}?\bport:? (\d{2,5})\b", |c| hit("port", &group(c, 1), 4)),
    (
        r"^(Python|Node\.?js|node|npm|go|rustc|cargo|ruby|java|openjdk|docker|psql|gcc|clang|php|PHP|dotnet|swift|kotlin|git)(?: version)?:? (?:\(\w+\) )?\x22?v?(?:go)?(\d+\.\d+(?:\.\d+)*)",
        version,
    ),
    (r"^v(\d+\.\d+\.\d+)$", |c| hit("version", &group(c, 1), 2)),
    (
        r"^(?:Successfully installed|Installed|Installing|Added|\+) ([\w.\-@/]{2,60})[-@= ]v?(\d+\.\d+(?:\.\d+)?)",
        version,
    ),
    (r"^(?:Created|created|Deployed|Published)[\w ]{0,30}?:? ([\w\-]*\d[\w\-]{3,60})$", |c| {
        hit("created_id", &group(c, 1), 3)
    }),
];

/// What a line must have for the rule at the same place to match.
const OUTPUT_NEEDS: &[Needs] = &[
    needs(0, &["["]),
    needs(0, &[".."]),
    needs(0, &["branch"]),
    needs(0, &["[new branch]"]),
    needs(DIGIT, &["https://"]),
    needs(DIGIT, &["://"]),
    needs(DIGIT, &["listening"]),
    needs(DIGIT | POINT, &[]),
    needs(DIGIT | POINT | V_DIGIT, &[]),
    needs(DIGIT | POINT, &["install", "added", "+"]),
    needs(DIGIT, &["created", "deployed", "published"]),
];

struct Rules {
    words: Words,
    each: Vec<Regex>,
    makers: &'static [Rule],
}

fn compile(rules: &'static [Rule], needs: &'static [Needs]) -> Rules {
    Rules {
        words: Words::new(needs.iter().copied()),
        each: rules.iter().map(|(p, _)| pattern::ascii(p)).collect(),
        makers: rules,
    }
}

static SPEECH_RULES: LazyLock<Rules> = LazyLock::new(|| compile(SPEECH, SPEECH_NEEDS));
static OUTPUT_RULES: LazyLock<Rules> = LazyLock::new(|| compile(OUTPUT, OUTPUT_NEEDS));
static COMMAND_RULES: LazyLock<Rules> = LazyLock::new(|| compile(COMMAND, COMMAND_NEEDS));

fn apply(rules: &Rules, line: &str, hits: &mut Vec<Hit>) {
    let candidates = rules.words.candidates(line);
    if candidates != 0 {
        apply_some(rules, candidates, line, hits);
    }
}

/// Applies the rules whose bits are set.
fn apply_some(rules: &Rules, candidates: u64, line: &str, hits: &mut Vec<Hit>) {
    for (at, (regex, (_, make))) in rules.each.iter().zip(rules.makers).enumerate() {
        if candidates >> at & 1 == 0 {
            continue;
        }
        for caps in regex.captures_iter(line) {
            if hits.len() >= MAX_HITS {
                return;
            }
            hits.extend(make(&caps).filter(|h| !is_noise(&h.value)));
        }
    }
}

/// Whether a value is a run of digits and letters too long to be named by anyone.
fn is_noise(value: &str) -> bool {
    let long_word =
        value.split(['/', '.', '-', '_', ':', '?', '=', '&', ' ']).map(str::len).max().unwrap_or(0);
    long_word > 64 || value.chars().count() > 300
}

/// Identifiers in what a person or the model says; fenced code is read too, data lines are not.
pub(super) fn in_speech(text: &str) -> Vec<Hit> {
    let mut hits = Vec::new();
    for line in text.lines() {
        apply(&SPEECH_RULES, pipeline::clip_bytes(line, 4 * MAX_LINE), &mut hits);
    }
    hits
}

/// Identifiers that programs print about themselves.
pub(super) fn in_output(text: &str) -> Vec<Hit> {
    let mut hits = Vec::new();
    for line in text.lines() {
        if line.len() <= MAX_LINE && line.len() > 3 {
            apply(&OUTPUT_RULES, line.trim_end(), &mut hits);
        }
    }
    hits
}

/// Identifiers in a shell command: addresses, ports, branches, and names of exported variables.
pub(super) fn in_command(command: &str) -> Vec<Hit> {
    let mut hits = Vec::new();
    for line in command.lines() {
        apply(&COMMAND_RULES, pipeline::clip_bytes(line, MAX_LINE), &mut hits);
    }
    hits
}

const COMMAND: &[Rule] = &[
    (r#"https?://[^\s<>"'`\\|)$]+"#, url),
    (
        r"\bgit (?:checkout -[bB]|switch -[cC]|branch|worktree add -b|push(?: -u)?(?: --set-upstream)? \w+) ([\w][\w./\-]*)",
        |c| hit("branch", &group(c, 1), 3),
    ),
    (r"(?:--port[= ]|-p )(\d{2,5})(?::\d{2,5})?\b", |c| hit("port", &group(c, 1), 2)),
    (r"\bexport ([A-Z][A-Z0-9_]{2,60})=", |c| hit("env", &group(c, 1), 2)),
    (r"\bgh (?:pr|issue) (?:view|checkout|edit|merge|diff|comment|close|review) (\d{1,7})\b", |c| {
        hit("pull_request_or_issue", &format!("#{}", group(c, 1)), 3)
    }),
    (r"\bgh run (?:view|watch|rerun) (\d{6,})\b", |c| hit("ci_run_id", &group(c, 1), 3)),
];

/// What a line must have for the rule at the same place to match.
const COMMAND_NEEDS: &[Needs] = &[
    needs(0, &["://"]),
    needs(0, &["git "]),
    needs(DIGIT, &["port", "-p "]),
    needs(UPPER, &["export "]),
    needs(DIGIT, &["gh "]),
    needs(DIGIT, &["gh run "]),
];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Pieces that the rules look for, and what stands around them.
    fn piece() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            " ",
            ":",
            "#",
            "`",
            "'",
            "(",
            ")",
            "[",
            "]",
            ".",
            "-",
            "_",
            "@",
            "/",
            "=",
            ",",
            "order",
            "id",
            "is",
            "number",
            "Flight",
            "HAT12",
            "port",
            "8080",
            "localhost:",
            "127.0.0.1",
            "10.1.2.3",
            "commit",
            "45ffe0a",
            "Committed as",
            "branch",
            "PR",
            "merge request",
            "!",
            "issue",
            "ABC-12",
            "CVE-2024-1234",
            "01234567-89ab-cdef-0123-456789abcdef",
            "a@b.example",
            "$",
            "€",
            "5,000.50",
            "million",
            "USD",
            "euros",
            "元",
            "руб",
            "2026-01-02",
            "March",
            "4th",
            "2026",
            "2026年1月2日",
            "1月2日",
            "Django",
            "v1.2",
            "==4.2.1",
            "version",
            "1.2.3-rc1",
            "A_B",
            "${A_B}",
            "https://a.example/x?y=1",
            "remote:",
            "Python",
            "npm",
            "Installed x",
            "+ x@1.2",
            "Created",
            "x-1234",
            "listening",
            "On",
            "* [new branch]",
            "main",
            "->",
            "git checkout -b",
            "--port",
            "-p",
            "export",
            "ABC_D=",
            "gh pr view",
            "gh run view",
            "1234567",
            "[main 45ffe0a] x",
            "aaaaaaa..bbbbbbb",
            "v",
            "server",
            "é",
            "汉",
        ])
    }

    #[test]
    fn every_rule_has_its_needs() {
        for (rules, needs) in [(SPEECH, SPEECH_NEEDS), (OUTPUT, OUTPUT_NEEDS), (COMMAND, COMMAND_NEEDS)] {
            assert_eq!(rules.len(), needs.len());
        }
    }

    proptest! {
        #[test]
        fn the_look_passes_over_no_rule_that_finds_something(
            pieces in prop::collection::vec(piece(), 0..9),
            glue in prop::sample::select(vec!["", " "]),
        ) {
            let line = pieces.join(glue);
            for rules in [&SPEECH_RULES, &OUTPUT_RULES, &COMMAND_RULES] {
                let (mut looked, mut all) = (Vec::new(), Vec::new());
                apply(rules, &line, &mut looked);
                apply_some(rules, u64::MAX, &line, &mut all);
                prop_assert_eq!(looked, all, "{}", line);
            }
        }
    }
}
