//! The parsed form of a shell script: pipelines and groups, commands, words, redirections.

use std::ops::Deref;

/// The most parts of a script; the rest is not parsed, because scripts this long are pasted text.
pub(super) const MAX_PARTS: usize = 8_000;
/// The most words of one command; further ones are dropped.
pub(super) const MAX_WORDS: usize = 4_000;
/// The most redirections of one command; further ones are dropped.
pub(super) const MAX_REDIRECTS: usize = 16;

/// The last part of a path.
pub(in super::super) fn basename(word: &str) -> &str {
    word.rsplit(['/', '\\']).next().unwrap_or(word)
}

/// A parsed script. It is a flat list in which groups have an opening and a closing part, so that code that walks it
/// needs no recursion, however deep groups nest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Script {
    /// Pipelines, and the openings and closings of groups, which are balanced.
    pub(super) parts: Vec<Part>,
    /// Whether it was written for a Windows shell.
    pub(super) windows: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Open(Group),
    Close {
        /// Whether the group ran in a subshell, so that its `cd` has no effect after it.
        isolated: bool,
    },
    Pipeline(Pipeline),
}

/// What kind of group begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Group {
    /// A subshell, braces, the branches of an `if` or a `case`, the body of a `while`.
    Plain,
    /// A loop over literal words.
    For { variable: String, values: Vec<String> },
    /// Part of a command in a Windows shell: an expression in parentheses, or a block in braces.
    Nested,
}

/// Commands joined by `|`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Pipeline {
    /// Its commands, the producer first.
    pub commands: Vec<Command>,
    /// Whether the output went into a file and is therefore not in the tool's output.
    pub redirected: bool,
}

impl Pipeline {
    pub(super) fn of(commands: Vec<Command>) -> Self {
        let mut redirects = commands.iter().flat_map(|command| &command.redirects);
        let redirected = redirects.any(|one| one.kind != RedirectKind::Read && !one.of_errors);
        Self { commands, redirected }
    }
}

/// One simple command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Command {
    /// The program and its arguments, without assignments before it. Empty for a group that is redirected or piped.
    pub words: Vec<Word>,
    /// Redirections to and from files.
    pub(super) redirects: Vec<Redirect>,
    /// The text of the here-document or the here-string.
    pub(super) here_doc: Option<String>,
    /// Whether it is control flow and no program: the head of a loop or a `case`, `[[ … ]]`, `(( … ))`, a group in a
    /// pipe.
    pub(super) is_control: bool,
}

impl Command {
    /// The program's name without its folder; empty when there is no program.
    pub fn program(&self) -> &str {
        self.words.first().map_or("", |word| basename(word))
    }

    /// The words after the program.
    pub fn args(&self) -> &[Word] {
        self.words.get(1..).unwrap_or_default()
    }

    /// The word at an index, counting the program as 0; empty beyond the last.
    pub fn word(&self, at: usize) -> &str {
        self.words.get(at).map_or("", Deref::deref)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Redirect {
    pub kind: RedirectKind,
    pub target: Word,
    /// Whether it redirects only standard error.
    pub of_errors: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RedirectKind {
    Read,
    Write,
    Append,
}

/// A word without its quotes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Word {
    /// Its text; variables, substitutions and globs as written.
    pub(super) text: String,
    /// Whether the shell would not change it: it has no variable, substitution or glob.
    pub(super) literal: bool,
}

impl Deref for Word {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl Word {
    /// Replaces a variable by its value.
    pub(super) fn fill(&mut self, variable: &str, value: &str) {
        if self.literal || variable.is_empty() {
            return;
        }
        let mut filled = String::with_capacity(self.text.len());
        let mut rest = self.text.as_str();
        while let Some((before, after)) = rest.split_once('$') {
            filled.push_str(before);
            let braced = after.strip_prefix('{').and_then(|a| a.strip_prefix(variable)?.strip_prefix('}'));
            let bare = after
                .strip_prefix(variable)
                .filter(|a| !a.starts_with(|c: char| c.is_alphanumeric() || c == '_'));
            if let Some(behind) = braced.or(bare) {
                filled.push_str(value);
                rest = behind;
            } else {
                filled.push('$');
                rest = after;
            }
        }
        filled.push_str(rest);
        self.literal = !filled.contains(['$', '`', '*', '?', '[', '{']);
        self.text = filled;
    }
}

/// Joins an argument list into one command line, quoted for a POSIX shell.
pub(in super::super) fn quote<'w>(words: impl Iterator<Item = &'w str>) -> String {
    let mut line = String::new();
    for word in words {
        if !line.is_empty() {
            line.push(' ');
        }
        let plain = !word.is_empty()
            && word.chars().all(|c| {
                c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | ':' | '=' | ',' | '@' | '+' | '%')
            });
        if plain {
            line.push_str(word);
        } else {
            line.push('\'');
            line.push_str(&word.replace('\'', "'\\''"));
            line.push('\'');
        }
    }
    line
}
