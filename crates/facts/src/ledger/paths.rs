//! Paths as text: cleaning, joining, recognising a path, and choosing one spelling for each file ([`Spellings`]).

use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The longest text that counts as a path, in bytes.
pub(super) const MAX_PATH: usize = 1024;

/// Cleans a path: forward slashes for Windows paths, no `./`, no `//`, `..` resolved.
pub(super) fn clean(path: &str) -> String {
    let cleaned = clean_once(path);
    // Resolving `..` may move a drive to the front, which makes it a Windows path.
    if is_windows(&cleaned) { clean_once(&cleaned) } else { cleaned }
}

fn clean_once(path: &str) -> String {
    if is_clean(path) {
        return path.to_owned();
    }
    let windows = is_windows(path);
    let slashed;
    let path = if windows {
        slashed = path.replace('\\', "/");
        slashed.as_str()
    } else {
        path
    };
    let absolute = path.starts_with('/');
    let mut kept: Vec<&str> = Vec::new();
    for piece in path.split('/') {
        match piece {
            "" | "." => {}
            ".." => {
                let folds =
                    kept.last().is_some_and(|last| *last != ".." && !last.ends_with(':') && *last != "~");
                if folds {
                    kept.pop();
                } else if !absolute {
                    kept.push("..");
                }
            }
            piece => kept.push(piece),
        }
    }
    let mut cleaned = String::with_capacity(path.len());
    if absolute {
        cleaned.push('/');
    }
    cleaned.push_str(&kept.join("/"));
    cleaned
}

/// Whether a path needs no cleaning, as most paths do not.
fn is_clean(path: &str) -> bool {
    let mut before = b' ';
    let folds = path.bytes().any(|byte| {
        let folds = byte == b'\\' || before == b'/' && matches!(byte, b'/' | b'.');
        before = byte;
        folds
    });
    !folds && before != b'/' && !path.starts_with('.')
}

/// Joins a relative path to a directory; an absolute path is returned as it is.
pub(super) fn join(base: Option<&str>, path: &str) -> String {
    match base {
        Some(base) if !is_absolute(path) => clean(&format!("{base}/{path}")),
        _ => clean(path),
    }
}

/// Whether a path does not depend on a directory: `/a`, `C:\a`, `~/a`.
pub(super) fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || path.starts_with("~/") || path.starts_with("\\\\") || has_drive(path)
}

fn has_drive(path: &str) -> bool {
    matches!(path.as_bytes(), [d, b':', b'/' | b'\\', ..] if d.is_ascii_alphabetic())
}

/// Whether a path is a Windows path: it has a drive, or every backslash has a word on both sides. Elsewhere a backslash
/// escapes.
fn is_windows(path: &str) -> bool {
    if !path.contains('\\') {
        return false;
    }
    let word =
        |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '~' | '@'));
    has_drive(path)
        || path.match_indices('\\').all(|(at, _)| {
            let before = path.get(..at).and_then(|b| b.chars().next_back());
            let after = path.get(at + 1..).and_then(|a| a.chars().next());
            word(before) && word(after)
        })
}

/// Whether an argument that a tool calls a path can name one file.
pub(super) fn is_file_name(text: &str) -> bool {
    let text = text.trim();
    if text.is_empty() || text.len() > MAX_PATH || text.contains("://") || text.ends_with(['/', '\\']) {
        return false;
    }
    if text.chars().any(|c| c.is_control() || matches!(c, '*' | '<' | '>' | '|' | '"' | '`')) {
        return false;
    }
    if text.starts_with("/dev/") || text.starts_with("/proc/") || text.starts_with('-') {
        return false;
    }
    let last = text.rsplit(['/', '\\']).next().unwrap_or("");
    !matches!(last, "" | "." | ".." | "~")
}

/// Whether a shell word, without its quotes, can name one file.
pub(super) fn is_shell_file(word: &str) -> bool {
    is_file_name(word)
        && !word.contains(['$', '?', '{', '}', '(', ')', ';', '&', '\'', '=', '!', ','])
        && word.chars().any(char::is_alphanumeric)
}

/// Whether a text of unknown meaning looks like a file path: a folder or an extension.
pub(super) fn looks_like_file(text: &str) -> bool {
    let text = text.trim();
    if !is_file_name(text) || text.contains(['@', '$', '?', '#', '=', '&', ',', ';']) {
        return false;
    }
    let spaced = text.contains(' ');
    let name = text.rsplit(['/', '\\']).next().unwrap_or("");
    let folders = text.contains('/') || text.contains('\\');
    match name.rsplit_once('.') {
        Some((stem, ext)) => {
            let ext_ok = (1..=8).contains(&ext.len())
                && ext.bytes().all(|b| b.is_ascii_alphanumeric())
                && ext.bytes().any(|b| b.is_ascii_alphabetic());
            ext_ok && (!spaced || folders) && (folders || !stem.contains('.') || stem.len() > 3)
        }
        None => folders && !spaced && is_absolute(text) && text.matches('/').count() > 1,
    }
}

/// The extension of a file name, in lower case, without the dot.
pub(super) fn extension(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or("");
    name.rsplit_once('.').map(|(_, e)| e.to_ascii_lowercase()).unwrap_or_default()
}

/// The identity of an absolute path, equal for all spellings of one file: paths with a drive ignore case.
fn identity(path: &str, drives: bool) -> String {
    if has_drive(path) {
        return path.to_ascii_lowercase();
    }
    if path.starts_with("\\\\") {
        return path.to_ascii_lowercase().replace('\\', "/");
    }
    // Git Bash and WSL write a drive as a folder (`/c`, `/mnt/c`).
    let drive = path.strip_prefix("/mnt").unwrap_or(path);
    match drive.as_bytes() {
        [b'/', d, b'/', _, ..] if drives && d.is_ascii_alphabetic() => {
            format!("{}:{}", char::from(*d), drive.get(2..).unwrap_or("")).to_ascii_lowercase()
        }
        _ => path.to_owned(),
    }
}

/// The home folder that contains a path.
fn home_of(path: &str) -> Option<&str> {
    if path.starts_with("/root/") {
        return Some("/root");
    }
    let drive = if has_drive(path) { 2 } else { 0 };
    let rest = path.get(drive..)?;
    let name = ["/home/", "/Users/", "/users/"].into_iter().find_map(|p| rest.strip_prefix(p))?;
    let user = name.split('/').next().filter(|u| !u.is_empty() && u.len() < name.len())?;
    path.get(..path.len() - name.len() + user.len())
}

/// Chooses one spelling for each file, from the paths of a span and of earlier versions.
#[derive(Debug, Default)]
pub(super) struct Spellings {
    root: Option<String>,
    /// The folder that `~` means, when the session shows it.
    home: Option<String>,
    /// Whether the session names drives, so that `/c/x` is `C:/x`.
    drives: bool,
    /// The path as written, by identity, where the two differ.
    shown: BTreeMap<String, String>,
    /// Spelling by identity.
    spelling: BTreeMap<String, Spelling>,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Clone)]
enum Spelling {
    /// The spelling in an earlier version.
    Earlier(String),
    /// The absolute path in a call.
    Given(String),
}

impl Spellings {
    /// Collects the paths. `stated` is the session's directory, `known` the spellings in earlier versions, `given` the
    /// paths of this span as written and joined to their directory; the root is inferred from `known` and `evidence`
    /// when it is not stated.
    pub(super) fn open<'p>(
        stated: Option<&str>,
        known: &[&'p str],
        evidence: &(impl Iterator<Item = &'p str> + Clone),
        given: impl Iterator<Item = (&'p str, &'p str)> + Clone,
    ) -> Self {
        let sample = sample(known, evidence);
        let root = stated.map(clean).or_else(|| infer_root(&sample));
        let home =
            root.as_deref().and_then(|r| home_of(&format!("{r}/.")).map(str::to_owned)).or_else(|| {
                let mut homes = sample.iter().filter_map(|path| home_of(path));
                let home = homes.next()?;
                homes.all(|other| other == home).then(|| home.to_owned())
            });
        let drives = root.as_deref().is_some_and(has_drive) || sample.iter().any(|path| has_drive(path));
        let (shown, spelling) = (BTreeMap::new(), BTreeMap::new());
        let mut book = Self { root, home, drives, shown, spelling };
        book.know(known.to_vec());
        if book.drives {
            for (_, full) in given.clone() {
                let full = join(book.root.as_deref(), full);
                let key = book.key(&full);
                if key != full {
                    book.shown.entry(key).or_insert(full);
                }
            }
        }
        let absolute = |written: &str| is_absolute(written) && !written.starts_with("~/");
        for (_, full) in given.clone().filter(|(written, _)| absolute(written)) {
            let key = book.key(full);
            book.spelling.entry(key).or_insert_with(|| Spelling::Given(full.to_owned()));
        }
        for (_, full) in given.filter(|(written, _)| written.starts_with("~/")) {
            let key = book.key(full);
            let inside = book
                .root
                .as_deref()
                .is_some_and(|r| key.strip_prefix(&identity(r, true)).is_some_and(|k| k.starts_with('/')));
            if !inside {
                book.spelling.entry(key).or_insert_with(|| Spelling::Given(full.to_owned()));
            }
        }
        book
    }

    fn know(&mut self, mut paths: Vec<&str>) {
        // Earlier versions may have an absolute and a relative spelling of one file, from before the root was known;
        // the first in order wins.
        paths.sort_unstable();
        for path in paths {
            let key = self.key(path);
            self.spelling.entry(key).or_insert_with(|| Spelling::Earlier(path.to_owned()));
        }
    }

    /// The session's directory, stated or inferred.
    pub(super) fn root(&self) -> Option<&str> {
        self.root.as_deref()
    }

    /// The identity of a path.
    pub(super) fn key(&self, full: &str) -> String {
        if let (Some(home), Some(rest)) = (self.home.as_deref(), full.strip_prefix("~/")) {
            return identity(&clean(&format!("{home}/{rest}")), self.drives);
        }
        identity(&join(self.root.as_deref(), full), self.drives)
    }

    /// The spelling of the file with this identity.
    pub(super) fn spell(&self, key: &str) -> String {
        match self.spelling.get(key) {
            Some(Spelling::Earlier(path) | Spelling::Given(path)) => path.clone(),
            None => {
                let shown = self.shown.get(key).map_or(key, String::as_str);
                let root = self.root.as_deref().unwrap_or("");
                // The identity and the written path differ only in case, unless a drive is written as a folder.
                let inside = shown.get(..root.len()).filter(|start| {
                    !root.is_empty() && (*start == root || self.drives && start.eq_ignore_ascii_case(root))
                });
                inside
                    .and_then(|start| shown.get(start.len()..)?.strip_prefix('/'))
                    .unwrap_or(shown)
                    .to_owned()
            }
        }
    }

    /// Whether an earlier version has the file.
    pub(super) fn knows(&self, key: &str) -> bool {
        matches!(self.spelling.get(key), Some(Spelling::Earlier(_)))
    }

    /// The identities of earlier versions' files inside a folder.
    pub(super) fn known_inside<'s>(&'s self, folder: &'s str) -> impl Iterator<Item = &'s str> + 's {
        let prefix = format!("{folder}/");
        self.spelling
            .range(prefix.clone()..)
            .take_while(move |(key, _)| key.starts_with(&prefix))
            .filter(|(_, s)| matches!(s, Spelling::Earlier(_)))
            .map(|(key, _)| key.as_str())
    }
}

/// The most paths from which the session's directory is inferred.
const ROOT_SAMPLE: usize = 5_000;

/// The paths from which the session's directory is inferred: those of earlier versions (sorted when there are too many,
/// so that the choice is stable), then those of the span.
fn sample<'s>(known: &[&'s str], evidence: &(impl Iterator<Item = &'s str> + Clone)) -> Vec<&'s str> {
    let mut sample = known.to_vec();
    if known.len() + evidence.clone().count() > ROOT_SAMPLE {
        sample.sort_unstable();
        sample.dedup();
    }
    sample.extend(evidence.clone());
    sample.truncate(ROOT_SAMPLE);
    sample
}

/// Infers the directory of relative paths: with it in front, relative paths equal absolute paths that also occur. A
/// bare name is weak evidence (many folders have a `mod.rs`), so three of them are needed, or one path with a folder.
fn infer_root(paths: &[&str]) -> Option<String> {
    let (absolute, relative): (Vec<&str>, Vec<&str>) =
        paths.iter().filter(|p| !p.starts_with("~/")).partition(|p| is_absolute(p));
    if absolute.is_empty() {
        return None;
    }
    // A name that occurs only absolute, or only relative, is no evidence.
    let relative = named_as(&absolute, relative);
    let absolute = named_as(&relative, absolute);
    if relative.is_empty() {
        return None;
    }
    let (absolute, relative): (BTreeSet<&str>, BTreeSet<&str>) =
        (absolute.into_iter().collect(), relative.into_iter().collect());
    let mut by_name: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for path in &absolute {
        by_name.entry(last(path)).or_default().push(path);
    }
    let mut votes: BTreeMap<&str, usize> = BTreeMap::new();
    for path in relative {
        if path.starts_with("..") {
            continue;
        }
        let Some(candidates) = by_name.get(last(path)) else { continue };
        let weight = if path.contains('/') { 3 } else { 1 };
        for full in candidates.iter().take(50) {
            if let Some(root) = full.strip_suffix(path).and_then(|r| r.strip_suffix('/'))
                && !root.is_empty()
            {
                *votes.entry(root).or_default() += weight;
            }
        }
    }
    let (root, weight) = votes.into_iter().max_by(|a, b| a.1.cmp(&b.1).then(b.0.len().cmp(&a.0.len())))?;
    (weight >= 3).then(|| root.to_owned())
}

/// The paths whose file name also occurs among `others`.
fn named_as<'p>(others: &[&str], mut paths: Vec<&'p str>) -> Vec<&'p str> {
    let names: HashSet<&str> = others.iter().map(|other| last(other)).collect();
    paths.retain(|path| names.contains(last(path)));
    paths
}

fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
