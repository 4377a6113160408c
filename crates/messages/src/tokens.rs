//! Token counts: text is counted with the session's tokenizer, everything else by the rules below.
//!
//! What lives here: the counter; vocabularies and their loading (`vocabulary`, `unpack`); counting with a vocabulary
//! (`pieces`) and without one (`estimate`); a cache of line counts (`memo`); image sizes (`picture`).
//!
//! A message counts as the sum of its parts plus [`MESSAGE_TOKENS`]. So replacing a part changes the count by the
//! difference, without counting the rest again. The count does not depend on the format in which a message is served.
//!
//! | part | tokens |
//! |---|---|
//! | text | as counted |
//! | speaker's name | 1 + its text |
//! | tool call | [`CALL_TOKENS`] + id + name + arguments |
//! | tool result | [`RESULT_TOKENS`] + call id + its parts |
//! | thinking | its text; redacted thinking a fifth of its encrypted characters; signatures nothing |
//! | image, detail `low` | 85 |
//! | image, else | 85 + 170 for each tile of 512 × 512 pixels, after it is scaled into 2,048 × 2,048 and its shorter side to at most 768; [`UNKNOWN_IMAGE_TOKENS`] when its size cannot be read from the first bytes of PNG, JPEG, GIF or WebP data |
//! | file as text | as counted |
//! | audio | 40 for each started 64 KiB |
//! | other file | 1,500 for each started 64 KiB, at most 150,000; 1,500 when it is not in the message |
//! | unknown block | its JSON text, in which a run of 1,024 or more base64 characters counts as a file |

use serde::{Deserialize, Serialize};
use strum::{AsRefStr, EnumString, IntoStaticStr};

use super::message::{Attachment, Image, MediaSource, Message, Part, ToolResult};

mod estimate;
mod long;
pub mod memo;
mod picture;
mod pieces;
mod unpack;
mod vocabulary;

/// The tokens of a message beside its parts: role and delimiters.
pub const MESSAGE_TOKENS: u32 = 4;
/// The tokens of a tool call beside its id, name and arguments.
pub const CALL_TOKENS: u32 = 4;
/// The tokens of a tool result beside its call id and content.
pub const RESULT_TOKENS: u32 = 2;
/// The tokens of an image of unknown size: six tiles, as for a screenshot of 1,536 × 1,024.
pub const UNKNOWN_IMAGE_TOKENS: u32 = 1_105;

const FILE_BLOCK_BYTES: usize = 64 * 1024;
const FILE_BLOCK_TOKENS: u32 = 1_500;
const FILE_TOKENS_MAX: u32 = 150_000;
const AUDIO_BLOCK_TOKENS: u32 = 40;
/// A run of at least this many base64 characters in an unknown block counts as a file.
const BASE64_RUN: usize = 1_024;

/// A way to count tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[derive(AsRefStr, IntoStaticStr, EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum Tokenizer {
    /// The vocabulary of newer models.
    #[default]
    #[serde(rename = "o200k_base")]
    O200kBase,
    /// The vocabulary of older models.
    #[serde(rename = "cl100k_base")]
    Cl100kBase,
    /// No vocabulary: characters by class, for models whose vocabulary is not public.
    Estimate,
}

/// Counts tokens with one tokenizer. It is cheap to copy, because vocabularies are loaded once for the whole process.
/// It counts tens of MB a second, on the caller's thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenCounter {
    tokenizer: Tokenizer,
}

impl TokenCounter {
    /// A counter for a tokenizer, whose vocabulary is loaded at the first count or by [`Self::load`].
    pub const fn new(tokenizer: Tokenizer) -> Self {
        Self { tokenizer }
    }

    /// The tokenizer that it counts with.
    pub fn tokenizer(self) -> Tokenizer {
        self.tokenizer
    }

    /// Loads the vocabulary (tens of ms), so that no request has to wait for it.
    pub fn load(self) {
        let _loaded = self.count_text("load");
    }

    /// The tokens of a text.
    pub fn count_text(&self, text: &str) -> u32 {
        let count = || match self.tokenizer {
            Tokenizer::O200kBase => pieces::count(pieces::o200k(), text),
            Tokenizer::Cl100kBase => pieces::count(pieces::cl100k(), text),
            Tokenizer::Estimate => estimate::tokens(text),
        };
        let count =
            if text.len() < long::LONG_BYTES { count() } else { long::count(self.tokenizer, text, count) };
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// The tokens of a message, by the rules of this module.
    pub fn count_message(&self, message: &Message) -> u32 {
        self.count_frame(message).saturating_add(self.count_parts(&message.parts))
    }

    /// The tokens of a message without its parts.
    pub fn count_frame(&self, message: &Message) -> u32 {
        MESSAGE_TOKENS + message.name.as_deref().map_or(0, |name| self.count_text(name).saturating_add(1))
    }

    /// The tokens of some parts.
    pub fn count_parts(&self, parts: &[Part]) -> u32 {
        parts.iter().fold(0, |sum, part| sum.saturating_add(self.count_part(part)))
    }

    /// The tokens of one part.
    pub fn count_part(&self, part: &Part) -> u32 {
        match part {
            Part::Text(text) => self.count_text(text),
            Part::Image(image) => image_tokens(image),
            Part::File(file) => self.count_file(file),
            Part::Thinking(thinking) => {
                let redacted = thinking.redacted.as_ref().map_or(0, |data| data.len() / 5);
                self.count_text(&thinking.text).saturating_add(u32::try_from(redacted).unwrap_or(u32::MAX))
            }
            Part::ToolCall(call) => [&call.id, &call.name, &call.arguments]
                .into_iter()
                .fold(CALL_TOKENS, |sum, text| sum.saturating_add(self.count_text(text))),
            Part::ToolResult(result) => {
                self.count_result_frame(result).saturating_add(self.count_parts(&result.parts))
            }
            Part::Other(raw) => self.count_json(raw),
        }
    }

    /// The tokens of a tool result without its content.
    pub fn count_result_frame(&self, result: &ToolResult) -> u32 {
        RESULT_TOKENS.saturating_add(self.count_text(&result.call_id))
    }

    fn count_file(self, file: &Attachment) -> u32 {
        let audio = file.media_type.as_deref().is_some_and(|t| t.starts_with("audio/"));
        match &file.source {
            MediaSource::Text(text) => self.count_text(text),
            MediaSource::Base64(data) if audio => file_blocks(data.len()).saturating_mul(AUDIO_BLOCK_TOKENS),
            MediaSource::Base64(data) => base64_file_tokens(data.len()),
            MediaSource::Url(_) | MediaSource::FileId(_) => FILE_BLOCK_TOKENS,
        }
    }

    fn count_json(self, raw: &str) -> u32 {
        let is_base64 = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'-' | b'_');
        let (mut sum, mut text_from, mut run_from) = (0u32, 0, 0);
        for (i, b) in raw.bytes().chain(std::iter::once(b'"')).enumerate() {
            if is_base64(b) {
                continue;
            }
            if i - run_from >= BASE64_RUN {
                sum = sum
                    .saturating_add(self.count_text(raw.get(text_from..run_from).unwrap_or_default()))
                    .saturating_add(base64_file_tokens(i - run_from));
                text_from = i;
            }
            run_from = i + 1;
        }
        sum.saturating_add(self.count_text(raw.get(text_from..).unwrap_or_default()))
    }
}

fn file_blocks(base64_chars: usize) -> u32 {
    u32::try_from((base64_chars / 4 * 3).div_ceil(FILE_BLOCK_BYTES).max(1)).unwrap_or(u32::MAX)
}

fn base64_file_tokens(base64_chars: usize) -> u32 {
    file_blocks(base64_chars).saturating_mul(FILE_BLOCK_TOKENS).min(FILE_TOKENS_MAX)
}

fn image_tokens(image: &Image) -> u32 {
    const BASE: u32 = 85;
    const TILE: u32 = 170;
    if image.detail.as_deref() == Some("low") {
        return BASE;
    }
    image_size(image).map_or(UNKNOWN_IMAGE_TOKENS, |(width, height)| BASE + TILE * tiles(width, height))
}

/// Width and height of a picture whose bytes are in the message.
pub fn image_size(image: &Image) -> Option<(u32, u32)> {
    match &image.source {
        MediaSource::Base64(data) => picture::size(data),
        MediaSource::Url(_) | MediaSource::FileId(_) | MediaSource::Text(_) => None,
    }
}

/// The number of 512-pixel tiles of an image once it is scaled to what a model sees.
fn tiles(width: u32, height: u32) -> u32 {
    let (mut long, mut short) = (u64::from(width.max(height)).max(1), u64::from(width.min(height)).max(1));
    if long > 2_048 {
        short = (short * 2_048 / long).max(1);
        long = 2_048;
    }
    if short > 768 {
        long = long * 768 / short;
        short = 768;
    }
    u32::try_from(long.div_ceil(512) * short.div_ceil(512)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
