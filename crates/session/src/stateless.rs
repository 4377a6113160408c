//! Compresses messages that are not stored: span, candidate and context in one call, without a model.
//!
//! The steps are those of a session's first compression, and the context is assembled in the same way, so
//! that the reply is valid in its format. Tool outputs are not replaced by placeholders, because there is no
//! session from which they could be read.

use std::borrow::Cow;
use std::collections::BTreeSet;

use chrono::{DateTime, Utc};

pub use anchord_context::context::BudgetTooSmall as TooSmall;
use anchord_context::context::{
    BudgetTooSmall, ContextInput, Counted, Entry, MaskInput, SummaryForm, SummaryInput, assemble,
    summary_message, summary_message_text,
};
use anchord_context::mask::{Clipping, Keep, Marks, MaskMode};
use anchord_context::pin::PINS_SHARE;
use anchord_context::tools::ToolMode;
use anchord_facts::ledger::prose::measured;
use anchord_messages::format::{Format, FormatError};
use anchord_messages::group::{self, NoSpan};
use anchord_messages::id::Seq;
use anchord_messages::message::{Message, Numbered};
use anchord_messages::shape::{Measured, Shape};
use anchord_messages::tokens::TokenCounter;
use anchord_record::candidate::{self, CheckedDraft, Material};
use anchord_record::digest;
use anchord_record::fill::{DEFAULT_FILL, MAX_DEFAULT_FILL_TOKENS, share_of};
use anchord_record::probe::{self, Probe, Scores};
use anchord_record::render::{DEFAULT_BOUND_TOKENS, LEAST_FORM_TOKENS, Rendering};
use anchord_record::strategy::Strategy;
use anchord_record::summary::Summary;
use anchord_record::version::VersionMeta;

/// The session's name in the context: empty, because notes have no session to refer to.
const NO_SESSION: &str = "";

/// A conversation: its messages with their tokens and shapes.
#[derive(Clone, Debug)]
pub struct Conversation {
    format: Format,
    counter: TokenCounter,
    entries: Vec<Entry>,
    messages: Vec<Message>,
    /// The messages that come back in full although the summary covers them.
    kept: BTreeSet<Seq>,
}

impl Conversation {
    /// The format of its messages, and of what comes back.
    pub fn format(&self) -> Format {
        self.format
    }

    /// A conversation without messages.
    pub fn new(format: Format, counter: TokenCounter) -> Self {
        Self { format, counter, entries: Vec::new(), messages: Vec::new(), kept: BTreeSet::new() }
    }

    /// Adds the next message, given as its JSON text.
    ///
    /// # Errors
    /// When it is not a message of the format.
    pub fn push(&mut self, raw: String) -> Result<(), FormatError> {
        let Measured { message, tokens, shape } = measured(self.format, &raw, &self.counter)?;
        let raw = Shape::served(shape.as_ref(), self.format, raw);
        let seq = Seq::try_from(self.entries.len()).unwrap_or(Seq::MAX - 1) + 1;
        self.entries.push(Entry {
            seq,
            format: self.format,
            role: message.role,
            tokens,
            shape,
            raw: raw.into(),
        });
        self.messages.push(message);
        Ok(())
    }

    /// Keeps these messages in full, although the summary covers them.
    ///
    /// # Errors
    /// The tokens that they take, and the most that they may: as in a session, a tenth of what is to be filled.
    pub fn keep(&mut self, kept: BTreeSet<Seq>, target_tokens: Option<u32>) -> Result<(), (u32, u32)> {
        let marked = self.entries.iter().filter(|entry| kept.contains(&entry.seq));
        let tokens = marked.fold(0u32, |sum, entry| sum.saturating_add(entry.tokens));
        let most = target_tokens.map_or(u32::MAX, |target| share_of(target, PINS_SHARE));
        if tokens > most {
            return Err((tokens, most));
        }
        self.kept = kept;
        Ok(())
    }

    /// Whether a message comes back in full beside a summary of the messages through `through`.
    fn stays(&self, entry: &Entry, through: Seq) -> bool {
        entry.seq > through || self.kept.contains(&entry.seq)
    }

    /// Tokens of all messages.
    pub fn tokens(&self) -> u32 {
        self.entries.iter().fold(0, |sum, entry| sum.saturating_add(entry.tokens))
    }
}

/// How to compress.
#[derive(Clone, Copy, Debug)]
pub struct CompressOptions {
    /// How the summary is made.
    pub strategy: Strategy,
    /// The most tokens of the returned context; no limit when absent.
    pub target_tokens: Option<u32>,
    /// The most tokens of the summary's text.
    pub max_summary_tokens: u32,
    /// When it is made.
    pub now: DateTime<Utc>,
}

/// The result of a compression without a session.
#[derive(Clone, Debug)]
pub struct Compressed {
    /// The version and its summary; `None` when a summary was not worth it.
    pub summary: Option<(VersionMeta, Summary)>,
    /// The summary's text in the context.
    pub rendering: Option<String>,
    /// Which form of the summary is served: 0 for the whole one, then its smaller ones.
    pub summary_step: usize,
    /// The system prompt, where the format keeps it apart.
    pub system: Option<String>,
    /// The messages, each as its JSON text.
    pub messages: Vec<String>,
    /// Tokens of the given messages.
    pub tokens_before: u32,
    /// Tokens of the returned context.
    pub tokens_after: u32,
    /// Runs of messages that are neither served nor covered by the summary, or not in full: first, last,
    /// why.
    pub omitted: Vec<(Seq, Seq, &'static str)>,
    /// Calls that wait for their results.
    pub pending_tool_calls: Vec<String>,
    /// Figures of the last candidate's probes.
    pub probes: Scores,
    /// Warnings for the caller.
    pub warnings: Vec<String>,
}

/// Compresses a conversation.
///
/// # Errors
/// When system prompt and newest message do not fit the target.
pub fn compress(conversation: &Conversation, wanted: CompressOptions) -> Result<Compressed, BudgetTooSmall> {
    let mut warnings = Vec::new();
    let checked = match span_end(conversation, wanted) {
        Ok(through) => Some(check_through(conversation, through, wanted)),
        Err(reason) => {
            warnings.push(format!("skipped: {reason}"));
            None
        }
    };
    finish(conversation, (checked, warnings), wanted.target_tokens)
}

/// The result for a candidate: the context with its summary, or without one when it was refused or is not worth it.
///
/// # Errors
/// When system prompt and newest message do not fit the target.
pub fn finish(
    conversation: &Conversation,
    (checked, mut warnings): (Option<CheckedDraft>, Vec<String>),
    target_tokens: Option<u32>,
) -> Result<Compressed, BudgetTooSmall> {
    let probes = checked.as_ref().map_or_else(Scores::default, |checked| checked.report.scores());
    if let Some(checked) = &checked {
        warnings.extend(checked.meta.warnings.iter().cloned());
        if checked.is_not_smaller() {
            warnings.push("skipped: the summary is not smaller than the messages".to_owned());
        } else if !checked.is_accepted() {
            let reasons: Vec<String> = checked.refusals.iter().take(5).map(ToString::to_string).collect();
            let reasons = if reasons.is_empty() { "its probes fail".to_owned() } else { reasons.join("; ") };
            warnings.push(format!("rejected: the summary was not used: {reasons}"));
        }
    }
    let checked = checked.filter(CheckedDraft::is_accepted);
    let shown = checked.as_ref().map(|checked| ServedParts {
        anchor: checked.meta.through_seq,
        rendering: &checked.rendering.text,
        smaller: &checked.smaller,
        digest: &checked.digest,
    });
    let served = serve(conversation, shown, target_tokens)?;
    // The probes are reported for the rendering that is served.
    let step = served.summary_step.checked_sub(1);
    let report = checked.as_ref().zip(step).and_then(|(checked, step)| {
        let asked: Vec<Probe> = checked.report.results.iter().map(|result| result.probe.clone()).collect();
        Some(probe::score(&asked, checked.smaller.get(step)?, &checked.summary))
    });
    let probes = report.map_or(probes, |report| report.scores());
    warnings.extend(served.warnings.iter().cloned());
    Ok(Compressed {
        probes,
        warnings,
        summary: checked.map(|checked| (checked.meta, checked.summary)),
        ..served
    })
}

/// The parts of a summary that a context serves.
#[derive(Clone, Copy, Debug)]
pub struct ServedParts<'a> {
    /// The last message that it covers.
    pub anchor: Seq,
    /// Its text.
    pub rendering: &'a str,
    /// Its smaller forms, the largest first.
    pub smaller: &'a [Rendering],
    /// The digest of the messages that it covers.
    pub digest: &'a digest::ServedDigest,
}

/// The room for a summary of the messages through `through`, in tokens.
pub fn bound(conversation: &Conversation, through: Seq, target_tokens: Option<u32>) -> u32 {
    let room = target_tokens.map_or(u32::MAX, |target| target.saturating_sub(fixed(conversation, through)));
    room.clamp(LEAST_FORM_TOKENS, DEFAULT_BOUND_TOKENS)
}

/// The room for the summary and the digest of the messages up to `through`, in tokens: what the target
/// leaves, else the share of all messages that a session's context would fill.
pub fn room(conversation: &Conversation, through: Seq, target_tokens: Option<u32>) -> u32 {
    let default =
        share_of(conversation.tokens(), DEFAULT_FILL).clamp(DEFAULT_BOUND_TOKENS, MAX_DEFAULT_FILL_TOKENS);
    target_tokens.map_or(default, |target| target.saturating_sub(fixed(conversation, through)))
}

/// The tokens beside them: system prompt, kept and newest messages, and the line that introduces a summary.
fn fixed(conversation: &Conversation, through: Seq) -> u32 {
    let entries = &conversation.entries;
    let lead = group::leading_system(entries);
    let (system, rest) = entries.split_at_checked(lead).unwrap_or_default();
    let beside = system.iter().chain(rest.iter().filter(|entry| conversation.stays(entry, through)));
    let (_, head) = summary_message("", conversation.counter);
    beside.fold(head, |sum, entry| sum.saturating_add(entry.tokens))
}

/// The last message that a summary would cover: the newest messages that the strategy preserves stay out of it, fewer of them
/// when the target leaves no room for them beside a summary.
///
/// # Errors
/// The reason, when no message may be covered.
pub fn span_end(conversation: &Conversation, wanted: CompressOptions) -> Result<Seq, NoSpan> {
    let entries = &conversation.entries;
    let most = usize::try_from(wanted.strategy.preserves()).unwrap_or(usize::MAX);
    let Some(target) = wanted.target_tokens else { return group::span_end(entries, most, None) };
    let outside = |through: Seq| fixed(conversation, through).saturating_add(LEAST_FORM_TOKENS);
    let mut end = Err(NoSpan::TooFew);
    for preserve in (1..=most).rev() {
        let Ok(through) = group::span_end(entries, preserve, None) else { continue };
        end = Ok(through);
        if outside(through) <= target {
            break;
        }
    }
    // When nothing at all may be covered, the strategy's own reason is returned.
    end.or_else(|_| group::span_end(entries, most, None))
}

fn check_through(conversation: &Conversation, through: Seq, wanted: CompressOptions) -> CheckedDraft {
    let entries = &conversation.entries;
    let lead = group::leading_system(entries);
    let numbered = entries.iter().zip(&conversation.messages).skip(lead);
    let numbered = numbered.map(|(entry, message)| Numbered { seq: entry.seq, message: message.clone() });
    let (span, tail): (Vec<Numbered>, Vec<Numbered>) = numbered.partition(|one| one.seq <= through);
    let covered = entries.iter().skip(lead).filter(|entry| !conversation.stays(entry, through));
    let span_tokens = covered.fold(0u32, |sum, entry| sum.saturating_add(entry.tokens));
    let bound = bound(conversation, through, wanted.target_tokens).min(wanted.max_summary_tokens);
    let material = Material {
        strategy: wanted.strategy,
        session_id: NO_SESSION.to_owned(),
        tail,
        bound,
        model_bound: bound,
        aim: bound,
        room: room(conversation, through, wanted.target_tokens),
        goes_on: false,
        ..Material::first(span, span_tokens, conversation.counter, wanted.now)
    };
    candidate::check_by_code(material).0
}

/// Assembles the context of a conversation with its summary. The caller sets `summary` and `probes` of the result.
///
/// # Errors
/// When system prompt and newest message do not fit the target.
pub fn serve(
    conversation: &Conversation,
    shown: Option<ServedParts<'_>>,
    target: Option<u32>,
) -> Result<Compressed, BudgetTooSmall> {
    let (entries, counter) = (&conversation.entries, &conversation.counter);
    let (system, rest) = entries.split_at_checked(group::leading_system(entries)).unwrap_or_default();
    let anchor = shown.map_or(0, |shown| shown.anchor);
    let (covered, tail) =
        rest.split_at_checked(rest.partition_point(|e| e.seq <= anchor)).unwrap_or_default();
    let forms: Vec<&str> = shown
        .iter()
        .flat_map(|shown| {
            std::iter::once(shown.rendering).chain(shown.smaller.iter().map(|form| &*form.text))
        })
        .collect();
    let texts: Vec<String> = forms.iter().map(|form| summary_message_text(form)).collect();
    let messages: Vec<Counted<'_>> = texts.iter().map(|text| Counted::new(text, counter)).collect();
    let summary = messages.split_first().map(|(message, smaller)| {
        let digest = shown.map(|shown| shown.digest).filter(|digest| !digest.text.is_empty());
        let digest = digest.map(|digest| Counted { text: &digest.text, tokens: digest.tokens });
        SummaryInput { version: 1, anchor_seq: anchor, message: *message, smaller, digest }
    });
    // The user's newest message is served even when the summary covers it, as in a session.
    let carried = match group::newest_user(tail) {
        Some(_) => None,
        None => group::newest_user(covered).and_then(|at| covered.get(at)),
    };
    let marks: Marks = conversation.kept.iter().map(|seq| (*seq, Keep::Always)).collect();
    let carried_seq = carried.map(|entry| entry.seq);
    let kept =
        covered.iter().filter(|entry| marks.contains_key(&entry.seq) && Some(entry.seq) != carried_seq);
    let kept: Vec<Entry> = kept.cloned().collect();
    let input = ContextInput {
        session: NO_SESSION,
        branch: None,
        format: conversation.format,
        budget: target.unwrap_or(u32::MAX),
        head_seq: entries.last().map_or(0, |entry| entry.seq),
        context_revision: 0,
        system,
        pins: None,
        summary,
        kept: &kept,
        carried,
        tail,
        tail_omitted: None,
        mask: MaskInput { mode: MaskMode::Off, clipping: Clipping::default(), marks: &marks },
        recap: None,
        cache: None,
        notes: &[],
        tools: ToolMode::None,
        counter,
    };
    let context = assemble(&input)?;
    let warning = match context.summary_form {
        SummaryForm::Full => None,
        SummaryForm::Reduced => Some("a part of the summary is served: the target holds no more"),
        SummaryForm::Least => Some("the summary is in its least form: the target holds no more"),
    };
    let omitted = context.omitted.iter().map(|run| (run.from_seq, run.to_seq, run.reason.into())).collect();
    Ok(Compressed {
        summary: None,
        rendering: forms.get(context.summary_step).map(|form| (*form).to_owned()),
        summary_step: context.summary_step,
        tokens_before: conversation.tokens(),
        tokens_after: context.tokens.total(),
        messages: context.messages.into_iter().map(Cow::into_owned).collect(),
        system: context.system,
        pending_tool_calls: context.pending_tool_calls,
        omitted,
        probes: Scores::default(),
        warnings: warning.into_iter().map(str::to_owned).collect(),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A session of many turns: reads, edits and test runs with long outputs.
    fn conversation(format: Format) -> Conversation {
        let mut conversation = Conversation::new(format, TokenCounter::default());
        let mut push = |raw: String| conversation.push(raw).unwrap();
        push(r#"{"role":"system","content":"You are a careful engineer."}"#.to_owned());
        push(
            r#"{"role":"user","content":"Fix the login in src/auth.rs. Never touch the schema."}"#.to_owned(),
        );
        for turn in 0..30 {
            let (id, said) = (format!("c{turn}"), format!("Reading part {turn}."));
            let input = json!({"file_path": format!("src/part{turn}.rs")});
            let output = format!("line {turn} of the file\n").repeat(40);
            let (call, result) = match format {
                Format::Anthropic => {
                    let call = json!({"type": "tool_use", "id": id, "name": "Read", "input": input});
                    let result = json!({"type": "tool_result", "tool_use_id": id, "content": output});
                    let content = json!([{"type": "text", "text": said}, call]);
                    (
                        json!({"role": "assistant", "content": content}),
                        json!({"role": "user", "content": [result]}),
                    )
                }
                Format::OpenaiChat | Format::OpenaiResponses => {
                    let function = json!({"name": "Read", "arguments": input.to_string()});
                    let calls = json!([{"id": id, "type": "function", "function": function}]);
                    (
                        json!({"role": "assistant", "content": said, "tool_calls": calls}),
                        json!({"role": "tool", "tool_call_id": id, "content": output}),
                    )
                }
            };
            push(call.to_string());
            push(result.to_string());
        }
        push(
            r#"{"role":"assistant","content":"I decided to keep tokens because sessions need state."}"#
                .to_owned(),
        );
        push(r#"{"role":"user","content":"Go on."}"#.to_owned());
        conversation
    }

    fn wanted(target_tokens: Option<u32>) -> CompressOptions {
        CompressOptions {
            strategy: Strategy::Anchored,
            target_tokens,
            max_summary_tokens: DEFAULT_BOUND_TOKENS,
            now: DateTime::UNIX_EPOCH,
        }
    }

    #[test]
    fn a_long_conversation_becomes_system_summary_and_the_newest_messages() {
        for format in [Format::OpenaiChat, Format::Anthropic] {
            let conversation = conversation(format);
            let made = compress(&conversation, wanted(None)).unwrap();
            assert!(
                made.tokens_after * 2 < made.tokens_before,
                "{} of {}",
                made.tokens_after,
                made.tokens_before
            );
            assert_eq!(made.tokens_before, conversation.tokens());
            let (meta, summary) = made.summary.as_ref().unwrap();
            assert!(summary.session_intent.contains("login"), "{}", summary.session_intent);
            assert_eq!(meta.from_seq, 2);
            let text = made.messages.join("\n");
            assert!(text.contains("Go on.") && text.contains("Session Intent"), "{text}");
            assert!(made.omitted.iter().all(|run| run.2 == "in_system"), "{:?}", made.omitted);
            let in_system = made.system.clone().unwrap_or_else(|| made.messages[0].clone());
            assert!(in_system.contains("careful engineer"), "{in_system}");
            for raw in &made.messages {
                anchord_messages::format::parse(format, raw).unwrap();
            }
            assert!(made.probes.asked > 0 && made.probes.score.is_some());
        }
    }

    #[test]
    fn what_is_to_be_kept_comes_back_in_full_and_is_a_tenth_of_the_target_at_most() {
        for format in [Format::OpenaiChat, Format::Anthropic] {
            let mut conversation = conversation(format);
            let output = "line 3 of the file\\n".repeat(40);
            let served = |conversation: &Conversation| {
                let made = compress(conversation, wanted(Some(6_000))).unwrap();
                assert!(made.tokens_after <= 6_000 && made.summary.is_some(), "{:?}", made.warnings);
                made.messages.join("\n").matches(&output).count()
            };
            assert_eq!(served(&conversation), 0);
            // The fourth output: system, user, and three calls with their outputs stand before its call.
            conversation.keep(BTreeSet::from([10]), Some(6_000)).unwrap();
            assert_eq!(served(&conversation), 1);
            let (tokens, most) = conversation.keep((1..=40).collect(), Some(6_000)).unwrap_err();
            assert!(tokens > most && most == 600, "{tokens} of {most}");
        }
    }

    #[test]
    fn the_target_holds_or_is_refused() {
        let conversation = conversation(Format::OpenaiChat);
        let mut refused = 0;
        for target in [4_000, 2_500, 1_500, 600, 200, 20, 5] {
            match compress(&conversation, wanted(Some(target))) {
                Ok(made) => assert!(made.tokens_after <= target, "{} > {target}", made.tokens_after),
                Err(BudgetTooSmall { min_tokens }) => {
                    assert!(min_tokens > target);
                    refused += 1;
                }
            }
        }
        assert!((1..7).contains(&refused), "{refused}");
    }

    #[test]
    fn what_is_too_short_to_compress_comes_back_as_it_was() {
        let mut short = Conversation::new(Format::OpenaiChat, TokenCounter::default());
        let raw = [r#"{"role": "user",  "content": "Hello"}"#, r#"{"role":"assistant","content":"Hi"}"#];
        for raw in raw {
            short.push(raw.to_owned()).unwrap();
        }
        let made = compress(&short, wanted(None)).unwrap();
        assert_eq!(made.messages, raw);
        assert!(made.summary.is_none() && made.warnings[0].starts_with("skipped"), "{:?}", made.warnings);
        assert_eq!(made.tokens_before, made.tokens_after);
    }

    #[test]
    fn notes_about_what_is_left_out_refer_to_no_session() {
        let conversation = conversation(Format::OpenaiChat);
        let made = compress(&conversation, wanted(Some(600))).unwrap();
        assert!(!made.messages.join("").contains("/v1/sessions"), "{:?}", made.messages);
    }
}
