//! PowerShell and `cmd`: a plain reader, since a backslash separates there and escapes nothing.

use std::sync::LazyLock;

use regex::Regex;

use super::word::Word;
use super::{Redirect, RedirectKind, Walk};
use crate::ledger::pattern;

/// A cmdlet, or a path with a drive and a backslash. Neither stands bare in a POSIX script.
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

/// Whether a script is one for a Windows shell. `dir` is where it runs: with a drive in it, words
/// joined by backslashes are paths.
pub(super) fn is_script(script: &str, dir: Option<&str>) -> bool {
    if script.contains("<<") {
        return false;
    }
    let drive = dir.is_some_and(|d| d.as_bytes().get(1) == Some(&b':'));
    (script.contains(['-', ':']) && TELLS.is_match(script))
        || (drive && script.contains('\\') && RELATIVE.is_match(script))
        || cmd_only(script)
}

/// Commands that only `cmd` knows, used on a path with a backslash.
fn cmd_only(script: &str) -> bool {
    let first = script.split_whitespace().next().unwrap_or("");
    matches!(
        first.to_ascii_lowercase().as_str(),
        "del" | "erase" | "copy" | "move" | "ren" | "xcopy" | "type"
    ) && script.contains('\\')
}

/// The script that `powershell -Command …` or `cmd /c …` is given.
pub(super) fn handed_over(name: &str, words: &[Word]) -> Option<String> {
    let name = name.to_ascii_lowercase();
    let name = name.strip_suffix(".exe").unwrap_or(&name);
    let flags: &[&str] = match name {
        "powershell" | "pwsh" => &["-command", "-c"],
        "cmd" => &["/c", "/k"],
        _ => return None,
    };
    let at = words.iter().position(|w| flags.contains(&w.text.to_ascii_lowercase().as_str()))?;
    let rest: Vec<&str> = words.get(at + 1..)?.iter().map(|w| w.text.as_str()).collect();
    (!rest.is_empty()).then(|| rest.join(" "))
}

/// Reads a script in one pass.
pub(super) fn read(script: &str, walk: &mut Walk) {
    let mut reader = Reader { walk, words: Vec::new(), redirects: Vec::new() };
    reader.script(script);
}

struct Reader<'w> {
    walk: &'w mut Walk,
    words: Vec<Word>,
    redirects: Vec<Redirect>,
}

impl Reader<'_> {
    fn script(&mut self, script: &str) {
        let bytes = script.as_bytes();
        let at = |i: usize| bytes.get(i).copied().unwrap_or(0);
        let mut i = 0;
        while i < bytes.len() {
            match at(i) {
                b' ' | b'\t' | b'\r' | b',' => i += 1,
                b'`' if matches!(at(i + 1), b'\n' | b'\r') => i += 2,
                b'#' => i += bytes.get(i..).and_then(|r| memchr::memchr(b'\n', r)).unwrap_or(bytes.len() - i),
                b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'{' | b'}' => {
                    self.end();
                    i += 1;
                }
                b'>' => i = self.redirect(script, i),
                b'0'..=b'9' | b'*' if at(i + 1) == b'>' => i = self.redirect(script, i + 1),
                _ => {
                    let (word, end) = word(script, i);
                    self.words.push(word);
                    i = end.max(i + 1);
                }
            }
        }
        self.end();
    }

    fn redirect(&mut self, script: &str, from: usize) -> usize {
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
        if self.redirects.len() < super::MAX_REDIRECTS {
            let kind = if append { RedirectKind::Append } else { RedirectKind::Write };
            self.redirects.push(Redirect { kind, target: as_path(&target) });
        }
        end.max(i)
    }

    fn end(&mut self) {
        if self.words.is_empty() && self.redirects.is_empty() {
            return;
        }
        let mut step = self.walk.empty();
        step.windows = true;
        step.words = std::mem::take(&mut self.words);
        step.redirects = std::mem::take(&mut self.redirects);
        self.walk.push(step);
    }
}

/// A word taken as a path: backslashes separate, a leading `./` says nothing.
pub(super) fn as_path(word: &Word) -> Word {
    if word.text.starts_with("\\\\") {
        return word.clone();
    }
    Word { text: word.text.replace('\\', "/"), literal: word.literal }
}

/// The word that begins at `from`, quotes taken away, and where it ends.
fn word(script: &str, from: usize) -> (Word, usize) {
    let rest = script.get(from..).unwrap_or("");
    // Here-strings hold whole files.
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
