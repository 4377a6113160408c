//! A script as it was read: its pipelines in the order of the text, and the groups that they stand in.

use std::ops::Deref;

/// The most parts of a script; the rest of a longer one is a pasted text.
pub(super) const MAX_PARTS: usize = 8_000;
/// The most words of one command; those behind them are passed over.
pub(super) const MAX_WORDS: usize = 4_000;
/// The most redirections of one command.
pub(super) const MAX_REDIRECTS: usize = 16;

/// The last part of a path.
pub(in super::super) fn basename(word: &str) -> &str {
    word.rsplit(['/', '\\']).next().unwrap_or(word)
}

/// A script, flat: a group begins and ends with parts of its own, so that nothing descends however deep groups nest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Script {
    /// Pipelines, and where groups begin and end; every group that begins also ends.
    pub(super) parts: Vec<Part>,
    /// Whether it is one for a Windows shell.
    pub(super) windows: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Open(Group),
    /// Whether what the group did to its shell (`cd`) ends with it.
    Close {
        isolated: bool,
    },
    Pipeline(Pipeline),
}

/// What stands between an opening and a closing word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Group {
    /// A subshell, braces, the branches of an `if` or a `case`, the body of a `while`.
    Plain,
    /// A loop over words that are all literal.
    For { variable: String, values: Vec<String> },
    /// What stands in a command of a Windows shell: an expression in parentheses, a block in braces.
    Nested,
}

/// Commands joined by `|`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Pipeline {
    /// Its commands, the producer first.
    pub commands: Vec<Command>,
    /// Whether the output went into a file, so that no reader saw it.
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
    /// The name and the arguments; assignments in front are gone. Empty for a group whose end is redirected or piped.
    pub words: Vec<Word>,
    /// Redirections to and from files.
    pub(super) redirects: Vec<Redirect>,
    /// The text of the here-document or the here-string.
    pub(super) here_doc: Option<String>,
    /// Whether it only steers others: the head of a loop or a `case`, `[[ … ]]`, `(( … ))`, a group in a pipe.
    pub(super) is_control: bool,
}

impl Command {
    /// The program's name without its folder, empty when there is none.
    pub fn program(&self) -> &str {
        self.words.first().map_or("", |word| basename(word))
    }

    /// The words behind the program.
    pub fn args(&self) -> &[Word] {
        self.words.get(1..).unwrap_or_default()
    }

    /// The word at a place, empty when there is none.
    pub fn word(&self, at: usize) -> &str {
        self.words.get(at).map_or("", Deref::deref)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Redirect {
    pub kind: RedirectKind,
    pub target: Word,
    /// Whether only standard error goes there.
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
    /// Whether the shell would leave it as it is: no variable, substitution or glob.
    pub(super) literal: bool,
}

impl Deref for Word {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl Word {
    /// Fills in a variable whose value is known.
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

/// Writes an argument list as one command line.
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
