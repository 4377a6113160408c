//! Effects of formatters and fixers, which rewrite the files in their arguments.

use super::effect::Op;
use super::effects::Reader;

/// A program; the arguments of which one makes it rewrite files (empty: it always does); and the arguments that prevent
/// it.
type Rewrites = (&'static str, &'static [&'static str], &'static [&'static str]);

const REWRITES: &[Rewrites] = &[
    ("prettier", &["--write", "-w"], &[]),
    ("prettierd", &["--write"], &[]),
    ("biome", &["--write", "--apply", "--fix", "--apply-unsafe"], &[]),
    ("eslint", &["--fix"], &["--fix-dry-run"]),
    ("oxlint", &["--fix"], &[]),
    ("stylelint", &["--fix"], &[]),
    ("standard", &["--fix"], &[]),
    ("markdownlint", &["--fix", "-f"], &[]),
    ("black", &[], &["--check", "--diff"]),
    ("isort", &[], &["--check", "--check-only", "-c", "--diff"]),
    ("autopep8", &["--in-place", "-i"], &["--diff"]),
    ("autoflake", &["--in-place", "-i"], &["--check"]),
    ("yapf", &["--in-place", "-i"], &["--diff"]),
    ("pyupgrade", &[], &[]),
    ("ruff", &["--fix", "format"], &["--check", "--diff"]),
    ("gofmt", &["-w"], &[]),
    ("goimports", &["-w"], &[]),
    ("gofumpt", &["-w"], &[]),
    ("rustfmt", &[], &["--check"]),
    ("clang-format", &["-i"], &["--dry-run"]),
    ("shfmt", &["-w"], &[]),
    ("rubocop", &["-a", "-A", "--auto-correct", "--autocorrect"], &[]),
    ("standardrb", &["--fix"], &[]),
    ("php-cs-fixer", &["fix"], &["--dry-run"]),
    ("phpcbf", &[], &[]),
    ("pint", &[], &["--test"]),
    ("ktlint", &["-F", "--format"], &[]),
    ("swiftformat", &[], &["--lint"]),
    ("google-java-format", &["-i", "--replace"], &[]),
    ("dprint", &["fmt"], &[]),
    ("taplo", &["fmt", "format"], &["--check"]),
    ("terraform", &["fmt"], &["-check"]),
    ("deno", &["fmt"], &["--check"]),
    ("stylua", &[], &["--check"]),
    ("codespell", &["-w", "--write-changes"], &[]),
];

impl Reader<'_> {
    /// Adds the files that a formatter rewrites; returns `false` when the command is no formatter or rewrites nothing.
    pub(super) fn formatted(&mut self, name: &str) -> bool {
        let mut words: Vec<&str> = self.step.words.iter().map(|w| w.text.as_str()).collect();
        let mut name = name;
        if let ["python" | "python3", "-m", module, ..] = *words.as_slice() {
            name = module;
            words.drain(..2);
        }
        let Some((_, needs, forbids)) = REWRITES.iter().find(|(n, ..)| *n == name) else { return false };
        let has = |list: &[&str]| words.iter().skip(1).any(|w| list.contains(w));
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
