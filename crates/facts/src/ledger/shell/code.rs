//! Files that a short script plainly reads and writes (`open('f', 'w')`, `Path('f').write_text`,
//! `fs.writeFileSync('f', …)`), as agents write them to edit files.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::effect::Op;
use crate::ledger::line::head;
use crate::ledger::paths;
use crate::pattern;

/// How much of a script is searched.
const SEARCHED: usize = 64 * 1024;
/// The most files of one script.
const MAX_FILES: usize = 50;

const NAME_OR_TEXT: &str = r#"(?:([A-Za-z_][A-Za-z0-9_]*)|[rbu]?["'`]([^"'`\n]{1,300})["'`])"#;

static VARIABLE: LazyLock<Regex> = LazyLock::new(|| {
    pattern::unicode(
        r#"(?m)^\s*(?:const |let |var )?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(?:(?:pathlib\.)?Path\(\s*)?[rbu]?["'`]([^"'`\n]{1,300})["'`]"#,
    )
});
static OPEN: LazyLock<Regex> = LazyLock::new(|| {
    pattern::unicode(&format!(
        r#"\bopen\(\s*{NAME_OR_TEXT}\s*(?:,\s*(?:mode\s*=\s*)?["']([rwaxbtU+]{{1,4}})["'])?"#
    ))
});
static METHOD: LazyLock<Regex> = LazyLock::new(|| {
    pattern::unicode(&format!(
        r"(?:Path\(\s*{NAME_OR_TEXT}\s*\)|\b([A-Za-z_][A-Za-z0-9_]*))\.(write_text|write_bytes|read_text|read_bytes|unlink)\("
    ))
});
static CALL: LazyLock<Regex> = LazyLock::new(|| {
    pattern::unicode(&format!(
        r"\b(os\.remove|os\.unlink|writeFileSync|writeFile|appendFileSync|unlinkSync|rmSync|readFileSync|readFile|File\.write|IO\.write|File\.read|file_put_contents|file_get_contents|Bun\.write)\(\s*{NAME_OR_TEXT}"
    ))
});

static PAIR: LazyLock<Regex> = LazyLock::new(|| {
    pattern::unicode(&format!(
        r"\b(shutil\.copy2?|shutil\.copyfile|shutil\.move|os\.rename|os\.replace|renameSync|copyFileSync|File\.rename|FileUtils\.mv|FileUtils\.cp)\(\s*{NAME_OR_TEXT}\s*,\s*{NAME_OR_TEXT}"
    ))
});
/// What follows a path's first piece: `/ "next"`.
static PIECE: LazyLock<Regex> =
    LazyLock::new(|| pattern::unicode(r#"^\s*\)?\s*/\s*[rbu]?["']([^"'\n]{1,300})["']"#));
static REPLACED: LazyLock<Regex> = LazyLock::new(|| {
    pattern::unicode(
        r#"\.replace(?:All)?\(\s*(?:r?"([^"\n]{1,200})"|r?'([^'\n]{1,200})')\s*,\s*(?:r?"([^"\n]{0,200})"|r?'([^'\n]{0,200})')"#,
    )
});

/// One thing that a script does to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct FileUse {
    /// The action.
    pub op: Op,
    /// The path as written.
    pub path: String,
    /// The path before a move.
    pub from: Option<String>,
}

/// The replacements of texts that a script names, in words; `None` when it names none.
pub(super) fn replacements_in(script: &str) -> Option<String> {
    let script = head(script, SEARCHED);
    if !script.contains("replace") {
        return None;
    }
    let mut told: Vec<String> = Vec::new();
    for one in REPLACED.captures_iter(script).take(MAX_FILES) {
        let side = |a: usize, b: usize| one.get(a).or_else(|| one.get(b)).map_or("", |m| m.as_str().trim());
        let (old, new) = (side(1, 2), side(3, 4));
        let short = |text: &str| crate::ledger::line::clip_bytes(text, 40);
        if !old.is_empty() && told.len() < 4 {
            told.push(format!("{} → {}", short(old), short(new)));
        }
    }
    (!told.is_empty()).then(|| told.join("; "))
}

/// The files that a script reads or changes, in order.
pub(in super::super) fn file_uses_in(script: &str) -> Vec<FileUse> {
    let script = head(script, SEARCHED);
    if ![
        "open(", "write_text", "write_bytes", "unlink", "remove(", "write", "put_contents", "copy", "move(",
        "rename", "replace(",
    ]
    .iter()
    .any(|w| script.contains(w))
    {
        return Vec::new();
    }
    let mut variables: BTreeMap<&str, String> = BTreeMap::new();
    for found in VARIABLE.captures_iter(script) {
        if let (Some(name), Some(value)) = (found.get(1), found.get(2)) {
            let mut path = value.as_str().to_owned();
            let mut at = value.end() + 1;
            while let Some(piece) = script.get(at..).and_then(|rest| PIECE.captures(rest))
                && let (Some(all), Some(next)) = (piece.get(0), piece.get(1))
                && path.len() < 1_000
            {
                path = format!("{}/{}", path.trim_end_matches('/'), next.as_str());
                at += all.end();
            }
            variables.insert(name.as_str(), path);
        }
    }
    let named = |found: &Captures<'_>, name: usize, text: usize| -> Option<String> {
        let path = match (found.get(name), found.get(text)) {
            (_, Some(text)) => text.as_str(),
            (Some(name), None) => variables.get(name.as_str())?,
            (None, None) => return None,
        };
        paths::is_shell_file(path).then(|| path.to_owned())
    };
    let use_at =
        |one: &Captures<'_>, op: Op, path: Option<String>| Some((one.get(0)?.start(), op, path?, None));
    let mut found: Vec<(usize, Op, String, Option<String>)> = Vec::new();
    for one in OPEN.captures_iter(script).take(MAX_FILES) {
        let mode = one.get(3).map_or("r", |m| m.as_str());
        let op = if mode.contains('+') {
            Op::Modify
        } else if mode.contains(['w', 'x']) {
            Op::Write
        } else if mode.contains('a') {
            Op::Append
        } else {
            Op::Read
        };
        found.extend(use_at(&one, op, named(&one, 1, 2)));
    }
    for one in METHOD.captures_iter(script).take(MAX_FILES) {
        let op = match one.get(4).map_or("", |m| m.as_str()) {
            "write_text" | "write_bytes" => Op::Write,
            "unlink" => Op::Delete,
            _ => Op::Read,
        };
        let path = named(&one, 1, 2).or_else(|| named(&one, 3, usize::MAX));
        found.extend(use_at(&one, op, path));
    }
    for one in CALL.captures_iter(script).take(MAX_FILES) {
        let op = match one.get(1).map_or("", |m| m.as_str()) {
            "os.remove" | "os.unlink" | "unlinkSync" | "rmSync" => Op::Delete,
            "readFileSync" | "readFile" | "File.read" | "file_get_contents" => Op::Read,
            "appendFileSync" => Op::Append,
            _ => Op::Write,
        };
        found.extend(use_at(&one, op, named(&one, 2, 3)));
    }
    for one in PAIR.captures_iter(script).take(MAX_FILES) {
        let (Some(all), Some(call)) = (one.get(0), one.get(1)) else { continue };
        let (Some(from), Some(to)) = (named(&one, 2, 3), named(&one, 4, 5)) else { continue };
        if call.as_str().contains("cop") || call.as_str().ends_with("cp") {
            found.push((all.start(), Op::Read, from, None));
            found.push((all.start(), Op::Copy, to, None));
        } else {
            found.push((all.start(), Op::Move, to, Some(from)));
        }
    }
    // `p.write_text(p.read_text()…)` reads before it writes.
    let reads: Vec<(usize, String)> =
        found.iter().filter(|f| f.1 == Op::Read).map(|f| (f.0, f.2.clone())).collect();
    for (at, op, path, _) in found.iter_mut().filter(|f| f.1 == Op::Write) {
        let end = script.get(*at..).and_then(|rest| rest.find('\n')).map_or(script.len(), |n| *at + n);
        if reads.iter().any(|(r, p)| (*at..end).contains(r) && p == path) {
            *op = Op::Modify;
        }
    }
    found.sort_by_key(|(at, ..)| *at);
    found.into_iter().take(MAX_FILES).map(|(_, op, path, from)| FileUse { op, path, from }).collect()
}

/// The files that a script both reads and rewrites: what it edits when it is run.
pub(in super::super) fn edits_in(script: &str) -> Vec<String> {
    let all = file_uses_in(script);
    let mut edited: Vec<String> = Vec::new();
    for FileUse { op, path, .. } in &all {
        let changes = matches!(op, Op::Write | Op::Append | Op::Modify);
        let read = *op == Op::Modify || all.iter().any(|w| w.op == Op::Read && w.path == *path);
        if changes && read && !edited.contains(path) {
            edited.push(path.clone());
        }
    }
    edited
}
