//! The directory of each tool use: from the working directory that the session states, the call's arguments, and
//! `cd` in shells that stay open between calls.

use std::sync::LazyLock;

use regex::Regex;

use super::invocation::Invocation;
use super::line::{head, tail};
use super::reading::Reading;
use super::{LedgerState, paths, shell};
use crate::pattern;
use anchord_messages::message::Role;

/// How much of a system or user message is searched for the working directory.
const SEARCHED: usize = 64 * 1024;

static STATED: LazyLock<Regex> = LazyLock::new(|| {
    pattern::unicode(concat!(
        r"(?m)(?:<cwd>\s*|(?i:(?:current |primary )?working directory)(?: is)?:?\s*[`\x22(]?",
        r"|^\s*(?i:cwd):\s*[`\x22]?|(?i:current (?:working|workspace) directory) \(",
        r"|(?i:i'm currently working in the directory):\s*)",
        r"(/[^\s`\x22'<>()]+|[A-Za-z]:[\\/][^\n`\x22'<>()]*)"
    ))
});

static SHOWN: LazyLock<Regex> = LazyLock::new(|| {
    pattern::unicode(concat!(
        r"(?:\((?:Current directory): |\[Current working directory: |Shell cwd was reset to ",
        r"|\x22working_dir\x22: \x22)(/[^)\]\n\x22]+)"
    ))
});

/// The directories at one point of the session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Directories {
    /// The working directory that the session states.
    pub stated: Option<String>,
    /// The first absolute directory that a call asked to run in.
    pub named: Option<String>,
    /// The shell's current directory, after a `cd` or when an output shows it.
    pub shell: Option<String>,
}

/// Sets the directory of every tool use, in order, and returns the directories at the span's end.
pub(super) fn follow(span: &[Reading<'_>], carry: &LedgerState, uses: &mut [Invocation<'_>]) -> Directories {
    let mut now = Directories {
        stated: carry.cwd.clone(),
        named: carry.named_cwd.clone(),
        shell: carry.shell_cwd.clone(),
    };
    let mut messages = span.iter().peekable();
    for one in uses {
        while let Some(next) = messages.next_if(|m| m.seq <= one.call_seq) {
            now.read_message(next);
        }
        now.place(one);
    }
    for rest in messages {
        now.read_message(rest);
    }
    now
}

impl Directories {
    fn read_message(&mut self, reading: &Reading<'_>) {
        if let Some(dir) = stated_in(reading) {
            self.stated = Some(dir);
        }
    }

    fn place(&mut self, one: &mut Invocation<'_>) {
        // A path argument is relative to the session's directory, not to the shell's, unless the tool's outputs show
        // that it follows the shell.
        let follows = one.command.is_some() || one.output.as_deref().and_then(shown_in).is_some();
        let shell = if follows { self.shell.clone() } else { None };
        let base = shell.or_else(|| self.stated.clone());
        one.cwd = match one.cwd.take() {
            Some(dir) => {
                let dir = paths::join(
                    base.as_deref().filter(|base| base.len() + dir.len() < paths::MAX_PATH),
                    &dir,
                );
                if self.named.is_none() && paths::is_absolute(&dir) {
                    self.named = Some(dir.clone());
                }
                Some(dir)
            }
            // Agents that give each command a directory give none for a patch.
            None if one.command.is_none() => base.or_else(|| self.named.clone()),
            None => base,
        };
        if let Some(dir) = one.output.as_deref().and_then(shown_in).or_else(|| printed_by_pwd(one)) {
            // The first directory that the shell shows counts as the session's root.
            self.stated.get_or_insert_with(|| dir.clone());
            one.cwd.get_or_insert_with(|| dir.clone());
            self.shell = Some(dir);
        } else if let Some(command) = one.command.as_deref()
            && stays_open(&one.tool)
            && command.contains("cd")
            && one.output.is_some()
            && one.failed != Some(true)
            && let Some(dir) = one.script().and_then(|script| shell::ends_in(&script, one.cwd.as_deref()))
        {
            self.shell = Some(dir);
        }
    }
}

/// Tools whose shell keeps its directory from one call to the next.
fn stays_open(tool: &str) -> bool {
    matches!(tool, "Bash" | "execute_bash" | "run_in_terminal" | "run_terminal_cmd")
}

/// The shell's directory in the output of `pwd`, alone or first in a script.
fn printed_by_pwd(one: &Invocation<'_>) -> Option<String> {
    let rest = one.command.as_deref()?.trim().strip_prefix("pwd")?.trim_start();
    if one.failed == Some(true) || !(rest.is_empty() || rest.starts_with([';', '&', '\n'])) {
        return None;
    }
    let dir = one.output.as_deref()?.trim_start().lines().next()?.trim_end();
    (paths::is_absolute(dir) && paths::is_file_name(dir) && !dir.contains(": ")).then(|| paths::clean(dir))
}

fn stated_in(reading: &Reading<'_>) -> Option<String> {
    if !(reading.message.role.is_system() || reading.message.role == Role::User) {
        return None;
    }
    let text = head(reading.text(), SEARCHED);
    if !["irectory", "cwd", "Cwd", "CWD"].iter().any(|w| text.contains(w)) {
        return None;
    }
    let found = STATED.captures(text)?.get(1)?.as_str();
    directory(found.trim_end_matches(['.', ',', ';']))
}

fn shown_in(output: &str) -> Option<String> {
    let end = tail(output, 400);
    if !end.contains("irectory: ") && !end.contains("cwd was reset") && !end.contains("working_dir") {
        return None;
    }
    directory(SHOWN.captures_iter(end).last()?.get(1)?.as_str())
}

/// A directory in its plain form; every tool use in it has a copy.
fn directory(text: &str) -> Option<String> {
    (text.len() <= paths::MAX_PATH).then(|| paths::clean(text))
}
