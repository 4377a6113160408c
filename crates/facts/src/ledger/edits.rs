//! Describes the edits in a tool's arguments in words.

use serde_json::{Map, Value};

use super::line::head;
use super::{diff, tools};

/// The longest text that is compared for a description, in bytes.
pub(super) const WORDED: usize = 256 * 1024;

/// A description of what the edits in a call's arguments change.
pub(super) fn wording_of(path: &str, arguments: &Map<String, Value>) -> Option<String> {
    let edits = tools::edits_in(arguments, path);
    if let [(old, new)] = *edits {
        if old.is_empty() && (new.contains("<<<<<<< SEARCH") || new.contains("------- SEARCH")) {
            let (old, new) = sides(head(new, WORDED));
            return diff::wording(path, &old, &new);
        }
        return diff::wording(path, head(old, WORDED), head(new, WORDED));
    }
    let (mut old, mut new) = (String::new(), String::new());
    for (before, after) in edits {
        if old.len() + new.len() > WORDED {
            break;
        }
        old.push_str(head(before, WORDED));
        old.push('\n');
        new.push_str(head(after, WORDED));
        new.push('\n');
    }
    diff::wording(path, &old, &new)
}

/// The old and the new text of the SEARCH/REPLACE blocks in one argument.
fn sides(text: &str) -> (String, String) {
    let (mut old, mut new) = (String::new(), String::new());
    let mut side = 0;
    for line in text.lines() {
        if line.ends_with(" SEARCH") && line.starts_with(['<', '-']) {
            side = 1;
        } else if line.starts_with("=======") {
            side = 2;
        } else if line.ends_with(" REPLACE") && line.starts_with(['>', '+']) {
            side = 0;
        } else if line.starts_with(":start_line:") || line.starts_with(":end_line:") || line == "-------" {
        } else if side == 1 {
            old.push_str(line);
            old.push('\n');
        } else if side == 2 {
            new.push_str(line);
            new.push('\n');
        }
    }
    (old, new)
}
