//! Finds near-duplicates of texts in any script, by min-hashes over runs of three words.
//!
//! A character of a script without spaces is a word of its own, so that Chinese and Japanese texts have runs
//! too.

use serde::{Deserialize, Serialize};

use super::texts;
use anchord_messages::script::is_spaceless;

/// Hashes in a sketch.
const HASHES: usize = 8;
/// The hashes that must agree; then about nine tenths of the runs are the same.
const ALIKE: usize = 7;
/// Bits of a hash.
const BITS: u32 = 12;
/// The fewest runs of a text that is sketched: a repeated short text is no circular reasoning.
const LEAST_RUNS: usize = 16;
/// Bytes that are read at each end of a text.
const END_BYTES: usize = 2 * 1024;
/// How many sketches are stored.
const KEPT: usize = 12;
/// Odd factors that derive eight hashes from one.
const FACTORS: [u64; HASHES] = [
    0x9e37_79b9_7f4a_7c15, 0xc2b2_ae3d_27d4_eb4f, 0x1656_67b1_9e37_79f9, 0x27d4_eb2f_1656_67c5,
    0xff51_afd7_ed55_8ccd, 0xc4ce_b9fe_1a85_ec53, 0x94d0_49bb_1331_11eb, 0xbf58_476d_1ce4_e5b9,
];

/// The min-hashes of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Sketch([u16; HASHES]);

impl Sketch {
    /// Sketches a text; `None` when it is too short.
    pub(super) fn of(text: &str) -> Option<Self> {
        let mut least = [u32::MAX; HASHES];
        let mut runs = 0;
        let (head, tail) = texts::ends(text, END_BYTES);
        for piece in [head, tail] {
            let (mut first, mut second) = (0, 0);
            for_each_word(piece, |word| {
                if first != 0 {
                    runs += 1;
                    let run = first ^ u64::rotate_left(second, 21) ^ u64::rotate_left(word, 42);
                    for (least, factor) in least.iter_mut().zip(FACTORS) {
                        *least = (*least).min(mixed(run, factor));
                    }
                }
                (first, second) = (second, word);
            });
        }
        let short = |least: u32| u16::try_from(least & ((1 << BITS) - 1)).unwrap_or_default();
        (runs >= LEAST_RUNS).then(|| Self(least.map(short)))
    }

    /// Whether two texts are nearly the same, word for word.
    pub(super) fn is_like(self, other: Self) -> bool {
        self.0.iter().zip(other.0).filter(|(a, b)| **a == *b).count() >= ALIKE
    }
}

fn mixed(run: u64, factor: u64) -> u32 {
    let mixed = (run ^ run >> 29).wrapping_mul(factor);
    u32::try_from((mixed ^ mixed >> 31) >> 16 & 0xffff_ffff).unwrap_or_default()
}

/// Calls `each` with the hash of every word, never 0.
fn for_each_word(text: &str, mut each: impl FnMut(u64)) {
    let mut word = SEED;
    for c in text.chars().chain(std::iter::once(' ')) {
        let is_alone = !c.is_ascii() && is_spaceless(c);
        if c.is_ascii_alphanumeric() {
            word = step(word, u32::from(c.to_ascii_lowercase()));
        } else if !c.is_ascii() && c.is_alphanumeric() && !is_alone {
            word = c.to_lowercase().fold(word, |word, c| step(word, u32::from(c)));
        } else {
            let ended = std::mem::replace(&mut word, SEED);
            if ended != SEED {
                each(ended | 1);
            }
            if is_alone {
                each(step(SEED, u32::from(c)) | 1);
            }
        }
    }
}

/// The start value of a word's hash.
const SEED: u64 = 0xcbf2_9ce4_8422_2325;

fn step(hash: u64, c: u32) -> u64 {
    (hash ^ u64::from(c)).wrapping_mul(0x0100_0000_01b3)
}

/// The sketches of the agent's last messages, oldest first; `None` for short ones.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Sketches(Vec<Option<Sketch>>);

impl Sketches {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn push(&mut self, sketch: Option<Sketch>) {
        if self.0.len() >= KEPT {
            self.0.remove(0);
        }
        self.0.push(sketch);
    }

    /// The largest number of messages that are nearly the same as one of them, that one included.
    pub(super) fn most_alike(&self) -> usize {
        let sketches = self.0.iter().flatten();
        let alike = |one: &Sketch| self.0.iter().flatten().filter(|other| one.is_like(**other)).count();
        sketches.map(alike).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn alike(a: &str, b: &str) -> bool {
        Sketch::of(a).unwrap().is_like(Sketch::of(b).unwrap())
    }

    #[rstest]
    #[case(
        "The connection pool seems to be exhausted, so I will check the pool settings once more and then look at the logs of the worker to find out which query holds the connection open for so long.",
        "The connection pool seems to be exhausted, so I will check the pool settings once more, and then look at the logs of the worker to find out which query holds the connection open for so long!"
    )]
    #[case(
        "连接池似乎已经耗尽，所以我会再次检查连接池的设置，然后查看工作进程的日志，找出是哪个查询长时间占用了连接。",
        "连接池似乎已经耗尽，所以我会再次检查连接池的设置，然后查看工作进程的日志，找出是哪个查询长时间占用了连接！"
    )]
    #[case(
        "Пул соединений, похоже, исчерпан, поэтому я ещё раз проверю настройки пула, а затем посмотрю журналы рабочего процесса, чтобы найти запрос, который держит соединение.",
        "Пул соединений, похоже, исчерпан, поэтому я ещё раз проверю настройки пула; а затем посмотрю журналы рабочего процесса, чтобы найти запрос, который держит соединение!"
    )]
    fn the_same_in_nearly_the_same_words_is_alike(#[case] a: &str, #[case] b: &str) {
        assert!(alike(a, b), "{a}");
    }

    #[rstest]
    #[case(
        "The parser reads the header first and then the body; I will add a check for the length of the header before it is used.",
        "The writer puts out the body first and then the footer; I will remove the check for the length of the footer after it was written."
    )]
    #[case(
        "解析器先读取头部，然后读取正文；我将在使用头部之前增加对其长度的检查。",
        "写入器先输出正文，然后输出尾部；写完之后我会去掉对尾部长度的检查。"
    )]
    fn other_reasoning_in_the_same_style_is_not(#[case] a: &str, #[case] b: &str) {
        assert!(!alike(a, b));
    }

    #[test]
    fn short_texts_have_no_sketch() {
        assert_eq!(Sketch::of("Now let me run the tests once more."), None);
        assert_eq!(Sketch::of(""), None);
    }
}
