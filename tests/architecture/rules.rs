//! The rules.

use std::collections::BTreeMap;
use std::fmt;

use super::source::Source;

/// The most lines that a file has without its tests.
const MOST_LINES: usize = 600;

/// Who may import whom among our top-level modules; every module is listed. A crate is named here when not everybody may
/// know it.
const MAY_IMPORT: &[(&str, &[&str])] = &[
    ("main", &["cli", "config", "telemetry"]),
    ("lib", &[]),
    ("cli", &["app", "config", "telemetry", "domain", "clock"]),
    (
        "app",
        &[
            "http",
            "worker",
            "postgres",
            "store",
            "llm",
            "domain",
            "config",
            "clock",
            "telemetry",
            "background",
        ],
    ),
    ("http", &["store", "domain", "clock", "trace", "background"]),
    ("worker", &["store", "llm", "domain", "clock", "trace", "background"]),
    ("store", &["domain", "trace", "background"]),
    ("llm", &["domain"]),
    ("postgres", &[]),
    ("telemetry", &["config"]),
    ("config", &[]),
    ("background", &[]),
    ("clock", &[]),
    ("trace", &[]),
    ("domain", &[]),
];

/// What derives and may not do.
const PURE: [&str; 5] = [
    "src/domain/",
    "crates/facts/src/",
    "crates/messages/src/",
    "crates/preaggregate/src/",
    "crates/recall/src/",
];

/// What must not be named there.
const DOES: &[&str] = &[
    "tokio",
    "async",
    "await",
    "futures",
    "reqwest",
    "SystemTime",
    "Instant",
    "now",
    "now_v7",
    "new_v4",
    "rand",
    "env",
    "fs",
    "net",
    "process",
    "thread",
];

/// What does and is as pure as if it did not.
const DOES_PURELY: &[(&str, &str)] = &[
    // They end before the count that they help with is given.
    ("crates/messages/src/tokens/long.rs", "thread"),
];

/// What only a provider's wire format says.
const WIRE: &[&str] = &["chat/completions", "anthropic-version"];

/// Names that do not tell what is in the file.
const SAYS_NOTHING: &[&str] = &["util", "utils", "helper", "helpers", "common", "misc", "manager", "service"];

/// One rule broken in one file.
pub struct Violation {
    pub rule: &'static str,
    path: String,
    detail: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({})", self.path, self.detail, self.rule)
    }
}

/// Names that two types have in the OpenAPI document, where the later one would silently take the place of the
/// other.
pub fn shared_schema_names(sources: &[Source]) -> Vec<String> {
    let mut seen = BTreeMap::new();
    let mut shared = Vec::new();
    for source in sources {
        for derived in source.code.split("#[derive(").skip(1) {
            let Some((traits, after)) = derived.split_once(")]") else { continue };
            let declared = ["struct ", "enum "].into_iter().filter_map(|kind| after.split_once(kind));
            let Some((attributes, name)) = declared.min_by_key(|(before, _)| before.len()) else { continue };
            let (_, name) = attributes.split_once("schema(as = ").unwrap_or(("", name));
            let name: String = name.chars().take_while(|c| c.is_alphanumeric()).collect();
            if traits.contains("ToSchema")
                && let Some(other) = seen.insert(name.clone(), &source.path)
            {
                shared.push(format!("{name}: {other} and {}", source.path));
            }
        }
    }
    shared
}

/// Checks every rule on one source.
pub fn check(source: &Source) -> impl Iterator<Item = Violation> {
    let found = [
        ("dependency", dependency(source)),
        ("sql", sql(source)),
        ("wire format", wire_format(source)),
        ("purity", purity(source)),
        ("name", name(source)),
        ("length", length(source)),
    ];
    let path = source.path.clone();
    found
        .into_iter()
        .filter_map(move |(rule, detail)| detail.map(|detail| Violation { rule, path: path.clone(), detail }))
}

fn dependency(source: &Source) -> Option<String> {
    // Between crates it is the compiler that forbids.
    if source.path.starts_with("crates/") {
        return None;
    }
    let module = source.module();
    let own = *module.first()?;
    let Some((_, allowed)) = MAY_IMPORT.iter().find(|(name, _)| *name == own) else {
        return Some(format!("the dependency rule does not know the module {own}"));
    };
    imports(source)
        .into_iter()
        .find(|import| {
            let ours = MAY_IMPORT.iter().any(|(name, _)| name == import);
            ours && import != own && !allowed.contains(&import.as_str())
        })
        .map(|import| format!("{own} must not know {import}"))
}

/// The top-level modules of ours that a source names, by whatever path.
fn imports(source: &Source) -> Vec<String> {
    let depth = source.module().len();
    let mut found = Vec::new();
    for root in ["crate::".to_owned(), "anchord::".to_owned(), "anchord_".to_owned(), "super::".repeat(depth)]
    {
        for (at, _) in source.code.match_indices(&root) {
            let before = source.code[..at].chars().last();
            // `mycrate::`, and a longer row of `super::` than leads to the root.
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':') {
                continue;
            }
            found.extend(first_names(&source.code[at + root.len()..]));
        }
    }
    found
}

/// The names that a path goes on with: one, or those at the first level of a group in braces.
fn first_names(rest: &str) -> Vec<String> {
    let Some(group) = rest.strip_prefix('{') else {
        return vec![identifier(rest)];
    };
    let mut names = Vec::new();
    let (mut depth, mut start) = (0_u32, true);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => start = true,
            c if start && !c.is_whitespace() => {
                names.push(identifier(&group[at..]));
                start = false;
            }
            _ => {}
        }
    }
    names
}

fn identifier(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

fn sql(source: &Source) -> Option<String> {
    if source.path.starts_with("src/store/") || source.path == "src/store.rs" {
        return None;
    }
    let words = words(&source.code);
    let macros = ["query!", "query_as!", "query_scalar!", "query_file!", "query_file_as!"];
    let paths =
        ["sqlx::query", "sqlx::query_as", "sqlx::query_scalar", "sqlx::raw_sql", "sqlx::QueryBuilder"];
    words
        .iter()
        .map(|word| (word, word.rsplit("::").next().unwrap_or(word)))
        .find(|(word, last)| macros.contains(last) || paths.contains(word))
        .map(|(word, _)| format!("{word} outside store/"))
}

/// Paths with their macro mark: `sqlx::query!`.
fn words(code: &str) -> Vec<&str> {
    code.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | ':' | '!'))).collect()
}

fn wire_format(source: &Source) -> Option<String> {
    if source.path.starts_with("src/llm/") {
        return None;
    }
    WIRE.iter()
        .find(|wire| source.without_comments.contains(**wire))
        .map(|wire| format!("{wire:?} outside llm/"))
}

fn purity(source: &Source) -> Option<String> {
    let folder = PURE.iter().find(|folder| source.path.starts_with(**folder))?;
    let code = &source.code;
    let mut at = 0;
    for word in code.split(|c: char| !(c.is_alphanumeric() || c == '_')) {
        let (before, after) = (code[..at].trim_end(), &code[at + word.len()..]);
        at += word.len() + after.chars().next().map_or(0, char::len_utf8);
        // A word is a use when it is part of a path or an import, or a keyword; a field or a
        // variable of the same name does nothing.
        let keyword = matches!(word, "async") || word == "await" && before.ends_with('.');
        let in_path = before.ends_with("::") || after.starts_with("::");
        let in_group = before.ends_with(['{', ',']) && in_use(before);
        let may = DOES_PURELY.contains(&(source.path.as_str(), word));
        if DOES.contains(&word) && !may && (keyword || in_path || in_group) {
            return Some(format!("{word} in {folder}"));
        }
    }
    None
}

/// Whether the code ends within an import.
fn in_use(before: &str) -> bool {
    let statement = before.rsplit(';').next().unwrap_or_default().trim_start();
    statement.starts_with("use ") || statement.starts_with("pub use ")
}

fn name(source: &Source) -> Option<String> {
    let parts: Vec<&str> = source.path.trim_end_matches(".rs").split('/').collect();
    let vague = parts.into_iter().find(|part| SAYS_NOTHING.contains(part));
    vague.map(|part| format!("{part} does not tell what is in it"))
}

fn length(source: &Source) -> Option<String> {
    let lines = source.lines;
    (lines > MOST_LINES).then(|| format!("{lines} lines without its tests, {MOST_LINES} are the most"))
}
