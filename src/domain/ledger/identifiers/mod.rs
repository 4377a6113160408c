//! Identifiers and figures that later work needs: ids, versions, ports, addresses, amounts, dates.
//!
//! Invariant: what is kept was named by a call, by a person or by the model, or stands under a key
//! or behind a word that says what it is; hashes of lock files and data are never kept.

mod json;
mod look;
mod patterns;

use std::collections::BTreeMap;

use super::super::id::Seq;
use super::super::message::{Numbered, Role};
use super::IdentifierFact;
use super::invocation::Invocation;
use super::pipeline::clip_bytes;

/// The most identifiers kept of one span.
const MAX_IDENTIFIERS: usize = 150;
/// The most identifiers that are compared for those places.
const MAX_CANDIDATES: usize = 5_000;
/// The most of one tool output that is read, from its start and from its end, in bytes.
const OUTPUT_HEAD: usize = 12 * 1024;
const OUTPUT_TAIL: usize = 4 * 1024;
/// The most of one spoken message that is read, in bytes.
const MAX_SPOKEN: usize = 64 * 1024;
/// The most messages that one identifier names.
const MAX_SEQS: usize = 20;

/// Who named an identifier, from the least telling to the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Origin {
    /// A tool's output.
    Output,
    /// The model's words.
    Assistant,
    /// The person's words.
    Person,
    /// The arguments of a call.
    Argument,
}

impl Origin {
    fn weight(self) -> u32 {
        match self {
            Self::Output => 1,
            Self::Assistant => 3,
            Self::Person => 5,
            Self::Argument => 6,
        }
    }
}

/// A value under a key.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Hit {
    key: String,
    value: String,
    /// How much the kind of identifier is worth by itself.
    weight: u32,
}

struct Candidate {
    fact: IdentifierFact,
    score: u32,
    times: u32,
    order: usize,
}

/// Reads the identifiers of a span, in the order of first appearance; the most useful ones when
/// there are too many. `said` is what persons say in each of its messages.
pub(super) fn read(
    span: &[Numbered],
    said: &[Option<String>],
    invocations: &[Invocation<'_>],
) -> Vec<IdentifierFact> {
    let mut all = Collection::default();
    let mut at = invocations.iter().peekable();
    for (Numbered { seq, message }, said) in span.iter().zip(said) {
        if let Some(text) = said {
            all.text(clip_bytes(text, MAX_SPOKEN), Origin::Person, &[*seq]);
        } else if message.role == Role::Assistant {
            all.text(clip_bytes(&message.words(), MAX_SPOKEN), Origin::Assistant, &[*seq]);
        }
        while let Some(invocation) = at.next_if(|i| i.call_seq <= *seq) {
            all.invocation(invocation);
        }
    }
    for invocation in at {
        all.invocation(invocation);
    }
    all.finish()
}

#[derive(Default)]
struct Collection {
    by_value: BTreeMap<String, usize>,
    candidates: Vec<Candidate>,
}

impl Collection {
    fn invocation(&mut self, invocation: &Invocation<'_>) {
        let call = [invocation.call_seq];
        match &invocation.command {
            Some(command) => {
                self.hits(patterns::in_command(clip_bytes(command, MAX_SPOKEN)), Origin::Argument, &call);
            }
            None => self.hits(
                json::scalars(&invocation.arguments, Some(&invocation.tool)),
                Origin::Argument,
                &call,
            ),
        }
        let Some(output) = invocation.output.as_deref() else { return };
        let seqs = [invocation.result_seq.unwrap_or(invocation.call_seq)];
        let trimmed = output.trim_start();
        if invocation.command.is_none() && trimmed.starts_with(['{', '[']) {
            self.hits(json::scalars(trimmed, None), Origin::Output, &seqs);
            return;
        }
        self.hits(patterns::in_output(clip_bytes(output, OUTPUT_HEAD)), Origin::Output, &seqs);
        if output.len() > OUTPUT_HEAD {
            let mut from = output.len().saturating_sub(OUTPUT_TAIL).max(OUTPUT_HEAD);
            while !output.is_char_boundary(from) {
                from += 1;
            }
            self.hits(patterns::in_output(output.get(from..).unwrap_or_default()), Origin::Output, &seqs);
        }
    }

    fn text(&mut self, text: &str, origin: Origin, seqs: &[Seq]) {
        self.hits(patterns::in_speech(text), origin, seqs);
    }

    fn hits(&mut self, hits: Vec<Hit>, origin: Origin, seqs: &[Seq]) {
        for hit in hits {
            // The same value is one identifier; the more telling key stays.
            if let Some(candidate) = self.by_value.get(&hit.value).and_then(|at| self.candidates.get_mut(*at))
            {
                candidate.times = candidate.times.saturating_add(1);
                let score = origin.weight() + hit.weight;
                if candidate.fact.key == "id" && hit.key != "id" || candidate.fact.key == "date" {
                    candidate.fact.key = hit.key;
                }
                candidate.score = candidate.score.max(score);
                for seq in seqs {
                    if candidate.fact.seqs.len() < MAX_SEQS && candidate.fact.seqs.last() != Some(seq) {
                        candidate.fact.seqs.push(*seq);
                    }
                }
            } else if self.candidates.len() < MAX_CANDIDATES {
                let order = self.candidates.len();
                self.by_value.insert(hit.value.clone(), order);
                self.candidates.push(Candidate {
                    fact: IdentifierFact { key: hit.key, value: hit.value, seqs: seqs.to_vec() },
                    score: origin.weight() + hit.weight,
                    times: 1,
                    order,
                });
            }
        }
    }

    fn finish(mut self) -> Vec<IdentifierFact> {
        for candidate in &mut self.candidates {
            candidate.fact.seqs.sort_unstable();
            candidate.fact.seqs.dedup();
        }
        let mut kept = self.candidates;
        if kept.len() > MAX_IDENTIFIERS {
            kept.sort_by_key(|c| (std::cmp::Reverse(c.score + c.times.min(5)), c.order));
            kept.truncate(MAX_IDENTIFIERS);
            kept.sort_by_key(|c| c.order);
        }
        kept.into_iter().map(|c| c.fact).collect()
    }
}

#[cfg(test)]
mod tests;
