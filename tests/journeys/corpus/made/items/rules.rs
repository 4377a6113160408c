//! Rules that the person lays down and lifts again.

use super::super::spelling::{facts, put};
use super::super::{Item, Person, Rule, World};

/// What a rule does to later items.
#[derive(Clone, Copy, PartialEq)]
enum Effect {
    Plain,
    /// a package is not to be changed
    Lock,
    /// a server is not to be changed
    Pin,
    /// commits begin with the ticket
    TicketFirst,
    /// reports are short
    Brief,
}

/// A rule that someone may lay down.
struct RuleKind {
    text: &'static str,
    short: &'static str,
    question: &'static str,
    facts: &'static [&'static str],
    low: usize,
    high: usize,
    step: usize,
    effect: Effect,
}

impl World {
    /// Invents a rule; none when the one that is drawn cannot hold now.
    pub(super) fn new_rule(&mut self, it: &Item, person: &Person) -> Option<Rule> {
        let kind = self.draw_at("rules", RULES.len());
        let rule = &RULES[kind];
        let n = self.dice.range(rule.low, rule.high) * rule.step;
        let running: Vec<usize> = (0..self.servers.len()).filter(|&s| !self.servers[s].gone).collect();
        let (package, server) = (self.dice.below(self.theme.packages.len()), self.dice.pick(&running));
        if rule.effect == Effect::Lock
            && self.rules.iter().filter(|r| r.package.is_some() && !r.lifted).count() > 1
        {
            return None;
        }
        if rule.effect == Effect::Lock && package == self.focus
            || rule.effect == Effect::Pin && it.title.contains(&self.servers[server].name)
        {
            return None;
        }
        let customer = self.dice.below(self.customers.len());
        let ahead = self.dice.range(12, 60);
        let (date, who) = (self.date(ahead), self.other().name);
        let with = [
            ("n", n.to_string()),
            ("pkg", self.theme.packages[package].name.to_owned()),
            ("server", self.servers[server].name.clone()),
            ("cust", self.customers[customer].name.clone()),
            ("date", date),
            ("who", who),
            ("me", person.name.clone()),
        ];
        let with: Vec<(&str, &str)> = with.iter().map(|(k, v)| (*k, v.as_str())).collect();
        let fill = |frame: &str| put(frame, '{', '}', &with);
        let (text, short) = (fill(rule.text), fill(rule.short));
        let facts = rule.facts.iter().map(|f| fill(f).split('|').map(str::to_owned).collect()).collect();
        let question = fill(rule.question);
        let effect = rule.effect;
        let asked = if self.item.is_multiple_of(2) { "recall" } else { "decision" };
        self.note(
            asked,
            &format!("rule{kind}"),
            (question, text.clone()),
            facts,
            &[],
            "a standing rule would be broken",
        );
        Some(Rule {
            kind,
            text,
            short,
            package: (effect == Effect::Lock).then_some(package),
            server: (effect == Effect::Pin).then_some(server),
            lifted: false,
            said: 0,
            item: self.item,
        })
    }

    /// Puts a rule in force.
    pub(super) fn keep_rule(&mut self, mut rule: Rule, said: usize, person: &Person) {
        rule.said = said;
        let key = format!("rule{}", rule.kind);
        for old in self.rules.iter_mut().filter(|r| r.kind == rule.kind && !r.lifted) {
            old.lifted = true;
            if let Some(server) = old.server {
                self.servers[server].pinned = false;
            }
        }
        if let Some(server) = rule.server {
            self.servers[server].pinned = true;
        }
        match RULES[rule.kind].effect {
            Effect::TicketFirst => self.ticket_first = true,
            Effect::Brief => self.brief = true,
            Effect::Plain | Effect::Lock | Effect::Pin => {}
        }
        if let Some(note) = self.notes.iter_mut().find(|n| n.key == key) {
            note.evidence = vec![said];
            note.answer = format!("{} ({} said so.)", note.answer, person.name);
        }
        self.rules.push(rule);
    }

    /// A rule that may be lifted now.
    pub(super) fn lift(&mut self) -> Option<usize> {
        let fits: Vec<usize> = (0..self.rules.len())
            .filter(|&r| !self.rules[r].lifted && self.rules[r].item + 6 < self.item)
            .collect();
        if fits.is_empty() { None } else { Some(self.dice.pick(&fits)) }
    }

    /// Takes a rule out of force.
    pub(super) fn note_lift(&mut self, at: usize, said: usize, reason: (&str, &str)) {
        let rule = &mut self.rules[at];
        rule.lifted = true;
        let (key, short, was) = (format!("rule{}", rule.kind), rule.short.clone(), rule.said);
        if let Some(server) = rule.server {
            self.servers[server].pinned = false;
        }
        match RULES[rule.kind].effect {
            Effect::TicketFirst => self.ticket_first = false,
            Effect::Brief => self.brief = false,
            Effect::Plain | Effect::Lock | Effect::Pin => {}
        }
        let question = format!("Does the rule about {short} still hold, and for which reason?");
        let answer = format!("No, the rule about {short} is off: {}.", reason.0);
        let off = [
            "no longer",
            "lifted",
            "is off",
            "forget",
            "is over",
            "drop the rule",
            "dropped",
            "withdrawn",
            "not hold",
        ];
        let known = facts(&[&off, &[reason.1]]);
        self.note(
            "decision",
            &key,
            (question, answer),
            known,
            &[was, said],
            "a rule that is off would still be kept",
        );
    }
}

const RULES: &[RuleKind] = &[
    RuleKind {
        text: "From now on every commit subject starts with the ticket number in round \
            brackets, {who} sorts them by that.",
        short: "the ticket number in commit \
            subjects",
        question: "What has every commit subject to start with from now \
            on?",
        facts: &["ticket number|ticket"],
        low: 1,
        high: 1,
        step: 1,
        effect: Effect::TicketFirst,
    },
    RuleKind {
        text: "Keep your reports to me short from here on, three sentences and no list of \
            files.",
        short: "short reports",
        question: "How does the person want reports of finished \
            work?",
        facts: &["short|three sentences"],
        low: 1,
        high: 1,
        step: 1,
        effect: Effect::Brief,
    },
    RuleKind {
        text: "Hands off the package {pkg} until {who} is back on {date}: reading is fine, \
            changing is not.",
        short: "the package {pkg}",
        question: "Which package must not be changed for \
            now, until when and because of \
            whom?",
        facts: &["{pkg}", "{date}", "{who}"],
        low: 1,
        high: 1,
        step: 1,
        effect: Effect::Lock,
    },
    RuleKind {
        text: "{server} must not be resized or moved, its contract runs until \
            {date}.",
        short: "the contract of {server}",
        question: "Which server must not be resized or \
            moved, and until when?",
        facts: &["{server}", "{date}"],
        low: 1,
        high: 1,
        step: 1,
        effect: Effect::Pin,
    },
    RuleKind {
        text: "No merge request over {n} changed lines, {who} won't look at a bigger \
            one.",
        short: "the size of merge requests",
        question: "How many changed lines may a merge \
            request have at most?",
        facts: &["{n}"],
        low: 5,
        high: 24,
        step: 25,
        effect: Effect::Plain,
    },
    RuleKind {
        text: "Nothing goes live after {n}:00 on a day before a holiday, whatever the \
            reason.",
        short: "going live before holidays",
        question: "When may nothing go \
            live?",
        facts: &["{n}:00", "holiday"],
        low: 11,
        high: 16,
        step: 1,
        effect: Effect::Plain,
    },
    RuleKind {
        text: "{cust} is never to be mailed by us, {who} phones them.",
        short: "mails to \
            {cust}",
        question: "Which customer must never get a mail from us, and who phones \
            them?",
        facts: &["{cust}", "{who}"],
        low: 1,
        high: 1,
        step: 1,
        effect: Effect::Plain,
    },
    RuleKind {
        text: "Every new table gets a column created_by, the auditors asked for \
            it.",
        short: "the column created_by",
        question: "Which column does every new table have to \
            have?",
        facts: &["created_by"],
        low: 1,
        high: 1,
        step: 1,
        effect: Effect::Plain,
    },
    RuleKind {
        text: "No new dependency without asking {who} first, licences are being looked \
            at.",
        short: "new dependencies",
        question: "Who has to be asked before a new dependency comes \
            in, and why?",
        facts: &["{who}", "licence"],
        low: 1,
        high: 1,
        step: 1,
        effect: Effect::Plain,
    },
    RuleKind {
        text: "The search has to stay under {n} ms at the 95th percentile; measure it before \
            you call anything in {pkg} done.",
        short: "the speed of the search",
        question: "Below how many \
            milliseconds does the search have to \
            stay?",
        facts: &["{n}"],
        low: 8,
        high: 40,
        step: 10,
        effect: Effect::Plain,
    },
    RuleKind {
        text: "Prices in anything a customer reads are gross, never net.",
        short: "gross \
            prices",
        question: "How are prices shown in what customers \
            read?",
        facts: &["gross"],
        low: 1,
        high: 1,
        step: 1,
        effect: Effect::Plain,
    },
    RuleKind {
        text: "No phone numbers in logs, not even half of one; {who} found some last \
            week.",
        short: "phone numbers in logs",
        question: "What must never stand in the \
            logs?",
        facts: &["phone number"],
        low: 1,
        high: 1,
        step: 1,
        effect: Effect::Plain,
    },
    RuleKind {
        text: "Load tests on staging only between {n}:00 and {n}:45, {cust} shows their \
            people round there.",
        short: "the time for load tests",
        question: "When are load tests allowed \
            on staging, and because of which \
            customer?",
        facts: &["{n}:00", "{cust}"],
        low: 6,
        high: 20,
        step: 1,
        effect: Effect::Plain,
    },
    RuleKind {
        text: "In texts that people see it is 'guest', never 'user'.",
        short: "the word \
            'guest'",
        question: "Which word is used for people in visible texts, and which one is \
            not?",
        facts: &["guest"],
        low: 1,
        high: 1,
        step: 1,
        effect: Effect::Plain,
    },
    RuleKind {
        text: "Feature switches start switched off and are taken out after {n} \
            weeks.",
        short: "feature switches",
        question: "How do feature switches start, and after how many \
            weeks are they taken out?",
        facts: &["off", "{n}"],
        low: 3,
        high: 12,
        step: 1,
        effect: Effect::Plain,
    },
    RuleKind {
        text: "Before every migration a backup, kept for {n} days.",
        short: "backups before \
            migrations",
        question: "What has to be done before every migration, and for how long is it \
            kept?",
        facts: &["backup", "{n}"],
        low: 10,
        high: 90,
        step: 1,
        effect: Effect::Plain,
    },
    RuleKind {
        text: "No second tries against the service of {cust}: they charge us {n} cents for \
            every call.",
        short: "second tries at {cust}",
        question: "Against whose service must calls not \
            be repeated, and what does a call \
            cost?",
        facts: &["{cust}", "{n}"],
        low: 4,
        high: 60,
        step: 1,
        effect: Effect::Plain,
    },
    RuleKind {
        text: "Test customers are called zz_ something, so that {who} can filter \
            them.",
        short: "names of test customers",
        question: "How must test customers be \
            named?",
        facts: &["zz_"],
        low: 1,
        high: 1,
        step: 1,
        effect: Effect::Plain,
    },
    RuleKind {
        text: "Screens have to work at {n} px, that's what the tablets in the field \
            have.",
        short: "the width of screens",
        question: "At which width in pixels must screens still \
            work?",
        facts: &["{n}"],
        low: 8,
        high: 20,
        step: 40,
        effect: Effect::Plain,
    },
    RuleKind {
        text: "Anything in {pkg} that touches money needs a yes from {who} before it is \
            merged.",
        short: "the yes for money in {pkg}",
        question: "Who has to say yes to changes that \
            touch money, and in which package?",
        facts: &["{who}", "{pkg}"],
        low: 1,
        high: 1,
        step: 1,
        effect: Effect::Plain,
    },
    RuleKind {
        text: "Dates in exports are written 31.12.2026 and nothing else, {cust} reads them by \
            machine.",
        short: "dates in exports",
        question: "How are dates written in exports, and which \
            customer needs it?",
        facts: &["31.12.2026", "{cust}"],
        low: 1,
        high: 1,
        step: 1,
        effect: Effect::Plain,
    },
    RuleKind {
        text: "Don't start the whole test suite before {n}:30, the runner belongs to {who}'s \
            people until then.",
        short: "the whole suite in the morning",
        question: "From when on may the \
            whole test suite be started?",
        facts: &["{n}:30"],
        low: 9,
        high: 14,
        step: 1,
        effect: Effect::Plain,
    },
    RuleKind {
        text: "Mails to more than {n} people at once go through {who}, without \
            exception.",
        short: "mails to many people",
        question: "From how many recipients on does a mail \
            have to go through someone, and through \
            whom?",
        facts: &["{n}", "{who}"],
        low: 2,
        high: 30,
        step: 10,
        effect: Effect::Plain,
    },
    RuleKind {
        text: "Never delete rows in {pkg}, mark them; the law wants {n} \
            years.",
        short: "deleting rows in {pkg}",
        question: "In which package must rows never be \
            deleted, and how many years does the law \
            want?",
        facts: &["{pkg}", "{n}"],
        low: 5,
        high: 12,
        step: 1,
        effect: Effect::Plain,
    },
];

/// Reasons for lifting a rule, and the words that make them known again.
pub(super) const LIFT_REASONS: &[(&str, &str)] = &[
    ("the audit it was meant for is over", "audit"),
    ("the lawyers found that we don't need it", "lawyers"),
    ("it cost us two days last week", "two days"),
    ("the new contract settles it otherwise", "contract"),
    ("everybody went round it anyway", "went round"),
    ("the works council asked for that", "works council"),
    ("the machines do it by themselves now", "by themselves"),
    ("the person who wanted it has left", "has left"),
];
