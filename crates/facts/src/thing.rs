//! The thing: a record with an identity and the latest values of its properties.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::wording::join_seqs;
use anchord_messages::id::Seq;
use std::collections::HashMap;

/// A property's previous value is kept when neither value is longer, in bytes.
const LONGEST_WAS: usize = 80;
/// The most messages listed for one thing.
const MOST_SEQS: usize = 20;
/// The most properties of a thing that is shown again with others; what it was first shown with has a bound of its own.
const MOST_PROPERTIES: usize = 48;

/// The name of the property for a model's own words about a thing.
pub const NOTE: &str = "note";

/// Something with an identity: a reservation, a ticket, a person, a commit, an endpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[schema(as = Entity)]
pub struct Thing {
    /// The kind (`reservation`, `pr`, `pod`); empty when unknown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// The identifier, unique within the kind.
    pub id: String,
    /// What is known of it, in the order in which it was shown.
    pub properties: Vec<Property>,
    /// Properties that had no room.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more: u32,
    /// How often a person, the agent or a call named it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub named: u32,
    /// The messages that it came from, the latest twenty.
    pub seqs: Vec<Seq>,
    /// The session that it is from, in the joined record of a task; neither stored nor served.
    #[serde(skip)]
    pub session_id: Option<String>,
}

/// One property of a thing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[schema(as = EntityProperty)]
pub struct Property {
    /// Its name; empty when unknown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Its latest known value, verbatim; `…` marks where it was cut.
    pub value: String,
    /// The value before, when it changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub was: Option<String>,
}

impl Property {
    /// A property that has not changed.
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self { name: name.into(), value: value.into(), was: None }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl Thing {
    /// Its kind and id in one string, equal for the same thing in any message.
    pub fn key(&self) -> String {
        format!("{}\u{1f}{}", self.kind.trim().to_lowercase(), self.id.trim())
    }

    /// Whether the other is the same thing: of the same kind and id, or of an id that only one thing has, and a kind that
    /// says less or more (`build`, `nightly build`, `build (repo a)`).
    pub fn is_same(&self, other: &Self) -> bool {
        if self.key() == other.key() {
            return true;
        }
        let id = self.id.trim();
        let is_own = id.len() >= 4
            && id.bytes().any(|b| b.is_ascii_digit())
            && id.bytes().any(|b| b.is_ascii_alphabetic());
        let (kind, others) = (self.kind.trim().to_lowercase(), other.kind.trim().to_lowercase());
        let ((base, place), (others_base, others_place)) = (placed(&kind), placed(&others));
        let says_more = |more: &str, less: &str| {
            more.strip_suffix(less)
                .is_some_and(|rest| rest.is_empty() || less.is_empty() || rest.ends_with(' '))
        };
        // The same name in another place is another thing, unless the name is of one everywhere.
        let is_elsewhere = !place.is_empty() && !others_place.is_empty() && place != others_place;
        id == other.id.trim()
            && is_own
            && (says_more(base, others_base) || says_more(others_base, base))
            && (!is_elsewhere || is_unique(id))
    }

    /// Takes over the kind of a later state that says more.
    fn name_kind(&mut self, later: &Self) {
        let ((base, place), (later_base, later_place)) = (placed(&self.kind), placed(&later.kind));
        let base = if later_base.len() > base.len() { later_base } else { base };
        let place = match (place, later_place) {
            ("", place) | (place, "") => place,
            (place, later) if place == later => place,
            _ => "",
        };
        format!("{base} {place}").trim().clone_into(&mut self.kind);
    }

    /// Merges a later state of the same thing; properties that it does not contain stay as they are.
    pub fn update(&mut self, later: &Self) {
        if later.kind != self.kind {
            self.name_kind(later);
        }
        for property in &later.properties {
            let has_room = self.properties.len() < MOST_PROPERTIES;
            match self.properties.iter_mut().find(|known| known.name == property.name) {
                Some(known) => {
                    let before = property.was.clone().or_else(|| {
                        let changed = known.value != property.value;
                        let before =
                            if changed { Some(std::mem::take(&mut known.value)) } else { known.was.take() };
                        // Two versions of a long value, such as a list in another order, help nobody.
                        before.filter(|was| was.len().max(property.value.len()) <= LONGEST_WAS)
                    });
                    *known = Property { was: before, ..property.clone() };
                }
                None if has_room => self.properties.push(property.clone()),
                None => self.more = self.more.max(1),
            }
        }
        self.more = self.more.max(later.more);
        self.named = self.named.saturating_add(later.named);
        self.see(&later.seqs);
    }

    /// Adds messages that show or name it.
    pub fn see(&mut self, seqs: &[Seq]) {
        join_seqs(&mut self.seqs, seqs);
        let surplus = self.seqs.len().saturating_sub(MOST_SEQS);
        self.seqs.drain(..surplus);
    }

    /// What a model wrote of it.
    pub fn note(&self) -> Option<&str> {
        let note = self.properties.iter().find(|property| property.name == NOTE);
        note.map(|property| property.value.as_str())
    }

    /// A sort key for how likely it is needed again: named more often, then seen more recently.
    pub fn need(&self) -> (u32, Seq) {
        (self.named.min(3), self.seqs.last().copied().unwrap_or(0))
    }

    /// Its approximate size in a record, in bytes.
    pub fn bytes(&self) -> usize {
        let property = |p: &Property| p.name.len() + p.value.len() + p.was.as_ref().map_or(0, String::len);
        self.kind.len() + self.id.len() + self.properties.iter().map(property).sum::<usize>()
    }
}

/// A kind, and in brackets the place where the thing was looked for.
fn placed(kind: &str) -> (&str, &str) {
    let kind = kind.trim();
    let (base, place) = kind.split_at(kind.find('(').unwrap_or(kind.len()));
    (base.trim_end(), place)
}

/// Whether an id is of one thing wherever it is looked for: the key of a ticket, a UUID, an address.
fn is_unique(id: &str) -> bool {
    let is_key = id.split_once('-').is_some_and(|(project, number)| {
        project.len() >= 2
            && project.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
            && number.bytes().all(|b| b.is_ascii_digit())
    });
    let is_uuid = id.len() == 36 && id.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
    is_key || is_uuid || id.contains('@')
}

/// The places of things in a list, by their ids.
#[derive(Debug, Default)]
pub struct Places(HashMap<String, Vec<usize>>);

impl Places {
    /// The place of a thing in a list, whose things were added.
    pub fn find(&self, things: &[Thing], one: &Thing) -> Option<usize> {
        let same = self.0.get(one.id.trim())?;
        let at =
            |fits: &dyn Fn(&Thing) -> bool| same.iter().copied().find(|at| things.get(*at).is_some_and(fits));
        at(&|known| known.key() == one.key()).or_else(|| at(&|known| known.is_same(one)))
    }

    /// Adds a thing at a place.
    pub fn add(&mut self, one: &Thing, place: usize) {
        self.0.entry(one.id.trim().to_owned()).or_default().push(place);
    }
}

/// Keeps at most `most` things and `most_bytes` bytes: those most likely needed again, in their order. Returns how many
/// were removed.
pub fn keep(things: &mut Vec<Thing>, most: usize, most_bytes: usize) -> usize {
    let bytes: usize = things.iter().map(Thing::bytes).sum();
    if things.len() <= most && bytes <= most_bytes {
        return 0;
    }
    let mut ranked: Vec<usize> = (0..things.len()).collect();
    ranked.sort_by_key(|at| std::cmp::Reverse((things.get(*at).map(Thing::need), *at)));
    let mut left = most_bytes;
    let mut stays = vec![false; things.len()];
    for at in ranked.into_iter().take(most) {
        let size = things.get(at).map_or(0, Thing::bytes);
        if let (Some(rest), Some(stay)) = (left.checked_sub(size), stays.get_mut(at)) {
            left = rest;
            *stay = true;
        }
    }
    let before = things.len();
    let mut stays = stays.into_iter();
    things.retain(|_| stays.next().unwrap_or_default());
    before - things.len()
}
