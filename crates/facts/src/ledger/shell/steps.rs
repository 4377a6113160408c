//! The steps of a parsed script: every command that it runs, with its directory, loops unrolled and `bash -c` followed.

use std::rc::Rc;

use super::command::{Command, Group, MAX_PARTS, Part, Pipeline, Redirect, Script, Word};
use super::lexer::is_name;
use super::parse::parse;
use super::windows::{as_path, handed_over};
use crate::ledger::line::head;
use crate::ledger::paths;

/// How many levels of scripts in scripts (`bash -c`) are followed.
const SCRIPT_DEPTH: usize = 3;
/// The most steps of one script.
const MAX_STEPS: usize = 600;
/// The most filters behind a script in a script, which each of its commands gets, and their most words and bytes of a word.
const MAX_FILTERS: usize = 4;
const MAX_FILTER_WORDS: usize = 8;
const MAX_FILTER_WORD: usize = 64;
/// The most bytes that unrolling the loops of a script may add, here-documents included.
const MAX_FILLED: usize = 1024 * 1024;

/// One command of a script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Step {
    /// The command's name and arguments, without wrappers such as `sudo`.
    pub words: Vec<Word>,
    pub redirects: Vec<Redirect>,
    /// The text of its here-document.
    pub here_doc: Option<Rc<str>>,
    /// The directory it runs in; relative to the script's start when that is unknown.
    pub dir: Option<Rc<str>>,
    /// Whether a Windows shell ran it.
    pub windows: bool,
}

/// The commands of a script that starts in a directory, and the directory that it ends in.
pub(super) fn steps(script: &Script, dir: Option<&str>) -> (Vec<Step>, Option<Rc<str>>) {
    let mut walk = Walk::new(dir.map(Rc::from), 0);
    walk.script(script);
    (walk.steps, walk.dir)
}

/// The directory in which a script leaves its shell; `None` when it has no `cd` or the directory is unknown.
pub(in super::super) fn ends_in(script: &Script, dir: Option<&str>) -> Option<String> {
    let (_, end) = steps(script, dir);
    let end = end.filter(|end| Some(end.as_ref()) != dir && paths::is_absolute(end));
    end.map(|end| end.as_ref().to_owned())
}

/// The pipelines of a script; a command that runs an inner script is replaced by the inner pipelines.
pub(in super::super) fn pipelines(script: &Script) -> Vec<Pipeline> {
    let mut found = Vec::new();
    flatten(script, 0, &mut found);
    found
}

fn flatten(script: &Script, depth: usize, found: &mut Vec<Pipeline>) {
    let mut nested = 0_usize;
    for part in &script.parts {
        if found.len() >= MAX_PARTS {
            return;
        }
        match part {
            Part::Open(group) => nested += usize::from(nested > 0 || *group == Group::Nested),
            Part::Close { .. } => nested = nested.saturating_sub(1),
            Part::Pipeline(_) if nested > 0 => {}
            Part::Pipeline(pipeline) => {
                let inner = pipeline.commands.first().filter(|_| depth < SCRIPT_DEPTH).and_then(inner_script);
                let Some(inner) = inner else {
                    found.push(pipeline.clone());
                    continue;
                };
                let from = found.len();
                flatten(&parse(&inner, None), depth + 1, found);
                // `sh -c 'a; b' | tail`: the filter sees what every inner command printed.
                let filters: Vec<Command> =
                    pipeline.commands.iter().skip(1).take(MAX_FILTERS).map(short).collect();
                for one in found.iter_mut().skip(from) {
                    one.commands.extend_from_slice(&filters);
                    one.redirected |= pipeline.redirected;
                }
            }
        }
    }
}

/// What tells which program a command is and how it is called.
fn short(command: &Command) -> Command {
    let word =
        |word: &Word| Word { text: head(&word.text, MAX_FILTER_WORD).to_owned(), literal: word.literal };
    Command {
        words: command.words.iter().take(MAX_FILTER_WORDS).map(word).collect(),
        is_control: command.is_control,
        ..Command::default()
    }
}

/// The script that a command passes to another shell.
fn inner_script(command: &Command) -> Option<String> {
    let mut words = command.words.as_slice();
    words = words.get(wrapped_from(words)..).unwrap_or_default();
    handed_script(words, command.here_doc.as_deref())
}

fn handed_script(words: &[Word], here_doc: Option<&str>) -> Option<String> {
    let name = super::command::basename(words.first()?);
    if name == "eval" {
        // The output of a command (`eval $(…)`) is unknown.
        return words.get(1).filter(|w| !w.starts_with(['$', '`'])).map(|w| w.text.clone());
    }
    if let Some(script) = handed_over(name, words) {
        return Some(script);
    }
    if !matches!(name, "bash" | "sh" | "zsh" | "dash" | "ksh") {
        return None;
    }
    let flag = words
        .iter()
        .position(|w| w.starts_with('-') && !w.starts_with("--") && w.ends_with('c') && w.len() <= 5);
    match flag {
        Some(at) => words.get(at + 1).map(|w| w.text.clone()),
        None if words.iter().skip(1).all(|w| w.starts_with('-')) => here_doc.map(str::to_owned),
        None => None,
    }
}

/// The number of leading words that wrap a command: `sudo`, `env A=b`, `timeout 10` …
fn wrapped_from(words: &[Word]) -> usize {
    let mut from = 0;
    for _ in 0..6 {
        let rest = words.get(from..).unwrap_or_default();
        let name = |at: usize| rest.get(at).map_or("", |word: &Word| word);
        let mut skip = match (name(0), name(1)) {
            ("uv" | "poetry" | "pipenv" | "pdm" | "hatch" | "rye", "run")
            | ("pnpm" | "yarn" | "npm" | "bundle", "exec")
            | ("pnpm" | "yarn", "dlx") => 2,
            (
                "npx" | "bunx" | "pnpx" | "uvx" | "sudo" | "env" | "time" | "nohup" | "command" | "exec"
                | "nice" | "stdbuf" | "builtin" | "timeout" | "gtimeout",
                _,
            ) => 1,
            _ => return from,
        };
        while let Some(word) = rest.get(skip)
            && (word.starts_with('-') || word.split_once('=').is_some_and(|(name, _)| is_name(name)))
        {
            skip += if wrapper_takes_value(word) { 2 } else { 1 };
        }
        // `nice -n 10 cmd`, `timeout 10 cmd`.
        let is_number = name(skip).starts_with(|c: char| c.is_ascii_digit());
        skip += usize::from(name(0).ends_with("timeout") || is_number);
        from = (from + skip).min(words.len());
    }
    from
}

/// Options of `sudo`, `nice`, `env`, `timeout`, `npx`, `uv run` that take the next word.
fn wrapper_takes_value(option: &str) -> bool {
    matches!(option, "-u" | "-g" | "-s" | "-k" | "-p" | "--user" | "--signal" | "--package" | "--with")
}

/// A group that is not closed yet.
struct Open<'s> {
    group: &'s Group,
    /// The shell's directory and the number of steps when the group began.
    dir: Option<Rc<str>>,
    steps: usize,
}

/// Collects steps and follows `cd`.
struct Walk {
    steps: Vec<Step>,
    dir: Option<Rc<str>>,
    depth: usize,
    filled: usize,
}

impl Walk {
    fn new(dir: Option<Rc<str>>, depth: usize) -> Self {
        Self { steps: Vec::new(), dir, depth, filled: 0 }
    }

    fn script(&mut self, script: &Script) {
        let mut open: Vec<Open<'_>> = Vec::new();
        for part in &script.parts {
            match part {
                Part::Open(group) => {
                    open.push(Open { group, dir: self.dir.clone(), steps: self.steps.len() });
                }
                Part::Close { isolated } => {
                    let Some(closed) = open.pop() else { continue };
                    if let Group::For { variable, values } = closed.group {
                        self.repeat(closed.steps, variable, values);
                    }
                    if *isolated {
                        self.dir = closed.dir;
                    }
                }
                Part::Pipeline(pipeline) => {
                    let outer = self.dir.clone();
                    for command in pipeline.commands.iter().filter(|command| !command.is_control) {
                        self.push(command, script.windows);
                        // Each command of a pipe runs in a subshell, so a `cd` in it has no effect.
                        if pipeline.commands.len() > 1 && !script.windows {
                            self.dir.clone_from(&outer);
                        }
                    }
                }
            }
        }
    }

    /// Unrolls a loop over literal words, which agents write to edit several files: repeats the steps of its body for
    /// every word, with the variable replaced.
    fn repeat(&mut self, from: usize, variable: &str, values: &[String]) {
        if self.filled > MAX_FILLED {
            return;
        }
        let body: Vec<Step> = self.steps.drain(from.min(self.steps.len())..).collect();
        let longest = values.iter().map(String::len).max().unwrap_or_default();
        let size: usize = body.iter().map(|step| step.bytes_filled(longest)).fold(0, usize::saturating_add);
        self.filled = self.filled.saturating_add(size.saturating_mul(values.len()));
        if self.filled > MAX_FILLED {
            self.steps.extend(body);
            return;
        }
        for value in values {
            for step in body.iter().take(MAX_STEPS.saturating_sub(self.steps.len())) {
                let mut step = step.clone();
                step.words_mut().for_each(|word| word.fill(variable, value));
                self.steps.push(step);
            }
        }
    }

    /// Handles a command: `cd` changes the directory, `bash -c` is followed, anything else becomes a step.
    fn push(&mut self, command: &Command, windows: bool) {
        if self.steps.len() >= MAX_STEPS {
            return;
        }
        let mut step = Step {
            words: command.words.iter().skip(wrapped_from(&command.words)).cloned().collect(),
            redirects: command.redirects.clone(),
            here_doc: command.here_doc.as_deref().map(Rc::from),
            dir: self.dir.clone(),
            windows,
        };
        for word in step.words_mut() {
            if !word.literal && word.contains("HOME") {
                word.fill("HOME", "~");
            }
        }
        let name = step.words.first().map_or("", |word| word);
        if matches!(name, "cd" | "pushd" | "chdir" | "Set-Location" | "Push-Location" | "sl") {
            self.move_to(&step);
            return;
        }
        if self.depth < SCRIPT_DEPTH
            && let Some(inner) = handed_script(&step.words, step.here_doc.as_deref())
        {
            let mut walk = Self::new(step.dir.clone(), self.depth + 1);
            // All scripts of a command share what loops may make.
            walk.filled = self.filled;
            walk.script(&parse(&inner, step.dir.as_deref()));
            self.filled = walk.filled;
            let room = MAX_STEPS.saturating_sub(self.steps.len());
            self.steps.extend(walk.steps.into_iter().take(room));
            step.words.clear();
            step.here_doc = None;
        }
        if !step.words.is_empty() || !step.redirects.is_empty() {
            self.steps.push(step);
        }
    }

    fn move_to(&mut self, step: &Step) {
        let target = step
            .words
            .iter()
            .skip(1)
            .find(|w| w.text == "-" || !w.starts_with('-') && !w.eq_ignore_ascii_case("/d"))
            .map(|w| if step.windows { as_path(w) } else { w.clone() });
        self.dir = target
            .filter(|to| to.literal && to.text != "-")
            .map(|to| paths::join(self.dir.as_deref(), &to))
            .filter(|dir| dir.len() <= paths::MAX_PATH)
            .map(Rc::from);
    }
}

impl Step {
    /// What it weighs at most when it is repeated with a value of so many bytes in place of a variable.
    fn bytes_filled(&self, value: usize) -> usize {
        let words = self.words.iter().chain(self.redirects.iter().map(|redirect| &redirect.target));
        let filled = |word: &Word| word.len().saturating_add(word.matches('$').count().saturating_mul(value));
        let words = words.map(|word| size_of::<Word>().saturating_add(filled(word)));
        let words = words.fold(0, usize::saturating_add);
        words.saturating_add(size_of::<Self>() + self.here_doc.as_ref().map_or(0, |text| text.len()))
    }

    fn words_mut(&mut self) -> impl Iterator<Item = &mut Word> {
        self.words.iter_mut().chain(self.redirects.iter_mut().map(|redirect| &mut redirect.target))
    }
}
