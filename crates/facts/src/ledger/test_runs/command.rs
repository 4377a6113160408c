//! Which commands run tests, through the wrappers that people put in front of them.

use super::super::shell::{self, Command, Pipeline, basename};

/// What stands between a test runner and the reader of its output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Reading {
    /// The command did nothing else, so that its exit code is the test's.
    pub alone: bool,
    /// A filter dropped lines that may have told of failures.
    pub filtered: bool,
    /// A `head -n` of this many lines stands behind the run: a shorter output is whole.
    pub head: Option<usize>,
    /// The runner's own summary may be taken from the output of a program of another kind.
    pub only_if_summary: bool,
}

/// Reads how a command runs tests; `None` when it does not.
pub(super) fn reading(pipelines: &[Pipeline]) -> Option<Reading> {
    let mut found: Option<Reading> = None;
    let mut others = 0_usize;
    for one in pipelines {
        match test_kind(one) {
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

/// Whether a pipeline only sets the scene (`cd`, `export`, …) and prints nothing of its own.
fn is_preparation(pipeline: &Pipeline) -> bool {
    pipeline.commands.first().is_some_and(|s| {
        matches!(
            s.program(),
            "cd" | "pushd"
                | "popd"
                | "export"
                | "set"
                | "source"
                | "."
                | "unset"
                | "conda"
                | "ulimit"
                | "shopt"
                | "true"
                | "nvm"
                | "module"
        )
    })
}

/// What the stages behind the runner do to its output.
fn filters(pipeline: &Pipeline) -> (bool, Option<usize>) {
    let mut filtered = pipeline.redirected;
    let mut head = None;
    for stage in pipeline.commands.iter().skip(1) {
        match stage.program() {
            // The end of the output is where the summaries are, so `tail` hides nothing that decides.
            "tail" | "tee" | "cat" | "less" | "more" => {}
            "head" => head = Some(head_lines(stage)),
            _ => filtered = true,
        }
    }
    (filtered, head)
}

fn head_lines(stage: &Command) -> usize {
    stage.args().iter().find_map(|a| a.trim_start_matches(['-', 'n', '=']).parse().ok()).unwrap_or(10)
}

/// `Some(false)` for a test run, `Some(true)` for a script that is one if its output says so.
fn test_kind(pipeline: &Pipeline) -> Option<bool> {
    let first = pipeline.commands.first()?;
    let words: Vec<&str> = first.words.iter().map(|word| &**word).collect();
    if asks_only_for_information(&words) {
        return None;
    }
    runs_tests(&words, 0)
}

fn asks_only_for_information(words: &[&str]) -> bool {
    words.iter().any(|w| {
        matches!(
            *w,
            "--help"
                | "--version"
                | "--collect-only"
                | "--co"
                | "--list"
                | "--list-tests"
                | "--listTests"
                | "--showConfig"
                | "--fixtures"
                | "-list"
        )
    })
}

/// Whether a script's or a target's name says that it tests.
fn names_a_test(target: &str) -> bool {
    let lower = target.to_ascii_lowercase();
    lower.split([':', '-', '_', '.', '/', ' ']).any(|part| {
        matches!(
            part,
            "test"
                | "tests"
                | "spec"
                | "specs"
                | "unittest"
                | "e2e"
                | "pytest"
                | "jest"
                | "vitest"
                | "unittests"
                | "testall"
        )
    })
}

fn runs_tests(words: &[&str], depth: u8) -> Option<bool> {
    // Bounded, since every wrapper takes at least one word away.
    if depth > 8 {
        return None;
    }
    let (first, rest) = words.split_first()?;
    let program = basename(first).trim_end_matches(".exe").trim_end_matches(".cmd");
    let arg = |n: usize| rest.get(n).copied().unwrap_or("");
    let sub = first_operand(rest);
    let yes = |found: bool| found.then_some(false);
    match program {
        "pytest" | "py.test" | "nosetests" | "nose2" | "jest" | "vitest" | "mocha" | "ava" | "karma"
        | "ctest" | "rspec" | "phpunit" | "paratest" | "pest" | "tox" | "nox" | "trial" | "bats"
        | "busted" | "prove" | "gotestsum" | "ginkgo" | "tap" | "jasmine" | "cargo-nextest" | "stestr"
        | "runtests.py" | "ptw" | "elm-test" | "wtr" | "web-test-runner" | "testcafe" | "cucumber"
        | "cucumber-js" | "behave" | "behat" | "robot" | "kaocha" | "Invoke-Pester" | "shellspec"
        | "shunit2" | "tsd" => yes(program != "vitest" || !matches!(sub, "bench" | "init")),
        "sudo" | "time" | "nice" | "nohup" | "stdbuf" | "xvfb-run" | "rtk" | "command" | "exec" | "env"
        | "cross-env" | "dotenv" | "timeout" | "gtimeout" | "ionice" | "caffeinate" | "unbuffer"
        | "chronic" | "strace" | "npx" | "bunx" | "pnpx" | "dlx" | "nyc" | "c8" => {
            runs_tests(after_wrapper(rest), depth + 1)
        }
        "uv" | "poetry" | "pipenv" | "pdm" | "rye" | "hatch" | "conda" | "mamba" | "micromamba" | "pixi" => {
            match sub {
                "run" => {
                    let inner = after_wrapper(after(rest, sub));
                    // Hatch and pixi run scripts of the project by name.
                    let script = matches!(program, "hatch" | "pixi") && names_a_test(first_operand(inner));
                    runs_tests(inner, depth + 1).or_else(|| yes(script))
                }
                "test" => yes(program == "hatch" || program == "rye"),
                _ => None,
            }
        }
        "coverage" => {
            (sub == "run").then(|| runs_tests(&[&["python"], after(rest, sub)].concat(), depth + 1))?
        }
        "bundle" => (sub == "exec").then(|| runs_tests(after(rest, sub), depth + 1))?,
        "docker" | "podman" | "docker-compose" | "nerdctl" | "kubectl" => in_container(rest, depth),
        "nix" | "nix-shell" | "direnv" | "devbox" | "mise" | "rtx" | "asdf" => {
            let inner = rest
                .iter()
                .position(|w| matches!(*w, "-c" | "--command" | "--" | "--run"))
                .map(|at| rest.get(at + 1..).unwrap_or_default());
            match (sub, inner) {
                ("run" | "r", _) if program == "mise" => yes(names_a_test(first_operand(after(rest, sub)))),
                ("test", _) if program == "mise" => Some(false),
                (_, Some([script])) => runs_tests(&script.split_whitespace().collect::<Vec<_>>(), depth + 1),
                (_, Some(inner)) => runs_tests(inner, depth + 1),
                _ => None,
            }
        }
        "npm" | "pnpm" | "yarn" | "bun" | "deno" | "turbo" | "lerna" | "nx" | "rush" | "wireit" | "moon" => {
            script_runner(program, rest, depth)
        }
        "ng" | "react-scripts" | "vue-cli-service" | "craco" | "ember" | "hardhat" | "forge" | "anchor"
        | "truffle" | "go" | "swift" | "mix" | "dotnet" | "flutter" | "dart" | "stack" | "cabal"
        | "bazel" | "bazelisk" | "buck2" | "rails" | "lein" | "gleam" | "crystal" | "dune" | "zig"
        | "nimble" | "playwright" | "wasm-pack" | "v" | "odin" | "spago" | "raco" | "scala-cli" => yes(sub
            == "test"
            || sub == "vet-test"
            || (program == "crystal" && sub == "spec")
            || (program == "dune" && rest.iter().any(|w| matches!(*w, "runtest" | "@runtest" | "@test")))
            || rest.iter().take(3).any(|w| *w == "test")
            || (program == "vue-cli-service" && names_a_test(sub))),
        "cargo" => yes(rest.iter().find(|w| !w.starts_with(['-', '+'])).is_some_and(|w| {
            matches!(*w, "test" | "t" | "nextest" | "tarpaulin" | "llvm-cov" | "miri")
                && !(*w == "nextest" && arg(1) == "list")
                || *w == "insta" && rest.contains(&"test")
        })),
        "terraform" | "tofu" | "molecule" | "ansible-test" => {
            yes(matches!(sub, "test" | "units" | "integration"))
        }
        "helm" => yes(sub == "unittest"),
        "clj" | "clojure" => yes(rest.iter().any(|w| w.starts_with('-') && names_a_test(w))),
        "pwsh" | "powershell" => in_powershell(rest, depth),
        p if p.starts_with("pytest-") => Some(false),
        "node" | "tsx" | "ts-node" => yes(rest.contains(&"--test")).or_else(|| script_by_name(rest)),
        "cypress" | "codecept" | "newman" => yes(sub == "run"),
        "rebar3" => yes(matches!(sub, "eunit" | "ct" | "proper")),
        "julia" | "Rscript" | "R" => yes(calls_tests(program, rest)),
        "xcodebuild" | "sbt" | "gradle" | "gradlew" | "mvn" | "mvnw" | "mvnd" | "ant" | "gradlew.bat" => {
            yes(rest.iter().any(|word| is_test_task(program, word, rest)))
        }
        "make" | "gmake" | "just" | "task" | "rake" | "invoke" | "inv" | "composer" | "meson" | "ninja"
        | "grunt" | "gulp" | "ninja-build" | "tusk" | "doit" => yes(rest
            .iter()
            .filter(|w| !w.starts_with('-'))
            .any(|w| names_a_test(w) || (program.ends_with("make") && *w == "check"))),
        "cmake" => yes(rest.windows(2).any(|w| matches!(w, ["--target", t] if names_a_test(t)))),
        "php" => match basename(sub) {
            "artisan" => yes(arg(1) == "test"),
            script => runs_tests(&[script], depth + 1).filter(|_| script != "php"),
        },
        "ruby" | "bin" | "spring" => script_by_name(rest),
        p if p.starts_with("python") || p == "py" || p == "pypy3" || p == "pypy" => python(rest, depth),
        p if first.contains('/') || p.strip_suffix(".sh").is_some() => {
            (names_a_test(p) || p.starts_with("test") || p.ends_with("test")).then_some(true)
        }
        _ => None,
    }
}

/// What PowerShell is given to run.
fn in_powershell(rest: &[&str], depth: u8) -> Option<bool> {
    let at = rest.iter().position(|w| matches!(w.to_ascii_lowercase().as_str(), "-c" | "-command"))?;
    let script: Vec<&str> = rest.get(at + 1..)?.iter().flat_map(|w| w.split_whitespace()).collect();
    runs_tests(&script, depth + 1)
}

/// Whether a word of a build tool's command is a task that runs tests.
fn is_test_task(program: &str, word: &str, words: &[&str]) -> bool {
    let task = word.rsplit([':', '/']).next().unwrap_or(word);
    matches!(
        task,
        "test"
            | "verify"
            | "check"
            | "integrationTest"
            | "testOnly"
            | "testQuick"
            | "integration-test"
            | "surefire"
            | "connectedAndroidTest"
    ) || (task.starts_with("test") && task.ends_with("UnitTest"))
        || (program.starts_with("mvn")
            && task == "install"
            && !words.iter().any(|w| w.contains("skipTests") || w.contains("maven.test.skip")))
}

/// Whether the tests are called from code that is given as a word of the command.
fn calls_tests(program: &str, rest: &[&str]) -> bool {
    const JULIA: &[&str] = &["Pkg.test(", "test/runtests.jl"];
    const R: &[&str] = &["test()", "test_local(", "test_dir(", "test_check(", "test_file("];
    let calls = if program == "julia" { JULIA } else { R };
    rest.iter().any(|word| calls.iter().any(|call| word.contains(call)))
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
    // `-w pkg`, `--filter pkg`, `-C dir`, `--prefix dir` take the word behind them.
    let mut at = 0;
    while let Some(word) = rest.get(at) {
        match *word {
            "-w" | "--workspace" | "--filter" | "-F" | "-C" | "--dir" | "--prefix" | "--cwd"
            | "workspace" => at += 2,
            "run" | "run-script" | "workspaces" | "foreach" | "affected" | "run-many" | "recursive"
            | "-r" | "exec" | "dlx" | "x" | "--run" => {
                if matches!(*word, "exec" | "dlx" | "x") {
                    return runs_tests(after_wrapper(rest.get(at + 1..).unwrap_or_default()), depth + 1);
                }
                at += 1;
            }
            "-t" | "--target" | "--targets" => {
                return names_a_test(rest.get(at + 1).copied().unwrap_or("")).then_some(false);
            }
            w if w.starts_with("--target=") || w.starts_with("--targets=") => {
                return names_a_test(w.split_once('=').map_or("", |(_, t)| t)).then_some(false);
            }
            w if w.starts_with('-') => at += 1,
            "t" | "tst" if program == "npm" => return Some(false),
            w if names_a_test(w) => return Some(false),
            "add" | "install" | "i" | "remove" | "view" | "info" | "why" | "build" | "init" | "create"
            | "link" | "ls" | "list" => return None,
            w => return runs_tests(&[&[w], rest.get(at + 1..).unwrap_or_default()].concat(), depth + 1),
        }
    }
    None
}

fn in_container(rest: &[&str], depth: u8) -> Option<bool> {
    let start = rest.iter().position(|w| matches!(*w, "exec" | "run"))?;
    let tail = rest.get(start + 1..).unwrap_or_default();
    // The image or service stands before the program, but options make its place uncertain: the
    // first word that starts a test run decides.
    (1..tail.len().min(12)).find_map(|at| {
        let inner = tail.get(at..)?;
        let script = inner
            .first()
            .filter(|w| matches!(basename(w), "sh" | "bash"))
            .and_then(|_| inner.iter().skip(1).find(|w| !w.starts_with('-')));
        match script {
            Some(script) => {
                reading(&shell::pipelines(&shell::parse(script, None))).map(|r| r.only_if_summary)
            }
            None => runs_tests(inner, depth + 4).filter(|only| !only),
        }
    })
}

/// The first word that is neither an option nor `--`.
fn first_operand<'a>(rest: &[&'a str]) -> &'a str {
    rest.iter().find(|w| !w.starts_with('-')).copied().unwrap_or("")
}

/// What stands behind the first occurrence of a word.
fn after<'a, 'b>(rest: &'b [&'a str], word: &str) -> &'b [&'a str] {
    rest.iter().position(|w| *w == word).and_then(|at| rest.get(at + 1..)).unwrap_or_default()
}

/// Skips a wrapper's own options, assignments and durations.
fn after_wrapper<'a, 'b>(mut rest: &'b [&'a str]) -> &'b [&'a str] {
    while let Some((first, tail)) = rest.split_first() {
        let takes_value = matches!(
            *first,
            "-n" | "-p"
                | "--python"
                | "--with"
                | "--group"
                | "--extra"
                | "--package"
                | "--project"
                | "--directory"
                | "-u"
                | "-k"
                | "-s"
                | "--name"
                | "--env-file"
                | "-o"
                | "-e"
        );
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
    use rstest::rstest;

    #[rstest]
    #[case("pytest -q")]
    #[case("cd app && DJANGO=1 python -m pytest tests -x 2>&1 | tail -20")]
    #[case("python3 -W ignore -m unittest discover")]
    #[case("python manage.py test polls")]
    #[case("./tests/runtests.py --parallel 1")]
    #[case("uv run --with x pytest")]
    #[case("poetry run pytest -k a")]
    #[case("npm test -- --watch=false")]
    #[case("npm run test:unit")]
    #[case("pnpm --filter web test")]
    #[case("pnpm exec vitest run")]
    #[case("yarn workspace web test")]
    #[case("yarn jest src")]
    #[case("bun test src/x.test.ts")]
    #[case("bun run test -- --coverage")]
    #[case("npx nx test api")]
    #[case("nx run-many -t test")]
    #[case("make -C build check")]
    #[case("mise run test:integration 2>&1 | tail -5")]
    #[case("timeout 60 go test ./... -run X")]
    #[case("cargo +nightly nextest run")]
    #[case("cargo test --workspace")]
    #[case("node --test")]
    #[case("deno test -A")]
    #[case("./gradlew :app:test --info")]
    #[case("mvn -q -Dtest=A test")]
    #[case("dotnet test --no-build")]
    #[case("ctest --output-on-failure")]
    #[case("bundle exec rspec spec/a_spec.rb")]
    #[case("vendor/bin/phpunit --filter a")]
    #[case("php artisan test")]
    #[case("tox -e py311")]
    #[case("swift test --filter A")]
    #[case("mix test test/a_test.exs")]
    #[case("docker compose exec -T web pytest -q")]
    #[case("bash -lc 'cd x && cargo test'")]
    #[case("npx playwright test")]
    fn a_test_command_is_told(#[case] command: &str) {
        assert_eq!(
            reading(&shell::pipelines(&shell::parse(command, None))).map(|r| r.only_if_summary),
            Some(false),
            "{command}"
        );
    }

    #[rstest]
    #[case("cat test_x.py")]
    #[case("grep -rn pytest .")]
    #[case("pip install pytest")]
    #[case("npm install --save-dev jest")]
    #[case("git commit -m 'go test ./...'")]
    #[case("echo cargo test")]
    #[case("which pytest")]
    #[case("pytest --version")]
    #[case("pytest --collect-only -q")]
    #[case("ls tests && sed -n 1,20p tests/test_a.py")]
    #[case("go build ./... && go vet ./...")]
    #[case("cargo build")]
    #[case("cat > run.sh <<'EOF'\npytest\nEOF")]
    #[case("npm run build")]
    #[case("python -c 'import pytest'")]
    #[case("")]
    fn another_command_is_none(#[case] command: &str) {
        assert_eq!(reading(&shell::pipelines(&shell::parse(command, None))), None, "{command}");
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
