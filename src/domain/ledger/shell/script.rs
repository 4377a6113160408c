//! Files that a short script plainly reads and writes (`open('f', 'w')`, `Path('f').write_text`,
//! `fs.writeFileSync('f', …)`), as agents write them to edit files.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::effects::Op;
use crate::domain::ledger::outcome::head;
use crate::domain::ledger::paths;

/// How much of a script is searched.
const SEARCHED: usize = 64 * 1024;
/// The most files of one script.
const MAX_FILES: usize = 50;

const NAME_OR_TEXT: &str = r#"(?:([A-Za-z_][A-Za-z0-9_]*)|[rbu]?["'`]([^"'`\n]{1,300})["'`])"#;

fn compiled(pattern: &str) -> Option<Regex> {
    Regex::new(pattern).ok()
}

static VARIABLE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    compiled(
        r#"(?m)^\s*(?:const |let |var )?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(?:(?:pathlib\.)?Path\(\s*)?[rbu]?["'`]([^"'`\n]{1,300})["'`]"#,
    )
});
static OPEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    compiled(&format!(r#"\bopen\(\s*{NAME_OR_TEXT}\s*(?:,\s*(?:mode\s*=\s*)?["']([rwaxbtU+]{{1,4}})["'])?"#))
});
static METHOD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    compiled(&format!(
        r"(?:Path\(\s*{NAME_OR_TEXT}\s*\)|\b([A-Za-z_][A-Za-z0-9_]*))\.(write_text|write_bytes|read_text|read_bytes|unlink)\("
    ))
});
static CALL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    compiled(&format!(
        r"\b(os\.remove|os\.unlink|writeFileSync|writeFile|appendFileSync|unlinkSync|rmSync|readFileSync|readFile|File\.write|IO\.write|File\.read|file_put_contents|file_get_contents|Bun\.write)\(\s*{NAME_OR_TEXT}"
    ))
});

/// The files that a script reads or changes, in order.
pub(in super::super) fn writes_in(script: &str) -> Vec<(Op, String)> {
    let script = head(script, SEARCHED);
    if !["open(", "write_text", "write_bytes", "unlink", "remove(", "write", "put_contents"]
        .iter()
        .any(|w| script.contains(w))
    {
        return Vec::new();
    }
    let mut variables: BTreeMap<&str, &str> = BTreeMap::new();
    for found in VARIABLE.iter().flat_map(|r| r.captures_iter(script)) {
        if let (Some(name), Some(value)) = (found.get(1), found.get(2)) {
            variables.insert(name.as_str(), value.as_str());
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
    let mut found: Vec<(usize, Op, String)> = Vec::new();
    for one in OPEN.iter().flat_map(|r| r.captures_iter(script)).take(MAX_FILES) {
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
        if let (Some(path), Some(all)) = (named(&one, 1, 2), one.get(0)) {
            found.push((all.start(), op, path));
        }
    }
    for one in METHOD.iter().flat_map(|r| r.captures_iter(script)).take(MAX_FILES) {
        let op = match one.get(4).map_or("", |m| m.as_str()) {
            "write_text" | "write_bytes" => Op::Write,
            "unlink" => Op::Delete,
            _ => Op::Read,
        };
        let path = named(&one, 1, 2).or_else(|| named(&one, 3, usize::MAX));
        if let (Some(path), Some(all)) = (path, one.get(0)) {
            found.push((all.start(), op, path));
        }
    }
    for one in CALL.iter().flat_map(|r| r.captures_iter(script)).take(MAX_FILES) {
        let op = match one.get(1).map_or("", |m| m.as_str()) {
            "os.remove" | "os.unlink" | "unlinkSync" | "rmSync" => Op::Delete,
            "readFileSync" | "readFile" | "File.read" | "file_get_contents" => Op::Read,
            "appendFileSync" => Op::Append,
            _ => Op::Write,
        };
        if let (Some(path), Some(all)) = (named(&one, 2, 3), one.get(0)) {
            found.push((all.start(), op, path));
        }
    }
    found.sort_by_key(|(at, ..)| *at);
    found.into_iter().take(MAX_FILES).map(|(_, op, path)| (op, path)).collect()
}

/// The files that a script both reads and rewrites: what it edits when it is run.
pub(in super::super) fn edits_in(script: &str) -> Vec<String> {
    let all = writes_in(script);
    let mut edited: Vec<String> = Vec::new();
    for (op, path) in &all {
        let changes = matches!(op, Op::Write | Op::Append | Op::Modify);
        let read = *op == Op::Modify || all.iter().any(|(o, p)| *o == Op::Read && p == path);
        if changes && read && !edited.contains(path) {
            edited.push(path.clone());
        }
    }
    edited
}
