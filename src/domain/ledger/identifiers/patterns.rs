//! Identifiers in speech, commands and plain output.

mod programs;
mod speech;
mod values;

use std::sync::LazyLock;

use regex::Captures;

use super::super::line::lines;
use super::super::pattern::Grouped;
use super::super::pipeline;
use super::Hit;
use super::look::{Needs, Words};
use programs::{COMMAND, COMMAND_NEEDS, OUTPUT, OUTPUT_NEEDS};
use speech::{SPEECH, SPEECH_NEEDS};

/// The longest line that is read, in bytes: what is longer is data.
const MAX_LINE: usize = 1_000;
/// The most hits taken from one text.
const MAX_HITS: usize = 120;

type Rule = (&'static str, fn(&Captures<'_>) -> Option<Hit>);

const fn needs(marks: u16, words: &'static [&'static str]) -> Needs {
    Needs { marks, words }
}

struct Rules {
    words: Words,
    each: Vec<Grouped>,
    makers: &'static [Rule],
}

fn compile(rules: &'static [Rule], needs: &'static [Needs]) -> Rules {
    Rules {
        words: Words::new(needs.iter().copied()),
        each: rules.iter().map(|(p, _)| Grouped::ascii(p)).collect(),
        makers: rules,
    }
}

static SPEECH_RULES: LazyLock<Rules> = LazyLock::new(|| compile(SPEECH, SPEECH_NEEDS));
static OUTPUT_RULES: LazyLock<Rules> = LazyLock::new(|| compile(OUTPUT, OUTPUT_NEEDS));
static COMMAND_RULES: LazyLock<Rules> = LazyLock::new(|| compile(COMMAND, COMMAND_NEEDS));

fn apply(rules: &Rules, line: &str, hits: &mut Vec<Hit>) {
    let candidates = rules.words.candidates(line);
    if candidates != 0 {
        apply_some(rules, candidates, line, hits);
    }
}

/// Applies the rules whose bits are set.
fn apply_some(rules: &Rules, candidates: u128, line: &str, hits: &mut Vec<Hit>) {
    for (at, (regex, (_, make))) in rules.each.iter().zip(rules.makers).enumerate() {
        if candidates >> at & 1 == 0 {
            continue;
        }
        for caps in regex.captures_iter(line) {
            if hits.len() >= MAX_HITS {
                return;
            }
            hits.extend(make(&caps).filter(|h| !is_noise(&h.value)));
        }
    }
}

/// Whether a value is a run of digits and letters too long to be named by anyone.
fn is_noise(value: &str) -> bool {
    let long_word =
        value.split(['/', '.', '-', '_', ':', '?', '=', '&', ' ']).map(str::len).max().unwrap_or(0);
    long_word > 64 || value.chars().count() > 300
}

/// Identifiers in what a person or the model says; fenced code is read too, data lines are not.
pub(super) fn in_speech(text: &str) -> Vec<Hit> {
    let mut hits = Vec::new();
    for line in lines(text) {
        apply(&SPEECH_RULES, pipeline::clip_bytes(line, 4 * MAX_LINE), &mut hits);
    }
    hits
}

/// Identifiers that programs print about themselves.
pub(super) fn in_output(text: &str) -> Vec<Hit> {
    let mut hits = Vec::new();
    for line in lines(text) {
        if line.len() <= MAX_LINE && line.len() > 3 {
            apply(&OUTPUT_RULES, line.trim_end(), &mut hits);
        }
    }
    hits
}

/// Identifiers in a shell command: addresses, ports, branches, and names of exported variables.
pub(super) fn in_command(command: &str) -> Vec<Hit> {
    let mut hits = Vec::new();
    for line in lines(command) {
        apply(&COMMAND_RULES, pipeline::clip_bytes(line, MAX_LINE), &mut hits);
    }
    hits
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Pieces that the rules look for, and what stands around them.
    fn piece() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            " ",
            ":",
            "#",
            "`",
            "'",
            "(",
            ")",
            "[",
            "]",
            ".",
            "-",
            "_",
            "@",
            "/",
            "=",
            ",",
            "order",
            "id",
            "is",
            "number",
            "Flight",
            "HAT12",
            "port",
            "8080",
            "localhost:",
            "127.0.0.1",
            "10.1.2.3",
            "commit",
            "45ffe0a",
            "Committed as",
            "branch",
            "PR",
            "merge request",
            "!",
            "issue",
            "ABC-12",
            "CVE-2024-1234",
            "01234567-89ab-cdef-0123-456789abcdef",
            "a@b.example",
            "$",
            "€",
            "5,000.50",
            "million",
            "USD",
            "euros",
            "元",
            "руб",
            "2026-01-02",
            "March",
            "4th",
            "2026",
            "2026年1月2日",
            "1月2日",
            "Django",
            "v1.2",
            "==4.2.1",
            "version",
            "1.2.3-rc1",
            "A_B",
            "${A_B}",
            "https://a.example/x?y=1",
            "remote:",
            "Python",
            "npm",
            "Installed x",
            "+ x@1.2",
            "Created",
            "x-1234",
            "listening",
            "On",
            "On branch main",
            "Switched to a new branch 'x'",
            "* [new branch]",
            "main",
            "->",
            "git checkout -b",
            "--port",
            "-p",
            "export",
            "ABC_D=",
            "gh pr view",
            "gh run view",
            "1234567",
            "[main 45ffe0a] x",
            "aaaaaaa..bbbbbbb",
            "  aaaaaaa...bbbbbbb  main -> main",
            "v",
            "server",
            "é",
            "汉",
        ])
    }

    #[test]
    fn every_rule_has_its_needs() {
        for (rules, needs) in [(SPEECH, SPEECH_NEEDS), (OUTPUT, OUTPUT_NEEDS), (COMMAND, COMMAND_NEEDS)] {
            assert_eq!(rules.len(), needs.len());
        }
    }

    proptest! {
        #[test]
        fn the_look_passes_over_no_rule_that_finds_something(
            pieces in prop::collection::vec(piece(), 0..9),
            glue in prop::sample::select(vec!["", " "]),
        ) {
            let line = pieces.join(glue);
            for rules in [&SPEECH_RULES, &OUTPUT_RULES, &COMMAND_RULES] {
                let (mut looked, mut all) = (Vec::new(), Vec::new());
                apply(rules, &line, &mut looked);
                apply_some(rules, u128::MAX, &line, &mut all);
                prop_assert_eq!(looked, all, "{}", line);
            }
        }
    }
}
