//! Splits a span into the pieces that a model reads one by one: whole groups, without secrets, clipped where they would not
//! fit otherwise.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

use anchord_facts::ledger::reading::Reading;
use anchord_facts::pattern;
use anchord_facts::redact::redact;
use anchord_messages::id::Seq;
use anchord_messages::message::{Message, Numbered, Part, Role};
use anchord_messages::tokens::TokenCounter;

/// The most characters of a tool body, and of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clipping {
    tool: usize,
    text: usize,
}

impl Default for Clipping {
    fn default() -> Self {
        Self { tool: 6_000, text: 16_000 }
    }
}

impl Clipping {
    /// Nothing is clipped.
    const NONE: Self = Self { tool: usize::MAX, text: usize::MAX };
    /// How many quarters of a byte a token may have, the mildest estimate first: few texts have more than eight bytes.
    const QUARTERS_PER_TOKEN: [usize; 9] = [32, 20, 18, 16, 15, 14, 12, 10, 8];

    /// The clippings that are tried for messages which should fit in `budget` tokens together: none, and then those that cut
    /// the largest outputs first and texts last. All are milder than the default, at which messages are split into pieces.
    fn ladder(messages: &[Numbered], budget: u32) -> impl Iterator<Item = Self> {
        let (mut outputs, mut texts) = (Vec::new(), Vec::new());
        for part in messages.iter().flat_map(|numbered| &numbered.message.parts) {
            match part {
                Part::ToolResult(result) => outputs.push(result.text().len()),
                Part::Text(text) => texts.push(text.len()),
                Part::ToolCall(call) => texts.push(call.arguments.len()),
                Part::File(file) => outputs.extend(file.text().map(str::len)),
                Part::Image(_) | Part::Thinking(_) | Part::Other(_) => {}
            }
        }
        outputs.sort_unstable();
        texts.sort_unstable();
        let budget = usize::try_from(budget).unwrap_or(usize::MAX);
        let least = Self::default();
        let cut = move |quarters: usize| {
            let room = budget.saturating_mul(quarters) / 4;
            let tool = level(&outputs, room.saturating_sub(texts.iter().sum()));
            if tool >= least.tool {
                return Self { tool, ..Self::NONE };
            }
            let of_outputs = outputs.iter().map(|length| (*length).min(least.tool)).sum();
            Self { text: level(&texts, room.saturating_sub(of_outputs)).max(least.text), ..least }
        };
        let mut tried = least;
        Self::QUARTERS_PER_TOKEN.into_iter().map(cut).filter(move |clipping| {
            let is_new = *clipping != std::mem::replace(&mut tried, *clipping);
            is_new && *clipping != least
        })
    }
}

/// The length to which the longest of some texts are cut so that all have `room`; `lengths` are ascending.
fn level(lengths: &[usize], room: usize) -> usize {
    let mut left = room;
    for (at, length) in lengths.iter().enumerate() {
        let share = left / (lengths.len() - at);
        if *length > share {
            return share;
        }
        left -= length;
    }
    usize::MAX
}

/// The least characters of a body when a single group is too large.
const LEAST_CHARS: usize = 120;
/// The end of the mark where a text is cut.
const LEFT_OUT: &str = "bytes left out …]";
/// The most tokens of the messages after the span.
const MOST_LATER_TOKENS: u32 = 2_500;
/// Tokens of the marks around a message.
const MARK_TOKENS: u32 = 40;

/// Who wrote a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Voice {
    Person,
    Assistant,
    Tool,
}

/// One message as it is sent to the model.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub(super) seq: Seq,
    pub(super) role: &'static str,
    pub(super) voice: Voice,
    pub(super) text: String,
    /// The text without calls and results.
    pub(super) words: String,
    /// Who of several people wrote it.
    pub(super) speaker: Option<String>,
}

impl Block {
    /// Whether its words are not all there.
    pub(super) fn is_cut(&self) -> bool {
        self.words.contains(LEFT_OUT)
    }
}

/// A piece of the span.
#[derive(Clone, Debug)]
pub struct Chunk {
    /// Its first message.
    pub from_seq: Seq,
    /// Its last message.
    pub through_seq: Seq,
    /// About how many tokens its messages have as they are sent.
    pub tokens: u32,
    pub(super) blocks: Vec<Block>,
    /// Messages after the span, which stay in the context: they show what is over by now.
    pub(super) later: Vec<Block>,
}

impl Chunk {
    /// The same piece, the last one of its span, with the newest messages after the span, shortened.
    pub fn followed_by(self, tail: &[Numbered], counter: TokenCounter) -> Self {
        const SHORT: Clipping = Clipping { tool: 600, text: 1_200 };
        let most = MOST_LATER_TOKENS.min(self.tokens);
        let mut tokens = 0_u32;
        let newest = tail.iter().rev().map_while(|message| {
            let blocks = sent(std::slice::from_ref(message), SHORT);
            tokens = tokens.saturating_add(cost(&blocks, counter));
            (tokens <= most).then_some(blocks)
        });
        let mut later: Vec<Block> = newest.flatten().collect();
        later.reverse();
        Self { later, ..self }
    }
}

/// The next piece after `after`: all that is left where it fits in `budget` tokens, the largest outputs cut if need be;
/// otherwise as many whole groups as fit, at least one. `None` at the end of the span. `ends` are the last messages of the
/// span's groups, ascending.
pub fn next_chunk(
    span: &[Numbered],
    ends: &[Seq],
    after: Seq,
    budget: u32,
    counter: TokenCounter,
) -> Option<Chunk> {
    let rest = span.get(span.partition_point(|n| n.seq <= after)..).unwrap_or_default();
    let first = rest.first()?.seq;
    let last = rest.last()?.seq;
    let whole = Clipping::ladder(rest, budget).find_map(|clipping| all(rest, (budget, clipping), counter));
    if let Some((blocks, tokens)) = whole {
        return Some(Chunk { from_seq: first, through_seq: last, tokens, blocks, later: Vec::new() });
    }
    let mut blocks: Vec<Block> = Vec::new();
    let mut tokens = 0_u32;
    let mut through = after;
    // The span ends with its last message, even if the groups do not.
    let later = ends.iter().copied().filter(|end| *end >= first && *end < last).chain([last]);
    for end in later {
        let group = between(rest, through, end);
        let next = sent(group, Clipping::default());
        let cost = cost(&next, counter);
        if tokens > 0 && tokens.saturating_add(cost) > budget {
            break;
        }
        (tokens, through) = (tokens.saturating_add(cost), end);
        blocks.extend(next);
        if tokens > budget {
            (blocks, tokens) = squeezed(group, budget, counter);
            break;
        }
    }
    Some(Chunk { from_seq: first, through_seq: through, tokens, blocks, later: Vec::new() })
}

/// All of these messages and their tokens, when they fit in `budget` tokens.
fn all(
    messages: &[Numbered],
    (budget, clipping): (u32, Clipping),
    counter: TokenCounter,
) -> Option<(Vec<Block>, u32)> {
    let (mut blocks, mut tokens) = (Vec::new(), 0_u32);
    for message in messages {
        let next = sent(std::slice::from_ref(message), clipping);
        tokens = tokens.saturating_add(cost(&next, counter));
        if tokens > budget {
            return None;
        }
        blocks.extend(next);
    }
    Some((blocks, tokens))
}

/// The last piece after `after`: as many whole groups, counted from the end, as fit in `budget` tokens, at
/// least one.
pub(super) fn last_chunk(
    span: &[Numbered],
    ends: &[Seq],
    after: Seq,
    budget: u32,
    counter: TokenCounter,
) -> Option<Chunk> {
    let last = span.last().map(|last| last.seq).filter(|last| *last > after)?;
    let starts = ends.iter().rev().copied().filter(|end| *end < last && *end >= after);
    let (mut from, mut tokens) = (last, 0_u32);
    for start in starts.chain([after]) {
        let cost = cost(&sent(between(span, start, from), Clipping::default()), counter);
        if from < last && tokens.saturating_add(cost) > budget {
            break;
        }
        (from, tokens) = (start, tokens.saturating_add(cost));
    }
    next_chunk(span, &[], from, budget, counter)
}

fn between(rest: &[Numbered], after: Seq, through: Seq) -> &[Numbered] {
    let from = rest.partition_point(|n| n.seq <= after);
    let to = rest.partition_point(|n| n.seq <= through);
    rest.get(from..to).unwrap_or_default()
}

fn sent(messages: &[Numbered], clipping: Clipping) -> Vec<Block> {
    messages.iter().filter_map(|n| block(n, clipping)).collect()
}

fn cost(blocks: &[Block], counter: TokenCounter) -> u32 {
    blocks
        .iter()
        .fold(0, |sum, block| sum.saturating_add(counter.count_text(&block.text)).saturating_add(MARK_TOKENS))
}

/// A single group that is too large: clipped harder, and then without its middle.
fn squeezed(group: &[Numbered], budget: u32, counter: TokenCounter) -> (Vec<Block>, u32) {
    let mut clipping = Clipping::default();
    loop {
        clipping = Clipping {
            tool: (clipping.tool / 2).max(LEAST_CHARS),
            text: (clipping.text / 2).max(LEAST_CHARS),
        };
        let blocks = sent(group, clipping);
        let tokens = cost(&blocks, counter);
        if tokens <= budget {
            return (blocks, tokens);
        }
        if clipping.text == LEAST_CHARS {
            return without_middle(blocks, budget, counter);
        }
    }
}

fn without_middle(blocks: Vec<Block>, budget: u32, counter: TokenCounter) -> (Vec<Block>, u32) {
    let total = cost(&blocks, counter).max(1);
    let kept = u64::from(budget) * u64::try_from(blocks.len()).unwrap_or(u64::MAX) / u64::from(total);
    let half = usize::try_from(kept / 2).unwrap_or(usize::MAX).max(1);
    let cut = blocks.len().saturating_sub(half);
    let kept: Vec<Block> =
        (0..).zip(blocks).filter(|(at, _)| *at < half || *at >= cut).map(|(_, b)| b).collect();
    let tokens = cost(&kept, counter);
    (kept, tokens)
}

fn block(numbered: &Numbered, clipping: Clipping) -> Option<Block> {
    let message = &numbered.message;
    let reading = Reading::new(numbered);
    let person = reading.person();
    let voice = match message.role {
        Role::User if person.is_some() => Voice::Person,
        Role::Assistant => Voice::Assistant,
        Role::User | Role::Tool | Role::System | Role::Developer => Voice::Tool,
    };
    let mut text = String::new();
    push_parts(&mut text, message, voice != Voice::Tool, clipping);
    if text.trim().is_empty() {
        return None;
    }
    Some(Block {
        seq: numbered.seq,
        role: message.role.into(),
        voice,
        text,
        words: clipped(reading.words().unwrap_or_default(), clipping.text),
        speaker: reading.speaker().map(str::to_owned),
    })
}

fn push_parts(out: &mut String, message: &Message, is_person: bool, clipping: Clipping) {
    for part in &message.parts {
        let piece = match part {
            Part::Text(text) if is_person => clipped(text, clipping.text),
            // Text that a harness inserted: a skill's page, a reminder.
            Part::Text(text) => clipped(&without_reminders(text), clipping.tool / 2),
            // The agent writes plans and edits in the arguments of a call.
            Part::ToolCall(call) => {
                format!("[calls {}] {}", clipped(&call.name, 100), clipped(&call.arguments, clipping.text))
            }
            Part::ToolResult(result) => {
                let failed = if result.is_error == Some(true) { " failed" } else { "" };
                format!("[result{failed}] {}", clipped(&without_reminders(&result.text()), clipping.tool))
            }
            Part::Image(_) => "[image]".to_owned(),
            Part::File(file) => {
                let name = clipped(file.name.as_deref().unwrap_or_default(), 200);
                let text = file.text().map(|text| clipped(text, clipping.tool)).unwrap_or_default();
                format!("[file {name}] {text}").trim_end().to_owned()
            }
            // The model's private reasoning is not part of the conversation, and unknown blocks cannot be
            // read.
            Part::Thinking(_) | Part::Other(_) => continue,
        };
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&piece);
    }
}

/// A text without the reminders that harnesses append to every output.
fn without_reminders(text: &str) -> Cow<'_, str> {
    static REMINDER: LazyLock<Regex> =
        LazyLock::new(|| pattern::unicode(r"(?s)<system-reminder>.*?</system-reminder>\s*"));
    REMINDER.replace_all(text, "")
}

/// The beginning and end of a text. Secrets are redacted first, because the rules would not recognise a cut
/// one.
fn clipped(text: &str, max: usize) -> String {
    let text = redact(text);
    if text.len() <= max {
        return text.into_owned();
    }
    let (head, tail) = (max / 3 * 2, max / 3);
    let start = text.floor_char_boundary(head);
    let end = text.ceil_char_boundary(text.len().saturating_sub(tail));
    format!(
        "{}\n[… {} {LEFT_OUT}\n{}",
        text.get(..start).unwrap_or_default(),
        end.saturating_sub(start),
        text.get(end..).unwrap_or_default()
    )
}
