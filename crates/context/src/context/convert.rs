//! Converts the parts of a message to the format that is served: unchanged, in another form, or as a marker.

use super::super::tools::ToolMode;
use super::input::{ContextInput, Entry};
use super::output::Reason;
use super::turns::ServedGroup;
use anchord_messages::format::Format;
use anchord_messages::format::anthropic::is_misplaced;
use anchord_messages::id::Seq;
use anchord_messages::message::{Image, MediaSource, Message, Part, Role};
use anchord_messages::shape::{AsShape, Feature, is_blank};
use anchord_messages::tokens::{MESSAGE_TOKENS, TokenCounter};

pub(super) const EMPTY: &str = "[empty message]";
const NO_OUTPUT: &str = "[no output]";
/// The most characters of an id or a name in a line that the service writes.
pub(super) const ID_CHARS: usize = 64;
/// Unknown blocks up to this size become text in another format; larger ones are left out.
const OTHER_BYTES: usize = 4_000;

/// Converts stored messages to one format.
#[derive(Clone, Copy)]
pub(super) struct Converter<'i> {
    pub format: Format,
    pub counter: &'i TokenCounter,
    pub tools: ToolMode,
}

impl<'i> Converter<'i> {
    pub(super) fn new(input: &ContextInput<'i>) -> Self {
        Self { format: input.format, counter: input.counter, tools: input.tools }
    }
}

impl Converter<'_> {
    /// Removes what the format cannot carry, and adds a marker where nothing is left.
    pub(super) fn fix(self, message: &mut Message, entry: &Entry, turns: &mut ServedGroup<'_>) {
        let same = entry.format == self.format;
        let only_thinking = message.parts.iter().all(|p| matches!(p, Part::Thinking(_)));
        let had_thinking = only_thinking && !message.parts.is_empty();
        let mut parts = Vec::with_capacity(message.parts.len());
        for part in std::mem::take(&mut message.parts) {
            match part {
                Part::Text(text) if is_blank(&text) => {}
                Part::Thinking(thinking) => {
                    let signed = thinking.signature.is_some() || thinking.redacted.is_some();
                    let kept = match self.format {
                        Format::OpenaiChat => !signed,
                        Format::Anthropic => signed,
                        // Written again it would lose its id.
                        Format::OpenaiResponses => false,
                    };
                    let part = Part::Thinking(thinking);
                    if same && kept {
                        parts.push(part);
                    } else {
                        turns.take(self.counter.count_part(&part));
                        turns.omit(entry.seq, Reason::Thinking);
                    }
                }
                Part::ToolResult(mut result) => {
                    let kept = result.parts.drain(..).map(|p| self.converted(p, same, entry.seq, turns));
                    result.parts = kept.filter(|p| !matches!(p, Part::Text(t) if is_blank(t))).collect();
                    if result.parts.is_empty() {
                        turns.add(self.counter.count_text(NO_OUTPUT));
                        result.parts.push(Part::Text(NO_OUTPUT.to_owned()));
                    }
                    parts.push(Part::ToolResult(result));
                }
                part @ (Part::Text(_)
                | Part::Image(_)
                | Part::File(_)
                | Part::ToolCall(_)
                | Part::Other(_)) => {
                    let part = self.converted_for(message.role, part, entry, turns);
                    if !matches!(&part, Part::Text(text) if is_blank(text)) {
                        parts.push(part);
                    }
                }
            }
        }
        if self.format == Format::Anthropic {
            self.end_without_thinking(&mut parts, entry.seq, turns);
        }
        let speaks = parts.iter().any(|p| !matches!(p, Part::Thinking(_)));
        // A reasoning item of the Responses API is no message of its own in the other formats.
        let vanishes = had_thinking && entry.is_item() && parts.is_empty();
        if vanishes {
            turns.take(MESSAGE_TOKENS);
        } else if !speaks {
            turns.add(self.counter.count_text(EMPTY));
            parts.push(Part::Text(EMPTY.to_owned()));
        }
        if self.format != entry.format {
            plain_names(&mut parts);
        }
        message.parts = parts;
    }

    /// Removes thinking at the end of a turn: providers refuse it, because what it led to is missing.
    fn end_without_thinking(self, parts: &mut Vec<Part>, seq: Seq, turns: &mut ServedGroup<'_>) {
        if parts.iter().all(|p| matches!(p, Part::Thinking(_))) {
            return;
        }
        while let Some(last) = parts.pop_if(|p| matches!(p, Part::Thinking(_))) {
            turns.take(self.counter.count_part(&last));
            turns.omit(seq, Reason::Thinking);
        }
    }

    /// A part as the format can carry it in a role.
    fn converted_for(self, role: Role, part: Part, entry: &Entry, turns: &mut ServedGroup<'_>) -> Part {
        let same = entry.format == self.format;
        // Only the format that a system prompt was written in can carry more than its text.
        let text_alone = role.is_system() && (!same || self.format == Format::Anthropic);
        match &part {
            Part::Image(_) if text_alone => self.left_out("an image", &part, entry.seq, turns),
            Part::File(file) if text_alone && !matches!(file.source, MediaSource::Text(_)) => {
                self.left_out("a file", &part, entry.seq, turns)
            }
            Part::File(_) | Part::Other(_) if text_alone => self.converted(part, false, entry.seq, turns),
            Part::Image(_)
            | Part::File(_)
            | Part::Other(_)
            | Part::Text(_)
            | Part::Thinking(_)
            | Part::ToolCall(_)
            | Part::ToolResult(_) => self.converted(part, same, entry.seq, turns),
        }
    }

    fn left_out(self, what: &str, part: &Part, seq: Seq, turns: &mut ServedGroup<'_>) -> Part {
        let marker = format!("[{what} left out: this format cannot carry it · message {seq}]");
        turns.take(self.counter.count_part(part));
        turns.add(self.counter.count_text(&marker));
        turns.omit(seq, Reason::Unsupported);
        Part::Text(marker)
    }

    /// A part as the format can carry it.
    pub(super) fn converted(self, part: Part, same: bool, seq: Seq, turns: &mut ServedGroup<'_>) -> Part {
        if same {
            return if let Part::Other(raw) = &part
                && is_misplaced(raw)
            {
                Part::Text(raw.clone())
            } else {
                part
            };
        }
        match &part {
            Part::Other(raw) if raw.len() <= OTHER_BYTES => Part::Text(raw.clone()),
            Part::Other(_) => self.left_out("a block", &part, seq, turns),
            Part::Image(image) if !is_picture(image) => self.left_out("an image", &part, seq, turns),
            Part::File(file) => match &file.source {
                MediaSource::Text(text) => Part::Text(text.clone()),
                source if !self.takes_file(source, file.media_type.as_deref()) => {
                    self.left_out("a file", &part, seq, turns)
                }
                MediaSource::Url(_) | MediaSource::Base64(_) | MediaSource::FileId(_) => part,
            },
            Part::Image(_) | Part::Text(_) | Part::Thinking(_) | Part::ToolCall(_) | Part::ToolResult(_) => {
                part
            }
        }
    }

    /// Whether a file from another format can be written in this one.
    fn takes_file(self, source: &MediaSource, media_type: Option<&str>) -> bool {
        let is_audio = media_type.is_some_and(|kind| kind.starts_with("audio/"));
        match (source, self.format) {
            // Only the provider that issued an id can resolve it.
            (MediaSource::FileId(_), _) | (MediaSource::Url(_), Format::OpenaiChat) => false,
            (MediaSource::Text(_), _) => true,
            (MediaSource::Url(url), _) => is_address(url),
            (MediaSource::Base64(data), Format::OpenaiChat) => !is_blank(data),
            (MediaSource::Base64(data), Format::OpenaiResponses) => !is_blank(data) && !is_audio,
            (MediaSource::Base64(data), Format::Anthropic) => {
                !is_blank(data) && media_type.is_none_or(|kind| kind == "application/pdf")
            }
        }
    }

    /// Moves the media of a model's message into a user message after it, where only a user may send media.
    pub(super) fn media_of_model(
        self,
        message: &mut Message,
        entry: &Entry,
        turns: &mut ServedGroup<'_>,
    ) -> Option<Message> {
        if message.role != Role::Assistant || entry.format == self.format || !entry.has(Feature::Media) {
            return None;
        }
        let (media, rest): (Vec<Part>, Vec<Part>) =
            message.parts.drain(..).partition(|p| matches!(p, Part::Image(_) | Part::File(_)));
        message.parts = rest;
        if media.is_empty() {
            return None;
        }
        let line = format!("[media from the assistant's message {}]", entry.seq);
        turns.add(self.counter.count_text(&line).saturating_add(MESSAGE_TOKENS));
        let parts = std::iter::once(Part::Text(line)).chain(media).collect();
        Some(Message { role: Role::User, name: None, parts })
    }
}

/// Whether every provider accepts a picture. Only the provider that issued an id can resolve it.
fn is_picture(image: &Image) -> bool {
    const KINDS: [&str; 5] = ["image/png", "image/jpeg", "image/jpg", "image/gif", "image/webp"];
    match &image.source {
        MediaSource::Url(url) => is_address(url),
        MediaSource::Base64(data) => {
            !is_blank(data) && image.media_type.as_deref().is_none_or(|kind| KINDS.contains(&kind))
        }
        MediaSource::FileId(_) | MediaSource::Text(_) => false,
    }
}

fn is_address(url: &str) -> bool {
    url.starts_with("https://") || url.starts_with("http://")
}

/// Tool names in the letters that every provider accepts.
fn plain_names(parts: &mut [Part]) {
    for part in parts {
        if let Part::ToolCall(call) = part {
            let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' };
            call.name = call.name.chars().take(ID_CHARS).map(plain).collect();
        }
    }
}
