//! What a reader finds in texts: the facts of depots and what the person wants.
//!
//! A value is found where it stands in one line with its label, after its depot's name, and nothing is left out between; a wish, in
//! one sentence.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::LazyLock;

use anchord_economy::piece::pattern;
use regex::{Captures, Regex};

/// So many disputed entries make a depot doubtful.
const DOUBTFUL: u32 = 3;

static LIST: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"Depots, in order: ([A-Z][a-z]+(?:, [A-Z][a-z]+)+)(,? ?…)?"));
static BALANCE: LazyLock<Regex> = LazyLock::new(|| pattern(r"balance\D{0,12}(\d{3,})(?:[^\d…]|$)"));
static LIMIT: LazyLock<Regex> = LazyLock::new(|| pattern(r"limit\D{0,12}(\d{3,})(?:[^\d…]|$)"));
static DISPUTED: LazyLock<Regex> = LazyLock::new(|| pattern(r"disputed entries\D{0,12}(\d+)"));
static CODE: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b([KCR])-([0-9a-f]{6})\b"));
static JUDGED: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b(?:(doubtful)|sound)\b"));
static COMPARED: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b(?:(over)|within) its contract"));
static DISPATCHER: LazyLock<Regex> = LazyLock::new(|| pattern(r"dispatcher:? ([A-Z]\w+ [A-Z]\w+)"));
static ADDED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"dispatchers of ([A-Z][a-z]+), ([A-Z][a-z]+) and ([A-Z][a-z]+)"));
static GAP: LazyLock<Regex> = LazyLock::new(|| pattern(r"…|#\d+ (?:user|assistant|tool):"));
static SKIPPED: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\bskip\b|\bleave .{0,30}out\b|\bsold\b"));
static UNIT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(changed my mind\b[^\n]{0,40})?\btotal\b[^\n]{0,60}?\bin (?:(cents)|whole euros)")
});
static CODE_WORD: LazyLock<Regex> = LazyLock::new(|| pattern(r"code word\W.{0,40}?\b([A-Z]{4,9}-\d{4})\b"));
static CONTACT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"\b([A-Z]\w+ [A-Z]\w+) as (?:the )?contact|contact (?:is|person is) ([A-Z]\w+ [A-Z]\w+)")
});

/// The unit of the total.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unit {
    /// As the system prompt has it, where the person says nothing.
    #[default]
    Euros,
    /// Without what is behind the point.
    WholeEuros,
    /// Every cent.
    Cents,
}

impl Unit {
    /// A sum of cents in it.
    pub fn write(self, cents: u32) -> String {
        match self {
            Self::Euros => format!("{}.{:02} euros", cents / 100, cents % 100),
            Self::WholeEuros => format!("{} whole euros", cents / 100),
            Self::Cents => format!("{cents} cents"),
        }
    }
}

/// A fact of a depot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fact {
    /// What it owes, in cents; from the ledger.
    Balance,
    /// The key that opens its contract; from the ledger.
    Key,
    /// Whether the agent judges it doubtful, by the disputed entries of the ledger.
    Doubtful,
    /// What it may owe; from the contract.
    Limit,
    /// The code that its posting needs; from the contract.
    Ceiling,
    /// Whether it owes more than it may, as the agent finds by balance and limit.
    Over,
    /// The receipt of its posting.
    Receipt,
    /// A person; from the ledger. Nobody asks for it until late.
    Dispatcher,
}

/// What is known of a depot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Depot {
    /// [`Fact::Balance`].
    pub balance: Option<u32>,
    /// [`Fact::Key`].
    pub key: Option<String>,
    /// [`Fact::Doubtful`].
    pub doubtful: Option<bool>,
    /// [`Fact::Limit`].
    pub limit: Option<u32>,
    /// [`Fact::Ceiling`].
    pub ceiling: Option<String>,
    /// [`Fact::Over`].
    pub over: Option<bool>,
    /// [`Fact::Receipt`].
    pub receipt: Option<String>,
    /// [`Fact::Dispatcher`].
    pub dispatcher: Option<String>,
}

impl Depot {
    /// Whether a fact is known.
    pub fn knows(&self, fact: Fact) -> bool {
        match fact {
            Fact::Balance => self.balance.is_some(),
            Fact::Key => self.key.is_some(),
            Fact::Doubtful => self.doubtful.is_some(),
            Fact::Limit => self.limit.is_some(),
            Fact::Ceiling => self.ceiling.is_some(),
            Fact::Over => self.is_over().is_some(),
            Fact::Receipt => self.receipt.is_some(),
            Fact::Dispatcher => self.dispatcher.is_some(),
        }
    }

    /// Whether it owes more than it may: as it was said, or as it follows.
    pub fn is_over(&self) -> Option<bool> {
        self.over.or_else(|| Some(self.balance? > self.limit?))
    }

    fn read(&mut self, segment: &str) {
        let number =
            |pattern: &Regex| pattern.captures(segment).and_then(|found| found.get(1)?.as_str().parse().ok());
        self.balance = number(&BALANCE).or(self.balance);
        self.limit = number(&LIMIT).or(self.limit);
        self.doubtful = number(&DISPUTED).map(|disputed: u32| disputed >= DOUBTFUL).or(self.doubtful);
        let said = |pattern: &Regex| pattern.captures(segment).map(|found| found.get(1).is_some());
        self.doubtful = said(&JUDGED).or(self.doubtful);
        self.over = said(&COMPARED).or(self.over);
        let person = DISPATCHER.captures(segment).and_then(|found| found.get(1));
        self.dispatcher = person.map(|person| person.as_str().to_owned()).or(self.dispatcher.take());
        for (kind, field) in [("K", &mut self.key), ("C", &mut self.ceiling), ("R", &mut self.receipt)] {
            let codes: BTreeSet<&str> = CODE
                .captures_iter(segment)
                .filter(|found| found.get(1).is_some_and(|letter| letter.as_str() == kind))
                .filter_map(|found| Some(found.get(0)?.as_str()))
                .collect();
            // Of several, a reader cannot tell which is meant.
            if let (1, Some(code)) = (codes.len(), codes.first()) {
                *field = Some((*code).to_owned());
            }
        }
    }
}

/// What it says of itself, as the agent says it.
impl fmt::Display for Depot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let over = self.is_over();
        let parts = [
            self.balance.map(|balance| format!("balance {balance} cents")),
            self.key.as_ref().map(|key| format!("settlement key {key}")),
            self.doubtful.map(|is| format!("I judge it {}", if is { "doubtful" } else { "sound" })),
            self.limit.filter(|_| over.is_none()).map(|limit| format!("limit {limit} cents")),
            self.ceiling.as_ref().map(|ceiling| format!("ceiling code {ceiling}")),
            over.map(|is| format!("it is {} its contract", if is { "over" } else { "within" })),
            self.receipt.as_ref().map(|receipt| format!("receipt {receipt}")),
            self.dispatcher.as_ref().map(|person| format!("dispatcher {person}")),
        ];
        f.write_str(&parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
    }
}

/// What a reader finds.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The depots, in their order.
    pub names: Vec<String>,
    /// What is known of each.
    pub depots: BTreeMap<String, Depot>,
    /// Depots to leave out.
    pub skipped: BTreeSet<String>,
    /// The unit of the total.
    pub unit: Option<Unit>,
    /// Whether the person said so in place of something else.
    is_changed: bool,
    /// The word on the first line of the report.
    pub code_word: Option<String>,
    /// The person to ask.
    pub contact: Option<String>,
    /// Depots whose dispatchers the report names.
    pub added: Vec<String>,
}

impl Facts {
    /// Reads texts in their order.
    pub fn read<'t>(texts: impl Iterator<Item = &'t str> + Clone) -> Self {
        let mut facts = Self::default();
        // A list that ends with a gap is none.
        let whole = |found: &Captures<'_>| found.get(2).is_none();
        let lists = texts.clone().flat_map(|text| LIST.captures_iter(text)).filter(whole);
        let list = lists.filter_map(|found| Some(found.get(1)?.as_str())).last();
        facts.names = list.map_or_else(Vec::new, |list| list.split(", ").map(str::to_owned).collect());
        facts.read_on(texts);
        facts
    }

    /// Reads texts about the same depots.
    pub fn of_same<'t>(&self, texts: impl Iterator<Item = &'t str>) -> Self {
        let mut facts = Self { names: self.names.clone(), ..Self::default() };
        facts.read_on(texts);
        facts
    }

    fn read_on<'t>(&mut self, texts: impl Iterator<Item = &'t str>) {
        let names = (!self.names.is_empty()).then(|| pattern(&format!(r"\b(?:{})\b", self.names.join("|"))));
        for text in texts {
            self.read_wishes(text);
            let Some(names) = &names else { continue };
            let mut from = 0;
            while let Some(found) = names.find_at(text, from) {
                let start =
                    text.get(..found.start()).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
                let rest = text.get(found.end()..).unwrap_or_default();
                let end = rest.find('\n').map_or(text.len(), |at| found.end() + at);
                self.read_line(text.get(start..end).unwrap_or_default(), names);
                from = end;
            }
        }
    }

    /// A line that names a depot: what follows a name is about it, up to the next name.
    fn read_line(&mut self, line: &str, names: &Regex) {
        if LIST.is_match(line) {
            return;
        }
        let found: Vec<_> = names.find_iter(line).collect();
        for (at, name) in found.iter().enumerate() {
            let end = found.get(at + 1).map_or(line.len(), regex::Match::start);
            let segment = line.get(name.end()..end).unwrap_or_default();
            // Behind a gap, or in another message that is quoted in the line, it may be about another.
            let segment = GAP.split(segment).next().unwrap_or_default();
            self.depots.entry(name.as_str().to_owned()).or_default().read(segment);
        }
        for sentence in line.split(['.', ';']) {
            if SKIPPED.is_match(sentence) {
                self.skipped.extend(names.find_iter(sentence).map(|name| name.as_str().to_owned()));
            }
        }
    }

    fn read_wishes(&mut self, text: &str) {
        let word =
            |found: Captures<'_>| found.iter().skip(1).flatten().next().map(|word| word.as_str().to_owned());
        self.code_word = CODE_WORD.captures_iter(text).filter_map(word).last().or(self.code_word.take());
        self.contact = CONTACT.captures_iter(text).filter_map(word).last().or(self.contact.take());
        if let Some(found) = ADDED.captures_iter(text).last() {
            self.added = found.iter().skip(1).flatten().map(|name| name.as_str().to_owned()).collect();
        }
        for found in UNIT.captures_iter(text) {
            let is_changed = found.get(1).is_some();
            // A change of mind counts, wherever the reader finds it.
            if is_changed || !self.is_changed {
                self.unit = Some(if found.get(2).is_some() { Unit::Cents } else { Unit::WholeEuros });
                self.is_changed = is_changed;
            }
        }
    }

    /// What is known of a depot.
    pub fn depot(&self, name: &str) -> Depot {
        self.depots.get(name).cloned().unwrap_or_default()
    }

    /// Takes a depot's codes for wrong.
    pub fn forget_codes(&mut self, name: &str) {
        if let Some(depot) = self.depots.get_mut(name) {
            (depot.key, depot.ceiling) = (None, None);
        }
    }

    /// What the person wants, in one line; `None` when nothing is known.
    pub fn wishes(&self) -> Option<String> {
        let skipped: Vec<&str> = self.skipped.iter().map(String::as_str).collect();
        let unit = self.unit.map(|unit| match unit {
            Unit::Cents => "in cents",
            Unit::WholeEuros | Unit::Euros => "in whole euros",
        });
        let changed = if self.is_changed { "I changed my mind: " } else { "" };
        let parts = [
            (!skipped.is_empty()).then(|| format!("skip {}", skipped.join(" and "))),
            unit.map(|unit| format!("{changed}the total {unit}")),
            self.code_word.as_ref().map(|word| format!("code word {word}")),
            self.contact.as_ref().map(|name| format!("{name} as the contact")),
            match self.added.as_slice() {
                [one, two, three] => {
                    Some(format!("the dispatchers of {one}, {two} and {three} in the report"))
                }
                _ => None,
            },
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| format!("What the person wants: {}.", parts.join("; ")))
    }
}
