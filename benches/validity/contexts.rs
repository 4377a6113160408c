//! The contexts of one moment of a session, and what is wrong with them.

use std::collections::BTreeMap;

use anchord_context::context::{ContextInput, Counted, Entry, MaskInput, SummaryInput, assemble};
use anchord_context::mask::{Marks, MaskMode};
use anchord_context::tools::ToolMode;
use anchord_economy::replay::Replay;
use anchord_messages::format::Format;
use anchord_messages::id::Seq;
use anchord_messages::tokens::TokenCounter;
use serde_json::Value;

use crate::validity;

const FORMATS: [Format; 3] = [Format::OpenaiChat, Format::Anthropic, Format::OpenaiResponses];
/// Problems that are told word for word.
const EXAMPLES: usize = 5;
/// A budget that binds, as a share of the window's.
const TIGHT: u32 = 4;

/// What the checks came to.
#[derive(Debug, Default)]
pub struct Tally {
    contexts: u64,
    too_small: u64,
    /// Contexts that a provider would refuse.
    pub invalid: u64,
    /// Contexts above their budget.
    pub over_budget: u64,
    omitted: BTreeMap<String, u64>,
    /// The first problems.
    pub examples: Vec<String>,
}

impl Tally {
    /// Takes another one in.
    pub fn add(&mut self, other: &Self) {
        self.contexts += other.contexts;
        self.too_small += other.too_small;
        self.invalid += other.invalid;
        self.over_budget += other.over_budget;
        for (reason, count) in &other.omitted {
            *self.omitted.entry(reason.clone()).or_default() += count;
        }
    }

    /// The figures as cells of a table.
    pub fn row(&self) -> String {
        let omitted: Vec<String> =
            self.omitted.iter().map(|(reason, count)| format!("{reason} {count}")).collect();
        format!(
            "{} | {} | {} | {} | {}",
            self.contexts,
            self.too_small,
            self.invalid,
            self.over_budget,
            omitted.join(", ")
        )
    }

    fn tell(&mut self, problem: &str) {
        if self.examples.len() < EXAMPLES {
            let end = problem.floor_char_boundary(400);
            self.examples.push(problem.get(..end).unwrap_or_default().to_owned());
        }
    }
}

/// Assembles what the service would serve now, and what it would serve if nothing had been compressed.
pub fn check(replay: &Replay<'_>, counter: TokenCounter, tally: &mut Tally) {
    let (entries, session) = (&replay.transcript.entries, &replay.session);
    let counts = &session.accounting;
    let place = |seq: Seq| usize::try_from(seq).unwrap_or_default();
    let system = entries.get(..place(counts.system_through)).unwrap_or_default();
    let window = replay.policy().effective_window;
    let marks = Marks::new();
    let carried = counts.carried.and_then(|carried| entries.get(place(carried.seq).checked_sub(1)?));
    let stored = replay.served.iter().flat_map(|served| &served.smaller);
    let smaller: Vec<Counted<'_>> = stored.map(|(text, tokens)| Counted { text, tokens: *tokens }).collect();
    let summary = replay.served.as_ref().map(|served| SummaryInput {
        version: served.version,
        anchor_seq: session.anchor_seq,
        message: Counted { text: &served.full.0, tokens: served.full.1 },
        smaller: &smaller,
        digest: Some(&served.digest)
            .filter(|digest| !digest.text.is_empty())
            .map(|digest| Counted { text: &digest.text, tokens: digest.tokens }),
    });
    let recap = replay.served.as_ref().map(|served| served.recap.as_str()).filter(|recap| !recap.is_empty());
    let whole = entries.get(place(counts.system_through)..place(session.head_seq)).unwrap_or_default();
    for format in FORMATS {
        for budget in [window, window / TIGHT] {
            let (tail, tail_omitted) = loaded(replay.tail(), budget);
            let input = ContextInput {
                session: "a-session",
                branch: None,
                format,
                budget,
                head_seq: session.head_seq,
                context_revision: 1,
                system,
                pins: None,
                summary,
                kept: &[],
                carried,
                tail,
                tail_omitted,
                mask: MaskInput { mode: MaskMode::Auto, clipping: session.clipping(), marks: &marks },
                recap: recap.filter(|_| budget == window && session.head_seq % 2 == 0),
                cache: None,
                notes: &[],
                tools: ToolMode::None,
                counter: &counter,
            };
            one(&input, counter, tally);
            // As if the compressor were behind, by all of the session.
            let (tail, tail_omitted) = loaded(whole, budget);
            let behind =
                ContextInput { summary: None, carried: None, recap: None, tail, tail_omitted, ..input };
            if replay.served.is_some() {
                one(&behind, counter, tally);
            }
        }
    }
}

/// The newest messages that may be of use within a budget, as the store reads them.
fn loaded(tail: &[Entry], budget: u32) -> (&[Entry], Option<(Seq, Seq)>) {
    let mut tokens = 0u64;
    let kept = tail.iter().rev().take_while(|entry| {
        let fits = tokens <= u64::from(budget);
        tokens += u64::from(entry.tokens);
        fits
    });
    let from = tail.len() - kept.count();
    let (left, kept) = tail.split_at(from);
    let omitted = left.first().zip(left.last()).map(|(first, last)| (first.seq, last.seq));
    (kept, omitted)
}

fn one(input: &ContextInput<'_>, counter: TokenCounter, tally: &mut Tally) {
    tally.contexts += 1;
    let context = match assemble(input) {
        Ok(context) => context,
        Err(refused) if refused.min_tokens > input.budget => {
            tally.too_small += 1;
            return;
        }
        Err(refused) => {
            tally.invalid += 1;
            tally.tell(&format!("refused at {} with {}", input.budget, refused.min_tokens));
            return;
        }
    };
    for omitted in &context.omitted {
        *tally.omitted.entry(omitted.reason.as_ref().to_owned()).or_default() += 1;
    }
    let told = || format!("head {}, {}, budget {}", input.head_seq, input.format.as_ref(), input.budget);
    let Ok(reply) = context.to_json(|reply| reply).and_then(|json| serde_json::from_str::<Value>(&json))
    else {
        tally.invalid += 1;
        tally.tell(&format!("{}: no JSON", told()));
        return;
    };
    let problems = validity::problems(&reply);
    if let Some(problem) = problems.first() {
        tally.invalid += 1;
        tally.tell(&format!("{}: {problem}", told()));
    }
    let again = recounted(context.system.as_deref(), &context.messages, input.format, counter);
    if again > u64::from(input.budget) {
        tally.over_budget += 1;
        tally.tell(&format!("{}: {again} tokens, {} told", told(), context.tokens.total()));
    }
}

/// The tokens of what is served, counted on what is served alone.
fn recounted(
    system: Option<&str>,
    messages: &[std::borrow::Cow<'_, str>],
    format: Format,
    counter: TokenCounter,
) -> u64 {
    let system = system.map_or(0, |text| u64::from(Counted::new(text, &counter).tokens));
    let messages = messages.iter().map(|raw| {
        let message = anchord_messages::format::parse(format, raw);
        message.map_or(0, |message| u64::from(counter.count_message(&message)))
    });
    system + messages.sum::<u64>()
}
