//! The dice, and the prose that is drawn with them.

use super::spelling::{capital, put};
use super::{Person, World};

/// Values that are running text: a frame that begins with one begins with a capital.
const WORD_KEYS: &[&str] = &[
    "{why}",
    "{won}",
    "{phrase}",
    "{b}",
    "{a}",
    "{about}",
    "{what}",
    "{question}",
    "{cause}",
    "{con}",
    "{pro}",
    "{reason}",
];

/// A small random number generator (`splitmix64`).
pub(super) struct Dice(pub(super) u64);

impl Dice {
    /// The next 64 bits.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 to `n - 1`; 0 when `n` is 0.
    pub(super) fn below(&mut self, n: usize) -> usize {
        let n = u64::try_from(n.max(1)).unwrap_or(1);
        usize::try_from(self.next() % n).unwrap_or(0)
    }

    /// A number from `low` to `high`, both included.
    pub(super) fn range(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high.saturating_sub(low) + 1)
    }

    /// True in `percent` of a hundred cases.
    pub(super) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of a list that is not empty.
    pub(super) fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// A string of `n` hexadecimal digits.
    pub(super) fn hex(&mut self, n: usize) -> String {
        (0..n).map(|_| char::from(b"0123456789abcdef"[self.below(16)])).collect()
    }
}

impl World {
    /// A number as text, between `low` and `high`.
    pub(super) fn num(&mut self, low: usize, high: usize) -> String {
        self.dice.range(low, high).to_string()
    }

    /// The next place in a shuffled list of `len` places; a list is gone through before it starts again.
    pub(super) fn draw_at(&mut self, key: &'static str, len: usize) -> usize {
        if self.decks.get(key).is_none_or(Vec::is_empty) {
            let mut order: Vec<usize> = (0..len).collect();
            for i in (1..len).rev() {
                order.swap(i, self.dice.below(i + 1));
            }
            self.decks.insert(key, order);
        }
        self.decks.get_mut(key).and_then(Vec::pop).unwrap_or(0)
    }

    /// The next entry of a word list, which is gone through before it starts again.
    pub(super) fn draw(&mut self, list: &'static [&'static str]) -> &'static str {
        list[self.draw_at(list[0], list.len())]
    }

    /// Chooses among the alternatives of a frame and fills its values.
    fn prose(&mut self, frame: &str, with: &[(&str, &str)]) -> String {
        let mut out = String::new();
        let mut rest = frame;
        while let Some((before, after)) = rest.split_once('[') {
            out.push_str(before);
            let (inner, tail) = after.split_once(']').unwrap_or((after, ""));
            let ways: Vec<&str> = inner.split('|').collect();
            out.push_str(self.dice.pick(&ways));
            rest = tail;
        }
        out.push_str(rest);
        let starts_with_words = WORD_KEYS.iter().any(|key| out.starts_with(key));
        let filled = put(&capital(&out), '{', '}', with);
        if starts_with_words { capital(&filled) } else { filled }
    }

    /// A frame from a list, its alternatives chosen and its values filled.
    pub(super) fn tell(&mut self, list: &'static [&'static str], with: &[(&str, &str)]) -> String {
        let frame = self.draw(list);
        self.prose(frame, with)
    }

    /// Someone of the company who is not in the conversation.
    pub(super) fn other(&mut self) -> Person {
        let at = self.dice.below(self.others.len());
        self.others[at].clone()
    }

    /// The date, some days from today.
    pub(super) fn date(&self, ahead: usize) -> String {
        let work = self.minute / 600;
        let mut day = work / 5 * 7 + work % 5 + ahead + 32;
        let mut month = 0;
        let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        while day >= lengths[month % 12] {
            day -= lengths[month % 12];
            month += 1;
        }
        format!("{}-{:02}-{:02}", 2026 + month / 12, month % 12 + 1, day + 1)
    }

    /// The time of day, as `HH:MM`; working days have ten hours from eight on.
    pub(super) fn clock(&self) -> String {
        let m = self.minute % 600;
        format!("{:02}:{:02}", 8 + m / 60, m % 60)
    }
}
