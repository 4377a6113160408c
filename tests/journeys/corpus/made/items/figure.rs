//! Work items that change a constant of a module.

use super::super::frames::TEST_FIGURE;
use super::super::prose::{BEFORE_EDIT, BEFORE_TEST, LOOKING};
use super::super::settings::SETTINGS;
use super::super::spelling::{code, facts, tail};
use super::super::{Fail, Item, Setting, World};
use super::prose::{ASK_BACK, ASK_FIGURE, DONE_FIGURE, REVISIONS, RIPPLES, WHY_FIGURE};

impl World {
    /// Another figure than `old`, within what a setting of this kind can be.
    fn other_value(&mut self, kind: usize, old: usize) -> usize {
        let s = &SETTINGS[kind];
        let mut new = old;
        while new == old {
            new = self.dice.range(s.low, s.high) * s.step;
        }
        new
    }

    /// A setting to change: now and then one that an earlier item changed (then with its ticket), else any.
    fn some_setting(&mut self) -> (usize, usize, String) {
        let locked = self.locked();
        let again: Vec<usize> = (0..self.changed.len())
            .filter(|&c| {
                let module = &self.modules[self.changed[c].0];
                !module.gone && !locked.contains(&module.package)
            })
            .collect();
        if !again.is_empty() && self.dice.chance(30) {
            let at = self.dice.pick(&again);
            return self.changed[at].clone();
        }
        let m = self.some_module(false);
        let at = self.dice.below(self.modules[m].settings.len());
        (m, at, String::new())
    }

    /// Changes a figure in a module, with its test.
    pub(super) fn figure_item(&mut self, mut it: Item) {
        let (m, at, earlier) = self.some_setting();
        let package = self.modules[m].package;
        self.focus = package;
        let (path, tests, pkg) = (self.path(m), self.test_path(m), self.theme.packages[package].name);
        self.text_of(&path);
        let s = self.modules[m].settings[at].clone();
        let mut new = self.other_value(s.kind, s.value);
        it.title.clone_from(&s.phrase);
        let why = self.draw(WHY_FIGURE);
        let (from, to) = (s.with_unit(s.value), s.with_unit(new));
        let with = [
            ("phrase", s.phrase.as_str()),
            ("from", &from),
            ("to", &to),
            ("why", why),
            ("pkg", pkg),
            ("ticket", &earlier),
        ];
        let body = self.tell(if earlier.is_empty() { ASK_FIGURE } else { ASK_BACK }, &with);
        let mut said = self.ask(&it, &body);
        self.wander(&it, 34);
        let text = self.thought(LOOKING, &[]);
        self.read_all(&text, &[&path, &tests]);
        let name = self.figure_test(m, &s, new);
        if self.dice.chance(24) {
            (new, said) = self.revise(&s, &tests, new);
        }
        self.stumble(&it, package);
        self.wander(&it, 66);
        let text = self.thought(BEFORE_EDIT, &[("path", &path)]);
        let (old_line, new_line) = (format!("{} = {}  #", s.name, s.value), format!("{} = {new}  #", s.name));
        let step = self.edit(&text, &path, &old_line, &new_line);
        self.modules[m].settings[at].value = new;
        self.changed.retain(|c| (c.0, c.1) != (m, at));
        self.changed.push((m, at, it.ticket.clone()));
        self.ripple(m, s.value, new);
        let run = self.pytest("", package, &[]);
        self.local_choice(&it, package);
        self.commit(&it, &format!("Set {} to {}", s.phrase, s.with_unit(new)));
        let (old, now) = (s.value.to_string(), new.to_string());
        let with =
            [("name", s.name.as_str()), ("new", &now), ("old", &old), ("path", &path), ("test", &name)];
        let done = self.tell(DONE_FIGURE, &with);
        let told = self.report(&it, &done);
        let question =
            format!("What is {} ({}) set to now, and in which file does it stand?", s.name, s.phrase);
        let answer = format!("{}, in {path}; {name} checks it.", s.with_unit(new));
        let known = facts(&[&[&now], &[tail(&path)]]);
        let (key, evidence) = (format!("setting:{}", s.name), [said, step.ask, run.got, told]);
        self.note("artifact", &key, (question, answer), known, &evidence, "an outdated figure would be used");
    }

    /// The person names another figure while the work is on: the figure, and the place of the message.
    fn revise(&mut self, s: &Setting, tests: &str, old: usize) -> (usize, usize) {
        let mut new = old;
        while new == old {
            new = self.other_value(s.kind, s.value);
        }
        let (to, back) = (s.with_unit(new), s.with_unit(old));
        let text = self.tell(REVISIONS, &[("to", &to), ("old", &back), ("phrase", &s.phrase)]);
        let said = self.user(&text);
        let check = |value: usize| format!("    assert subject.{} == {value}", s.name);
        self.edit("", tests, &check(old), &check(new));
        (new, said)
    }

    /// Adds a test for a figure and lets it fail; gives its name.
    fn figure_test(&mut self, m: usize, s: &Setting, new: usize) -> String {
        let tests = self.test_path(m);
        let name = self.test_name(m, &s.name.to_lowercase(), TEST_FIGURE);
        let text = self.thought(BEFORE_TEST, &[("name", &name)]);
        self.extend(&text, &tests, &format!("\n\ndef {name}():\n    assert subject.{} == {new}", s.name));
        self.modules[m].tests.push(name.clone());
        let line = format!("assert {} == {new}", s.value);
        let shown = format!(">       assert subject.{} == {new}", s.name);
        self.pytest("", self.modules[m].package, &[Fail { at: m, name: name.clone(), line, code: shown }]);
        name
    }

    /// Now and then another test held the old figure and has to be changed too.
    fn ripple(&mut self, m: usize, old: usize, new: usize) {
        if !self.dice.chance(30) {
            return;
        }
        let tests = self.test_path(m);
        let package = self.modules[m].package;
        let name = self.modules[m].tests[0].clone();
        let line = format!("assert {new} == {old}");
        self.pytest(
            "",
            package,
            &[Fail {
                at: m,
                name: name.clone(),
                line,
                code: format!(">       assert result.limit == {old}"),
            }],
        );
        let text = self.tell(RIPPLES, &[("name", &name), ("old", &old.to_string())]);
        let head = format!("def {name}():");
        let remark = self.dice.pick(&[
            "the figure comes from the module now",
            "no figure of its own any more",
            "asks the module instead of knowing better",
        ]);
        self.edit(&text, &tests, &head, &format!("{head}\n    # {remark} ({new})"));
    }

    /// A name for a new test that the module does not have yet.
    pub(super) fn test_name(&mut self, m: usize, about: &str, list: &'static [&'static str]) -> String {
        let frame = self.draw(list);
        let mut name = code(frame, &[("about", about)]);
        while self.modules[m].tests.contains(&name) {
            name.push_str("_again");
        }
        name
    }
}
