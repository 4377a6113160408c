//! The page of an exam: what it says, in which order.

use anchord_economy::kept::Kind;
use anchord_economy::known::{Known, Share};
use anchord_economy::ways::Way;
use anchord_facts::redact::redact;
use anchord_record::probe::Verdict;
use chrono::NaiveDate;
use indicatif::HumanCount;
use serde_json::{Map, Value};

use super::page::{Block, Page, Row, Table};
use super::played::{Group, Outcome, Session, Subject, rounded, speaker};
use crate::cli::output::counted;

/// Of each message of a context so many characters are shown, and of all facts that are nowhere so many.
const SHOWN_CHARS: usize = 4_000;
const SHOWN_FACTS: usize = 40;

/// The rest of what a page says.
pub(super) struct Told<'a> {
    pub(super) settings: &'a Map<String, Value>,
    /// The model that was asked; `None` when no model is configured.
    pub(super) model: Option<&'a str>,
    pub(super) day: NaiveDate,
}

pub(super) fn page(subjects: &[Subject], groups: &[Group<'_>], told: &Told<'_>) -> Page {
    let mut blocks = vec![Block::Text(introduction(subjects, told))];
    blocks.push(Block::List(groups.iter().map(headline).collect()));
    blocks.push(sessions(subjects));
    for group in groups {
        window(group, told, &mut blocks);
    }
    method(told, &mut blocks);
    Page { title: format!("Exam of {}", counted(len(subjects.len()), "session")), blocks }
}

fn introduction(subjects: &[Subject], told: &Told<'_>) -> String {
    let calls: usize = subjects.iter().map(|subject| subject.session.calls().count()).sum();
    format!(
        "Each session was played back on {} by anchord {}: before each of the agent's {}, each way of managing the context made its prompt. Nothing was sent to the agent's model.",
        told.day,
        env!("CARGO_PKG_VERSION"),
        counted(len(calls), "recorded answer"),
    )
}

/// The result of a window in a sentence.
fn headline(group: &Group<'_>) -> String {
    let (service, compact) = (group.sum(Way::Service).tally, group.sum(Way::Compact).tally);
    let window = HumanCount(group.window.into());
    if service.compressions + compact.compressions == 0 {
        return format!(
            "Window {window}: no session fills it, so that nothing has to be forgotten. anchord saves nothing here."
        );
    }
    let others = Way::OTHERS.into_iter().filter(|way| *way != Way::Compact);
    let cheapest = others
        .map(|way| (way, group.sum(way).tally))
        .min_by(|one, other| one.1.cost().total_cmp(&other.1.cost()));
    let cheapest = cheapest.map_or_else(String::new, |(way, tally)| {
        let (cost, needs) = (times(tally.cost(), compact.cost()), tally.known.needs.found);
        format!(" The cheapest of the other ways is {}: {cost}, with {} of them.", way.name(), count(needs))
    });
    format!(
        "Window {window}: anchord costs {} of plain compaction. Of {} old names that the next message needs, its prompts have {}, compaction's {} (its summaries have no words here).{cheapest}",
        times(service.cost(), compact.cost()),
        count(service.known.needs.of),
        count(service.known.needs.found),
        count(compact.known.needs.found),
    )
}

fn sessions(subjects: &[Subject]) -> Block {
    let rows = subjects.iter().map(|subject| {
        let left_out = subject.left_out.clone().unwrap_or_else(|| "–".to_owned());
        plain(vec![
            subject.session.name.clone(),
            subject.log.as_ref().to_owned(),
            count(subject.messages()),
            HumanCount(subject.tokens()).to_string(),
            count(subject.session.calls().count()),
            left_out,
        ])
    });
    table_of_words("The sessions", &["session", "log", "messages", "tokens", "calls", "left out"], rows)
}

/// The parts about one window.
fn window(group: &Group<'_>, told: &Told<'_>, blocks: &mut Vec<Block>) {
    blocks.push(Block::Heading(1, format!("Window {}", HumanCount(group.window.into()))));
    blocks.push(Block::Text(format!(
        "Prompts may fill {} tokens of it; the rest is for the answer.",
        HumanCount(group.effective.into())
    )));
    blocks.push(Block::Heading(2, "Cost".to_owned()));
    blocks.push(costs(group));
    let refused = group.sum(Way::Service).tally.refused;
    if refused > 0 {
        blocks.push(Block::Text(format!(
            "In {} anchord had no prompt that fits the window: system prompt and record alone are too large for it. They cost it nothing here, so that its figures are too low.",
            counted(len(refused), "call")
        )));
    }
    if group.sessions.len() > 1 {
        blocks.push(costs_of_sessions(group));
    }
    blocks.push(Block::Heading(2, "What the prompts know".to_owned()));
    blocks.push(known(group));
    blocks.push(Block::Heading(2, "Facts in the last context".to_owned()));
    blocks.push(facts(group));
    blocks.extend(group.sessions.iter().filter_map(lost));
    blocks.push(Block::Heading(2, "Questions of a model".to_owned()));
    questions(group, told, blocks);
    blocks.push(Block::Heading(2, "The last contexts".to_owned()));
    blocks.push(Block::Text(
        "As anchord serves them at the last call. Secrets that are recognised are taken out, and long messages are cut here."
            .to_owned(),
    ));
    blocks.extend(group.sessions.iter().map(context));
}

fn costs(group: &Group<'_>) -> Block {
    let outcomes = Way::ALL.map(|way| group.sum(way));
    let cost = |way: Way| group.sum(way).tally.cost();
    let compact = cost(Way::Compact);
    let most = outcomes.iter().map(|outcome| outcome.tally.cost()).fold(1.0, f64::max);
    let tasks = group.sessions.len().max(1);
    let rows = Way::ALL.iter().zip(outcomes).map(|(way, Outcome { tally, .. })| Row {
        cells: vec![
            way.name().to_owned(),
            count(rounded(tally.cost()) / tasks),
            times(tally.cost(), compact),
            count(rounded(tally.tokens) / tasks),
            format!("{:.0} %", tally.cached / tally.tokens.max(1.0) * 100.0),
            count(tally.breaks),
            count(tally.compressions),
            count(rounded(tally.largest)),
            count(tally.over + tally.refused),
        ],
        bar: Some((1, tally.cost() / most)),
        is_ours: *way == Way::Service,
    });
    table(
        "Tokens per task, all sessions together: cost in tokens that no cache has, and what was sent",
        &[
            "way", "cost of a task", "of compact", "sent", "cached", "breaks", "compressions",
            "largest prompt", "above the window",
        ],
        rows,
    )
}

fn costs_of_sessions(group: &Group<'_>) -> Block {
    let rows = group.sessions.iter().map(|session| {
        let cost = |way| session.outcome(way).tally.cost();
        let compact = cost(Way::Compact);
        let mut cells = vec![session.subject.session.name.clone(), count(rounded(compact))];
        cells.extend(Way::ALL.map(|way| times(cost(way), compact)));
        plain(cells)
    });
    let mut head = vec!["session", "cost of compact"];
    head.extend(Way::ALL.map(Way::name));
    table("Cost by session: of compact", &head, rows)
}

fn known(group: &Group<'_>) -> Block {
    let rows = Way::ALL.map(|way| {
        let Known { newest, last_three, last_ten, needs, edits, .. } = group.sum(way).tally.known;
        let mut cells = vec![way.name().to_owned()];
        cells.extend([needs, edits, newest, last_three, last_ten].map(shown));
        Row { cells, bar: None, is_ours: way == Way::Service }
    });
    table(
        "Found word for word, over all prompts",
        &["way", "needs", "edits", "newest outputs", "last 3 outputs", "last 10 outputs"],
        rows,
    )
}

fn facts(group: &Group<'_>) -> Block {
    let rows = Way::ALL.map(|way| {
        let mut cells = vec![way.name().to_owned()];
        cells.extend(group.sum(way).kept.map(shown));
        Row { cells, bar: None, is_ours: way == Way::Service }
    });
    let mut head = vec!["way"];
    head.extend(Kind::ALL.map(Kind::name));
    table("Facts that code reads out of all messages, in the context of the last call", &head, rows)
}

/// The facts that are not in the service's last context.
fn lost(session: &Session<'_>) -> Option<Block> {
    let lost = session.lost();
    if lost.is_empty() {
        return None;
    }
    let shown = lost.iter().take(SHOWN_FACTS);
    let mut items: Vec<String> =
        shown.map(|fact| format!("{}: {}", fact.kind.name(), redact(&clipped(&fact.text, 200)))).collect();
    if let Some(more) = lost.len().checked_sub(SHOWN_FACTS).filter(|more| *more > 0) {
        items.push(format!("and {more} more"));
    }
    let title = format!(
        "{}: {} not in anchord's last context",
        session.subject.session.name,
        counted(len(lost.len()), "fact")
    );
    let note = "A service would have all of them still: its ledger and its search find them.".to_owned();
    Some(Block::Folded(title, vec![Block::Text(note), Block::List(items)]))
}

fn questions(group: &Group<'_>, told: &Told<'_>, blocks: &mut Vec<Block>) {
    let Some(model) = told.model else {
        blocks.push(Block::Text(
            "No model: configure one (ANCHORD_LLM_PROVIDER, ANCHORD_LLM_MODEL), and it writes questions about the messages that the record covers and answers them from the context alone."
                .to_owned(),
        ));
        return;
    };
    blocks.push(Block::Text(format!(
        "{model} wrote questions about the messages that the record covers, and they were answered from anchord's last context alone. A question counts as answered when its facts stand in the answer."
    )));
    for session in &group.sessions {
        let name = &session.subject.session.name;
        let Some(asked) = &session.asked else {
            blocks.push(Block::Text(format!("{name}: nothing was covered, so that nothing was asked.")));
            continue;
        };
        let cost = &asked.cost;
        let title = format!(
            "{name}: {} questions answered; {}, {} + {} tokens",
            shown(asked.share()),
            counted(cost.calls.into(), "call"),
            HumanCount(cost.input_tokens),
            HumanCount(cost.output_tokens)
        );
        let rows = asked.results.iter().map(|result| {
            let verdict = match result.verdict {
                Verdict::Pass => "answered",
                Verdict::Fail | Verdict::Cut => "lost",
            };
            plain(vec![
                result.probe.question.clone(),
                result.probe.reference.clone().unwrap_or_default(),
                result.answer.clone(),
                verdict.to_owned(),
            ])
        });
        let answers = table_of_words(
            "Questions",
            &["question", "answer in the messages", "answer from the context", ""],
            rows,
        );
        let mut inner = vec![answers];
        if !asked.notes.is_empty() {
            inner.push(Block::List(asked.notes.clone()));
        }
        blocks.push(Block::Folded(title, inner));
    }
}

fn context(session: &Session<'_>) -> Block {
    let played = session.service();
    let mut inner = Vec::new();
    if let Some(record) = &played.record {
        inner.push(Block::Text(format!(
            "The record, version {}, covers messages up to {}:",
            record.version, record.through
        )));
        inner.push(verbatim(&record.text));
        if !record.digest.is_empty() {
            inner.push(Block::Text("The digest beside it:".to_owned()));
            inner.push(verbatim(&record.digest));
        }
    } else {
        inner.push(Block::Text("There is no record: nothing was compressed.".to_owned()));
    }
    let mut messages = Vec::new();
    for piece in &played.last {
        messages.push(Block::Text(format!("{}:", speaker(piece))));
        messages.push(verbatim(&clipped(&piece.text, SHOWN_CHARS)));
    }
    inner.push(Block::Folded(
        format!("The whole context: {}", counted(len(played.last.len()), "message")),
        messages,
    ));
    Block::Folded(session.subject.session.name.clone(), inner)
}

fn method(told: &Told<'_>, blocks: &mut Vec<Block>) {
    blocks.push(Block::Heading(1, "What each way does, and forgets".to_owned()));
    let ways = Way::ALL
        .iter()
        .map(|way| format!("{}: {}. It forgets {}.", way.name(), lower(way.does()), way.forgets()));
    blocks.push(Block::List(ways.collect()));
    blocks.push(Block::Heading(1, "How it is counted".to_owned()));
    let settings = if told.settings.is_empty() {
        "the defaults".to_owned()
    } else {
        Value::Object(told.settings.clone()).to_string()
    };
    let lines = [
        "A prompt costs its tokens; the beginning that it shares with the prompt before, from 1,024 tokens on and in steps of 128, costs a tenth, as if the provider's cache had it. Writing a summary costs what it reads and five times what it says.".to_owned(),
        "anchord's records are written by code here and cost no tokens of a model. With a model that writes them a task costs more: docs/tokens-per-task.md has how much.".to_owned(),
        "Cost alone says nothing, because the cheapest way forgets the most. Needs: names (paths, ids, figures) in the agent's next message that stand in the past, but in none of the newest ten messages. Edits: old texts that its next edit replaces. Outputs: those that follow the last call and take at most half of the window, the last three, the last ten, each whole.".to_owned(),
        "Summaries of other ways are filler of their size and have no words here. A good one would know some of what is counted as forgotten.".to_owned(),
        "A file counts as kept when its name stands in the context, an error and a test run when the beginning of its message or command does.".to_owned(),
        "The answers are the recorded ones: an agent that had forgotten something might have gone another way, and nothing here shows that.".to_owned(),
        "Tokens are bytes of JSON by one ratio for each session, so that a prompt may seem some per cent larger than the service counts it.".to_owned(),
        format!("Settings of anchord: {settings}."),
    ];
    blocks.push(Block::List(lines.to_vec()));
}

fn table(caption: &str, head: &[&str], rows: impl IntoIterator<Item = Row>) -> Block {
    Block::Table(figures(caption, head, rows))
}

fn table_of_words(caption: &str, head: &[&str], rows: impl IntoIterator<Item = Row>) -> Block {
    Block::Table(Table { is_words: true, ..figures(caption, head, rows) })
}

fn figures(caption: &str, head: &[&str], rows: impl IntoIterator<Item = Row>) -> Table {
    Table {
        caption: caption.to_owned(),
        head: head.iter().map(ToString::to_string).collect(),
        rows: rows.into_iter().collect(),
        is_words: false,
    }
}

fn plain(cells: Vec<String>) -> Row {
    Row { cells, bar: None, is_ours: false }
}

fn verbatim(text: &str) -> Block {
    Block::Verbatim(redact(text).into_owned())
}

/// A text's beginning, with how much was cut.
fn clipped(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((at, _)) => {
            let (start, rest) = text.split_at(at);
            format!("{start} … ({} more characters)", HumanCount(len(rest.chars().count())))
        }
        None => text.to_owned(),
    }
}

/// A multiple of another cost.
fn times(cost: f64, of: f64) -> String {
    if of > 0.0 { format!("{:.2}", cost / of) } else { "–".to_owned() }
}

fn shown(share: Share) -> String {
    if share.of == 0 { "–".to_owned() } else { format!("{} of {}", count(share.found), count(share.of)) }
}

/// A sentence within another.
fn lower(sentence: &str) -> String {
    let mut chars = sentence.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

fn count(of: usize) -> String {
    HumanCount(len(of)).to_string()
}

fn len(of: usize) -> u64 {
    u64::try_from(of).unwrap_or(u64::MAX)
}
