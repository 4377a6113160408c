//! Things: records with an id (reservations, tickets, people, pods), extracted from structured outputs.
//!
//! What lives here: the parsers of JSON objects and lists (`objects`, `value`), of tables and lines of keys and values
//! (`table`), and the choice of the field that identifies a thing (`identity`).
//! Invariant: a value is reported only as a property of the thing that it belongs to. All counts and sizes are limited,
//! and the number of what was dropped is kept.

mod identity;
mod objects;
mod shown;
mod table;
mod value;

use std::collections::HashMap;

use aho_corasick::{AhoCorasick, MatchKind};

use self::identity::Subject;
pub(super) use self::identity::is_secret;
use self::shown::{ExtractedThings, MOST_OF_OUTPUT};
use super::super::thing::{Places, Property, Thing, keep};
use super::asked::delegates;
use super::invocation::Invocation;
use super::line::head;
use super::reading::Reading;
use super::test_runs::Run;
use super::tools::{self, Kind};
use super::words::WORDS;
use crate::wording::words_of;
use anchord_messages::id::Seq;
use anchord_messages::message::Role;

/// The most things of one span from which those that are kept are chosen.
const MOST_COMPARED: usize = 4_096;
/// The most things kept of one span, and the most bytes.
const MOST_OF_SPAN: usize = 160;
const MOST_BYTES_OF_SPAN: usize = 48 * 1024;
/// The longest part of an output that is searched for tables, in bytes.
const MOST_TEXT: usize = 64 * 1024;
/// The longest part of one message that is searched for identities of things, in bytes.
const MOST_SPOKEN: usize = 64 * 1024;
/// The shortest identity that is searched for in messages, in bytes.
const SHORTEST_NAMED: usize = 4;

/// The things of a span.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Things {
    /// The things, each once, in the order in which they were first shown.
    pub shown: Vec<Thing>,
    /// How many were dropped because of a limit.
    pub left_out: u32,
    /// The identities of things that were named in this span, each with the messages that name it.
    pub named: Vec<(String, Vec<Seq>)>,
}

/// The things of a span; `known` are identities from earlier spans.
pub(super) fn read(
    span: &[Reading<'_>],
    uses: &[Invocation<'_>],
    (runs, known): (&[Run], &[&str]),
) -> Things {
    let mut all = Things::default();
    let mut places = Places::default();
    // The output of test runners is reported as test runs.
    for (one, _) in uses.iter().zip(runs).filter(|(_, run)| !run.is_test) {
        let shown = shown_by(one);
        all.left_out = all.left_out.saturating_add(u32::try_from(shown.left_out).unwrap_or(u32::MAX));
        let seq = one.result_seq.unwrap_or(one.call_seq);
        for found in shown.found {
            // Who asked for it by its id has named it.
            let is_asked_for = found.id.len() >= SHORTEST_NAMED && one.arguments.contains(found.id.as_str());
            let thing = Thing {
                named: u32::from(is_asked_for),
                kind: found.kind,
                id: found.id,
                properties: found
                    .properties
                    .into_iter()
                    .map(|(name, value)| Property::new(name, value))
                    .collect(),
                more: u32::try_from(found.more).unwrap_or(u32::MAX),
                seqs: vec![seq],
                session_id: None,
            };
            let earlier = places.find(&all.shown, &thing);
            if let Some(earlier) = earlier.and_then(|at| all.shown.get_mut(at)) {
                earlier.update(&thing);
            } else if all.shown.len() >= MOST_COMPARED {
                all.left_out = all.left_out.saturating_add(1);
            } else {
                places.add(&thing, all.shown.len());
                all.shown.push(thing);
            }
        }
    }
    name(&mut all, span, known);
    let gone = keep(&mut all.shown, MOST_OF_SPAN, MOST_BYTES_OF_SPAN);
    all.left_out = all.left_out.saturating_add(u32::try_from(gone).unwrap_or(u32::MAX));
    all
}

fn shown_by(one: &Invocation<'_>) -> ExtractedThings {
    let mut shown = ExtractedThings::default();
    let Some(output) = one.output.as_deref().filter(|_| one.failed != Some(true) && !is_tried(one)) else {
        return shown;
    };
    let subject = if let Some(pipelines) = one.pipelines() {
        let programs = || pipelines.iter().flat_map(|pipeline| &pipeline.commands);
        let shows_files = |program: &str| WORDS.file_programs.contains(&program.to_ascii_lowercase());
        // The output of several programs cannot be separated. Of a pipe, the first program determines the subject.
        let [only] = pipelines.as_slice() else { return shown };
        let Some(first) = only.commands.first() else { return shown };
        let is_git = first.program() == "git";
        if is_git || shows_files(first.program()) || programs().count() > 4 {
            return shown;
        }
        Subject::of_command(&first.words)
    } else {
        let tool = tools::tool(&one.tool);
        if tool.known && tool.kind != Kind::Other || tools::is_about_files(&one.tool) || delegates(&one.tool)
        {
            return shown;
        }
        Subject::of_call(&one.tool, &one.arguments)
    };
    let trimmed = output.trim_start();
    if trimmed.starts_with(['{', '[']) {
        objects::read(trimmed, &subject, &mut shown);
        if shown.found.is_empty() {
            // JSON lines: one object per line.
            for line in trimmed.lines().take(MOST_OF_OUTPUT).filter(|line| line.starts_with('{')) {
                objects::read(line, &subject, &mut shown);
            }
        }
    } else {
        table::read(head(output, MOST_TEXT), &subject, &mut shown);
    }
    if one.command.is_none() && deletes(&one.tool) {
        for found in &mut shown.found {
            found.properties.push(("shown by".to_owned(), one.tool.to_string()));
        }
    }
    shown
}

/// Whether a call is a dry run, which shows what does not exist.
pub(super) fn is_tried(one: &Invocation<'_>) -> bool {
    const TRIES: [&str; 3] = ["--dry-run", "--dryrun", "--what-if"];
    let flag = |name: &str| {
        matches!(words_of(name).concat().as_str(), "dryrun" | "simulate" | "preview" | "validateonly")
    };
    words_of(&one.tool).iter().any(|word| matches!(word.as_str(), "preview" | "simulate"))
        || TRIES.iter().any(|flag| one.arguments.contains(flag))
        || serde_json::from_str::<value::Fields<'_>>(&one.arguments)
            .is_ok_and(|fields| fields.list.iter().any(|(name, value)| value.get() == "true" && flag(name)))
}

/// Whether a tool deletes what it returns.
fn deletes(tool: &str) -> bool {
    let words = words_of(tool);
    words.iter().any(|word| matches!(word.as_str(), "delete" | "remove" | "destroy" | "drop" | "purge"))
}

/// Finds the messages in which people, the agent or arguments of calls name a thing.
fn name(all: &mut Things, span: &[Reading<'_>], known: &[&str]) {
    let mut ids: Vec<&str> =
        all.shown.iter().map(|thing| thing.id.as_str()).chain(known.iter().copied()).collect();
    ids.retain(|id| id.len() >= SHORTEST_NAMED);
    ids.sort_unstable();
    ids.dedup();
    let Ok(words) = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&ids) else { return };
    if ids.is_empty() {
        return;
    }
    // A name counts only after an output has shown the thing, so that the result does not depend on where the
    // session is cut into spans.
    let mut shown_at: HashMap<&str, Seq> = HashMap::new();
    for thing in &all.shown {
        let first = thing.seqs.first().copied().unwrap_or_default();
        let at = shown_at.entry(thing.id.as_str()).or_insert(first);
        *at = first.min(*at);
    }
    shown_at.extend(known.iter().map(|id| (*id, 0)));
    let mut named: HashMap<&str, Vec<Seq>> = HashMap::new();
    for reading in span {
        let Reading { seq, message, .. } = reading;
        let mut find_names = |text: &str| {
            let text = head(text, MOST_SPOKEN);
            for hit in words.find_iter(text) {
                let alone = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_');
                let before = text.get(..hit.start()).and_then(|head| head.chars().next_back());
                let after = text.get(hit.end()..).and_then(|tail| tail.chars().next());
                let is_shown = |id: &&&str| shown_at.get(**id).is_some_and(|at| at < seq);
                let id = ids.get(hit.pattern().as_usize()).filter(is_shown);
                if let Some(id) = id.filter(|_| alone(before) && alone(after)) {
                    let seqs = named.entry(id).or_default();
                    if seqs.last() != Some(seq) {
                        seqs.push(*seq);
                    }
                }
            }
        };
        if let Some(text) = reading.words() {
            find_names(text);
        }
        if message.role == Role::Assistant {
            message.calls().for_each(|call| find_names(&call.arguments));
        }
    }
    let mut named: Vec<(String, Vec<Seq>)> =
        named.into_iter().map(|(id, seqs)| (id.to_owned(), seqs)).collect();
    named.sort_unstable();
    all.named = named;
}

#[cfg(test)]
mod tests;
