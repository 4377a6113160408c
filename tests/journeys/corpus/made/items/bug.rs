//! Work items that find the cause of a fault and mend it.

use super::super::frames::TEST_BUG;
use super::super::prose::{BEFORE_EDIT, BEFORE_TEST, LOOKING, PASTED};
use super::super::spelling::{capital, code, facts, plural, small};
use super::super::words::PLACES;
use super::super::{Fail, Item, World};
use super::faults::{BUGS, Bug};
use super::prose::{ASK_BUG, CAUSES, CLUES, DONE_BUG, HINTS, RULED_OUT, SUSPICIONS};

impl World {
    /// Finds the cause of a failure in a log and mends it.
    pub(super) fn bug_item(&mut self, mut it: Item) {
        let m = self.some_module(true);
        if !self.modules[m].fresh {
            return self.figure_item(it);
        }
        let b = &BUGS[self.draw_at("bugs", BUGS.len())];
        let package = self.modules[m].package;
        self.focus = package;
        let (noun, field, pkg) = self.words(package);
        let customer = self.dice.below(self.customers.len());
        let cust = self.customers[customer].name.clone();
        let (host, n, hex, place) = (self.host(), self.num(11, 96), self.dice.hex(6), self.draw(PLACES));
        let with = [
            ("noun", noun),
            ("f", field),
            ("pkg", pkg),
            ("cust", &cust),
            ("host", &host),
            ("n", &n),
            ("hex", &hex),
            ("place", place),
        ];
        self.plant(m, &code(b.function, &with));
        it.title = format!("{} in {pkg}", b.kind());
        let nouns = plural(noun);
        let noun_words = noun.replace('_', " ");
        let asked = [
            ("noun", noun_words.as_str()),
            ("nouns", &nouns),
            ("pkg", pkg),
            ("n", &n),
            ("cust", &cust),
            ("host", &host),
        ];
        let body = self.tell(ASK_BUG, &asked);
        if self.dice.chance(40) {
            let lines = self.dice.range(5, 14);
            let (lead, log) = (
                self.tell(PASTED, &[("host", &host), ("who", cust.as_str())]),
                self.log_lines(package, lines),
            );
            it.paste = format!("{lead}\n```\n{log}\n```");
        }
        let said = self.ask(&it, &body);
        self.failing_log(m, b, &with);
        self.wander(&it, 30);
        let path = self.path(m);
        self.read("", &path);
        let found = self.suspect(b, &with, package);
        self.wander(&it, 58);
        self.mend(&it, m, b, &with, [said, found]);
    }

    /// Puts faulty code into a module that no message has shown yet.
    fn plant(&mut self, m: usize, function: &str) {
        let path = self.path(m);
        let text = self.text_of(&path);
        self.texts.insert(path, format!("{}\n\n\n{function}", text.trim_end()));
    }

    /// The agent reads a log in which the failure stands.
    fn failing_log(&mut self, m: usize, b: &Bug, with: &[(&str, &str)]) {
        let (path, package) = (self.path(m), self.modules[m].package);
        let pkg = self.theme.packages[package].name;
        let (old, raw, planted) = (code(b.old, with), code(b.raw, with), code(b.function, with));
        let log = format!("logs/{pkg}-{}.log", self.date(0));
        let lines = self.dice.range(14, 34);
        let (before, after) = (self.log_lines(package, lines), self.log_lines(package, lines / 2));
        let at = self.texts[&path].find(&old).map_or(1, |i| self.texts[&path][..i].lines().count());
        let function = planted.split(['(', ' ']).nth(1).unwrap_or("run");
        let (job, minute, date) = (self.dice.range(1000, 9999), self.dice.range(10, 19), self.date(0));
        let source = old.lines().next().unwrap_or("").trim();
        let trace = format!(
            "{date} 04:{minute}:07,411 ERROR {pkg} job {job} stopped\n\
             Traceback (most recent call last):\n  \
             File \"/srv/app/src/{}/base/jobs.py\", line 61, in run_one\n    \
             return step(job.payload)\n  File \"/srv/app/{path}\", line {at}, in {function}\n    \
             {source}\n{raw}",
            self.theme.slug
        );
        let text = self.thought(LOOKING, &[]);
        let command = format!("tail -n {} {log}", lines + lines / 2 + 8);
        let seen = self.shell_read(&text, &command, &log, &format!("{before}\n{trace}\n{after}"));
        let (kind, message) = raw.split_once(": ").unwrap_or((&raw, ""));
        self.error(kind, message, &raw, seen);
    }

    /// Mends a fault, its test first.
    #[expect(clippy::too_many_arguments, reason = "each is a part of one text")]
    fn mend(&mut self, it: &Item, m: usize, b: &Bug, with: &[(&str, &str)], seen: [usize; 2]) {
        let (path, tests, package) = (self.path(m), self.test_path(m), self.modules[m].package);
        let pkg = self.theme.packages[package].name;
        self.read("", &tests);
        let noun = with[0].1.to_lowercase();
        let name = self.test_name(m, &noun, TEST_BUG);
        let text = self.thought(BEFORE_TEST, &[("name", &name)]);
        let call = code(b.check, with);
        self.extend(&text, &tests, &format!("\n\ndef {name}():\n{call}"));
        self.modules[m].tests.push(name.clone());
        let shown = call.lines().last().unwrap_or("").replacen("    ", ">       ", 1);
        self.pytest("", package, &[Fail { at: m, name: name.clone(), line: code(b.raw, with), code: shown }]);
        self.stumble(it, package);
        let text = self.thought(BEFORE_EDIT, &[("path", &path)]);
        let step = self.edit(&text, &path, &code(b.old, with), &code(b.new, with));
        let run = self.pytest("", package, &[]);
        self.local_choice(it, package);
        self.commit(it, &format!("Mend {} in {pkg}", b.kind()));
        let (cause, fix) = (code(b.cause, with), code(b.fix, with));
        let done = self.tell(DONE_BUG, &[("cause", &cause), ("path", &path), ("test", &name), ("fix", &fix)]);
        let told = self.report(it, &done);
        let known = b.facts.iter().map(|f| code(f, with).split('|').map(str::to_owned).collect()).collect();
        let question = format!("What was the cause of the {} in {path} ({})?", b.kind(), it.ticket);
        let asked = (question, format!("{}.", capital(&cause)));
        let key = format!("cause:{}", it.ticket);
        self.note(
            "recall",
            &key,
            asked,
            known,
            &[seen[0], seen[1], told],
            "the failure would be looked for elsewhere",
        );
        let question =
            format!("Which test was added for the {} mended in {}, and does it pass?", b.kind(), it.ticket);
        let asked = (question, format!("{name} in {tests}; it passes."));
        let key = format!("fix:{}", it.ticket);
        let known = facts(&[&[&name]]);
        self.note(
            "artifact",
            &key,
            asked,
            known,
            &[step.ask, run.ask, told],
            "the test would be written twice",
        );
    }

    /// A first suspicion that is wrong, then the cause; gives the place where the cause is told.
    fn suspect(&mut self, b: &Bug, with: &[(&str, &str)], package: usize) -> usize {
        let wrong = code(b.suspect, with);
        let text = self.tell(SUSPICIONS, &[("wrong", &wrong)]);
        let (command, output) =
            if self.dice.chance(50) { self.table(package, 6) } else { self.grep(package) };
        self.bash(&text, &command, &output);
        let cause = code(b.cause, with);
        if self.dice.chance(34) {
            let text = self.tell(HINTS, &[("wrong", &wrong)]);
            self.agent(&text);
            let who = self.other().name;
            let text = self.tell(CLUES, &[("cause", &cause), ("who", &who)]);
            return self.user(&text);
        }
        let (command, output) = (code(b.probe, with), code(b.shows, with));
        let text = self.tell(RULED_OUT, &[]);
        let file = command
            .split([' ', '\''])
            .find(|w| w.starts_with("/srv/inbox/") && !w.contains('*'))
            .map(str::to_owned);
        match file {
            Some(path) => self.shell_read(&text, &command, &path, &output),
            None => self.bash(&text, &command, &output),
        };
        let text = self.tell(CAUSES, &[("cause", &cause)]);
        let m = self.dice.below(self.modules.len());
        let command = format!(
            "git log -3 --format='%h %an %s' -- src/{}/{}",
            self.theme.slug, self.theme.packages[self.modules[m].package].name
        );
        let who = self.other().name;
        let hash = self.dice.hex(7);
        self.bash(&text, &command, &format!("{hash} {who} {}", small(&cause))).ask
    }
}
