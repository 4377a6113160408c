//! Whole sessions, served at every one of their prefixes: with a summary and without, with pins, marks and
//! a user message that the summary covers, in every format, at budgets from roomy to too small.

use std::path::Path;

use serde_json::Value;

use super::super::mask::{Clipping, Keep, Marks, MaskMode};
use super::super::tools::ToolMode;
use super::*;
use anchord_messages::format::Format;
use anchord_messages::group;
use anchord_messages::id::Seq;
use anchord_messages::shape::{Measured, Shape};
use anchord_messages::tokens::{TokenCounter, Tokenizer};

const COUNTER: TokenCounter = TokenCounter::new(Tokenizer::Estimate);
const FORMATS: [Format; 3] = [Format::OpenaiChat, Format::Anthropic, Format::OpenaiResponses];
const BUDGETS: [u32; 4] = [200, 800, 4_000, 1_000_000];

/// How many messages of a session are served at each of their prefixes; the work grows with the square of it.
const MOST_MESSAGES: usize = 48;

#[test]
fn every_prefix_of_the_corpus_is_valid() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/sessions");
    let mut sessions = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let session: Value = serde_json::from_slice(&std::fs::read(file.unwrap().path()).unwrap()).unwrap();
        let messages = session["messages"].as_array().unwrap();
        assert_valid(Format::OpenaiChat, &messages[..messages.len().min(MOST_MESSAGES)]);
        sessions += 1;
    }
    assert!(sessions >= 20, "{sessions}");
}

/// Asserts that every context of every prefix of a session is valid, within its budget and accounted for.
fn assert_valid(format: Format, messages: &[Value]) {
    let entry = |(i, message): (usize, &Value)| {
        let raw = message.to_string();
        let Measured { message: parsed, tokens, shape } = Measured::read(format, &raw, &COUNTER).unwrap();
        let raw = Shape::served(shape.as_ref(), format, raw);
        Entry {
            seq: Seq::try_from(i).unwrap() + 1,
            format,
            role: parsed.role,
            tokens,
            shape,
            raw: raw.into(),
        }
    };
    let entries: Vec<Entry> = messages.iter().enumerate().map(entry).collect();
    for head in 1..=entries.len() {
        assert_prefix_valid(&entries[..head]);
    }
}

fn assert_prefix_valid(entries: &[Entry]) {
    let leading = entries.iter().take_while(|e| e.role.is_system()).count();
    let full = summary_message_text(&"a fact of the work. ".repeat(40));
    let least = summary_message_text("a fact");
    let smaller = [Counted::new(&least, &COUNTER)];
    let pins = pins_text(&["never push to main"]);
    let through = group::span_end(entries, 5, None).ok();
    let marked = entries.iter().filter(|e| e.seq % 3 == 0);
    let marks: Marks =
        marked.map(|e| (e.seq, if e.seq % 2 == 0 { Keep::Always } else { Keep::Never })).collect();
    for anchor in [None, through].into_iter().collect::<std::collections::BTreeSet<_>>() {
        let start = anchor.map_or(leading, |seq| entries.partition_point(|e| e.seq <= seq)).max(leading);
        let covered = &entries[leading..start];
        let kept: Vec<Entry> =
            covered.iter().filter(|e| marks.get(&e.seq) == Some(&Keep::Always)).cloned().collect();
        for (format, budget) in FORMATS.into_iter().flat_map(|f| BUDGETS.map(|b| (f, b))) {
            let input = ContextInput {
                session: "s",
                branch: None,
                format,
                budget,
                head_seq: entries.last().map_or(0, |e| e.seq),
                context_revision: 1,
                system: &entries[..leading],
                pins: anchor.map(|_| Counted::new(&pins, &COUNTER)),
                summary: anchor.map(|anchor_seq| SummaryInput {
                    version: 1,
                    anchor_seq,
                    message: Counted::new(&full, &COUNTER),
                    smaller: &smaller,
                    digest: None,
                }),
                kept: &kept,
                carried: group::newest_user(covered).and_then(|at| covered.get(at)),
                tail: &entries[start..],
                tail_omitted: None,
                mask: MaskInput {
                    mode: MaskMode::Auto,
                    clipping: Clipping::of(anchor.unwrap_or(0) + 4, 600),
                    marks: &marks,
                },
                recap: anchor.map(|_| "do the rest"),
                cache: None,
                notes: &[],
                tools: ToolMode::Offered,
                counter: &COUNTER,
            };
            match assemble(&input) {
                Ok(context) => {
                    let json = context.to_json(|reply| reply).unwrap();
                    let reply: Value = serde_json::from_str(&json).unwrap();
                    assert_eq!(validity::problems(&reply), Vec::<String>::new(), "{reply:#}");
                }
                Err(refused) => assert!(refused.min_tokens > budget),
            }
        }
    }
}
