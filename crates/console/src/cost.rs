//! What calls cost, and what the plain ways of keeping a conversation within its window would have cost: pure functions over the
//! sizes of contexts.

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
    pub input: f64,
    pub cached: f64,
    pub written: f64,
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
}

impl Tokens {
    pub fn total(self) -> i64 {
        self.new + self.cached + self.rewritten
    }

    /// Its cost in millionths.
    #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "an estimate")]
    pub fn micros(self, prices: Prices) -> i64 {
        let fresh = (self.new + self.rewritten) as f64;
        (fresh * prices.written + self.cached as f64 * prices.cached) as i64
    }
}

impl std::ops::AddAssign for Tokens {
    fn add_assign(&mut self, other: Self) {
        self.new += other.new;
        self.cached += other.cached;
        self.rewritten += other.rewritten;
    }
}

/// A way of keeping a conversation within its window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// All of it, however long.
    Everything,
    /// The newest messages that fit.
    Newest,
    /// All of it until it is full to four fifths, then a summary of a fifth that a model writes from all of it.
    Summarised,
}

impl Way {
    pub const ALL: [Self; 3] = [Self::Everything, Self::Newest, Self::Summarised];

    pub fn name(self) -> &'static str {
        match self {
            Self::Everything => "Everything, as if the window had no end",
            Self::Newest => "The newest messages that fit",
            Self::Summarised => "A model's summary whenever the window is four fifths full",
        }
    }
}

/// What the calls, oldest first, would have sent in another way.
pub fn simulate(calls: impl IntoIterator<Item = Size>, way: Way) -> Tokens {
    let mut all = Tokens::default();
    let mut before = 0;
    let mut whole_before = 0;
    let mut size = 0;
    for call in calls {
        let grown = (call.whole - whole_before).max(0);
        whole_before = call.whole;
        let window = call.budget.max(1);
        let sent = match way {
            Way::Everything => {
                size = call.whole;
                Tokens { new: grown, cached: before, rewritten: size - grown - before }
            }
            Way::Newest => {
                size = call.whole.min(window);
                // What is cut is at the start, so that nothing behind it stays.
                let cached = if call.whole <= window { before } else { 0 };
                let new = grown.min(size);
                Tokens { new, cached, rewritten: size - cached - new }
            }
            Way::Summarised => {
                size += grown;
                if size * 5 > window * 4 {
                    // The model that summarises reads all of it once.
                    all += Tokens { cached: before, new: size - before, rewritten: 0 };
                    size = (window / 5).max(1);
                    Tokens { new: size, ..Tokens::default() }
                } else {
                    Tokens { new: grown, cached: before, rewritten: size - grown - before }
                }
            }
        };
        all += Tokens { new: sent.new, cached: sent.cached, rewritten: sent.rewritten.max(0) };
        before = size;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn call(whole: i64) -> Size {
        Size { whole, budget: 1_000 }
    }

    #[test]
    fn the_plain_ways_differ_where_the_window_is_full() {
        let calls: Vec<Size> = (1..=20).map(|n| call(n * 100)).collect();
        assert_eq!(simulate(calls.iter().copied(), Way::Everything).new, 2_000);
        assert_eq!(
            simulate(calls.iter().copied(), Way::Everything).total(),
            (1..=20).map(|n| n * 100).sum::<i64>()
        );
        assert!(simulate(calls.iter().copied(), Way::Newest).rewritten > 0);
        assert!(
            simulate(calls.iter().copied(), Way::Summarised).total()
                < simulate(calls.iter().copied(), Way::Everything).total()
        );
    }

    proptest! {
        #[test]
        fn no_part_is_negative(sizes in proptest::collection::vec(0i64..9_000, 1..40)) {
            let calls: Vec<Size> = sizes.into_iter().map(call).collect();
            for way in Way::ALL {
                let tokens = simulate(calls.iter().copied(), way);
                prop_assert!(tokens.new >= 0 && tokens.cached >= 0 && tokens.rewritten >= 0);
            }
        }
    }
}
