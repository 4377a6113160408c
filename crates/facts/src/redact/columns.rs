//! Columns of secrets in tables: cells below a header that names a password or a token, in Markdown and what databases
//! print, in values between commas or tabs, and in columns that are aligned.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::doubt::{placeholder, token};
use crate::ledger::line::{any_of, is_rule};
use crate::ledger::words::WORDS;
use crate::wording::words_of;

/// The most columns of a table.
const MOST_COLUMNS: usize = 24;
/// The longest name of a column, in bytes.
const LONGEST_NAME: usize = 40;
/// A cell with more words is prose about a secret.
const MOST_WORDS: usize = 3;

/// Whether a property or a column holds secrets by its name.
pub(crate) fn names_secret(name: &str) -> bool {
    let lower = name.to_lowercase();
    // A name in capitals has no words to tell apart by case.
    let is_loud = !name.contains(char::is_lowercase);
    let words = words_of(if is_loud { &lower } else { name });
    let about = [
        "name", "ref", "id", "arn", "path", "type", "count", "version", "at", "policy", "length", "hint",
        "required", "enabled", "changed", "strength", "reset",
    ];
    let Some(last) = words.last().filter(|last| !about.contains(&last.as_str())) else { return false };
    let has = |word: &str| words.iter().any(|one| one == word);
    words.iter().any(|word| is_password(word))
        || ["secret", "secrets", "apikey", "credential", "credentials", "cookie"].into_iter().any(has)
        || last == "token"
        || last == "key" && ["api", "private", "access", "signing", "encryption"].into_iter().any(has)
        || last == "pwd"
}

/// Whether a word of a name, in lower case, is that of a password.
fn is_password(word: &str) -> bool {
    let names = ["password", "passwords", "passwd", "passphrase", "passwort", "kennwort", "пароль", "密码"];
    names.iter().any(|name| {
        let before = word.strip_suffix(name);
        // "1password" is a program.
        before.is_some_and(|before| !before.ends_with(|c: char| c.is_ascii_digit()))
    })
}

/// How the cells of a table are separated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cells {
    Bars,
    Tabs,
    Commas,
    Spaces,
}

/// A table whose header was read.
struct Table {
    cells: Cells,
    width: usize,
    /// The columns with secrets, and whether they are passwords, which may be words.
    secret: Vec<(usize, bool)>,
}

/// A text in which the cells of such columns are replaced; `None` when it has none.
pub(super) fn redact(text: &str) -> Option<String> {
    static HEADERS: LazyLock<AhoCorasick> = LazyLock::new(|| any_of(&WORDS.secret_columns));
    let (mut out, mut kept, mut read) = (String::new(), 0, 0);
    for hit in HEADERS.find_iter(text) {
        // A word in the rows of a table is no header.
        if hit.start() < read {
            continue;
        }
        let header = line_at(text, hit.start());
        read = header.end;
        let Some(table) = Table::below(text, &header) else { continue };
        while let Some(row) = next_line(text, read) {
            let line = text.get(row.clone()).unwrap_or_default();
            if !is_rule(line) {
                let cells = table.cells.of(line);
                if cells.len() != table.width {
                    break;
                }
                for (column, is_password) in &table.secret {
                    let Some(cell) = cells.get(*column) else { continue };
                    let cell = row.start + cell.start..row.start + cell.end;
                    if is_secret(text, &cell, *is_password) {
                        out.push_str(text.get(kept..cell.start).unwrap_or_default());
                        out.push_str(if *is_password { "[REDACTED:password]" } else { "[REDACTED:secret]" });
                        kept = cell.end;
                    }
                }
            }
            read = row.end;
        }
    }
    (kept > 0).then(|| {
        out.push_str(text.get(kept..).unwrap_or_default());
        out
    })
}

fn is_secret(text: &str, cell: &Range<usize>, is_password: bool) -> bool {
    let value = text.get(cell.clone()).unwrap_or_default();
    let said = ["yes", "no", "n/a", "x", "✓", "✗", "✅", "❌", "-", "—", "set", "unset", "(null)", "<none>"];
    !placeholder(value)
        && !said.contains(&value.to_lowercase().as_str())
        && value.split_whitespace().count() <= MOST_WORDS
        && if is_password { value.chars().any(char::is_alphanumeric) } else { token(text, cell) }
}

impl Table {
    /// The table whose header is a line, when another row follows it and a column holds secrets.
    fn below(text: &str, header: &Range<usize>) -> Option<Self> {
        let line = text.get(header.clone())?;
        let next = text.get(next_line(text, header.end)?)?;
        let cells = Cells::between(line)?;
        let found = cells.of(line);
        let names: Vec<&str> = found.iter().filter_map(|cell| line.get(cell.clone())).collect();
        let is_name = |name: &&str| {
            let plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '.' | '*' | '"' | '`');
            // The numbers in front of a file's lines are no header.
            let begins = name.trim_start_matches(['"', '`', '*']).starts_with(char::is_alphabetic);
            begins && name.len() <= LONGEST_NAME && name.chars().all(plain)
        };
        if !(2..=MOST_COLUMNS).contains(&names.len()) || !names.iter().all(is_name) {
            return None;
        }
        let is_table = match cells {
            Cells::Bars => is_rule(next) || line.starts_with('|') && next.starts_with('|'),
            Cells::Commas => !line.contains(", ") && !line.starts_with(' '),
            Cells::Tabs => true,
            Cells::Spaces => is_rule(next) || !line.contains(char::is_lowercase),
        };
        let secret: Vec<(usize, bool)> = names
            .iter()
            .enumerate()
            .filter(|(_, name)| names_secret(name))
            .map(|(at, name)| {
                (at, !["token", "secret", "key"].iter().any(|word| name.to_lowercase().contains(word)))
            })
            .collect();
        (is_table && !secret.is_empty()).then_some(Self { cells, width: names.len(), secret })
    }
}

impl Cells {
    /// The separator of a line's cells.
    fn between(line: &str) -> Option<Self> {
        let has = |separator: &str| line.trim().contains(separator);
        let kinds = [("|", Self::Bars), ("\t", Self::Tabs), (",", Self::Commas), ("  ", Self::Spaces)];
        kinds.into_iter().find(|(separator, _)| has(separator)).map(|(_, cells)| cells)
    }

    /// The cells of a line.
    fn of(self, line: &str) -> Vec<Range<usize>> {
        let separator = match self {
            Self::Bars => "|",
            Self::Tabs => "\t",
            Self::Commas => ",",
            Self::Spaces => "  ",
        };
        let mut at = 0;
        let mut all: Vec<Range<usize>> = line
            .split(separator)
            .map(|cell| {
                let from = at + cell.len() - cell.trim_start().len();
                at += cell.len() + separator.len();
                from..from + cell.trim().len()
            })
            .collect();
        match self {
            // Markdown has bars at both ends.
            Self::Bars => {
                if all.last().is_some_and(Range::is_empty) {
                    all.pop();
                }
                if all.first().is_some_and(Range::is_empty) {
                    all.remove(0);
                }
            }
            Self::Spaces => all.retain(|cell| !cell.is_empty()),
            Self::Tabs | Self::Commas => {}
        }
        all
    }
}

/// The line around an offset; in the arguments of a call, its end is an escape, and a text begins with a quotation mark.
fn line_at(text: &str, at: usize) -> Range<usize> {
    let before = text.get(..at).unwrap_or_default();
    let start = memchr::memrchr(b'\n', before.as_bytes()).map_or(0, |end| end + 1);
    let end = line_end(text, at);
    let line = before.get(start..).unwrap_or_default();
    let escaped = line.rfind("\\n").map(|end| start + end + 2).or_else(|| {
        let is_inside = text.get(end..).is_some_and(|rest| rest.starts_with("\\n"));
        line.rfind('"').filter(|_| is_inside).map(|mark| start + mark + 1)
    });
    escaped.unwrap_or(start)..end
}

/// The line behind one that ends at an offset.
fn next_line(text: &str, end: usize) -> Option<Range<usize>> {
    let rest = text.get(end..)?;
    if rest.starts_with('\n') {
        return Some(end + 1..line_end(text, end + 1));
    }
    let inside = rest.strip_prefix("\\n")?;
    let start = end + 2;
    let end = line_end(text, start);
    // The text ends with a quotation mark.
    let length = inside
        .get(..end - start)?
        .find('"')
        .filter(|at| !inside.get(..*at).is_some_and(|s| s.ends_with('\\')));
    Some(start..length.map_or(end, |length| start + length))
}

fn line_end(text: &str, from: usize) -> usize {
    let rest = text.as_bytes().get(from..).unwrap_or_default();
    let is_end = |at: &usize| rest.get(*at) == Some(&b'\n') || rest.get(at + 1) == Some(&b'n');
    memchr::memchr2_iter(b'\n', b'\\', rest).find(is_end).map_or(text.len(), |end| from + end)
}
