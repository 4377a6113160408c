//! The work items: which one comes next, how it is asked for and how it is reported.

mod asides;
mod bug;
mod choice;
mod customer;
mod faults;
mod feature;
mod figure;
mod open;
mod prose;
mod rename;
mod rules;
mod server;
mod topics;
mod web;

use super::prose::{
    ASIDES, HEEDED, LIFTS, OPENERS, PLAN_FIRST, PLAN_HEADS, PLAN_LAST, PLAN_THEN, REPORTS, RULE_LEADS, SIGNS,
    TICKETS,
};
use super::spelling::small;
use super::words::LAST_NAMES;
use super::{Item, Note, World};
use rules::LIFT_REASONS;
use serde_json::json;
use std::fmt::Write as _;

impl World {
    /// Makes the next work item, of another sort than the last one where it can be, and gives its sort.
    pub(super) fn next_item(&mut self, last: usize) -> usize {
        let it = self.new_item();
        let open = self.jobs.iter().filter(|j| !j.closed && j.item + 3 < self.item).count();
        let old = self.choices.iter().filter(|c| c.item + 4 < self.item).count();
        let mut kind = last;
        while kind == last {
            kind = match self.dice.below(100) {
                0..=15 => 0,
                16..=29 => 1,
                30..=38 => 2,
                39..=49 => 3,
                50..=58 => 4,
                59..=63 => 5,
                64..=73 => 6,
                74..=80 if old > 0 => 7,
                81..=89 => 8,
                90..=95 => 9,
                96..=98 if open > 1 => 10,
                _ if open > 0 && self.item.is_multiple_of(4) => 10,
                _ => 0,
            };
        }
        match kind {
            0 => self.figure_item(it),
            1 => self.bug_item(it),
            2 => self.feature_item(it),
            3 => self.server_item(it),
            4 => self.customer_item(it),
            5 => self.move_item(it),
            6 => self.choice_item(it),
            7 => self.reverse_item(it),
            8 => self.web_item(it),
            9 => self.open_item(it),
            _ => self.resume_item(it),
        }
        kind
    }

    /// Opens a work item.
    fn new_item(&mut self) -> Item {
        self.item += 1;
        self.ticket += self.dice.range(1, 4);
        self.minute += self.dice.range(10, 110);
        let who = if self.dice.chance(58) { 0 } else { self.dice.range(1, 3) };
        Item {
            ticket: format!("{}-{}", self.theme.tag, self.ticket),
            who,
            start: self.chars,
            title: String::new(),
            paste: String::new(),
        }
    }

    /// Packages that a rule keeps the agent from.
    fn locked(&self) -> Vec<usize> {
        self.rules.iter().filter(|r| !r.lifted).filter_map(|r| r.package).collect()
    }

    /// One of the packages that no rule keeps the agent from.
    fn free_package(&mut self) -> usize {
        let locked = self.locked();
        let free: Vec<usize> = (0..self.theme.packages.len()).filter(|p| !locked.contains(p)).collect();
        self.dice.pick(&free)
    }

    /// A module that may be changed; one that no message has shown where `fresh` is asked for and there is
    /// one left.
    fn some_module(&mut self, fresh: bool) -> usize {
        for round in 0..40 {
            let package = self.free_package();
            let fits: Vec<usize> = (0..self.modules.len())
                .filter(|&m| {
                    let module = &self.modules[m];
                    module.package == package
                        && !module.gone
                        && !module.settings.is_empty()
                        && (!fresh || module.fresh || round > 30)
                })
                .collect();
            if !fits.is_empty() {
                return self.dice.pick(&fits);
            }
        }
        0
    }

    /// The request of the person that opens an item, with what else is on their mind.
    fn ask(&mut self, it: &Item, body: &str) -> usize {
        let person = self.people[it.who].clone();
        let mut text = String::new();
        if it.who > 0 {
            text = self.tell(SIGNS, &[("who", &person.name), ("role", person.role)]) + " ";
        } else if self.item > 1 && self.dice.chance(65) {
            text = self.tell(OPENERS, &[]) + " ";
        }
        let frame = self.tell(TICKETS, &[("ticket", &it.ticket), ("body", body)]);
        text.push_str(&frame);
        if person.voice == 2 || self.dice.chance(18) {
            let place = self.draw(LAST_NAMES);
            let aside = self.tell(ASIDES, &[("who", place)]);
            let _ = write!(text, " {aside}");
        }
        if !it.paste.is_empty() {
            let _ = write!(text, "\n\n{}", it.paste);
        }
        let rule = if self.item > 1 && self.dice.chance(30) { self.new_rule(it, &person) } else { None };
        if let Some(rule) = &rule {
            let lead = self.tell(RULE_LEADS, &[]);
            let _ = write!(
                text,
                "\n\n{lead} {}",
                if lead.ends_with(':') { small(&rule.text) } else { rule.text.clone() }
            );
        }
        let lifted = if rule.is_none() && self.dice.chance(9) { self.lift() } else { None };
        let mut lift_reason = ("", "");
        if let Some(at) = lifted {
            let short = self.rules[at].short.clone();
            let (reason, key) = LIFT_REASONS[self.draw_at("lift reasons", LIFT_REASONS.len())];
            lift_reason = (reason, key);
            let line = self.tell(LIFTS, &[("short", &short), ("why", reason)]);
            let _ = write!(text, "\n\n{line}");
        }
        let text = if person.voice == 1 {
            small(&text).replace("Please ", "Pls ").replace("please ", "pls ")
        } else {
            text
        };
        let said = self.user(&text);
        if self.dice.chance(24) {
            self.plan = self.plan_of_work();
        }
        if let Some(rule) = rule {
            self.keep_rule(rule, said, &person);
        }
        if let Some(at) = lifted {
            self.note_lift(at, said, lift_reason);
        }
        said
    }

    /// A few lines of what the agent means to do.
    fn plan_of_work(&mut self) -> String {
        let mut out = self.tell(PLAN_HEADS, &[]) + "\n";
        for (at, list) in [PLAN_FIRST, PLAN_THEN, PLAN_LAST].into_iter().enumerate() {
            let step = self.tell(list, &[]);
            let _ = writeln!(out, "{}. {step}", at + 1);
        }
        out
    }

    /// Keeps a candidate for the exam: its kind and key, question and answer, facts, evidence, and what it
    /// is needed for.
    #[expect(clippy::too_many_arguments, reason = "each is a part of one text")]
    pub(super) fn note(
        &mut self,
        kind: &'static str,
        key: &str,
        asked: (String, String),
        facts: Vec<Vec<String>>,
        evidence: &[usize],
        need: &'static str,
    ) {
        self.notes.retain(|n| n.key != key);
        let ((question, answer), evidence, item) = (asked, evidence.to_vec(), self.item);
        self.notes.push(Note { key: key.to_owned(), kind, question, answer, facts, evidence, need, item });
    }

    /// Tells the tracker, and the person what was done.
    fn report(&mut self, it: &Item, text: &str) -> usize {
        if self.dice.chance(60) {
            let state = self.dice.pick(&["done", "done", "in review"]);
            let answer = json!({"ticket": it.ticket, "state": state,
                "changed_at": format!("{}T{}:00Z", self.date(0), self.clock()), "watchers": self.dice.range(1, 9)});
            let arguments = json!({"ticket": it.ticket, "state": state, "note": it.title});
            self.call("", "tracker_update", arguments, answer.to_string());
        }
        let lead =
            if self.brief { String::new() } else { self.tell(REPORTS, &[("ticket", &it.ticket)]) + " " };
        let held: Vec<String> = self
            .rules
            .iter()
            .filter(|r| !r.lifted && r.item + 1 < self.item)
            .map(|r| r.short.clone())
            .collect();
        let kept = if !self.brief && !held.is_empty() && self.dice.chance(14) {
            let at = self.dice.below(held.len());
            format!(" {}", self.tell(HEEDED, &[("short", &held[at])]))
        } else {
            String::new()
        };
        self.agent(&format!("{lead}{text}{kept}"))
    }
}
