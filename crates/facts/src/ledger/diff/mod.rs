//! Parses patches into their files, and describes edits in words.

use std::collections::BTreeMap;

use super::event::Act;
use super::line::{clip_bytes, head};
use super::paths;
use definitions::name_in;

mod definitions;

/// One file of a patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PatchedFile {
    /// Its path after the patch.
    pub path: String,
    /// Its path before, when the patch renames it.
    pub from: Option<String>,
    /// The patch's effect on it.
    pub act: Act,
    /// The removed lines, and context.
    pub old: String,
    /// The added lines, and context.
    pub new: String,
}

/// The most files of one patch.
const MAX_FILES: usize = 1_000;
/// The longest old or new text that is kept of one file, in bytes.
const SIDE_BYTES: usize = 64 * 1024;

/// Parses a patch: the `*** Begin Patch` form or a unified diff. Broken parts are skipped.
pub(super) fn read(text: &str) -> Vec<PatchedFile> {
    if text.contains("*** Begin Patch") || text.contains("*** Update File: ") {
        envelope(text)
    } else {
        unified(text)
    }
}

fn start(path: &str, act: Act) -> PatchedFile {
    PatchedFile { path: path.trim().to_owned(), from: None, act, old: String::new(), new: String::new() }
}

fn keep(side: &mut String, line: &str) {
    if side.len() + line.len() < SIDE_BYTES {
        side.push_str(line);
        side.push('\n');
    }
}

fn envelope(text: &str) -> Vec<PatchedFile> {
    let mut files: Vec<PatchedFile> = Vec::new();
    for line in text.lines() {
        let marked = [
            ("*** Add File: ", Act::Create),
            ("*** Update File: ", Act::Modify),
            ("*** Delete File: ", Act::Delete),
        ]
        .into_iter()
        .find_map(|(mark, act)| line.strip_prefix(mark).map(|path| start(path, act)));
        if let Some(file) = marked {
            if files.len() < MAX_FILES {
                files.push(file);
            }
            continue;
        }
        let Some(file) = files.last_mut() else { continue };
        if let Some(to) = line.strip_prefix("*** Move to: ") {
            file.from = Some(std::mem::replace(&mut file.path, to.trim().to_owned()));
        } else if let Some(added) = line.strip_prefix('+') {
            keep(&mut file.new, added);
        } else if let Some(removed) = line.strip_prefix('-') {
            keep(&mut file.old, removed);
        } else if !line.starts_with("*** ") {
            let context = line.strip_prefix("@@").or_else(|| line.strip_prefix(' ')).unwrap_or(line);
            keep(&mut file.old, context);
            keep(&mut file.new, context);
        }
    }
    files.retain(|f| paths::is_file_name(&f.path));
    files
}

fn unified(text: &str) -> Vec<PatchedFile> {
    let mut files: Vec<PatchedFile> = Vec::new();
    // Whether the latest file came from a `diff --git` line whose `---` and `+++` lines are still to come.
    let mut headed = false;
    let mut before = "";
    let mut hunk = false;
    for line in text.lines() {
        if let Some(names) = line.strip_prefix("diff --git ") {
            hunk = false;
            headed = false;
            if let Some(path) = git_names(names)
                && files.len() < MAX_FILES
            {
                files.push(start(path, Act::Modify));
                headed = true;
            }
            continue;
        }
        if !hunk && let Some(old) = line.strip_prefix("--- ") {
            before = side_name(old);
            continue;
        }
        if !hunk && let Some(new) = line.strip_prefix("+++ ") {
            let after = side_name(new);
            if !headed && files.len() < MAX_FILES {
                files.push(start(if after == "/dev/null" { before } else { after }, Act::Modify));
            }
            if let Some(file) = files.last_mut() {
                if before == "/dev/null" {
                    file.act = Act::Create;
                } else if after == "/dev/null" {
                    file.act = Act::Delete;
                }
            }
            continue;
        }
        let Some(file) = files.last_mut() else { continue };
        if let Some(context) = line.strip_prefix("@@ ") {
            hunk = true;
            if let Some((_, place)) = context.split_once(" @@") {
                keep(&mut file.old, place.trim());
                keep(&mut file.new, place.trim());
            }
        } else if !hunk {
            if line.starts_with("new file mode") {
                file.act = Act::Create;
            } else if line.starts_with("deleted file mode") {
                file.act = Act::Delete;
            } else if let Some(from) = line.strip_prefix("rename from ") {
                file.from = Some(from.trim().to_owned());
            }
        } else if let Some(added) = line.strip_prefix('+') {
            keep(&mut file.new, added);
        } else if let Some(removed) = line.strip_prefix('-') {
            if line == "-- " {
                hunk = false;
            }
            // In a diff without `diff --git` lines, the next file begins in what looks like a hunk.
            if let Some(old) = removed.strip_prefix("-- ")
                && !headed
            {
                before = side_name(old);
                hunk = false;
                continue;
            }
            keep(&mut file.old, removed);
        } else if let Some(context) = line.strip_prefix(' ') {
            keep(&mut file.old, context);
            keep(&mut file.new, context);
        }
    }
    files.retain(|f| paths::is_file_name(&f.path));
    files
}

fn git_names(names: &str) -> Option<&str> {
    let at = names.rfind(" b/")?;
    names.get(at + 3..).map(|p| p.trim_end_matches('"'))
}

fn side_name(text: &str) -> &str {
    let name = text.split('\t').next().unwrap_or(text).trim().trim_matches('"');
    name.strip_prefix("a/").or_else(|| name.strip_prefix("b/")).unwrap_or(name)
}

/// The most lines of one edit that are compared.
const MAX_LINES: usize = 4_000;
/// The longest description of one change, in bytes.
pub(super) const WORDING_BYTES: usize = 120;

/// Describes an edit: the definitions added, removed and changed; else a short line before and after, the enclosing
/// definition, or the names in it. `None` when there is nothing that says more than that the file was changed.
pub(super) fn wording(path: &str, old: &str, new: &str) -> Option<String> {
    if old == new {
        return None;
    }
    let kind = paths::extension(path);
    let before: Vec<&str> = old.lines().take(MAX_LINES).collect();
    let after: Vec<&str> = new.lines().take(MAX_LINES).collect();
    let mut counts: BTreeMap<&str, i64> = BTreeMap::new();
    for line in &before {
        *counts.entry(line.trim_end()).or_default() -= 1;
    }
    for line in &after {
        *counts.entry(line.trim_end()).or_default() += 1;
    }
    let added = only(&after, &mut counts.clone(), 1);
    let removed = only(&before, &mut counts, -1);
    let names = |lines: &[&str]| -> Vec<String> {
        let mut names = Vec::new();
        for line in lines {
            if let Some(name) = name_in(line, &kind)
                && !names.contains(&name)
                && names.len() < 40
            {
                names.push(name);
            }
        }
        names
    };
    let (gained, lost) = (names(&added), names(&removed));
    let both: Vec<&str> = gained.iter().filter(|n| lost.contains(n)).map(String::as_str).collect();
    let gained_only: Vec<&str> = gained.iter().filter(|n| !lost.contains(n)).map(String::as_str).collect();
    let lost_only: Vec<&str> = lost.iter().filter(|n| !gained.contains(n)).map(String::as_str).collect();
    let mut parts = Vec::new();
    if let Some(line) = one_line(&added, &removed) {
        parts.push(line);
    } else {
        for (verb, names) in [("added", &gained_only), ("changed", &both), ("removed", &lost_only)] {
            if !names.is_empty() {
                parts.push(format!("{verb} {}", listed(names)));
            }
        }
    }
    if added.iter().chain(&removed).any(|l| l.starts_with("<<<<<<< ")) {
        parts.insert(0, "resolved a merge conflict".to_owned());
    }
    if parts.is_empty() {
        parts.extend(small(&added, &removed, &before, &after, &kind));
    }
    // A single name only says where; the new or removed words say what.
    if let [] | [_] = parts.as_slice()
        && parts.first().is_none_or(|only| only.starts_with("changed "))
    {
        let names = new_words(&added, old);
        let names = if names.is_empty() { new_words(&removed, new) } else { names };
        let only = parts.pop();
        let is_new = |name: &&str| only.as_ref().is_none_or(|only| !only.contains(name));
        let said: Vec<&str> = names.into_iter().filter(is_new).take(3).collect();
        parts.extend(match (only, said.is_empty()) {
            (only, true) => only,
            (Some(only), false) => Some(format!("{only}: {}", said.join(", "))),
            (None, false) => Some(format!("changed {}", said.join(", "))),
        });
    }
    Some(clip_bytes(&parts.join("; "), WORDING_BYTES)).filter(|words| !matches!(words.as_str(), "" | "…"))
}

/// The surplus lines of one side, each as often as the other side lacks it.
fn only<'l>(lines: &[&'l str], counts: &mut BTreeMap<&'l str, i64>, sign: i64) -> Vec<&'l str> {
    let mut found = Vec::new();
    for line in lines {
        let line = line.trim_end();
        if let Some(count) = counts.get_mut(line)
            && *count * sign > 0
        {
            *count -= sign;
            if !line.trim().is_empty() {
                found.push(line);
            }
        }
    }
    found
}

/// A one-line change with the line before and after, which says more than the name that it defines.
fn one_line(added: &[&str], removed: &[&str]) -> Option<String> {
    let short = |line: &str| line.trim().chars().count() <= 48;
    match (added, removed) {
        ([new], [old]) if short(new) && short(old) => Some(format!("{} → {}", old.trim(), new.trim())),
        _ => None,
    }
}

/// Describes an edit that touches no definition: by its only line, or by the enclosing definition.
fn small(added: &[&str], removed: &[&str], before: &[&str], after: &[&str], kind: &str) -> Option<String> {
    if let ([new], []) = (added, removed) {
        return told("added", new);
    }
    if let ([], [old]) = (added, removed) {
        return told("removed", old);
    }
    // A bracket alone says nothing, an import little, a comment less than code.
    let tells = |l: &&&str| {
        l.chars().filter(|c| c.is_alphanumeric()).count() > 2
            && !l.starts_with("<<<<<<< ")
            && !l.starts_with(">>>>>>> ")
    };
    let code = |l: &&&str| {
        let text = l.trim_start();
        tells(l) && !text.starts_with(['#', '*']) && !text.starts_with("//") && !is_import(text)
    };
    let first = |lines: &'_ [&'_ str]| -> Option<usize> {
        lines.iter().position(|l| code(&l)).or_else(|| lines.iter().position(|l| tells(&l)))
    };
    let (all, line, verb) = match (first(added), first(removed)) {
        (Some(at), None) => (after, *added.get(at)?, "added"),
        (Some(at), Some(_)) => (after, *added.get(at)?, "changed"),
        (None, Some(at)) => (before, *removed.get(at)?, "removed"),
        (None, None) => return None,
    };
    let at = all.iter().position(|l| l.trim_end() == line)?;
    let place = all.iter().take(at).rev().find_map(|l| name_in(l, kind));
    match place {
        Some(name) => Some(format!("changed {name}")),
        None => told(verb, line),
    }
}

/// A line that was added, changed or removed, unless it is a piece of code that says nothing alone.
fn told(verb: &str, line: &str) -> Option<String> {
    const LONGEST_CODE: usize = 48;
    // An import says less than the names that come with it.
    if is_import(line.trim_start()) {
        return None;
    }
    let line = line.trim().trim_end_matches([',', ';']);
    let is_code = line.ends_with([';', '{', '}', '(', ')', '[', ',']) || line.contains([';', '=']);
    (!is_code || line.len() <= LONGEST_CODE && !line.ends_with(['{', '}', '(', '[']))
        .then(|| format!("{verb} {}", clip_bytes(line, 80)))
}

fn is_import(text: &str) -> bool {
    ["import ", "from ", "use ", "#include", "using ", "require ", "package "]
        .iter()
        .any(|w| text.starts_with(w))
}

/// The most bytes of the other side that are searched for words.
const OTHER_SIDE: usize = 16 * 1024;
/// The most words that are searched for there.
const ASKED: usize = 60;

/// The identifiers and options in the lines that the other side lacks, in order of appearance, without common words.
fn new_words<'l>(lines: &[&'l str], other: &str) -> Vec<&'l str> {
    let other = head(other, OTHER_SIDE);
    let mut found: Vec<&str> = Vec::new();
    let mut asked = 0;
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let lines = lines.iter().take(40).map(|l| head(l, 300)).filter(|l| !is_import(l.trim_start()));
    // `\n` in a text is no letter of the word behind it.
    let pieces = lines.flat_map(|l| {
        ["\\n", "\\t"]
            .iter()
            .fold(vec![l], |pieces, sign| pieces.into_iter().flat_map(|piece| piece.split(sign)).collect())
    });
    for word in pieces.flat_map(|l| l.split(|c: char| !part(c))) {
        let bare = word.trim_matches('-');
        let inner = bare.chars().skip(1).any(char::is_uppercase) && bare.chars().any(char::is_lowercase);
        let telling = word.starts_with("--") || bare.trim_matches('_').contains('_') || inner;
        let word = if word.starts_with("--") { word } else { bare };
        if !telling || !(4..=40).contains(&bare.len()) || found.contains(&word) {
            continue;
        }
        asked += 1;
        if !other.contains(bare) {
            found.push(word);
        }
        if found.len() >= 6 || asked >= ASKED {
            break;
        }
    }
    found
}

/// The most bytes that one list of names takes.
const LISTED_BYTES: usize = 64;

/// As many names as fit, joined, and the number of the others.
fn listed(names: &[&str]) -> String {
    let mut text = String::new();
    for (at, name) in names.iter().enumerate() {
        if at > 0 && text.len() + name.len() > LISTED_BYTES {
            return format!("{text} and {} more", names.len() - at);
        }
        if at > 0 {
            text.push_str(", ");
        }
        text.push_str(name);
    }
    text
}
