//! How conversations without a name began, by which one that an agent pasted as text is found again.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::Bytes;

use crate::request::texts_of;
use anchord_messages::id::{KeyId, SessionName, TenantId};
use anchord_runtime::cache::{Cache, Expiry};

/// The most tenants that are remembered, the most conversations of one, and for how long.
const MAX_TENANTS: u64 = 1_000;
const MOST: usize = 64;
const FORGET_AFTER: Duration = Duration::from_hours(6);
/// The fewest and the most characters that tell a beginning from others.
const FEWEST_SIGNS: usize = 16;
const MOST_SIGNS: usize = 400;

/// The first words of conversations, by tenant.
pub(crate) struct Openings(Cache<TenantId, Arc<Mutex<VecDeque<Opening>>>>);

struct Opening {
    key: KeyId,
    words: String,
    session: SessionName,
}

impl Default for Openings {
    fn default() -> Self {
        Self(Cache::new(MAX_TENANTS, Expiry::Idle(FORGET_AFTER)))
    }
}

impl Openings {
    /// Notes how a conversation of a key begins.
    pub(crate) fn note(&self, (tenant, key): (TenantId, KeyId), first: &Bytes, session: &SessionName) {
        let Some(text) = texts_of(first).into_iter().next() else { return };
        let words: String = text.trim().chars().take(MOST_SIGNS).collect();
        if words.chars().count() < FEWEST_SIGNS {
            return;
        }
        let known = self.0.get_with(tenant, Arc::default);
        let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|known| known.session != *session);
        if known.len() == MOST {
            known.pop_front();
        }
        known.push_back(Opening { key, words, session: session.clone() });
    }

    /// The conversation of this key that a text begins with; `None` also when it could be more than one.
    pub(crate) fn find(&self, (tenant, key): (TenantId, KeyId), pasted: &str) -> Option<SessionName> {
        let known = self.0.get_with(tenant, Arc::default);
        let known = known.lock().unwrap_or_else(PoisonError::into_inner);
        let of_key = known.iter().filter(|known| known.key == key);
        let mut found: Vec<(usize, &Opening)> =
            of_key.filter_map(|known| Some((pasted.find(&known.words)?, known))).collect();
        // What is quoted further behind is another matter.
        found.sort_by_key(|(at, _)| *at);
        match &found[..] {
            [(first, _), (second, _), ..] if first == second => None,
            [(_, first), ..] => Some(first.session.clone()),
            [] => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_pasted_conversation_is_found_by_its_beginning_under_its_key() {
        let openings = Openings::default();
        let of = |key: u128| (TenantId(Uuid::from_u128(1)), KeyId(Uuid::from_u128(key)));
        let name = |name: &str| SessionName::parse(name).unwrap();
        for (session, text) in
            [("a", "Please write the parser."), ("b", "Please mend the tests."), ("c", "short")]
        {
            let first = Bytes::from(json!({"role": "user", "content": text}).to_string());
            openings.note(of(1), &first, &name(session));
        }
        let pasted = "[User]: Please mend the tests.\n\n[Bot]: He wrote: Please write the parser.";
        assert_eq!(openings.find(of(1), pasted), Some(name("b")));
        assert_eq!(openings.find(of(2), pasted), None, "another key");
        assert_eq!(openings.find(of(1), "[User]: short"), None, "too short to tell");
        let again = Bytes::from(json!({"role": "user", "content": "Please mend the tests."}).to_string());
        openings.note(of(1), &again, &name("d"));
        assert_eq!(openings.find(of(1), pasted), None, "two begin so");
    }
}
