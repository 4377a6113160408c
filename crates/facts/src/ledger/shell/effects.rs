//! The effects of a script's commands on files.

use std::rc::Rc;

use super::code;
use super::command::{Redirect, RedirectKind, Script, Word, basename, quote};
use super::effect::{Effect, Op};
use super::steps::{Step, steps};
use crate::ledger::line::{clip_bytes, head};
use crate::ledger::paths;

/// The longest written text that is kept, in bytes.
const TEXT_BYTES: usize = 64 * 1024;
/// The most files to which one command writes a text, because the text is parsed anew for each.
pub(super) const MAX_WRITTEN: usize = 20;
/// The most effects of one script.
const MAX_EFFECTS: usize = 500;

/// The effects of a script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Effects {
    /// The effects on files, in order.
    pub list: Vec<Effect>,
    /// Whether the script is a single command, so that its exit code belongs to that command.
    pub one_command: bool,
}

/// The effects of a script on files when it starts in `dir`.
pub(in super::super) fn effects(script: &Script, dir: Option<&str>) -> Effects {
    let (all, _) = steps(script, dir);
    let mut list = Vec::new();
    for step in &all {
        if list.len() >= MAX_EFFECTS {
            break;
        }
        Reader { step, found: &mut list }.read();
    }
    Effects { list, one_command: all.len() == 1 }
}

/// Programs that run a script, from a file, an argument or a here-document.
const INTERPRETERS: &[&str] =
    &["python", "python2", "python3", "node", "ruby", "deno", "bun", "php", "ipython", "perl"];
/// Other programs that read a script or a patch from a here-document.
const TAKES_SCRIPT: &[&str] =
    &["bash", "sh", "zsh", "dash", "ksh", "psql", "mysql", "sqlite3", "ssh", "patch", "git"];

fn is_interpreter(name: &str) -> bool {
    INTERPRETERS.contains(&name) || name.starts_with("python3.")
}

/// Commands that print the files in their arguments.
const SHOW: &[&str] = &[
    "cat", "less", "more", "nl", "bat", "tac", "xxd", "hexdump", "od", "strings", "wc", "head", "tail",
    "diff", "cmp",
];

/// Whether an option of a command takes the next word as its value.
fn takes_value(command: &str, option: &str) -> bool {
    let options: &[&str] = match command {
        "head" | "tail" => &["-n", "-c", "--lines", "--bytes"],
        "sed" | "gsed" => &["-e", "-f", "--expression", "--file"],
        "grep" | "egrep" | "fgrep" | "rg" | "ag" | "ack" => {
            &["-e", "-f", "-A", "-B", "-C", "-m", "-g", "-t", "--include", "--exclude", "--glob", "--type"]
        }
        "awk" | "gawk" => &["-F", "-v", "-f", "-i"],
        "sd" => &["-f", "-n", "--flags", "--max-replacements"],
        "perl" => &["-e", "-E", "-I"],
        "touch" => &["-d", "-t", "-r"],
        "cp" | "mv" | "install" => &["-t", "-m", "-o", "-g", "-S", "--mode"],
        "unzip" => &["-d", "-x"],
        "patch" => &["-p", "-d", "-i", "-o"],
        "truncate" => &["-s", "-r"],
        "curl" => &["-o", "-H", "-d", "-X", "-u", "--output", "--header", "--data", "-A", "-F"],
        "wget" => &["-O", "-P", "--output-document"],
        "bat" => &["-l", "-r", "--line-range", "--style"],
        "nl" => &["-b", "-w", "-s"],
        "jq" => &["--arg", "--argjson", "-L"],
        "xxd" | "od" | "hexdump" => &["-l", "-s", "-n", "-N", "-j", "-c", "-t", "-A"],
        _ => &[],
    };
    options.contains(&option)
}

/// Finds the effects of one step. A method for a program has the program's name, and gets the name that was called when
/// it is one for several. The modules `copies`, `git`, `formatters` and `cmdlets` add methods for their programs. A new program
/// needs an arm in `read`, its options with values in [`takes_value`], and a place in the lists of interpreters when its
/// here-document is a script.
pub(super) struct Reader<'s> {
    pub(super) step: &'s Step,
    pub(super) found: &'s mut Vec<Effect>,
}

impl Reader<'_> {
    fn read(&mut self) {
        let step = self.step;
        let name = step.words.first().map(|word| basename(word)).unwrap_or_default();
        if self.cmdlet(name) || self.formatted(name) {
            return self.redirected(name);
        }
        match name {
            "" => {}
            name if SHOW.contains(&name) => self.add_all(name, Op::Read),
            "sed" | "gsed" => self.sed(name),
            "perl" | "ruby" if self.in_place() => {}
            "grep" | "egrep" | "fgrep" | "rg" | "ag" | "ack" => self.grep(name),
            "awk" | "gawk" | "jq" | "yq" => self.filter(name),
            "tee" => self.tee(),
            "sd" => self.sd(),
            "touch" => self.add_all(name, Op::Touch),
            "truncate" | "sponge" => self.add_all(name, Op::Write),
            "rm" | "unlink" | "trash" => self.remove(name),
            "mv" => self.mv(),
            "cp" | "install" => self.cp(),
            "tar" | "zip" | "unzip" => self.archiver(name),
            "ln" => self.ln(),
            "git" => self.git(),
            "patch" | "apply_patch" | "applypatch" => self.patch(),
            "ed" | "ex" | "dos2unix" | "unix2dos" => self.add_all(name, Op::Modify),
            "dd" => self.dd(),
            "curl" | "wget" => self.curl(name),
            // A script of perl is not understood.
            "perl" => {}
            name if is_interpreter(name) => self.interpreter(),
            _ => {}
        }
        self.redirected(name);
    }

    fn redirected(&mut self, name: &str) {
        let step = self.step;
        // The here-document of these is a script or a patch, and not what they print.
        let prints_here_doc = !is_interpreter(name) && !TAKES_SCRIPT.contains(&name);
        for Redirect { kind, target, .. } in &step.redirects {
            let op = match kind {
                RedirectKind::Read => Op::Read,
                RedirectKind::Write => Op::Write,
                RedirectKind::Append => Op::Append,
            };
            let text = (prints_here_doc && op != Op::Read).then(|| self.printed_text()).flatten();
            self.add(op, target, text, None);
        }
    }

    /// The text that the command prints, when the script contains it (`echo`, a here-document).
    fn printed_text(&self) -> Option<Rc<str>> {
        let name = self.step.words.first().map(|word| basename(word)).unwrap_or_default();
        match name {
            "echo" | "printf" => {
                let words: Vec<&str> = self
                    .step
                    .words
                    .iter()
                    .skip(1)
                    .map(|w| w.text.as_str())
                    .skip_while(|w| matches!(*w, "-e" | "-n" | "-en" | "--"))
                    .collect();
                Some(head(&words.join(" "), TEXT_BYTES).replace("\\n", "\n").into())
            }
            _ => self.here_doc(),
        }
    }

    fn here_doc(&self) -> Option<Rc<str>> {
        self.step.here_doc.as_deref().map(|text| head(text, TEXT_BYTES).into())
    }

    pub(super) fn push(&mut self, effect: Effect) {
        if self.found.len() < MAX_EFFECTS {
            self.found.push(effect);
        }
    }

    pub(super) fn add(&mut self, op: Op, word: &Word, text: Option<Rc<str>>, description: Option<String>) {
        if !word.literal || !paths::is_shell_file(&word.text) {
            return;
        }
        // The other operations say what they do, or their callers describe them.
        let changes_text = matches!(op, Op::Write | Op::Append | Op::Modify);
        let description =
            description.or_else(|| (changes_text && text.is_none()).then(|| self.command_line()));
        self.push(self.effect(op, &word.text, text, description));
    }

    /// A description of a change whose text the command does not show: the command itself.
    fn command_line(&self) -> String {
        let line = quote(self.step.words.iter().take(12).map(|w| head(&w.text, 80)));
        let line = clip_bytes(line.lines().next().unwrap_or(""), 60);
        if line.is_empty() { "emptied".to_owned() } else { format!("written by `{line}`") }
    }

    pub(super) fn effect(
        &self,
        op: Op,
        path: &str,
        text: Option<Rc<str>>,
        description: Option<String>,
    ) -> Effect {
        let full = paths::join(self.step.dir.as_deref(), path);
        Effect { op, path: path.to_owned(), full, from: None, text, description }
    }

    /// The arguments that are neither options nor values of options.
    pub(super) fn arguments(&self, command: &str) -> Vec<Word> {
        let mut plain = Vec::new();
        let mut words = self.step.words.iter().skip(1);
        let mut options_may_follow = true;
        while let Some(word) = words.next() {
            if options_may_follow && word.text == "--" {
                options_may_follow = false;
            } else if options_may_follow && word.text.starts_with('-') && word.text.len() > 1 {
                if takes_value(command, &word.text) {
                    words.next();
                }
            } else if !word.text.is_empty() {
                plain.push(word.clone());
            }
        }
        plain
    }

    /// Whether an option is given, in its long form or its short one, which may stand among the first six letters behind a dash.
    pub(super) fn has_flag(&self, short: char, long: &str) -> bool {
        self.step.words.iter().skip(1).any(|w| {
            let text = w.text.as_str();
            if let Some(name) = text.strip_prefix("--") {
                return !long.is_empty() && (name == long || name.starts_with(&format!("{long}=")));
            }
            text.strip_prefix('-').is_some_and(|flags| flags.chars().take(6).any(|c| c == short))
        })
    }

    /// Adds the same operation for every file in the arguments.
    pub(super) fn add_all(&mut self, command: &str, op: Op) {
        for word in self.arguments(command) {
            self.add(op, &word, None, None);
        }
    }

    fn sed(&mut self, command: &str) {
        let in_place = self.step.words.iter().skip(1).any(|w| {
            let text = w.text.as_str();
            text.starts_with("--in-place")
                || (text.starts_with('-')
                    && !text.starts_with("--")
                    && text.chars().skip(1).take_while(char::is_ascii_alphabetic).any(|c| c == 'i'))
        });
        let mut arguments = self.arguments(command);
        let from_option = self
            .step
            .words
            .iter()
            .position(|w| matches!(w.text.as_str(), "-e" | "-f" | "--expression" | "--file"))
            .and_then(|at| self.step.words.get(at + 1));
        let expression =
            from_option.cloned().or_else(|| (!arguments.is_empty()).then(|| arguments.remove(0)));
        let is_extended =
            |word: &Word| matches!(&*word.text, "-E" | "-r" | "--regexp-extended" | "-Ei" | "-ri");
        let is_basic = !self.step.words.iter().any(is_extended);
        for word in arguments {
            if in_place {
                let description =
                    expression.as_ref().and_then(|e| substitution(&e.text, is_basic)).unwrap_or_default();
                self.add(Op::Modify, &word, None, Some(description));
            } else {
                self.add(Op::Read, &word, None, None);
            }
        }
    }

    /// Adds the files that a one-line program of perl or ruby edits in place; returns `false` when there is none.
    fn in_place(&mut self) -> bool {
        let flags = |w: &&Word| w.text.starts_with('-') && !w.text.starts_with("--");
        let in_place = self.step.words.iter().skip(1).filter(flags).any(|w| {
            w.text.chars().skip(1).take_while(char::is_ascii_alphanumeric).take(6).any(|c| c == 'i')
        });
        if !in_place {
            return false;
        }
        let mut words = self.step.words.iter().skip(1);
        let mut program = None;
        let mut files = Vec::new();
        while let Some(word) = words.next() {
            if word.text.starts_with('-') {
                if word.text.ends_with(['e', 'E']) {
                    program = words.next();
                }
            } else {
                files.push(word.clone());
            }
        }
        for word in files {
            let description = program.and_then(|p| substitution(&p.text, false)).unwrap_or_default();
            self.add(Op::Modify, &word, None, Some(description));
        }
        true
    }

    /// Adds the files of `sd pattern replacement file…`.
    fn sd(&mut self) {
        if self.has_flag('p', "preview") {
            return;
        }
        let arguments = self.arguments("sd");
        let [pattern, replacement, files @ ..] = arguments.as_slice() else { return };
        let description = format!("{} → {}", one_line(&pattern.text), one_line(&replacement.text));
        for word in files {
            self.add(Op::Modify, word, None, Some(description.clone()));
        }
    }

    fn grep(&mut self, command: &str) {
        let pattern_given = self.step.words.iter().any(|w| w.text == "-e" || w.text == "-f");
        let skip = usize::from(!pattern_given);
        for word in self.arguments(command).into_iter().skip(skip) {
            // Searching a folder is not reading a file; only an extension distinguishes the two.
            if !paths::extension(&word.text).is_empty() && paths::looks_like_file(&word.text) {
                self.add(Op::Read, &word, None, None);
            }
        }
    }

    /// Adds the files of `awk program file…`, and of `jq` and `yq`.
    fn filter(&mut self, command: &str) {
        let mut arguments = self.arguments(command);
        if command == "yq" && arguments.first().is_some_and(|word| matches!(word.text.as_str(), "eval" | "e"))
        {
            arguments.remove(0);
        }
        let [program, files @ ..] = arguments.as_slice() else { return };
        let in_place = match command {
            "yq" => self.has_flag('i', "inplace") || self.has_flag('i', "in-place"),
            "awk" | "gawk" => {
                let mut pairs = self.step.words.iter().zip(self.step.words.iter().skip(1));
                pairs.any(|(option, value)| option.text == "-i" && value.text == "inplace")
            }
            _ => false,
        };
        let op = if in_place { Op::Modify } else { Op::Read };
        let description = in_place.then(|| format!("{command} {}", one_line(&program.text)));
        for word in files {
            self.add(op, word, None, description.clone());
        }
    }

    fn tee(&mut self) {
        let op = if self.has_flag('a', "append") { Op::Append } else { Op::Write };
        let text = self.here_doc();
        for word in self.arguments("tee").into_iter().take(MAX_WRITTEN) {
            self.add(op, &word, text.clone(), None);
        }
    }

    pub(super) fn remove(&mut self, command: &str) {
        let tree = self.has_flag('r', "recursive") || self.has_flag('R', "");
        for word in self.arguments(command) {
            self.add(if tree { Op::DeleteTree } else { Op::Delete }, &word, None, None);
        }
    }

    /// Adds the script file that is run, or what a script in the command does to files.
    fn interpreter(&mut self) {
        let words = &self.step.words;
        let name = words.first().map(|word| basename(word)).unwrap_or_default().to_owned();
        let flag = words.iter().position(|w| matches!(w.text.as_str(), "-c" | "-e" | "-p" | "-r" | "--eval"));
        let inline = flag.and_then(|at| words.get(at + 1)).map(|w| w.text.clone());
        let first = words.iter().skip(1).find(|w| !w.text.starts_with('-'));
        if inline.is_none()
            && let Some(first) = first
        {
            if !words.iter().any(|w| w.text == "-m") && !paths::extension(&first.text).is_empty() {
                self.add(Op::Run, first, None, None);
            }
            return;
        }
        let Some(code) = inline.or_else(|| self.step.here_doc.as_deref().map(str::to_owned)) else { return };
        let replacements = code::replacements_in(&code);
        for code::FileUse { op, path, from } in code::file_uses_in(&code) {
            // The script is not taken for the text of the files that it writes, so each change needs a description.
            let description = match op {
                Op::Read | Op::Move | Op::Delete | Op::DeleteTree | Op::Run | Op::Patch => None,
                Op::Write | Op::Copy | Op::Format | Op::Append | Op::Modify | Op::Touch => {
                    Some(replacements.clone().unwrap_or_else(|| format!("written by a {name} script")))
                }
            };
            let mut effect = self.effect(op, &path, None, description);
            effect.from = from.map(|f| {
                let full = paths::join(self.step.dir.as_deref(), &f);
                (f, full)
            });
            self.push(effect);
        }
    }
}

/// `old → new` for a plain `s/old/new/`, also of some lines only (`4,9s/…/…/`); `None` for any other program. `is_basic` is
/// whether brackets stand for themselves, as in `sed` without `-E`.
fn substitution(program: &str, is_basic: bool) -> Option<String> {
    let program = program.trim();
    let program = program.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ',' | '$'));
    let mut chars = program.strip_prefix('s')?.chars();
    let sign = chars.next().filter(|sign| !sign.is_alphanumeric() && !matches!(sign, ' ' | '\\'))?;
    let mut parts = vec![String::new()];
    let mut is_escaped = false;
    for c in chars {
        match parts.last_mut()? {
            _ if c == sign && !is_escaped => parts.push(String::new()),
            part => {
                if c == sign {
                    part.pop();
                }
                part.push(c);
            }
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    let [old, new, flags] = parts.as_slice() else { return None };
    let old = literal(old.trim_start_matches('^'), |c| match c {
        '[' | '*' | '$' | '^' | '\n' => true,
        '(' | ')' | '{' | '}' | '+' | '?' | '|' => !is_basic,
        _ => false,
    })?;
    let new = literal(new, |c| matches!(c, '&' | '\n'))?;
    let is_one = flags.chars().all(|flag| matches!(flag, 'g' | 'i' | 'I' | '1'));
    (is_one && !old.is_empty()).then(|| format!("{} → {}", old.trim(), new.trim()))
}

/// A part of a substitution as the text that it stands for; `None` where it has a sign that stands for something else.
fn literal(part: &str, is_special: impl Fn(char) -> bool) -> Option<String> {
    let mut text = String::with_capacity(part.len());
    let mut chars = part.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => text.push(chars.next().filter(|c| c.is_ascii_punctuation() && !is_group(*c))?),
            c if is_special(c) => return None,
            c => text.push(c),
        }
    }
    Some(text)
}

/// Whether a sign behind a backslash begins or ends a group, or counts, in `sed`.
fn is_group(sign: char) -> bool {
    matches!(sign, '(' | ')' | '{' | '}' | '+' | '?' | '|' | '<' | '>')
}

pub(super) fn one_line(text: &str) -> String {
    clip_bytes(text.lines().next().unwrap_or(""), 100)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::super::parse;
    use super::{effects, substitution};

    #[rstest]
    #[case("s/a/b/g", true, Some("a → b"))]
    #[case(
        "274s/def f(self, \\*, x=None):/def f(self, *, x=None, **kwargs):/",
        true,
        Some("def f(self, *, x=None): → def f(self, *, x=None, **kwargs):")
    )]
    #[case("4,9s|a\\.b/c|d|", true, Some("a.b/c → d"))]
    #[case("s/^    return old$/x/", true, None)]
    #[case("s/f(x)/g(x)/", true, Some("f(x) → g(x)"))]
    #[case("s/f(x)/g(x)/", false, None)]
    #[case("s/\\(a\\)/b/", true, None)]
    #[case("s/a.*b/c/", true, None)]
    #[case("s/a/<&>/", true, None)]
    #[case("s/a/\\1/", true, None)]
    #[case("s/a\\/b/c/", true, Some("a/b → c"))]
    #[case("5d", true, None)]
    #[case("/x/s/a/b/", true, None)]
    fn a_substitution_is_told_when_it_is_plain(
        #[case] program: &str,
        #[case] is_basic: bool,
        #[case] told: Option<&str>,
    ) {
        assert_eq!(substitution(program, is_basic).as_deref(), told);
    }

    /// The text that a script writes to `out`, as far as the script contains it.
    fn text_of_out(script: &str) -> Option<String> {
        let found = effects(&parse(script, None), None).list;
        let out = found.iter().find(|effect| effect.path == "out").unwrap_or_else(|| panic!("{found:?}"));
        out.text.as_deref().map(str::to_owned)
    }

    #[rstest]
    fn a_script_is_not_taken_for_its_output(
        #[values(
            "python", "python2", "python3", "python3.12", "node", "ruby", "deno run", "bun", "php",
            "ipython", "perl", "zsh", "psql", "sqlite3 a.db", "ssh host", "git apply"
        )]
        program: &str,
    ) {
        let script = format!("{program} - > out <<'EOF'\nprint(1)\nEOF");
        assert_eq!(text_of_out(&script), None, "{script}");
    }

    #[test]
    fn what_a_command_prints_is_the_text_of_its_file() {
        assert_eq!(text_of_out("cat > out <<'EOF'\na\nEOF").as_deref(), Some("a\n"));
        assert_eq!(text_of_out("echo a > out").as_deref(), Some("a"));
    }
}
