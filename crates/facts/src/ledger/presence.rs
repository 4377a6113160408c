//! Evidence that a file existed or not before the session writes it: folder listings, and reads that did not find it.

use std::collections::BTreeSet;

use memchr::memmem;

use super::invocation::Invocation;
use super::line::head;
use super::paths;

/// The most listings of a span that are kept, the latest ones.
const MAX_LISTINGS: usize = 64;
/// The longest part of a listing that is kept, in bytes.
const LISTING_BYTES: usize = 64 * 1024;
/// The most bytes of listings that one span searches; after that, listings are ignored.
const BUDGET: usize = 8 * 1024 * 1024;
/// The most missing paths that are kept.
const MAX_ABSENT: usize = 1_000;

/// The evidence so far.
#[derive(Debug, Default)]
pub(super) struct Presence<'u> {
    /// The listings, each with the folder that contains its bare names.
    listings: Vec<(String, &'u str)>,
    absent: BTreeSet<String>,
    searched: usize,
}

impl<'u> Presence<'u> {
    /// Adds the output of a tool use, if it lists files.
    pub(super) fn hear(&mut self, one: &'u Invocation<'_>) {
        let Some(output) = one.output.as_deref() else { return };
        if one.failed == Some(true) || output.is_empty() {
            return;
        }
        let Some(folder) = listed_folder(one) else { return };
        if self.listings.len() >= MAX_LISTINGS {
            self.listings.remove(0);
        }
        self.listings.push((folder, head(output, LISTING_BYTES)));
    }

    /// Adds a file that a read did not find.
    pub(super) fn missing(&mut self, full: String) {
        if self.absent.len() < MAX_ABSENT {
            self.absent.insert(full);
        }
    }

    /// Whether a read did not find the file; the note is removed, because the file is being written now.
    pub(super) fn was_missing(&mut self, full: &str) -> bool {
        self.absent.remove(full)
    }

    /// Whether a listing contains the file.
    pub(super) fn was_listed(&mut self, full: &str) -> bool {
        let (folder, name) = full.rsplit_once('/').unwrap_or(("", full));
        if name.len() < 2 {
            return false;
        }
        for (base, text) in self.listings.iter().rev() {
            if self.searched > BUDGET {
                return false;
            }
            self.searched += text.len();
            let names = |line: &str| {
                let token = line.split_whitespace().next_back().unwrap_or("");
                let token = token.trim_matches(['"', '\'', '*', ',', '`']).trim_start_matches("./");
                if token == name {
                    return base == folder;
                }
                token == full || token.contains('/') && full.ends_with(token) && ends_at_folder(full, token)
            };
            let mut from = 0;
            for at in memmem::find_iter(text.as_bytes(), name.as_bytes()).take(200) {
                if at < from {
                    continue;
                }
                let start = text.get(..at).and_then(|t| t.rfind('\n')).map_or(0, |n| n + 1);
                let line = text.get(start..).and_then(|t| t.lines().next()).unwrap_or("");
                from = start + line.len();
                if names(head(line, 2_000)) {
                    return true;
                }
            }
        }
        false
    }
}

fn ends_at_folder(full: &str, tail: &str) -> bool {
    full.len() == tail.len()
        || full.get(..full.len() - tail.len()).is_some_and(|before| before.ends_with('/'))
}

/// The folder that a tool use lists, empty when unknown; `None` when it lists none.
fn listed_folder(one: &Invocation<'_>) -> Option<String> {
    let here = || one.cwd.clone().unwrap_or_default();
    let Some(pipelines) = one.pipelines() else {
        let tool = one.tool.to_ascii_lowercase();
        let lists =
            ["glob", "ls", "list_dir", "list_directory", "list_files", "file_search", "find", "find_file"];
        return lists.contains(&tool.as_str()).then(here);
    };
    let [only] = pipelines.as_slice() else { return None };
    let first = only.commands.first()?;
    match first.program() {
        "ls" | "dir" => {
            let folder = first.args().iter().find(|a| !a.starts_with('-'));
            Some(folder.map_or_else(here, |f| paths::join(one.cwd.as_deref(), f)))
        }
        "find" | "fd" | "tree" => Some(here()),
        "git" if matches!(first.word(1), "ls-files" | "status") => Some(here()),
        "rg" if first.args().iter().any(|a| **a == *"--files") => Some(here()),
        _ => None,
    }
}
