//! Test runs of the Python packages and of the web front end.

use super::{Fail, Step, World};
use std::fmt::Write as _;

impl World {
    /// Runs the Python tests of a package.
    pub(super) fn pytest(&mut self, text: &str, package: usize, fails: &[Fail]) -> Step {
        let name = self.theme.packages[package].name;
        let verbose = self.dice.chance(30);
        let flags =
            if verbose { "-v" } else { self.dice.pick(&["-q", "--tb=short", "-q -p no:cacheprovider", ""]) };
        let start = self.dice.pick(&["pytest", "python -m pytest", "docker compose run --rm api pytest"]);
        let command = format!("{start} tests/{name} {flags}").trim_end().to_owned();
        let mods: Vec<(String, Vec<String>)> = (self.modules.iter())
            .filter(|m| m.package == package && !m.gone)
            .map(|m| (format!("tests/{name}/test_{}.py", m.stem), m.tests.clone()))
            .collect();
        let total: usize = mods.iter().map(|m| m.1.len()).sum();
        let failing: Vec<String> = (fails.iter())
            .map(|f| format!("tests/{name}/test_{}.py::{}", self.modules[f.at].stem, f.name))
            .collect();
        let mut out = if command.contains("-q") { String::new() } else { self.pytest_head(total) };
        pytest_lines(&mut out, &mods, &failing, verbose, total);
        self.pytest_failures(&mut out, fails);
        let passed = total - fails.len();
        let seconds = format!("{}.{:02}s", self.dice.range(1, 14), self.dice.below(100));
        let count = if fails.is_empty() {
            format!("{passed} passed in {seconds}")
        } else {
            for (f, id) in fails.iter().zip(&failing) {
                let _ = writeln!(out, "FAILED {id} - {}", f.line);
            }
            format!("{} failed, {passed} passed in {seconds}", fails.len())
        };
        let summary = if command.contains("-q") { count } else { format!("{:=^80}", format!(" {count} ")) };
        out.push_str(&summary);
        let step = self.bash(text, &command, &out);
        self.outcome(&command, passed, &failing, step);
        for f in fails {
            if let Some((kind, message)) = f.line.split_once(": ") {
                self.error(kind, message, &format!("E       {}", f.line), step);
            }
        }
        step
    }

    /// The first lines of a test run.
    fn pytest_head(&mut self, total: usize) -> String {
        let minor = self.dice.range(1, 9);
        format!(
            "============================= test session starts ==============================\n\
             platform linux -- Python 3.12.{minor}, pytest-8.3.2, pluggy-1.5.0\nrootdir: {}\n\
             configfile: pyproject.toml\nplugins: cov-5.0.0, anyio-4.4.0, time-machine-2.14.2\n\
             collected {total} items\n\n",
            self.root
        )
    }

    /// The part of a test run that shows what failed.
    fn pytest_failures(&mut self, out: &mut String, fails: &[Fail]) {
        if fails.is_empty() {
            return;
        }
        out.push_str("\n=================================== FAILURES ===================================\n");
        for f in fails {
            let module = &self.modules[f.at];
            let path = format!("{}/test_{}.py", self.theme.packages[module.package].name, module.stem);
            let kind = f
                .line
                .split(':')
                .next()
                .filter(|k| f.line.contains(": ") && !k.contains(' '))
                .unwrap_or("AssertionError");
            let line = self.dice.range(31, 140);
            let title = format!(" {} ", f.name);
            let _ = writeln!(
                out,
                "{title:_^80}\n\n    def {}():\n{}\nE       {}\n\ntests/{path}:{line}: {kind}",
                f.name, f.code, f.line
            );
        }
        out.push_str("=========================== short test summary info ============================\n");
    }

    /// Runs the tests of a web component's folder.
    pub(super) fn jest(&mut self, text: &str, part: usize, fail: Option<(&str, &str, &str)>) -> Step {
        let package = self.parts[part].package;
        let folder = self.theme.packages[package].name;
        let start = self.dice.pick(&["npx jest", "npm test --", "pnpm jest"]);
        let flag = self.dice.pick(&["", " --verbose", " --silent"]);
        let command = format!("{start} web/src/{folder}{flag}");
        let verbose = flag == " --verbose";
        let mut out = String::new();
        let mut total = 0;
        let mut suites = 0;
        for (at, p) in self.parts.iter().enumerate().filter(|(_, p)| p.package == package) {
            let bad = fail.filter(|_| at == part);
            let _ = writeln!(
                out,
                "{} web/src/{folder}/{}.test.tsx",
                if bad.is_some() { "FAIL" } else { "PASS" },
                p.name
            );
            suites += 1;
            total += p.tests.len();
            if verbose || bad.is_some() {
                let _ = writeln!(out, "  {}", p.name);
                for (i, t) in p.tests.iter().enumerate() {
                    let mark = if bad.is_some_and(|b| b.0 == t) { "✕" } else { "✓" };
                    let _ = writeln!(out, "    {mark} {t} ({} ms)", 2 + (i * 7 + t.len()) % 23);
                }
            }
        }
        let name = self.parts[part].name.clone();
        let mut failing = Vec::new();
        if let Some((test, want, have)) = fail {
            failing.push(format!("{name} › {test}"));
            let line = self.dice.range(18, 90);
            let _ = writeln!(
                out,
                "\n  ● {name} › {test}\n\n    \
                 expect(received).toBe(expected) // Object.is equality\n\n    Expected: {want}\n    \
                 Received: {have}\n\n      at Object.<anonymous> \
                 (web/src/{folder}/{name}.test.tsx:{line}:31)"
            );
        }
        let passed = total - failing.len();
        let bad = failing.len();
        let lead = if bad > 0 { format!("{bad} failed, ") } else { String::new() };
        let good = suites - bad;
        let ms = self.dice.range(1200, 9000);
        let middle = if good > 0 { format!("{good} passed, ") } else { String::new() };
        let _ = write!(
            out,
            "\nTest Suites: {lead}{middle}{suites} total\n\
             Tests:       {lead}{passed} passed, {total} total\nSnapshots:   0 total\n\
             Time:        {}.{:03} s\nRan all test suites matching \
             /web\\/src\\/{folder}/i.",
            ms / 1000,
            ms % 1000
        );
        let step = self.bash(text, &command, &out);
        self.outcome(&command, passed, &failing, step);
        step
    }

    /// Runs a small fixed set of tests.
    pub(super) fn small_pytest(
        &mut self,
        folder: &str,
        file: &str,
        names: &[&str],
        fail: Option<(&str, &str)>,
    ) -> Step {
        let command =
            self.dice.pick(&["pytest -q", "python -m pytest -q", "pytest"]).to_owned() + " tests/" + folder;
        let path = format!("tests/{folder}/{file}");
        let all: Vec<String> = names.iter().map(|n| (*n).to_owned()).collect();
        let failing: Vec<String> = fail.iter().map(|f| format!("{path}::{}", f.0)).collect();
        let mut out = if command.contains("-q") { String::new() } else { self.pytest_head(all.len()) };
        pytest_lines(&mut out, &[(path.clone(), all)], &failing, false, names.len());
        let passed = names.len() - failing.len();
        if let Some((name, line)) = fail {
            let at = self.dice.range(20, 70);
            let title = format!(" {name} ");
            let _ = writeln!(
                out,
                "=================================== FAILURES \
                 ===================================\n{title:_^80}\nE       {line}\n\n\
                 {path}:{at}: AssertionError\n=========================== short test summary info \
                 ============================\nFAILED {path}::{name} - {line}"
            );
            let _ = write!(out, "1 failed, {passed} passed in 0.{at}s");
        } else {
            let _ = write!(out, "{passed} passed in 0.{}s", self.dice.range(20, 90));
        }
        let step = self.bash("", &command, &out);
        self.outcome(&command, passed, &failing, step);
        step
    }
}

/// The lines of a test run that name files or tests.
fn pytest_lines(
    out: &mut String,
    mods: &[(String, Vec<String>)],
    failing: &[String],
    verbose: bool,
    total: usize,
) {
    let mut done = 0;
    for (path, tests) in mods {
        let mut dots = String::new();
        for test in tests {
            done += 1;
            let id = format!("{path}::{test}");
            let bad = failing.contains(&id);
            dots.push(if bad { 'F' } else { '.' });
            if verbose {
                let _ = writeln!(
                    out,
                    "{id} {} [{:>3}%]",
                    if bad { "FAILED" } else { "PASSED" },
                    done * 100 / total.max(1)
                );
            }
        }
        if !verbose {
            let _ = writeln!(out, "{:<72} [{:>3}%]", format!("{path} {dots}"), done * 100 / total.max(1));
        }
    }
    if !out.is_empty() {
        out.push('\n');
    }
}
