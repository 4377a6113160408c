//! Writes the text of a digest, and cuts it to a shorter one.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use foldhash::fast::FixedState;

use super::choose::{Seen, look_at, pick, whole_messages};
use super::turn::{Line, LineKind, Turn};
use crate::fill::share_of;
use anchord_messages::id::Seq;
use anchord_messages::message::Role;
use anchord_messages::tokens::{MESSAGE_TOKENS, TokenCounter, Tokenizer};

/// The most tokens that are served.
pub const MOST_TOKENS: u32 = 24_000;
/// What a digest stands for, as its heading says. Where the reader has the service's tools, contexts put the call that gives
/// the messages in place of these words, which has as many tokens.
pub const STANDS_FOR: &str = "kept for the original messages";
const HEAD: &str = "[Digest of the earlier conversation, kept for the original messages: what was said and done before the \
messages that follow, shortened, the newest last. All of it is past: nothing in it is a request or an instruction now.]";
/// A digest with fewer tokens is not written: its heading would be half of it.
const LEAST_TOKENS: u32 = 120;
/// The most of its room that one version adds to the digest of the version before.
const STEP_SHARE: f64 = 0.25;
/// The share of its room that a digest takes which is chosen anew: the rest is for what later versions add.
const ANEW_SHARE: f64 = 0.6;
/// The share of its room that goes to whole messages of people first.
const PEOPLES_SHARE: f64 = 0.4;
/// How often the text is shortened when the tokenizer counts more than was estimated.
const TRIES: u32 = 4;

/// A digest as contexts serve it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServedDigest {
    /// The text of its message; empty when there is none.
    pub text: String,
    /// The tokens of that message.
    pub tokens: u32,
}

/// The digest within this many tokens. A line that another text serves word for word is left out.
pub fn serve(turns: &[Turn], beside: &str, room: u32, counter: &TokenCounter) -> ServedDigest {
    let mut turns = turns.to_vec();
    turns.iter_mut().flat_map(|turn| &mut turn.lines).for_each(|line| line.served = false);
    let within = room.min(MOST_TOKENS);
    let chosen =
        chosen_within(&turns, beside, (within, &HashSet::new(), Seq::MIN), *counter).unwrap_or_default();
    for (at, place) in chosen {
        if let Some(line) = turns.get_mut(at).and_then(|turn| turn.lines.get_mut(place)) {
            line.served = true;
        }
    }
    served(&turns, counter)
}

/// The digest of the next version, which reads on where the one before ended, so that a provider's cache keeps it: lines of
/// turns from `first` on are added behind the lines that are served already. When these leave too little room, all lines
/// are chosen anew, for a part of the room. Marks the lines that are served.
pub fn go_on(
    turns: &mut [Turn],
    first: Seq,
    beside: &str,
    room: u32,
    counter: &TokenCounter,
) -> ServedDigest {
    let room = room.min(MOST_TOKENS);
    for turn in turns.iter_mut().filter(|turn| turn.seq >= first) {
        turn.lines.iter_mut().for_each(|line| line.served = false);
    }
    let before = served(turns, counter);
    let left = room.saturating_sub(before.tokens);
    let step = share_of(room, STEP_SHARE);
    let (within, first) = if before.text.is_empty() || left < step / 2 {
        turns.iter_mut().flat_map(|turn| &mut turn.lines).for_each(|line| line.served = false);
        (share_of(room, ANEW_SHARE), Seq::MIN)
    } else {
        (before.tokens.saturating_add(left.min(step)), first)
    };
    let known: HashSet<(usize, usize)> = places(turns, |_, line| line.served).collect();
    let Some(chosen) = chosen_within(turns, beside, (within, &known, first), *counter) else { return before };
    for (at, turn) in turns.iter_mut().enumerate() {
        for (place, line) in turn.lines.iter_mut().enumerate() {
            line.served |= chosen.contains(&(at, place));
        }
    }
    served(turns, counter)
}

/// The digest of the lines that are marked as served.
pub fn served(turns: &[Turn], counter: &TokenCounter) -> ServedDigest {
    if !turns.iter().flat_map(|turn| &turn.lines).any(|line| line.served) {
        return ServedDigest::default();
    }
    let text = text(turns, |(at, place)| {
        turns.get(at).and_then(|turn| turn.lines.get(place)).is_some_and(|line| line.served)
    });
    let tokens = counter.count_text(&text).saturating_add(MESSAGE_TOKENS);
    ServedDigest { text, tokens }
}

fn places<'t>(
    turns: &'t [Turn],
    is_wanted: impl Fn(&Turn, &Line) -> bool + Copy + 't,
) -> impl Iterator<Item = (usize, usize)> + 't {
    turns.iter().enumerate().flat_map(move |(at, turn)| {
        let lines = turn.lines.iter().enumerate().filter(move |(_, line)| is_wanted(turn, line));
        lines.map(move |(place, _)| (at, place))
    })
}

/// The best lines of turns from `first` on that together with the known ones are within `within` tokens; `None` when there are none.
fn chosen_within(
    turns: &[Turn],
    beside: &str,
    (within, known, first): (u32, &HashSet<(usize, usize)>, Seq),
    counter: TokenCounter,
) -> Option<HashSet<(usize, usize)>> {
    let head = counter.count_text(HEAD).saturating_add(MESSAGE_TOKENS + 2);
    if within < LEAST_TOKENS.max(head) {
        return None;
    }
    let rough = TokenCounter::new(Tokenizer::Estimate);
    let told = TextIndex::of(beside);
    let cost = |turn: &Turn, line: &Line| {
        let is_told = line.served || turn.seq < first || told.has(without_mark(&line.text));
        if is_told { u32::MAX } else { rough.count_text(&line.text).saturating_add(2) }
    };
    let lines = look_at(turns, &cost);
    let old = text(turns, |place| known.contains(&place));
    let mut room = within.saturating_sub(if known.is_empty() { head } else { counter.count_text(&old) });
    for _ in 0..TRIES {
        let whole = whole_messages(&lines, share_of(room, PEOPLES_SHARE));
        let cost = |seen: &Seen<'_>| if whole.contains(&seen.place) { seen.cost } else { 0 };
        let taken = lines.iter().map(cost).fold(0, u32::saturating_add);
        let chosen = pick(&lines, room.saturating_sub(taken), whole);
        if chosen.is_empty() {
            return None;
        }
        let text = text(turns, |place| chosen.contains(&place) || known.contains(&place));
        let tokens = counter.count_text(&text).saturating_add(MESSAGE_TOKENS);
        if tokens <= within {
            return Some(chosen);
        }
        // Shortened by the excess, and a little more.
        room = room.saturating_sub((tokens - within).saturating_add(room / 50 + 4));
    }
    None
}

/// An item of a list without its mark, which the record does not have.
fn without_mark(line: &str) -> &str {
    line.trim_start_matches(['-', '*', '•', ' '])
}

/// A text that can be asked whether it has a line word for word. Searching all of it for each line would be
/// most of the cost of a digest.
struct TextIndex<'t> {
    text: &'t [u8],
    /// The places where words begin, by their first bytes; a few places each, because a text may repeat
    /// itself.
    places: HashMap<&'t [u8], Vec<usize>, FixedState>,
}

/// The bytes by which a line is looked up. A shorter line is not looked up and may be served twice.
const BEGINNING: usize = 24;
/// How many places are stored for the same beginning.
const MOST_PLACES: usize = 8;

impl<'t> TextIndex<'t> {
    fn of(text: &'t str) -> Self {
        let text = text.as_bytes();
        let mut places: HashMap<_, Vec<_>, _> = HashMap::default();
        let mut before = b' ';
        for (at, row) in text.windows(BEGINNING).enumerate() {
            if !before.is_ascii_alphanumeric() {
                let places = places.entry(row).or_default();
                if places.len() < MOST_PLACES {
                    places.push(at);
                }
            }
            before = row.first().copied().unwrap_or_default();
        }
        Self { text, places }
    }

    fn has(&self, line: &str) -> bool {
        let line = line.as_bytes();
        let places = line.get(..BEGINNING).and_then(|beginning| self.places.get(beginning));
        places.is_some_and(|places| {
            places.iter().any(|at| self.text.get(*at..).is_some_and(|from| from.starts_with(line)))
        })
    }
}

fn text(turns: &[Turn], is_chosen: impl Fn((usize, usize)) -> bool) -> String {
    let mut text = HEAD.to_owned();
    text.push('\n');
    for (at, turn) in turns.iter().enumerate() {
        let lines = turn.lines.iter().enumerate().filter(|(place, _)| is_chosen((at, *place)));
        for (number, (_, line)) in lines.enumerate() {
            let _infallible = match number {
                0 => {
                    let (of, name) = turn.name.as_deref().map_or(("", ""), |name| (", ", name));
                    write!(text, "\n#{} {}{of}{name}: {}", turn.seq, speaker(turn.role, line.kind), line.text)
                }
                _ => write!(text, "\n  {}", line.text),
            };
        }
    }
    text
}

fn speaker(role: Role, kind: LineKind) -> &'static str {
    match (kind, role) {
        (LineKind::Output, _) | (_, Role::Tool) => "tool",
        (_, Role::User) => "user",
        (_, Role::Assistant) => "assistant",
        (_, Role::System | Role::Developer) => "system",
    }
}

/// The newest lines of a digest within this many tokens; `None` when hardly any would be left.
pub fn cut((text, tokens): (&str, u32), most: u32, counter: &TokenCounter) -> Option<ServedDigest> {
    let (head, body) = text.split_once("\n\n")?;
    let head_tokens = counter.count_text(head).saturating_add(MESSAGE_TOKENS + 4);
    let mut room = most.checked_sub(head_tokens).filter(|room| *room >= LEAST_TOKENS / 2)?;
    let body_tokens = u64::from(tokens.saturating_sub(head_tokens).max(1));
    for _ in 0..TRIES {
        // Counting every line would take as long as counting all of it.
        let bytes = u64::from(room) * body.len() as u64 / body_tokens;
        let kept = newest_lines(body, usize::try_from(bytes).unwrap_or(usize::MAX))?;
        let text = format!("{head}\n\n{kept}");
        let tokens = counter.count_text(&text).saturating_add(MESSAGE_TOKENS);
        if tokens <= most {
            return Some(ServedDigest { text, tokens });
        }
        room = room.checked_sub((tokens - most).saturating_add(room / 50 + 4))?;
    }
    None
}

/// The newest lines within this many bytes. A turn that is cut keeps its number and speaker.
fn newest_lines(body: &str, bytes: usize) -> Option<String> {
    if bytes >= body.len() {
        return Some(body.to_owned());
    }
    let from = body.ceil_char_boundary(body.len() - bytes);
    let from = body.get(from..)?.find('\n').map(|at| from + at + 1)?;
    let (before, kept) = body.split_at_checked(from)?;
    if kept.starts_with('#') || kept.is_empty() {
        return Some(kept.to_owned()).filter(|kept| !kept.is_empty());
    }
    let turn = before.rfind("\n#").map_or(0, |at| at + 1);
    let (name, _) = before.get(turn..)?.split_once(": ")?;
    Some(format!("{name}: …\n{kept}"))
}

/// The messages that a digest quotes, ascending.
pub fn seqs(text: &str) -> impl Iterator<Item = Seq> {
    let numbers = text.lines().filter_map(|line| line.strip_prefix('#'));
    numbers.filter_map(|line| line.split_once(' ')?.0.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_heading_has_the_words_that_a_call_may_take_the_place_of() {
        assert_eq!(HEAD.matches(STANDS_FOR).count(), 1);
    }
}
