//! The identity of a thing: the field that identifies it, and its kind.

use super::super::super::wording::{clip_chars, words_of};
use super::super::shell::Word;
use super::super::words::WORDS;
use super::value::{Fields, scalar};
use crate::redact;

/// The longest identity, in characters.
const LONGEST: usize = 120;
/// The most words of an identity.
const MOST_WORDS: usize = 12;
/// The longest scope, in characters.
const LONGEST_SCOPE: usize = 60;
/// The longest name of a place in a scope, in bytes.
const LONGEST_PLACE: usize = 40;
/// The longest kind, in characters.
const LONGEST_KIND: usize = 40;

/// The subject of a tool's output, according to its call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Subject {
    /// The kind of thing that the call asks for; empty when its name does not contain one.
    pub kind: String,
    /// The id in its arguments, with its kind, when there is exactly one.
    pub asked: Option<(String, String)>,
    /// The place in which it looked (`repo a`, `namespace prod`), because the same number elsewhere is another thing.
    pub scope: String,
}

impl Subject {
    /// The subject of a tool call.
    pub(super) fn of_call(tool: &str, arguments: &str) -> Self {
        let name = tool.rsplit("__").next().unwrap_or(tool);
        let kind = noun(words_of(name).iter().map(String::as_str));
        let asked = serde_json::from_str::<Fields<'_>>(arguments).ok().and_then(|fields| {
            let mut ids = fields.list.iter().filter_map(|(key, value)| {
                let value = scalar(value).filter(|value| identifies(value))?;
                Some((id_key(key)?, value))
            });
            let first = ids.next()?;
            ids.next().is_none().then_some(first)
        });
        Self { kind, asked, scope: scope_of(arguments) }
    }

    /// The subject of a command: `gh pr list` is about `pr`.
    pub(super) fn of_command(words: &[Word]) -> Self {
        const PLACES: [&str; 9] =
            ["-n", "--namespace", "-R", "--repo", "--context", "--project", "-p", "--profile", "--region"];
        let plain = |word: &&Word| {
            !word.starts_with('-') && word.chars().all(|c| c.is_alphabetic() || c == '-' || c == '_')
        };
        let place = words.windows(2).filter_map(|pair| match pair {
            [flag, place] if PLACES.contains(&&**flag) => Some(&**place),
            _ => None,
        });
        let scope = clip_chars(&place.collect::<Vec<_>>().join(", "), LONGEST_SCOPE).to_owned();
        let words = words.iter().skip(1).take_while(plain).take(3).map(|word| &**word);
        Self { kind: noun(words), asked: None, scope }
    }

    /// The subject of values below a field that holds things of a kind.
    pub(super) fn below(&self, kind: String) -> Self {
        Self { kind, asked: None, scope: self.scope.clone() }
    }

    /// The call's kind with its scope, for a thing whose fields contain no kind.
    pub(super) fn own_kind(&self) -> String {
        match (self.kind.is_empty(), self.scope.is_empty()) {
            (_, true) => self.kind.clone(),
            (true, false) => format!("({})", self.scope),
            (false, false) => format!("{} ({})", self.kind, self.scope),
        }
    }
}

/// The scope of a call, from those of its arguments that name places: no ids, no numbers, no content.
fn scope_of(arguments: &str) -> String {
    let Ok(fields) = serde_json::from_str::<Fields<'_>>(arguments) else { return String::new() };
    let told = fields.list.iter().filter_map(|(key, value)| {
        let value =
            scalar(value).filter(|value| value.chars().any(char::is_alphabetic) && !is_secret(key))?;
        let is_flag = matches!(value.as_str(), "true" | "false");
        let is_place = value.len() <= LONGEST_PLACE && !tells(key);
        (id_key(key).is_none() && !is_flag && is_place).then(|| format!("{key} {value}"))
    });
    clip_chars(&told.collect::<Vec<_>>().join(", "), LONGEST_SCOPE).trim_end().to_owned()
}

/// Whether an argument is content or a question, and not a place.
fn tells(key: &str) -> bool {
    words_of(key).last().is_some_and(|word| WORDS.prose_arguments.contains(word))
}

/// Whether a property is secret by its name, whatever its value.
pub(in super::super) fn is_secret(name: &str) -> bool {
    redact::names_secret(name)
        || matches!(
            name.to_lowercase().as_str(),
            "pin" | "pass" | "auth" | "credit_card" | "card_number" | "iban"
        )
        || words_of(name)
            .iter()
            .any(|word| matches!(word.as_str(), "cvv" | "cvc" | "ssn" | "otp" | "authorization"))
}

/// The last noun, in the singular.
fn noun<'w>(words: impl Iterator<Item = &'w str>) -> String {
    let last = words.filter(|word| !WORDS.tool_verbs.contains(*word) && word.len() > 1).last();
    last.map(kind_of).unwrap_or_default()
}

/// The kind of things in a field, by the field's name.
pub(super) fn kind_of(field: &str) -> String {
    let words = words_of(field);
    let mut kind = words.join(" ");
    if let Some(stem) = kind.strip_suffix("ies").filter(|stem| stem.len() > 2) {
        kind = format!("{stem}y");
    } else if kind.len() > 3
        && kind.ends_with('s')
        && !kind.ends_with("ss")
        && !kind.ends_with("us")
        && !kind.ends_with("is")
    {
        kind.pop();
    }
    clip_chars(&kind, LONGEST_KIND).to_owned()
}

/// The kind of thing that a key is the id of (`reservation_id`, `orderId`, `flight_number`), empty for a bare `id`;
/// `None` when the key is not one for ids.
fn id_key(key: &str) -> Option<String> {
    let mut words = words_of(key);
    let is_id = matches!(
        words.last().map(String::as_str),
        Some(
            "id" | "uuid"
                | "guid"
                | "number"
                | "no"
                | "key"
                | "code"
                | "identifier"
                | "sku"
                | "slug"
                | "ref"
                | "handle"
                | "login"
        )
    );
    if !is_id {
        return None;
    }
    words.pop();
    // A word for storage (`record`, `node`) is not the kind of thing.
    words.retain(|word| {
        !matches!(word.as_str(), "database" | "node" | "global" | "internal" | "object" | "record")
    });
    Some(kind_of(&words.join("_")))
}

/// The rank of a key as identity of its object, lower is better; `None` when it cannot be one.
fn rank(key: &str, place: usize) -> Option<usize> {
    let words = words_of(key);
    let last = words.last()?.as_str();
    let rank = match (words.len(), last) {
        (1, "identifier" | "number" | "key" | "sku") => 0,
        // The first field with a name like an id is the object's own; later ones refer to other things.
        (_, "id" | "number" | "uuid" | "code" | "key" | "no" | "sku") if place == 0 => 1,
        (1, "id") => 2,
        (
            1,
            "uuid" | "guid" | "code" | "sha" | "hash" | "oid" | "slug" | "login" | "username" | "handle"
            | "email",
        ) => 3,
        (1, "name" | "title") => 4,
        (2, "name") if place == 0 => 4,
        _ => return None,
    };
    Some(rank)
}

/// The field that identifies an object.
pub(super) struct Own {
    /// Its index in the object.
    pub place: usize,
    /// The kind in its key; empty when there is none.
    pub kind: String,
    /// Whether it is a name, a title or an address, to which an id in the call's arguments is preferred.
    pub is_name: bool,
}

/// The field that identifies an object, by the names of its fields.
pub(super) fn own(fields: &Fields<'_>) -> Option<Own> {
    let named = fields.list.iter().enumerate().filter_map(|(place, (key, value))| {
        let value = scalar(value).filter(|value| identifies(value) && !is_secret(key))?;
        let mut rank = rank(key, place)?;
        // An identity that people use is preferred to a long machine-made id.
        if rank < 4 && is_machine_id(&value) {
            rank += 4;
        }
        Some((rank, place))
    });
    let (rank, place) = named.min()?;
    let (key, _) = fields.list.get(place)?;
    Some(Own { place, kind: id_key(key).unwrap_or_default(), is_name: rank >= 3 })
}

/// The first field, when its value looks like an id although its key, in any language, does not.
pub(super) fn first(fields: &Fields<'_>) -> Option<usize> {
    let (_, value) = fields.list.first().filter(|(key, _)| !is_secret(key) && id_key(key).is_none())?;
    let value = scalar(value)?;
    let marked =
        value.chars().any(|c| c.is_ascii_digit()) && value.chars().any(|c| c.is_alphabetic() || c == '-');
    (marked && identifies(&value) && !value.contains(char::is_whitespace) && value.len() <= 40).then_some(0)
}

/// Whether a value may be an identity: short, no long sentence, no boolean or null.
pub(super) fn identifies(value: &str) -> bool {
    (1..=LONGEST).contains(&value.chars().count())
        && value.split(' ').count() <= MOST_WORDS
        && value.chars().any(char::is_alphanumeric)
        && !matches!(value, "0" | "true" | "false" | "none" | "None" | "-1")
        && !value.starts_with(['{', '[', '<'])
        && !value.contains(['|', '│', '\t'])
}

pub(super) fn is_machine_id(value: &str) -> bool {
    value.len() >= 20 && value.chars().all(|c| c.is_ascii_hexdigit() || c == '-')
        || value.len() >= 11 && value.chars().all(|c| c.is_ascii_digit())
}
