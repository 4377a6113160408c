//! Finds the name that a line of code, configuration or prose defines.

use crate::ledger::line::{clip_bytes, head};
use crate::ledger::words::WORDS;

/// The name that the line defines, as it is shown (`fn parse`, `retry()`, `TIMEOUT`), by the
/// file's extension.
pub(super) fn name_in(line: &str, extension: &str) -> Option<String> {
    let line = head(line, 300);
    let text = line.trim();
    if text.is_empty() {
        return None;
    }
    let indented = line.starts_with([' ', '\t']);
    match extension {
        "md" | "mdx" | "markdown" | "rst" | "adoc" => return heading(text),
        "yml" | "yaml" => return key(text, ':'),
        "json" | "jsonc" | "json5" => return key(text, ':').filter(|_| text.starts_with('"')),
        "toml" | "ini" | "cfg" | "conf" | "properties" | "env" => {
            return section(text).or_else(|| key(text, '='));
        }
        "sql" => return sql(text),
        "txt" | "csv" | "html" | "xml" | "svg" | "lock" | "log" => return None,
        _ => {}
    }
    if text.starts_with(['#', '/', '*']) && !text.starts_with("#define") {
        return None;
    }
    keyword(text, indented)
        .or_else(|| sql(text))
        .or_else(|| method(text, extension))
        .or_else(|| constant(text, indented))
}

fn identifier(text: &str) -> &str {
    let end = text
        .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '!' | '?')))
        .unwrap_or(text.len());
    text.get(..end).unwrap_or("")
}

fn keyword(text: &str, indented: bool) -> Option<String> {
    let mut rest = text;
    for _ in 0..6 {
        let word = rest.split_whitespace().next()?;
        let bare = word.split('(').next().unwrap_or(word);
        if let Some(shown) = WORDS.keywords.get(word) {
            return defined(rest.get(word.len()..)?.trim_start(), shown, indented);
        }
        if !WORDS.modifiers.contains(bare) {
            return None;
        }
        // `pub(crate)` has no space; `pub(in a::b)` is rare enough to be ignored.
        rest = rest.get(word.len()..)?.trim_start();
    }
    None
}

fn defined(rest: &str, shown: &str, indented: bool) -> Option<String> {
    // Go puts the receiver before the method's name.
    let rest = match rest.strip_prefix('(') {
        Some(receiver) if shown == "func" => receiver.split_once(')')?.1.trim_start(),
        _ => rest,
    };
    if shown == "impl" {
        let name = rest.split(['{', '\n']).next()?.trim();
        let name = name.trim_start_matches(|c| c != ' ' && rest.starts_with('<')).trim();
        return (!name.is_empty()).then(|| format!("impl {}", head(name, 60)));
    }
    let rest = rest.strip_prefix("mut ").unwrap_or(rest);
    let name = identifier(rest);
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let after = rest.get(name.len()..).unwrap_or("").trim_start();
    if shown.is_empty() {
        let callable = after.contains("=>") || after.contains("= function") || after.contains("= async (");
        let constant =
            name.len() > 1 && name.chars().all(|c| c.is_uppercase() || c.is_ascii_digit() || c == '_');
        // A local variable is not worth reporting.
        return match (callable, constant || !indented) {
            (true, _) => Some(format!("{name}()")),
            (false, true) => Some(name.to_owned()),
            (false, false) => None,
        };
    }
    if shown == "type"
        && !after.starts_with(['=', '<', '{'])
        && !after.chars().next().is_some_and(char::is_alphabetic)
    {
        return None;
    }
    if matches!(shown, "object" | "module" | "record" | "union" | "sub")
        && after.starts_with([':', '=', '.', ',', ')'])
    {
        return None;
    }
    Some(format!("{shown} {}", head(name, 80)))
}

/// The name of a function without a keyword: `retries(n) {` in a class, `int main(void) {`, `deploy() {` in a script.
fn method(text: &str, extension: &str) -> Option<String> {
    const TYPED: &[&str] = &[
        "c", "h", "cc", "cpp", "cxx", "hpp", "hh", "java", "cs", "js", "jsx", "ts", "tsx", "mjs", "cjs",
        "vue", "svelte", "sh", "bash", "zsh", "php", "dart", "m", "mm", "groovy", "scala", "svelte", "",
    ];
    if !TYPED.contains(&extension) || !text.ends_with('{') {
        return None;
    }
    let (before, after) = text.split_once('(')?;
    if after.contains("=>")
        || before.contains(['=', '.', '"', '\'', ';'])
        || before.ends_with(' ') && extension != "cs"
    {
        return None;
    }
    let name =
        before.rsplit(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '~' | ':'))).next()?;
    let first = before.split_whitespace().next()?;
    if name.is_empty()
        || WORDS.control.contains(name)
        || WORDS.control.contains(first)
        || first.starts_with('}')
    {
        return None;
    }
    Some(format!("{}()", head(name, 80)))
}

/// The name of a constant: `TIMEOUT = 3` anywhere, `name = …` without indentation.
fn constant(text: &str, indented: bool) -> Option<String> {
    let name = identifier(text);
    let rest = text.get(name.len()..)?.trim_start();
    if name.len() < 2 || !(rest.starts_with('=') || rest.starts_with(": ")) || rest.starts_with("==") {
        return None;
    }
    let upper = name.chars().all(|c| c.is_uppercase() || c.is_ascii_digit() || c == '_')
        && name.contains(char::is_uppercase);
    (upper || (!indented && rest.starts_with('='))).then(|| head(name, 80).to_owned())
}

fn heading(text: &str) -> Option<String> {
    let level = text.bytes().take_while(|b| matches!(b, b'#' | b'=')).count();
    let title = text.get(level..)?.strip_prefix(' ')?.trim();
    ((1..=6).contains(&level) && !title.is_empty()).then(|| format!("“{}”", clip_bytes(title, 60)))
}

fn section(text: &str) -> Option<String> {
    let name = text.strip_prefix('[')?.trim_start_matches('[').split(']').next()?.trim();
    (!name.is_empty()).then(|| format!("[{}]", head(name, 60)))
}

fn key(text: &str, separator: char) -> Option<String> {
    let text = text.strip_prefix("- ").unwrap_or(text);
    let (name, _) = text.split_once(separator)?;
    let name = name.trim().trim_matches(['"', '\'']);
    let ok = !name.is_empty()
        && name.len() <= 60
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '@' | '$' | ' '))
        && name.split(' ').count() <= 3;
    ok.then(|| name.to_owned())
}

fn sql(text: &str) -> Option<String> {
    let mut words = text.split_whitespace();
    let verb = words.next()?.to_ascii_lowercase();
    if !matches!(verb.as_str(), "create" | "alter" | "drop") {
        return None;
    }
    let mut kind = None;
    for word in words.take(8) {
        let lower = word.to_ascii_lowercase();
        match lower.as_str() {
            "table" | "index" | "view" | "function" | "trigger" | "type" | "schema" | "policy"
            | "procedure" | "sequence" | "extension" | "role" => kind = Some(lower),
            "or" | "replace" | "unique" | "materialized" | "if" | "not" | "exists" | "temporary"
            | "concurrently" => {}
            _ => {
                let kind = kind?;
                let name = word.split('(').next().unwrap_or(word).trim_matches(['"', '`', ';']);
                return (!name.is_empty()).then(|| format!("{kind} {}", head(name, 80)));
            }
        }
    }
    None
}
