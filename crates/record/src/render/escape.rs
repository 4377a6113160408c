//! Escapes texts of callers, which must not become Markdown structure.

use anchord_facts::wording;

/// A text on one line: no line break, no control character.
pub(super) fn line(text: &str) -> String {
    wording::one_line(text)
}

/// A text of several lines, in which no heading, fence or blank line takes effect.
pub(super) fn block(text: &str, indent: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for raw in text.lines() {
        let shown: String = raw.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let shown = shown.trim_end();
        let bare = shown.trim_start();
        if bare.is_empty() {
            continue;
        }
        if !out.is_empty() {
            out.push('\n');
            out.push_str(indent);
        }
        let structural = bare.starts_with('#')
            || bare.starts_with("```")
            || bare.starts_with("~~~")
            || bare.bytes().all(|b| b == b'=')
            || bare.bytes().all(|b| b == b'-');
        if structural {
            out.push_str(shown.get(..shown.len() - bare.len()).unwrap_or_default());
            out.push('\\');
            out.push_str(bare);
        } else {
            out.push_str(if out.is_empty() { bare } else { shown });
        }
    }
    out
}

/// The cell of a table: no line break, no bar, no backtick that could open code.
pub(super) fn cell(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in line(text).chars() {
        if matches!(c, '|' | '`') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// A path or identifier as code; as plain text if it would close the code.
pub(super) fn code(text: &str) -> String {
    let shown = line(text);
    if shown.is_empty() || shown.contains('`') { cell(text) } else { format!("`{shown}`") }
}

/// A caller's name that is safe in a heading or a path.
pub(super) fn name(text: &str) -> String {
    const MAX_CHARS: usize = 120;
    let mut out = String::with_capacity(text.len().min(MAX_CHARS * 4));
    for c in text.chars().take(MAX_CHARS) {
        let c = if c.is_alphanumeric() || "._:@+=-".contains(c) { c } else { '-' };
        // Neither `..` in a path nor a Markdown rule of dashes.
        if matches!(c, '.' | '-') && out.ends_with(c) {
            continue;
        }
        out.push(c);
    }
    let out = out.trim_matches(['-', '.']);
    if out.is_empty() { "session".to_owned() } else { out.to_owned() }
}

/// A path as every Markdown style prints it, without the backticks.
pub fn shown_path(path: &str) -> String {
    code(path).trim_matches('`').to_owned()
}

/// A text on one line, cut between words.
pub(super) fn short(text: &str, max_chars: usize) -> String {
    let line = line(text);
    let clipped = wording::clip_words(&line, max_chars);
    if clipped.len() == line.len() { line } else { format!("{clipped} …") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_no_markup_and_no_way_up() {
        assert_eq!(name("../../etc/passwd"), "etc-passwd");
        assert_eq!(name("a\n## owned <b>"), "a-owned-b");
        assert_eq!(name("AUTH-12: fix"), "AUTH-12:-fix");
        assert_eq!(name("///"), "session");
    }

    #[test]
    fn a_block_opens_no_heading_and_no_fence() {
        assert_eq!(block("a\n\n## b\n```\nx", ""), "a\n\\## b\n\\```\nx");
        assert_eq!(block("# top", "  "), "\\# top");
        assert_eq!(block("a\n---\nb", ""), "a\n\\---\nb");
    }

    #[test]
    fn a_cell_stays_one_cell() {
        assert_eq!(cell("a|b\n`c`"), "a\\|b \\`c\\`");
        assert_eq!(code("a`b"), "a\\`b");
        assert_eq!(code("src/a.rs"), "`src/a.rs`");
    }
}
