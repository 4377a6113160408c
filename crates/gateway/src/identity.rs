//! The session that a request belongs to.

use axum::body::Bytes;
use axum::http::HeaderMap;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use crate::route::{Provider, Route};
use anchord_messages::id::{KeyId, SessionName};

/// The header that names a session, both ways.
pub(crate) const SESSION: &str = "x-anchord-session";
/// What begins the name of a session that has none.
const CHAIN: &str = "chain-";
/// Bytes of a chain's digest.
const CHAIN_BYTES: usize = 16;

/// Headers of an agent.
struct Names {
    /// Those that name the session, the best first.
    session: &'static [&'static str],
    /// The one that names a sub-agent within it.
    part: Option<&'static str>,
    /// The one that names what started it: a session, or with `part` another part.
    parent: Option<&'static str>,
}

/// Agents that name their sessions.
const AGENTS: [Names; 3] = [
    // Claude Code
    Names {
        session: &["x-claude-code-session-id"],
        part: Some("x-claude-code-agent-id"),
        parent: Some("x-claude-code-parent-agent-id"),
    },
    // Codex
    Names { session: &["thread-id", "session-id"], part: None, parent: Some("x-codex-parent-thread-id") },
    // opencode and others
    Names { session: &["x-session-id"], part: None, parent: Some("x-parent-session-id") },
];

/// A session by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) session: SessionName,
    /// The session that started it.
    pub(crate) parent: Option<SessionName>,
    /// Whether it was found by its first message alone.
    pub(crate) is_chain: bool,
}

impl Identity {
    /// The session of a request, by whatever names it first; `None` when nothing does.
    pub(crate) fn of(
        (route, headers): (&Route, &HeaderMap),
        user_id: Option<&str>,
        (key, first): (KeyId, Option<&Bytes>),
    ) -> Option<Self> {
        let named = |session| Some(Self { session, parent: None, is_chain: false });
        if let Some(name) = route.session.as_deref().or_else(|| value(headers, SESSION)) {
            // A name that cannot be one is no reason to look for another.
            return SessionName::parse(name).ok().and_then(named);
        }
        if let Some(found) = AGENTS.iter().find_map(|names| names.read(headers)) {
            return Some(found);
        }
        if let Some(session) = user_id.and_then(session_of_user) {
            return named(session);
        }
        let digest = Sha256::new()
            .chain_update(key.0.as_bytes())
            .chain_update(<&str>::from(route.provider))
            .chain_update(first?)
            .finalize();
        let name = format!("{CHAIN}{}", anchord_messages::shape::hex(&digest, CHAIN_BYTES));
        SessionName::parse(&name).ok().map(|session| Self { session, parent: None, is_chain: true })
    }
}

impl Names {
    fn read(&self, headers: &HeaderMap) -> Option<Identity> {
        let session = self.session.iter().find_map(|name| value(headers, name))?;
        let of = |part: Option<&str>| match part {
            Some(part) => SessionName::parse(&format!("{session}.{part}")).ok(),
            None => SessionName::parse(session).ok(),
        };
        let parent = self.parent.and_then(|name| value(headers, name));
        match self.part {
            None => {
                let parent = parent.and_then(|name| SessionName::parse(name).ok());
                Some(Identity { session: of(None)?, parent, is_chain: false })
            }
            Some(name) => {
                let part = value(headers, name);
                let parent = part.and_then(|_| of(parent));
                Some(Identity { session: of(part)?, parent, is_chain: false })
            }
        }
    }
}

fn value<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name)?.to_str().ok().filter(|value| !value.is_empty())
}

/// The session in `metadata.user_id`: a JSON object, or a text that ends in `_session_ID`.
fn session_of_user(user_id: &str) -> Option<SessionName> {
    #[derive(Deserialize)]
    struct User {
        session_id: String,
    }
    let name = match serde_json::from_str::<User>(user_id) {
        Ok(user) => user.session_id,
        Err(_) => user_id.rsplit_once("_session_")?.1.to_owned(),
    };
    SessionName::parse(&name).ok()
}

/// Whether a provider's requests may name a user.
pub(crate) fn names_user(provider: Provider) -> bool {
    provider == Provider::Anthropic
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use uuid::Uuid;

    use super::*;

    fn identity(path: &str, headers: &[(&'static str, &str)], user_id: Option<&str>) -> Option<Identity> {
        let route = Route::read(path).unwrap();
        let headers =
            headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect();
        let first = Bytes::from_static(b"{}");
        Identity::of((&route, &headers), user_id, (KeyId(Uuid::from_u128(1)), Some(&first)))
    }

    #[rstest]
    #[case::path("/gateway/session/mine/openai/v1/responses", &[("x-session-id", "ses_1")], None, Some(("mine", None)))]
    #[case::ours("/gateway/openai/v1/responses", &[("x-anchord-session", "mine"), ("x-session-id", "ses_1")], None, Some(("mine", None)))]
    #[case::bad("/gateway/openai/v1/responses", &[("x-anchord-session", "a b"), ("x-session-id", "ses_1")], None, None)]
    #[case::claude("/gateway/anthropic/v1/messages", &[("x-claude-code-session-id", "c1")], None, Some(("c1", None)))]
    #[case::sub_agent("/gateway/anthropic/v1/messages", &[("x-claude-code-session-id", "c1"), ("x-claude-code-agent-id", "a1")], None, Some(("c1.a1", Some("c1"))))]
    #[case::sub_sub_agent("/gateway/anthropic/v1/messages", &[("x-claude-code-session-id", "c1"), ("x-claude-code-agent-id", "a2"), ("x-claude-code-parent-agent-id", "a1")], None, Some(("c1.a2", Some("c1.a1"))))]
    #[case::codex("/gateway/openai/v1/responses", &[("session-id", "s"), ("thread-id", "t"), ("x-codex-parent-thread-id", "p")], None, Some(("t", Some("p"))))]
    #[case::opencode("/gateway/openai/v1/chat/completions", &[("x-session-id", "ses_1")], None, Some(("ses_1", None)))]
    #[case::user("/gateway/anthropic/v1/messages", &[], Some(r#"{"device_id": "d", "session_id": "u1"}"#), Some(("u1", None)))]
    #[case::old_user("/gateway/anthropic/v1/messages", &[], Some("user_ab_account__session_u2"), Some(("u2", None)))]
    fn what_names_a_session_first_counts(
        #[case] path: &str,
        #[case] headers: &[(&'static str, &str)],
        #[case] user_id: Option<&str>,
        #[case] expected: Option<(&str, Option<&str>)>,
    ) {
        let found = identity(path, headers, user_id);
        let found = found
            .as_ref()
            .map(|found| (found.session.as_str(), found.parent.as_ref().map(SessionName::as_str)));
        assert_eq!(found, expected);
    }

    #[test]
    fn a_request_that_names_none_is_found_by_its_first_message_under_its_key() {
        let found = identity("/gateway/openai/v1/chat/completions", &[], None).unwrap();
        assert!(found.is_chain && found.session.as_str().starts_with(CHAIN));
        let route = Route::read("/gateway/openai/v1/chat/completions").unwrap();
        let other = |key, first: &'static [u8]| {
            let first = Bytes::from_static(first);
            Identity::of((&route, &HeaderMap::new()), None, (KeyId(Uuid::from_u128(key)), Some(&first)))
                .unwrap()
        };
        assert_eq!(other(1, b"{}"), found);
        assert_ne!(other(2, b"{}"), found, "another key");
        assert_ne!(other(1, b"[]"), found, "another message");
    }
}
