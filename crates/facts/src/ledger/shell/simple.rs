//! Scripts of nothing but simple commands, read in one pass without the parser.
//!
//! Most of what agents run is a chain of a few commands, and the parser takes far longer for
//! one as this reader does. Whatever else a shell has (compounds, substitutions, here-documents,
//! line continuations, other scripts outside of quotes) is left to the parser.
//! Invariant: what is read here is read as the parser would have it read; a test holds the two together.

use super::word::Word;
use super::{Redirect, RedirectKind, Step, Walk};

/// Words that mean something to the parser where a command begins, or that it counts.
const RESERVED: &[&str] = &[
    "if", "then", "elif", "else", "fi", "for", "in", "do", "done", "while", "until", "case", "esac",
    "select", "function", "coproc", "time", "[[", "]]",
];

/// Commands joined by `|`.
type Pipeline = Vec<Step>;

/// Reads a script into a walk; tells whether it could, and leaves the walk alone when not.
pub(super) fn read(script: &str, walk: &mut Walk) -> bool {
    let Some(pipelines) = Reader::new(script).pipelines() else { return false };
    for pipeline in pipelines {
        let outer = (pipeline.len() > 1).then(|| walk.dir.clone());
        for mut step in pipeline {
            step.dir.clone_from(&walk.dir);
            walk.push(step);
        }
        if let Some(outer) = outer {
            walk.dir = outer;
        }
    }
    true
}

struct Reader<'s> {
    script: &'s str,
    at: usize,
    pipelines: Vec<Pipeline>,
    pipeline: Pipeline,
    step: Step,
    /// The command has a word or a redirection, assignments among them.
    begun: bool,
    /// Another command must follow.
    wanted: bool,
}

impl<'s> Reader<'s> {
    fn new(script: &'s str) -> Self {
        Self {
            script,
            at: 0,
            pipelines: Vec::new(),
            pipeline: Vec::new(),
            step: Step::default(),
            begun: false,
            wanted: false,
        }
    }

    /// The byte so far ahead; 0 behind the end.
    fn peek(&self, ahead: usize) -> u8 {
        self.script.as_bytes().get(self.at + ahead).copied().unwrap_or_default()
    }

    /// All pipelines of the script; `None` when it takes the parser to tell.
    fn pipelines(mut self) -> Option<Vec<Pipeline>> {
        while self.at < self.script.len() {
            match self.peek(0) {
                b' ' | b'\t' => self.at += 1,
                b'\n' if self.begun || !self.wanted => {
                    self.end_pipeline();
                    self.at += 1;
                }
                b';' if self.begun && self.peek(1) != b';' => {
                    self.end_pipeline();
                    self.at += 1;
                }
                b'|' if self.begun && self.peek(1) != b'&' => {
                    self.wanted = true;
                    if self.peek(1) == b'|' {
                        self.end_pipeline();
                        self.at += 1;
                    } else {
                        self.end_step();
                    }
                    self.at += 1;
                }
                b'&' if self.begun && self.peek(1) == b'&' => {
                    self.end_pipeline();
                    self.wanted = true;
                    self.at += 2;
                }
                b'<' | b'>' => self.redirect()?,
                _ => self.word()?,
            }
        }
        if self.wanted && !self.begun {
            return None;
        }
        self.end_pipeline();
        Some(self.pipelines)
    }

    fn end_step(&mut self) {
        if self.begun {
            self.pipeline.push(std::mem::take(&mut self.step));
            self.begun = false;
        }
    }

    fn end_pipeline(&mut self) {
        self.end_step();
        if !self.pipeline.is_empty() {
            self.pipelines.push(std::mem::take(&mut self.pipeline));
        }
    }

    /// Takes a word of the command in.
    fn word(&mut self) -> Option<()> {
        let raw = self.raw_word()?;
        // The parser tells an item of a list that is set (`a[0]=1`) from a pattern.
        let may_set_item = raw.contains('[') && raw.contains('=');
        let counts_far = raw.len() > 9 && raw.bytes().all(|b| b.is_ascii_digit());
        if RESERVED.contains(&raw) || may_set_item || counts_far {
            return None;
        }
        let of_descriptor = matches!(self.peek(0), b'<' | b'>') && raw.bytes().all(|b| b.is_ascii_digit());
        if of_descriptor {
            return self.redirect();
        }
        self.begin();
        let assigns = is_assignment(raw);
        match (assigns, self.step.words.is_empty()) {
            (true, true) => {}
            (true, false) | (false, true) => self.step.words.push(Word::read(raw)),
            (false, false) => self.step.words.extend(Word::expand(raw)),
        }
        Some(())
    }

    fn begin(&mut self) {
        self.begun = true;
        self.wanted = false;
    }

    /// Takes a redirection in, its operator being next.
    fn redirect(&mut self) -> Option<()> {
        let kind = match (self.peek(0), self.peek(1)) {
            (b'>', b'&') => {
                let digits = self.script.get(self.at + 2..)?.bytes().take_while(u8::is_ascii_digit).count();
                if digits != 1 || !matches!(self.peek(3), 0 | b' ' | b'\t' | b'\n' | b';' | b'|') {
                    return None;
                }
                self.at += 3;
                self.begin();
                return Some(());
            }
            (b'>', b'>') => RedirectKind::Append,
            (b'>', b'|' | b'(') | (b'<', b'<' | b'>' | b'&' | b'(') => return None,
            (b'>', _) => RedirectKind::Write,
            (_, _) => RedirectKind::Read,
        };
        self.at += if kind == RedirectKind::Append { 2 } else { 1 };
        while matches!(self.peek(0), b' ' | b'\t') {
            self.at += 1;
        }
        let raw = self.raw_word()?;
        if RESERVED.contains(&raw) || raw.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        self.begin();
        if self.step.redirects.len() < super::MAX_REDIRECTS {
            self.step.redirects.push(Redirect { kind, target: Word::read(raw) });
        }
        Some(())
    }

    /// The word that begins here, as written; `None` when there is none, or one that takes the parser.
    fn raw_word(&mut self) -> Option<&'s str> {
        let from = self.at;
        loop {
            match self.peek(0) {
                b'\'' => {
                    self.at += 1;
                    self.at += memchr::memchr(b'\'', self.script.as_bytes().get(self.at..)?)? + 1;
                }
                b'"' => self.quoted()?,
                b'\\' if self.peek(1).is_ascii_graphic() => self.at += 2,
                b'$' if self.peek(1).is_ascii_alphabetic() || self.peek(1) == b'_' => self.at += 2,
                b'0'..=b'9'
                | b'A'..=b'Z'
                | b'a'..=b'z'
                | b'_'
                | b'.'
                | b'/'
                | b'-'
                | b':'
                | b','
                | b'@'
                | b'+'
                | b'%'
                | b'='
                | b'^'
                | b'~'
                | b'*'
                | b'?'
                | b'['
                | b']' => self.at += 1,
                0 | b' ' | b'\t' | b'\n' | b';' | b'|' | b'&' | b'<' | b'>' => break,
                _ => return None,
            }
        }
        let ends = self.at >= self.script.len() || self.peek(0) != 0;
        self.script.get(from..self.at).filter(|word| !word.is_empty() && ends)
    }

    /// Passes over what stands in double quotes.
    fn quoted(&mut self) -> Option<()> {
        self.at += 1;
        loop {
            match (self.peek(0), self.peek(1)) {
                (b'"', _) => break,
                (b'\\', next) if next.is_ascii_graphic() => self.at += 2,
                (b'$', next) if next.is_ascii_alphanumeric() || matches!(next, b'_' | b'"' | b' ') => {
                    self.at += 1;
                }
                (0 | b'\\' | b'$' | b'`', _) => return None,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        Some(())
    }
}

/// Whether a word sets a variable (`A=b`, `A+=b`).
fn is_assignment(raw: &str) -> bool {
    raw.split_once('=').is_some_and(|(name, _)| {
        let name = name.strip_suffix('+').unwrap_or(name);
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    })
}
