//! A plain reader for scripts that are too large, too deep or too broken to parse: words, quotes,
//! redirections, here-documents and separators, one pass, no nesting.

use super::word::Word;
use super::{Redirect, RedirectKind, Walk};

/// Words that open or close a construct and are no command.
const RESERVED: &[&str] =
    &["then", "do", "else", "elif", "if", "while", "until", "fi", "done", "{", "}", "!", "esac", "time"];

pub(super) fn read(script: &str, walk: &mut Walk) {
    let mut reader =
        Reader { walk, words: Vec::new(), redirects: Vec::new(), heredoc: None, waiting: Vec::new() };
    reader.script(script);
}

struct Reader<'w> {
    walk: &'w mut Walk,
    words: Vec<Word>,
    redirects: Vec<Redirect>,
    heredoc: Option<String>,
    /// Delimiters of here-documents that begin on the next line, and whether tabs are stripped.
    waiting: Vec<(String, bool)>,
}

impl Reader<'_> {
    fn script(&mut self, script: &str) {
        let bytes = script.as_bytes();
        let at = |i: usize| bytes.get(i).copied().unwrap_or(0);
        let mut i = 0;
        while i < bytes.len() {
            match at(i) {
                b' ' | b'\t' | b'\r' => i += 1,
                b'\\' if at(i + 1) == b'\n' => i += 2,
                b'#' => i += bytes.get(i..).and_then(|r| memchr::memchr(b'\n', r)).unwrap_or(bytes.len() - i),
                b'\n' => {
                    i += 1;
                    i = self.documents(script, i);
                    self.end();
                }
                b'&' if at(i + 1) == b'>' => {
                    i = self.redirect(script, i + 1);
                }
                b'&' | b'|' | b';' | b'(' | b')' => {
                    self.end();
                    i += 1;
                }
                b'<' | b'>' => i = self.redirect(script, i),
                digit if digit.is_ascii_digit() && matches!(at(i + 1), b'<' | b'>') => {
                    i = self.redirect(script, i + 1);
                }
                _ => {
                    let end = word_end(bytes, i);
                    let word = Word::read(script.get(i..end).unwrap_or(""));
                    let reserved = self.words.is_empty() && RESERVED.contains(&word.text.as_str());
                    let assigned = self.words.is_empty() && is_assignment(&word.text);
                    if !reserved && !assigned {
                        self.words.push(word);
                    }
                    i = end.max(i + 1);
                }
            }
        }
        self.end();
    }

    fn redirect(&mut self, script: &str, from: usize) -> usize {
        let bytes = script.as_bytes();
        let at = |i: usize| bytes.get(i).copied().unwrap_or(0);
        let mut i = from;
        let mut operator = String::new();
        while matches!(at(i), b'<' | b'>' | b'|' | b'&') && operator.len() < 3 {
            operator.push(char::from(at(i)));
            i += 1;
        }
        let strip = operator == "<<" && at(i) == b'-';
        if strip {
            i += 1;
        }
        if operator.ends_with('&') {
            return word_end(bytes, i).max(i);
        }
        while matches!(at(i), b' ' | b'\t') {
            i += 1;
        }
        let end = word_end(bytes, i);
        let target = Word::read(script.get(i..end).unwrap_or(""));
        if self.redirects.len() >= super::MAX_REDIRECTS {
            return end.max(i);
        }
        match operator.as_str() {
            "<<" => self.waiting.push((target.text, strip)),
            "<<<" => self.heredoc = Some(target.text),
            "<" => self.redirects.push(Redirect { kind: RedirectKind::Read, target }),
            ">" | ">|" => self.redirects.push(Redirect { kind: RedirectKind::Write, target }),
            ">>" => self.redirects.push(Redirect { kind: RedirectKind::Append, target }),
            _ => {}
        }
        end.max(i)
    }

    /// Takes the here-documents that begin at `from`; returns where the script goes on.
    fn documents(&mut self, script: &str, from: usize) -> usize {
        let mut i = from;
        for (delimiter, strip) in std::mem::take(&mut self.waiting) {
            let rest = script.get(i..).unwrap_or("");
            let mut taken = 0;
            let mut body_end = rest.len();
            for line in rest.split_inclusive('\n') {
                taken += line.len();
                let bare = line.trim_end_matches(['\n', '\r']);
                let bare = if strip { bare.trim_start_matches('\t') } else { bare };
                if bare == delimiter {
                    body_end = taken - line.len();
                    break;
                }
            }
            self.heredoc = Some(rest.get(..body_end).unwrap_or("").to_owned());
            i += taken;
        }
        i
    }

    fn end(&mut self) {
        // A here-document's text comes after the rest of its line: its command waits for it.
        if !self.waiting.is_empty() {
            if !self.words.is_empty() || !self.redirects.is_empty() {
                // Only the separator's own command is kept back; a pipe after `cat <<EOF` is rare
                // and loses the text, not the command.
                self.flush();
            }
            return;
        }
        self.flush();
    }

    fn flush(&mut self) {
        let mut step = self.walk.empty();
        step.words = std::mem::take(&mut self.words);
        step.redirects = std::mem::take(&mut self.redirects);
        step.heredoc = self.heredoc.take();
        if !step.words.is_empty() || !step.redirects.is_empty() {
            self.walk.push(step);
        }
    }
}

/// Where the word that starts at `from` ends, quotes included.
fn word_end(bytes: &[u8], from: usize) -> usize {
    let mut i = from;
    while let Some(byte) = bytes.get(i) {
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')' => break,
            b'\\' => i += 2,
            b'\'' => i = closing(bytes, i, b'\''),
            b'"' => i = closing(bytes, i, b'"'),
            _ => i += 1,
        }
    }
    i.min(bytes.len())
}

/// The position after the closing quote; the end of the script when there is none.
fn closing(bytes: &[u8], open: usize, quote: u8) -> usize {
    let mut i = open + 1;
    while let Some(byte) = bytes.get(i) {
        if *byte == quote {
            return i + 1;
        }
        i += if *byte == b'\\' && quote == b'"' { 2 } else { 1 };
    }
    bytes.len()
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    })
}
