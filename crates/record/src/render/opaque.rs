//! The opaque style: one dense line for a reader that only has to continue the work.

use std::fmt::Write as _;

use std::collections::BTreeSet;

use super::super::section::Section;
use super::super::summary::{Decision, ErrorEntry, ErrorStatus, ModifiedFile};
use super::escape;
use super::rendering::{Count, Cut, Rendering, Subject};
use anchord_facts::ledger::FileAction;
use anchord_facts::thing::Thing;
use anchord_facts::wording;
use anchord_messages::stop_words::is_stop_word;

/// The most tokens of the line, whatever the bound.
pub(super) const MAX_TOKENS: u32 = 500;

/// The notice before a version that cannot be verified, wherever it is shown as text.
pub const UNVERIFIED: &str =
    "(Dense reconstruction, not verified: look up the original messages before you rely on a detail.)";

/// Renders the line below the notice, both within the bound; empty when there is no room for a line.
pub(super) fn marked(subject: &Subject<'_>, bound: u32, count: Count<'_>) -> Rendering {
    let bound = bound.min(MAX_TOKENS);
    // One token for the line's end, and one because joined pieces may have more.
    let mut room = bound.saturating_sub(count(UNVERIFIED) + 2);
    loop {
        let line = render(subject, room, count);
        if line.text.is_empty() {
            return line;
        }
        let text = format!("{UNVERIFIED}\n{}\n", line.text);
        let tokens = count(&text);
        if tokens <= bound {
            return Rendering { text, tokens, ..line };
        }
        room = room.saturating_sub(tokens - bound);
    }
}

/// Renders `S:…|I:…|T:…|F:…|D:…|B:…|N:…|E:…` (session, intent, task and state, files, decisions, blockers, next steps,
/// errors, then known things and constraints) with ever fewer entries until it fits.
pub(super) fn render(subject: &Subject<'_>, bound: u32, count: Count<'_>) -> Rendering {
    let bound = bound.min(MAX_TOKENS);
    let ranked = Ranked::of(subject);
    let mut entries = 64_usize;
    let mut chars = 60_usize;
    loop {
        let (text, cut) = compose(subject, &ranked, (entries, chars));
        let tokens = if text.len() / 16 > bound as usize { u32::MAX } else { count(&text) };
        if tokens <= bound {
            return Rendering { text, tokens, cut, sections: Vec::new() };
        }
        if entries == 0 {
            return Rendering { text: String::new(), tokens: count(""), cut, sections: Vec::new() };
        }
        entries = entries * 3 / 4;
        chars = (chars * 9 / 10).max(24);
    }
}

/// The entries that every size of the line chooses from.
struct Ranked<'a> {
    name: String,
    files: Vec<&'a ModifiedFile>,
    held: Vec<&'a Decision>,
    open: Vec<&'a ErrorEntry>,
}

impl<'a> Ranked<'a> {
    fn of(subject: &Subject<'a>) -> Self {
        let summary = subject.summary;
        let name = match subject.task_id {
            Some(task) => escape::name(task),
            None => slug(&summary.session_intent, 6),
        };
        let mut files: Vec<&ModifiedFile> = summary.files_modified.iter().filter(|f| !f.transient).collect();
        files.sort_by_key(|f| std::cmp::Reverse(f.seqs.last().copied().unwrap_or(0)));
        let held = summary.decisions_made.iter().rev().filter(|d| d.superseded_by.is_none()).collect();
        let open = summary.errors.iter().rev().filter(|e| e.status != ErrorStatus::Resolved).collect();
        Self { name, files, held, open }
    }
}

fn compose(
    subject: &Subject<'_>,
    Ranked { name, files, held, open }: &Ranked<'_>,
    (entries, chars): (usize, usize),
) -> (String, Vec<Cut>) {
    let summary = subject.summary;
    let mut cut = Vec::new();
    let mut list = |section, all: usize, told: Vec<String>| {
        if all > told.len() {
            cut.push(Cut { section, omitted: all - told.len(), shortened: 0 });
        }
        if told.is_empty() { "-".to_owned() } else { told.join(",") }
    };
    let told = files.iter().take(entries).map(|f| file(f, chars)).collect();
    let files = list(Section::FilesModified, files.len(), told);
    let told = held.iter().take(entries / 4).map(|d| decision(d)).collect();
    let decisions = list(Section::DecisionsMade, held.len(), told);
    let told = summary.blockers.iter().take(entries / 8).map(|b| dense(&b.text, chars)).collect();
    let blockers = list(Section::Blockers, summary.blockers.len(), told);
    let told = summary.next_steps.iter().take(entries / 8).map(|s| dense(s, chars)).collect();
    let steps = list(Section::NextSteps, summary.next_steps.len(), told);
    let told = open.iter().take(entries.div_ceil(16)).map(|e| dense(&e.message, chars)).collect();
    let errors = list(Section::Errors, open.len(), told);
    // The line is nothing without them, so they are left out only where nothing else is left.
    let words = if entries == 0 { 0 } else { chars * 3 };
    let intent = dense_or_dash(&summary.session_intent, words);
    let state = &summary.current_state;
    let task = state.task.as_deref().unwrap_or_default().trim();
    let colon = if task.is_empty() || state.text.trim().is_empty() { "" } else { ": " };
    let state = dense_or_dash(&format!("{task}{colon}{}", state.text), words);
    let mut text =
        format!("S:{name}|I:{intent}|T:{state}|F:{files}|D:{decisions}|B:{blockers}|N:{steps}|E:{errors}");
    let mut known: Vec<&Thing> = summary.things.iter().collect();
    known.sort_by_key(|thing| std::cmp::Reverse(thing.need()));
    if !known.is_empty() && entries >= 8 {
        let told =
            known.iter().take(entries / 6).map(|thing| dense(&thing_in_words(thing), chars * 2)).collect();
        let _ = write!(text, "|K:{}", list(Section::Things, known.len(), told));
    }
    let demands = &summary.constraints;
    if !demands.is_empty() && entries >= 4 {
        let told = demands.iter().take(entries / 6 + 1).map(|c| dense(&c.text, chars * 2)).collect();
        let _ = write!(text, "|C:{}", list(Section::Constraints, demands.len(), told));
    }
    (text, cut)
}

fn thing_in_words(thing: &Thing) -> String {
    let properties = thing.properties.iter().map(|property| format!("{} {}", property.name, property.value));
    format!("{} {}={}", thing.kind, thing.id, properties.collect::<Vec<_>>().join(" "))
}

/// `chosen>rejected(why)`
fn decision(d: &Decision) -> String {
    let mut text = slug(&d.decision, 8);
    if let Some(other) = d.alternatives.first() {
        text.push('>');
        text.push_str(&slug(other, 4));
    }
    if !d.rationale.trim().is_empty() {
        let _ = write!(text, "({})", slug(&d.rationale, 6));
    }
    text
}

fn file(file: &ModifiedFile, chars: usize) -> String {
    let path = bare(&escape::line(&file.path));
    match file.action {
        FileAction::Deleted => format!("-{path}"),
        FileAction::Created | FileAction::Modified | FileAction::Renamed => match file.changes.last() {
            Some(change) => format!("{path}+{}", dense(change, chars.min(32))),
            None => path,
        },
    }
}

/// A text without the separators of the line.
fn bare(text: &str) -> String {
    text.replace('|', "/")
}

/// A text on one line, cut between words.
fn dense(text: &str, chars: usize) -> String {
    let line = bare(&escape::line(text)).replace(',', " ");
    wording::clip_words(&wording::one_line(&line), chars).to_owned()
}

fn dense_or_dash(text: &str, chars: usize) -> String {
    let shown = dense(text, chars);
    if shown.is_empty() { "-".to_owned() } else { shown }
}

/// The first words that are no stop words, joined by dashes.
fn slug(text: &str, most: usize) -> String {
    let mut seen = BTreeSet::new();
    let folded = wording::normalized(wording::clip_chars(text, 400));
    let says_little = |word: &str| word.is_empty() || is_stop_word(word) || matches!(word, "use" | "using");
    let words = folded.split(' ').filter(|word| !says_little(word));
    let words: Vec<&str> = words.filter(|w| seen.insert(*w)).take(most).collect();
    if words.is_empty() { "-".to_owned() } else { words.join("-") }
}
