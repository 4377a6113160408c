//! Clips a text that is too large to its beginning and end, around a marker that says where the rest is.

use super::super::tools::{ToolMode, messages_named, output_named};
use anchord_messages::format::push_string;
use anchord_messages::id::Seq;
use anchord_messages::inner_json;
use anchord_messages::message::{Message, Part, ToolResult};
use anchord_messages::shape::ResultShape;
use anchord_messages::tokens::{CALL_TOKENS, RESULT_TOKENS, TokenCounter};

/// A text of at least this many bytes is not counted again; its stored count is used.
const LONG_BYTES: usize = 16 * 1024;
/// The least that a clipped text keeps: its marker, and a few words.
const LEAST_LEAF: u32 = 24;

/// Clips a message to about `cap` tokens. Thinking goes first, whole; then media; then the longest
/// texts. A message of very many parts stays larger than a very small cap. `tokens` is what it has now.
pub(super) fn message(
    message: &mut Message,
    (tokens, cap): (u32, u32),
    (seq, tools): (Seq, ToolMode),
    results: &[ResultShape],
    counter: TokenCounter,
) {
    let frame = counter.count_frame(message);
    // A text that is the whole message is counted once; a long one, like a long output, not again.
    let only_text = match message.parts.as_slice() {
        [Part::Text(text)] if text.len() >= LONG_BYTES => Some(tokens.saturating_sub(frame)),
        [Part::Text(text)] => Some(counter.count_text(text)),
        _ => None,
    };
    message.parts.retain(|p| !matches!(p, Part::Thinking(_)));
    let mut sizes = Sizes { frame, media: 0, leaves: Vec::new() };
    match only_text {
        Some(tokens) => sizes.leaves.push(tokens),
        None => sizes.measure(&message.parts, results, counter),
    }
    if sizes.media > cap / 2 {
        sizes.frame = sizes.frame.saturating_add(sizes.media_count().saturating_mul(12));
        sizes.media = 0;
        drop_media(&mut message.parts, seq);
    }
    let room = cap.saturating_sub(sizes.frame).saturating_sub(sizes.media);
    let leaf = even_size(&mut sizes.leaves, room).max(LEAST_LEAF);
    let mut result = 0;
    for part in &mut message.parts {
        let (mut reference, mut whole) = (None, only_text);
        if let Part::ToolResult(given) = &*part {
            let shape = results.get(result);
            reference = shape.map(|shape| output_named(tools, &shape.reference));
            whole = shape.and_then(|shape| known(given, shape));
            result += 1;
        }
        let message = || messages_named(tools, seq, seq).unwrap_or_else(|| format!("message {seq}"));
        let place = reference.unwrap_or_else(message);
        clip_part(part, leaf, (&place, whole), counter);
    }
}

/// Clips a tool output to about `cap` tokens: beginning and end, and between them what it was and its most telling line.
/// Media go.
pub(super) fn output(
    result: &mut ToolResult,
    cap: u32,
    (shape, tools): (&ResultShape, ToolMode),
    counter: TokenCounter,
) {
    let key = shape.key.as_deref().map(|key| format!(" · key: {key}")).unwrap_or_default();
    let place = format!("{}{key}", output_named(tools, &shape.reference));
    let whole = known(result, shape);
    result.parts.retain(|part| !matches!(part, Part::Image(_) | Part::File(_)));
    let cap = cap / u32::try_from(result.parts.len()).unwrap_or(u32::MAX).max(1);
    for part in &mut result.parts {
        clip_part(part, cap.max(LEAST_LEAF), (&place, whole), counter);
    }
    if result.parts.is_empty() {
        result.parts.push(Part::Text(format!("[{place}: media left out]")));
    }
}

/// The tokens of a long output of one text, as they were counted when it was stored: counting megabytes takes long.
fn known(result: &ToolResult, shape: &ResultShape) -> Option<u32> {
    match result.parts.as_slice() {
        [Part::Text(text)] if text.len() >= LONG_BYTES => Some(shape.tokens),
        _ => None,
    }
}

struct Sizes {
    frame: u32,
    media: u32,
    leaves: Vec<u32>,
}

impl Sizes {
    fn measure(&mut self, parts: &[Part], results: &[ResultShape], counter: TokenCounter) {
        let mut results = results.iter();
        for part in parts {
            match part {
                Part::Text(text) => self.leaves.push(counter.count_text(text)),
                Part::Other(_) => self.leaves.push(counter.count_part(part)),
                Part::Image(_) | Part::File(_) => {
                    self.media = self.media.saturating_add(counter.count_part(part));
                }
                Part::ToolCall(call) => {
                    let ids = counter.count_text(&call.id).saturating_add(counter.count_text(&call.name));
                    self.frame = self.frame.saturating_add(ids).saturating_add(CALL_TOKENS);
                    self.leaves.push(counter.count_text(&call.arguments));
                }
                Part::ToolResult(result) => {
                    let id = counter.count_text(&result.call_id);
                    self.frame = self.frame.saturating_add(id).saturating_add(RESULT_TOKENS);
                    match results.next().and_then(|shape| known(result, shape)) {
                        Some(tokens) => self.leaves.push(tokens),
                        None => self.measure(&result.parts, &[], counter),
                    }
                }
                Part::Thinking(_) => {}
            }
        }
    }

    fn media_count(&self) -> u32 {
        // Every picture costs at least 85 tokens.
        self.media / 85
    }
}

/// The size to which every larger leaf is cut so that all of them fit the room.
fn even_size(leaves: &mut [u32], room: u32) -> u32 {
    leaves.sort_unstable();
    let (mut left, mut count) = (room, u32::try_from(leaves.len()).unwrap_or(u32::MAX));
    for leaf in leaves {
        let share = left / count.max(1);
        if *leaf > share {
            return share;
        }
        left -= *leaf;
        count -= 1;
    }
    u32::MAX
}

fn drop_media(parts: &mut [Part], seq: Seq) {
    for part in parts {
        match part {
            Part::Image(_) => *part = Part::Text(format!("[image left out · message {seq}]")),
            Part::File(_) => *part = Part::Text(format!("[file left out · message {seq}]")),
            Part::ToolResult(result) => drop_media(&mut result.parts, seq),
            Part::Text(_) | Part::Thinking(_) | Part::ToolCall(_) | Part::Other(_) => {}
        }
    }
}

fn clip_part(part: &mut Part, cap: u32, (place, whole): (&str, Option<u32>), counter: TokenCounter) {
    match part {
        Part::Text(text) | Part::Other(text) => {
            if let Some(clipped) = clipped(text, cap, (place, whole), counter) {
                *part = Part::Text(clipped);
            }
        }
        Part::ToolCall(call) => {
            if let Some(clipped) = arguments(&call.arguments, cap, place, counter) {
                call.arguments = clipped;
            }
        }
        Part::ToolResult(result) => {
            for part in &mut result.parts {
                clip_part(part, cap, (place, whole), counter);
            }
        }
        Part::Image(_) | Part::File(_) | Part::Thinking(_) => {}
    }
}

/// A text cut to `cap` tokens; `None` when it is not longer. `whole` is its number of tokens, if it was
/// counted before.
fn clipped(
    text: &str,
    cap: u32,
    (place, whole): (&str, Option<u32>),
    counter: TokenCounter,
) -> Option<String> {
    // A token has at least one byte, so short texts need no count.
    if u32::try_from(text.len()).is_ok_and(|bytes| bytes <= cap) {
        return None;
    }
    let whole = whole.unwrap_or_else(|| counter.count_text(text));
    if whole <= cap {
        return None;
    }
    let marker = format!("\n[… {} of {whole} tokens left out · {place} …]\n", whole.saturating_sub(cap));
    // Two more than the parts: joining texts can cost a token at each seam.
    let room = cap.saturating_sub(counter.count_text(&marker)).saturating_sub(2);
    let head = end(text, room - room / 3, whole, counter, Side::Head);
    let tail = end(text, room / 3, whole, counter, Side::Tail);
    let mut out = head.to_owned();
    out.push_str(&marker);
    out.push_str(tail);
    if counter.count_text(&out) > cap {
        return Some(marker.trim().to_owned());
    }
    Some(out)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Head,
    Tail,
}

/// The longest end of a text within `tokens` that a few tries find.
fn end<'t>(text: &'t str, tokens: u32, whole: u32, counter: TokenCounter, side: Side) -> &'t str {
    const TRIES: usize = 6;
    /// The search stops within this part of `tokens`.
    const NEAR: u32 = 64;
    let share = |bytes: usize, part: u32, of: u32| -> usize {
        let scaled = bytes as u128 * u128::from(part) / u128::from(of.max(1));
        usize::try_from(scaled).unwrap_or(bytes)
    };
    let cut = |bytes: usize| -> &'t str {
        let kept = match side {
            Side::Head => text.get(..text.floor_char_boundary(bytes)),
            Side::Tail => text.get(text.ceil_char_boundary(text.len().saturating_sub(bytes))..),
        };
        kept.unwrap_or_default()
    };
    let (mut best, mut beyond) = ("", text.len() + 1);
    let mut bytes = share(text.len(), tokens, whole);
    for _ in 0..TRIES {
        let kept = cut(bytes);
        let count = counter.count_text(kept);
        if count > tokens {
            beyond = bytes;
        } else {
            best = kept;
            if tokens - count <= tokens / NEAR {
                break;
            }
        }
        // Estimated by the tokens per byte so far; a length that was too long once is not tried again.
        bytes = share(bytes.max(1), tokens, count).min(beyond.saturating_sub(1 + beyond / 100));
        if bytes <= best.len() {
            break;
        }
    }
    best
}

/// Arguments cut to about `cap` tokens, still a JSON object; `None` when they are not longer.
fn arguments(arguments: &str, cap: u32, place: &str, counter: TokenCounter) -> Option<String> {
    if u32::try_from(arguments.len()).is_ok_and(|bytes| bytes <= cap) || counter.count_text(arguments) <= cap
    {
        return None;
    }
    let fields: serde_json::Map<String, serde_json::Value> = inner_json::read(arguments).unwrap_or_default();
    let mut sizes: Vec<u32> = fields.values().map(|v| counter.count_text(&v.to_string())).collect();
    let keys =
        fields.keys().fold(0, |sum: u32, k| sum.saturating_add(counter.count_text(k)).saturating_add(4));
    let leaf = even_size(&mut sizes, cap.saturating_sub(keys)).max(LEAST_LEAF);
    let mut out = String::from("{");
    for (key, value) in &fields {
        if out.len() > 1 {
            out.push(',');
        }
        push_string(&mut out, key);
        out.push(':');
        let is_text = value.is_string();
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        match clipped(&text, leaf, (place, None), counter) {
            Some(cut) => push_string(&mut out, &cut),
            None if is_text => push_string(&mut out, &text),
            None => out.push_str(&text),
        }
    }
    out.push('}');
    if !fields.is_empty() && counter.count_text(&out) <= cap.saturating_add(cap / 4) {
        return Some(out);
    }
    let cut = clipped(arguments, cap.saturating_sub(8).max(LEAST_LEAF), (place, None), counter)?;
    let mut out = String::from("{\"clipped\":");
    push_string(&mut out, &cut);
    out.push('}');
    Some(out)
}
