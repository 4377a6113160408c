//! Work items that rename a module or remove it.

use super::super::prose::BEFORE_COMMAND;
use super::super::spelling::facts;
use super::super::words::STEMS;
use super::super::{Fail, Item, Step, World};
use super::prose::{ASK_DROP, ASK_RENAME, DONE_DROP, DONE_RENAME, IMPORT_LEFT};

impl World {
    /// Renames a module, or removes one that nobody uses.
    pub(super) fn move_item(&mut self, mut it: Item) {
        let drawn: Vec<usize> = (0..60).map(|_| self.some_module(false)).collect();
        let untouched = |m: &usize| {
            let (path, tests) = (self.path(*m), self.test_path(*m));
            let changed = self.tracks.iter().any(|t| (t.path == path || t.path == tests) && t.changed);
            !changed && !self.choices.iter().any(|c| c.module == *m)
        };
        let Some(m) = drawn.into_iter().find(untouched) else { return self.figure_item(it) };
        let package = self.modules[m].package;
        self.focus = package;
        let pkg = self.theme.packages[package].name;
        if self.dice.chance(42) {
            return self.drop_module(it, m);
        }
        let old = self.modules[m].stem.clone();
        let taken: Vec<&str> =
            self.modules.iter().filter(|o| o.package == package).map(|o| o.stem.as_str()).collect();
        let fits: Vec<&'static str> = STEMS.iter().copied().filter(|s| !taken.contains(s)).collect();
        let new = self.dice.pick(&fits);
        it.title = format!("{pkg}/{old} becomes {new}");
        let who = self.other().name;
        let body = self.tell(ASK_RENAME, &[("old", &old), ("new", new), ("pkg", pkg), ("who", &who)]);
        let said = self.ask(&it, &body);
        self.wander(&it, 45);
        let path = self.path(m);
        let moved = self.carry_over(m, &old, new);
        self.stumble(&it, package);
        self.pytest("", package, &[]);
        self.wander(&it, 76);
        self.local_choice(&it, package);
        self.commit(&it, &format!("Rename {pkg}/{old} to {new}"));
        let (to, tests) = (self.path(m), self.test_path(m));
        let done = self.tell(DONE_RENAME, &[("old", &path), ("new", &to), ("test", &tests)]);
        let told = self.report(&it, &done);
        let question = format!("What is the module {path} called since {}?", it.ticket);
        let asked = (question, format!("{to}; its tests are {tests}."));
        let known = facts(&[&[&format!("{new}.py"), &format!("{pkg}/{new}")]]);
        let key = format!("rename:{to}");
        self.note(
            "artifact",
            &key,
            asked,
            known,
            &[said, moved.ask, told],
            "the old path would be looked for",
        );
    }

    /// Renames a module and its tests, and mends the imports.
    fn carry_over(&mut self, m: usize, old: &str, new: &str) -> Step {
        let (path, tests, package) = (self.path(m), self.test_path(m), self.modules[m].package);
        let (pkg, slug) = (self.theme.packages[package].name, self.theme.slug);
        self.read_all("", &[&path, &tests]);
        new.clone_into(&mut self.modules[m].stem);
        let (to, tests_to) = (self.path(m), self.test_path(m));
        let text = self.thought(BEFORE_COMMAND, &[]);
        let moved = self.rename(&text, &[(path, to), (tests, tests_to.clone())]);
        let name = self.modules[m].tests[0].clone();
        let line = format!("ImportError: cannot import name '{old}' from '{slug}.{pkg}'");
        let shown = format!(">       from {slug}.{pkg} import {old} as subject");
        self.pytest("", package, &[Fail { at: m, name, line, code: shown }]);
        let text = self.tell(IMPORT_LEFT, &[("old", old)]);
        self.edit(&text, &tests_to, &format!("import {old} as subject"), &format!("import {new} as subject"));
        let (was, is) = (format!("{pkg}.{old} import"), format!("{pkg}.{new} import"));
        let locked = self.locked();
        let free = |path: &str| {
            !locked.iter().any(|&p| path.contains(&format!("/{}/", self.theme.packages[p].name)))
        };
        let uses = |path: &str, text: &str| path != tests_to && text.contains(&was) && free(path);
        let importers: Vec<String> =
            self.texts.iter().filter(|(p, t)| uses(p, t)).map(|(p, _)| p.clone()).collect();
        if !importers.is_empty() {
            self.sed("", &importers, &was, &is);
        }
        moved
    }

    /// Removes a module that nobody uses, with its tests.
    fn drop_module(&mut self, mut it: Item, m: usize) {
        let package = self.modules[m].package;
        let (path, tests, pkg) = (self.path(m), self.test_path(m), self.theme.packages[package].name);
        let stem = self.modules[m].stem.clone();
        it.title = format!("remove {pkg}/{stem}");
        let (months, who) = (self.num(4, 26), self.other().name);
        let body = self.tell(ASK_DROP, &[("stem", &stem), ("pkg", pkg), ("n", &months), ("who", &who)]);
        let said = self.ask(&it, &body);
        self.wander(&it, 45);
        self.read_all("", &[&path, &tests]);
        let gone = self.remove("", &path);
        let name = self.modules[m].tests[0].clone();
        let slug = self.theme.slug;
        let line = format!("ImportError: cannot import name '{stem}' from '{slug}.{pkg}'");
        let shown = format!(">       from {slug}.{pkg} import {stem} as subject");
        self.pytest("", package, &[Fail { at: m, name, line, code: shown }]);
        self.remove("", &tests);
        self.modules[m].gone = true;
        self.stumble(&it, package);
        self.pytest("", package, &[]);
        self.wander(&it, 76);
        self.commit(&it, &format!("Remove {pkg}/{stem}, unused for {months} months"));
        let done = self.tell(DONE_DROP, &[("path", &path), ("test", &tests)]);
        let told = self.report(&it, &done);
        let question = format!("What happened to {path} in {}, and why?", it.ticket);
        let answer = format!("It was removed with its tests; nobody had used it for {months} months.");
        let known = facts(&[&["removed", "deleted", "gone", "git rm"], &[&months]]);
        let evidence = [said, gone.ask, told];
        self.note(
            "artifact",
            &format!("drop:{path}"),
            (question, answer),
            known,
            &evidence,
            "it would be looked for",
        );
    }
}
