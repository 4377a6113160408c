//! The ids under which calls are served.
//!
//! A provider pairs calls and results by id, and agents send ids that are empty, that appear twice in one
//! message, or that are used again later. The first call keeps its id if the format accepts it. The others get an id that is made from
//! their own seq, so that it stays the same when messages are appended.

use std::collections::HashSet;

use sha2::{Digest, Sha256};

use super::input::Entry;
use anchord_messages::format::Format;
use anchord_messages::group::{Calls, Group, GroupKind};
use anchord_messages::shape::{AsShape, hex};

/// Chat-completions servers refuse longer ids.
const CHAT_ID_CHARS: usize = 40;

/// The new ids of one group's calls, `None` where the id is served as stored; empty when all are.
pub(super) type Ids = Vec<Option<String>>;

/// The served ids of the calls of every group.
pub(super) fn served(format: Format, tail: &[Entry], groups: &[Group]) -> Vec<Ids> {
    let mut used: HashSet<String> = HashSet::new();
    groups
        .iter()
        .map(|group| match &group.kind {
            GroupKind::Plain => Ids::new(),
            GroupKind::Calls(calls) => {
                // Chat servers look for a call only in the message before its results.
                if format == Format::OpenaiChat {
                    if is_simple(tail, group, calls) {
                        return Ids::new();
                    }
                    used.clear();
                }
                let ids = unique(format, tail, group, calls, &mut used);
                if ids.iter().all(Option::is_none) { Ids::new() } else { ids }
            }
        })
        .collect()
}

/// The most common case, one chat message with a few calls of different ids.
fn is_simple(tail: &[Entry], group: &Group, calls: &Calls) -> bool {
    const FEW: usize = 8;
    let Some(entry) = tail.get(group.range.start) else { return true };
    let few = calls.lead == 1 && entry.format == Format::OpenaiChat && entry.calls().len() <= FEW;
    few && entry.calls().iter().enumerate().all(|(i, call)| {
        !call.id.is_empty() && !entry.calls().iter().take(i).any(|other| other.id == call.id)
    })
}

fn unique(format: Format, tail: &[Entry], group: &Group, calls: &Calls, used: &mut HashSet<String>) -> Ids {
    let lead = tail.get(group.range.start..group.range.start + calls.lead).unwrap_or_default();
    let mut ids = Ids::with_capacity(calls.answers.len());
    for entry in lead {
        for (i, call) in entry.calls().iter().enumerate() {
            let mut id = allowed(format, entry.format, &call.id);
            if id.is_empty() {
                id = format!("call_{}_{i}", entry.seq);
            }
            if used.contains(&id) {
                id = shortened(format, &format!("{id}_{}", entry.seq));
            }
            let mut round = i;
            while used.contains(&id) {
                id = shortened(format, &format!("{id}_{round}"));
                round += 1;
            }
            ids.push((id != call.id).then(|| id.clone()));
            used.insert(id);
        }
    }
    ids
}

/// An id in the letters and length that a format accepts. An id in the format's own style is returned as it
/// is.
fn allowed(format: Format, from: Format, id: &str) -> String {
    if format == Format::Anthropic {
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
        return id.chars().map(plain).collect();
    }
    if format == from { id.to_owned() } else { shortened(format, id) }
}

fn shortened(format: Format, id: &str) -> String {
    if format == Format::Anthropic || id.chars().count() <= CHAT_ID_CHARS {
        return id.to_owned();
    }
    format!("call_{}", hex(&Sha256::digest(id.as_bytes()), 16))
}
