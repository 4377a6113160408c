//! Counts how much of a model's answer is published, and lists the rest.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::reply::Changes;

/// The most losses that an account lists.
const MOST_LOSSES: usize = 32;

/// An entry of a model's answer that was not published.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = UnpublishedEntry)]
pub struct Loss {
    /// The entry.
    pub text: String,
    /// Why it was left out.
    pub reason: String,
}

/// Why the end of a constraint changes nothing.
pub(super) const PROPOSAL: &str =
    "only later words of the person who made it, about the matter itself, end it";

impl Loss {
    /// Whether it proposes to end a constraint, which people are to judge.
    pub fn is_proposal(&self) -> bool {
        self.reason.ends_with(PROPOSAL)
    }
}

/// How much of a model's answer was published.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
#[schema(as = ModelAnswerCounts)]
pub struct Account {
    /// Entries in its answer: added, changed, closed; intent and state.
    pub told: u32,
    /// Entries that are published with the mark `unverified`: an id, a path or a figure in them stands in no message,
    /// no entry and no fact.
    pub unverified: u32,
    /// Entries that were left out.
    pub dropped: u32,
    /// The published share of the entries; null without entries.
    #[schema(required = true)]
    #[serde(serialize_with = "anchord_messages::rounded::ratio_or_null")]
    pub published: Option<f64>,
    /// The first entries that were left out.
    pub losses: Vec<Loss>,
    /// Ids, paths and figures in its answer, and how many of them stand nowhere.
    #[serde(skip)]
    pub(super) names: u32,
    #[serde(skip)]
    pub(super) unknown: u32,
}

/// The fewest unknown names of an answer about something else.
const FOREIGN_NAMES: u32 = 8;

impl Account {
    /// The account of an answer of which nothing is left out.
    pub fn of(changes: &Changes) -> Self {
        let lists = changes.add.len() + changes.append.len() + changes.update.len() + changes.close.len();
        let words = usize::from(!changes.intent.is_empty()) + usize::from(!changes.state.is_empty());
        Self { told: u32::try_from(lists + words).unwrap_or(u32::MAX), ..Self::default() }
    }

    /// Adds the account of another piece.
    pub fn add(&mut self, other: Self) {
        self.told += other.told;
        self.unverified += other.unverified;
        self.dropped += other.dropped;
        self.losses.extend(other.losses);
        self.losses.truncate(MOST_LOSSES);
    }

    /// Whether the answer is about another conversation: of its names, nearly none stands in this one.
    pub fn is_foreign(&self) -> bool {
        self.unknown >= FOREIGN_NAMES && self.unknown.saturating_mul(4) >= self.names.saturating_mul(3)
    }

    /// Counts an entry that is left out.
    pub(super) fn lose(&mut self, place: &str, text: &str, why: &str) {
        self.dropped += 1;
        if self.losses.len() < MOST_LOSSES {
            self.losses.push(Loss { text: text.to_owned(), reason: format!("{place}: {why}") });
        }
    }

    /// The same account with the share that was published.
    pub fn closed(self) -> Self {
        let published = (self.told > 0).then(|| 1.0 - f64::from(self.dropped) / f64::from(self.told));
        Self { published, ..self }
    }
}
