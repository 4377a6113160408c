//! Shell commands, read for what they do: simple commands in order, each with the directory that
//! it runs in.
//!
//! What lives here: the walk over a parsed script, the plain reader for scripts that do not parse,
//! what each command does to files.
//! Invariant: reading is linear in the script's length; nothing is expanded or run.
//! Must not know: which agent ran the command.

mod cmdlets;
mod copies;
mod effects;
mod formatters;
mod git;
mod plain;
mod script;
mod simple;
mod windows;
mod word;

use brush_parser::ast;
pub(super) use effects::{Effect, Op, effects};
pub(super) use script::{Written, edits_in, writes_in};
pub(super) use word::quote;

use super::paths;
use word::Word;

/// Scripts longer than this go to the plain reader: a parser's work grows faster than its text.
const PARSED_BYTES: usize = 64 * 1024;
/// Scripts with more constructs that nest go to the plain reader: the parser descends by recursion,
/// and a stack that overflows ends the process. Counting all of them, not their depth, cannot be
/// fooled by a closing word in quotes.
const MAX_NESTABLE: usize = 48;
/// The parser's work doubles with every `(` and `case` that is left open.
const MAX_DOUBLING: usize = 8;
/// The most redirections of one command.
const MAX_REDIRECTS: usize = 16;
/// Scripts in scripts (`bash -c`) are followed this far.
const SCRIPT_DEPTH: usize = 3;
/// The most simple commands read out of one script.
const MAX_STEPS: usize = 2_000;

/// One simple command of a script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Step {
    /// The command's name and arguments; assignments before it are gone.
    words: Vec<Word>,
    /// Its redirections of output and input to files.
    redirects: Vec<Redirect>,
    /// The text of its here-document.
    heredoc: Option<String>,
    /// The directory it runs in, when it is known; else relative to where the script starts.
    dir: Option<String>,
    /// Whether a Windows shell ran it.
    windows: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Redirect {
    kind: RedirectKind,
    target: Word,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RedirectKind {
    Read,
    Write,
    Append,
}

/// Reads a script into its simple commands, and tells the directory it ends in.
fn steps(script: &str, dir: Option<&str>, depth: usize) -> (Vec<Step>, Option<String>) {
    let mut walk = Walk { steps: Vec::new(), dir: dir.map(str::to_owned), depth };
    if windows::is_script(script, dir) {
        windows::read(script, &mut walk);
        return (walk.steps, walk.dir);
    }
    if is_parsed(script) {
        if simple::read(script, &mut walk) {
            return (walk.steps, walk.dir);
        }
        if let Some(program) = parse(script) {
            walk.program(&program);
            return (walk.steps, walk.dir);
        }
    }
    plain::read(script, &mut walk);
    (walk.steps, walk.dir)
}

/// The directory that a script leaves its shell in; `None` when it does not move or none is known.
pub(super) fn ends_in(script: &str, dir: Option<&str>) -> Option<String> {
    let (_, end) = steps(script, dir, 0);
    end.filter(|e| Some(e.as_str()) != dir && paths::is_absolute(e))
}

/// Whether a script is neither too large nor, by its substitutions, too deep for the parser.
fn is_parsed(script: &str) -> bool {
    script.len() <= PARSED_BYTES && substitutions(script) <= MAX_NESTABLE
}

/// Parses a script; `None` when it is too deep or broken.
fn parse(script: &str) -> Option<ast::Program> {
    // The parser unwraps in places that strange scripts reach (a file descriptor above 2³¹). A
    // transcript must not be able to end its compression, so such a script is read plainly too.
    std::panic::catch_unwind(|| parse_unguarded(script)).ok().flatten()
}

fn parse_unguarded(script: &str) -> Option<ast::Program> {
    let options = brush_parser::ParserOptions::default();
    let tokens = brush_parser::uncached_tokenize_str(script, &options.tokenizer_options()).ok()?;
    let (mut nestable, mut doubling) = (0, 0);
    for token in &tokens {
        match token.to_str() {
            "{" | "[[" | "if" | "while" | "until" | "for" | "select" | "!" => nestable += 1,
            "(" | "<(" | ">(" | "case" => doubling += 1,
            "((" => doubling += 2,
            number if number.len() > 9 && number.bytes().all(|b| b.is_ascii_digit()) => return None,
            _ => {}
        }
    }
    if nestable > MAX_NESTABLE || doubling > MAX_DOUBLING {
        return None;
    }
    brush_parser::parse_tokens(&tokens, &options).ok()
}

/// How many substitutions a script holds, which is how deep they can nest.
fn substitutions(script: &str) -> usize {
    let bytes = script.as_bytes();
    let pairs = bytes.windows(2).filter(|w| {
        matches!(w, [b'$' | b'<' | b'>' | b'@' | b'!' | b'?' | b'*' | b'+', b'('] | [b'$', b'{'])
    });
    pairs.count() + memchr::memchr_iter(b'`', bytes).count() / 2
}

/// Gathers steps and follows `cd`.
struct Walk {
    steps: Vec<Step>,
    dir: Option<String>,
    depth: usize,
}

impl Walk {
    fn program(&mut self, program: &ast::Program) {
        for list in &program.complete_commands {
            self.list(list);
        }
    }

    fn list(&mut self, list: &ast::CompoundList) {
        for ast::CompoundListItem(and_or, _) in &list.0 {
            self.pipeline(&and_or.first);
            for more in &and_or.additional {
                let (ast::AndOr::And(pipeline) | ast::AndOr::Or(pipeline)) = more;
                self.pipeline(pipeline);
            }
        }
    }

    fn pipeline(&mut self, pipeline: &ast::Pipeline) {
        let outer = (pipeline.seq.len() > 1).then(|| self.dir.clone());
        for command in &pipeline.seq {
            self.command(command);
        }
        // Each part of a pipe runs in a shell of its own.
        if let Some(outer) = outer {
            self.dir = outer;
        }
    }

    fn command(&mut self, command: &ast::Command) {
        match command {
            ast::Command::Simple(simple) => self.simple(simple),
            ast::Command::Compound(compound, redirects) => {
                self.compound(compound);
                if let Some(redirects) = redirects {
                    let mut step = self.empty();
                    for redirect in &redirects.0 {
                        add_redirect(&mut step, redirect);
                    }
                    self.push(step);
                }
            }
            ast::Command::Function(_) | ast::Command::ExtendedTest(..) => {}
        }
    }

    fn compound(&mut self, compound: &ast::CompoundCommand) {
        match compound {
            ast::CompoundCommand::BraceGroup(group) => self.list(&group.list),
            ast::CompoundCommand::Subshell(subshell) => {
                let outer = self.dir.clone();
                self.list(&subshell.list);
                self.dir = outer;
            }
            ast::CompoundCommand::ForClause(one) => self.for_each(one),
            ast::CompoundCommand::ArithmeticForClause(one) => self.list(&one.body.list),
            ast::CompoundCommand::CaseClause(one) => {
                for list in one.cases.iter().filter_map(|c| c.cmd.as_ref()) {
                    self.list(list);
                }
            }
            ast::CompoundCommand::IfClause(one) => {
                self.list(&one.condition);
                self.list(&one.then);
                for other in one.elses.iter().flatten() {
                    if let Some(condition) = &other.condition {
                        self.list(condition);
                    }
                    self.list(&other.body);
                }
            }
            ast::CompoundCommand::WhileClause(one) | ast::CompoundCommand::UntilClause(one) => {
                self.list(&one.0);
                self.list(&one.1.list);
            }
            ast::CompoundCommand::Coprocess(one) => self.command(&one.body),
            ast::CompoundCommand::Arithmetic(_) => {}
        }
    }

    /// A loop over literal words is what agents write to edit several files: its body is read once
    /// per word, with the variable filled in.
    fn for_each(&mut self, one: &ast::ForClauseCommand) {
        let from = self.steps.len();
        self.list(&one.body.list);
        let body: Vec<Step> = self.steps.drain(from.min(self.steps.len())..).collect();
        let values: Vec<Word> = one.values.iter().flatten().map(|w| Word::read(&w.value)).collect();
        if values.is_empty() || values.len() > 50 || values.iter().any(|v| !v.literal) {
            self.steps.extend(body);
            return;
        }
        for value in &values {
            for step in &body {
                self.push(step.filled(&one.variable_name, &value.text));
            }
        }
    }

    fn simple(&mut self, simple: &ast::SimpleCommand) {
        let mut step = self.empty();
        for item in simple.prefix.iter().flat_map(|p| &p.0) {
            add_item(&mut step, item, true);
        }
        if let Some(name) = &simple.word_or_name {
            step.words.push(Word::read(&name.value));
        }
        for item in simple.suffix.iter().flat_map(|s| &s.0) {
            add_item(&mut step, item, false);
        }
        self.push(step);
    }

    fn empty(&self) -> Step {
        Step {
            words: Vec::new(),
            redirects: Vec::new(),
            heredoc: None,
            dir: self.dir.clone(),
            windows: false,
        }
    }

    /// Takes a step in: moves on `cd`, looks into `bash -c`, else keeps it.
    fn push(&mut self, mut step: Step) {
        effects::unwrap(&mut step);
        for word in step.words.iter_mut().chain(step.redirects.iter_mut().map(|r| &mut r.target)) {
            if !word.literal && word.text.contains("HOME") {
                word.fill("HOME", "~");
            }
        }
        let name = step.words.first().map(|w| w.text.as_str()).unwrap_or_default();
        if matches!(name, "cd" | "pushd" | "chdir" | "Set-Location" | "Push-Location" | "sl") {
            let target = step
                .words
                .iter()
                .skip(1)
                .find(|w| w.text == "-" || !w.text.starts_with('-') && !w.text.eq_ignore_ascii_case("/d"))
                .map(|w| if step.windows { windows::as_path(w) } else { w.clone() });
            match target {
                Some(to) if to.literal && to.text != "-" => {
                    self.dir = Some(paths::join(self.dir.as_deref(), &to.text));
                }
                _ => self.dir = None,
            }
            return;
        }
        if let Some(script) = effects::inner_script(&step)
            && self.depth < SCRIPT_DEPTH
        {
            let (inner, _) = steps(&script, step.dir.as_deref(), self.depth + 1);
            let room = MAX_STEPS.saturating_sub(self.steps.len());
            self.steps.extend(inner.into_iter().take(room));
            step.words.clear();
            step.heredoc = None;
        }
        if self.steps.len() < MAX_STEPS && (!step.words.is_empty() || !step.redirects.is_empty()) {
            self.steps.push(step);
        }
    }
}

impl Step {
    fn filled(&self, variable: &str, value: &str) -> Self {
        let mut step = self.clone();
        for word in step.words.iter_mut().chain(step.redirects.iter_mut().map(|r| &mut r.target)) {
            word.fill(variable, value);
        }
        step
    }
}

fn add_item(step: &mut Step, item: &ast::CommandPrefixOrSuffixItem, prefix: bool) {
    match item {
        ast::CommandPrefixOrSuffixItem::IoRedirect(redirect) => add_redirect(step, redirect),
        ast::CommandPrefixOrSuffixItem::Word(word) => step.words.extend(Word::expand(&word.value)),
        // `dd of=f` is an argument, `A=1 cmd` is not.
        ast::CommandPrefixOrSuffixItem::AssignmentWord(_, word) if !prefix => {
            step.words.push(Word::read(&word.value));
        }
        ast::CommandPrefixOrSuffixItem::AssignmentWord(..)
        | ast::CommandPrefixOrSuffixItem::ProcessSubstitution(..) => {}
    }
}

fn add_redirect(step: &mut Step, redirect: &ast::IoRedirect) {
    if step.redirects.len() >= MAX_REDIRECTS {
        return;
    }
    match redirect {
        ast::IoRedirect::File(_, kind, ast::IoFileRedirectTarget::Filename(word)) => {
            let kind = match kind {
                ast::IoFileRedirectKind::Read => RedirectKind::Read,
                ast::IoFileRedirectKind::Append => RedirectKind::Append,
                ast::IoFileRedirectKind::Write | ast::IoFileRedirectKind::Clobber => RedirectKind::Write,
                ast::IoFileRedirectKind::ReadAndWrite
                | ast::IoFileRedirectKind::DuplicateInput
                | ast::IoFileRedirectKind::DuplicateOutput => return,
            };
            step.redirects.push(Redirect { kind, target: Word::read(&word.value) });
        }
        ast::IoRedirect::OutputAndError(word, append) => {
            let kind = if *append { RedirectKind::Append } else { RedirectKind::Write };
            step.redirects.push(Redirect { kind, target: Word::read(&word.value) });
        }
        ast::IoRedirect::HereDocument(_, doc) => step.heredoc = Some(doc.doc.value.clone()),
        ast::IoRedirect::HereString(_, word) => step.heredoc = Some(Word::read(&word.value).text),
        ast::IoRedirect::File(..) => {}
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn walk() -> Walk {
        Walk { steps: Vec::new(), dir: Some("/w".to_owned()), depth: 0 }
    }

    const PIECES: &[&str] = &[
        "cd",
        "cd ..",
        "cat",
        "a.rs",
        "src/b.rs",
        "-n",
        "--flag=x",
        "A=1",
        "A+=b",
        "of=f",
        "x=",
        "$HOME/c",
        "$A",
        "'one word'",
        "\"a b\"",
        "\"$A b\"",
        "\"^a$\"",
        "'$(x) `y` {1,2}'",
        "\"{a,b}\"",
        "''",
        "\\(",
        "\"\\\"\"",
        "*.rs",
        "a[0]",
        "a[0]=1",
        "~",
        "2",
        "2>&1",
        ">&2",
        "> out",
        ">> out",
        "2>/dev/null",
        "2> err",
        "< in",
        "<in",
        ">out",
        "é",
        "'é'",
        "=",
        "==",
        "[",
        "]",
        "1234567890",
        "bash -c 'cd x && cat y'",
        "sudo",
        "if",
        "then",
        "fi",
        "for",
        "in",
        "do",
        "time",
        "!",
        "{",
        "}",
        "[[",
        "export",
        "declare",
        "local",
        "#",
        "a#b",
        "(",
        ")",
        "$(",
        "$x(",
        "@(",
        "^",
        "%",
        "&&",
        "&&",
        "||",
        ";",
        ";",
        "|",
        "|",
        "&",
        "\n",
        "\n",
        "\t",
        "\\\n",
        "<<EOF",
        "'",
        "\"",
        "\\",
        "$",
        "`",
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]
        #[test]
        fn a_simple_script_is_read_as_the_parser_has_it_read(
            pieces in prop::collection::vec((prop::sample::select(PIECES), prop::sample::select(vec![" ", " ", " ", ""])), 0..10),
        ) {
            let script: String = pieces.iter().flat_map(|(piece, glue)| [*piece, *glue]).collect();
            let (mut read, mut parsed) = (walk(), walk());
            if simple::read(&script, &mut read) {
                let program = parse(&script);
                prop_assert!(program.is_some(), "{}", script);
                parsed.program(&program.unwrap());
                prop_assert_eq!((read.steps, read.dir), (parsed.steps, parsed.dir), "{}", script);
            } else {
                prop_assert_eq!((read.steps, read.dir), (parsed.steps, parsed.dir), "{}", script);
            }
        }
    }

    #[test]
    fn what_agents_mostly_run_needs_no_parser() {
        for script in [
            "cd /work && cargo test part1 2>&1 | tail -50",
            "rg -n 'fn (a|b)' src | head",
            "git add -A && git commit -m \"Say what; why\"",
            "ls -la src/ 2>/dev/null || echo none\ncat a.rs",
            "find . -name '*.py' > list.txt; wc -l list.txt",
        ] {
            assert!(simple::read(script, &mut walk()), "{script}");
        }
    }
}
