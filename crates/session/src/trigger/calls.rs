//! The last tool calls, each as a few short hashes.

use serde::{Deserialize, Serialize};

use anchord_facts::ledger::asked::Act;

/// How many calls are stored.
const KEPT: usize = 20;
/// How many of the last calls are searched for repetition.
pub(super) const REPEATS_WITHIN: usize = 12;
/// The id of a call that the agent writes as text; the next user message is its result.
pub(super) const SPOKEN: u16 = 0;

/// A tool call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Stored", into = "Stored")]
pub(super) struct Call {
    /// A hash of tool and arguments, 24 bits.
    pub hash: u32,
    /// Its effect.
    pub act: Act,
    /// A hash of the file's name; 0 when there are several or none is known.
    pub file: u16,
    /// A hash of the id by which a result names the call.
    pub id: u16,
    /// A hash of the result; 0 before it arrives.
    pub result: u16,
}

/// A call without the names of its fields, because the row is written at every append.
type Stored = (u32, Act, u16, u16, u16);

impl From<Call> for Stored {
    fn from(Call { hash, act, file, id, result }: Call) -> Self {
        (hash, act, file, id, result)
    }
}

impl From<Stored> for Call {
    fn from((hash, act, file, id, result): Stored) -> Self {
        Self { hash, act, file, id, result }
    }
}

/// The last calls, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Calls(Vec<Call>);

/// How often files were read again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Rereads {
    /// Calls that read a file.
    pub reads: usize,
    /// The number of them that returned what an earlier one had returned, unchanged.
    pub again: usize,
    /// The most readings of the same file, unchanged.
    pub most: usize,
}

impl Calls {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a call; returns whether it is a new one.
    pub(super) fn push(&mut self, call: Call) -> bool {
        let is_new = !self.0.iter().any(|known| known.hash == call.hash);
        if self.0.len() >= KEPT {
            self.0.remove(0);
        }
        self.0.push(call);
        is_new
    }

    /// Adds a result; returns whether it is a new one.
    pub(super) fn answer(&mut self, id: u16, result: u16) -> bool {
        let is_new = !self.0.iter().any(|known| known.result == result);
        if let Some(call) = self.0.iter_mut().rev().find(|call| call.id == id && call.result == 0) {
            call.result = result;
        }
        is_new
    }

    /// Adds the result of the newest call if that was written as text; returns whether the result is new, and
    /// `None` when no such call waits.
    pub(super) fn answer_spoken(&mut self, result: u16) -> Option<bool> {
        let waits = self.0.last().is_some_and(|call| call.id == SPOKEN && call.result == 0);
        waits.then(|| self.answer(SPOKEN, result))
    }

    /// How often one call was made with the same result and no changing call between, at most: running the
    /// tests after every edit is ordinary work. An agent that breaks and repairs the same line again and
    /// again is found by its equal edits.
    pub(super) fn most_repeats(&self) -> usize {
        let recent = self.0.get(self.0.len().saturating_sub(REPEATS_WITHIN)..).unwrap_or_default();
        (1..=recent.len()).filter_map(|end| recent.get(..end)).map(repeats_at_end).max().unwrap_or(0)
    }

    /// The readings among all stored calls, and how many of them were repeated.
    pub(super) fn rereads(&self) -> Rereads {
        let mut found = Rereads::default();
        for (at, call) in self.0.iter().enumerate().filter(|(_, call)| call.act == Act::Reads) {
            found.reads += 1;
            let before = self.0.get(..at).unwrap_or_default();
            let earlier = unchanged_readings(before, *call);
            found.again += usize::from(earlier > 0);
            found.most = found.most.max(earlier + 1);
        }
        found
    }
}

fn repeats_at_end(calls: &[Call]) -> usize {
    let Some((last, before)) = calls.split_last() else { return 0 };
    if last.act == Act::Waits {
        return 0;
    }
    let mut repeats = 1;
    for call in before.iter().rev() {
        if call.hash == last.hash {
            // A different result is news; a result that has not arrived may be.
            if call.result != last.result {
                break;
            }
            repeats += 1;
        } else if call.act == Act::Changes && last.act != Act::Changes {
            break;
        }
    }
    repeats
}

fn unchanged_readings(before: &[Call], read: Call) -> usize {
    let mut readings = 0;
    for call in before.iter().rev() {
        if call.hash == read.hash {
            if call.result != read.result {
                break;
            }
            readings += 1;
        } else if call.act == Act::Changes && (call.file == read.file || call.file == 0 || read.file == 0) {
            break;
        }
    }
    readings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(hash: u32, act: Act) -> Call {
        Call { hash, act, file: 1, id: 0, result: 9 }
    }

    fn ring(calls: &[Call]) -> Calls {
        let mut ring = Calls::default();
        for call in calls {
            ring.push(*call);
        }
        ring
    }

    #[test]
    fn the_ring_stays_short_and_comes_back_from_its_text() {
        let calls: Vec<Call> = (1..=50)
            .map(|nth| Call {
                file: u16::MAX,
                id: u16::MAX,
                result: u16::MAX,
                ..call(0xff_ffff - nth, Act::Changes)
            })
            .collect();
        let ring = ring(&calls);
        let text = serde_json::to_string(&ring).unwrap();
        assert!(text.len() <= 800, "{}", text.len());
        assert_eq!(serde_json::from_str::<Calls>(&text).unwrap(), ring);
    }

    #[test]
    fn a_change_by_another_call_between_two_equal_ones_makes_the_second_a_first() {
        let test = call(1, Act::Other);
        let edit = call(2, Act::Changes);
        assert_eq!(ring(&[test, test, test]).most_repeats(), 3);
        assert_eq!(ring(&[test, edit, test, edit, test]).most_repeats(), 2, "the edit repeats itself");
        let other_edit = call(3, Act::Changes);
        assert_eq!(ring(&[test, edit, test, other_edit, test]).most_repeats(), 1);
    }

    #[test]
    fn another_answer_is_progress() {
        let answered = |result| Call { result, ..call(1, Act::Other) };
        assert_eq!(ring(&[answered(1), answered(2), answered(3)]).most_repeats(), 1);
        assert_eq!(ring(&[answered(1), answered(1), answered(0)]).most_repeats(), 2, "it may still be news");
        assert_eq!(ring(&[answered(0), answered(0), answered(0)]).most_repeats(), 3, "no answers are told");
    }

    #[test]
    fn an_answer_goes_to_the_newest_open_call_with_its_id() {
        let open = Call { id: 5, result: 0, ..call(1, Act::Other) };
        let mut ring = ring(&[open, open]);
        assert!(ring.answer(5, 77));
        assert!(!ring.answer(5, 77), "the same content is nothing new");
        assert_eq!(ring.0.iter().map(|call| call.result).collect::<Vec<_>>(), [77, 77]);
    }
}
