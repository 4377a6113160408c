//! Errors that occurred in the session: exceptions, compiler and linter lines, failed commands and tools.
//!
//! An error's work is the command, or the tool with its target, whose output showed it (`source`).
//! Invariant: text that was only shown (files, searches, diffs) is no error; there is one entry per distinct
//! message; an error is resolved only when its work is done again successfully.

mod families;
mod source;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use serde_json::Value;

use self::families::{Context, Found, Rank};
use self::source::Source;
use super::invocation::Invocation;
use super::line::{MAX_LINE, any_of, clip, head, plain, squash};
use super::reading::Reading;
use super::shell::Pipeline;
use super::test_runs::Run;
use super::words::WORDS;
use super::{ErrorFact, LedgerState, prose};
use anchord_messages::id::Seq;
use anchord_messages::message::Role;

/// The most distinct errors of one span; the most specific ones are kept.
const MAX_ERRORS: usize = 300;
/// The most errors read from one output, so that one log does not fill the span.
const MAX_PER_OUTPUT: usize = 200;
/// The longest message, in characters.
const MAX_MESSAGE: usize = 400;
/// The most open errors passed to the next span.
const MAX_CARRIED: usize = 100;
/// A longer output of a program that shows what a server sent is that, in bytes.
const BRIEF: usize = 600;
/// The most works with open errors that a passing run is compared with.
const MOST_COVERED: usize = 200;
/// The most lines of a failed call's output among which one is looked for that says why.
const MOST_LINES: usize = 400;
/// The resolution of an error that tests print which pass.
pub const PLANTED: &str = "printed by tests that pass";
/// The most messages listed for one error.
const MAX_SEQS: usize = 50;

/// The errors of a span. An error of an earlier span that this one resolves is returned with a count of 0 and its
/// resolution.
pub(super) fn read(
    span: &[Reading<'_>],
    invocations: &[Invocation<'_>],
    runs: &[Run],
    carry: &LedgerState,
) -> Vec<ErrorFact> {
    let mut ledger = Ledger::new(carry);
    let mut told = BTreeSet::new();
    let mut at = invocations.iter().zip(runs).peekable();
    for reading in span {
        while let Some((invocation, run)) =
            at.next_if(|(i, _)| i.result_seq.unwrap_or(i.call_seq) <= reading.seq)
        {
            told.extend(invocation.result_seq);
            told.insert(invocation.call_seq);
            ledger.invocation(invocation, run);
        }
        if !told.contains(&reading.seq) {
            ledger.message(reading);
        }
    }
    for (invocation, run) in at {
        ledger.invocation(invocation, run);
    }
    ledger.finish()
}

/// The open errors for the next span, each with the work that showed it.
pub fn open(errors: &[ErrorFact], carry: &LedgerState) -> Vec<(String, String)> {
    let fresh = errors
        .iter()
        .filter(|e| e.resolution.is_none())
        .filter_map(|e| Some((e.message.clone(), e.command.clone()?)));
    // Errors resolved in this span are included, so that they are not carried on.
    let again: BTreeSet<String> = errors.iter().map(|e| normal(&e.message)).collect();
    let mut all: Vec<(String, String)> =
        carry.open_errors.iter().filter(|(m, _)| !again.contains(&normal(m))).cloned().chain(fresh).collect();
    let surplus = all.len().saturating_sub(MAX_CARRIED);
    all.drain(..surplus);
    all
}

/// The normalized form of a message, equal for the same error.
fn normal(message: &str) -> String {
    squash(message).to_lowercase()
}

/// The normalized form of the message of an error that was found.
fn id_of(found: &Found) -> String {
    normal(&clip(&squash(&found.message), MAX_MESSAGE))
}

struct Entry {
    fact: ErrorFact,
    rank: Rank,
}

struct Ledger {
    entries: Vec<Entry>,
    by_message: BTreeMap<String, usize>,
    /// Open entries by the work that showed them.
    open: BTreeMap<String, Vec<usize>>,
    /// Errors of earlier spans by the work that showed them.
    carried: BTreeMap<String, Vec<String>>,
    /// What tests print that passed: it is no error where it is printed again.
    planted: BTreeSet<String>,
}

impl Ledger {
    fn new(carry: &LedgerState) -> Self {
        let mut carried: BTreeMap<String, Vec<String>> = BTreeMap::new();
        // Most open errors share a few commands, so each command is parsed once.
        let mut keys: BTreeMap<&str, String> = BTreeMap::new();
        for (message, work) in &carry.open_errors {
            let key = keys.entry(work).or_insert_with(|| Work::new(work.clone()).key().to_owned());
            carried.entry(key.clone()).or_default().push(message.clone());
        }
        Self {
            entries: Vec::new(),
            by_message: BTreeMap::new(),
            open: BTreeMap::new(),
            carried,
            planted: BTreeSet::new(),
        }
    }

    fn add(&mut self, found: Found, work: Option<&Work>, seqs: &[Seq]) {
        let message = clip(&squash(&found.message), MAX_MESSAGE);
        if message.is_empty() || found.kind.is_none() && !message.chars().any(char::is_alphabetic) {
            return;
        }
        let id = normal(&message);
        if self.planted.contains(&id) {
            return;
        }
        let at = if let Some(at) = self.by_message.get(&id) {
            *at
        } else {
            // Far above the limit nothing is added, so that a log of a million distinct lines stays bounded.
            if self.entries.len() >= MAX_ERRORS * 20 {
                return;
            }
            let fact = ErrorFact {
                kind: found.kind,
                message,
                location: found.location,
                command: work.map(|work| work.text.clone()),
                resolution: None,
                count: 0,
                seqs: Vec::new(),
            };
            self.entries.push(Entry { fact, rank: found.rank });
            self.by_message.insert(id, self.entries.len() - 1);
            self.entries.len() - 1
        };
        let Some(entry) = self.entries.get_mut(at) else { return };
        entry.fact.count = entry.fact.count.saturating_add(1);
        entry.fact.resolution = None;
        for seq in seqs {
            if !entry.fact.seqs.contains(seq) && entry.fact.seqs.len() < MAX_SEQS {
                entry.fact.seqs.push(*seq);
            }
        }
        if let Some(work) = work {
            if entry.fact.command.as_ref() != Some(&work.text) {
                entry.fact.command = Some(work.text.clone());
            }
            match self.open.get_mut(work.key()) {
                Some(open) if open.contains(&at) => {}
                Some(open) => open.push(at),
                None => {
                    self.open.insert(work.key().to_owned(), vec![at]);
                }
            }
        }
    }

    fn invocation(&mut self, invocation: &Invocation<'_>, run: &Run) {
        let Some(output) = invocation.output.as_deref() else { return };
        if refused(output) {
            return;
        }
        let command = invocation.pipelines();
        let command = command.as_deref();
        let work = Work::new(source::work(invocation));
        let seqs = invocation.seqs();
        let seq = seqs.last().copied().unwrap_or_default();
        if run.counted_passes()
            && let Some(within) = &run.within
        {
            self.plant(output.get(within.clone()).unwrap_or_default(), seq);
            let run = Work::new(run.command().unwrap_or_default().to_owned());
            self.resolve(invocation, &run, true);
        } else if run.counted_passes() && command.is_some_and(source::runs_one) {
            self.plant(output, seq);
            return self.resolve(invocation, &work, true);
        }
        let mut found = of_output(invocation, command, run, output);
        found.retain(|one| !self.planted.contains(&id_of(one)));
        let clean = found.is_empty();
        for one in found {
            self.add(one, Some(&work), &seqs);
        }
        if succeeded(invocation, command, run, clean) {
            self.resolve(invocation, &work, run.passed());
        }
    }

    /// Takes in what a run prints that passed: tests of failures print them, here and in the runs that failed.
    fn plant(&mut self, output: &str, seq: Seq) {
        let mut printed = Vec::new();
        scan(output, &mut printed);
        for one in printed.into_iter().take(MAX_PER_OUTPUT) {
            let id = id_of(&one);
            let known = self.by_message.get(&id).and_then(|at| self.entries.get_mut(*at));
            if let Some(entry) = known.filter(|entry| entry.fact.resolution.is_none()) {
                entry.fact.resolution = Some(PLANTED.to_owned());
                entry.fact.seqs.push(seq);
            }
            self.planted.insert(id);
        }
        let mut over = Vec::new();
        for messages in self.carried.values_mut() {
            over.extend(messages.extract_if(.., |message| self.planted.contains(&normal(message))));
        }
        for message in over {
            self.close(message, None, (PLANTED.to_owned(), vec![seq]));
        }
    }

    /// Adds an error of an earlier span with its resolution, if this span does not show it.
    fn close(&mut self, message: String, command: Option<String>, (resolution, seqs): (String, Vec<Seq>)) {
        if self.entries.iter().any(|entry| normal(&entry.fact.message) == normal(&message)) {
            return;
        }
        let fact = ErrorFact {
            kind: None,
            message,
            location: None,
            command,
            resolution: Some(resolution),
            count: 0,
            seqs,
        };
        self.entries.push(Entry { fact, rank: Rank::Precise });
    }

    /// Resolves the errors of work that is done again successfully; `is_run` for a test run that passed.
    fn resolve(&mut self, invocation: &Invocation<'_>, work: &Work, is_run: bool) {
        if self.open.is_empty() && self.carried.is_empty() {
            return;
        }
        let seq = invocation.result_seq.unwrap_or(invocation.call_seq);
        let note = format!("`{}` succeeded", clip(&work.text, 160));
        let parts = if invocation.command.is_some() { work.parts() } else { &[] };
        let mut keys: BTreeSet<String> = parts.iter().cloned().chain([work.key().to_owned()]).collect();
        // The same command behind another that runs it (`poetry run pytest -q`), now or before.
        let all = self.open.keys().chain(self.carried.keys()).take(MOST_COVERED);
        let is_wrapped =
            |key: &&String| parts.iter().any(|part| source::runs(key, part) || source::runs(part, key));
        let wrapped: Vec<String> = all.filter(is_wrapped).cloned().collect();
        keys.extend(wrapped);
        for part in parts.iter().filter(|part| is_run || part.ends_with(" --continue")) {
            let all = self.open.keys().chain(self.carried.keys()).take(MOST_COVERED);
            let is_over =
                |failed: &str| source::covers(part, failed) || parts.iter().any(|part| part == failed);
            let checks = |key: &str| key.split(" && ").filter(|one| !source::prepares(one)).all(is_over);
            let covered =
                all.filter(|key| checks(key) && key.split(" && ").any(|one| source::covers(part, one)));
            keys.extend(covered.cloned().collect::<Vec<_>>());
        }
        for key in &keys {
            for at in self.open.remove(key).unwrap_or_default() {
                if let Some(entry) = self.entries.get_mut(at) {
                    entry.fact.resolution = Some(note.clone());
                    if entry.fact.seqs.last() != Some(&seq) {
                        entry.fact.seqs.push(seq);
                    }
                }
            }
            for message in self.carried.remove(key).unwrap_or_default() {
                self.close(message, Some(work.text.clone()), (note.clone(), invocation.seqs()));
            }
        }
    }

    /// Adds the errors of a message that belongs to no tool use: a console log, a result without its call, or text that
    /// a person pasted.
    fn message(&mut self, reading: &Reading<'_>) {
        let Reading { message, .. } = reading;
        match message.role {
            Role::Tool => {
                for result in message.results() {
                    let text = result.text();
                    if let Some(found) = tool_failure(&text, result.is_error, false) {
                        self.add(found, None, &[reading.seq]);
                    }
                }
            }
            Role::User => {
                let (text, observed) = (reading.text(), reading.is_observation());
                let log = if observed { prose::without_console_marks(text) } else { Cow::Borrowed(text) };
                let mut found = Vec::new();
                scan(&log, &mut found);
                for one in found {
                    // In a person's words only an error's exact form counts.
                    if observed || one.rank >= Rank::Precise {
                        self.add(one, None, &[reading.seq]);
                    }
                }
            }
            Role::System | Role::Developer | Role::Assistant => {}
        }
    }

    fn finish(self) -> Vec<ErrorFact> {
        let mut entries: Vec<(usize, Entry)> = self.entries.into_iter().enumerate().collect();
        if entries.len() > MAX_ERRORS {
            entries.sort_by_key(|(at, e)| (std::cmp::Reverse(e.rank), *at));
            entries.truncate(MAX_ERRORS);
            entries.sort_by_key(|(at, _)| *at);
        }
        entries.into_iter().map(|(_, e)| looked_for(e.fact)).collect()
    }
}

/// Marks a read of a missing path as resolved: knowing that it is missing leaves nothing to fix.
fn looked_for(mut fact: ErrorFact) -> ErrorFact {
    let message = fact.message.to_lowercase();
    let work = fact.command.as_deref().and_then(|command| command.split_whitespace().next());
    let looks = work.is_some_and(|work| WORDS.looking.contains(&work.to_lowercase()));
    if fact.resolution.is_none() && looks && WORDS.gone.iter().any(|gone| message.contains(gone)) {
        fact.resolution = Some("looked for in vain".to_owned());
    }
    fact
}

/// The work of a tool use, with the keys by which a repetition is recognised, parsed at their first use.
struct Work {
    text: String,
    keys: OnceCell<(String, Vec<String>)>,
}

impl Work {
    fn new(text: String) -> Self {
        Self { text, keys: OnceCell::new() }
    }

    fn keys(&self) -> &(String, Vec<String>) {
        self.keys.get_or_init(|| source::keys(&self.text))
    }

    /// The key of the work; equal keys mean the same work.
    fn key(&self) -> &str {
        let (whole, _) = self.keys();
        if whole.is_empty() { &self.text } else { whole }
    }

    /// The commands that it consists of.
    fn parts(&self) -> &[String] {
        &self.keys().1
    }
}

/// Whether the person or the harness rejected the call, so that nothing ran and nothing failed.
fn refused(output: &str) -> bool {
    let head = output.trim_start();
    ["The user doesn't want to", "[Request interrupted by user", "<tool_use_error>Blocked:"]
        .iter()
        .any(|refusal| head.starts_with(refusal))
}

fn of_output(
    invocation: &Invocation<'_>,
    command: Option<&[Pipeline]>,
    run: &Run,
    output: &str,
) -> Vec<Found> {
    let guarded = invocation.command.is_some() || source::tool_shows(&invocation.tool);
    if let Some(found) = tool_failure(output, invocation.failed, guarded) {
        return vec![found];
    }
    let mut found = Vec::new();
    match source::source_of(command) {
        Source::Answered => {}
        Source::Shown => {
            scan(output, &mut found);
            // A client of a server shows what it was sent, or in a few words why it was sent nothing.
            let is_told = output.len() <= BRIEF && command.is_some_and(source::asks_a_server);
            found.retain(|f| match f.kind.as_deref() {
                Some("shell") => names_showing_program(&f.message),
                Some("git") => true,
                Some("connection" | "authentication" | "error") => is_told,
                Some(_) | None => false,
            });
        }
        Source::Ran => {
            scan(output, &mut found);
            let failed = invocation.exit_code.is_some_and(|c| c != 0) || invocation.failed == Some(true);
            if failed && found.is_empty() && !run.is_test && !command.is_some_and(source::answers_by_exit) {
                found.extend(first_useful_line(output));
            }
        }
    }
    found
}

/// Whether a message begins with the name of a showing program (`cat: x: No such file`, `Get-Content : …`). Only
/// then it is an error of the program; the same words without it are from the file that was shown.
fn names_showing_program(message: &str) -> bool {
    message.split_once(": ").is_some_and(|(program, _)| {
        let program = program.trim_end();
        !program.contains(char::is_whitespace) && program.len() < 40 && !program.contains('.')
    })
}

fn succeeded(invocation: &Invocation<'_>, command: Option<&[Pipeline]>, run: &Run, clean: bool) -> bool {
    if invocation.failed == Some(true) || invocation.exit_code.is_some_and(|c| c != 0) {
        return false;
    }
    let Some(command) = command else { return clean };
    if invocation.exit_code == Some(0) && source::is_single(command) {
        return true;
    }
    if run.is_test {
        return run.passed();
    }
    clean && source::unfiltered(command)
}

/// The line of a failed call's output that says why: the first one with a word for a failure, or else the first.
fn first_useful_line(output: &str) -> Option<Found> {
    static FAILURES: LazyLock<AhoCorasick> = LazyLock::new(|| any_of(&WORDS.failures));
    let mut lines = output.lines().take(MOST_LINES).map(str::trim).filter(|l| {
        !l.is_empty()
            && !l.starts_with("Exit code ")
            && !l.starts_with('<')
            && l.chars().any(char::is_alphabetic)
    });
    let first = lines.next()?;
    let tells = |line: &&str| FAILURES.is_match(head(line, MAX_LINE));
    let line = std::iter::once(first).chain(lines).find(tells).unwrap_or(first);
    let line = plain(head(line, MAX_LINE));
    Some(Found { kind: None, message: line.into_owned(), location: None, rank: Rank::Vague })
}

/// The error by which a tool reports its own failure. With `guarded`, words alone do not count, because the output may
/// be text that was shown or printed.
fn tool_failure(output: &str, failed: Option<bool>, guarded: bool) -> Option<Found> {
    let head = head(output.trim_start(), 4 * MAX_LINE);
    if let Some(rest) = head.strip_prefix("<tool_use_error>") {
        let message = rest.split("</tool_use_error>").next().unwrap_or(rest);
        let line = message.lines().map(str::trim).find(|l| !l.is_empty()).unwrap_or("");
        return Some(reported("tool_use_error", line));
    }
    if failed == Some(false) && guarded {
        return None;
    }
    let first = head.lines().next().unwrap_or("").trim();
    let said = WORDS.error_labels.iter().any(|label| first.starts_with(label));
    if said && (!guarded || failed == Some(true)) {
        let message =
            ["Error: ", "ERROR: ", "error: "].iter().find_map(|p| first.strip_prefix(p)).unwrap_or(first);
        return Some(reported("error", message));
    }
    if head.starts_with('{')
        && !guarded
        && let Some(message) = json_error(output)
    {
        return Some(reported("error", &message));
    }
    // The first line of a failed tool that shows text is the reason. Output of programs is parsed line by line.
    let ran = guarded && !first.starts_with("Error");
    (failed == Some(true) && !ran).then(|| first_useful_line(head)).flatten()
}

/// The error that a tool names itself.
fn reported(kind: &str, message: &str) -> Found {
    let (kind, message) = (Some(kind.to_owned()), message.to_owned());
    Found { kind, message, location: None, rank: Rank::Precise }
}

/// The message in `{"error": …}` and similar objects.
fn json_error(output: &str) -> Option<String> {
    if output.len() > 64 * 1024 {
        return None;
    }
    let value: Value = serde_json::from_str(output.trim()).ok()?;
    let object = value.as_object()?;
    let text = |v: &Value| match v {
        Value::String(s) if !s.trim().is_empty() => Some(s.clone()),
        Value::Object(o) => o.get("message").and_then(Value::as_str).map(str::to_owned),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => None,
    };
    let stated = ["error", "error_message", "errorMessage"].iter().find_map(|k| text(object.get(*k)?));
    let status = object.get("status").and_then(Value::as_str).unwrap_or("");
    let by_status = matches!(status, "error" | "failed" | "failure")
        || object.get("success") == Some(&Value::Bool(false));
    stated.or_else(|| {
        by_status
            .then(|| ["message", "detail", "reason"].iter().find_map(|k| text(object.get(*k)?)))
            .flatten()
    })
}

/// Parses the lines that may match a family.
fn scan(output: &str, found: &mut Vec<Found>) {
    let mut ctx = Context::default();
    // The end of the line of the error that was found last.
    let mut behind: Option<usize> = None;
    let mut headings = Headings { output, from: 0, last: None };
    for candidate in families::lines(output) {
        // The line after an error may contain its location, or its message.
        if let Some(end) = behind.take() {
            follow(output, end, &mut ctx, found.last_mut());
        }
        let line = output.get(candidate.start..candidate.end).unwrap_or_default();
        let line = plain(head(line, MAX_LINE));
        if line.starts_with([' ', '\t']) && line.trim_start().starts_with(|c: char| c.is_ascii_digit()) {
            ctx.heading(headings.before(candidate.start));
        }
        if let Some(one) = families::find(&candidate, &line, &mut ctx) {
            found.push(one);
            behind = Some(candidate.end);
            if found.len() >= MAX_PER_OUTPUT {
                break;
            }
        }
    }
    if let Some(end) = behind {
        follow(output, end, &mut ctx, found.last_mut());
    }
}

/// Finds the last line without indentation before an offset, because linters print a file's name once and its findings
/// below it. Offsets ascend, and each line is looked at once.
struct Headings<'o> {
    output: &'o str,
    from: usize,
    last: Option<&'o str>,
}

impl<'o> Headings<'o> {
    fn before(&mut self, start: usize) -> Option<&'o str> {
        let lines = self.output.get(self.from..start)?.lines();
        self.last = lines.rev().find(|l| !l.is_empty() && !l.starts_with([' ', '\t'])).or(self.last);
        self.from = start;
        self.last
    }
}

fn follow(output: &str, end: usize, ctx: &mut Context, found: Option<&mut Found>) {
    let Some(found) = found else { return };
    let Some(next) = output.get(end + 1..).and_then(|rest| rest.lines().next()) else { return };
    let next = plain(head(next, MAX_LINE));
    if let Some(message) = families::message_behind(&next, ctx) {
        found.message = message;
    } else if found.location.is_none() {
        found.location = families::place(&next);
    }
}

#[cfg(test)]
pub(super) use families::problems as rule_problems;

#[cfg(test)]
mod tests;
