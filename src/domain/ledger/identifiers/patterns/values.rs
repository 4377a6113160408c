//! What a pattern found becomes: a key, a value, and how much it is worth.

use regex::Captures;

use super::super::Hit;

pub(super) fn group(caps: &Captures<'_>, at: usize) -> String {
    caps.get(at).map_or(String::new(), |m| m.as_str().to_owned())
}

pub(super) fn hit(key: &str, value: &str, weight: u32) -> Option<Hit> {
    let value = value
        .trim_end_matches(['.', ',', ';', ':', ')', ']', '\'', '"', '>', '!', '?', '`', '*', '。', '，']);
    (!value.is_empty()).then(|| Hit { key: key.to_owned(), value: value.to_owned(), weight })
}

pub(super) fn url(caps: &Captures<'_>) -> Option<Hit> {
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
pub(super) fn named_id(caps: &Captures<'_>) -> Option<Hit> {
    let value = group(caps, 3);
    if !value.bytes().any(|b| b.is_ascii_digit()) || value.len() > 64 {
        return None;
    }
    let noun = group(caps, 1).to_lowercase().replace(' ', "_");
    let sort = if group(caps, 2).to_lowercase().starts_with("num") { "number" } else { "id" };
    hit(&format!("{noun}_{sort}"), &value, 4)
}

pub(super) fn version(caps: &Captures<'_>) -> Option<Hit> {
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
    // `bei 4.500 Euro`: groups of three behind a bare space are a number with its thousands parted.
    let value = group(caps, 2);
    let mut parts = value.split('.');
    let parted = parts.next().is_some_and(|first| first.len() <= 3) && parts.all(|part| part.len() == 3);
    if parted && group(caps, 0).len() == name.len() + 1 + value.len() && group(caps, 0).contains(' ') {
        return None;
    }
    let name = if matches!(name.as_str(), "version" | "release" | "tag" | "bump") {
        "version".to_owned()
    } else {
        format!("{name}_version")
    };
    hit(&name, &group(caps, 2), 2)
}

pub(super) fn commit(caps: &Captures<'_>) -> Option<Hit> {
    let sha = group(caps, 1);
    (sha.bytes().any(|b| b.is_ascii_digit()) && sha.bytes().any(|b| b.is_ascii_alphabetic()))
        .then(|| hit("commit", &sha, 4))
        .flatten()
}
