//! The parser of POSIX shell scripts; it passes scripts for Windows shells on to `windows`.
//!
//! It is tolerant: an unclosed group or quote ends with the text, an unmatched closing word is ignored, and words like
//! `then` and `do` only separate commands. The body of a function is parsed as if it ran where it is defined.

use super::command::{
    Command, Group, MAX_PARTS, MAX_REDIRECTS, MAX_WORDS, Part, Pipeline, Redirect, RedirectKind, Script, Word,
};
use super::lexer::{Announced, Lexer, announced, braces, here_doc, is_assignment};
use super::windows;
use crate::ledger::line::head;

/// What is behind so many bytes of a script is not parsed: scripts this long are pasted text.
const MAX_TEXT: usize = 512 * 1024;
/// A loop over more words is not unrolled.
const MAX_VALUES: usize = 50;

/// Parses a script. `dir` is where it runs; it only helps to recognise a script for a Windows shell.
pub(in super::super) fn parse(text: &str, dir: Option<&str>) -> Script {
    let text = head(text, MAX_TEXT);
    if windows::is_script(text, dir) {
        return Script { parts: windows::parse(text), windows: true };
    }
    let mut parser = Parser {
        text,
        lexer: Lexer::new(text),
        parts: Vec::new(),
        open: Vec::new(),
        open_of: [0; Kind::COUNT],
        pipeline: Vec::new(),
        command: Command::default(),
        closed: None,
        is_function: false,
        here_docs: Vec::new(),
        no_arithmetic: 0,
    };
    parser.script();
    Script { parts: parser.parts, windows: false }
}

/// The kind of an open group, which decides which word closes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Subshell,
    Braces,
    If,
    Loop,
    Case,
}

impl Kind {
    const COUNT: usize = 5;
}

struct Open {
    kind: Kind,
    isolated: bool,
    /// In a `case`, whether a pattern comes next.
    in_pattern: bool,
}

/// A here-document whose text begins on the next line.
struct Waiting {
    document: Announced,
    /// Where its command is: the index of the part, once the pipeline is one, and the index in the pipeline.
    part: Option<usize>,
    command: usize,
}

struct Parser<'s> {
    text: &'s str,
    lexer: Lexer<'s>,
    parts: Vec<Part>,
    open: Vec<Open>,
    /// The number of open groups of each kind.
    open_of: [usize; Kind::COUNT],
    /// The finished commands of the current pipeline.
    pipeline: Vec<Command>,
    /// The current command.
    command: Command,
    /// The closing part of a group, when the current command represents that group.
    closed: Option<usize>,
    /// The next group is the body of a function.
    is_function: bool,
    here_docs: Vec<Waiting>,
    /// No `((` before this offset is closed on its line.
    no_arithmetic: usize,
}

impl Parser<'_> {
    fn script(&mut self) {
        while let Some(byte) = self.lexer.peek(0)
            && self.parts.len() + self.pipeline.len() < MAX_PARTS
        {
            match (byte, self.lexer.peek(1)) {
                (b' ' | b'\t' | b'\r' | b'\\' | 0x0b | 0x0c, _) if self.skips_blanks() => {}
                (b'\n', _) => self.line_ends(),
                (b'#', _) => self.lexer.go_to(self.lexer.line_end()),
                (b'&', Some(b'>')) | (b'<' | b'>', _) => self.redirect(false),
                (b'(' | b')' | b'|', _) if self.in_pattern() => {
                    if byte == b')'
                        && let Some(open) = self.open.last_mut()
                    {
                        open.in_pattern = false;
                    }
                    self.lexer.skip(1);
                }
                (b';', Some(b';' | b'&')) => {
                    self.end_pipeline();
                    self.lexer.skip(2);
                    if let Some(open) = self.open.last_mut() {
                        open.in_pattern = open.kind == Kind::Case;
                    }
                }
                (b'&', Some(b'&')) | (b'|', Some(b'|')) => {
                    self.end_pipeline();
                    self.lexer.skip(2);
                }
                (b'|', next) => {
                    self.pipe();
                    self.lexer.skip(if next == Some(b'&') { 2 } else { 1 });
                }
                (b';' | b'&', _) => {
                    self.end_pipeline();
                    self.lexer.skip(1);
                }
                (b'(', Some(b'(')) if self.begins() && self.arithmetic() => {}
                (b'(', _) => {
                    self.lexer.skip(1);
                    self.open(Kind::Subshell, Group::Plain, "(");
                }
                (b')', _) => {
                    self.lexer.skip(1);
                    self.close(Kind::Subshell);
                }
                _ => self.word(),
            }
        }
        self.end_pipeline();
        while let Some(open) = self.open.pop() {
            self.parts.push(Part::Close { isolated: open.isolated });
        }
    }

    fn skips_blanks(&mut self) -> bool {
        let from = self.lexer.at();
        self.lexer.skip_blanks();
        self.lexer.at() > from
    }

    /// Whether the next word would be the first of its command.
    fn begins(&self) -> bool {
        self.command.words.is_empty() && self.command.redirects.is_empty()
    }

    /// Whether the last token was a `|`.
    fn is_piped(&self) -> bool {
        self.begins() && !self.pipeline.is_empty()
    }

    fn in_pattern(&self) -> bool {
        self.begins() && self.open.last().is_some_and(|open| open.in_pattern)
    }

    // ---- words

    fn word(&mut self) {
        let (word, raw) = self.lexer.word();
        if raw.is_empty() {
            // Unreachable by the cases above; skipping a byte guarantees progress.
            self.lexer.skip(1);
            return;
        }
        let is_number = raw.bytes().all(|byte| byte.is_ascii_digit());
        if is_number && matches!(self.lexer.peek(0), Some(b'<' | b'>')) {
            return self.redirect(raw == "2");
        }
        if !self.begins() {
            return self.argument(word, raw);
        }
        if self.in_pattern() {
            if raw == "esac" {
                self.close(Kind::Case);
            }
            return;
        }
        match raw {
            "if" => self.open(Kind::If, Group::Plain, raw),
            "while" | "until" => self.open(Kind::Loop, Group::Plain, raw),
            "{" => self.open(Kind::Braces, Group::Plain, raw),
            "for" | "select" => self.loop_head(word),
            "case" => self.case_head(word),
            "[[" => self.test(word),
            "then" | "elif" | "else" | "do" | "!" | "coproc" => {}
            "fi" => self.close(Kind::If),
            "done" => self.close(Kind::Loop),
            "esac" => self.close(Kind::Case),
            "}" => self.close(Kind::Braces),
            "function" => {
                self.lexer.skip_blanks();
                self.lexer.word();
                self.parameters();
                self.is_function = true;
            }
            _ if is_assignment(raw) => {}
            _ if self.parameters() => self.is_function = true,
            _ => self.push(word),
        }
    }

    fn argument(&mut self, word: Word, raw: &str) {
        let words = if self.command.words.is_empty() || is_assignment(raw) { None } else { braces(raw) };
        match words {
            Some(words) => words.into_iter().for_each(|word| self.push(word)),
            None => self.push(word),
        }
    }

    fn push(&mut self, word: Word) {
        self.is_function = false;
        if self.command.words.len() < MAX_WORDS {
            self.command.words.push(word);
        }
    }

    /// Skips `()`, which makes the word before it the name of a function.
    fn parameters(&mut self) -> bool {
        let from = self.lexer.at();
        self.lexer.skip_blanks();
        if self.lexer.peek(0) == Some(b'(') {
            self.lexer.skip(1);
            self.lexer.skip_blanks();
            if self.lexer.peek(0) == Some(b')') {
                self.lexer.skip(1);
                return true;
            }
        }
        self.lexer.go_to(from);
        false
    }

    /// Parses `for name in words`; a loop over literal words is unrolled later.
    fn loop_head(&mut self, word: Word) {
        let is_piped = self.is_piped();
        self.command.is_control = true;
        self.push(word);
        let mut names = Vec::new();
        loop {
            self.lexer.skip_blanks();
            if self.lexer.peek(0) == Some(b'(') && self.arithmetic() {
                names.clear();
                break;
            }
            let (word, raw) = self.lexer.word();
            if raw.is_empty() || raw == "do" {
                break;
            }
            if names.len() < MAX_VALUES + 3 {
                names.push(word.clone());
            }
            self.push(word);
        }
        let mut names = names.into_iter();
        let group = match (names.next(), names.next()) {
            (Some(variable), Some(within)) if *within == *"in" => {
                let values: Vec<Word> = names.collect();
                if values.is_empty() || values.len() > MAX_VALUES || !values.iter().all(|word| word.literal) {
                    Group::Plain
                } else {
                    let values = values.into_iter().map(|word| word.text).collect();
                    Group::For { variable: variable.text, values }
                }
            }
            _ => Group::Plain,
        };
        if is_piped {
            // In a pipe, the group itself represents the loop.
            self.command = Command::default();
        } else {
            self.end_pipeline();
        }
        self.open(Kind::Loop, group, "for");
    }

    fn case_head(&mut self, word: Word) {
        self.command.is_control = true;
        self.push(word);
        for _ in 0..2 {
            self.lexer.skip_blanks();
            let (word, raw) = self.lexer.word();
            if !raw.is_empty() {
                self.push(word);
            }
        }
        self.end_pipeline();
        self.open(Kind::Case, Group::Plain, "case");
        if let Some(open) = self.open.last_mut() {
            open.in_pattern = true;
        }
    }

    /// Parses `[[ … ]]`, in which `<` and `&&` are not shell operators.
    fn test(&mut self, word: Word) {
        self.command.is_control = true;
        self.push(word);
        loop {
            self.lexer.skip_blanks();
            let (word, raw) = self.lexer.word();
            if !raw.is_empty() {
                self.push(word);
            } else if matches!(self.lexer.peek(0), None | Some(b'\n' | b';')) {
                return;
            } else {
                self.lexer.skip(1);
            }
            if raw == "]]" {
                return;
            }
        }
    }

    /// Parses `(( … ))` when it is closed on its line.
    fn arithmetic(&mut self) -> bool {
        let from = self.lexer.at();
        if from < self.no_arithmetic {
            return false;
        }
        let line_end = self.lexer.line_end();
        let line = self.lexer.slice(from, line_end);
        if !line.starts_with("((") {
            return false;
        }
        let Some(end) = memchr::memmem::find(line.as_bytes(), b"))") else {
            self.no_arithmetic = line_end;
            return false;
        };
        self.lexer.skip(end + 2);
        self.command.is_control = true;
        self.push(Word { text: self.lexer.slice(from, from + end + 2).to_owned(), literal: false });
        true
    }

    // ---- redirections

    fn redirect(&mut self, of_errors: bool) {
        let both = self.lexer.peek(0) == Some(b'&');
        self.lexer.skip(usize::from(both));
        let next = (self.lexer.peek(0), self.lexer.peek(1));
        if matches!(next, (Some(b'<' | b'>'), Some(b'('))) {
            // Process substitution (`<(…)`) is used as a file.
            self.lexer.skip(1);
            let word = self.lexer.parentheses();
            return self.push(word);
        }
        let (kind, length) = match next {
            (Some(b'<'), Some(b'<')) => return self.here(),
            (Some(b'<'), Some(b'>' | b'&')) => (None, 2),
            (Some(b'<'), _) => (Some(RedirectKind::Read), 1),
            (_, Some(b'>')) => (Some(RedirectKind::Append), 2),
            (_, Some(b'|' | b'&')) => (Some(RedirectKind::Write), 2),
            _ => (Some(RedirectKind::Write), 1),
        };
        self.lexer.skip(length);
        self.lexer.skip_blanks();
        let (target, raw) = self.lexer.word();
        // `2>&1` copies a descriptor and `>&-` closes it; neither names a file.
        let is_copy = next.1 == Some(b'&') && raw.bytes().all(|b| b.is_ascii_digit() || b == b'-');
        if let Some(kind) = kind
            && !is_copy
            && !raw.is_empty()
            && self.command.redirects.len() < MAX_REDIRECTS
        {
            self.command.redirects.push(Redirect { kind, target, of_errors });
        }
    }

    /// Parses `<<`, `<<-` and `<<<`.
    fn here(&mut self) {
        if self.lexer.peek(2) == Some(b'<') {
            self.lexer.skip(3);
            self.lexer.skip_blanks();
            self.command.here_doc = Some(self.lexer.word().0.text);
            return;
        }
        let (document, end) = announced(self.text, self.lexer.at() + 2);
        self.lexer.go_to(end);
        self.here_docs.push(Waiting { document, part: None, command: self.pipeline.len() });
    }

    /// Reads the texts of the here-documents announced on the line that ended.
    fn take_here_docs(&mut self) {
        for waiting in std::mem::take(&mut self.here_docs) {
            let from = self.lexer.at();
            let (end, next) = here_doc(self.text, from, &waiting.document);
            self.lexer.go_to(next);
            let body = self.lexer.slice(from, end);
            let commands = match waiting.part {
                None => Some(&mut self.pipeline),
                Some(part) => match self.parts.get_mut(part) {
                    Some(Part::Pipeline(pipeline)) => Some(&mut pipeline.commands),
                    _ => None,
                },
            };
            if let Some(command) = commands.and_then(|commands| commands.get_mut(waiting.command)) {
                command.here_doc = Some(if waiting.document.strips_tabs {
                    body.split_inclusive('\n').map(|line| line.trim_start_matches('\t')).collect()
                } else {
                    body.to_owned()
                });
            }
        }
    }

    // ---- ends

    fn line_ends(&mut self) {
        self.lexer.skip(1);
        // After a `|`, the pipeline continues on the next line.
        if !self.is_piped() {
            self.end_pipeline();
        }
        self.take_here_docs();
    }

    /// Ends the command if there is one.
    fn end_command(&mut self) {
        let waits =
            self.here_docs.last().is_some_and(|w| w.part.is_none() && w.command == self.pipeline.len());
        let is_one = !self.begins() || self.closed.is_some() || waits;
        let command = std::mem::take(&mut self.command);
        if is_one {
            self.pipeline.push(command);
        }
        self.closed = None;
    }

    fn pipe(&mut self) {
        if let Some(part) = self.closed
            && let Some(Part::Close { isolated }) = self.parts.get_mut(part)
        {
            *isolated = true;
        }
        self.end_command();
    }

    fn end_pipeline(&mut self) {
        // A group without redirection or pipe needs no command of its own.
        if self.begins() && self.pipeline.is_empty() {
            self.closed = None;
        }
        self.end_command();
        if self.pipeline.is_empty() {
            return;
        }
        let part = self.parts.len();
        for waiting in self.here_docs.iter_mut().rev().take_while(|waiting| waiting.part.is_none()) {
            waiting.part = Some(part);
        }
        self.parts.push(Part::Pipeline(Pipeline::of(std::mem::take(&mut self.pipeline))));
    }

    // ---- groups

    /// Begins a group; in a pipe, its opening word represents it as a command.
    fn open(&mut self, kind: Kind, group: Group, word: &str) {
        let is_piped = self.is_piped();
        if is_piped {
            self.command.is_control = true;
            self.push(Word { text: word.to_owned(), literal: true });
        }
        let isolated = kind == Kind::Subshell || is_piped || self.is_function;
        self.is_function = false;
        self.end_pipeline();
        self.parts.push(Part::Open(group));
        self.open.push(Open { kind, isolated, in_pattern: false });
        if let Some(count) = self.open_of.get_mut(kind as usize) {
            *count += 1;
        }
    }

    /// Ends the innermost group of a kind, and the unclosed groups inside it.
    fn close(&mut self, kind: Kind) {
        self.end_pipeline();
        if self.open_of.get(kind as usize) == Some(&0) {
            return;
        }
        while let Some(open) = self.open.pop() {
            if let Some(count) = self.open_of.get_mut(open.kind as usize) {
                *count -= 1;
            }
            self.closed = Some(self.parts.len());
            self.parts.push(Part::Close { isolated: open.isolated });
            if open.kind == kind {
                return;
            }
        }
    }
}
