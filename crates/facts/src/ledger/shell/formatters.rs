//! Effects of formatters and fixers, which rewrite the files in their arguments.

use std::collections::BTreeSet;

use super::effect::Op;
use super::effects::Reader;
use crate::ledger::words::{Formatter, WORDS};

impl Reader<'_> {
    /// Adds the files that a formatter rewrites; returns `false` when the command is no formatter or rewrites nothing.
    pub(super) fn formatted(&mut self, name: &str) -> bool {
        let mut words: Vec<&str> = self.step.words.iter().map(|w| w.text.as_str()).collect();
        let mut name = name;
        if let ["python" | "python3", "-m", module, ..] = *words.as_slice() {
            name = module;
            words.drain(..2);
        }
        let Some(Formatter { needs, forbids }) = WORDS.formatters.get(name) else { return false };
        let has = |list: &BTreeSet<String>| words.iter().skip(1).any(|word| list.contains(*word));
        if !needs.is_empty() && !has(needs) || has(forbids) {
            return false;
        }
        let from = self.step.words.len() - words.len() + 1;
        let files: Vec<_> = self.step.words.iter().skip(from).cloned().collect();
        for file in files {
            // Only an extension distinguishes a file from a folder or a sub-command.
            if !file.text.starts_with('-') && !crate::ledger::paths::extension(&file.text).is_empty() {
                self.add(Op::Format, &file, None, Some(format!("formatted by {name}")));
            }
        }
        true
    }
}
