//! The prompts of a session on its way: before each of the agent's messages the context is sent.

use std::collections::HashMap;

use anchord_economy::replay::Replay;
use anchord_economy::served::serve;
use anchord_messages::format;
use anchord_messages::message::Role;
use anchord_messages::tokens::TokenCounter;
use serde_json::Value;

/// Price of a token that a provider has in its cache; one that it has not costs 1.
const CACHED: f64 = 0.1;

/// The prompts that were sent so far.
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
        let head = usize::try_from(replay.session.head_seq).ok();
        let next = head.and_then(|at| replay.transcript.entries.get(at));
        if next.is_none_or(|next| next.role != Role::Assistant) {
            return;
        }
        // What does not fit the window at all is sent as nothing.
        let now: Vec<String> = serve(replay, None, self.counter, |context| {
            context.messages.into_iter().map(std::borrow::Cow::into_owned).collect()
        })
        .unwrap_or_default();
        let same = self.last.iter().zip(&now).take_while(|(before, now)| before == now).count();
        for (place, message) in now.iter().enumerate() {
            let counter = self.counter;
            let tokens = *self.counts.entry(message.clone()).or_insert_with(|| {
                format::parse(replay.transcript.format, message)
                    .map_or(0, |message| counter.count_message(&message))
            });
            self.cost += f64::from(tokens) * if place < same { CACHED } else { 1.0 };
        }
        self.last = now;
    }

    /// The cost of all of it, in tokens that no cache has.
    pub fn cost(&self) -> f64 {
        self.cost
    }
}

/// The messages that are served now, and their tokens.
pub fn context(replay: &Replay<'_>, counter: TokenCounter) -> (Vec<Value>, u32) {
    serve(replay, None, counter, |context| {
        let messages = context.messages.iter().filter_map(|message| serde_json::from_str(message).ok());
        (messages.collect(), context.tokens.total())
    })
    .unwrap_or_default()
}
