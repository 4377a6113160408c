//! Hindsight: whether the context of a version had what the later messages needed.
//!
//! What lives here: the names that messages after a version used, and the search for each in that version's
//! context, near another name of the message that it is from.
//! Invariant: it shares no code with what writes records or chooses lines of a digest, so that it can find
//! their faults.
//! Must not know: where messages are stored, how a name's message is found.
//!
//! Probes ask for what the record was made from, so they can reach 1.0 even if the context is of no use to a
//! reader. The names that later work used are independent of what made the version. They are known one
//! version later, so the result is stored with history and compression and not in the version's document,
//! which never changes. Names are taken from redacted text, because missing ones are reported.

mod names;

use std::collections::{BTreeMap, BTreeSet};

use memchr::memmem;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use anchord_facts::redact::redact;
use anchord_messages::id::Seq;
use anchord_messages::message::{Message, Part, Role};

/// The most names that are searched for in one version.
pub const MOST_ASKED: usize = 32;
/// The most names of later messages that are considered: the first ones.
const MOST_NAMES: usize = 10_000;
/// The fewest names for which there is a score.
const LEAST_ASKED: usize = 5;
/// The largest distance between a name and another of its message in the context, in characters.
const TOGETHER: usize = 600;
/// How many other names of its message count as neighbours: the nearest ones there.
const BESIDE: usize = 48;
/// The largest distance of a neighbour in the message, in bytes; a farther one counts only if none is nearer.
const NEARBY: usize = 4_000;
/// The most occurrences of a name in a context that are examined.
const MOST_PLACES: usize = 24;
/// The most missing names that are reported.
const MOST_TOLD: usize = 12;
/// The share below which a version is flagged, unless a setting says otherwise.
pub const LOW: f64 = 0.20;

/// Whether a version's context had the names that later messages used; known one version later.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Hindsight {
    /// Names that later messages used and earlier messages contain, without those that the context had word
    /// for word.
    pub asked: u32,
    /// Those that the version's context had near another name of the same message.
    pub found: u32,
    /// The share of `asked` that was found; null with fewer than five names.
    #[schema(required = true)]
    #[serde(serialize_with = "anchord_messages::rounded::ratio_or_null")]
    pub score: Option<f64>,
    /// Some of the names that were not found.
    pub missing: Vec<String>,
    /// Whether the score is below the session's threshold.
    pub low: bool,
}

impl Hindsight {
    /// The same result, judged by a threshold.
    #[must_use]
    pub fn against(self, threshold: f64) -> Self {
        Self { low: self.score.is_some_and(|score| score < threshold), ..self }
    }
}

/// Names to search for, in the order in which they were first used.
///
/// They are what people and agents wrote in `after`, in text and in calls, without the names in `served`: the
/// messages that the context had word for word when `after` was written. At most [`MOST_ASKED`], spread
/// evenly.
#[must_use]
pub fn wanted(after: &[Message], served: &[Message]) -> Vec<String> {
    let mut wanted = Vec::new();
    let mut left = BTreeSet::new();
    for message in after {
        used(message, &mut |text| {
            // Redacted like record and digest, because missing names are reported.
            for name in names::names(&redact(text)) {
                if left.len() < MOST_NAMES && left.insert(name.text.clone()) {
                    wanted.push(name.text);
                }
            }
        });
    }
    // Message by message, so that the names of `served`, which may be far more, are not collected.
    for message in served {
        message.each_text(&mut |text| {
            for name in names::names(text) {
                left.remove(&name.text);
            }
        });
    }
    wanted.retain(|name| left.contains(name));
    let all = wanted.len();
    if all <= MOST_ASKED {
        return wanted;
    }
    let mut wanted: Vec<Option<String>> = wanted.into_iter().map(Some).collect();
    (0..MOST_ASKED).filter_map(|n| wanted.get_mut(n * all / MOST_ASKED)?.take()).collect()
}

/// Searches `context` for each name, near another name of a message that contains it.
///
/// `holders` lists the messages that may contain each name; a name that none of them contains is not counted.
#[must_use]
pub fn look_back(
    wanted: &[String],
    holders: &BTreeMap<String, Vec<Seq>>,
    originals: &BTreeMap<Seq, Message>,
    context: &str,
) -> Hindsight {
    let context = context.to_lowercase();
    let mut read: BTreeMap<Seq, Vec<names::Name>> = BTreeMap::new();
    let mut asked = 0;
    let mut missing = Vec::new();
    for name in wanted {
        let mut is_held = false;
        let mut is_found = false;
        for seq in holders.get(name).into_iter().flatten() {
            let Some(original) = originals.get(seq) else { continue };
            let all = read.entry(*seq).or_insert_with(|| {
                let mut text = String::new();
                original.each_text(&mut |piece| {
                    text.push_str(piece);
                    text.push('\n');
                });
                names::names(&redact(&text)).collect()
            });
            let beside = beside(name, all);
            is_held |= beside.is_some();
            is_found = is_found || beside.is_some_and(|beside| is_told(name, &beside, &context));
        }
        if is_held {
            asked += 1;
            if !is_found {
                missing.push(name.clone());
            }
        }
    }
    let found = asked - u32::try_from(missing.len()).unwrap_or(asked);
    missing.truncate(MOST_TOLD);
    let enough = usize::try_from(asked).is_ok_and(|asked| asked >= LEAST_ASKED);
    let score = enough.then(|| f64::from(found) / f64::from(asked));
    Hindsight { asked, found, score, missing, low: false }
}

/// The other names of a message, the nearest to this one first; `None` when the message does not contain it.
fn beside<'n>(name: &str, all: &'n [names::Name]) -> Option<Vec<&'n str>> {
    let mut places: Vec<usize> =
        all.iter().filter(|other| other.text == name).map(|other| other.start).collect();
    // Quotations are listed after the words, so the places are not in order yet.
    places.sort_unstable();
    places.first()?;
    let distance = |other: &names::Name| {
        let next = places.partition_point(|place| *place < other.start);
        let near = |at: Option<&usize>| at.map_or(usize::MAX, |place| place.abs_diff(other.start));
        near(places.get(next)).min(near(next.checked_sub(1).and_then(|at| places.get(at))))
    };
    let mut others: Vec<(usize, &str)> = all
        .iter()
        .filter(|other| other.text != name)
        .map(|other| (distance(other), other.text.as_str()))
        .collect();
    if others.iter().any(|(distance, _)| *distance <= NEARBY) {
        others.retain(|(distance, _)| *distance <= NEARBY);
    }
    others.sort_unstable();
    let mut seen = BTreeSet::new();
    others.retain(|(_, text)| seen.insert(*text));
    Some(others.into_iter().take(BESIDE).map(|(_, text)| text).collect())
}

/// Whether a text contains a name with another one near it.
fn is_told(name: &str, beside: &[&str], context: &str) -> bool {
    let others: Vec<memmem::Finder<'_>> = beside.iter().map(memmem::Finder::new).collect();
    names::places(context, name).take(MOST_PLACES).any(|at| {
        let before = context.get(..at).unwrap_or_default();
        let after = context.get(at + name.len()..).unwrap_or_default();
        let from = before.char_indices().rev().nth(TOGETHER - 1).map_or(0, |(place, _)| place);
        let to = after.char_indices().nth(TOGETHER).map_or(after.len(), |(place, _)| place);
        // Searched before and after the name itself, so that no part of it counts as another.
        [before.get(from..), after.get(..to)].into_iter().flatten().any(|near| {
            beside.iter().zip(&others).any(|(other, finder)| {
                finder.find(near.as_bytes()).is_some() && names::places(near, other).next().is_some()
            })
        })
    })
}

/// The texts that somebody wrote in a message: words and calls, not a tool's output.
fn used(message: &Message, take: &mut impl FnMut(&str)) {
    for part in &message.parts {
        match part {
            Part::Text(text) if message.role != Role::Tool => take(text),
            Part::ToolCall(call) => call.each_text(take),
            Part::Text(_)
            | Part::Image(_)
            | Part::File(_)
            | Part::Thinking(_)
            | Part::ToolResult(_)
            | Part::Other(_) => {}
        }
    }
}

#[cfg(test)]
mod tests;
