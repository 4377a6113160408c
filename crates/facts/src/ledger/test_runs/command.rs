//! Recognises commands that run tests, also behind wrappers (`docker exec`, `poetry run`).

use super::super::shell::{self, Pipeline, basename};
use super::rules::{Command, RULES, Tests};

/// How reliable the output and the exit code of a test command are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Reading {
    /// The command ran nothing else, so its exit code is that of the tests.
    pub alone: bool,
    /// A filter may have removed lines that report failures.
    pub filtered: bool,
    /// The output went through `head` with this many lines; a shorter output is complete.
    pub head: Option<usize>,
    /// The command is a test run only if its output contains a test summary.
    pub only_if_summary: bool,
}

/// Parses how a command runs tests; `None` when it does not.
pub(super) fn reading(pipelines: &[Pipeline]) -> Option<Reading> {
    reading_in(pipelines, 0)
}

fn reading_in(pipelines: &[Pipeline], depth: u8) -> Option<Reading> {
    let mut found: Option<Reading> = None;
    let mut others = 0_usize;
    for one in pipelines {
        match test_kind(one, depth) {
            Some(only_if_summary) => {
                let (filtered, head) = filters(one);
                let before = found.take().unwrap_or(Reading { only_if_summary, ..Reading::default() });
                others += usize::from(before.alone);
                found = Some(Reading {
                    alone: one.commands.len() == 1 && !one.redirected,
                    filtered: before.filtered | filtered,
                    head: before.head.max(head),
                    only_if_summary: before.only_if_summary && only_if_summary,
                });
            }
            None if is_preparation(one) => {}
            None => others += 1,
        }
    }
    found.map(|r| Reading { alone: r.alone && others == 0, ..r })
}

/// Whether a pipeline only prepares (`cd`, `export`, …) and prints nothing.
fn is_preparation(pipeline: &Pipeline) -> bool {
    pipeline.commands.first().is_some_and(|s| holds(&RULES.words.preparations, s.program()))
}

/// Whether the commands after the runner filter its output, and the limit of a `head`.
fn filters(pipeline: &Pipeline) -> (bool, Option<usize>) {
    let mut filtered = pipeline.redirected;
    let mut head = None;
    for stage in pipeline.commands.iter().skip(1) {
        match stage.program() {
            reader if holds(&RULES.words.readers, reader) => {}
            "head" => head = Some(head_lines(stage)),
            _ => filtered = true,
        }
    }
    (filtered, head)
}

fn head_lines(stage: &shell::Command) -> usize {
    stage.args().iter().find_map(|a| a.trim_start_matches(['-', 'n', '=']).parse().ok()).unwrap_or(10)
}

/// `Some(false)` for a test run, `Some(true)` for a script that is one only if its output has a summary, else `None`.
fn test_kind(pipeline: &Pipeline, depth: u8) -> Option<bool> {
    let first = pipeline.commands.first()?;
    let words: Vec<&str> = first.words.iter().map(|word| &**word).collect();
    if asks_only_for_information(&words) {
        return None;
    }
    runs_tests(&words, depth)
}

fn asks_only_for_information(words: &[&str]) -> bool {
    words.iter().any(|word| holds(&RULES.words.information, word))
}

/// Whether the name of a script or target contains a word for tests.
fn names_a_test(target: &str) -> bool {
    let lower = target.to_ascii_lowercase();
    lower.split([':', '-', '_', '.', '/', ' ']).any(|part| holds(&RULES.words.tests, part))
}

fn runs_tests(words: &[&str], depth: u8) -> Option<bool> {
    // Wrappers nest; eight levels are enough.
    if depth > 8 {
        return None;
    }
    let (first, rest) = words.split_first()?;
    let program = basename(first).trim_end_matches(".exe").trim_end_matches(".cmd");
    let Some(command) = RULES.commands.iter().find(|one| one.is_called(program)) else {
        return script_by_path(first, program);
    };
    let sub = first_operand(rest);
    let mut operands = rest.iter().filter(|word| !word.starts_with('-'));
    let has = |word: &str| holds(&command.words, word);
    let yes = |found: bool| found.then_some(false);
    match command.tests {
        Tests::Always => yes(!holds(&command.except, sub)),
        Tests::Wrapper => runs_tests(after_wrapper(rest), depth + 1),
        Tests::Environment if sub == "run" => {
            let inner = after_wrapper(after(rest, sub));
            let script = command.scripts && names_a_test(first_operand(inner));
            runs_tests(inner, depth + 1).or_else(|| yes(script))
        }
        Tests::Environment => yes(has(sub)),
        Tests::Behind if has(sub) => {
            let program = command.program.as_deref();
            runs_tests(
                &program.into_iter().chain(after(rest, sub).iter().copied()).collect::<Vec<_>>(),
                depth + 1,
            )
        }
        Tests::Behind => None,
        Tests::Subcommand => {
            let excepted = rest.iter().any(|word| holds(&command.except, word));
            yes(!excepted && (has(sub) || rest.iter().take(command.within).any(|word| has(word))))
        }
        Tests::Target => yes(operands.any(|word| names_a_test(word) || has(word))),
        Tests::TargetOption => {
            yes(rest.windows(2).any(|two| matches!(two, ["--target", t] if names_a_test(t))))
        }
        Tests::Option => yes(rest.iter().any(|word| word.starts_with('-') && names_a_test(word))),
        Tests::Task => yes(rest.iter().any(|word| command.is_task(word)) && !command.is_excepted(rest)),
        Tests::Code => yes(rest.iter().any(|word| command.words.iter().any(|call| word.contains(call)))),
        Tests::Script => yes(rest.iter().any(|word| has(word))).or_else(|| script_by_name(rest)),
        Tests::Shell => in_shell(command, rest, depth),
        Tests::Cargo => yes(cargo(rest)),
        Tests::Container => in_container(rest, depth),
        Tests::NodePackage => script_runner(program, rest, depth),
        Tests::Powershell => in_powershell(rest, depth),
        Tests::Php => match basename(sub) {
            "artisan" => yes(rest.get(1) == Some(&"test")),
            script => runs_tests(&[script], depth + 1).filter(|_| script != "php"),
        },
        Tests::Python => python(rest, depth),
    }
}

impl Command {
    fn is_called(&self, program: &str) -> bool {
        self.programs.iter().any(|name| fits(name, program))
    }

    /// Whether a word of a build tool's command is a task that runs tests.
    fn is_task(&self, word: &str) -> bool {
        let task = word.rsplit([':', '/']).next().unwrap_or(word);
        self.words.iter().any(|name| fits(name, task))
    }

    fn is_excepted(&self, rest: &[&str]) -> bool {
        rest.iter().any(|word| self.except.iter().any(|except| word.contains(except)))
    }
}

/// Whether a word matches a name, in which one `*` matches anything.
fn fits(name: &str, word: &str) -> bool {
    match name.split_once('*') {
        Some((start, end)) => word.strip_prefix(start).is_some_and(|rest| rest.ends_with(end)),
        None => name == word,
    }
}

fn holds(words: &[String], word: &str) -> bool {
    words.iter().any(|one| one == word)
}

/// A program of the project's own, called by its path.
fn script_by_path(path: &str, program: &str) -> Option<bool> {
    let is_script = path.contains('/') || program.strip_suffix(".sh").is_some();
    let tests = names_a_test(program) || program.starts_with("test") || program.ends_with("test");
    (is_script && tests).then_some(true)
}

fn cargo(rest: &[&str]) -> bool {
    rest.iter().find(|word| !word.starts_with(['-', '+'])).is_some_and(|sub| match *sub {
        "test" | "t" | "tarpaulin" | "llvm-cov" | "miri" => true,
        "nextest" => rest.get(1) != Some(&"list"),
        "insta" => rest.contains(&"test"),
        _ => false,
    })
}

/// The kind of the command that an environment's shell runs.
fn in_shell(command: &Command, rest: &[&str], depth: u8) -> Option<bool> {
    let sub = first_operand(rest);
    if command.scripts && matches!(sub, "run" | "r") {
        return names_a_test(first_operand(after(rest, sub))).then_some(false);
    }
    if holds(&command.words, sub) {
        return Some(false);
    }
    let at = rest.iter().position(|word| matches!(*word, "-c" | "--command" | "--" | "--run"))?;
    match rest.get(at + 1..)? {
        [script] => runs_tests(&script.split_whitespace().collect::<Vec<_>>(), depth + 1),
        inner => runs_tests(inner, depth + 1),
    }
}

/// The kind of the command that PowerShell runs.
fn in_powershell(rest: &[&str], depth: u8) -> Option<bool> {
    let at = rest.iter().position(|w| matches!(w.to_ascii_lowercase().as_str(), "-c" | "-command"))?;
    let script: Vec<&str> = rest.get(at + 1..)?.iter().flat_map(|w| w.split_whitespace()).collect();
    runs_tests(&script, depth + 1)
}

/// A script called by a name with "test" in it is a test run only if its output has a summary.
fn script_by_name(rest: &[&str]) -> Option<bool> {
    let script = basename(rest.iter().find(|w| !w.starts_with('-')).copied().unwrap_or(""));
    script.to_ascii_lowercase().contains("test").then_some(true)
}

fn python(rest: &[&str], depth: u8) -> Option<bool> {
    let mut at = 0;
    while let Some(word) = rest.get(at) {
        match *word {
            "-m" => {
                let module = rest.get(at + 1).copied().unwrap_or("");
                let tail = rest.get(at + 1..).unwrap_or_default();
                return match module {
                    "unittest" | "doctest" | "testtools.run" | "django" | "twisted.trial" => {
                        (module != "django" || tail.contains(&"test")).then_some(false)
                    }
                    _ => runs_tests(tail, depth + 1).filter(|_| !module.starts_with("python")),
                };
            }
            "-W" | "-X" => at += 2,
            w if w.starts_with('-') => {
                if w == "-c" {
                    return None;
                }
                at += 1;
            }
            script => {
                let name = basename(script);
                let sub = rest.get(at + 1).copied().unwrap_or("");
                return match name {
                    "manage.py" | "setup.py" | "django-admin" => (sub == "test").then_some(false),
                    "runtests.py" => Some(false),
                    _ => name.to_ascii_lowercase().contains("test").then_some(true),
                };
            }
        }
    }
    None
}

fn script_runner(program: &str, rest: &[&str], depth: u8) -> Option<bool> {
    let words = &RULES.node_package;
    let mut at = 0;
    while let Some(word) = rest.get(at) {
        let behind = rest.get(at + 1..).unwrap_or_default();
        let target = word.split_once('=').filter(|(name, _)| holds(&words.targets, name));
        match *word {
            word if holds(&words.values, word) => at += 2,
            word if holds(&words.before_a_program, word) => {
                return runs_tests(after_wrapper(behind), depth + 1);
            }
            word if holds(&words.before_a_script, word) => at += 1,
            word if holds(&words.targets, word) => {
                return names_a_test(behind.first().copied().unwrap_or("")).then_some(false);
            }
            _ if target.is_some() => return target.filter(|(_, t)| names_a_test(t)).map(|_| false),
            word if word.starts_with('-') => at += 1,
            "t" | "tst" if program == "npm" => return Some(false),
            word if names_a_test(word) => return Some(false),
            word if holds(&words.no_scripts, word) => return None,
            _ => return runs_tests(rest.get(at..).unwrap_or_default(), depth + 1),
        }
    }
    None
}

fn in_container(rest: &[&str], depth: u8) -> Option<bool> {
    let start = rest.iter().position(|w| matches!(*w, "exec" | "run"))?;
    let tail = rest.get(start + 1..).unwrap_or_default();
    // The image or service comes before the program, but options make its position uncertain, so the first word that
    // starts a test run decides.
    (1..tail.len().min(12)).find_map(|at| {
        let inner = tail.get(at..)?;
        let script = inner
            .first()
            .filter(|w| !w.starts_with('-') && matches!(basename(w), "sh" | "bash"))
            .and_then(|_| inner.iter().skip(1).find(|w| !w.starts_with('-')));
        match script {
            Some(script) => {
                let pipelines = shell::pipelines(&shell::parse(script, None));
                reading_in(&pipelines, depth + 4).map(|reading| reading.only_if_summary)
            }
            None => runs_tests(inner, depth + 4).filter(|only| !only),
        }
    })
}

/// The first word that is neither an option nor `--`.
fn first_operand<'a>(rest: &[&'a str]) -> &'a str {
    rest.iter().find(|w| !w.starts_with('-')).copied().unwrap_or("")
}

/// The words after the first occurrence of a word.
fn after<'a, 'b>(rest: &'b [&'a str], word: &str) -> &'b [&'a str] {
    rest.iter().position(|w| *w == word).and_then(|at| rest.get(at + 1..)).unwrap_or_default()
}

/// Skips a wrapper's own options, assignments and durations.
fn after_wrapper<'a, 'b>(mut rest: &'b [&'a str]) -> &'b [&'a str] {
    while let Some((first, tail)) = rest.split_first() {
        let takes_value = holds(&RULES.words.wrapper_values, first);
        let duration = first.starts_with(|c: char| c.is_ascii_digit())
            && first.trim_end_matches(['s', 'm', 'h']).parse::<f64>().is_ok();
        if takes_value {
            rest = tail.get(1..).unwrap_or_default();
        } else if first.starts_with('-') || first.contains('=') || duration {
            rest = tail;
        } else {
            break;
        }
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn containers_in_containers_are_followed_to_a_depth() {
        let command = |levels: usize, inner: &str| format!("{}{inner}", "docker run x sh <(".repeat(levels));
        let read = |text: &str| reading(&shell::pipelines(&shell::parse(text, None))).is_some();
        assert!(read("docker run x sh -c 'docker run x pytest'"));
        assert!(!read(&command(5_000, "pytest")), "no stack is deep enough");
        let branching = format!("docker run x{} <(", " -/sh".repeat(11)).repeat(20);
        assert!(!read(&branching), "eleven readings of each of eleven");
    }

    #[test]
    fn a_wrapper_s_options_and_a_script_s_text_are_no_commands() {
        for command in [
            "cat test_x.py",
            "ls tests && sed -n 1,20p tests/test_a.py",
            "cat > run.sh <<'EOF'\npytest\nEOF",
            "",
        ] {
            assert_eq!(reading(&shell::pipelines(&shell::parse(command, None))), None, "{command}");
        }
        assert_eq!(
            reading(&shell::pipelines(&shell::parse("bash -lc 'cd x && cargo test'", None)))
                .map(|r| r.only_if_summary),
            Some(false)
        );
    }

    #[test]
    fn the_exit_code_counts_only_for_a_test_on_its_own() {
        let alone = |c: &str| reading(&shell::pipelines(&shell::parse(c, None))).unwrap().alone;
        assert!(alone("pytest -q"));
        assert!(alone("cd a && pytest -q 2>&1"));
        assert!(!alone("pytest -q | tail -5"));
        assert!(!alone("pytest -q; echo done"));
        assert!(!alone("pytest a && pytest b"));
        assert!(!alone("npm ci && npm test"));
    }
}
