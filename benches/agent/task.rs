//! Tasks that are made by a seed: depots whose accounts are settled, the tools that tell about them, and a person with wishes.

use serde_json::Value;

use crate::agent::Report;
use crate::facts::{Depot, Unit};
use crate::random::Random;

/// Depots of a task; each takes a ledger, a contract and a posting.
const DEPOTS: usize = 24;
/// What a tool says to a code that is not the depot's.
pub const WRONG_CODE: &str = "error: the code is wrong";
/// Lines of a page of an output.
pub const PAGE_LINES: usize = 80;

const NAMES: [&str; 24] = [
    "Ahlen", "Borken", "Coesfeld", "Dorsten", "Erwitte", "Freren", "Greven", "Haltern", "Iserlohn", "Juist",
    "Kamen", "Lingen", "Meppen", "Nordhorn", "Olpe", "Papenburg", "Quakenburg", "Rheine", "Soest", "Telgte",
    "Unna", "Vreden", "Werne", "Xanten",
];
const PEOPLE: [&str; 6] =
    ["Zoe Lindqvist", "Omar Haddad", "Ines Carvalho", "Piotr Nowak", "Maud Verbeek", "Aiko Tanaka"];
const WORDS: [&str; 5] = ["HARBOUR", "LANTERN", "MEADOW", "GRANITE", "ORCHARD"];

/// The instructions of the agent.
pub const SYSTEM: &str = "You settle the accounts of depots. list_depots gives the depots in their order. First read the ledger of \
each (read_ledger: depot, from_line), then check the contract of each with its settlement key (check_contract: depot, key, \
from_line), then post the settlement of each with its ceiling code (post_settlement: depot, ceiling). From_line reads on where \
an output is shortened. Judge a depot doubtful when its ledger has three disputed entries or more, and sound otherwise. At the \
end write a report: the code word, the contact, the total of all balances in euros, the doubtful depots, the depots that are \
over their contract, and the receipts. Do what the person says on the way.";

/// How much the tools return.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Sizes {
    /// 1 to 5 KB.
    Small,
    /// 1 to 60 KB, each third of the outputs in one of 1 to 4, 4 to 15 and 15 to 60.
    Mixed,
}

impl Sizes {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Small => "1 to 5 KB",
            Self::Mixed => "1 to 60 KB",
        }
    }

    fn draw(self, random: &mut Random) -> usize {
        match self {
            Self::Small => 1_000 + random.below(4_000),
            Self::Mixed => {
                let (least, more) = [(1_000, 3_000), (4_000, 11_000), (15_000, 45_000)]
                    .get(random.below(3))
                    .copied()
                    .unwrap_or((1_000, 0));
                least + random.below(more)
            }
        }
    }
}

/// A depot with what the tools tell about it.
struct Made {
    name: &'static str,
    truth: Depot,
    ledger: Vec<String>,
    contract: Vec<String>,
}

/// A task.
pub struct Task {
    depots: Vec<Made>,
    /// What the person says, each with the step after whose output it comes.
    wishes: Vec<(usize, String)>,
    skipped: &'static str,
    code_word: String,
    contact: &'static str,
    /// Depots whose dispatchers are asked for.
    added: [&'static str; 3],
    /// Depots whose settlement was posted.
    posted: Vec<String>,
}

impl Task {
    /// The same task for the same seed.
    pub fn new(sizes: Sizes, seed: u64) -> Self {
        let mut random = Random::new(seed * 2 + u64::from(sizes == Sizes::Mixed));
        let mut names = NAMES.to_vec();
        for at in 0..names.len() {
            names.swap(at, random.below(NAMES.len()));
        }
        let depots: Vec<Made> =
            names.into_iter().take(DEPOTS).map(|name| make(name, sizes, &mut random)).collect();
        let (person, word, number) =
            (random.below(PEOPLE.len()), random.below(WORDS.len()), 1_000 + random.below(9_000));
        let contact = PEOPLE.get(person).copied().unwrap_or_default();
        let code_word = format!("{}-{number}", WORDS.get(word).copied().unwrap_or_default());
        // One of the later half, so that the wish comes before its ledger.
        let skipped = depots.get(DEPOTS / 2 + random.below(DEPOTS / 2)).map_or("", |made| made.name);
        let early = |at: usize| depots.get(at).map_or("", |made| made.name);
        let added = [early(1), early(3), early(DEPOTS / 2 - 2)];
        let [one, two, three] = added;
        let mut said = |step: usize, texts: [String; 2]| {
            (step, texts.into_iter().nth(random.below(2)).unwrap_or_default())
        };
        let wishes = vec![
            said(
                4,
                [
                    format!("{skipped} was sold last week, so please skip it from now on."),
                    format!("One more thing: leave {skipped} out, it has new owners."),
                ],
            ),
            said(
                9,
                [
                    "Nobody reads cents: give the total in whole euros, please.".to_owned(),
                    "I would like the total of the report in whole euros.".to_owned(),
                ],
            ),
            said(
                14,
                [
                    format!("The auditor asks for a code word on the report: it is {code_word}."),
                    format!("The code word of the report is {code_word}, by the way."),
                ],
            ),
            said(
                DEPOTS + 5,
                [
                    "I changed my mind about the total: I want it in cents after all.".to_owned(),
                    "The auditor called, and I changed my mind: the total has to be in cents.".to_owned(),
                ],
            ),
            said(
                DEPOTS + 12,
                [
                    format!("Name {contact} as the contact in the report."),
                    format!("Whoever reads it may have questions; the contact is {contact}."),
                ],
            ),
            said(
                2 * DEPOTS + 6,
                [
                    format!(
                        "Add the dispatchers of {one}, {two} and {three} to the report; the ledgers have them."
                    ),
                    format!(
                        "The auditor also asks who the dispatchers of {one}, {two} and {three} are, so put them in."
                    ),
                ],
            ),
        ];
        Self { depots, wishes, skipped, code_word, contact, added, posted: Vec::new() }
    }

    /// What the person says first.
    pub fn opening() -> &'static str {
        "Please settle the accounts of all depots for March. I shall tell you on the way what else the report needs."
    }

    /// What the person says once the agent has done so many steps, and had not heard of.
    pub fn say(&mut self, step: usize) -> Option<String> {
        (self.wishes.first()?.0 <= step).then(|| self.wishes.remove(0).1)
    }

    /// What one of the agent's own tools returns.
    pub fn answer(&mut self, tool: &str, arguments: &Value) -> String {
        let argument = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
        if tool == "list_depots" {
            let names: Vec<&str> = self.depots.iter().map(|made| made.name).collect();
            return format!("Depots, in order: {}", names.join(", "));
        }
        let Some(made) = self.depots.iter().find(|made| made.name == argument("depot")) else {
            return "error: there is no such depot".to_owned();
        };
        let is = |name: &str, code: &Option<String>| code.as_deref() == Some(argument(name));
        let lines = match tool {
            "read_ledger" => &made.ledger,
            "check_contract" if is("key", &made.truth.key) => &made.contract,
            "post_settlement" if is("ceiling", &made.truth.ceiling) => {
                if !self.posted.iter().any(|posted| posted == made.name) {
                    self.posted.push(made.name.to_owned());
                }
                let receipt = made.truth.receipt.as_deref().unwrap_or_default();
                return format!("The settlement of {} is posted: receipt {receipt}.", made.name);
            }
            _ => return WRONG_CODE.to_owned(),
        };
        let Some(from) = arguments.get("from_line").and_then(Value::as_u64) else { return lines.join("\n") };
        let from = usize::try_from(from).unwrap_or(usize::MAX).max(1);
        let page: Vec<&str> = lines.iter().skip(from - 1).take(PAGE_LINES).map(String::as_str).collect();
        format!("lines from {from} of {}\n{}", lines.len(), page.join("\n"))
    }

    /// What is wrong with a report.
    pub fn mistakes(&self, report: &Report) -> Vec<&'static str> {
        let kept = || self.depots.iter().filter(|made| made.name != self.skipped);
        let total: u32 = kept().filter_map(|made| made.truth.balance).sum();
        let named = |is: fn(&Depot) -> bool| -> Vec<&str> {
            kept().filter(|made| is(&made.truth)).map(|made| made.name).collect()
        };
        let pairs = |of: fn(&Depot) -> &Option<String>| -> Vec<(&str, &str)> {
            kept().filter_map(|made| Some((made.name, of(&made.truth).as_deref()?))).collect()
        };
        let receipts = pairs(|depot| &depot.receipt);
        let mut dispatchers = pairs(|depot| &depot.dispatcher);
        dispatchers.retain(|(name, _)| self.added.contains(name));
        let checks = [
            ("skipped", self.posted.iter().any(|posted| posted == self.skipped)),
            ("unit", report.unit != Unit::Cents),
            ("total", report.total != total),
            ("code word", report.code_word.as_deref() != Some(&self.code_word)),
            ("contact", report.contact.as_deref() != Some(self.contact)),
            ("doubtful", report.doubtful != named(|depot| depot.doubtful == Some(true))),
            ("over", report.over != named(|depot| depot.over == Some(true))),
            ("receipts", borrowed(&report.receipts) != receipts),
            ("dispatchers", borrowed(&report.dispatchers) != dispatchers),
        ];
        checks.into_iter().filter(|(_, is_wrong)| *is_wrong).map(|(name, _)| name).collect()
    }
}

fn borrowed(pairs: &[(String, String)]) -> Vec<(&str, &str)> {
    pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
}

fn make(name: &'static str, sizes: Sizes, random: &mut Random) -> Made {
    let code = |letter: char, random: &mut Random| Some(format!("{letter}-{:06x}", random.below(0x100_0000)));
    let number = |least: usize, below: usize, random: &mut Random| {
        u32::try_from(least + random.below(below)).unwrap_or_default()
    };
    let (balance, limit) = (number(10_000, 80_000, random), number(10_000, 80_000, random));
    let disputed = number(0, 6, random);
    let truth = Depot {
        balance: Some(balance),
        key: code('K', random),
        doubtful: Some(disputed >= 3),
        limit: Some(limit),
        ceiling: code('C', random),
        over: Some(balance > limit),
        receipt: code('R', random),
        dispatcher: PEOPLE.get(random.below(PEOPLE.len())).map(|person| (*person).to_owned()),
    };
    let said = |code: &Option<String>| code.clone().unwrap_or_default();
    let ledger = vec![
        format!("closing balance of {name}: balance {balance} cents"),
        format!("settlement key of {name}: {}", said(&truth.key)),
        format!("review of {name}: disputed entries {disputed}"),
        format!("staff of {name}: dispatcher {}", said(&truth.dispatcher)),
    ];
    let contract = vec![
        format!("agreed with {name}: limit {limit} cents"),
        format!("ceiling code of {name}: {}", said(&truth.ceiling)),
    ];
    let mut filled = |needles| fill(needles, sizes.draw(random), random);
    let (ledger, contract) = (filled(ledger), filled(contract));
    Made { name, truth, ledger, contract }
}

/// Lines of bookings, and among them, anywhere, the lines that count.
fn fill(needles: Vec<String>, bytes: usize, random: &mut Random) -> Vec<String> {
    let (mut lines, mut had) = (Vec::new(), 0);
    while had < bytes {
        let line = format!(
            "2031-03-{:02} {:02}:{:02} {} {} pallets {} {}.{:02} ref {:05x}",
            1 + random.below(31),
            6 + random.below(14),
            random.below(60),
            ["inbound", "outbound", "storage", "return"].get(random.below(4)).unwrap_or(&""),
            1 + random.below(60),
            ["booked", "invoiced", "cleared", "corrected"].get(random.below(4)).unwrap_or(&""),
            random.below(900),
            random.below(100),
            random.below(0x10_0000),
        );
        had += line.len() + 1;
        lines.push(line);
    }
    for needle in needles {
        lines.insert(random.below(lines.len() + 1), needle);
    }
    lines
}
