//! Makes one very long session of a coding agent from a seed.
//!
//! The session is an invented record of an agent that works for days on one platform: some fifty work items,
//! one after another, each with a request, files that are read and changed, failing and passing test runs,
//! errors whose cause is found, decisions (some overturned later), rules that hold from then on, and records
//! of servers and customers that later items change. Beside the messages it gives what is known to be true of
//! them (`gold`) and twenty questions (`exam`) whose answers stand before the last twelve messages.
//!
//! Everything is kept in a small model of the platform ([`World`]): the text of every file, so that a later
//! `Read` shows what an earlier `Edit` wrote; the records; the rules in force; the open work. Questions are
//! taken from that model at the end, so that they ask for the last state of a thing. The same seed and size
//! give the same session, byte for byte.
//!
//! How to find your way: [`session`] runs the items and puts the parts together, and the types of the model
//! follow it here. What the model does stands in the modules: `dice` and `spelling`, `platform` and `texts`,
//! `tools` and `runs`, `noise`, `items`, `gold` and `exam`. The word lists are in `themes`, `words`,
//! `settings`, `frames`, `pages`, `prose` and, where only work items need them, beside these. In prose frames
//! `[a|b]` stands for one of the alternatives and `{x}` for a value; in code frames values are written `@x@`.

mod dice;
mod exam;
mod frames;
mod gold;
mod items;
mod noise;
mod pages;
mod platform;
mod prose;
mod runs;
mod settings;
mod spelling;
mod texts;
mod themes;
mod tools;
mod words;

use dice::Dice;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use themes::Theme;

/// How many characters count as one token.
const CHARS_PER_TOKEN: usize = 4;
/// How many work items a session of the usual length has.
const USUAL_ITEMS: usize = 50;

/// Makes the session that belongs to `seed`, with at least `least_tokens` tokens of text (four characters
/// each).
///
/// A session has at least ten items, so it is longer than asked where very little is asked for.
///
/// The value has the members `id`, `format`, `messages`, `gold` and `exam`.
///
/// ```ignore
/// let made = session(7, 310_000);
/// assert_eq!(made["exam"]["questions"].as_array().map(Vec::len), Some(20));
/// ```
#[must_use]
pub fn session(seed: u64, least_tokens: usize) -> Value {
    let least = least_tokens * CHARS_PER_TOKEN;
    let mut world = World::new(seed, least);
    let mut kind = usize::MAX;
    while world.chars + 6_000 < least || world.item < 8 {
        kind = world.next_item(kind);
    }
    world.last_open_item();
    world.closing_item();
    while world.chars < least {
        world.closing_item();
    }
    let id = format!("made-{}-{seed}", world.theme.slug);
    let gold = world.gold();
    let exam = world.exam(&id);
    json!({"id": id, "format": "openai-chat", "messages": world.messages, "gold": gold, "exam": exam})
}

/// Someone who asks for work or is named in it.
#[derive(Clone)]
struct Person {
    name: String,
    role: &'static str,
    /// 0 plain, 1 short and without capitals, 2 talkative, 3 formal
    voice: usize,
}

/// A constant in a module, with what it means.
#[derive(Clone)]
struct Setting {
    name: String,
    phrase: String,
    unit: &'static str,
    value: usize,
    kind: usize,
}

impl Setting {
    /// A value of this setting with its unit.
    fn with_unit(&self, value: usize) -> String {
        if self.unit.is_empty() { value.to_string() } else { format!("{value} {}", self.unit) }
    }
}

/// A Python module of the platform, with its tests.
#[derive(Clone)]
struct Module {
    package: usize,
    stem: String,
    settings: Vec<Setting>,
    tests: Vec<String>,
    /// no message has shown it yet
    fresh: bool,
    gone: bool,
}

/// A component of the web front end.
#[derive(Clone)]
struct Part {
    name: String,
    package: usize,
    label: String,
    value: usize,
    what: &'static str,
    tests: Vec<String>,
}

/// A server in the inventory.
#[derive(Clone)]
struct Server {
    id: String,
    name: String,
    role: &'static str,
    region: &'static str,
    size: usize,
    price: usize,
    /// must not be changed (a rule says so)
    pinned: bool,
    gone: bool,
}

/// A customer in the register.
#[derive(Clone)]
struct Customer {
    id: String,
    name: String,
    plan: usize,
    seats: usize,
    price: usize,
    billing: &'static str,
    contact: String,
}

/// A rule that holds from its message on.
struct Rule {
    kind: usize,
    text: String,
    short: String,
    package: Option<usize>,
    server: Option<usize>,
    lifted: bool,
    said: usize,
    item: usize,
}

/// A decision on one of the larger topics.
struct Choice {
    topic: usize,
    side: usize,
    ticket: String,
    path: String,
    module: usize,
    item: usize,
}

/// Work that was left open.
struct Job {
    ticket: String,
    what: String,
    waits: String,
    package: usize,
    closed: bool,
    item: usize,
}

/// A candidate for the exam; a later one with the same key takes the place of an earlier one.
struct Note {
    key: String,
    kind: &'static str,
    question: String,
    answer: String,
    facts: Vec<Vec<String>>,
    evidence: Vec<usize>,
    need: &'static str,
    item: usize,
}

/// What the messages did to one file.
#[expect(clippy::struct_excessive_bools, reason = "the flags of a file are independent of one another")]
struct Track {
    path: String,
    absolute: bool,
    before: bool,
    now: bool,
    changed: bool,
    first: usize,
    last: usize,
}

/// Files that shell commands touched.
#[derive(Default)]
struct Shell {
    written: Vec<String>,
    removed: Vec<String>,
    read: Vec<String>,
    edited: Vec<String>,
}

/// Where a call and its result stand.
#[derive(Clone, Copy)]
struct Step {
    ask: usize,
    got: usize,
}

/// A test that fails in a run: module or component, name, and the line that says why.
struct Fail {
    at: usize,
    name: String,
    line: String,
    code: String,
}

/// The work item at hand.
struct Item {
    ticket: String,
    who: usize,
    start: usize,
    title: String,
    /// what the person pastes below the request
    paste: String,
}

/// The platform, the conversation so far and what is known of both.
struct World {
    dice: Dice,
    decks: BTreeMap<&'static str, Vec<usize>>,
    theme: &'static Theme,
    root: String,
    people: Vec<Person>,
    others: Vec<Person>,
    messages: Vec<Value>,
    chars: usize,
    calls: usize,
    budget: usize,
    texts: BTreeMap<String, String>,
    tracks: Vec<Track>,
    shell: Shell,
    tests: Vec<Value>,
    errors: Vec<Value>,
    renamed: Vec<Value>,
    modules: Vec<Module>,
    parts: Vec<Part>,
    servers: Vec<Server>,
    customers: Vec<Customer>,
    spend_limit: usize,
    rules: Vec<Rule>,
    choices: Vec<Choice>,
    jobs: Vec<Job>,
    /// settings that were changed: module, place in it, ticket
    changed: Vec<(usize, usize, String)>,
    notes: Vec<Note>,
    ticket: usize,
    item: usize,
    /// the package that the item at hand is about
    focus: usize,
    minute: usize,
    /// what the agent says before its next call
    plan: String,
    records: usize,
    migrations: usize,
    ticket_first: bool,
    brief: bool,
}
