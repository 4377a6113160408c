//! Describes the pictures and files of a span in words. A summary carries no bytes, and its reader should
//! know that there was a picture, which words came with it and where it is.

use std::cell::OnceCell;
use std::collections::VecDeque;
use std::fmt::Write as _;

use super::text::clip;
use anchord_facts::ledger::line::squash;
use anchord_facts::ledger::reading::Reading;
use anchord_facts::thing::{Property, Thing};
use anchord_messages::message::{Attachment, Image, MediaSource, Numbered, Part};
use anchord_messages::tokens;

/// The most pictures and files of one span that are described: the latest.
const MAX_NOTES: usize = 20;
/// The most characters of the words beside a picture.
const MAX_WORDS: usize = 120;
/// The most characters of an address that is written; a longer one is data.
const MAX_ADDRESS: usize = 200;

/// One thing for each picture and file, in order.
pub(super) fn things(span: &[Numbered]) -> Vec<Thing> {
    let mut found: VecDeque<Thing> = VecDeque::new();
    for numbered in span {
        let Numbered { seq, message } = numbered;
        let mut place = 0;
        let said = OnceCell::new();
        let direct = message.parts.iter().map(|part| (part, false));
        let in_results = message.results().flat_map(|r| r.parts.iter().map(|part| (part, true)));
        for (part, by_tool) in direct.chain(in_results) {
            let (key, what) = match part {
                Part::Image(image) => ("image", picture(image)),
                Part::File(file) => ("attachment", attachment(file)),
                Part::Text(_)
                | Part::Thinking(_)
                | Part::ToolCall(_)
                | Part::ToolResult(_)
                | Part::Other(_) => continue,
            };
            place += 1;
            let mut id = format!("message {seq}");
            if place > 1 {
                let _ = write!(id, " (no. {place})");
            }
            let words = if by_tool { "" } else { said.get_or_init(|| beside(numbered)) };
            let value = if words.is_empty() { what } else { format!("{what} — {words}") };
            if found.len() >= MAX_NOTES {
                found.pop_front();
            }
            found.push_back(Thing {
                kind: key.to_owned(),
                id,
                properties: vec![Property::new("", value)],
                seqs: vec![*seq],
                ..Thing::default()
            });
        }
    }
    found.into()
}

fn picture(image: &Image) -> String {
    let mut what = image.media_type.clone().filter(|t| t.len() < 60).unwrap_or_else(|| "image".to_owned());
    if let Some((width, height)) = tokens::image_size(image) {
        let _ = write!(what, ", {width}×{height}");
    }
    what.push_str(&place_of(&image.source));
    what
}

fn attachment(file: &Attachment) -> String {
    let kind = file.media_type.clone().filter(|t| t.len() < 60).unwrap_or_else(|| "file".to_owned());
    let name = file.name.as_deref().map(|name| format!("{}, ", clip(&squash(name), MAX_WORDS)));
    format!("{}{kind}{}", name.unwrap_or_default(), place_of(&file.source))
}

/// The size of the bytes, or their address; never the bytes.
fn place_of(source: &MediaSource) -> String {
    match source {
        MediaSource::Base64(data) => match data.len() / 4 * 3 {
            bytes @ 0..1024 => format!(", {bytes} bytes"),
            bytes => format!(", {} KB", bytes / 1024),
        },
        MediaSource::Text(text) => format!(", {} characters", text.chars().count()),
        MediaSource::Url(url) if url.chars().count() <= MAX_ADDRESS && !url.starts_with("data:") => {
            format!(", {}", squash(url))
        }
        MediaSource::FileId(id) if id.len() <= MAX_ADDRESS => format!(", {}", squash(id)),
        MediaSource::Url(_) | MediaSource::FileId(_) => String::new(),
    }
}

/// The text of the picture's message, which is the nearest there is to a description.
fn beside(numbered: &Numbered) -> String {
    clip(&squash(Reading::new(numbered).words().unwrap_or_default()), MAX_WORDS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use anchord_messages::format::{Format, parse};
    use rstest::rstest;

    const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAABAAAAAMACAYAAAC6uhUNAAAA";

    fn values(format: Format, json: &str) -> Vec<String> {
        let span = [Numbered { seq: 7, message: parse(format, json).unwrap() }];
        things(&span).into_iter().map(|n| format!("{} {}: {}", n.kind, n.id, n.properties[0].value)).collect()
    }

    #[rstest]
    #[case(Format::OpenaiChat, r#"{"role":"user","content":[{"type":"text","text":"the menu is cut off"},{"type":"image_url","image_url":{"url":"data:image/png;base64,DATA"}}]}"#)]
    #[case(Format::Anthropic, r#"{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"DATA"}},{"type":"text","text":"the menu is cut off"}]}"#)]
    #[case(Format::OpenaiResponses, r#"{"role":"user","content":[{"type":"input_text","text":"the menu is cut off"},{"type":"input_image","image_url":"data:image/png;base64,DATA"}]}"#)]
    fn a_picture_is_told_by_type_size_place_and_words(#[case] format: Format, #[case] json: &str) {
        let told = values(format, &json.replace("DATA", PNG));
        assert_eq!(told, ["image message 7: image/png, 1024×768, 36 bytes — the menu is cut off"]);
    }

    #[test]
    fn a_picture_in_a_tool_result_is_told_and_several_are_counted() {
        let json = r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"image","source":{"type":"url","url":"https://example.com/a.png"}},{"type":"image","source":{"type":"base64","media_type":"image/jpeg","data":"AAAA"}}]}]}"#;
        let told = values(Format::Anthropic, json);
        assert_eq!(
            told,
            [
                "image message 7: image, https://example.com/a.png",
                "image message 7 (no. 2): image/jpeg, 3 bytes"
            ]
        );
    }

    #[test]
    fn no_bytes_of_a_picture_are_told() {
        let data = "A".repeat(500_000);
        let json = format!(
            r#"{{"role":"user","content":[{{"type":"image_url","image_url":{{"url":"data:image/webp;base64,{data}"}}}}]}}"#
        );
        let told = values(Format::OpenaiChat, &json).concat();
        assert!(told.len() < 100 && told.contains("366 KB"), "{told}");
    }

    proptest::proptest! {
        #[test]
        fn whatever_stands_in_an_address_is_told_in_bounds_and_never_as_data(
            head in proptest::sample::select(vec!["data:", "data:image/png;base64,", "data:image/png", "data:;base64,", "https://x.example/", "data:text/plain,", ""]),
            body in "[A-Za-z0-9+/=%,;é]{0,300}",
            more in proptest::sample::select(vec![0_usize, 1, 400]),
            kind in "[a-z/;é]{0,80}",
        ) {
            let url = format!("{head}{}", body.repeat(more));
            let chat = serde_json::json!({"role": "user", "content": [{"type": "text", "text": "see"}, {"type": "image_url", "image_url": {"url": url}}]});
            let blocks = serde_json::json!({"role": "user", "content": [{"type": "image", "source": {"type": "base64", "media_type": kind, "data": url}}]});
            for (format, json) in [(Format::OpenaiChat, chat), (Format::Anthropic, blocks)] {
                let Ok(message) = parse(format, &json.to_string()) else { continue };
                let counted = tokens::TokenCounter::default().count_message(&message);
                let span = [Numbered { seq: 7, message }];
                for note in things(&span) {
                    let value = note.properties[0].value.as_str();
                    proptest::prop_assert!(value.chars().count() <= 500, "{}", value);
                    proptest::prop_assert!(!value.contains("base64,") || body.contains("base64,"));
                }
                // By rule, a picture of any size costs at most what the largest one costs.
                let is_picture = head.starts_with("data:image/png;base64,") || format == Format::Anthropic;
                proptest::prop_assert!(!is_picture || counted <= 20_000, "{counted}");
            }
        }
    }
}
