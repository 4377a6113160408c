//! Rules for what people and models say.

use super::super::look::{
    AT, DIGIT, HYPHEN, HYPHEN_DIGIT, NUMBER_SIGN, Needs, OPENING, POINT, QUOTE, SLASHES, UNDERSCORE, UPPER,
    V_DIGIT,
};
use super::values::{commit, group, hit, named_id, url, version};
use super::{Rule, needs};

pub(super) const SPEECH: &[Rule] = &[
    (r#"https?://[^\s<>"'`\\\])}]+"#, url),
    (
        r"(?i)\b(user|order|reservation|booking|ticket|case|account|customer|confirmation|invoice|tracking|payment|transaction|item|product|passport|member(?:ship)?|loyalty|policy|claim|phone|telephone|mobile|reference|request|incident|build|run|job|session|client|tenant|project|employee|patient|contract|shipment|return|gift card|credit card)\s?(id|no\.?|number|code|#|reference)?s?\s*(?:(?:is|are|was|:|=|#|:?\s*\*\*|`|“)\s*)*[`'\x22#*(]*([A-Za-z0-9_\-]*\d[A-Za-z0-9_\-]*)",
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
        r"(?:[$€£¥₽₹]|US\$|\b(?:USD|EUR|GBP|CHF|CNY|RMB|JPY|RUB)\s)\s?\d[\d,.]*(?:\s?(?:million|billion|[kKmM]\b))?|\b\d[\d,.]*\s?(?:USD|EUR|GBP|CHF|CNY|RMB|JPY|RUB|(?i:dollars?|euros?|francs?|franken|pesos?|pounds|yuan|roubles|rubles)|€|£|元|美元|块钱|円|руб(?:лей|ля|\.)?)",
        |c| hit("amount", &group(c, 0), 3),
    ),
    (r"\b(\d{4}-\d{2}-\d{2})\b", |c| hit("date", &group(c, 1), 1)),
    (
        r"\b((?:January|February|March|April|May|June|July|August|September|October|November|December)\s+\d{1,2}(?:st|nd|rd|th)?(?:,?\s+\d{4})?|\d{1,2}(?:st|nd|rd|th)?\s+(?:January|February|March|April|May|June|July|August|September|October|November|December)(?:\s+\d{4})?)\b",
        |c| hit("date", &group(c, 1), 1),
    ),
    // The other languages' months, with the ordinal's stop and the joint that they put between.
    (
        r"\b(\d{1,2}(?:\.|er|º)?\s(?:de\s)?(?i:janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre|januar|jänner|februar|märz|april|juni|juli|august|september|oktober|november|dezember|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|января|февраля|марта|апреля|мая|июня|июля|августа|сентября|октября|ноября|декабря)(?:\s(?:de\s)?\d{4})?)(?:[^\pL]|$)",
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
pub(super) const REQUESTS: &[&str] = &[
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
pub(super) const SPEECH_NEEDS: &[Needs] = &[
    needs(SLASHES, &["://"]),
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
            "phone",
            "mobile",
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
    needs(QUOTE, &["branch"]),
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
            "franc", "franken", "peso", "pounds", "yuan", "roubles", "元", "块钱", "円", "руб",
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
    needs(
        DIGIT,
        &[
            "janvier",
            "février",
            "mars",
            "avril",
            "mai",
            "juin",
            "juillet",
            "août",
            "septembre",
            "octobre",
            "novembre",
            "décembre",
            "januar",
            "jänner",
            "februar",
            "märz",
            "april",
            "juni",
            "juli",
            "august",
            "september",
            "oktober",
            "november",
            "dezember",
            "enero",
            "febrero",
            "marzo",
            "abril",
            "mayo",
            "junio",
            "julio",
            "agosto",
            "septiembre",
            "octubre",
            "noviembre",
            "diciembre",
            "января",
            "февраля",
            "марта",
            "апреля",
            "мая",
            "июня",
            "июля",
            "августа",
            "сентября",
            "октября",
            "ноября",
            "декабря",
        ],
    ),
    needs(DIGIT, &["月"]),
    needs(DIGIT | POINT, &[]),
    needs(DIGIT | POINT | V_DIGIT, &[]),
    needs(UNDERSCORE | OPENING | UPPER, &[]),
];
