//! The outputs of a batch that are too large to be served whole.

use crate::accounting::MessageCounts;
use crate::warning::Warning;
use anchord_messages::id::Seq;

/// The tool outputs of a batch. Outputs that follow each other answer one call of the model, and are served together.
#[derive(Debug, Default)]
pub(super) struct Outputs {
    runs: Vec<Vec<(Seq, u32)>>,
    /// Whether the last message was an output.
    is_open: bool,
}

impl Outputs {
    /// Takes the next message of the batch.
    pub(super) fn push(&mut self, message: &MessageCounts) {
        let is_output = message.results > 0;
        if is_output && !self.is_open {
            self.runs.push(Vec::new());
        }
        if let Some(run) = self.runs.last_mut().filter(|_| is_output) {
            run.push((message.seq, message.tool_output_tokens));
        }
        self.is_open = is_output;
    }

    /// A warning for each output that has to give way where outputs have `room` tokens.
    pub(super) fn warnings(self, room: u32) -> impl Iterator<Item = Warning> {
        self.runs.into_iter().flat_map(move |run| {
            let most = most_of_each(&run, room);
            let larger = run.into_iter().filter(move |(_, tokens)| *tokens > most);
            larger.map(move |(seq, tokens)| Warning::of_large_output(seq, tokens, most))
        })
    }
}

/// The most tokens that each of these outputs may have, so that they fit together with only the largest ones cut.
fn most_of_each(run: &[(Seq, u32)], room: u32) -> u32 {
    let mut tokens: Vec<u32> = run.iter().map(|(_, tokens)| *tokens).collect();
    tokens.sort_unstable();
    let (mut left, mut count) = (room, u32::try_from(tokens.len()).unwrap_or(u32::MAX));
    for tokens in tokens {
        let share = left / count.max(1);
        if tokens > share {
            return share;
        }
        (left, count) = (left - tokens, count - 1);
    }
    room
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_share_the_room_and_the_largest_give_way() {
        let most = |tokens: &[u32]| {
            let run: Vec<(Seq, u32)> = (1..).zip(tokens.iter().copied()).collect();
            most_of_each(&run, 1_000)
        };
        assert_eq!(most(&[1_000]), 1_000);
        assert_eq!(most(&[1_001]), 1_000);
        assert_eq!(most(&[300, 700]), 1_000);
        assert_eq!(most(&[300, 900]), 700);
        assert_eq!(most(&[100, 2_000, 3_000]), 450);
    }
}
