//! Writes a plan in its format: order, placement, sources, and what the format requires of the whole
//! (alternating roles, a user first).

use std::borrow::Cow;

use sha2::{Digest, Sha256};

use super::super::tools::{digest_named, record_named};
use super::input::{ContextInput, Counted, Entry};
use super::output::{Context, Omitted, Reason, Source, StablePrefix, Tokens};
use super::plan::Plan;
use super::texts::{LEAD_IN, gap_line};
use super::turns::{ServedGroup, ServedMessage};
use anchord_messages::format::anthropic::CacheTtl;
use anchord_messages::format::{Format, anthropic, openai_chat, openai_responses, result_text};
use anchord_messages::id::Seq;
use anchord_messages::message::{Message, Part, Role};
use anchord_messages::shape::hex;
use anchord_record::digest;

/// Writes the context.
pub(super) fn emit<'a>(mut plan: Plan<'a, '_>) -> Context<'a> {
    let input = plan.input;
    let mut writer = Writer::new(input.format, plan.slots.len() + plan.system.len() + 4);
    let mut omitted = Omissions::default();
    let first = u32::try_from(plan.system_tokens()).unwrap_or(u32::MAX);
    let kept = u32::try_from(plan.kept_tokens()).unwrap_or(u32::MAX);
    let mut tokens = Tokens { system: first.saturating_add(kept), ..Tokens::default() };
    let summary = plan.summary_message();

    write_system(&mut plan, &mut writer, &mut omitted);
    let cache = input.cache.filter(|_| input.format == Format::Anthropic);
    // In the order of stability: a compression adds to the digest and rewrites parts of the record.
    let (digest, notes) = (digest_as_named(&mut plan), plan.notes.take());
    let prefix_end = writer.messages.len() + usize::from(digest.is_some());
    if let Some((text, counted)) = &digest {
        tokens.digest = *counted;
        writer.text(Role::User, text, Source::Many(digest::seqs(text).collect()));
        if let Some(ttl) = cache {
            writer.mark_end(ttl);
        }
    }
    if let Some(message) = summary {
        tokens.summary = message.tokens;
        writer.service(&record_named(input.tools, message.text));
    }
    write_kept(&mut plan, &mut writer, &mut omitted);
    if let Some((text, counted)) = &notes {
        tokens.notes = *counted;
        writer.service(text);
    }
    if let Some(ttl) = cache.filter(|_| digest.is_none()) {
        writer.mark_end(ttl);
    }
    omitted.in_system(input);

    let mut tail = 0u64;
    let mut masked = Vec::new();
    let mut pending = Vec::new();
    if plan.needs_lead_in() {
        tail += plan.lead_in_tokens();
        writer.line(LEAD_IN);
    }
    if let Some((_, turns)) = plan.carried.take() {
        tail += u64::from(turns.tokens);
        // The summary covers this message, so clipping it is not reported as omitted.
        writer.turns(turns);
    }
    let gaps = plan.gaps();
    let mut gaps = gaps.into_iter().peekable();
    let mut put_gap_line = |writer: &mut Writer<'a>, omitted: &mut Omissions, from, to| {
        let text = gap_line(from, to, input.tools);
        tail += u64::from(Counted::new(&text, input.counter).tokens);
        omitted.add(from, to, Reason::Budget);
        writer.line(&text);
    };
    for (index, turns) in std::mem::take(&mut plan.turns).into_iter().enumerate() {
        if plan.is_dropped(index) {
            continue;
        }
        if let Some((_, from, to)) = gaps.next_if(|(at, _, _)| *at == index) {
            put_gap_line(&mut writer, &mut omitted, from, to);
        }
        omitted.of(&turns);
        masked.extend_from_slice(&turns.masked);
        pending.extend_from_slice(&turns.pending);
        writer.turns(turns);
    }
    for (_, from, to) in gaps {
        put_gap_line(&mut writer, &mut omitted, from, to);
    }
    tail += plan.group_tokens;
    // Last, because a model pays most attention to the end of a context. Its text says that it is no request
    // and that the message before it is to be answered.
    if let Some(recap) = &plan.recap {
        tail += u64::from(plan.recap_tokens);
        writer.service(recap);
    }
    tokens.tail = u32::try_from(tail).unwrap_or(u32::MAX);

    let (system, messages, sources) = writer.finish();
    // In Anthropic's format the record joins the digest's message, so that message is not counted as stable; the digest's
    // text alone goes into the hash.
    let merged = digest.is_some() && input.format == Format::Anthropic;
    let stable = if merged { prefix_end.saturating_sub(1) } else { prefix_end };
    let digest = digest.as_ref().map(|digest| &*digest.0);
    let stable_prefix =
        prefix(system.as_deref(), &messages, stable, digest, first.saturating_add(tokens.digest));
    Context {
        session: input.session,
        branch: input.branch,
        format: input.format,
        summary_version: summary.and(input.summary).map(|s| s.version),
        summary_form: plan.summary_form(),
        summary_step: plan.summary_step,
        anchor_seq: input.summary.map_or(0, |summary| summary.anchor_seq),
        head_seq: input.head_seq,
        system,
        cache,
        messages,
        sources,
        tokens,
        max_input_tokens: input.budget,
        pending_tool_calls: pending,
        context_revision: input.context_revision,
        masked,
        omitted: omitted.0,
        stable_prefix,
    }
}

/// Writes the system prompt and the pins.
fn write_system<'a>(plan: &mut Plan<'a, '_>, writer: &mut Writer<'a>, omitted: &mut Omissions) {
    for turns in std::mem::take(&mut plan.system) {
        omitted.of(&turns);
        writer.system(turns);
    }
    if let Some(pins) = plan.input.pins {
        writer.pins(pins.text);
    }
}

/// Writes the messages that the caller keeps, and names those that had no room in `omitted`.
fn write_kept<'a>(plan: &mut Plan<'a, '_>, writer: &mut Writer<'a>, omitted: &mut Omissions) {
    for (_, turns) in std::mem::take(&mut plan.kept) {
        omitted.of(&turns);
        writer.turns(turns);
    }
    for seq in std::mem::take(&mut plan.released) {
        omitted.add(seq, seq, Reason::Budget);
    }
}

/// The digest, with the call that gives its messages where the tools are offered.
fn digest_as_named<'a>(plan: &mut Plan<'a, '_>) -> Option<(Cow<'a, str>, u32)> {
    let (text, counted) = plan.digest.take()?;
    Some(match digest_named(plan.input.tools, &text) {
        Cow::Borrowed(_) => (text, counted),
        Cow::Owned(named) => (Cow::Owned(named), counted),
    })
}

fn prefix<'t>(
    system: Option<&'t str>,
    messages: &'t [Cow<'_, str>],
    whole: usize,
    digest: Option<&'t str>,
    tokens: u32,
) -> StablePrefix {
    let mut hash = Sha256::new();
    let texts = messages.iter().take(whole).map(AsRef::as_ref);
    for text in system.into_iter().chain(texts).chain(digest) {
        hash.update(text.as_bytes());
        hash.update(b"\n");
    }
    StablePrefix { messages: whole, tokens, sha256: hex(&hash.finalize(), 32) }
}

#[derive(Default)]
struct Omissions(Vec<Omitted>);

impl Omissions {
    /// System messages that the format has no place for among the messages.
    fn in_system(&mut self, input: &ContextInput<'_>) {
        for entry in input.system.iter().filter(|_| input.format == Format::Anthropic) {
            self.add(entry.seq, entry.seq, Reason::InSystem);
        }
    }

    fn of(&mut self, turns: &ServedGroup<'_>) {
        for (seq, reason) in &turns.omitted {
            self.add(*seq, *seq, *reason);
        }
    }

    fn add(&mut self, from_seq: Seq, to_seq: Seq, reason: Reason) {
        match self.0.last_mut() {
            Some(last) if last.reason == reason && last.to_seq + 1 == from_seq => last.to_seq = to_seq,
            _ => self.0.push(Omitted { from_seq, to_seq, reason }),
        }
    }
}

/// Writes messages of one format, in order.
struct Writer<'a> {
    format: Format,
    system: Vec<String>,
    messages: Vec<EmittedMessage<'a>>,
}

struct EmittedMessage<'a> {
    body: Body<'a>,
    source: Source,
}

enum Body<'a> {
    Whole(Cow<'a, str>),
    /// An Anthropic turn; while it is the last, blocks of the same role join it.
    Turn(Role, Vec<String>),
    /// An Anthropic message as stored, until something joins it.
    Raw(&'a Entry),
}

impl<'a> Writer<'a> {
    fn new(format: Format, capacity: usize) -> Self {
        Self { format, system: Vec::new(), messages: Vec::with_capacity(capacity) }
    }

    fn system(&mut self, turns: ServedGroup<'a>) {
        if self.format != Format::Anthropic {
            return self.turns(turns);
        }
        for served in turns.served {
            if let ServedMessage::Made(message, _) = served {
                self.system.push(message.text());
            }
        }
    }

    fn pins(&mut self, text: &str) {
        match self.format {
            Format::Anthropic => self.system.push(text.to_owned()),
            Format::OpenaiChat | Format::OpenaiResponses => self.text(Role::System, text, Source::Service),
        }
    }

    /// Adds a text of the service that comes from no stored message.
    fn service(&mut self, text: &str) {
        self.text(Role::User, text, Source::Service);
    }

    /// Marks the last block so far for the provider's cache; blocks that join its turn later come after it.
    fn mark_end(&mut self, ttl: CacheTtl) {
        if let Some(Body::Turn(_, blocks)) = self.messages.last_mut().map(|last| &mut last.body)
            && let Some(block) = blocks.last_mut()
        {
            *block = anthropic::with_cache_control(block, ttl);
        }
    }

    /// Adds a line in place of messages: the lead-in, or that of a gap.
    fn line(&mut self, text: &str) {
        self.text(Role::User, text, Source::Many(Vec::new()));
    }

    fn text(&mut self, role: Role, text: &str, source: Source) {
        let message = Message { role, name: None, parts: vec![Part::Text(text.to_owned())] };
        self.made(&message, source);
    }

    fn turns(&mut self, turns: ServedGroup<'a>) {
        for served in turns.served {
            match served {
                ServedMessage::Raw(entry) => self.raw(entry),
                ServedMessage::Made(message, seqs) => {
                    let source = match seqs.as_slice() {
                        [seq] => Source::One(*seq),
                        _ => Source::Many(seqs),
                    };
                    self.made(&message, source);
                }
                ServedMessage::Item(text, seq) => {
                    let source = seq.map_or_else(|| Source::Many(Vec::new()), Source::One);
                    self.messages.push(EmittedMessage { body: Body::Whole(Cow::Owned(text)), source });
                }
            }
        }
    }

    fn raw(&mut self, entry: &'a Entry) {
        let source = Source::One(entry.seq);
        if self.format != Format::Anthropic {
            self.messages.push(EmittedMessage { body: Body::Whole(Cow::Borrowed(&entry.raw)), source });
            return;
        }
        let role = speaker(entry.role);
        if self.messages.last().is_some_and(|last| last.speaker() == Some(role)) {
            self.join(role, anthropic::raw_blocks(&entry.raw), source);
        } else {
            self.messages.push(EmittedMessage { body: Body::Raw(entry), source });
        }
    }

    fn made(&mut self, message: &Message, source: Source) {
        let mut push = |text: String, source: Source| {
            self.messages.push(EmittedMessage { body: Body::Whole(Cow::Owned(text)), source });
        };
        match self.format {
            Format::Anthropic => {
                let blocks = message.parts.iter().filter_map(anthropic::block_of).collect();
                self.join(speaker(message.role), blocks, source);
            }
            Format::OpenaiChat if message.role == Role::Tool => {
                for result in message.results() {
                    let text = openai_chat::write_result(
                        &result.call_id,
                        message.name.as_deref(),
                        &result_text(&result.parts),
                    );
                    push(text, source.clone());
                }
            }
            Format::OpenaiChat => push(openai_chat::write(message), source),
            Format::OpenaiResponses if message.role == Role::Tool => {
                for result in message.results() {
                    let kind = openai_responses::FUNCTION_OUTPUT;
                    push(
                        openai_responses::write_result(kind, &result.call_id, &result.parts),
                        source.clone(),
                    );
                }
            }
            Format::OpenaiResponses => {
                for item in openai_responses::write(message) {
                    push(item, source.clone());
                }
            }
        }
    }

    /// Adds blocks to the turn of the same role at the end, or begins a turn.
    fn join(&mut self, role: Role, mut blocks: Vec<String>, source: Source) {
        match self.messages.last_mut() {
            Some(last) if last.speaker() == Some(role) => {
                if let Body::Raw(entry) = last.body {
                    last.body = Body::Turn(role, anthropic::raw_blocks(&entry.raw));
                }
                if let Body::Turn(_, all) = &mut last.body {
                    all.append(&mut blocks);
                }
                last.source.join(&source);
            }
            _ => self.messages.push(EmittedMessage { body: Body::Turn(role, blocks), source }),
        }
    }

    /// Trims the end: a provider refuses a conversation whose last message is the model's and ends in white
    /// space.
    fn trim_last_word(&mut self) {
        let Some(last) = self.messages.last_mut().filter(|last| last.speaker() == Some(Role::Assistant))
        else {
            return;
        };
        let mut blocks = match &mut last.body {
            Body::Raw(entry) => anthropic::raw_blocks(&entry.raw),
            Body::Turn(_, blocks) => std::mem::take(blocks),
            Body::Whole(_) => return,
        };
        let trimmed = blocks.last_mut().is_some_and(|block| match anthropic::trimmed_text(block) {
            Some(trimmed) => {
                *block = trimmed;
                true
            }
            None => false,
        });
        if trimmed || matches!(last.body, Body::Turn(..)) {
            last.body = Body::Turn(Role::Assistant, blocks);
        }
    }

    fn finish(mut self) -> (Option<String>, Vec<Cow<'a, str>>, Vec<Source>) {
        self.trim_last_word();
        // Providers refuse an empty system prompt, and a prompt of pictures alone has no text.
        self.system.retain(|text| !text.trim().is_empty());
        let system = (!self.system.is_empty()).then(|| self.system.join("\n\n"));
        let mut messages = Vec::with_capacity(self.messages.len());
        let mut sources = Vec::with_capacity(self.messages.len());
        for written in self.messages {
            sources.push(written.source);
            messages.push(match written.body {
                Body::Whole(text) => text,
                Body::Raw(entry) => Cow::Borrowed(&*entry.raw),
                Body::Turn(role, blocks) => {
                    let role = role.as_ref();
                    Cow::Owned(format!("{{\"role\":\"{role}\",\"content\":[{}]}}", blocks.join(",")))
                }
            });
        }
        (system, messages, sources)
    }
}

impl EmittedMessage<'_> {
    /// The turn's role of an Anthropic message; `None` in the other formats.
    fn speaker(&self) -> Option<Role> {
        match &self.body {
            Body::Whole(_) => None,
            Body::Turn(role, _) => Some(*role),
            Body::Raw(entry) => Some(speaker(entry.role)),
        }
    }
}

impl Source {
    fn join(&mut self, other: &Self) {
        let mut seqs = self.seqs().to_vec();
        let service = matches!(self, Self::Service) && matches!(other, Self::Service);
        seqs.extend_from_slice(other.seqs());
        if !service {
            *self = Self::Many(seqs);
        }
    }
}

/// The role of a turn in a format with only two.
fn speaker(role: Role) -> Role {
    if role == Role::Assistant { Role::Assistant } else { Role::User }
}
