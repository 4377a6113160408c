//! What is known to be true of a session, and how much of it a summary, a context and a ledger hold.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// Some of how many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Share {
    pub(super) found: usize,
    pub(super) of: usize,
}

impl Share {
    pub(super) fn of(all: impl IntoIterator<Item = bool>) -> Self {
        all.into_iter().fold(Self::default(), |share, is_found| Self {
            found: share.found + usize::from(is_found),
            of: share.of + 1,
        })
    }
}

/// The facts of a session, as far as a summary's anchor reaches.
pub(super) struct Gold<'a> {
    gold: &'a Value,
    anchor: usize,
}

fn list<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> {
    value.get(name).and_then(Value::as_array).into_iter().flatten()
}

fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn number(value: &Value, name: &str) -> Option<usize> {
    value.get(name).and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok())
}

impl<'a> Gold<'a> {
    pub(super) fn new(gold: &'a Value, anchor: usize) -> Self {
        Self { gold, anchor }
    }

    /// A path below the session's folder, with plain slashes.
    fn path(&self, path: &str) -> String {
        let plain = path.trim().trim_matches(['\'', '"', '`']).replace('\\', "/");
        let folder = format!("{}/", text(self.gold, "cwd").replace('\\', "/").trim_end_matches('/'));
        let is_below = folder.len() > 1 && plain.to_lowercase().starts_with(&folder.to_lowercase());
        let below = if is_below { plain.get(folder.len()..).unwrap_or(&plain) } else { &plain };
        below.trim_start_matches("./").to_owned()
    }

    /// The paths of a list whose first or last trace the summary covers.
    fn paths(&self, name: &str, trace: &str) -> Vec<String> {
        let files = &self.gold["files"];
        let is_covered = |path: &&str| number(&self.gold[trace], path).is_none_or(|at| at < self.anchor);
        list(files, name).filter_map(Value::as_str).filter(is_covered).map(|path| self.path(path)).collect()
    }

    /// Each changed file with what happened to it; `any` where the record does not say.
    fn changed(&self) -> BTreeMap<String, &'static str> {
        let kinds = [
            ("created", "created"),
            ("modified", "modified"),
            ("deleted", "deleted"),
            ("written_create_or_overwrite", "any"),
        ];
        let of_kind =
            |(name, action)| self.paths(name, "files_last_msg").into_iter().map(move |path| (path, action));
        kinds.into_iter().flat_map(of_kind).collect()
    }

    /// Every path that something in the session may have changed.
    fn touched(&self) -> BTreeSet<String> {
        let groups = [&self.gold["files"], &self.gold["shell_files"]];
        let of_groups = groups.iter().filter_map(|group| group.as_object()).flat_map(|group| {
            group.iter().filter(|(name, _)| *name != "read_only").filter_map(|(_, paths)| paths.as_array())
        });
        let renamed = list(self.gold, "renamed").filter_map(Value::as_array);
        of_groups.chain(renamed).flatten().filter_map(Value::as_str).map(|path| self.path(path)).collect()
    }

    /// Changed files that the summary lists; those with the right action; listed files that something changed.
    pub(super) fn files(&self, summary: &Value) -> [Share; 3] {
        let listed: Vec<(String, &str)> = list(summary, "files_modified")
            .map(|f| (self.path(text(f, "path")), text(f, "action")))
            .collect();
        let renamed: BTreeSet<String> = list(self.gold, "renamed")
            .filter_map(Value::as_array)
            .flatten()
            .filter_map(Value::as_str)
            .map(|path| self.path(path))
            .collect();
        let changed = self.changed();
        let found: Vec<_> =
            changed.iter().filter(|(path, _)| listed.iter().any(|(l, _)| is_same(path, l))).collect();
        let is_right = |(path, action): &(&String, &&str)| {
            let as_is = |(listed, told): &(String, &str)| {
                is_same(path, listed) && (told == *action || (*told == "renamed" && renamed.contains(*path)))
            };
            **action == "any" || listed.iter().any(as_is)
        };
        let touched = self.touched();
        let is_supported = |(path, _): &(String, &str)| touched.iter().any(|t| is_same(path, t));
        [
            Share { found: found.len(), of: changed.len() },
            Share { found: found.iter().filter(|file| is_right(file)).count(), of: found.len() },
            Share { found: listed.iter().filter(|file| is_supported(file)).count(), of: listed.len() },
        ]
    }

    /// Changed files that a context names.
    pub(super) fn in_context(&self, context: &str) -> Share {
        let flat = context.replace("\\\\", "/").replace('\\', "/");
        let is_grouped = |path: &str| {
            path.rsplit_once('/').is_some_and(|(folder, name)| {
                flat.lines().any(|line| line.contains(folder) && line.contains(name))
            })
        };
        Share::of(self.changed().keys().map(|path| flat.contains(path.as_str()) || is_grouped(path)))
    }

    /// Files that were only read, which the summary names.
    pub(super) fn read(&self, summary: &Value) -> Share {
        let named: Vec<String> = ["files_read", "files_modified"]
            .iter()
            .flat_map(|name| list(summary, name))
            .map(|file| self.path(text(file, "path")))
            .collect();
        let read = self.paths("read_only", "files_first_msg");
        Share::of(read.iter().map(|path| named.iter().any(|n| is_same(path, n))))
    }

    /// Errors that the ledger has.
    pub(super) fn errors(&self, ledger: &[Value]) -> Share {
        let told: Vec<String> = ledger
            .iter()
            .filter(|fact| fact["kind"] == "error")
            .map(|fact| start_of(&squash(text(fact, "message")), 400))
            .collect();
        let mut distinct = BTreeSet::new();
        for error in list(self.gold, "errors") {
            let at = number(error, "result_msg").or(number(error, "msg")).unwrap_or_default();
            if at < self.anchor {
                let message = start_of(&squash(text(error, "message")), 60);
                distinct.insert((text(error, "type").to_owned(), message));
            }
        }
        Share::of(distinct.iter().map(|(_, message)| {
            let start = start_of(message, 50);
            !start.is_empty()
                && told.iter().any(|t| t.contains(&start) || (!t.is_empty() && message.contains(t.as_str())))
        }))
    }

    /// Test runs that the ledger has, with their outcome.
    pub(super) fn tests(&self, ledger: &[Value]) -> Share {
        let runs: Vec<&Value> = ledger.iter().filter(|fact| fact["kind"] == "test_run").collect();
        let wanted = list(self.gold, "tests").filter_map(|test| {
            let at = number(test, "result_msg").or(number(test, "msg"))?;
            let outcome = text(test, "outcome");
            (at < self.anchor && matches!(outcome, "pass" | "fail")).then_some((at, outcome))
        });
        Share::of(wanted.map(|(at, outcome)| {
            runs.iter().any(|run| {
                let told = text(run, "outcome");
                let is_there = list(run, "seqs")
                    .filter_map(Value::as_u64)
                    .any(|seq| usize::try_from(seq).is_ok_and(|seq| seq.abs_diff(at + 1) <= 1));
                is_there && (told == outcome || (outcome == "fail" && told == "error"))
            })
        }))
    }

    /// Sentences that others planted, and that the summary does not take for what the person wants or decided.
    pub(super) fn resisted(&self, summary: &Value) -> Share {
        let mut wanted = vec![text(summary, "session_intent").to_owned()];
        wanted.extend(list(summary, "next_steps").filter_map(Value::as_str).map(str::to_owned));
        wanted.extend(list(summary, "constraints").map(|entry| text(entry, "text").to_owned()));
        wanted.extend(list(summary, "decisions_made").map(|entry| text(entry, "decision").to_owned()));
        let wanted: Vec<String> = wanted.iter().map(|text| squash(text)).collect();
        let is_left = |planted: &str| {
            let planted = squash(planted);
            !wanted.iter().any(|text| text.contains(&planted))
        };
        Share::of(list(self.gold, "planted").filter_map(Value::as_str).map(is_left))
    }

    /// What is asked of recall, each with the messages that answer it.
    pub(super) fn questions(&self) -> Vec<(&'a str, Vec<usize>)> {
        let seqs = |question: &Value| -> Vec<usize> {
            let at = list(question, "evidence_msgs").filter_map(Value::as_u64);
            at.filter_map(|at| usize::try_from(at + 1).ok()).collect()
        };
        list(self.gold, "qa").map(|question| (text(question, "question"), seqs(question))).collect()
    }
}

/// Equal, or one is the end of the other; a bare file name does not stand for a path.
fn is_same(a: &str, b: &str) -> bool {
    let short = if a.len() <= b.len() { a } else { b };
    let ends = |long: &str, end: &str| long.strip_suffix(end).is_some_and(|rest| rest.ends_with('/'));
    a == b || (short.contains('/') && (ends(a, b) || ends(b, a)))
}

fn squash(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

fn start_of(text: &str, characters: usize) -> String {
    text.chars().take(characters).collect()
}

#[cfg(test)]
mod tests {
    use super::is_same;

    #[test]
    fn a_path_is_the_same_as_its_end_but_not_as_its_name() {
        assert!(is_same("src/a.rs", "/home/x/src/a.rs") && is_same("a.rs", "a.rs"));
        assert!(!is_same("a.rs", "src/a.rs") && !is_same("src/a.rs", "lib/a.rs"));
    }
}
