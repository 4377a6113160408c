//! What a prompt still has of the facts that code reads out of the messages before it: files, errors and test runs.

use std::collections::BTreeSet;

use anchord_facts::ledger::{self, EarlierNames, LedgerState};

use crate::known::Share;
use crate::piece::Piece;
use crate::sessions::Session;

/// Of an error's message and of a command so many characters are looked for: records show long ones shortened.
const SOUGHT_CHARS: usize = 80;

/// The kind of a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A file that was changed or read.
    File,
    /// An error.
    Error,
    /// A run of tests.
    Run,
}

impl Kind {
    /// Each of them.
    pub const ALL: [Self; 3] = [Self::File, Self::Error, Self::Run];

    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::File => "files",
            Self::Error => "errors",
            Self::Run => "test runs",
        }
    }
}

/// A fact, and what a prompt must have of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fact {
    /// Its kind.
    pub kind: Kind,
    /// As it is shown to people.
    pub text: String,
    mark: String,
}

impl Fact {
    fn of(kind: Kind, text: &str, sought: &str) -> Self {
        let sought: String = sought.chars().take(SOUGHT_CHARS).collect();
        Self { kind, text: text.to_owned(), mark: folded(&sought) }
    }
}

/// The facts that stand in the messages of the prompt that was sent last, each once.
pub fn facts(session: &Session) -> Vec<Fact> {
    let through = session.calls().last().map_or(0, |at| at + 1);
    let messages = session.transcript.numbered.get(..through).unwrap_or_default();
    let found = ledger::read(messages, &LedgerState::default(), &EarlierNames::default());
    // Records put files of a folder together, so that a name alone is enough.
    let name = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or(path).to_owned();
    let files = found.files.iter().map(|file| Fact::of(Kind::File, &file.path, &name(&file.path)));
    let errors = found.errors.iter().map(|error| Fact::of(Kind::Error, &error.message, &error.message));
    let runs = found.test_runs.iter().map(|run| Fact::of(Kind::Run, &run.command, &run.command));
    let all: BTreeSet<Fact> = files.chain(errors).chain(runs).filter(|fact| !fact.mark.is_empty()).collect();
    all.into_iter().collect()
}

/// The facts that a prompt has, of each kind, and those that it does not have.
#[derive(Clone, Debug, Default)]
pub struct Kept<'a> {
    /// In the order of [`Kind::ALL`].
    pub shares: [Share; 3],
    /// The facts that are nowhere in it.
    pub lost: Vec<&'a Fact>,
}

/// Looks for facts in a prompt.
pub fn kept<'a>(facts: &'a [Fact], prompt: &[Piece]) -> Kept<'a> {
    let body: Vec<String> = prompt.iter().map(|piece| folded(&piece.text)).collect();
    let body = body.join("\n");
    let mut kept = Kept::default();
    for fact in facts {
        let is_there = body.contains(&fact.mark);
        for (share, kind) in kept.shares.iter_mut().zip(Kind::ALL) {
            if kind == fact.kind {
                share.count(is_there);
            }
        }
        if !is_there {
            kept.lost.push(fact);
        }
    }
    kept
}

/// A text for comparing: letters in lower case, and one space for any run of spaces.
pub fn folded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut was_space = true;
    for c in text.chars() {
        if c.is_whitespace() {
            if !was_space {
                out.push(' ');
            }
            was_space = true;
        } else {
            out.extend(c.to_lowercase());
            was_space = false;
        }
    }
    if out.ends_with(' ') {
        out.pop();
    }
    out
}
