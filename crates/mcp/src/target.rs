//! The session of a call: the one that it names, or else that of the connection.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use anchord_messages::id::{BranchName, SessionName, SessionRef};

/// The arguments of every tool and prompt that name a session.
pub(crate) const SESSION: &str = "session";
pub(crate) const BRANCH: &str = "branch";

/// The session that the calls of a connection mean when they name none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Connection {
    /// The session.
    pub session: Option<SessionName>,
    /// Its branch; absent for the current one.
    pub branch: Option<BranchName>,
}

impl Connection {
    /// The session by default.
    pub(crate) fn default_session(&self) -> Option<SessionRef> {
        self.session.clone().map(|name| SessionRef { name, branch: self.branch.clone() })
    }

    /// Takes the session out of the arguments of a call; a refusal is for the model.
    pub(crate) fn take(&self, arguments: &mut Map<String, Value>) -> Result<SessionRef, String> {
        let session = text(arguments, SESSION)?.map(|name| SessionName::parse(&name)).transpose();
        let session = session.map_err(|refused| format!("{SESSION}: {refused}"))?;
        let branch = text(arguments, BRANCH)?.map(|name| BranchName::parse(&name)).transpose();
        let branch = branch.map_err(|refused| format!("{BRANCH}: {refused}"))?;
        let by_default = self.default_session();
        let is_default = |name: &SessionName| by_default.as_ref().is_some_and(|of| of.name == *name);
        let target = match session {
            // The branch of the connection is one of its session's.
            Some(name) if !is_default(&name) => SessionRef { name, branch },
            _ => {
                let missing = format!("name a session as `{SESSION}`: this connection has none by default");
                let of = by_default.ok_or(missing)?;
                SessionRef { branch: branch.or(of.branch), ..of }
            }
        };
        Ok(target)
    }

    /// Adds the arguments that name a session to a tool's schema.
    pub(crate) fn declare(&self, schema: &mut Map<String, Value>) {
        let properties = schema.entry("properties").or_insert_with(|| json!({}));
        if let Some(properties) = properties.as_object_mut() {
            let session = self.session.as_ref();
            let told = session.map_or("The session's id".to_owned(), |name| format!("Default {name}"));
            properties.insert(SESSION.to_owned(), json!({"type": "string", "description": told}));
            let told = "Default the current branch";
            properties.insert(BRANCH.to_owned(), json!({"type": "string", "description": told}));
        }
        if self.session.is_none() {
            let required = schema.entry("required").or_insert_with(|| json!([]));
            if let Some(required) = required.as_array_mut() {
                required.push(SESSION.into());
            }
        }
    }
}

/// Takes a text out of the arguments. Null and an empty text are none, as for the tools themselves.
fn text(arguments: &mut Map<String, Value>, name: &str) -> Result<Option<String>, String> {
    match arguments.remove(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text).filter(|text| !text.is_empty())),
        Some(_) => Err(format!("{name}: must be a text")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(connection: &str, arguments: &Value) -> Result<String, String> {
        let connection: Connection = serde_json::from_str(connection).expect("a connection");
        let mut arguments = arguments.as_object().cloned().expect("an object");
        let taken = connection.take(&mut arguments)?;
        assert_eq!(arguments.len(), 1, "the tool's own argument is left");
        Ok(taken.to_string())
    }

    #[test]
    fn a_call_means_the_session_that_it_names_or_else_that_of_the_connection() {
        let none = "{}";
        let ours = r#"{"session": "a", "branch": "b"}"#;
        for (connection, arguments, meant) in [
            (none, json!({"query": 1, "session": "x"}), "x"),
            (none, json!({"query": 1, "session": "x", "branch": "y"}), "x?branch=y"),
            (ours, json!({"query": 1}), "a?branch=b"),
            (ours, json!({"query": 1, "session": null, "branch": ""}), "a?branch=b"),
            (ours, json!({"query": 1, "branch": "y"}), "a?branch=y"),
            (ours, json!({"query": 1, "session": "a"}), "a?branch=b"),
            // Another session has no such branch.
            (ours, json!({"query": 1, "session": "x"}), "x"),
        ] {
            assert_eq!(taken(connection, &arguments), Ok(meant.to_owned()));
        }
        for wrong in [json!({"query": 1}), json!({"query": 1, "session": 7})] {
            assert!(taken(none, &wrong).is_err());
        }
        for wrong in ["..", "a/b", "a\0b", "a?b=c"] {
            assert!(taken(ours, &json!({"query": 1, "session": wrong})).is_err(), "{wrong:?}");
            assert!(taken(ours, &json!({"query": 1, "branch": wrong})).is_err(), "{wrong:?}");
        }
    }
}
