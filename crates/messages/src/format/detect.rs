//! Recognises the format of messages by their shapes. Everything that takes messages asks here: appends, imports,
//! calls without a session, transcripts.
//!
//! A shape that only one format has decides ([`BatchFormat::Shown`]); a caller that states another format is refused
//! with the one that it means. Plain texts read the same in every format and get that of the session
//! ([`BatchFormat::Open`]). Content that no format defines decides nothing, and is kept as it is.

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny};
use serde_json::value::RawValue;

use super::Format;
use super::error::FormatError;
use super::json::{Fields, elements, is_array, is_object, is_string};

/// The most characters of a word of the caller's in an error.
const SHOWN_CHARS: usize = 40;

/// A set of formats, with a bit for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Formats(u8);

impl Formats {
    /// Every format.
    pub const ALL: Self = Self(0b111);
    const NONE: Self = Self(0);

    fn only(format: Format) -> Self {
        Self(1 << format as u8)
    }

    fn without(self, format: Format) -> Self {
        Self(self.0 & !Self::only(format).0)
    }

    fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Whether a format is one of them.
    pub fn contains(self, format: Format) -> bool {
        self.and(Self::only(format)) != Self::NONE
    }

    fn first(self) -> Option<Format> {
        [Format::OpenaiChat, Format::Anthropic, Format::OpenaiResponses]
            .into_iter()
            .find(|format| self.contains(*format))
    }
}

/// Knowledge of the format of a batch of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchFormat {
    /// The caller states it, and no message contradicts.
    Stated(Format),
    /// A message has a shape that only this format has.
    Shown(Format),
    /// Every message reads the same in any of `formats`.
    Open {
        /// The formats.
        formats: Formats,
        /// The one that something in the messages suggests without being unmistakable.
        likely: Option<Format>,
    },
}

impl BatchFormat {
    /// The format of the batch, in a session that has had `so_far`: chat completions when nothing indicates another.
    pub fn resolve(self, so_far: Option<Format>) -> Format {
        match self {
            Self::Stated(format) | Self::Shown(format) => format,
            Self::Open { formats, likely } => so_far
                .filter(|format| formats.contains(*format))
                .or(likely.filter(|format| formats.contains(*format)))
                .or(formats.first())
                .unwrap_or_default(),
        }
    }

    /// The format of a session that has had `so_far`, after the batch; `None` while nothing indicates one.
    pub fn session_format(self, so_far: Option<Format>) -> Option<Format> {
        match self {
            Self::Stated(format) | Self::Shown(format) => Some(format),
            Self::Open { formats, likely } => so_far.or(likely.filter(|format| formats.contains(*format))),
        }
    }

    /// The format that the caller did not state and a message shows.
    pub fn shown(self) -> Option<Format> {
        if let Self::Shown(format) = self { Some(format) } else { None }
    }
}

/// Looks at the messages of a batch, one by one.
#[derive(Debug)]
pub struct Detector {
    stated: Option<Format>,
    /// The first message with a shape that only one format has.
    shown: Option<(Format, usize, String)>,
    open: Formats,
    likely: Option<Format>,
}

impl Detector {
    /// A detector for a batch whose format the caller states, or not.
    pub fn new(stated: Option<Format>) -> Self {
        Self { stated, shown: None, open: Formats::ALL, likely: None }
    }

    /// Looks at the message with this index, given as its JSON text. What is no message decides nothing: the parser
    /// refuses it.
    ///
    /// # Errors
    /// When it has a shape that only another format has: another than the stated one, or than that of an earlier message.
    /// The error points to the message.
    pub fn look(&mut self, index: usize, raw: &str) -> Result<(), FormatError> {
        match Seen::of(raw) {
            Seen::Certain(format, shape) => self.show(index, format, shape),
            Seen::Open { formats, likely } => {
                self.open = self.open.and(formats);
                self.likely = self.likely.or(likely);
                Ok(())
            }
        }
    }

    fn show(&mut self, index: usize, format: Format, shape: String) -> Result<(), FormatError> {
        let name = format.as_ref();
        let refused = |detail: String| Err(FormatError::at(format!("/{index}"), detail));
        if let Some(stated) = self.stated {
            if stated == format {
                return Ok(());
            }
            return refused(format!(
                "has {shape}, which {} does not have; did you mean \"format\": \"{name}\"?",
                stated.as_ref()
            ));
        }
        match &self.shown {
            Some((first, _, _)) if *first == format => Ok(()),
            Some((first, at, there)) => refused(format!(
                "has {shape} ({name}), but message {at} has {there} ({}); send each format in a batch of its own",
                first.as_ref()
            )),
            None => {
                self.shown = Some((format, index, shape));
                Ok(())
            }
        }
    }

    /// Format that the messages show.
    pub fn finish(self) -> BatchFormat {
        match (self.stated, self.shown) {
            (Some(stated), _) => BatchFormat::Stated(stated),
            (None, Some((format, ..))) => BatchFormat::Shown(format),
            (None, None) => BatchFormat::Open { formats: self.open, likely: self.likely },
        }
    }
}

/// Format that the messages of a batch show, each given as JSON text.
///
/// # Errors
/// As [`Detector::look`].
pub fn detect<'a>(
    stated: Option<Format>,
    messages: impl IntoIterator<Item = &'a str>,
) -> Result<BatchFormat, FormatError> {
    let mut detector = Detector::new(stated);
    for (index, raw) in messages.into_iter().enumerate() {
        detector.look(index, raw)?;
    }
    Ok(detector.finish())
}

/// Format that one message shows.
enum Seen {
    /// It is of this format, by a shape that is told in words.
    Certain(Format, String),
    /// It reads the same in any of these.
    Open { formats: Formats, likely: Option<Format> },
}

/// The fields of a content block that distinguish the formats.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Block<'a> {
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(borrow)]
    source: Option<&'a RawValue>,
    #[serde(borrow)]
    thinking: Option<&'a RawValue>,
    #[serde(borrow)]
    image_url: Option<&'a RawValue>,
    #[serde(borrow)]
    file: Option<&'a RawValue>,
    #[serde(deserialize_with = "present")]
    cache_control: bool,
    #[serde(deserialize_with = "present")]
    citations: bool,
}

fn present<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
    IgnoredAny::deserialize(from).map(|_| true)
}

fn is(raw: Option<&RawValue>, kind: fn(&str) -> bool) -> bool {
    raw.is_some_and(|raw| kind(raw.get()))
}

impl Seen {
    fn of(raw: &str) -> Self {
        let nothing = Self::Open { formats: Formats::ALL, likely: None };
        let Ok(fields) = Fields::read(raw) else { return nothing };
        if fields.raw("role").is_none() {
            return Self::of_item(fields.lenient("type").as_deref());
        }
        if let Some(shape) = chat_shape(&fields) {
            return Self::Certain(Format::OpenaiChat, shape);
        }
        let content = fields.raw("content").filter(|raw| is_array(raw));
        let elements = content.and_then(|raw| elements(raw).ok()).unwrap_or_default();
        // An element that is no block, such as a plain text, decides nothing about the others.
        let blocks: Vec<Block<'_>> =
            elements.into_iter().filter_map(|block| serde_json::from_str(block).ok()).collect();
        if let Some((format, kind)) = blocks.iter().find_map(Block::certain) {
            return Self::Certain(format, format!("a block of type `{kind}`"));
        }
        open(&fields, &blocks)
    }

    /// An entry without a role: only the Responses API has such items.
    fn of_item(kind: Option<&str>) -> Self {
        match kind {
            Some(kind) if is_item(kind) => {
                let shown: String = kind.chars().take(SHOWN_CHARS).collect();
                Self::Certain(Format::OpenaiResponses, format!("the type `{shown}`"))
            }
            Some(_) => Self::Open { formats: Formats::only(Format::OpenaiResponses), likely: None },
            None => Self::Open { formats: Formats::ALL, likely: None },
        }
    }
}

/// Whether a type is that of an item of the Responses API other than a message.
fn is_item(kind: &str) -> bool {
    kind.ends_with("_call")
        || kind.ends_with("_call_output")
        || kind.starts_with("mcp_")
        || matches!(kind, "reasoning" | "item_reference")
}

/// Fields that only a message of chat completions has beside its content.
fn chat_shape(fields: &Fields<'_>) -> Option<String> {
    let calls = |raw: &str| is_array(raw) && !raw.trim_start_matches('[').trim_start().starts_with(']');
    if let Some(role @ ("tool" | "function")) = fields.lenient("role").as_deref() {
        Some(format!("the role `{role}`"))
    } else if fields.raw("tool_calls").is_some_and(calls) {
        Some("`tool_calls`".to_owned())
    } else if fields.raw("function_call").is_some_and(is_object) {
        Some("`function_call`".to_owned())
    } else if fields.raw("tool_call_id").is_some_and(is_string) {
        Some("`tool_call_id`".to_owned())
    } else {
        None
    }
}

/// Fields that only messages of chat completions have, also when they are null.
const CHAT_FIELDS: [&str; 9] = [
    "name", "tool_calls", "tool_call_id", "function_call", "refusal", "audio", "annotations", "reasoning",
    "reasoning_content",
];

/// The formats in which a message with a role reads the same.
fn open(fields: &Fields<'_>, blocks: &[Block<'_>]) -> Seen {
    let mut formats = Formats::ALL;
    let mut likely = None;
    if fields.lenient("role").as_deref() == Some("developer") {
        formats = formats.without(Format::Anthropic);
    }
    if CHAT_FIELDS.iter().any(|key| fields.has(key)) {
        formats = formats.and(Formats::only(Format::OpenaiChat));
    }
    if fields.lenient("type").as_deref() == Some("message") {
        // Both Anthropic's replies and the items of the Responses API say so.
        formats = formats.without(Format::OpenaiChat);
        likely = fields.raw("content").is_some_and(is_string).then_some(Format::OpenaiResponses);
    } else if fields.raw("type").is_some() {
        formats = formats.without(Format::OpenaiResponses);
    }
    if fields.has("stop_reason") {
        formats = formats.and(Formats::only(Format::Anthropic));
    }
    let marked = |block: &Block<'_>| block.cache_control || block.citations;
    if fields.has("stop_reason") || fields.has("cache_control") || blocks.iter().any(marked) {
        likely = Some(Format::Anthropic);
    }
    let formats = blocks.iter().fold(formats, |formats, block| formats.and(block.formats()));
    Seen::Open { formats, likely }
}

impl Block<'_> {
    /// The format that alone has such a block.
    fn certain(&self) -> Option<(Format, &str)> {
        let kind = self.kind.as_deref()?;
        let format = match kind {
            "tool_use" | "tool_result" | "redacted_thinking" => Format::Anthropic,
            // A list of texts there is another provider's, in its chat completions.
            "thinking" if is(self.thinking, is_string) => Format::Anthropic,
            "image" | "document" if is(self.source, is_object) => Format::Anthropic,
            "input_text" | "output_text" | "input_image" | "input_file" => Format::OpenaiResponses,
            "image_url" if is(self.image_url, |raw| is_object(raw) || is_string(raw)) => Format::OpenaiChat,
            "file" if is(self.file, is_object) => Format::OpenaiChat,
            _ => return None,
        };
        Some((format, kind))
    }

    /// The formats in which it reads the same.
    fn formats(&self) -> Formats {
        match self.kind.as_deref() {
            // The Responses API has other names for it, and parts without a type.
            Some("text") | None => Formats::ALL.without(Format::OpenaiResponses),
            Some("refusal" | "image" | "document") => Formats::ALL.without(Format::Anthropic),
            Some("thinking" | "input_audio" | "image_url" | "file") => Formats::only(Format::OpenaiChat),
            Some("summary_text" | "computer_screenshot") => Formats::only(Format::OpenaiResponses),
            Some(kind) if super::anthropic::holds_blocks(kind) => Formats::only(Format::Anthropic),
            Some(_) => Formats::ALL,
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const PLAIN: &str = r#"{"role": "user", "content": "a"}"#;
    const CALL: &str = r#"{"role": "assistant", "content": null, "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}"#;
    const USE: &str = r#"{"role": "assistant", "content": [{"type": "text", "text": "x"}, {"type": "tool_use", "id": "1"}]}"#;
    const ITEM: &str = r#"{"type": "function_call", "call_id": "1", "name": "f", "arguments": "{}"}"#;

    #[rstest]
    #[case::call(Format::OpenaiChat, CALL)]
    #[case::result(Format::OpenaiChat, r#"{"role": "tool", "tool_call_id": "1", "content": "out"}"#)]
    #[case::old_result(Format::OpenaiChat, r#"{"role": "function", "name": "f", "content": "out"}"#)]
    #[case::picture(
        Format::OpenaiChat,
        r#"{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://x"}}]}"#
    )]
    #[case::file(
        Format::OpenaiChat,
        r#"{"role": "user", "content": [{"type": "file", "file": {"file_id": "f"}}]}"#
    )]
    #[case::call(Format::Anthropic, USE)]
    #[case::result(
        Format::Anthropic,
        r#"{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1"}]}"#
    )]
    #[case::thinking(
        Format::Anthropic,
        r#"{"role": "assistant", "content": [{"type": "thinking", "thinking": "", "signature": "s"}]}"#
    )]
    #[case::picture(
        Format::Anthropic,
        r#"{"role": "user", "content": [{"type": "image", "source": {"type": "url"}}]}"#
    )]
    #[case::call(Format::OpenaiResponses, ITEM)]
    #[case::output(
        Format::OpenaiResponses,
        r#"{"type": "function_call_output", "call_id": "1", "output": "o"}"#
    )]
    #[case::reasoning(Format::OpenaiResponses, r#"{"type": "reasoning", "id": "rs", "summary": []}"#)]
    #[case::message(
        Format::OpenaiResponses,
        r#"{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "a"}]}"#
    )]
    #[case::reply(
        Format::OpenaiResponses,
        r#"{"role": "assistant", "content": [{"type": "output_text", "text": "a"}]}"#
    )]
    #[case::beside_a_plain_text(
        Format::OpenaiResponses,
        r#"{"role": "user", "content": ["b", {"type": "input_text", "text": "a"}]}"#
    )]
    fn a_shape_that_one_format_has_decides_and_contradicts_the_others(
        #[case] format: Format,
        #[case] raw: &str,
    ) {
        assert_eq!(detect(None, [PLAIN, raw, PLAIN]), Ok(BatchFormat::Shown(format)));
        for stated in [Format::OpenaiChat, Format::Anthropic, Format::OpenaiResponses] {
            let said = detect(Some(stated), [PLAIN, raw]);
            if stated == format {
                assert_eq!(said, Ok(BatchFormat::Stated(format)));
                continue;
            }
            let refused = said.unwrap_err();
            assert_eq!(refused.pointer, "/1");
            let hint = format!("did you mean \"format\": \"{}\"?", format.as_ref());
            assert!(refused.detail.ends_with(&hint), "{}", refused.detail);
        }
    }

    #[test]
    fn messages_of_two_formats_are_no_batch_and_the_second_is_named() {
        for (first, second) in [(CALL, USE), (USE, CALL), (ITEM, USE), (CALL, ITEM)] {
            let refused = detect(None, [first, PLAIN, second, first]).unwrap_err();
            assert_eq!(refused.pointer, "/2", "{}", refused.detail);
            assert!(refused.detail.contains("but message 0 has"), "{}", refused.detail);
        }
    }

    #[rstest]
    #[case::text(PLAIN)]
    #[case::system(r#"{"role": "system", "content": "s"}"#)]
    #[case::unknown_block(r#"{"role": "user", "content": [{"type": "hologram", "beam": 1}]}"#)]
    #[case::unknown_field(r#"{"role": "user", "content": "x", "mood": "fine"}"#)]
    fn what_reads_the_same_everywhere_is_of_the_sessions_format(#[case] raw: &str) {
        let open = detect(None, [raw]).unwrap();
        assert_eq!(open, BatchFormat::Open { formats: Formats::ALL, likely: None });
        assert_eq!((open.resolve(None), open.session_format(None)), (Format::OpenaiChat, None));
        for format in [Format::OpenaiChat, Format::Anthropic, Format::OpenaiResponses] {
            assert_eq!(
                (open.resolve(Some(format)), open.session_format(Some(format))),
                (format, Some(format))
            );
        }
    }

    #[rstest]
    // A dump of OpenAI's client without calls.
    #[case(
        r#"{"role": "assistant", "content": "a", "refusal": null, "tool_calls": null}"#,
        Format::OpenaiChat,
        None
    )]
    #[case(r#"{"role": "developer", "content": "a"}"#, Format::OpenaiChat, None)]
    #[case(r#"{"role": "user", "content": [{"type": "text", "text": "a", "cache_control": {"type": "ephemeral"}}]}"#, Format::Anthropic, Some(Format::Anthropic))]
    // A dump of Anthropic's client.
    #[case(r#"{"id": "m", "type": "message", "role": "assistant", "stop_reason": "end_turn", "content": [{"type": "text", "text": "a", "citations": null}]}"#, Format::Anthropic, Some(Format::Anthropic))]
    #[case(
        r#"{"type": "message", "role": "user", "content": "a"}"#,
        Format::OpenaiResponses,
        Some(Format::OpenaiResponses)
    )]
    // Chat completions of a provider whose thinking is a list.
    #[case(r#"{"role": "assistant", "content": [{"type": "thinking", "thinking": [{"type": "text", "text": "a"}]}]}"#, Format::OpenaiChat, None)]
    fn what_is_not_unmistakable_suggests_a_format_and_contradicts_none(
        #[case] raw: &str,
        #[case] format: Format,
        #[case] of_session: Option<Format>,
    ) {
        let open = detect(None, [raw]).unwrap();
        assert_eq!((open.resolve(None), open.session_format(None)), (format, of_session));
        for stated in [Format::OpenaiChat, Format::Anthropic, Format::OpenaiResponses] {
            assert_eq!(detect(Some(stated), [raw]), Ok(BatchFormat::Stated(stated)));
        }
    }

    #[test]
    fn what_is_no_message_decides_nothing() {
        for raw in ["", "7", "[]", "{", r#"{"content": {"a": 1}}"#, r#"{"role": 7}"#] {
            let open = detect(None, [raw]).unwrap();
            assert_eq!(open, BatchFormat::Open { formats: Formats::ALL, likely: None }, "{raw}");
        }
        assert_eq!(detect(None, []).unwrap().resolve(None), Format::OpenaiChat);
    }
}
