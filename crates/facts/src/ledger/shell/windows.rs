//! The parser of scripts for PowerShell and `cmd`, in which a backslash separates paths and escapes nothing.

use std::sync::LazyLock;

use regex::Regex;

use super::command::{
    Command, Group, MAX_PARTS, MAX_REDIRECTS, MAX_WORDS, Part, Pipeline, Redirect, RedirectKind, Word,
};
use crate::pattern;

/// A cmdlet, or a path with a drive and a backslash; neither is usual in a POSIX script, where it would stand in quotes.
static TELLS: LazyLock<Regex> = LazyLock::new(|| {
    pattern::ascii(concat!(
        r"(?i)\b(?:Get-Content|Set-Content|Add-Content|Clear-Content|Out-File|New-Item|Remove-Item|Move-Item",
        r"|Copy-Item|Rename-Item|Set-Location|Test-Path|Select-String|Get-ChildItem|Invoke-WebRequest)\b",
        r"|(?:^|[\s'\x22=])[A-Z]:\\[^\\]"
    ))
});

/// A relative path with backslashes.
static RELATIVE: LazyLock<Regex> =
    LazyLock::new(|| pattern::ascii(r"(?:^|[\s'\x22])\.{0,2}\\?[\w.-]+\\[\w.-]+"));

/// Whether a script is for a Windows shell. `dir` is where it runs: if it has a drive, words with backslashes are taken
/// for paths.
pub(super) fn is_script(script: &str, dir: Option<&str>) -> bool {
    if script.contains("<<") {
        return false;
    }
    let drive = dir.is_some_and(|d| d.as_bytes().get(1) == Some(&b':'));
    (script.contains(['-', ':']) && TELLS.is_match(script))
        || (drive && script.contains('\\') && RELATIVE.is_match(script))
        || cmd_only(script)
}

/// Whether a script uses a command that only `cmd` has, on a path with a backslash.
fn cmd_only(script: &str) -> bool {
    let first = script.split_whitespace().next().unwrap_or("");
    matches!(
        first.to_ascii_lowercase().as_str(),
        "del" | "erase" | "copy" | "move" | "ren" | "xcopy" | "type"
    ) && script.contains('\\')
}

/// The script in `powershell -Command …` or `cmd /c …`.
pub(super) fn handed_over(name: &str, words: &[Word]) -> Option<String> {
    let name = name.to_ascii_lowercase();
    let name = name.strip_suffix(".exe").unwrap_or(&name);
    let flags: &[&str] = match name {
        "powershell" | "pwsh" => &["-command", "-c"],
        "cmd" => &["/c", "/k"],
        _ => return None,
    };
    let at = words.iter().position(|w| flags.contains(&w.to_ascii_lowercase().as_str()))?;
    let rest: Vec<&str> = words.get(at + 1..)?.iter().map(|w| w.text.as_str()).collect();
    (!rest.is_empty()).then(|| rest.join(" "))
}

/// Parses a script in one pass.
pub(super) fn parse(script: &str) -> Vec<Part> {
    let mut parser =
        Parser { parts: Vec::new(), outer: Vec::new(), pipeline: Vec::new(), command: Command::default() };
    parser.script(script);
    parser.parts
}

struct Parser {
    parts: Vec<Part>,
    /// The enclosing pipelines and commands of the open parentheses and braces.
    outer: Vec<(Vec<Command>, Command)>,
    pipeline: Vec<Command>,
    command: Command,
}

impl Parser {
    fn script(&mut self, script: &str) {
        let bytes = script.as_bytes();
        let at = |i: usize| bytes.get(i).copied().unwrap_or(0);
        let mut i = 0;
        while i < bytes.len() && self.parts.len() + self.outer.len() + self.pipeline.len() < MAX_PARTS {
            match at(i) {
                b' ' | b'\t' | b'\r' | b',' => i += 1,
                b'`' if matches!(at(i + 1), b'\n' | b'\r') => i += 2,
                b'#' => i += bytes.get(i..).and_then(|r| memchr::memchr(b'\n', r)).unwrap_or(bytes.len() - i),
                b'|' if at(i + 1) != b'|' => {
                    self.end_command();
                    i += 1;
                }
                b'\n' | b';' | b'&' | b'|' => {
                    self.end_pipeline();
                    i += 1;
                }
                b'(' | b'{' => {
                    self.parts.push(Part::Open(Group::Nested));
                    self.outer.push((std::mem::take(&mut self.pipeline), std::mem::take(&mut self.command)));
                    i += 1;
                }
                b')' | b'}' => {
                    self.close();
                    i += 1;
                }
                b'>' => i = self.redirect(script, i, false),
                b'0'..=b'9' | b'*' if at(i + 1) == b'>' => i = self.redirect(script, i + 1, at(i) == b'2'),
                _ => {
                    let (word, end) = word(script, i);
                    if self.command.words.len() < MAX_WORDS {
                        self.command.words.push(word);
                    }
                    i = end.max(i + 1);
                }
            }
        }
        while !self.outer.is_empty() {
            self.close();
        }
        self.end_pipeline();
    }

    /// Closes a parenthesis or brace; the enclosing command continues.
    fn close(&mut self) {
        self.end_pipeline();
        if let Some((pipeline, command)) = self.outer.pop() {
            self.parts.push(Part::Close { isolated: false });
            self.pipeline = pipeline;
            self.command = command;
        }
    }

    fn redirect(&mut self, script: &str, from: usize, of_errors: bool) -> usize {
        let bytes = script.as_bytes();
        let at = |i: usize| bytes.get(i).copied().unwrap_or(0);
        let append = at(from + 1) == b'>';
        let mut i = from + 1 + usize::from(append);
        if at(i) == b'&' {
            return i + 2;
        }
        while matches!(at(i), b' ' | b'\t') {
            i += 1;
        }
        let (target, end) = word(script, i);
        if self.command.redirects.len() < MAX_REDIRECTS {
            let kind = if append { RedirectKind::Append } else { RedirectKind::Write };
            self.command.redirects.push(Redirect { kind, target: as_path(&target), of_errors });
        }
        end.max(i)
    }

    fn end_command(&mut self) {
        let command = std::mem::take(&mut self.command);
        if !command.words.is_empty() || !command.redirects.is_empty() {
            self.pipeline.push(command);
        }
    }

    fn end_pipeline(&mut self) {
        self.end_command();
        if !self.pipeline.is_empty() {
            self.parts.push(Part::Pipeline(Pipeline::of(std::mem::take(&mut self.pipeline))));
        }
    }
}

/// A word as a path: backslashes become slashes, except in UNC paths.
pub(super) fn as_path(word: &Word) -> Word {
    if word.text.starts_with("\\\\") {
        return word.clone();
    }
    Word { text: word.text.replace('\\', "/"), literal: word.literal }
}

/// The word that begins at `from`, without quotes, and the offset of its end.
fn word(script: &str, from: usize) -> (Word, usize) {
    let rest = script.get(from..).unwrap_or("");
    // A here-string may contain a whole file.
    for (open, close) in [("@'", "\n'@"), ("@\"", "\n\"@")] {
        if let Some(body) = rest.strip_prefix(open) {
            let end = body.find(close).unwrap_or(body.len());
            let text = body.get(..end).unwrap_or("").trim_start_matches(['\r', '\n']).to_owned();
            return (Word { text, literal: true }, (from + 2 + end + close.len()).min(script.len()));
        }
    }
    let (mut text, mut literal) = (String::new(), true);
    let mut chars = rest.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '\'' | '"' => {
                for (_, inner) in chars.by_ref() {
                    if inner == c {
                        break;
                    }
                    literal &= !(c == '"' && inner == '$');
                    text.push(inner);
                }
            }
            '`' => text.extend(chars.next().map(|(_, escaped)| escaped)),
            ' ' | '\t' | '\r' | '\n' | ',' | ';' | '|' | '&' | '>' | '(' | ')' | '{' | '}' => {
                return (Word { text, literal }, from + at);
            }
            '$' | '*' | '?' | '%' => {
                literal = false;
                text.push(c);
            }
            other => text.push(other),
        }
    }
    (Word { text, literal }, script.len())
}
