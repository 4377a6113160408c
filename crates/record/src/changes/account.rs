//! Combines a model's first answer and its correction into the changes that are published, and counts what is
//! not.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::claim::Fault;
use super::reply::{Addition, Changes, Revision};
use super::support::CheckedReply;
use super::words::{share, stems};

/// The most losses that an account lists.
const MOST_LOSSES: usize = 32;

/// A clause of a model's answer that was not published.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = UnpublishedClause)]
pub struct Loss {
    /// The clause.
    pub text: String,
    /// Why it was left out.
    pub reason: String,
}

/// How much of a model's answer was published.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
#[schema(as = ModelAnswerCounts)]
pub struct Account {
    /// Entries in its answer: added, changed, closed; intent and state.
    pub told: u32,
    /// Entries of which a clause was left out.
    pub trimmed: u32,
    /// Entries that were left out.
    pub dropped: u32,
    /// The published share of the entries, a trimmed entry counted as half of one; null without entries.
    #[schema(required = true)]
    #[serde(serialize_with = "anchord_messages::rounded::ratio_or_null")]
    pub published: Option<f64>,
    /// What was left out: the first clauses of it.
    pub losses: Vec<Loss>,
}

impl Account {
    /// Adds the account of another piece.
    pub fn add(&mut self, other: Self) {
        self.told += other.told;
        self.trimmed += other.trimmed;
        self.dropped += other.dropped;
        self.losses.extend(other.losses);
        self.losses.truncate(MOST_LOSSES);
    }

    /// Lists what is left out for good.
    pub fn lose(&mut self, faults: Vec<Fault>) {
        let loss =
            |fault: Fault| Loss { text: fault.clause, reason: format!("{}: {}", fault.place, fault.why) };
        self.losses.extend(faults.into_iter().map(loss));
        self.losses.truncate(MOST_LOSSES);
    }

    /// The same account with the share that was published.
    #[must_use]
    pub fn closed(self) -> Self {
        let lost = f64::from(self.dropped) + f64::from(self.trimmed) / 2.0;
        let published = (self.told > 0).then(|| 1.0 - lost / f64::from(self.told));
        Self { published, ..self }
    }
}

impl Changes {
    /// The number of its entries: added, changed, closed; intent and state.
    #[must_use]
    pub fn count(&self) -> u32 {
        let lists = self.add.len() + self.append.len() + self.update.len() + self.close.len();
        let words = usize::from(!self.intent.is_empty()) + usize::from(!self.state.is_empty());
        u32::try_from(lists + words).unwrap_or(u32::MAX)
    }

    /// Both together, with this intent and state where they are set.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        if self.intent.is_empty() {
            self.intent = other.intent;
        }
        if self.state.is_empty() {
            self.state = other.state;
        }
        if self.seqs.is_empty() {
            self.seqs = other.seqs;
        }
        self.add.extend(other.add);
        self.append.extend(other.append);
        self.update.extend(other.update);
        self.close.extend(other.close);
        self
    }
}

/// The changes of a first answer and its correction: entries that the data supports, corrected entries, and
/// what is left of the others.
#[must_use]
pub fn settle(
    told: u32,
    objections: Vec<String>,
    first: CheckedReply,
    second: Option<CheckedReply>,
) -> (Changes, Account) {
    let mut account = Account { told, ..Account::default() };
    let unread = |text: String| Fault { place: "reply".to_owned(), clause: String::new(), why: text };
    let Some(mut second) = second else {
        account.trimmed = first.trimmed.count();
        account.dropped = told.saturating_sub(first.whole.count() + account.trimmed);
        account.lose(first.faults);
        account.lose(objections.into_iter().map(unread).collect());
        return (first.whole.and(first.trimmed), account);
    };
    // The supported entries of the first answer are kept; the model may have sent them again.
    second.whole.leave_out_same(&first.whole);
    // An entry that was sent again is not taken from the first answer.
    let mut trimmed = first.trimmed;
    trimmed.leave_out(&second.whole);
    trimmed.leave_out(&second.trimmed);
    account.trimmed = trimmed.count() + second.trimmed.count();
    let published = first.whole.count() + second.whole.count() + account.trimmed;
    account.dropped = told.saturating_sub(published);
    account.lose(second.faults);
    let sent = |fault: &Fault| !fault.clause.is_empty();
    if account.dropped > 0 || trimmed.count() > 0 {
        // The model took it back, or did not send it again.
        account.lose(first.faults.into_iter().filter(sent).collect());
    }
    (first.whole.and(second.whole).and(second.trimmed).and(trimmed), account)
}

impl Changes {
    /// Removes entries that another answer has in the same words.
    fn leave_out_same(&mut self, other: &Self) {
        if !other.state.is_empty() {
            self.state.clear();
        }
        if !other.intent.is_empty() {
            self.intent.clear();
        }
        let same = |one: &Addition, two: &Addition| {
            (one.section, &one.name, &one.text) == (two.section, &two.name, &two.text)
        };
        self.add.retain(|own| !other.add.iter().any(|known| same(own, known)));
        let same = |one: &Revision, two: &Revision| (&one.id, &one.text) == (&two.id, &two.text);
        self.append.retain(|own| !other.append.iter().any(|known| same(own, known)));
        self.update.retain(|own| !other.update.iter().any(|known| same(own, known)));
        self.close.retain(|own| !other.close.iter().any(|known| own.id == known.id));
    }

    /// Removes entries that another answer has too.
    fn leave_out(&mut self, other: &Self) {
        if !other.state.is_empty() {
            self.state.clear();
        }
        if !other.intent.is_empty() {
            self.intent.clear();
        }
        let revised = |id: &str| other.update.iter().chain(&other.append).any(|r| r.id == id);
        self.update.retain(|own| !revised(&own.id));
        self.append.retain(|own| !revised(&own.id));
        self.close.retain(|own| !other.close.iter().any(|closing| closing.id == own.id));
        self.add.retain(|own| {
            let words: BTreeSet<String> = stems(&own.text).collect();
            !other.add.iter().any(|added| {
                let others: BTreeSet<String> = stems(&added.text).collect();
                added.section == own.section
                    && (share(words.intersection(&others).count(), words.len()) >= 0.5
                        || !own.name.is_empty() && own.name == added.name)
            })
        });
    }
}
