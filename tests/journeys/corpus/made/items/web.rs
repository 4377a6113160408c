//! Work items in the web front end.

use super::super::prose::{BEFORE_TEST, YIELDS};
use super::super::spelling::{capital, facts, tail};
use super::super::words::LABELS;
use super::super::{Item, Part, World};
use super::prose::{ASK_WEB, DONE_WEB, WRONG_PLACE};

impl World {
    /// Changes a component of the front end, with jest.
    pub(super) fn web_item(&mut self, mut it: Item) {
        let locked = self.locked();
        let fits: Vec<usize> =
            (0..self.parts.len()).filter(|&p| !locked.contains(&self.parts[p].package)).collect();
        let p = self.dice.pick(&fits);
        let path = self.part_path(p, false);
        self.text_of(&path);
        let before = self.parts[p].clone();
        self.focus = before.package;
        let mut after = before.clone();
        while after.value == before.value {
            after.value = self.dice.range(2, 16) * 5;
        }
        self.draw(LABELS).clone_into(&mut after.label);
        let figure = self.dice.chance(50) || after.label == before.label;
        let (what, constant) = if figure { (before.what, "LIMIT") } else { ("the title", "TITLE") };
        let shown = |part: &Part| if figure { part.value.to_string() } else { format!("'{}'", part.label) };
        let (new, old) = (shown(&after), shown(&before));
        it.title = format!("{what} in {}", before.name);
        let who = self.other().name;
        let with =
            [("part", before.name.as_str()), ("what", what), ("new", &new), ("old", &old), ("who", &who)];
        let body = self.tell(ASK_WEB, &with);
        let said = self.ask(&it, &body);
        self.wander(&it, 40);
        self.part_test(p, constant, &new, &old);
        if self.dice.chance(28) {
            self.wrong_place(p, &before.name);
        }
        let line = |value: &str| format!("export const {constant} = {value};");
        let step = self.edit("", &path, &line(&old), &line(&new));
        if figure {
            self.parts[p].value = after.value;
        } else {
            self.parts[p].label = after.label;
        }
        self.stumble(&it, before.package);
        let run = self.jest("", p, None);
        self.wander(&it, 76);
        self.local_choice(&it, before.package);
        let plain = new.replace('\'', "");
        self.commit(&it, &format!("{} of {} is {plain}", capital(constant), before.name));
        let with = [("part", before.name.as_str()), ("new", &new), ("old", &old), ("path", &path)];
        let done = self.tell(DONE_WEB, &with);
        let told = self.report(&it, &done);
        let asked = (
            format!("What is now {what} in {}, and in which file?", before.name),
            format!("{new}, in {path}."),
        );
        let known = facts(&[&[&plain], &[tail(&path)]]);
        let (key, evidence) = (format!("part:{path}:{constant}"), [said, step.ask, run.got, told]);
        self.note("artifact", &key, asked, known, &evidence, "the screen would be changed back");
    }

    /// Adds a test to a component and lets it fail.
    fn part_test(&mut self, p: usize, constant: &str, new: &str, old: &str) {
        let (path, tests) = (self.part_path(p, false), self.part_path(p, true));
        self.read_all("", &[&path, &tests]);
        let mut test = format!("has {} {}", constant.to_lowercase(), new.replace('\'', "").to_lowercase());
        while self.parts[p].tests.contains(&test) {
            test.push_str(" again");
        }
        let head = format!("describe('{}', () => {{\n", self.parts[p].name);
        let added = format!("{head}  it('{test}', () => {{\n    expect({constant}).toBe({new});\n  }});\n\n");
        let lead = self.thought(BEFORE_TEST, &[("name", &test)]);
        self.edit(&lead, &tests, &head, &added);
        self.parts[p].tests.insert(0, test.clone());
        self.jest("", p, Some((&test, new, old)));
    }

    /// The agent changes the wrong component and is corrected.
    fn wrong_place(&mut self, p: usize, name: &str) {
        let package = self.parts[p].package;
        let near = (0..self.parts.len()).find(|&o| o != p && self.parts[o].package == package);
        let Some(other) = near else { return };
        let path = self.part_path(other, false);
        let limit = self.parts[other].value;
        self.text_of(&path);
        let (old, new) =
            (format!("export const LIMIT = {limit};"), format!("export const LIMIT = {};", limit + 5));
        self.edit("", &path, &old, &new);
        let wrong = self.parts[other].name.clone();
        let text = self.tell(WRONG_PLACE, &[("wrong", &wrong), ("right", name)]);
        self.user(&text);
        let text = self.tell(YIELDS, &[]);
        self.edit(&text, &path, &new, &old);
    }
}
