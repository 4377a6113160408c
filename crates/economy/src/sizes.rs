//! Ways of which the sizes of calls say enough: where a service has counted a conversation and its messages are not read.
//!
//! The rules are those of `history`, on parts that have a size and no text. So nothing here knows what a prompt knows, and a
//! conversation begins anew where nobody says how it went on.

use crate::history::{History, SUMMARY_TOKENS};
use crate::piece::{Part, count};
use crate::tally::{ANSWER_PRICE, Sent, Tally};
use crate::ways::Way;

/// The ways that are told by sizes.
pub const WAYS: [Way; 3] = [Way::Everything, Way::Truncate, Way::Compact];

/// What a call would have had to send.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Tokens of the whole conversation.
    pub whole: i64,
    /// Tokens that the window has room for.
    pub budget: i64,
}

/// Prices of a million tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prices {
    /// Of tokens that are sent and that the provider caches now.
    pub input: f64,
    /// Of those that the provider has cached.
    pub cached: f64,
    /// Of those that a model writes; without it they cost as many times the input's as everywhere here.
    pub output: Option<f64>,
}

/// Tokens of prompts, by what a provider charges for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Never sent before.
    pub new: i64,
    /// The same start as in the call before.
    pub cached: i64,
    /// Sent before, behind something that has changed.
    pub rewritten: i64,
    /// Of summaries that a model writes.
    pub answers: i64,
}

impl Tokens {
    /// All that are sent.
    pub fn total(self) -> i64 {
        self.new + self.cached + self.rewritten
    }

    /// Its cost in millionths.
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "an estimate")]
    pub fn micros(self, prices: Prices) -> i64 {
        let of_answers = prices.output.unwrap_or(prices.input * ANSWER_PRICE);
        let sent = (self.new + self.rewritten) as f64 * prices.input + self.cached as f64 * prices.cached;
        (sent + self.answers as f64 * of_answers) as i64
    }
}

impl std::ops::AddAssign for Tokens {
    fn add_assign(&mut self, other: Self) {
        self.new += other.new;
        self.cached += other.cached;
        self.rewritten += other.rewritten;
        self.answers += other.answers;
    }
}

/// The part by which a conversation has grown at one call, or a summary of such parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Grown {
    /// Its call, or the summary's, below zero.
    number: i64,
    tokens: usize,
}

impl Part for Grown {
    fn bytes(&self) -> usize {
        self.tokens
    }

    fn same_start(&self, other: &Self) -> usize {
        if self == other { self.tokens } else { 0 }
    }

    fn is_agents(&self) -> bool {
        true
    }

    fn has_results(&self) -> bool {
        false
    }
}

/// What the calls, oldest first, would have sent in another way. Ways that look at messages are played as if they did not.
pub fn simulate(calls: impl IntoIterator<Item = Size>, way: Way) -> Tokens {
    // A token is its own byte.
    let mut sent: Sent<Grown> = Sent::new(1.0, 0.0);
    let mut history = History { system: Vec::new(), messages: Vec::new() };
    let (mut all, mut whole) = (Tokens::default(), 0);
    for (number, call) in (1..).zip(calls) {
        let grown = usize::try_from(call.whole - whole).unwrap_or_default();
        whole = call.whole;
        sent.effective = count(usize::try_from(call.budget).unwrap_or_default());
        history.messages.push(Grown { number, tokens: grown });
        let before = sent.tally;
        match way {
            Way::Compact | Way::Capped | Way::Keep20 => {
                history
                    .compact(&mut sent, None, |_| Grown { number: -number, tokens: rounded(SUMMARY_TOKENS) });
            }
            Way::Truncate => history.truncate(&sent),
            Way::Everything | Way::Service => {}
        }
        sent.send(&history.prompt());
        all += since(&before, &sent.tally, grown);
    }
    all
}

/// What came between two sums.
fn since(before: &Tally, after: &Tally, grown: usize) -> Tokens {
    let between = |of: fn(&Tally) -> f64| rounded(of(after) - of(before));
    let (tokens, cached) = (between(|tally| tally.tokens), between(|tally| tally.cached));
    let signed = |tokens: usize| i64::try_from(tokens).unwrap_or(i64::MAX);
    let fresh = tokens - cached;
    let new = grown.min(fresh);
    Tokens {
        new: signed(new),
        cached: signed(cached + between(|tally| tally.read_cached)),
        rewritten: signed(fresh - new + between(|tally| tally.read)),
        answers: signed(between(|tally| tally.written)),
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count that is not negative")]
fn rounded(tokens: f64) -> usize {
    tokens.round().max(0.0) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn call(whole: i64) -> Size {
        Size { whole, budget: 10_000 }
    }

    fn played(way: Way) -> Tokens {
        simulate((1..=20).map(|n| call(n * 1_000)), way)
    }

    #[test]
    fn everything_is_the_sum_of_the_conversation() {
        let all = played(Way::Everything);
        assert_eq!(all.total(), (1..=20).map(|n| n * 1_000).sum::<i64>());
        assert_eq!((all.new > 20_000, all.rewritten > 0, all.answers), (false, true, 0), "{all:?}");
        assert!(all.cached > 150_000, "{all:?}");
    }

    #[test]
    fn a_full_window_is_halved_or_summarised() {
        let (everything, half, summed) =
            (played(Way::Everything), played(Way::Truncate), played(Way::Compact));
        assert!(half.total() < everything.total() && half.rewritten > everything.rewritten, "{half:?}");
        // Beyond 7,000 tokens: at 8,000 of them, and each time that a summary and six calls were there.
        assert_eq!(summed.answers, 3 * 1_500, "{summed:?}");
        assert!(summed.total() < everything.total(), "{summed:?}");
    }

    #[test]
    fn an_answer_costs_what_output_does_or_five_times_a_token_that_is_sent() {
        let tokens = Tokens { new: 10, cached: 20, rewritten: 0, answers: 2 };
        let prices = Prices { input: 1.0, cached: 0.5, output: None };
        assert_eq!(tokens.micros(prices), 30);
        assert_eq!(tokens.micros(Prices { output: Some(8.0), ..prices }), 36);
        assert_eq!(tokens.total(), 30);
    }

    proptest! {
        #[test]
        fn no_part_is_negative(sizes in proptest::collection::vec(0i64..9_000, 1..40)) {
            for way in WAYS {
                let tokens = simulate(sizes.iter().map(|size| Size { whole: *size, budget: 1_000 }), way);
                prop_assert!(tokens.new >= 0 && tokens.cached >= 0 && tokens.rewritten >= 0);
            }
        }
    }
}
