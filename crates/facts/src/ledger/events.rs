//! Extracts the events of each tool use: what it does to which file, in the order of the session.

use std::cell::LazyCell;
use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::answers::{Formatter, answered_act, complaints, names, says_missing, shows_folder};
use super::asked::delegates;
use super::edits::{WORDED, wording_of};
use super::event::{Act, Event, MOST_BYTES};
use super::invocation::Invocation;
use super::line::{clip_bytes, head};
use super::presence::Presence;
use super::shell::{self, Effect, Op};
use super::tools::{self, Kind};
use super::words::WORDS;
use super::{diff, paths, purpose, swe_agent};

/// The events of a span's tool uses, in order, and the file that an editor has open at the end.
pub(super) fn gather(uses: &[Invocation<'_>], open_file: Option<String>) -> (Vec<Event>, Option<String>) {
    let mut gatherer = Gatherer {
        events: Vec::new(),
        room: MOST_BYTES,
        reading: MOST_READ,
        open_file,
        scripts: BTreeMap::new(),
        presence: Presence::default(),
    };
    for one in uses {
        gatherer.one(one);
    }
    (gatherer.events, gatherer.open_file)
}

/// The most bytes that are read of what a span's calls and commands write: twice the span, because a text that is
/// written to many files is read for each of them.
const MOST_READ: usize = 16 << 20;

struct Gatherer<'u> {
    events: Vec<Event>,
    /// What further events may weigh.
    room: usize,
    /// The bytes that may still be read of texts that calls and commands write, one for each file that they are
    /// written to.
    reading: usize,
    open_file: Option<String>,
    presence: Presence<'u>,
    /// Scripts written in this span, by path, with the files that each one edits when it runs.
    scripts: BTreeMap<String, Vec<String>>,
}

impl<'u> Gatherer<'u> {
    fn one(&mut self, one: &'u Invocation<'_>) {
        if self.room == 0 {
            return;
        }
        let from = self.events.len();
        self.read(one);
        self.classify_writes(from);
        self.presence.hear(one);
    }

    /// Classifies writes as creation or modification by what the session showed of the file before.
    fn classify_writes(&mut self, from: usize) {
        for event in self.events.iter_mut().skip(from) {
            if !matches!(event.act, Act::Write | Act::Copy | Act::Touch) {
                continue;
            }
            if self.presence.was_missing(&event.full) {
                event.act = Act::Create;
            } else if event.act != Act::Touch && self.presence.was_listed(&event.full) {
                event.act = Act::Modify;
            }
        }
    }

    fn read(&mut self, one: &Invocation<'_>) {
        let Some(output) = one.output.as_deref() else { return };
        if let Some(command) = one.command.as_deref() {
            // A failure without an exit code is a failure of the tool: the command never ran.
            let ran = one.failed != Some(true) || one.exit_code.is_some();
            if ran && !self.editor_command(one, command, output) {
                self.shell(one, command, output);
            }
        } else if one.failed != Some(true) {
            self.tool(one, output);
        } else if says_missing(output) {
            self.looked_for(one);
        }
        match swe_agent::open_file(output) {
            swe_agent::OpenFile::NotShown => {}
            swe_agent::OpenFile::Closed => self.open_file = None,
            swe_agent::OpenFile::File(path) => self.open_file = Some(path),
        }
    }

    fn add(&mut self, event: Event) {
        let bytes = event.bytes();
        if event.full.len() > paths::MAX_PATH {
            return;
        }
        match self.room.checked_sub(bytes) {
            Some(left) => {
                self.room = left;
                self.events.push(event);
            }
            // What there is no room for is not read either.
            None => self.room = 0,
        }
    }

    fn push(&mut self, one: &Invocation<'_>, act: Act, path: &str, change: Option<String>) {
        self.push_in(one, one.cwd.as_deref(), (act, path), change);
    }

    fn push_in(
        &mut self,
        one: &Invocation<'_>,
        dir: Option<&str>,
        (act, path): (Act, &str),
        change: Option<String>,
    ) {
        let path = path.trim();
        if !paths::is_file_name(path) {
            return;
        }
        // aider's console reports an added file by its full path and an edit by the path in the repository. Only the
        // file's name is kept of the first, so that both become one file.
        let console = one.tool == tools::AIDER_ADDED;
        let written = if console { path.rsplit('/').next().unwrap_or(path) } else { path };
        let change = change.map(|change| match &one.purpose {
            Some(purpose) => purpose::with(purpose, &change),
            None => change,
        });
        self.add(Event {
            act,
            written: paths::clean(written),
            full: paths::join(dir, path),
            from: None,
            change,
            call_seq: one.call_seq,
            seqs: one.seqs(),
        });
    }

    // ---- tools with arguments

    /// Notes the file of a read that did not find it.
    fn looked_for(&mut self, one: &Invocation<'_>) {
        let tool = tools::tool(&one.tool);
        if !matches!(tool.kind, Kind::Read | Kind::Open | Kind::Editor) {
            return;
        }
        let Some(arguments) = one.fields() else { return };
        if let [path] = *tools::paths_in(&arguments, tool.known) {
            self.presence.missing(paths::join(one.cwd.as_deref(), path));
        }
    }

    fn tool(&mut self, one: &Invocation<'_>, output: &str) {
        let tool = tools::tool(&one.tool);
        if tool.kind == Kind::Submit {
            return self.submitted(one, output);
        }
        if tool.kind == Kind::Patch {
            if let Some(patch) = tools::patch_in(&one.arguments) {
                self.patch(one, one.cwd.as_deref(), &patch);
            }
            return;
        }
        if tool.kind == Kind::Other && delegates(&one.tool) {
            return self.reported(one, output);
        }
        if tool.kind == Kind::Other && !one.tool.eq_ignore_ascii_case("grep") {
            return;
        }
        let Some(arguments) = one.fields() else { return };
        match tool.kind {
            Kind::Editor => self.editor(one, &arguments, output),
            Kind::Code => self.code(one, &arguments),
            Kind::Move => self.moved(one, &arguments),
            Kind::Other => {
                // A search in a single file counts as reading it.
                if let [path] = *tools::paths_in(&arguments, false)
                    && !paths::extension(path).is_empty()
                {
                    self.push(one, Act::Read, path, None);
                }
            }
            Kind::Read
            | Kind::Open
            | Kind::Create
            | Kind::Write
            | Kind::Edit
            | Kind::Append
            | Kind::Delete => self.named(one, (tool.kind, tool.known), &arguments, output),
            Kind::Patch | Kind::Submit | Kind::Todos | Kind::AddTodo | Kind::ChangeTodo => {}
        }
    }

    /// Adds the events of a tool that names its files, or works on the open file.
    fn named(
        &mut self,
        one: &Invocation<'_>,
        (kind, known): (Kind, bool),
        arguments: &Map<String, Value>,
        output: &str,
    ) {
        let mut named: Vec<String> =
            tools::paths_in(arguments, known).into_iter().map(str::to_owned).collect();
        if named.is_empty() && known && matches!(kind, Kind::Edit | Kind::Append) {
            // An editor without a path argument works on its open file, which its output names.
            named.extend(swe_agent::open_file(output).path().or_else(|| self.open_file.clone()));
        }
        for path in named {
            let act = if matches!(kind, Kind::Read | Kind::Open) {
                if shows_folder(output) {
                    return;
                }
                Act::Read
            } else if kind == Kind::Delete {
                Act::Delete
            } else if kind == Kind::Create {
                answered_act(output, Act::Create)
            } else if kind == Kind::Write || kind == Kind::Edit && makes_file(arguments) {
                answered_act(output, Act::Write)
            } else {
                Act::Modify
            };
            if !known && act != Act::Read && !has_text_to_write(arguments, &path) && act != Act::Delete {
                // An unknown tool with a path but no text possibly only reads the file, so nothing is recorded.
                continue;
            }
            let worded = !matches!(act, Act::Read | Act::Delete);
            let reads = self.reads(one.arguments.len());
            let change = if worded && reads { wording_of(&path, arguments) } else { None };
            if reads
                && matches!(kind, Kind::Write | Kind::Create | Kind::Editor)
                && let Some(content) = tools::content_in(arguments)
            {
                self.remember_script(&paths::join(one.cwd.as_deref(), &path), content);
            }
            if kind == Kind::Open {
                self.open_file = Some(path.clone());
            }
            self.push(one, act, &path, change);
        }
    }

    fn editor(&mut self, one: &Invocation<'_>, arguments: &Map<String, Value>, output: &str) {
        let command = arguments.get("command").and_then(Value::as_str).unwrap_or_default();
        let kind = match command {
            "view" | "read" => Kind::Read,
            // The `create` of some editors fails for an existing file, that of others overwrites it.
            "create" if !one.tool.contains("write") => Kind::Create,
            "create" | "write" => Kind::Write,
            "" if one.tool.to_ascii_lowercase().contains("write") => Kind::Write,
            "str_replace" | "insert" | "edit" | "undo_edit" | "replace" => Kind::Edit,
            "append" => Kind::Append,
            "delete" => Kind::Delete,
            _ => return,
        };
        self.named(one, (kind, true), arguments, output);
    }

    fn moved(&mut self, one: &Invocation<'_>, arguments: &Map<String, Value>) {
        let Some((from, to)) = tools::move_in(arguments) else { return };
        let dir = one.cwd.as_deref();
        self.add(Event {
            act: Act::Move,
            written: paths::clean(to),
            full: paths::join(dir, to),
            from: Some((paths::clean(from), paths::join(dir, from))),
            change: None,
            call_seq: one.call_seq,
            seqs: one.seqs(),
        });
    }

    fn code(&mut self, one: &Invocation<'_>, arguments: &Map<String, Value>) {
        let Some(code) = tools::content_in(arguments) else { return };
        if let Some(rest) = code.trim_start().strip_prefix("%%writefile ") {
            let (path, text) = rest.split_once('\n').unwrap_or((rest, ""));
            let path = path.trim().trim_start_matches("-a ").trim();
            self.push(one, Act::Write, path, diff::wording(path, "", head(text, WORDED)));
            return;
        }
        for shell::FileUse { op, path, .. } in
            shell::file_uses_in(code).into_iter().filter(|w| w.from.is_none())
        {
            self.push(one, act_of(op), &path, None);
        }
    }

    fn patch(&mut self, one: &Invocation<'_>, dir: Option<&str>, patch: &str) {
        for file in diff::read(patch) {
            let change = diff::wording(&file.path, &file.old, &file.new);
            if let Some(from) = &file.from {
                self.add(Event {
                    act: Act::Move,
                    written: paths::clean(&file.path),
                    full: paths::join(dir, &file.path),
                    from: Some((paths::clean(from), paths::join(dir, from))),
                    change,
                    call_seq: one.call_seq,
                    seqs: one.seqs(),
                });
                continue;
            }
            self.patched(one, dir, &file, change);
        }
    }

    /// Adds what a patch does to a file under one name.
    fn patched(
        &mut self,
        one: &Invocation<'_>,
        dir: Option<&str>,
        file: &diff::PatchedFile,
        change: Option<String>,
    ) {
        self.push_in(one, dir, (file.act, &file.path), change.filter(|_| file.act != Act::Delete));
    }

    /// Adds the events of the patch that a tool prints when the agent submits its work.
    fn submitted(&mut self, one: &Invocation<'_>, output: &str) {
        if !output.contains("diff --git ") {
            return;
        }
        for file in diff::read(output) {
            let change = diff::wording(&file.path, &file.old, &file.new);
            self.patched(one, one.cwd.as_deref(), &file, change);
        }
    }

    /// Adds the files that another agent reports as changed: those that its report lists under such a heading.
    fn reported(&mut self, one: &Invocation<'_>, output: &str) {
        let mut listed: Option<Act> = None;
        for line in head(output, WORDED).lines() {
            let bare = line.trim().trim_matches(['#', '*', ':', ' ']).to_ascii_lowercase();
            if line.starts_with(['#', '*']) && !line.starts_with("* ") || line.ends_with(':') {
                listed = match bare.as_str() {
                    "files changed"
                    | "changed files"
                    | "files modified"
                    | "modified files"
                    | "files edited"
                    | "files touched"
                    | "files created/modified" => Some(Act::Modify),
                    "files created" | "created files" | "new files" => Some(Act::Create),
                    _ => None,
                };
                continue;
            }
            // What stands below an item is about it.
            let item = line.strip_prefix("- ").or_else(|| line.strip_prefix("* "));
            let (Some(act), Some(item)) = (listed, item) else { continue };
            let item = item.trim_start_matches('*');
            let (path, rest) = match item.strip_prefix('`') {
                Some(quoted) => quoted.split_once('`').unwrap_or((quoted, "")),
                None => item.split_once([' ', ':']).unwrap_or((item, "")),
            };
            // A line may stand behind the path.
            let path = path.split(':').next().unwrap_or(path);
            let words = rest.trim_matches([' ', '*', ':', '-', '–', '—', '(', ')']);
            if !paths::extension(path).is_empty() {
                let change = (!words.is_empty()).then(|| clip_bytes(words, diff::WORDING_BYTES));
                self.push(one, act, path, change);
            }
        }
    }

    // ---- shell commands

    /// Adds the events of an editor command of SWE-agent; returns `false` when `command` is not one.
    fn editor_command(&mut self, one: &Invocation<'_>, command: &str, output: &str) -> bool {
        if self.open_file.is_none() && !output.contains("(Open file: ") && !output.contains("[File: ") {
            return false;
        }
        let Some(typed) = swe_agent::typed(command) else { return false };
        let path = match typed.path {
            Some(path) => path,
            None => match swe_agent::open_file(output).path().or_else(|| self.open_file.clone()) {
                Some(path) => path,
                None => return true,
            },
        };
        if WORDS.editor_refusals.iter().any(|r| head(output, 400).contains(r)) {
            return true;
        }
        let change = typed.text.and_then(|text| diff::wording(&path, "", text));
        self.push(one, typed.act, &path, change);
        true
    }

    fn shell(&mut self, one: &Invocation<'_>, command: &str, output: &str) {
        let Some(script) = one.script() else { return };
        let found = shell::effects(&script, one.cwd.as_deref());
        let mut complaints = complaints(output);
        // Each is looked for each effect.
        complaints.truncate((5_000 / found.list.len().max(1)).max(5));
        let formatter = LazyCell::new(|| Formatter::of(output));
        let failed = one.exit_code.is_some_and(|c| c != 0);
        for effect in found.list {
            if let Some(line) = complaints.iter().find(|line| names(line, &effect)) {
                if effect.op == Op::Read && says_missing(line) {
                    self.presence.missing(effect.full);
                }
                continue;
            }
            // The shell creates the file of a redirection before the command can fail; a script that ran and a
            // formatter may have done their work and still report a failure.
            let survives_failure = matches!(effect.op, Op::Write | Op::Append | Op::Run | Op::Format);
            if effect.op == Op::Format && !formatter.changed(&effect.path) {
                continue;
            }
            if failed && (effect.op == Op::Patch || found.one_command && !survives_failure) {
                continue;
            }
            self.effect(one, effect);
        }
        if is_patch_command(command) {
            for line in output.lines().take(500) {
                if let Some(path) = line.strip_prefix("patching file ") {
                    self.push(one, Act::Modify, path.trim().trim_matches('\''), None);
                }
            }
        }
        if stages_and_shows(command) {
            self.submitted(one, output);
        }
    }

    /// Whether a written text of so many bytes is read.
    fn reads(&mut self, bytes: usize) -> bool {
        let left = self.reading.checked_sub(bytes);
        self.reading = left.unwrap_or_default();
        left.is_some()
    }

    fn effect(&mut self, one: &Invocation<'_>, effect: Effect) {
        let Effect { op, path, full, from, text, description } = effect;
        let text = text.filter(|text| self.reads(text.len()));
        if op == Op::Patch {
            let dir = Some(full).filter(|d| !d.is_empty());
            if let Some(patch) = text {
                self.patch(one, dir.as_deref(), &patch);
            }
            return;
        }
        if op == Op::Run {
            for edited in self.scripts.get(&full).cloned().unwrap_or_default() {
                let description = Some(format!("edited by {path}"));
                self.push(one, Act::Modify, &edited, description);
            }
            return;
        }
        if op == Op::Write
            && let Some(text) = &text
        {
            self.remember_script(&full, text);
        }
        let act = act_of(op);
        let change = match act {
            Act::Read | Act::Delete | Act::DeleteTree | Act::Touch | Act::Move => None,
            Act::Create | Act::Write | Act::Copy | Act::Modify => description
                .map(|text| clip_bytes(&text, 120))
                .or_else(|| text.and_then(|t| diff::wording(&path, "", &t))),
        };
        // What the agent says an edit is for, says more than a command that is not understood.
        let change = match (&one.purpose, change.filter(|change| !change.is_empty())) {
            (Some(purpose), Some(change)) if act == Act::Modify => Some(purpose::with(purpose, &change)),
            (Some(purpose), None) if act == Act::Modify => Some(purpose.clone()),
            (_, change) => change,
        };
        self.add(Event {
            act,
            written: paths::clean(&path),
            full,
            from: from.map(|(written, full)| (paths::clean(&written), full)),
            change,
            call_seq: one.call_seq,
            seqs: one.seqs(),
        });
    }

    fn remember_script(&mut self, full: &str, text: &str) {
        const MAX_SCRIPTS: usize = 500;
        if !matches!(paths::extension(full).as_str(), "py" | "js" | "mjs" | "cjs" | "ts" | "rb") {
            return;
        }
        let edits = shell::edits_in(text);
        if !edits.is_empty() && self.scripts.len() < MAX_SCRIPTS {
            self.scripts.insert(full.to_owned(), edits);
        }
    }
}

fn act_of(op: Op) -> Act {
    match op {
        Op::Read | Op::Run | Op::Patch => Act::Read,
        Op::Write => Act::Write,
        Op::Copy => Act::Copy,
        Op::Append | Op::Modify | Op::Format => Act::Modify,
        Op::Touch => Act::Touch,
        Op::Delete => Act::Delete,
        Op::DeleteTree => Act::DeleteTree,
        Op::Move => Act::Move,
    }
}

/// Whether an edit has nothing to replace, with which some tools create a file.
fn makes_file(arguments: &Map<String, Value>) -> bool {
    ["old_string", "oldString", "old_str"]
        .iter()
        .any(|k| arguments.get(*k).and_then(Value::as_str) == Some(""))
}

/// Whether the arguments of an unknown tool contain text to write into the file.
fn has_text_to_write(arguments: &Map<String, Value>, path: &str) -> bool {
    !tools::edits_in(arguments, path).is_empty()
}

fn is_patch_command(command: &str) -> bool {
    command.contains("patch ")
}

/// Whether a command stages everything and prints the staged patch, with which agents submit their work: the patch is
/// the whole change. A `git diff` alone is not, because the work tree may have had changes before.
fn stages_and_shows(command: &str) -> bool {
    let stages = ["git add -A", "git add .", "git add --all"].iter().any(|w| command.contains(w));
    stages && (command.contains("git diff --cached") || command.contains("git diff --staged"))
}
