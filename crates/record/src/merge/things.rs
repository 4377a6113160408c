//! Merges things: each once, by kind and id. The latest value of a property is current, and the one before is
//! kept.

use std::collections::HashMap;

use super::super::changes::List;
use super::super::ids::of_thing;
use super::super::summary::Summary;
use anchord_facts::thing::{Places, Thing, keep};
use anchord_messages::id::Seq;

/// The most things of a summary, and the most bytes of them.
const MOST: usize = 512;
const MOST_BYTES: usize = 128 * 1024;

/// Merges the things that a span shows, and counts the messages that name a thing by its id. Returns how many
/// things the limits removed.
pub(super) fn merge(summary: &mut Summary, shown: &[Thing], named: &[(String, Vec<Seq>)]) -> u32 {
    let Summary { things: known, ids, .. } = summary;
    if !shown.is_empty() {
        let mut places = Places::default();
        known.iter().enumerate().for_each(|(at, thing)| places.add(thing, at));
        for thing in shown.iter().filter(|thing| !thing.id.trim().is_empty()) {
            let place = places.find(known, thing);
            if let Some(existing) = place.and_then(|at| known.get_mut(at)) {
                let before = of_thing(&existing.key());
                existing.update(thing);
                // A later state may name the kind more exactly, and with it the key of the id.
                ids.rename(List::Things, before, of_thing(&existing.key()));
            } else {
                places.add(thing, known.len());
                known.push(thing.clone());
            }
        }
    }
    if !named.is_empty() {
        let named: HashMap<&str, &Vec<Seq>> = named.iter().map(|(id, seqs)| (id.as_str(), seqs)).collect();
        for thing in known.iter_mut() {
            if let Some(seqs) = named.get(thing.id.as_str()) {
                thing.named = thing.named.saturating_add(u32::try_from(seqs.len()).unwrap_or(u32::MAX));
                thing.see(seqs);
            }
        }
    }
    u32::try_from(keep(known, MOST, MOST_BYTES)).unwrap_or(u32::MAX)
}
