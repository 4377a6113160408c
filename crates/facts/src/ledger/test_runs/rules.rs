//! The rules of `rules/runners.toml`: commands that run tests, and summary lines of test runners.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::pattern::{Grouped, Rule, Table};
use crate::rules;

#[cfg(test)]
use samples::Sample;
#[cfg(test)]
pub(crate) use samples::problems;

pub(super) static RULES: LazyLock<Runners> = LazyLock::new(|| rules::read(rules::RUNNERS));

#[derive(Deserialize)]
#[cfg_attr(test, serde(deny_unknown_fields))]
pub(super) struct Runners {
    #[serde(rename = "command")]
    pub commands: Vec<Command>,
    pub words: Words,
    pub node_package: NodePackage,
    #[serde(rename = "summary")]
    pub summaries: Table<Summary>,
    #[serde(rename = "ending")]
    pub endings: Table<Ending>,
}

/// Programs, and the condition under which they run tests.
#[derive(Deserialize)]
#[cfg_attr(test, serde(deny_unknown_fields))]
pub(super) struct Command {
    pub programs: Vec<String>,
    pub tests: Tests,
    #[serde(default)]
    pub words: Vec<String>,
    #[serde(default)]
    pub except: Vec<String>,
    /// How many leading arguments are compared with `words`.
    #[serde(default)]
    pub within: usize,
    /// Whether the program runs scripts of the project by name.
    #[serde(default)]
    pub scripts: bool,
    pub program: Option<String>,
    #[cfg(test)]
    #[serde(default)]
    pub samples: Vec<String>,
    #[cfg(test)]
    #[serde(default)]
    pub maybe: Vec<String>,
    #[cfg(test)]
    #[serde(default)]
    pub not: Vec<String>,
}

/// When a program runs tests; `rules/runners.toml` explains each variant.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Tests {
    Always,
    Wrapper,
    Environment,
    Behind,
    Subcommand,
    Target,
    TargetOption,
    Option,
    Task,
    Code,
    Script,
    Cargo,
    Container,
    NodePackage,
    Php,
    Powershell,
    Python,
    Shell,
}

#[derive(Deserialize)]
#[cfg_attr(test, serde(deny_unknown_fields))]
pub(super) struct Words {
    pub tests: Vec<String>,
    pub information: Vec<String>,
    pub preparations: Vec<String>,
    pub readers: Vec<String>,
    pub wrapper_values: Vec<String>,
}

#[derive(Deserialize)]
#[cfg_attr(test, serde(deny_unknown_fields))]
pub(super) struct NodePackage {
    pub values: Vec<String>,
    pub before_a_script: Vec<String>,
    pub before_a_program: Vec<String>,
    pub targets: Vec<String>,
    pub no_scripts: Vec<String>,
}

/// A rule for a summary line.
#[derive(Deserialize)]
#[cfg_attr(test, serde(deny_unknown_fields))]
#[expect(clippy::struct_excessive_bools, reason = "each is a property of the line's own")]
pub(super) struct Summary {
    #[cfg(test)]
    pub runner: String,
    pub pattern: Grouped,
    pub unless: Option<Grouped>,
    pub verdict: Option<Verdict>,
    #[serde(default)]
    pub even_without_tests: bool,
    #[serde(default)]
    pub replaces: bool,
    #[serde(default)]
    pub counted_as_passed: bool,
    #[serde(default)]
    pub one_passed: bool,
    #[cfg(test)]
    pub samples: Vec<Sample>,
    #[cfg(test)]
    #[serde(default)]
    pub not: Vec<String>,
}

/// The verdict of a summary line about the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Verdict {
    Whole,
    Part,
    PartUnlessIdle,
    Fail,
    VagueFail,
    Error,
    Around,
    Idle,
    Unloaded,
}

/// A rule for a line in a run without a summary, which explains why there is none.
#[derive(Deserialize)]
#[cfg_attr(test, serde(deny_unknown_fields))]
pub(super) struct Ending {
    pub means: Means,
    pub pattern: Grouped,
    #[cfg(test)]
    pub samples: Vec<String>,
    #[cfg(test)]
    #[serde(default)]
    pub not: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Means {
    NotStarted,
    NotBuilt,
    NothingToRun,
}

impl Rule for Summary {
    fn pattern(&self) -> &Grouped {
        &self.pattern
    }

    #[cfg(test)]
    fn name(&self) -> String {
        format!("runners.toml, {}, {}", self.runner, self.pattern.text())
    }
}

impl Rule for Ending {
    fn pattern(&self) -> &Grouped {
        &self.pattern
    }

    #[cfg(test)]
    fn name(&self) -> String {
        format!("runners.toml, {:?}, {}", self.means, self.pattern.text())
    }
}

#[cfg(test)]
mod samples {
    use super::*;
    use crate::ledger::test_runs::{command, outcome};
    use crate::ledger::{TestOutcome, shell};

    /// An output, and how the run went that printed it.
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    pub struct Sample {
        text: String,
        outcome: TestOutcome,
        passed: Option<u32>,
        failed: Option<u32>,
        #[serde(default)]
        failing: Vec<String>,
    }

    impl Command {
        fn problems(&self) -> Vec<String> {
            let name = self.programs.first().map_or("", String::as_str);
            let all = [(&self.samples, Some(false)), (&self.maybe, Some(true)), (&self.not, None)];
            let read = |text: &String| {
                command::reading(&shell::pipelines(&shell::parse(text, None)))
                    .map(|reading| reading.only_if_summary)
            };
            let wrong = all.iter().flat_map(|(texts, expected)| {
                texts
                    .iter()
                    .filter(move |text| read(text) != *expected)
                    .map(|text| format!("is read wrongly: {text}"))
            });
            let bare = (self.samples.len() + self.maybe.len() == 0).then(|| "it has no sample".to_owned());
            wrong.chain(bare).map(|problem| format!("runners.toml, {name}: {problem}")).collect()
        }
    }

    impl Summary {
        fn problems(&self) -> Vec<String> {
            let mut problems = Vec::new();
            let reads = |text: &str| text.lines().any(|line| self.matches(line.trim_end()).is_some());
            for sample in &self.samples {
                let tally = outcome::tally(&sample.text);
                let read = (tally.verdict(false, false), tally.passed, tally.failed, tally.failing);
                if read != (sample.outcome, sample.passed, sample.failed, sample.failing.clone()) {
                    problems.push(format!("is read as {read:?}: {}", sample.text));
                }
                if !reads(&sample.text) {
                    problems.push(format!("does not match its sample {}", sample.text));
                }
            }
            problems.extend(self.not.iter().filter(|text| reads(text)).map(|text| format!("matches {text}")));
            problems.extend(self.samples.is_empty().then(|| "it has no sample".to_owned()));
            problems.into_iter().map(|problem| format!("{}: {problem}", self.name())).collect()
        }
    }

    impl Ending {
        fn problems(&self) -> Vec<String> {
            let reads = |text: &String| outcome::says(self.means, text) && self.pattern.is_match(text);
            let missed =
                self.samples.iter().filter(|text| !reads(text)).map(|text| format!("does not match {text}"));
            let taken = self.not.iter().filter(|text| reads(text)).map(|text| format!("matches {text}"));
            let bare = self.samples.is_empty().then(|| "it has no sample".to_owned());
            missed.chain(taken).chain(bare).map(|problem| format!("{}: {problem}", self.name())).collect()
        }
    }

    /// The faults of the rules.
    pub fn problems() -> Vec<String> {
        let rules = &*RULES;
        let patterns = rules.summaries.problems().into_iter().chain(rules.endings.problems());
        let commands = rules.commands.iter().flat_map(Command::problems);
        let summaries = rules.summaries.iter().flat_map(Summary::problems);
        let endings = rules.endings.iter().flat_map(Ending::problems);
        patterns.chain(commands).chain(summaries).chain(endings).collect()
    }
}
