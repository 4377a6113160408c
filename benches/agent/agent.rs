//! An agent that remembers nothing: it decides on its next step by the prompt alone, which it reads as [`crate::facts`] tells.
//!
//! It says where it stands, and what it found, in every message. Where a fact is not in view any more it looks it up: with the
//! service's tools it searches the past and reads the best hit in full, otherwise, and where that does not help, it calls the tool
//! that told it, and where that output is shortened it reads it by pages. With the service's tools it also searches for what the person wants, before it posts and before it reports.

use std::fmt::Write as _;
use std::sync::LazyLock;

use anchord_economy::piece::{Piece, pattern};
use anchord_messages::message::Role;
use regex::Regex;
use serde_json::{Map, Value, json};

use crate::facts::{Depot, Fact, Facts, Unit};
use crate::task::{PAGE_LINES, WRONG_CODE};

/// The service's tool that searches the past.
pub const SEARCH: &str = "search_past";
/// The one that gives a message in full.
pub const READ: &str = "read_messages";
const LIST: &str = "list_depots";
/// The most hits that it asks for where it looks for one fact.
const HITS: u32 = 4;
const WISHES: &str = "the person on the report: skip or leave out a depot; the total; the code word; the contact; what else to add";

/// So many of its newest calls it still goes by: a search among them has told what it tells.
const NEWEST: usize = 6;

static PAGE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^lines from \d+ of (\d+)"));
static HIT: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?m)^#(\d+) "));
static STEP: LazyLock<Regex> = LazyLock::new(|| pattern(r"Step (\d+), "));

/// A kind of steps.
struct Phase {
    name: &'static str,
    /// The tool that each of its steps calls.
    tool: &'static str,
    /// The facts that the tool tells.
    facts: &'static [Fact],
}

/// In their order.
const PHASES: [Phase; 3] = [
    Phase { name: "ledgers", tool: "read_ledger", facts: &[Fact::Balance, Fact::Key, Fact::Doubtful] },
    Phase { name: "contracts", tool: "check_contract", facts: &[Fact::Ceiling, Fact::Over] },
    Phase { name: "postings", tool: "post_settlement", facts: &[Fact::Receipt] },
];
/// The facts of a depot that the report needs.
const REPORTED: [Fact; 4] = [Fact::Balance, Fact::Doubtful, Fact::Over, Fact::Receipt];

/// The agent's answer to a prompt.
pub enum Act {
    /// A call.
    Call(Call),
    /// The report, with which it ends.
    Report(Report),
}

/// A call, and what is said with it.
pub struct Call {
    /// The step that it is for.
    pub step: usize,
    /// What is said.
    pub words: String,
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub arguments: Value,
}

/// The report.
#[derive(Default)]
pub struct Report {
    /// The unit of the total.
    pub unit: Unit,
    /// The total, in cents.
    pub total: u32,
    /// The code word.
    pub code_word: Option<String>,
    /// The contact.
    pub contact: Option<String>,
    /// Doubtful depots.
    pub doubtful: Vec<String>,
    /// Depots that are over their contract.
    pub over: Vec<String>,
    /// Each depot's receipt.
    pub receipts: Vec<(String, String)>,
    /// The dispatchers that were asked for.
    pub dispatchers: Vec<(String, String)>,
}

impl Report {
    /// Its text.
    pub fn text(&self) -> String {
        let said = |word: &Option<String>| word.clone().unwrap_or_else(|| "unknown".to_owned());
        let pairs = |of: &[(String, String)]| {
            of.iter().map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>().join(", ")
        };
        format!(
            "Report\ncode word: {}\ncontact: {}\ntotal: {}\ndoubtful: {}\nover: {}\nreceipts: {}\ndispatchers: {}",
            said(&self.code_word),
            said(&self.contact),
            self.unit.write(self.total),
            self.doubtful.join(", "),
            self.over.join(", "),
            pairs(&self.receipts),
            pairs(&self.dispatchers)
        )
    }
}

/// The agent's next message.
pub fn act(prompt: &[Piece], has_tools: bool) -> Act {
    View::of(prompt, has_tools).act()
}

/// What the agent sees.
struct View<'a> {
    prompt: &'a [Piece],
    has_tools: bool,
    facts: Facts,
    /// The step that its last message was about; 0 before the first.
    step: usize,
    /// Its newest calls, but for those that list the depots, the last one first.
    newest: Vec<(String, Value)>,
    /// What stands in the results that it has not answered yet.
    told: Facts,
    /// The best hit of the search that it has just made.
    hit: Option<u64>,
}

impl<'a> View<'a> {
    fn of(prompt: &'a [Piece], has_tools: bool) -> Self {
        let mut facts = Facts::read(prompt.iter().map(|piece| &*piece.text));
        let at = prompt.iter().rposition(|piece| piece.role == Role::Assistant);
        let last = at.and_then(|at| prompt.get(at));
        let step =
            last.and_then(|piece| STEP.captures(&piece.text)?.get(1)?.as_str().parse().ok()).unwrap_or(0);
        let results =
            prompt.iter().skip(at.map_or(prompt.len(), |at| at + 1)).filter(|piece| piece.has_results);
        let results: Vec<&str> = results.map(|piece| &*piece.text).collect();
        let told = facts.of_same(results.iter().copied());
        let calls = prompt.iter().rev().filter_map(call_of);
        let newest = calls.filter(|(tool, _)| tool != LIST).take(NEWEST).collect::<Vec<_>>();
        let is_refused = results.iter().any(|result| result.contains(WRONG_CODE));
        if let Some((_, arguments)) = newest.first().filter(|_| is_refused)
            && let Some(depot) = arguments.get("depot").and_then(Value::as_str)
        {
            facts.forget_codes(depot);
        }
        let is_search = newest.first().is_some_and(|(tool, _)| tool == SEARCH);
        let hit = results.iter().find_map(|result| HIT.captures(result)?.get(1)?.as_str().parse().ok());
        Self { prompt, has_tools, facts, step, newest, told, hit: hit.filter(|_| is_search) }
    }

    fn act(&self) -> Act {
        let names = &self.facts.names;
        if names.is_empty() {
            return Act::Call(Call {
                step: self.step.max(1),
                words: format!("Step {}, list: I need the depots in their order.", self.step.max(1)),
                tool: LIST.to_owned(),
                arguments: json!({}),
            });
        }
        let mut step = self.step.max(1);
        while self.place(step).is_some_and(|place| self.is_done(step, place)) {
            step += 1;
        }
        let found = self.found(step);
        let last_posting = |step: usize| step > PHASES.len() * names.len();
        let posts = |step: usize| step > (PHASES.len() - 1) * names.len();
        let is_new = posts(step) && !posts(self.step) || last_posting(step) && !last_posting(self.step);
        if self.has_tools && is_new {
            let arguments = json!({"query": WISHES});
            return self.call(step, found, "I look up what the person wants.", (SEARCH, arguments));
        }
        let Some((name, Phase { tool, facts, .. })) = self.place(step) else {
            return self.report(step, found);
        };
        let depot = self.facts.depot(name);
        let missing = facts.iter().copied().find(|fact| !depot.knows(*fact));
        let missing = missing.or(facts.first().copied()).unwrap_or(Fact::Balance);
        let (why, call) = if self.was_called(tool, name) {
            self.look_up(name, missing)
        } else {
            self.source(name, missing, None)
        };
        self.call(step, found, &why, call)
    }

    /// The depot and the kind of a step; `None` for the report.
    fn place(&self, step: usize) -> Option<(&str, &'static Phase)> {
        let names = &self.facts.names;
        let phase = PHASES.get((step - 1) / names.len().max(1))?;
        Some((names.get((step - 1) % names.len())?, phase))
    }

    /// Whether a step is behind it: the one that it was at when its facts are in view, and every one of a depot to leave out.
    fn is_done(&self, step: usize, (name, phase): (&str, &Phase)) -> bool {
        let depot = self.facts.depot(name);
        self.facts.skipped.contains(name)
            || step == self.step && phase.facts.iter().all(|fact| depot.knows(*fact))
    }

    /// What the agent has found, in its words: the facts of the step that it ends, or what the last result told.
    fn found(&self, step: usize) -> String {
        if let Some((SEARCH, arguments)) =
            self.newest.first().map(|(tool, arguments)| (tool.as_str(), arguments))
            && arguments.get("query").is_some_and(|query| query == WISHES)
        {
            return self.facts.wishes().unwrap_or_default();
        }
        let (name, found) = match self.place(self.step.max(1)) {
            Some((name, phase)) if step > self.step => (name, part(&self.facts.depot(name), phase)),
            _ => {
                let Some(name) = self.newest.iter().find_map(|(_, arguments)| self.named(arguments)) else {
                    return String::new();
                };
                (name, self.told.depot(name))
            }
        };
        match found.to_string() {
            found if found.is_empty() => found,
            found => match self.step % 3 {
                0 => format!("{name}: {found}."),
                1 => format!("I read {name}: {found}."),
                _ => format!("{name} has {found}."),
            },
        }
    }

    /// The depot that a call is about.
    fn named(&self, arguments: &Value) -> Option<&str> {
        let text = ["depot", "query"].iter().find_map(|name| arguments.get(*name)?.as_str())?;
        self.facts.names.iter().map(String::as_str).find(|name| text.starts_with(*name))
    }

    fn call(&self, step: usize, found: String, why: &str, (tool, arguments): (&str, Value)) -> Act {
        let mut words = found;
        let separator = if words.is_empty() { "" } else { "\n" };
        let _infallible = match self.place(step) {
            Some((name, phase)) => write!(words, "{separator}Step {step}, {}: {name}. {why}", phase.name),
            None => write!(words, "{separator}Step {step}, report: {why}"),
        };
        Act::Call(Call { step, words: words.trim_end().to_owned(), tool: tool.to_owned(), arguments })
    }

    fn was_called(&self, tool: &str, name: &str) -> bool {
        let is =
            |(called, arguments): (String, Value)| called == tool && self.named(&arguments) == Some(name);
        self.prompt.iter().filter_map(call_of).any(is)
    }

    /// The call that brings a fact back into view.
    fn look_up(&self, name: &str, fact: Fact) -> (String, (&'static str, Value)) {
        let depot = self.facts.depot(name);
        if fact == Fact::Over {
            return self.look_up(name, if depot.balance.is_none() { Fact::Balance } else { Fact::Limit });
        }
        let query = format!("{name} {}", label(fact));
        let is_searched = self
            .newest
            .iter()
            .any(|(_, arguments)| arguments.get("query").is_some_and(|asked| *asked == query));
        let read = self
            .newest
            .first()
            .filter(|(tool, arguments)| tool == origin(fact) && self.named(arguments) == Some(name));
        let page = read.and_then(|(_, arguments)| arguments.get("from_line")?.as_u64());
        if let Some(hit) = self.hit.filter(|_| is_searched) {
            let why = format!("I read message {hit} for the {} of {name}.", label(fact));
            return (why, (READ, json!({"from_seq": hit, "to_seq": hit})));
        }
        if is_searched || page.is_some() || read.is_some() && !self.has_tools {
            return self.source(name, fact, Some(self.line_after(page)));
        }
        if self.has_tools {
            return (lost(name, fact), (SEARCH, json!({"query": query, "limit": HITS})));
        }
        let (_, call) = self.source(name, fact, None);
        (lost(name, fact), call)
    }

    /// Where to read on after a page; behind the end, from the beginning again.
    fn line_after(&self, page: Option<u64>) -> u64 {
        let next = page.map_or(1, |from| from + u64::try_from(PAGE_LINES).unwrap_or_default());
        let last = self
            .prompt
            .iter()
            .rev()
            .find_map(|piece| PAGE.captures(&piece.text)?.get(1)?.as_str().parse().ok());
        if last.is_some_and(|last: u64| next > last) { 1 } else { next }
    }

    /// The call of the agent's own tool that tells a fact, or of what that call needs.
    fn source(&self, name: &str, fact: Fact, from_line: Option<u64>) -> (String, (&'static str, Value)) {
        let depot = self.facts.depot(name);
        let tool = origin(fact);
        let mut arguments = Map::from_iter([("depot".to_owned(), name.into())]);
        let needs = match fact {
            Fact::Balance | Fact::Key | Fact::Doubtful | Fact::Dispatcher => None,
            Fact::Limit | Fact::Ceiling | Fact::Over => Some(("key", depot.key, Fact::Key)),
            Fact::Receipt => Some(("ceiling", depot.ceiling, Fact::Ceiling)),
        };
        match needs {
            Some((_, None, needed)) => return self.look_up(name, needed),
            Some((parameter, Some(code), _)) => {
                arguments.insert(parameter.to_owned(), code.into());
            }
            None => {}
        }
        let mut why = String::new();
        if let Some(from_line) = from_line.filter(|_| fact != Fact::Receipt) {
            arguments.insert("from_line".to_owned(), from_line.into());
            why = format!("The output is shortened, I read on at line {from_line}.");
        }
        (why, (tool, arguments.into()))
    }

    fn report(&self, step: usize, found: String) -> Act {
        let kept = || self.facts.names.iter().filter(|name| !self.facts.skipped.contains(*name));
        let missing = kept().find_map(|name| {
            let depot = self.facts.depot(name);
            let added = self.facts.added.contains(name).then_some(Fact::Dispatcher);
            let mut needed = REPORTED.into_iter().chain(added);
            needed.find(|fact| !depot.knows(*fact)).map(|fact| (name, fact))
        });
        if let Some((name, fact)) = missing {
            // The list so far, so that it is in view for what comes.
            let mut collected = found;

            for name in kept() {
                let depot = self.facts.depot(name);
                let depot = Depot { key: None, limit: None, ceiling: None, over: depot.is_over(), ..depot };
                if depot != Depot::default() {
                    let _infallible =
                        write!(collected, "{}{name}: {depot}.", if collected.is_empty() { "" } else { "\n" });
                }
            }
            let (why, call) = self.look_up(name, fact);
            return self.call(step, collected, &why, call);
        }
        let depots: Vec<(&String, Depot)> = kept().map(|name| (name, self.facts.depot(name))).collect();
        let named = |is: fn(&Depot) -> bool| {
            depots.iter().filter(|(_, depot)| is(depot)).map(|(name, _)| (*name).clone()).collect()
        };
        Act::Report(Report {
            unit: self.facts.unit.unwrap_or_default(),
            total: depots.iter().filter_map(|(_, depot)| depot.balance).sum(),
            code_word: self.facts.code_word.clone(),
            contact: self.facts.contact.clone(),
            doubtful: named(|depot| depot.doubtful == Some(true)),
            over: named(|depot| depot.is_over() == Some(true)),
            receipts: depots
                .iter()
                .filter_map(|(name, depot)| Some(((*name).clone(), depot.receipt.clone()?)))
                .collect(),
            dispatchers: depots
                .iter()
                .filter(|(name, _)| self.facts.added.contains(name))
                .filter_map(|(name, depot)| Some(((*name).clone(), depot.dispatcher.clone()?)))
                .collect(),
        })
    }
}

/// The call of a message.
fn call_of(piece: &Piece) -> Option<(String, Value)> {
    if piece.role != Role::Assistant {
        return None;
    }
    let message: Value = serde_json::from_str(&piece.json).ok()?;
    let function = message.pointer("/tool_calls/0/function")?;
    let arguments = serde_json::from_str(function.get("arguments")?.as_str()?).ok()?;
    Some((function.get("name")?.as_str()?.to_owned(), arguments))
}

/// The facts of a depot that a step tells.
fn part(depot: &Depot, phase: &Phase) -> Depot {
    let Depot { balance, key, doubtful, ceiling, receipt, .. } = depot.clone();
    match phase.tool {
        "read_ledger" => Depot { balance, key, doubtful, ..Depot::default() },
        "check_contract" => Depot { ceiling, over: depot.is_over(), ..Depot::default() },
        _ => Depot { receipt, ..Depot::default() },
    }
}

/// The tool that tells a fact.
fn origin(fact: Fact) -> &'static str {
    match fact {
        Fact::Balance | Fact::Key | Fact::Doubtful | Fact::Dispatcher => "read_ledger",
        Fact::Limit | Fact::Ceiling | Fact::Over => "check_contract",
        Fact::Receipt => "post_settlement",
    }
}

fn label(fact: Fact) -> &'static str {
    match fact {
        Fact::Balance => "balance",
        Fact::Key => "settlement key",
        Fact::Doubtful => "disputed entries",
        Fact::Limit | Fact::Over => "limit",
        Fact::Ceiling => "ceiling code",
        Fact::Receipt => "receipt",
        Fact::Dispatcher => "dispatcher",
    }
}

fn lost(name: &str, fact: Fact) -> String {
    format!("I do not see the {} of {name}.", label(fact))
}
