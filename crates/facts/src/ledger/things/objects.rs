//! Extracts things from JSON: objects with an identity, alone, in lists, or below the fields of a reply.

use serde_json::value::RawValue;

use super::identity::{Subject, first, identifies, is_secret, kind_of, own};
use super::shown::{ExtractedThings, Found, MOST_PROPERTIES, REDACTED};
use super::value::{Data, Fields, Items, is_plumbing, rendered, scalar};

/// The deepest level below the reply's outer object at which things are searched.
const DEEPEST: u8 = 4;
/// The longest list of things inside a thing that is kept as a property's value, in characters.
const LONGEST_INNER: usize = 360;
/// The fewest properties beside its identity that make an object a thing.
const FEWEST_PROPERTIES: usize = 1;

/// Adds the things in a JSON text to `shown`.
pub(super) fn read(text: &str, subject: &Subject, shown: &mut ExtractedThings) {
    let Some(data) = Data::read(text) else { return };
    match data {
        Data::Items(items) => list(&items, subject, 0, shown),
        Data::Fields(fields) => object(&fields, subject, 0, shown),
    }
}

fn list(items: &Items<'_>, subject: &Subject, depth: u8, shown: &mut ExtractedThings) {
    let before = shown.found.len();
    let mut ids: Vec<String> = items.list.iter().filter_map(|item| own_id(item)).collect();
    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();
    // An id that several rows share refers to what they belong to, and identifies no row.
    if ids.len() < all {
        return;
    }
    for item in &items.list {
        if let Some(Data::Fields(fields)) = Data::read(item.get()) {
            // GraphQL wraps each item in an object with one field.
            let fields = match fields.list.as_slice() {
                [(_, inner)] => match Data::read(inner.get()) {
                    Some(Data::Fields(inner)) => inner,
                    Some(Data::Items(_)) | None => fields,
                },
                _ => fields,
            };
            object(&fields, &subject.below(subject.kind.clone()), depth, shown);
        }
    }
    if shown.found.len() > before {
        shown.left_out += items.more;
    }
}

fn object(fields: &Fields<'_>, subject: &Subject, depth: u8, shown: &mut ExtractedThings) {
    if is_failure(fields) {
        return;
    }
    let by_key = own(fields).filter(|own| {
        // An id of another kind does not identify the object: the order id in a refund is not the refund's.
        depth == 0 || own.kind.is_empty() || subject.kind.is_empty() || own.kind == subject.kind
    });
    if by_key.is_none() && wraps(fields) && depth < DEEPEST {
        for (key, value) in &fields.list {
            let kind = if is_wrapper(key) { subject.kind.clone() } else { kind_of(key) };
            match Data::read(value.get()) {
                Some(Data::Items(items)) => list(&items, &subject.below(kind), depth + 1, shown),
                Some(Data::Fields(inner)) if is_keyed(&inner) => {
                    keyed(&inner, &kind, depth + 1, shown);
                }
                Some(Data::Fields(inner)) => {
                    object(&inner, &subject.below(kind), depth + 1, shown);
                }
                None => {}
            }
        }
        return;
    }
    let or_subject = |kind: &str| if kind.is_empty() { subject.own_kind() } else { kind.to_owned() };
    let at = |place: usize| fields.list.get(place).and_then(|(_, value)| scalar(value));
    let by_name = by_key.as_ref().is_none_or(|own| own.is_name);
    let (place, id, kind) = match (&subject.asked, by_key) {
        (Some((kind, id)), _) if by_name => (None, Some(id.clone()), or_subject(kind)),
        (_, Some(own)) => (Some(own.place), at(own.place), or_subject(&own.kind)),
        (_, None) => {
            let place = first(fields);
            (place, place.and_then(at), subject.own_kind())
        }
    };
    let Some(id) = id else { return };
    thing(fields, place, (kind, id), depth, shown);
}

/// Whether the names of an object's fields are ids: they contain digits, or all values are objects with the same
/// fields.
fn is_keyed(fields: &Fields<'_>) -> bool {
    let mut shape: Option<Vec<String>> = None;
    let marked = fields.list.iter().all(|(name, _)| name.contains(|c: char| c.is_ascii_digit()));
    let alike = fields.list.iter().all(|(_, value)| {
        let Some(Data::Fields(inner)) = Data::read(value.get()) else { return false };
        let names: Vec<String> = inner.list.into_iter().map(|(name, _)| name).collect();
        marked || *shape.get_or_insert_with(|| names.clone()) == names
    });
    alike && (marked || fields.list.len() > 1) && !fields.list.is_empty()
}

/// The id of an item of a list.
fn own_id(item: &RawValue) -> Option<String> {
    let Some(Data::Fields(fields)) = Data::read(item.get()) else { return None };
    let own = own(&fields).filter(|own| !own.is_name)?;
    scalar(fields.list.get(own.place)?.1)
}

/// Adds the things of an object whose field names are their ids.
fn keyed(fields: &Fields<'_>, kind: &str, depth: u8, shown: &mut ExtractedThings) {
    for (id, value) in &fields.list {
        let Some(Data::Fields(inner)) = Data::read(value.get()) else { continue };
        match own(&inner) {
            Some(own) if !own.is_name => {
                object(&inner, &Subject { kind: kind.to_owned(), ..Subject::default() }, depth, shown);
            }
            Some(_) | None if identifies(id) => {
                thing(&inner, None, (kind.to_owned(), id.clone()), depth, shown);
            }
            Some(_) | None => {}
        }
    }
}

fn thing(
    fields: &Fields<'_>,
    place: Option<usize>,
    (kind, id): (String, String),
    depth: u8,
    shown: &mut ExtractedThings,
) {
    let at = shown.found.len();
    let mut found = Found { kind, id, properties: Vec::new(), more: fields.more };
    let mut inner: Vec<(String, Items<'_>)> = Vec::new();
    for (number, (key, value)) in fields.list.iter().enumerate() {
        if Some(number) == place || is_plumbing(key, value) {
            continue;
        }
        if let Some((items, count)) = things_within(value, depth) {
            found.properties.push((key.clone(), format!("{count} of them, told apart")));
            inner.push((kind_of(key), items));
        } else if let Some(value) = rendered(value) {
            let value = if is_secret(key) { REDACTED.to_owned() } else { value };
            if found.properties.len() < MOST_PROPERTIES {
                found.properties.push((key.clone(), value));
            } else {
                found.more += 1;
            }
        }
    }
    if found.properties.len() < FEWEST_PROPERTIES {
        return;
    }
    shown.push(found);
    // The items of a long list are things themselves; the thing that contains them comes before them.
    if shown.found.len() > at {
        for (kind, items) in inner {
            list(&items, &Subject { kind, ..Subject::default() }, depth + 1, shown);
        }
    }
}

/// The list of things in a value, when it is too long to be kept as a value.
fn things_within(value: &RawValue, depth: u8) -> Option<(Items<'_>, usize)> {
    if depth >= DEEPEST || value.get().len() <= LONGEST_INNER {
        return None;
    }
    let Some(Data::Items(items)) = Data::read(value.get()) else { return None };
    let is_thing = |item: &&RawValue| {
        let Some(Data::Fields(fields)) = Data::read(item.get()) else { return false };
        own(&fields).is_some_and(|own| fields.list.len() > 2 || own.place > 0)
    };
    let too_long = items.list.len() > 1 && rendered(value).is_some_and(|text| text.ends_with('…'));
    (too_long && items.list.iter().all(is_thing)).then(|| {
        let count = items.list.len() + items.more;
        (items, count)
    })
}

/// Whether an object may be the wrapper of a reply: some field contains objects.
fn wraps(fields: &Fields<'_>) -> bool {
    fields.list.iter().any(|(_, value)| {
        let text = value.get();
        text.starts_with('{')
            || text.strip_prefix('[').is_some_and(|inner| inner.trim_start().starts_with('{'))
    })
}

fn is_wrapper(key: &str) -> bool {
    [
        "data", "result", "results", "items", "nodes", "edges", "node", "records", "rows", "values",
        "content", "contents", "response", "body", "payload", "value", "list", "hits", "entries", "objects",
    ]
    .contains(&key)
}

/// Whether a reply only reports a failure.
fn is_failure(fields: &Fields<'_>) -> bool {
    let is_error = |(key, value): &(String, &RawValue)| {
        matches!(key.as_str(), "error" | "errors" | "exception" | "traceback" | "stderr")
            && !matches!(value.get(), "null" | "\"\"" | "[]" | "false" | "{}")
    };
    fields.list.len() <= 4 && fields.list.iter().any(is_error)
}
