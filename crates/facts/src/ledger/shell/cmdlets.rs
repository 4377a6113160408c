//! Effects of the built-in commands of PowerShell and `cmd` on files.

use std::rc::Rc;

use super::command::Word;
use super::effect::Op;
use super::effects::{MAX_WRITTEN, Reader, one_line};
use super::windows::as_path;
use crate::ledger::line::head;
use crate::ledger::paths;
use crate::ledger::words::WORDS;

/// The longest text of a value that is kept, in bytes.
const TEXT_BYTES: usize = 64 * 1024;

/// The arguments of a cmdlet, by kind.
struct Given {
    /// Values with their parameter's name, in lower case.
    named: Vec<(String, Word)>,
    /// Values without a parameter's name.
    plain: Vec<Word>,
    /// Parameters without a value, in lower case.
    switches: Vec<String>,
}

impl Given {
    fn read(words: &[Word]) -> Self {
        let mut given = Self { named: Vec::new(), plain: Vec::new(), switches: Vec::new() };
        let mut open: Option<String> = None;
        for word in words.iter().skip(1) {
            let lower = head(&word.text, 40).to_ascii_lowercase();
            let option = lower.len() > 1 && lower.starts_with('-') && !lower.contains(char::is_whitespace);
            if option {
                if WORDS.valued_parameters.contains(&lower) {
                    open = Some(lower);
                } else {
                    open = None;
                    given.switches.push(lower);
                }
            } else if let Some(name) = open.clone() {
                // `-Path a, b` takes several words; other parameters take one.
                if !matches!(name.as_str(), "-path" | "-literalpath") {
                    open = None;
                }
                given.named.push((name, word.clone()));
            } else if !(lower.starts_with('/') && lower.len() <= 3) {
                given.plain.push(word.clone());
            }
        }
        given
    }

    fn named(&self, names: &[&str]) -> Vec<Word> {
        self.named.iter().filter(|(n, _)| names.contains(&n.as_str())).map(|(_, w)| w.clone()).collect()
    }

    /// The files that the command works on, and its other values without a name.
    fn files(&self) -> (Vec<Word>, &[Word]) {
        let named = self.named(&["-path", "-literalpath", "-filepath", "-outfile"]);
        if named.is_empty() {
            return (
                self.plain.iter().take(1).map(as_path).collect(),
                self.plain.get(1..).unwrap_or_default(),
            );
        }
        (named.iter().map(as_path).collect(), &self.plain)
    }
}

impl Reader<'_> {
    /// Adds the effects of a built-in command of a Windows shell; returns `false` when `name` is not one.
    pub(super) fn cmdlet(&mut self, name: &str) -> bool {
        if !self.step.windows {
            return false;
        }
        let lower = name.to_ascii_lowercase();
        let given = Given::read(&self.step.words);
        let (files, rest) = given.files();
        let switch = |short: &str| given.switches.iter().any(|s| s.starts_with(short));
        match lower.as_str() {
            "get-content" | "gc" | "cat" | "type" | "select-string" | "sls" | "import-csv" | "more" => {
                let pattern_first = lower.starts_with('s') && given.named(&["-pattern"]).is_empty();
                let named = !given.named(&["-path", "-literalpath"]).is_empty();
                let files = if pattern_first && !named { rest.iter().map(as_path).collect() } else { files };
                let also = if lower == "type" || lower == "cat" { rest } else { &[] };
                for file in files.iter().cloned().chain(also.iter().map(as_path)) {
                    self.add(Op::Read, &file, None, None);
                }
            }
            "set-content" | "sc" | "out-file" | "clear-content" | "add-content" | "ac" | "tee-object" => {
                let appends = matches!(lower.as_str(), "add-content" | "ac") || switch("-append");
                let op = if appends { Op::Append } else { Op::Write };
                let value = given.named(&["-value", "-inputobject"]).into_iter().next();
                let text =
                    value.or_else(|| rest.first().cloned()).map(|w| Rc::from(head(&w.text, TEXT_BYTES)));
                for file in files.iter().take(MAX_WRITTEN) {
                    self.add(op, file, text.clone(), None);
                }
            }
            "invoke-webrequest" | "iwr" => {
                for file in given.named(&["-outfile"]) {
                    self.add(Op::Write, &as_path(&file), None, Some("downloaded".to_owned()));
                }
            }
            "new-item" | "ni" => self.made(&given, &files),
            "remove-item" | "ri" | "del" | "erase" | "rm" | "rd" | "rmdir" => {
                let op = if switch("-r") || lower.starts_with("rd") { Op::DeleteTree } else { Op::Delete };
                for file in files.iter().cloned().chain(rest.iter().map(as_path)) {
                    self.add(op, &file, None, None);
                }
            }
            "move-item" | "mi" | "move" | "mv" | "rename-item" | "rni" | "ren" | "rename" => {
                self.given_a_new_path(&lower, &given, (&files, rest));
            }
            "copy-item" | "cpi" | "copy" | "cp" | "xcopy" => {
                let to = given.named(&["-destination"]).into_iter().next().or_else(|| rest.first().cloned());
                if let (Some(from), Some(to)) = (files.first(), to)
                    && !switch("-r")
                {
                    self.add(Op::Read, from, None, None);
                    self.copied_to(from, &as_path(&to));
                }
            }
            _ => return false,
        }
        true
    }

    fn made(&mut self, given: &Given, files: &[Word]) {
        let kind = given.named(&["-itemtype", "-type"]);
        if kind.iter().any(|k| !k.text.eq_ignore_ascii_case("file")) {
            return;
        }
        let text = given.named(&["-value"]).first().map(|w| Rc::from(head(&w.text, TEXT_BYTES)));
        let op = if text.is_some() { Op::Write } else { Op::Touch };
        let name = given.named(&["-name"]).into_iter().next();
        for file in files {
            let path = match &name {
                Some(name) => Word {
                    text: format!("{}/{}", file.text, as_path(name).text),
                    literal: file.literal && name.literal,
                },
                None => file.clone(),
            };
            self.add(op, &path, text.clone(), None);
        }
    }

    fn given_a_new_path(&mut self, command: &str, given: &Given, (files, rest): (&[Word], &[Word])) {
        let to =
            given.named(&["-destination", "-newname"]).into_iter().next().or_else(|| rest.first().cloned());
        let (Some(from), Some(to)) = (files.first(), to) else { return };
        let to = as_path(&to);
        let renames = command.starts_with('r');
        let target = match from.text.rsplit_once('/') {
            Some((folder, _)) if renames && !to.text.contains('/') => format!("{folder}/{}", to.text),
            _ => super::copies::placed(&from.text, &to.text, false),
        };
        let literal = from.literal && to.literal;
        if !literal || !paths::is_shell_file(&from.text) || !paths::is_shell_file(&target) {
            return;
        }
        let mut effect = self.effect(Op::Move, &target, None, None);
        effect.from = Some((from.text.clone(), paths::join(self.step.dir.as_deref(), &from.text)));
        self.push(effect);
    }

    fn copied_to(&mut self, from: &Word, to: &Word) {
        let path = super::copies::placed(&from.text, &to.text, false);
        if !super::copies::is_backup(&from.text, &path) {
            let words = Some(format!("copied from {}", one_line(&from.text)));
            self.add(Op::Copy, &Word { text: path, literal: to.literal }, None, words);
        }
    }
}
