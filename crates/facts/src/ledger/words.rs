//! Word lists by which facts are told from other text. `rules/words.toml` has them, and explains each.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde::Deserialize;

use crate::rules;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Words {
    pub(crate) tool_verbs: BTreeSet<String>,
    pub(crate) prose_arguments: BTreeSet<String>,
    pub(crate) file_programs: BTreeSet<String>,
    pub(crate) file_tools: BTreeSet<String>,
    pub(crate) looking: BTreeSet<String>,
    pub(crate) looking_verbs: BTreeSet<String>,
    pub(crate) changing_verbs: BTreeSet<String>,
    pub(crate) lasting_commands: Vec<String>,
    pub(crate) harness_tools: BTreeSet<String>,
    pub(crate) gone: Vec<String>,
    pub(crate) error_labels: Vec<String>,
    pub(crate) failures: Vec<String>,
    pub(crate) modifiers: BTreeSet<String>,
    pub(crate) control: BTreeSet<String>,
    pub(crate) valued_parameters: BTreeSet<String>,
    pub(crate) tagged_tools: BTreeSet<String>,
    pub(crate) reports_of_one: Vec<String>,
    pub(crate) reports_of_many: Vec<String>,
    pub(crate) editor_refusals: Vec<String>,
    pub(crate) exit_labels: Vec<String>,
    pub(crate) harmless_names: Vec<String>,
    pub(crate) placeholders: Vec<String>,
    pub(crate) secret_columns: Vec<String>,
    pub(crate) keywords: BTreeMap<String, String>,
    pub(crate) formatters: BTreeMap<String, Formatter>,
}

/// Arguments by which a program rewrites files (without any it always does), and arguments that prevent it.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Formatter {
    pub(crate) needs: BTreeSet<String>,
    pub(crate) forbids: BTreeSet<String>,
}

/// Parsed on first use.
pub(crate) static WORDS: LazyLock<Words> = LazyLock::new(|| rules::read(rules::WORDS));
