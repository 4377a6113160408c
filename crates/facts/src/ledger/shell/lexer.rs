//! The lexer of POSIX shell scripts: words with quotes, escapes and expansions; here-documents.

use super::command::Word;
use crate::ledger::line::head;

/// The most words that a brace expansion gives.
const MAX_BRACED: usize = 20;

/// Reads words from a text, starting at an offset.
pub(super) struct Lexer<'s> {
    text: &'s str,
    at: usize,
}

impl<'s> Lexer<'s> {
    pub(super) fn new(text: &'s str) -> Self {
        Self { text, at: 0 }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// The byte at this distance from the current one; `None` beyond the end.
    pub(super) fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    pub(super) fn skip(&mut self, bytes: usize) {
        self.go_to(self.at + bytes);
    }

    pub(super) fn go_to(&mut self, at: usize) {
        self.at = at.min(self.text.len());
    }

    pub(super) fn slice(&self, from: usize, to: usize) -> &'s str {
        self.text.get(from..to).unwrap_or_default()
    }

    /// The offset of the current line's end, before its newline.
    pub(super) fn line_end(&self) -> usize {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        memchr::memchr(b'\n', rest).map_or(self.text.len(), |end| self.at + end)
    }

    /// Skips blanks and line continuations.
    pub(super) fn skip_blanks(&mut self) {
        loop {
            match self.peek(0) {
                Some(b' ' | b'\t' | b'\r' | 0x0b | 0x0c) => self.at += 1,
                Some(b'\\') => match self.continuation() {
                    0 => return,
                    bytes => self.at += bytes,
                },
                _ => return,
            }
        }
    }

    /// The length in bytes of the line continuation here (a backslash and a line end); 0 when there is none.
    fn continuation(&self) -> usize {
        match (self.peek(1), self.peek(2)) {
            (Some(b'\n'), _) => 2,
            (Some(b'\r'), Some(b'\n')) => 3,
            _ => 0,
        }
    }

    /// Reads the word that begins here; returns it and its source text, both empty when no word begins here.
    pub(super) fn word(&mut self) -> (Word, &'s str) {
        let from = self.at;
        let mut word = Word { text: String::new(), literal: true };
        loop {
            let run = self.at;
            while self.peek(0).is_some_and(is_plain) {
                self.at += 1;
            }
            word.text.push_str(self.slice(run, self.at));
            let Some(byte) = self.peek(0) else { break };
            match byte {
                b'\\' => self.escaped(&mut word.text),
                b'\'' => {
                    let end = self.closing_quote(self.at + 1);
                    word.text.push_str(self.slice(self.at + 1, end));
                    self.go_to(end + 1);
                }
                b'"' => self.double_quoted(&mut word),
                b'$' if self.peek(1) == Some(b'\'') => self.ansi_quoted(&mut word.text),
                b'$' if self.peek(1) == Some(b'"') => self.at += 1,
                b'$' if matches!(self.peek(1), Some(b'(' | b'{')) => self.expansion(&mut word, false),
                b'`' => self.expansion(&mut word, false),
                b'(' if self.is_pattern_or_array(from) => self.expansion(&mut word, false),
                b'{' => {
                    word.literal &= self.at == from && matches!(self.peek(1), Some(b'}') | None);
                    word.text.push('{');
                    self.at += 1;
                }
                b'$' | b'*' | b'?' | b'[' => {
                    word.literal = false;
                    word.text.push(char::from(byte));
                    self.at += 1;
                }
                _ => break,
            }
        }
        (word, self.slice(from, self.at))
    }

    /// Reads an expansion or a parenthesis, unexpanded.
    fn expansion(&mut self, word: &mut Word, is_quoted: bool) {
        let end = closing(self.text, self.at, is_quoted);
        word.literal = false;
        word.text.push_str(self.slice(self.at, end));
        self.at = end;
    }

    /// Reads the parenthesis that begins here as one word.
    pub(super) fn parentheses(&mut self) -> Word {
        let mut word = Word::default();
        self.expansion(&mut word, false);
        word
    }

    /// Whether a parenthesis belongs to the word in front of it: `a=(…)`, `!(…)`.
    fn is_pattern_or_array(&self, from: usize) -> bool {
        let before = self.slice(from, self.at);
        before.ends_with(['@', '!', '?', '*', '+'])
            || before.ends_with('=') && is_assignment(head(before, LONGEST_NAME))
    }

    fn escaped(&mut self, text: &mut String) {
        match self.continuation() {
            0 => {
                self.at += 1;
                if let Some(escaped) = self.slice(self.at, self.text.len()).chars().next() {
                    text.push(escaped);
                    self.at += escaped.len_utf8();
                }
            }
            bytes => self.at += bytes,
        }
    }

    fn closing_quote(&self, from: usize) -> usize {
        let rest = self.text.as_bytes().get(from..).unwrap_or_default();
        memchr::memchr(b'\'', rest).map_or(self.text.len(), |end| from + end)
    }

    fn double_quoted(&mut self, word: &mut Word) {
        self.at += 1;
        loop {
            let run = self.at;
            while self.peek(0).is_some_and(|byte| !matches!(byte, b'"' | b'\\' | b'$' | b'`')) {
                self.at += 1;
            }
            word.text.push_str(self.slice(run, self.at));
            match (self.peek(0), self.peek(1)) {
                (None, _) => return,
                (Some(b'"'), _) => {
                    self.at += 1;
                    return;
                }
                (Some(b'\\'), Some(b'"' | b'\\' | b'$' | b'`')) => self.escaped(&mut word.text),
                (Some(b'\\'), _) if self.continuation() > 0 => self.at += self.continuation(),
                (Some(b'`'), _) | (Some(b'$'), Some(b'(' | b'{')) => self.expansion(word, true),
                (Some(byte), _) => {
                    word.literal &= byte != b'$';
                    word.text.push(char::from(byte));
                    self.at += 1;
                }
            }
        }
    }

    /// Reads `$'…'`, in which a backslash escapes the quote.
    fn ansi_quoted(&mut self, text: &mut String) {
        self.at += 2;
        let mut escapes = false;
        let rest = self.slice(self.at, self.text.len());
        for (place, c) in rest.char_indices() {
            match c {
                _ if escapes => {
                    escapes = false;
                    match c {
                        'n' => text.push('\n'),
                        't' => text.push('\t'),
                        '\'' | '"' | '\\' => text.push(c),
                        _ => text.extend(['\\', c]),
                    }
                }
                '\\' => escapes = true,
                '\'' => {
                    self.at += place + 1;
                    return;
                }
                _ => text.push(c),
            }
        }
        self.at = self.text.len();
    }
}

fn is_plain(byte: u8) -> bool {
    !b" \t\r\n\x0b\x0c;&|<>()\\'\"$`*?[{".contains(&byte)
}

/// Whether the source text of a word sets a variable: `A=b`, `A+=b`, `A[0]=b`.
pub(super) fn is_assignment(raw: &str) -> bool {
    let Some((name, _)) = raw.split_once('=') else { return false };
    let name = name.strip_suffix('+').unwrap_or(name);
    let name = name.split_once('[').filter(|_| name.ends_with(']')).map_or(name, |(name, _)| name);
    is_name(name)
}

/// The longest name of a variable with its index; of a longer one nothing is read, so that a word is read once.
const LONGEST_NAME: usize = 256;

/// Whether a text is a valid variable name.
pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Expands a word with one list in braces (`src/{a,b}.rs`); `None` when it has no such list.
pub(super) fn braces(raw: &str) -> Option<Vec<Word>> {
    let (before, rest) = raw.split_once('{')?;
    let (list, after) = rest.split_once('}')?;
    let plain = |text: &str| !text.contains(['$', '`', '\'', '"', '\\', '{', '}']);
    let is_list = list.contains(',')
        && list.split(',').count() <= MAX_BRACED
        && [before, list, after].into_iter().all(plain);
    is_list.then(|| {
        let word = |one| Lexer::new(&format!("{before}{one}{after}")).word().0;
        list.split(',').map(word).collect()
    })
}

/// The start of a here-document.
pub(super) struct Announced {
    pub delimiter: String,
    /// Whether leading tabs are removed from its lines (`<<-`).
    pub strips_tabs: bool,
}

/// Reads the word after `<<`; also returns the offset of its end.
pub(super) fn announced(text: &str, from: usize) -> (Announced, usize) {
    let rest = text.get(from..).unwrap_or_default();
    let strips_tabs = rest.starts_with('-');
    let mut delimiter = String::new();
    let mut quote = None;
    for (at, c) in rest.char_indices().skip(usize::from(strips_tabs)) {
        match (quote, c) {
            (None, ' ' | '\t') if delimiter.is_empty() => {}
            (None, '\\') => {}
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            (_, '\n') | (None, ' ' | '\t' | '\r' | ';' | '&' | '|' | '<' | '>' | '(' | ')') => {
                return (Announced { delimiter, strips_tabs }, from + at);
            }
            _ => delimiter.push(c),
        }
    }
    (Announced { delimiter, strips_tabs }, text.len())
}

/// Finds the here-document whose first line begins at `from`; returns the end of its text and the start of what
/// follows.
pub(super) fn here_doc(text: &str, from: usize, announced: &Announced) -> (usize, usize) {
    let mut at = from;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let end = memchr::memchr(b'\n', rest.as_bytes());
        let line = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        let next = at + end.map_or(rest.len(), |end| end + 1);
        let line = line.strip_suffix('\r').unwrap_or(line);
        let line = if announced.strips_tabs { line.trim_start_matches('\t') } else { line };
        if line == announced.delimiter {
            return (at, next);
        }
        at = next;
    }
    (text.len(), text.len())
}

/// The kind of an open bracket while an expansion is scanned.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Nesting {
    Commands,
    Arithmetic,
    Brace,
    Backtick,
    Quote,
}

/// The end offset of the expansion that begins at `from` (`$(`, `${`, a backtick or a parenthesis); the text's end
/// when it is not closed.
fn closing(text: &str, from: usize, is_quoted: bool) -> usize {
    use Nesting::{Arithmetic, Backtick, Brace, Commands, Quote};
    let bytes = text.as_bytes();
    let get = |at: usize| bytes.get(at).copied();
    let ahead = |at: usize, byte: u8| {
        memchr::memchr(byte, bytes.get(at..).unwrap_or_default()).map_or(bytes.len(), |end| at + end)
    };
    let mut nesting: Vec<Nesting> = Vec::new();
    let mut documents: Vec<Announced> = Vec::new();
    let mut at = from;
    while let Some(byte) = get(at) {
        let inside = nesting.last().copied();
        let runs = matches!(inside, Some(Commands | Backtick));
        at += 1;
        match (byte, inside) {
            (b'\\', _) => at += 1,
            (b'$', _) if get(at) == Some(b'(') && get(at + 1) == Some(b'(') => {
                nesting.extend([Arithmetic, Arithmetic]);
                at += 2;
            }
            (b'$', _) if matches!(get(at), Some(b'(' | b'{')) => {
                nesting.push(if get(at) == Some(b'(') { Commands } else { Brace });
                at += 1;
            }
            (b'`', Some(Backtick))
            | (b'"', Some(Quote))
            | (b'}', Some(Brace))
            | (b')', Some(Commands | Arithmetic)) => _ = nesting.pop(),
            (b'`', _) => nesting.push(Backtick),
            (b'"', _) => nesting.push(Quote),
            (b'(', Some(Arithmetic)) => nesting.push(Arithmetic),
            (b'(', None | Some(Commands | Backtick)) => nesting.push(Commands),
            (b'\'', Some(Commands | Backtick)) => at = ahead(at, b'\'') + 1,
            // Inside `${…}` in double quotes, an apostrophe is a literal character.
            (b'\'', Some(Brace)) => {
                let outer = nesting.len().checked_sub(2).and_then(|at| nesting.get(at));
                if !outer.map_or(is_quoted, |outer| *outer == Quote) {
                    at = ahead(at, b'\'') + 1;
                }
            }
            (b'#', _) if runs && get(at - 2).is_some_and(|before| before.is_ascii_whitespace()) => {
                at = ahead(at, b'\n');
            }
            (b'<', _) if runs && get(at) == Some(b'<') => {
                at += 1;
                if get(at) == Some(b'<') {
                    at += 1;
                } else {
                    let (document, end) = announced(text, at);
                    documents.push(document);
                    at = end;
                }
            }
            (b'\n', _) if runs => {
                for document in documents.drain(..) {
                    at = here_doc(text, at, &document).1;
                }
            }
            _ => {}
        }
        if nesting.is_empty() {
            break;
        }
    }
    at.min(bytes.len())
}
