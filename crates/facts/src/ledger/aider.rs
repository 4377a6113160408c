//! Tool uses of aider: edits that its console reports as applied, and commands that its user ran.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::json;

use super::invocation::Invocation;
use super::line::{head, lines};
use super::prose;
use super::reading::Reading;
use super::tools::{AIDER_ADDED, AIDER_EDIT};
use anchord_messages::message::Role;

/// The most lines of a console message that are read.
const MAX_LINES: usize = 20_000;
/// The longest text of one edit that is kept for its description, in bytes.
const EDIT_BYTES: usize = 16 * 1024;
/// The most blocks of one file that are kept for one applied edit.
const MAX_BLOCKS: usize = 20;

/// The tool uses in a console message.
pub(super) fn console<'a>(span: &'a [Reading<'_>], at: usize, text: &'a str) -> Vec<Invocation<'a>> {
    let Some(said) = span.get(at) else { return Vec::new() };
    let mut uses = Vec::new();
    if let Some(command) = asked_command(span, at) {
        let mut one = Invocation::shell(Cow::Borrowed(command), said.seq);
        // The console puts the mark of its own lines in front of a command's output, too.
        one.answer(prose::without_console_marks(text), None, said.seq);
        uses.push(one);
    }
    let mut edits: Option<BTreeMap<&'a str, Vec<Block<'a>>>> = None;
    for line in lines(text).take(MAX_LINES) {
        let Some(line) = line.strip_prefix("> ") else { continue };
        let line = line.trim();
        // The console creates an empty file for every name that a person adds, even a mistyped one: only an applied
        // edit is evidence of a change.
        let (tool, path) = if let Some(path) = line.strip_prefix("Applied edit to ") {
            (AIDER_EDIT, path)
        } else if let Some(path) = added(line) {
            (AIDER_ADDED, path)
        } else {
            continue;
        };
        if path.is_empty() || path.len() > 1024 {
            continue;
        }
        let arguments = if tool == AIDER_EDIT {
            let blocks = edits.get_or_insert_with(|| proposed(span, at));
            let own: Vec<_> = blocks
                // A second report of the same file has the same edits.
                .remove(path)
                .into_iter()
                .flatten()
                .take(MAX_BLOCKS)
                .map(|b| json!({"old_string": head(b.search, EDIT_BYTES), "new_string": head(b.replace, EDIT_BYTES)}))
                .collect();
            json!({"path": path, "edits": own})
        } else {
            json!({"path": path})
        };
        let mut one = Invocation::pending(Cow::Borrowed(tool), Cow::Owned(arguments.to_string()), said.seq);
        one.output = Some(Cow::Borrowed(""));
        one.failed = Some(false);
        one.result_seq = Some(said.seq);
        uses.push(one);
    }
    uses
}

fn added(line: &str) -> Option<&str> {
    let told = line.strip_prefix("Added ")?.trim_end_matches('.');
    let path = [" to the chat", " to read-only files"].iter().find_map(|end| told.strip_suffix(end))?;
    Some(path).filter(|p| !p.ends_with(" files"))
}

/// The command of `/run …`, `/test …` or `!…` in the message before.
fn asked_command<'r>(span: &'r [Reading<'_>], at: usize) -> Option<&'r str> {
    let before = span.get(at.checked_sub(1)?)?;
    if before.message.role != Role::User || before.message.name.is_some() {
        return None;
    }
    let text = before.text().trim();
    let command = text
        .strip_prefix("/run ")
        .or_else(|| text.strip_prefix("/test "))
        .or_else(|| text.strip_prefix('!'))?;
    Some(command.trim()).filter(|c| !c.is_empty() && !c.contains('\n'))
}

/// A SEARCH/REPLACE block; `search` is empty for a whole file.
struct Block<'a> {
    path: &'a str,
    search: &'a str,
    replace: &'a str,
}

/// The edits that the latest assistant message before `at` proposes, by path, so that many files are found in one pass.
fn proposed<'r>(span: &'r [Reading<'_>], at: usize) -> BTreeMap<&'r str, Vec<Block<'r>>> {
    let said = span.get(..at).unwrap_or(&[]).iter().rev().take(4).find(|n| n.message.role == Role::Assistant);
    let Some(said) = said else { return BTreeMap::new() };
    let mut by_path: BTreeMap<&str, Vec<Block<'_>>> = BTreeMap::new();
    for block in blocks(said.text()) {
        let own = by_path.entry(block.path).or_default();
        if own.len() < MAX_BLOCKS {
            own.push(block);
        }
    }
    by_path
}

fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut found = Vec::new();
    // The last line that was not a fence: the file's name is directly above the block, or above the fence that opens
    // it.
    let mut path = "";
    let mut state = At::Text;
    let mut offset = 0;
    let (mut search_from, mut search_to, mut replace_from) = (0, 0, 0);
    for line in text.split_inclusive('\n') {
        let start = offset;
        offset += line.len();
        let bare = line.trim_end();
        match state {
            At::Text | At::Fence(_) | At::After if bare.starts_with("<<<<<<< SEARCH") => {
                state = At::Search;
                search_from = offset;
            }
            At::Text if bare.starts_with("```") => {
                state = At::Fence(offset);
            }
            At::Fence(from) if bare.starts_with("```") => {
                let replace = text.get(from..start).unwrap_or("");
                if !path.is_empty() {
                    found.push(Block { path, search: "", replace });
                }
                state = At::Text;
            }
            At::Search if bare.starts_with("=======") => {
                state = At::Replace;
                search_to = start;
                replace_from = offset;
            }
            At::Replace if bare.starts_with(">>>>>>> REPLACE") => {
                state = At::After;
                let search = text.get(search_from..search_to).unwrap_or("");
                let replace = text.get(replace_from..start).unwrap_or("");
                if !path.is_empty() {
                    found.push(Block { path, search, replace });
                }
            }
            At::After if bare.starts_with("```") => state = At::Text,
            At::Text => {
                let name = bare.trim().trim_matches(|c| matches!(c, '*' | '`' | '#' | ':' | ' '));
                if !name.is_empty() && !name.contains(' ') {
                    path = name;
                }
            }
            At::Fence(_) | At::Search | At::Replace | At::After => {}
        }
    }
    found
}

#[derive(Clone, Copy)]
enum At {
    Text,
    Fence(usize),
    Search,
    Replace,
    After,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TOKENS: &[&str] = &[
        "src/a.rs\n", "**b.md**\n", "c d.txt\n", "```\n", "```python\n", "<<<<<<< SEARCH\n", "=======\n",
        ">>>>>>> REPLACE\n", "x = 1\n", "\n", "é.py\n", "汉", "<<<<<<<", " ",
    ];

    fn text() -> impl Strategy<Value = String> {
        (prop::collection::vec(prop::sample::select(TOKENS), 0..60), 0..12_usize).prop_map(|(tokens, cut)| {
            let text = tokens.concat();
            text[..text.floor_char_boundary(text.len().saturating_sub(cut))].to_owned()
        })
    }

    fn size(blocks: &[Block<'_>]) -> usize {
        blocks.iter().map(|b| b.search.len() + b.replace.len()).sum()
    }

    proptest! {
        #[test]
        fn blocks_are_parts_of_their_text_and_never_overlap(text in text()) {
            let found = blocks(&text);
            prop_assert!(size(&found) <= text.len());
            for block in &found {
                prop_assert!(text.contains(block.path) && !block.path.is_empty());
            }
            let twice = text.repeat(2);
            let again = blocks(&twice);
            prop_assert!(2 * again.len() <= twice.lines().count() && size(&again) <= twice.len());
        }

        #[test]
        fn a_block_that_is_whole_is_read_whole(
            path in "[a-z]{1,8}/[a-zé]{1,8}\\.rs",
            search in "([a-z ]{0,12}\n){0,4}",
            replace in "([a-z 汉]{0,12}\n){0,4}",
            fenced in any::<bool>(),
        ) {
            let fence = if fenced { "```rust\n" } else { "" };
            let close = if fenced { "```\n" } else { "" };
            let text = format!("Some words.\n\n{path}\n{fence}<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n{close}");
            let found = blocks(&text);
            prop_assert_eq!(found.len(), 1);
            prop_assert_eq!((found[0].path, found[0].search, found[0].replace), (path.as_str(), search.as_str(), replace.as_str()));
        }

        #[test]
        fn no_console_names_a_file_that_it_does_not_show(text in text(), lines in prop::collection::vec(prop::sample::select(vec![
            "> Applied edit to src/a.rs\n", "> Applied edit to b.md  \n", "> Applied edit to\n", "> Added c.txt to the chat.\n", "> 1 passed\n", ">",
        ]), 0..20)) {
            let console_text = lines.concat();
            let talk = super::super::tests::Talk::new().assistant(&text).aider(&console_text);
            for file in talk.facts().files {
                prop_assert!(console_text.contains(&file.path), "{}", file.path);
            }
        }
    }
}
