//! Effects of programs that give a file's content another path: copies, moves, links, downloads, archives.

use super::command::Word;
use super::effect::Op;
use super::effects::{Reader, one_line};
use crate::ledger::paths;

impl Reader<'_> {
    pub(super) fn mv(&mut self) {
        let mut arguments = self.arguments("mv");
        let Some(target) = self.target_folder().or_else(|| arguments.pop()) else { return };
        if !target.literal {
            return;
        }
        let many = arguments.len() > 1;
        for source in arguments {
            if !source.literal || !paths::is_shell_file(source.text.trim_end_matches('/')) {
                continue;
            }
            let to = placed(&source.text, &target.text, many);
            if !paths::is_shell_file(&to) {
                continue;
            }
            let source = source.text.trim_end_matches('/');
            let mut effect = self.effect(Op::Move, &to, None, None);
            effect.from = Some((source.to_owned(), paths::join(self.step.dir.as_deref(), source)));
            self.push(effect);
        }
    }

    fn target_folder(&self) -> Option<Word> {
        let at = self.step.words.iter().position(|w| w.text == "-t")?;
        let mut folder = self.step.words.get(at + 1)?.clone();
        folder.text.push('/');
        Some(folder)
    }

    pub(super) fn cp(&mut self) {
        if self.has_flag('d', "directory") && self.step.words.first().is_some_and(|w| w.text == "install") {
            return;
        }
        let mut arguments = self.arguments("cp");
        let Some(target) = self.target_folder().or_else(|| arguments.pop()) else { return };
        let recursive =
            self.has_flag('r', "recursive") || self.has_flag('R', "") || self.has_flag('a', "archive");
        let many = arguments.len() > 1;
        for source in arguments {
            let folder = recursive && paths::extension(&source.text).is_empty();
            if folder || !source.literal {
                continue;
            }
            self.add(Op::Read, &source, None, None);
            let to = Word { text: placed(&source.text, &target.text, many), literal: target.literal };
            let words = Some(format!("copied from {}", one_line(&source.text)));
            if !is_backup(&source.text, &to.text) {
                self.add(Op::Copy, &to, None, words);
            }
        }
    }

    pub(super) fn ln(&mut self) {
        let arguments = self.arguments("ln");
        if let [source, target] = arguments.as_slice() {
            let words = Some(format!("link to {}", one_line(&source.text)));
            self.add(Op::Write, target, None, words);
        }
    }

    pub(super) fn dd(&mut self) {
        for word in self.step.words.iter().skip(1) {
            let part = |prefix: &str, op| {
                word.text
                    .strip_prefix(prefix)
                    .map(|p| (op, Word { text: p.to_owned(), literal: word.literal }))
            };
            if let Some((op, file)) = part("of=", Op::Write).or_else(|| part("if=", Op::Read)) {
                self.add(op, &file, None, None);
            }
        }
    }

    pub(super) fn curl(&mut self, command: &str) {
        let flags: &[&str] =
            if command == "curl" { &["-o", "--output"] } else { &["-O", "--output-document"] };
        let words = &self.step.words;
        let short = if command == "curl" { 'o' } else { 'O' };
        for (at, word) in words.iter().enumerate().skip(1) {
            let text = word.text.as_str();
            let joined = text.strip_prefix("--output=").or_else(|| text.strip_prefix("--output-document="));
            let cluster = text.starts_with('-') && !text.starts_with("--") && text.ends_with(short);
            let target = match joined {
                Some(path) => Some(Word { text: path.to_owned(), literal: word.literal }),
                None if cluster || flags.contains(&text) => words.get(at + 1).cloned(),
                None => None,
            };
            if let Some(target) = target {
                self.add(Op::Write, &target, None, Some("downloaded".to_owned()));
            }
        }
    }

    /// `tar` and `zip` read or make their archive; the unpacked files are not in the command.
    pub(super) fn archiver(&mut self, command: &str) {
        let arguments = self.arguments(command);
        if command != "tar" {
            if let Some(archive) = arguments.first() {
                self.add(if command == "zip" { Op::Write } else { Op::Read }, archive, None, None);
            }
            return;
        }
        let words = &self.step.words;
        let Some(flags) = words.get(1) else { return };
        let named = words
            .iter()
            .position(|w| {
                w.text == "-f" || w.text == "--file" || is_cluster(&w.text) && w.text.ends_with('f')
            })
            .or_else(|| flags.text.ends_with('f').then_some(1));
        let Some(archive) = named.and_then(|at| words.get(at + 1)).cloned() else { return };
        let makes =
            words.iter().skip(1).any(|w| w.text == "--create" || is_cluster(&w.text) && w.text.contains('c'))
                || !flags.text.starts_with('-') && flags.text.contains('c');
        self.add(if makes { Op::Write } else { Op::Read }, &archive, None, None);
    }
}

fn is_cluster(word: &str) -> bool {
    word.starts_with('-') && !word.starts_with("--")
}

/// Whether a copy is kept only to go back to: the same name with a backup's ending, or a copy in the
/// system's folder for temporary files. It is no work of the session.
pub(super) fn is_backup(from: &str, to: &str) -> bool {
    const ENDINGS: &[&str] = &["bak", "backup", "orig", "original", "old", "save", "saved", "before", "prev"];
    if ["/tmp/", "/var/tmp/", "/private/tmp/"].iter().any(|t| to.starts_with(t) && !from.starts_with(t)) {
        return true;
    }
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let (from, to) = (name(from), name(to));
    let stem = from.split('.').next().unwrap_or(&from);
    !stem.is_empty()
        && to.starts_with(stem)
        && to.get(stem.len()..).is_some_and(|rest| {
            rest.ends_with('~') || rest.split(['.', '_', '-']).any(|part| ENDINGS.contains(&part))
        })
        && !from.split(['.', '_', '-', '~']).any(|part| ENDINGS.contains(&part))
}

/// Where a moved or copied file ends up: in the target when that is a folder, else at the target.
pub(super) fn placed(source: &str, target: &str, many: bool) -> String {
    let name = source.trim_end_matches('/').rsplit('/').next().unwrap_or(source);
    let last = target.rsplit('/').next().unwrap_or(target);
    let folder = many
        || matches!(last, "" | "." | "..")
        || (!last.contains('.')
            && paths::extension(source).len() > 1
            && last.chars().any(char::is_lowercase));
    if folder { format!("{}/{name}", target.trim_end_matches('/')) } else { target.to_owned() }
}
