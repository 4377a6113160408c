//! A source file, with what is not code taken out.

/// A source file in the three forms that the rules look at.
pub struct Source {
    /// The path below the project's root, with slashes.
    pub path: String,
    /// The lines outside `#[cfg(test)] mod tests`.
    pub lines: usize,
    /// Without tests and comments.
    pub without_comments: String,
    /// Without tests, comments and the contents of literals.
    pub code: String,
}

impl Source {
    pub fn new(path: &str, text: &str) -> Self {
        // The tests are the end of a file, by convention.
        let own = text.find("#[cfg(test)]\nmod ").map_or(text, |at| &text[..at]);
        let (without_comments, code) = strip(own);
        Self { path: path.to_owned(), lines: own.lines().count(), without_comments, code }
    }

    /// The modules from the crate's root to this file: `src/http/auth.rs` is `["http", "auth"]`.
    pub fn module(&self) -> Vec<&str> {
        let path = self.path.trim_start_matches("src/").trim_end_matches(".rs");
        let mut parts: Vec<&str> = path.split('/').collect();
        if parts.last() == Some(&"mod") {
            parts.pop();
        }
        parts
    }
}

/// Returns the text without comments, and without comments and the contents of literals.
fn strip(text: &str) -> (String, String) {
    let (mut kept, mut code) = (String::new(), String::new());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if rest.starts_with("//") {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
        } else if rest.starts_with("/*") {
            rest = &rest[block_comment(rest)..];
        } else if let Some((open, close, length)) = literal(rest, kept.chars().last()) {
            kept.push_str(&rest[..length]);
            code.push_str(&rest[..open]);
            code.push_str(&rest[length - close..length]);
            rest = &rest[length..];
        } else {
            kept.push(first);
            code.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    (kept, code)
}

/// The length of a block comment; they nest.
fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        if text[at..].starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if text[at..].starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                return at;
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// The lengths of a literal's opening, closing and whole, when the text begins with one.
fn literal(text: &str, before: Option<char>) -> Option<(usize, usize, usize)> {
    let word_before = before.is_some_and(|c| c.is_alphanumeric() || c == '_');
    if !word_before && (text.starts_with("r\"") || text.starts_with("r#")) {
        let hashes = text[1..].chars().take_while(|c| *c == '#').count();
        if text[1 + hashes..].starts_with('"') {
            let close = format!("\"{}", "#".repeat(hashes));
            let open = hashes + 2;
            let length = text[open..].find(&close).map_or(text.len(), |at| open + at + close.len());
            return Some((open, close.len(), length));
        }
    }
    if text.starts_with('"') {
        return Some((1, 1, quoted(text, '"')?));
    }
    if let Some(inner) = text.strip_prefix('\'') {
        // A lifetime has no closing quote one (escaped) character on.
        let one = if inner.starts_with('\\') {
            quoted(text, '\'')?
        } else {
            let c = inner.chars().next()?;
            inner[c.len_utf8()..].starts_with('\'').then(|| c.len_utf8() + 2)?
        };
        return Some((1, 1, one));
    }
    None
}

/// The length of a literal between two quotes with backslash escapes.
fn quoted(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return Some(at + c.len_utf8()),
            _ => {}
        }
    }
    None
}
