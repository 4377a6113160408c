//! Loads rules: vocabularies that are data, in the folder `rules` at the top of the repository.
//!
//! Invariant: every rule has samples beside it, and the tests check each of them; so a file that passes the tests is
//! valid when the program loads it.
//! Must not know: what a rule means.

use serde::de::DeserializeOwned;

/// Chinese phrases.
pub(crate) const CHINESE: &str = include_str!("../../../rules/phrases.zh.toml");
/// English phrases.
pub(crate) const ENGLISH: &str = include_str!("../../../rules/phrases.en.toml");
/// Forms of error lines.
pub(crate) const ERRORS: &str = include_str!("../../../rules/errors.toml");
/// Texts that harnesses write into messages.
pub(crate) const HARNESS: &str = include_str!("../../../rules/harness.toml");
/// How calls of tools went.
pub(crate) const OUTCOMES: &str = include_str!("../../../rules/outcomes.toml");
/// How pasted text is recognised.
pub(crate) const PASTES: &str = include_str!("../../../rules/pastes.toml");
/// Test runners.
pub(crate) const RUNNERS: &str = include_str!("../../../rules/runners.toml");
/// Secrets.
pub(crate) const SECRETS: &str = include_str!("../../../rules/secrets.toml");
/// What is stated of the work in so many words.
pub(crate) const STATEMENTS: &str = include_str!("../../../rules/statements.toml");
/// Agents' tools.
pub(crate) const TOOLS: &str = include_str!("../../../rules/tools.toml");
/// Words by which facts are told from other text.
pub(crate) const WORDS: &str = include_str!("../../../rules/words.toml");

/// Parses a rule file.
///
/// # Panics
/// When it is not valid: the files are compiled into the program, and tests parse each of them.
pub(crate) fn read<T: DeserializeOwned>(file: &str) -> T {
    #[expect(
        clippy::expect_used,
        reason = "the files are a part of the program, and tests read each of them"
    )]
    toml::from_str(file).expect("the rules are valid")
}
