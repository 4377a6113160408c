//! The effects of a script's commands on files.

use std::rc::Rc;

use super::code;
use super::command::{Redirect, RedirectKind, Script, Word, basename, quote};
use super::effect::{Effect, Op};
use super::steps::{Step, steps};
use crate::ledger::line::{clip_bytes, head};
use crate::ledger::paths;

/// The longest written text that is kept, in bytes.
const TEXT_BYTES: usize = 64 * 1024;
/// The most files that one command writes a text to: each is read anew.
pub(super) const MAX_WRITTEN: usize = 20;
/// The most effects of one script.
const MAX_EFFECTS: usize = 500;

/// The effects of a script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Effects {
    /// The effects on files, in order.
    pub list: Vec<Effect>,
    /// Whether the script is a single command, so that its exit code belongs to that command.
    pub one_command: bool,
}

/// The effects of a script on files when it starts in `dir`.
pub(in super::super) fn effects(script: &Script, dir: Option<&str>) -> Effects {
    let (all, _) = steps(script, dir);
    let mut list = Vec::new();
    for step in &all {
        if list.len() >= MAX_EFFECTS {
            break;
        }
        Reader { step, found: &mut list }.read();
    }
    Effects { list, one_command: all.len() == 1 }
}

/// Commands that print the files in their arguments.
const SHOW: &[&str] = &[
    "cat", "less", "more", "nl", "bat", "tac", "xxd", "hexdump", "od", "strings", "wc", "head", "tail",
    "diff", "cmp",
];

/// Options that take the next word as their value, by command.
fn takes_value(command: &str, option: &str) -> bool {
    let options: &[&str] = match command {
        "head" | "tail" => &["-n", "-c", "--lines", "--bytes"],
        "sed" | "gsed" => &["-e", "-f", "--expression", "--file"],
        "grep" | "egrep" | "fgrep" | "rg" | "ag" | "ack" => {
            &["-e", "-f", "-A", "-B", "-C", "-m", "-g", "-t", "--include", "--exclude", "--glob", "--type"]
        }
        "awk" | "gawk" => &["-F", "-v", "-f", "-i"],
        "sd" => &["-f", "-n", "--flags", "--max-replacements"],
        "perl" => &["-e", "-E", "-I"],
        "touch" => &["-d", "-t", "-r"],
        "cp" | "mv" | "install" => &["-t", "-m", "-o", "-g", "-S", "--mode"],
        "unzip" => &["-d", "-x"],
        "patch" => &["-p", "-d", "-i", "-o"],
        "truncate" => &["-s", "-r"],
        "curl" => &["-o", "-H", "-d", "-X", "-u", "--output", "--header", "--data", "-A", "-F"],
        "wget" => &["-O", "-P", "--output-document"],
        "bat" => &["-l", "-r", "--line-range", "--style"],
        "nl" => &["-b", "-w", "-s"],
        "jq" => &["--arg", "--argjson", "-L"],
        "xxd" | "od" | "hexdump" => &["-l", "-s", "-n", "-N", "-j", "-c", "-t", "-A"],
        _ => &[],
    };
    options.contains(&option)
}

/// Finds the effects of one step. The modules `copies`, `git`, `formatters` and `cmdlets` add methods for their
/// programs.
pub(super) struct Reader<'s> {
    pub(super) step: &'s Step,
    pub(super) found: &'s mut Vec<Effect>,
}

impl Reader<'_> {
    fn read(&mut self) {
        let step = self.step;
        let name = step.words.first().map(|word| basename(word)).unwrap_or_default();
        if self.cmdlet(name) || self.formatted(name) {
            return self.redirected(name);
        }
        match name {
            "" => {}
            name if SHOW.contains(&name) => self.each(name, Op::Read),
            "sed" | "gsed" => self.sed(name),
            "perl" | "ruby" if self.in_place() => {}
            "grep" | "egrep" | "fgrep" | "rg" | "ag" | "ack" => self.searched(name),
            "awk" | "gawk" | "jq" | "yq" => self.after_program(name),
            "tee" => self.tee(),
            "sd" => self.replaced(),
            "touch" => self.each(name, Op::Touch),
            "truncate" | "sponge" => self.each(name, Op::Write),
            "rm" | "unlink" | "trash" => self.remove(name),
            "mv" => self.moved(),
            "cp" | "install" => self.copied(),
            "tar" | "zip" | "unzip" => self.archived(name),
            "ln" => self.linked(),
            "git" => self.git(),
            "patch" | "apply_patch" | "applypatch" => self.patched(),
            "ed" | "ex" | "dos2unix" | "unix2dos" => self.each(name, Op::Modify),
            "dd" => self.dd(),
            "curl" | "wget" => self.fetched(name),
            "python" | "python2" | "python3" | "node" | "ruby" | "deno" | "bun" | "php" | "ipython" => {
                self.ran();
            }
            name if name.starts_with("python3.") => self.ran(),
            _ => {}
        }
        self.redirected(name);
    }

    fn redirected(&mut self, name: &str) {
        let step = self.step;
        let writes =
            !matches!(name, "python" | "python3" | "node" | "ruby" | "patch" | "bash" | "sh" | "git");
        for Redirect { kind, target, .. } in &step.redirects {
            let op = match kind {
                RedirectKind::Read => Op::Read,
                RedirectKind::Write => Op::Write,
                RedirectKind::Append => Op::Append,
            };
            let text = (writes && op != Op::Read).then(|| self.written()).flatten();
            self.add(op, target, text, None);
        }
    }

    /// The text that the command prints, when the script contains it (`echo`, a here-document).
    fn written(&self) -> Option<Rc<str>> {
        let name = self.step.words.first().map(|word| basename(word)).unwrap_or_default();
        match name {
            "echo" | "printf" => {
                let words: Vec<&str> = self
                    .step
                    .words
                    .iter()
                    .skip(1)
                    .map(|w| w.text.as_str())
                    .skip_while(|w| matches!(*w, "-e" | "-n" | "-en" | "--"))
                    .collect();
                Some(head(&words.join(" "), TEXT_BYTES).replace("\\n", "\n").into())
            }
            _ => self.here_doc(),
        }
    }

    fn here_doc(&self) -> Option<Rc<str>> {
        self.step.here_doc.as_deref().map(|text| head(text, TEXT_BYTES).into())
    }

    pub(super) fn push(&mut self, effect: Effect) {
        if self.found.len() < MAX_EFFECTS {
            self.found.push(effect);
        }
    }

    pub(super) fn add(&mut self, op: Op, word: &Word, text: Option<Rc<str>>, words: Option<String>) {
        if !word.literal || !paths::is_shell_file(&word.text) {
            return;
        }
        let changes = matches!(op, Op::Write | Op::Append | Op::Modify);
        let words = words.or_else(|| (changes && text.is_none()).then(|| self.told_by_command()));
        self.push(self.effect(op, &word.text, text, words));
    }

    /// The description of a change that is only visible in the command.
    fn told_by_command(&self) -> String {
        let line = quote(self.step.words.iter().take(12).map(|w| head(&w.text, 80)));
        let line = clip_bytes(line.lines().next().unwrap_or(""), 60);
        if line.is_empty() { "emptied".to_owned() } else { format!("written by `{line}`") }
    }

    pub(super) fn effect(&self, op: Op, path: &str, text: Option<Rc<str>>, words: Option<String>) -> Effect {
        let full = paths::join(self.step.dir.as_deref(), path);
        Effect { op, path: path.to_owned(), full, from: None, text, words }
    }

    /// The arguments that are neither options nor values of options.
    pub(super) fn arguments(&self, command: &str) -> Vec<Word> {
        let mut plain = Vec::new();
        let mut words = self.step.words.iter().skip(1);
        let mut open = true;
        while let Some(word) = words.next() {
            if open && word.text == "--" {
                open = false;
            } else if open && word.text.starts_with('-') && word.text.len() > 1 {
                if takes_value(command, &word.text) {
                    words.next();
                }
            } else if !word.text.is_empty() {
                plain.push(word.clone());
            }
        }
        plain
    }

    pub(super) fn has_flag(&self, short: char, long: &str) -> bool {
        self.step.words.iter().skip(1).any(|w| {
            let text = w.text.as_str();
            if let Some(name) = text.strip_prefix("--") {
                return !long.is_empty() && (name == long || name.starts_with(&format!("{long}=")));
            }
            text.strip_prefix('-').is_some_and(|flags| flags.chars().take(6).any(|c| c == short))
        })
    }

    pub(super) fn each(&mut self, command: &str, op: Op) {
        for word in self.arguments(command) {
            self.add(op, &word, None, None);
        }
    }

    fn sed(&mut self, command: &str) {
        let in_place = self.step.words.iter().skip(1).any(|w| {
            let text = w.text.as_str();
            text.starts_with("--in-place")
                || (text.starts_with('-')
                    && !text.starts_with("--")
                    && text.chars().skip(1).take_while(char::is_ascii_alphabetic).any(|c| c == 'i'))
        });
        let mut arguments = self.arguments(command);
        let given = self
            .step
            .words
            .iter()
            .position(|w| matches!(w.text.as_str(), "-e" | "-f" | "--expression" | "--file"))
            .and_then(|at| self.step.words.get(at + 1));
        let expression = given.cloned().or_else(|| (!arguments.is_empty()).then(|| arguments.remove(0)));
        for word in arguments {
            if in_place {
                let words = expression.as_ref().and_then(|e| replaced(&e.text)).unwrap_or_default();
                self.add(Op::Modify, &word, None, Some(words));
            } else {
                self.add(Op::Read, &word, None, None);
            }
        }
    }

    /// Adds the files that a one-line program of perl or ruby edits in place; returns `false` when there is none.
    fn in_place(&mut self) -> bool {
        let flags = |w: &&Word| w.text.starts_with('-') && !w.text.starts_with("--");
        let in_place = self.step.words.iter().skip(1).filter(flags).any(|w| {
            w.text.chars().skip(1).take_while(char::is_ascii_alphanumeric).take(6).any(|c| c == 'i')
        });
        if !in_place {
            return false;
        }
        let mut words = self.step.words.iter().skip(1);
        let mut program = None;
        let mut files = Vec::new();
        while let Some(word) = words.next() {
            if word.text.starts_with('-') {
                if word.text.ends_with(['e', 'E']) {
                    program = words.next();
                }
            } else {
                files.push(word.clone());
            }
        }
        for word in files {
            let words = program.and_then(|p| replaced(&p.text)).unwrap_or_default();
            self.add(Op::Modify, &word, None, Some(words));
        }
        true
    }

    /// Adds the files of `sd pattern replacement file…`.
    fn replaced(&mut self) {
        if self.has_flag('p', "preview") {
            return;
        }
        let arguments = self.arguments("sd");
        let [pattern, replacement, files @ ..] = arguments.as_slice() else { return };
        let told = format!("{} → {}", one_line(&pattern.text), one_line(&replacement.text));
        for word in files {
            self.add(Op::Modify, word, None, Some(told.clone()));
        }
    }

    fn searched(&mut self, command: &str) {
        let pattern_given = self.step.words.iter().any(|w| w.text == "-e" || w.text == "-f");
        let skip = usize::from(!pattern_given);
        for word in self.arguments(command).into_iter().skip(skip) {
            // Searching a folder is not reading a file; only an extension distinguishes the two.
            if !paths::extension(&word.text).is_empty() && paths::looks_like_file(&word.text) {
                self.add(Op::Read, &word, None, None);
            }
        }
    }

    fn after_program(&mut self, command: &str) {
        let mut arguments = self.arguments(command);
        if command == "yq" && arguments.first().is_some_and(|word| matches!(word.text.as_str(), "eval" | "e"))
        {
            arguments.remove(0);
        }
        let [program, files @ ..] = arguments.as_slice() else { return };
        let in_place = match command {
            "yq" => self.has_flag('i', "inplace") || self.has_flag('i', "in-place"),
            "awk" | "gawk" => {
                let mut pairs = self.step.words.iter().zip(self.step.words.iter().skip(1));
                pairs.any(|(option, value)| option.text == "-i" && value.text == "inplace")
            }
            _ => false,
        };
        let op = if in_place { Op::Modify } else { Op::Read };
        let told = in_place.then(|| format!("{command} {}", one_line(&program.text)));
        for word in files {
            self.add(op, word, None, told.clone());
        }
    }

    fn tee(&mut self) {
        let op = if self.has_flag('a', "append") { Op::Append } else { Op::Write };
        let text = self.here_doc();
        for word in self.arguments("tee").into_iter().take(MAX_WRITTEN) {
            self.add(op, &word, text.clone(), None);
        }
    }

    pub(super) fn remove(&mut self, command: &str) {
        let tree = self.has_flag('r', "recursive") || self.has_flag('R', "");
        for word in self.arguments(command) {
            self.add(if tree { Op::DeleteTree } else { Op::Delete }, &word, None, None);
        }
    }

    fn ran(&mut self) {
        let words = &self.step.words;
        let name = words.first().map(|word| basename(word)).unwrap_or_default().to_owned();
        let flag = words.iter().position(|w| matches!(w.text.as_str(), "-c" | "-e" | "-p" | "-r" | "--eval"));
        let inline = flag.and_then(|at| words.get(at + 1)).map(|w| w.text.clone());
        let first = words.iter().skip(1).find(|w| !w.text.starts_with('-'));
        if inline.is_none()
            && let Some(first) = first
        {
            if !words.iter().any(|w| w.text == "-m") && !paths::extension(&first.text).is_empty() {
                self.add(Op::Run, first, None, None);
            }
            return;
        }
        let Some(code) = inline.or_else(|| self.step.here_doc.as_deref().map(str::to_owned)) else { return };
        let told = code::replacements_in(&code);
        for code::FileUse { op, path, from } in code::file_uses_in(&code) {
            let words = match op {
                Op::Read | Op::Move | Op::Delete | Op::DeleteTree | Op::Run | Op::Patch => None,
                Op::Write | Op::Copy | Op::Format | Op::Append | Op::Modify | Op::Touch | Op::Revert => {
                    Some(told.clone().unwrap_or_else(|| format!("written by a {name} script")))
                }
            };
            let mut effect = self.effect(op, &path, None, words);
            effect.from = from.map(|f| {
                let full = paths::join(self.step.dir.as_deref(), &f);
                (f, full)
            });
            self.push(effect);
        }
    }
}

/// A substitution as the text before and after; a program that does anything else tells a reader nothing.
fn replaced(program: &str) -> Option<String> {
    let program = program.trim();
    let sign =
        program.strip_prefix('s')?.chars().next().filter(|sign| !sign.is_alphanumeric() && *sign != ' ')?;
    let mut parts = program.get(1 + sign.len_utf8()..)?.split(sign);
    let (old, new, flags) = (parts.next()?, parts.next()?, parts.next()?);
    let is_plain = |text: &str| !text.contains(['\\', '(', '[', '*', '^', '$', '\n']);
    let is_one = parts.next().is_none() && flags.chars().all(|flag| matches!(flag, 'g' | 'i' | 'I'));
    (is_one && is_plain(old) && is_plain(new) && !old.is_empty()).then(|| format!("{old} → {new}"))
}

pub(super) fn one_line(text: &str) -> String {
    clip_bytes(text.lines().next().unwrap_or(""), 100)
}
