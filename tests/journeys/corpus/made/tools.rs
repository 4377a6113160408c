//! The tools of the agent: messages, and what they do to files and errors.

use super::prose::{ABOUT_COMMAND, BEFORE_COMMIT};
use super::spelling::{numbered, small};
use super::{Item, Step, Track, World};
use serde_json::{Value, json};

impl World {
    /// Adds a message and gives its place.
    pub(super) fn add(&mut self, message: Value, size: usize) -> usize {
        self.chars += size;
        self.minute += 1 + self.dice.below(2);
        self.messages.push(message);
        self.messages.len() - 1
    }

    /// A message of the person.
    pub(super) fn user(&mut self, text: &str) -> usize {
        self.minute += self.dice.range(2, 25);
        self.add(json!({"role": "user", "content": text}), text.chars().count())
    }

    /// A message of the agent without calls.
    pub(super) fn agent(&mut self, text: &str) -> usize {
        self.add(json!({"role": "assistant", "content": text}), text.chars().count())
    }

    /// Calls of the agent in one message, and their results.
    fn calls(&mut self, text: &str, calls: Vec<(&str, Value, String)>) -> Vec<Step> {
        let mut list = Vec::new();
        let mut results = Vec::new();
        let plan = std::mem::take(&mut self.plan);
        let text =
            if plan.is_empty() { text.to_owned() } else { format!("{plan}{text}").trim_end().to_owned() };
        let mut size = text.chars().count();
        for (name, arguments, result) in calls {
            self.calls += 1;
            let id = format!("call_{:05}{}", self.calls, self.dice.hex(4));
            let arguments = arguments.to_string();
            size += arguments.chars().count();
            list.push(
                json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}),
            );
            results.push((id, result));
        }
        let content = if text.is_empty() { Value::Null } else { json!(text) };
        let ask = self.add(json!({"role": "assistant", "content": content, "tool_calls": list}), size);
        let mut steps = Vec::new();
        for (id, result) in results {
            let size = result.chars().count();
            let got = self.add(json!({"role": "tool", "tool_call_id": id, "content": result}), size);
            steps.push(Step { ask, got });
        }
        steps
    }

    /// One call and its result.
    pub(super) fn call(&mut self, text: &str, name: &str, arguments: Value, result: String) -> Step {
        let steps = self.calls(text, vec![(name, arguments, result)]);
        steps[0]
    }

    /// A shell command and its output.
    pub(super) fn bash(&mut self, text: &str, command: &str, output: &str) -> Step {
        let arguments = if self.dice.chance(35) {
            let about = self.tell(ABOUT_COMMAND, &[]);
            json!({"command": command, "description": about})
        } else {
            json!({"command": command})
        };
        let output = if output.is_empty() { "(no output)" } else { output };
        self.call(text, "Bash", arguments, output.to_owned())
    }

    /// Now and then a sentence before a call, else nothing.
    pub(super) fn thought(&mut self, list: &'static [&'static str], with: &[(&str, &str)]) -> String {
        if self.dice.chance(55) { self.tell(list, with) } else { String::new() }
    }

    /// The absolute spelling of a path.
    pub(super) fn full(&self, path: &str) -> String {
        format!("{}/{path}", self.root)
    }

    /// Notes that a message touched a file.
    pub(super) fn track(&mut self, path: &str, at: usize, absolute: bool) -> &mut Track {
        let found = self.tracks.iter().position(|t| t.path == path);
        let place = found.unwrap_or_else(|| {
            let path = path.to_owned();
            self.tracks.push(Track {
                path,
                absolute,
                before: true,
                now: true,
                changed: false,
                first: at,
                last: at,
            });
            self.tracks.len() - 1
        });
        let track = &mut self.tracks[place];
        track.absolute |= absolute;
        track.last = at;
        track
    }

    /// The agent reads a file; the whole of it the first time, a stretch of it later.
    pub(super) fn read(&mut self, text: &str, path: &str) -> Step {
        let steps = self.read_all(text, &[path]);
        steps[0]
    }

    /// The agent reads files in one message.
    pub(super) fn read_all(&mut self, text: &str, paths: &[&str]) -> Vec<Step> {
        let mut calls = Vec::new();
        for path in paths {
            let content = self.text_of(path);
            let lines = content.lines().count();
            let seen = self.tracks.iter().any(|t| t.path == *path);
            if seen && lines > 60 && self.dice.chance(70) {
                let from = self.dice.below(lines / 2);
                let most = self.dice.range(25, 60);
                let arguments = json!({"file_path": self.full(path), "offset": from + 1, "limit": most});
                calls.push(("Read", arguments, numbered(&content, from, most)));
            } else {
                calls.push(("Read", json!({"file_path": self.full(path)}), numbered(&content, 0, 400)));
            }
        }
        let steps = self.calls(text, calls);
        for (path, step) in paths.iter().zip(&steps) {
            self.track(path, step.ask, true);
        }
        steps
    }

    /// The agent writes a file that was not there.
    pub(super) fn write(&mut self, text: &str, path: &str, content: &str) -> Step {
        let full = self.full(path);
        let result = format!("File created successfully at: {full}");
        self.texts.insert(path.to_owned(), content.to_owned());
        let step = self.call(text, "Write", json!({"file_path": full, "content": content}), result);
        let known = self.tracks.iter().any(|t| t.path == path);
        let track = self.track(path, step.ask, true);
        if !known {
            track.before = false;
        }
        track.now = true;
        track.changed = true;
        step
    }

    /// The agent replaces a passage of a file; `old` must stand in it.
    pub(super) fn edit(&mut self, text: &str, path: &str, old: &str, new: &str) -> Step {
        let content = self.text_of(path);
        let changed = content.replacen(old, new, 1);
        debug_assert!(content.contains(old), "{path} lacks {old}");
        let line = content.find(old).map_or(0, |at| content[..at].lines().count().saturating_sub(1));
        let full = self.full(path);
        let result = if self.dice.chance(50) {
            let span = new.lines().count() + 5;
            let shown = numbered(&changed, line.saturating_sub(2), span);
            format!(
                "The file {full} has been updated. Here's the result of running `cat -n` on a snippet of the edited file:\n{shown}"
            )
        } else {
            format!("The file {full} has been updated successfully.")
        };
        self.texts.insert(path.to_owned(), changed);
        let arguments = json!({"file_path": full, "old_string": old, "new_string": new});
        let step = self.call(text, "Edit", arguments, result);
        self.track(path, step.ask, true).changed = true;
        step
    }

    /// Adds text at the end of a file by replacing its last line.
    pub(super) fn extend(&mut self, text: &str, path: &str, more: &str) -> Step {
        let content = self.text_of(path);
        let end = content.trim_end();
        let mut from = end.rfind('\n').map_or(0, |at| at + 1);
        while end.matches(&end[from..]).count() > 1 && from > 1 {
            from = end[..from - 1].rfind('\n').map_or(0, |at| at + 1);
        }
        let last = end[from..].to_owned();
        let new = format!("{last}\n{more}");
        self.edit(text, path, &last, &new)
    }

    /// The agent removes a file with a shell command.
    pub(super) fn remove(&mut self, text: &str, path: &str) -> Step {
        let step = self.bash(text, &format!("git rm -q {path} && git status --short"), &format!("D  {path}"));
        let track = self.track(path, step.ask, false);
        track.now = false;
        self.shell.removed.push(path.to_owned());
        self.texts.remove(path);
        step
    }

    /// The agent renames files that were there before the session, with git.
    pub(super) fn rename(&mut self, text: &str, pairs: &[(String, String)]) -> Step {
        let moves: Vec<String> = pairs.iter().map(|(old, new)| format!("git mv {old} {new}")).collect();
        let shown: Vec<String> = pairs.iter().map(|(old, new)| format!("R  {old} -> {new}")).collect();
        let step =
            self.bash(text, &format!("{} && git status --short", moves.join(" && ")), &shown.join("\n"));
        for (old, new) in pairs {
            if let Some(content) = self.texts.remove(old) {
                self.texts.insert(new.clone(), content);
            }
            self.track(old, step.ask, false).now = false;
            let track = self.track(new, step.ask, false);
            track.before = false;
            track.changed = true;
            self.renamed.push(json!([old, new]));
            self.shell.written.push(new.clone());
            self.shell.removed.push(old.clone());
        }
        step
    }

    /// Replaces a passage in files with `sed -i`.
    pub(super) fn sed(&mut self, text: &str, paths: &[String], old: &str, new: &str) -> Step {
        let command = format!("sed -i 's/{old}/{new}/g' {}", paths.join(" "));
        let step = self.bash(text, &command, "");
        for path in paths {
            let content = self.text_of(path).replace(old, new);
            self.texts.insert(path.clone(), content);
            self.track(path, step.ask, false).changed = true;
            if !self.shell.edited.contains(path) {
                self.shell.edited.push(path.clone());
            }
        }
        step
    }

    /// The agent reads a file by a shell command that names it.
    pub(super) fn shell_read(&mut self, text: &str, command: &str, path: &str, output: &str) -> Step {
        let step = self.bash(text, command, output);
        self.track(path, step.ask, false);
        if !self.shell.read.iter().any(|p| p == path) {
            self.shell.read.push(path.to_owned());
        }
        step
    }

    /// Keeps an error, unless the same one came before.
    pub(super) fn error(&mut self, kind: &str, message: &str, raw: &str, step: Step) {
        let known = self.errors.iter().any(|e| e["type"] == kind && e["message"] == message);
        if !known {
            let (msg, got) = (step.ask, step.got);
            self.errors
                .push(json!({"type": kind, "message": message, "raw": raw, "msg": msg, "result_msg": got}));
        }
    }

    /// Keeps the outcome of a test run.
    pub(super) fn outcome(&mut self, command: &str, passed: usize, failing: &[String], step: Step) {
        let outcome = if failing.is_empty() { "pass" } else { "fail" };
        self.tests.push(json!({
            "command": command, "outcome": outcome, "passed": passed, "failed": failing.len(), "failing": failing,
            "msg": step.ask, "result_msg": step.got,
        }));
    }

    /// Commits what was done, in the style that holds now.
    pub(super) fn commit(&mut self, it: &Item, subject: &str) -> Step {
        let subject = if self.ticket_first {
            format!("({}) {}", it.ticket, small(subject))
        } else {
            let package = self.dice.pick(&["fix", "feat", "chore", "change"]);
            format!("{package}: {}", small(subject))
        };
        let hash = self.dice.hex(7);
        let (n, plus, minus) = (self.dice.range(1, 5), self.dice.range(4, 120), self.dice.range(1, 40));
        let files = if n == 1 { "file" } else { "files" };
        let output = format!(
            "[main {hash}] {subject}\n {n} {files} changed, {plus} insertions(+), {minus} deletions(-)"
        );
        let text = self.thought(BEFORE_COMMIT, &[]);
        self.bash(&text, &format!("git add -A && git commit -m \"{subject}\""), &output)
    }
}
