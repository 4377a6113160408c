//! Work items that decide on a larger topic, or turn the decision round.

use super::super::spelling::{capital, facts, tail};
use super::super::{Choice, Fail, Item, World};
use super::prose::{ASK_CHOICE, ASK_REVERSE, DONE_CHOICE, DONE_REVERSE, OFFERS, VERDICTS};
use super::topics::{TOPICS, Topic};

impl World {
    /// Chooses between two ways of doing a larger thing, after measuring both.
    pub(super) fn choice_item(&mut self, mut it: Item) {
        let topic = self.draw_at("topics", TOPICS.len());
        if self.choices.iter().any(|c| c.topic == topic) {
            return self.figure_item(it);
        }
        let t = &TOPICS[topic];
        let m = self.some_module(false);
        let package = self.modules[m].package;
        self.focus = package;
        t.question.clone_into(&mut it.title);
        let (who, pkg) = (self.other().name, self.theme.packages[package].name);
        let (a, b) = (t.sides[0].what, t.sides[1].what);
        let body = self
            .tell(ASK_CHOICE, &[("question", t.question), ("a", a), ("b", b), ("pkg", pkg), ("who", &who)]);
        self.ask(&it, &body);
        self.wander(&it, 42);
        let (got, said, side, figures) = self.weigh(t);
        let (path, wrote) = self.decide(t, side, &it.ticket, &figures);
        let (ticket, item) = (it.ticket.clone(), self.item);
        self.choices.push(Choice { topic, side, ticket, path: path.clone(), module: m, item });
        self.set_choice(m, t, side, None);
        self.stumble(&it, package);
        self.pytest("", package, &[]);
        self.wander(&it, 80);
        let (won, lost) = (&t.sides[side], &t.sides[1 - side]);
        self.commit(&it, &format!("Decide {}: {}", t.question, won.what));
        let done = self.tell(DONE_CHOICE, &[("won", won.what), ("path", &path), ("pro", won.pro)]);
        let told = self.report(&it, &done);
        let question =
            format!("What was decided about {} ({}), and for which reason?", t.question, it.ticket);
        let answer =
            format!("{}, because {}; {} was rejected ({path}).", capital(won.what), won.pro, lost.what);
        let known = facts(&[&[won.what], &[won.key]]);
        let (key, evidence) = (format!("choice:{}", t.slug), [said, got, wrote, told]);
        self.note(
            "decision",
            &key,
            (question, answer),
            known,
            &evidence,
            "the question would be opened again",
        );
    }

    /// Measures both sides of a topic and asks the person: the places of figures and answer, the side, the
    /// figures.
    fn weigh(&mut self, t: &Topic) -> (usize, usize, usize, String) {
        let (x, y, rounds) = (self.num(40, 900), self.num(40, 900), self.num(20, 300));
        let ([one, two], unit) = (&t.sides, t.unit);
        let line = |what: &str, n: &str| format!("{what:<34} median {n} {unit}   rounded from {n}.4 {unit}");
        let command =
            format!("python -m {}.tools.compare --topic {} --rounds {rounds}", self.theme.slug, t.slug);
        let output = format!("{}\n{}", line(one.what, &x), line(two.what, &y));
        let measured = self.bash("", &command, &output);
        let with = [
            ("a", one.what),
            ("b", two.what),
            ("x", x.as_str()),
            ("y", &y),
            ("unit", unit),
            ("proa", one.pro),
            ("prob", two.pro),
        ];
        let offer = self.tell(OFFERS, &with);
        self.agent(&offer);
        let side = self.dice.below(2);
        let (won, lost) = (&t.sides[side], &t.sides[1 - side]);
        let verdict = self.tell(VERDICTS, &[("won", won.what), ("lost", lost.what), ("pro", won.pro)]);
        let said = self.user(&verdict);
        let figures = format!("Measured: {x} {unit} for {}, {y} {unit} for {}.", one.what, two.what);
        (measured.got, said, side, figures)
    }

    /// Writes the record of a decision; gives its path and the place of the call.
    fn decide(&mut self, t: &Topic, side: usize, ticket: &str, figures: &str) -> (String, usize) {
        let (won, lost) = (&t.sides[side], &t.sides[1 - side]);
        let path = format!("docs/decisions/{:04}-{}.md", self.records, t.slug);
        let text = format!(
            "# {:04}: {}\n\nStatus: accepted\nDate: {}\nTicket: {ticket}\n\n## Choice\n\n{}.\n\n\
             ## Reason\n\n{}. {figures}\n\n## Rejected\n\n{}: {} would have spoken for it.\n",
            self.records,
            capital(t.question),
            self.date(0),
            capital(won.what),
            capital(won.pro),
            capital(lost.what),
            lost.pro
        );
        self.records += 1;
        let wrote = self.write("", &path, &text);
        (path, wrote.ask)
    }

    /// Writes a choice into a module, its test first.
    fn set_choice(&mut self, m: usize, t: &Topic, side: usize, was: Option<usize>) {
        let (path, tests, package) = (self.path(m), self.test_path(m), self.modules[m].package);
        let constant = t.slug.replace('-', "_").to_uppercase();
        self.read_all("", &[&path, &tests]);
        let value = t.sides[side].code;
        let name = format!("test_{}_is_settled", constant.to_lowercase());
        let check = |value: &str| format!("assert subject.{constant} == \"{value}\"");
        let line = if let Some(was) = was {
            self.edit("", &tests, &check(t.sides[was].code), &check(value));
            format!("assert '{}' == '{value}'", t.sides[was].code)
        } else {
            self.extend("", &tests, &format!("\n\ndef {name}():\n    {}", check(value)));
            self.modules[m].tests.push(name.clone());
            let (slug, pkg) = (self.theme.slug, self.theme.packages[package].name);
            format!(
                "AttributeError: module '{slug}.{pkg}.{}' has no attribute '{constant}'",
                self.modules[m].stem
            )
        };
        let shown = format!(">       {}", check(value));
        self.pytest("", package, &[Fail { at: m, name, line, code: shown }]);
        let anchor = "log = logging.getLogger(__name__)\n".to_owned();
        let (old, new) = match was {
            Some(was) => {
                (format!("{constant} = \"{}\"", t.sides[was].code), format!("{constant} = \"{value}\""))
            }
            None => (anchor.clone(), format!("{anchor}\n{constant} = \"{value}\"  # see docs/decisions\n")),
        };
        self.edit("", &path, &old, &new);
    }

    /// Overturns an earlier decision.
    pub(super) fn reverse_item(&mut self, mut it: Item) {
        let locked = self.locked();
        let old_enough =
            |c: &Choice| c.item + 4 < self.item && !locked.contains(&self.modules[c.module].package);
        let fits: Vec<usize> = (0..self.choices.len()).filter(|&c| old_enough(&self.choices[c])).collect();
        if fits.is_empty() {
            return self.figure_item(it);
        }
        let at = self.dice.pick(&fits);
        let c = &self.choices[at];
        let (t, was, m) = (&TOPICS[c.topic], c.side, c.module);
        let (old_path, old_ticket) = (c.path.clone(), c.ticket.clone());
        let side = 1 - was;
        let (won, lost) = (&t.sides[side], &t.sides[was]);
        t.question.clone_into(&mut it.title);
        let who = self.other().name;
        let with = [
            ("question", t.question),
            ("won", won.what),
            ("lost", lost.what),
            ("con", lost.con),
            ("ticket", old_ticket.as_str()),
            ("who", &who),
        ];
        let body = self.tell(ASK_REVERSE, &with);
        let package = self.modules[m].package;
        self.focus = package;
        let said = self.ask(&it, &body);
        self.read("", &old_path);
        self.wander(&it, 50);
        self.set_choice(m, t, side, Some(was));
        let (path, wrote) = self.supersede(t, side, &it.ticket, &old_path);
        self.stumble(&it, package);
        self.pytest("", package, &[]);
        self.wander(&it, 80);
        self.local_choice(&it, package);
        self.commit(&it, &format!("Go back on {}: {}", t.question, won.what));
        let with = [("won", won.what), ("lost", lost.what), ("path", path.as_str()), ("con", lost.con)];
        let done = self.tell(DONE_REVERSE, &with);
        let told = self.report(&it, &done);
        let answer =
            format!("{} ({path}); {} was dropped because {}.", capital(won.what), lost.what, lost.con);
        let c = &mut self.choices[at];
        (c.side, c.path, c.item, c.ticket) = (side, path, self.item, it.ticket);
        let question =
            format!("What holds now for {}, and why was the decision of {old_ticket} dropped?", t.question);
        let known = facts(&[&[won.what], &[lost.con_key]]);
        let (key, evidence) = (format!("choice:{}", t.slug), [said, wrote, told]);
        self.note(
            "decision",
            &key,
            (question, answer),
            known,
            &evidence,
            "what was dropped would be followed",
        );
    }

    /// Writes the record of a reversed decision and marks the old one; gives the new path and the place of
    /// the call.
    fn supersede(&mut self, t: &Topic, side: usize, ticket: &str, old_path: &str) -> (String, usize) {
        let path = format!("docs/decisions/{:04}-{}.md", self.records, t.slug);
        let text = format!(
            "# {:04}: {}, again\n\nStatus: accepted\nDate: {}\nTicket: {ticket}\n\
             Takes the place of: {old_path}\n\n## Choice\n\n{}.\n\n## What came up\n\n{}.\n",
            self.records,
            capital(t.question),
            self.date(0),
            capital(t.sides[side].what),
            capital(t.sides[1 - side].con)
        );
        self.records += 1;
        let wrote = self.write("", &path, &text);
        self.edit("", old_path, "Status: accepted", &format!("Status: superseded by {}", tail(&path)));
        (path, wrote.ask)
    }
}
