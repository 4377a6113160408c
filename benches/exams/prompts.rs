//! The prompts of a session on its way: before each of the agent's messages the context is sent.

use std::collections::HashMap;

use anchord_context::context::{ContextInput, Counted, MaskInput, SummaryInput, assemble};
use anchord_context::mask::Marks;
use anchord_context::tools::ToolMode;
use anchord_messages::format::{self, Format};
use anchord_messages::id::Seq;
use anchord_messages::message::Role;
use anchord_messages::tokens::TokenCounter;
use serde_json::Value;

use crate::replay::Replay;

/// Price of a token that a provider has in its cache; one that it has not costs 1.
const CACHED: f64 = 0.1;

/// What was sent so far.
pub struct Prompts {
    counter: TokenCounter,
    last: Vec<String>,
    /// Tokens of messages as they were served.
    counts: HashMap<String, u32>,
    cost: f64,
}

impl Prompts {
    /// Nothing was sent yet.
    pub fn new(counter: TokenCounter) -> Self {
        Self { counter, last: Vec::new(), counts: HashMap::new(), cost: 0.0 }
    }

    /// Sends the context when the agent speaks next.
    pub fn look(&mut self, replay: &Replay<'_>) {
        let next = usize::try_from(replay.head).ok().and_then(|at| replay.transcript.entries.get(at));
        if next.is_none_or(|next| next.role != Role::Assistant) {
            return;
        }
        let now: Vec<String> = serve(replay, self.counter, |messages| messages).0;
        let same = self.last.iter().zip(&now).take_while(|(before, now)| before == now).count();
        for (place, message) in now.iter().enumerate() {
            let counter = self.counter;
            let tokens = *self.counts.entry(message.clone()).or_insert_with(|| {
                format::parse(Format::OpenaiChat, message)
                    .map_or(0, |message| counter.count_message(&message))
            });
            self.cost += f64::from(tokens) * if place < same { CACHED } else { 1.0 };
        }
        self.last = now;
    }

    /// What all of it cost, in tokens that no cache has.
    pub fn cost(&self) -> f64 {
        self.cost
    }
}

/// The messages that are served now, and their tokens.
pub fn context(replay: &Replay<'_>, counter: TokenCounter) -> (Vec<Value>, u32) {
    serve(replay, counter, |messages| {
        messages.iter().filter_map(|message| serde_json::from_str(message).ok()).collect()
    })
}

fn serve<T>(replay: &Replay<'_>, counter: TokenCounter, read: impl Fn(Vec<String>) -> T) -> (T, u32) {
    let entries = &replay.transcript.entries;
    let place = |seq: Seq| usize::try_from(seq).unwrap_or_default();
    let carried = replay.counts.carried.and_then(|carried| entries.get(place(carried.seq).checked_sub(1)?));
    let marks = Marks::new();
    let summary = replay.served.as_ref().map(|served| SummaryInput {
        version: served.version,
        anchor_seq: replay.anchor,
        message: Counted { text: &served.full.0, tokens: served.full.1 },
        least: (served.least.1 < served.full.1)
            .then_some(Counted { text: &served.least.0, tokens: served.least.1 }),
        digest: Some(&served.digest)
            .filter(|digest| !digest.text.is_empty())
            .map(|digest| Counted { text: &digest.text, tokens: digest.tokens }),
    });
    let made = assemble(&ContextInput {
        session: "a-session",
        branch: None,
        format: Format::OpenaiChat,
        budget: replay.policy.effective_window,
        head_seq: replay.head,
        context_revision: 1,
        system: entries.get(..place(replay.counts.system_through)).unwrap_or_default(),
        pins: None,
        summary,
        kept: &[],
        carried,
        tail: replay.tail(),
        tail_omitted: None,
        mask: MaskInput { mode: replay.policy.mask, clipping: replay.counts.clipping(), marks: &marks },
        recap: None,
        cache: None,
        notes: &[],
        tools: ToolMode::None,
        counter: &counter,
    });
    // What does not fit the window at all is sent as nothing.
    let Ok(made) = made else { return (read(Vec::new()), 0) };
    let tokens = made.tokens.total();
    (read(made.messages.into_iter().map(std::borrow::Cow::into_owned).collect()), tokens)
}
