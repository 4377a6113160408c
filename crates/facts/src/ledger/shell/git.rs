//! Effects of git and of `patch` on files.

use super::command::Word;
use super::effect::Op;
use super::effects::Reader;
use super::steps::Step;
use crate::ledger::paths;

impl Reader<'_> {
    pub(super) fn git(&mut self) {
        let mut at = 1;
        let mut dir = self.step.dir.clone();
        while let Some(word) = self.step.words.get(at) {
            match word.text.as_str() {
                "-C" => {
                    let to = self.step.words.get(at + 1).map(|w| w.text.clone()).unwrap_or_default();
                    dir = Some(paths::join(dir.as_deref(), &to).into());
                    at += 2;
                }
                "-c" => at += 2,
                option if option.starts_with('-') => at += 1,
                _ => break,
            }
        }
        let Some(command) = self.step.words.get(at).map(|w| w.text.clone()) else { return };
        let inner = Step {
            words: self.step.words.iter().skip(at).cloned().collect(),
            redirects: Vec::new(),
            here_doc: self.step.here_doc.clone(),
            dir,
            windows: false,
        };
        let mut reader = Reader { step: &inner, found: self.found };
        match command.as_str() {
            "mv" => reader.mv(),
            "rm" if !reader.has_flag('-', "cached") => reader.remove("rm"),
            "checkout" => reader.reverted(true),
            "restore" if !reader.has_flag('S', "staged") || reader.has_flag('W', "worktree") => {
                reader.reverted(false);
            }
            "apply" | "am" => reader.patch(),
            _ => {}
        }
    }

    fn reverted(&mut self, needs_dashes: bool) {
        let words = &self.step.words;
        let after = words.iter().position(|w| w.text == "--").map(|at| at + 1);
        let files: Vec<Word> = match after {
            Some(from) => words.iter().skip(from).cloned().collect(),
            None => self
                .arguments("restore")
                .into_iter()
                .filter(|w| {
                    !needs_dashes || !paths::extension(&w.text).is_empty() && paths::looks_like_file(&w.text)
                })
                .collect(),
        };
        // Without a commit in front of the paths, `git` takes what is staged.
        let names_commit = words
            .iter()
            .take(after.unwrap_or(1))
            .skip(1)
            .any(|word| word.text.starts_with("--source") || needs_dashes && !word.text.starts_with('-'))
            || words.iter().any(|word| word.text == "HEAD");
        let told = if names_commit {
            "reverted to the committed version"
        } else {
            "restored as staged, or else as committed"
        };
        for word in files {
            if !paths::extension(&word.text).is_empty() {
                self.add(Op::Modify, &word, None, Some(told.to_owned()));
            }
        }
    }

    pub(super) fn patch(&mut self) {
        let text = self.step.here_doc.clone().or_else(|| {
            self.step
                .words
                .iter()
                .find(|w| w.text.contains("*** Begin Patch"))
                .map(|w| w.text.as_str().into())
        });
        if let Some(text) = text {
            let mut effect = self.effect(Op::Patch, "", Some(text), None);
            self.step.dir.as_deref().unwrap_or_default().clone_into(&mut effect.full);
            self.push(effect);
        }
    }
}
