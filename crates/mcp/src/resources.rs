//! The resources of a session: their URIs, and what is read for them.

use percent_encoding::percent_decode_str;
use rmcp::ErrorData;
use rmcp::model::{Resource, ResourceContents, ResourceTemplate};
use serde_json::Value;

use crate::api::{Api, Call, Reply};
use crate::target::{BRANCH, Connection};
use anchord_messages::id::{BranchName, Seq, SessionName, SessionRef};

const SCHEME: &str = "anchord://sessions/";
const MARKDOWN: &str = "text/markdown";
const JSON: &str = "application/json";

/// The kinds of resources: their name in a URI, what they are, and their media type.
const KINDS: [(&str, &str, &str); 3] = [
    ("record", "The record of the earlier conversation, as Markdown", MARKDOWN),
    ("context", "What is to be sent to the model next, as JSON", JSON),
    ("messages/{seq}", "One message as it was stored, by its number from 1", JSON),
];

/// The templates, for any session.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let template = |(kind, told, media): &(&str, &str, &str)| {
        let name = kind.split('/').next().unwrap_or(kind);
        let uri = format!("{SCHEME}{{session}}/{kind}{{?{BRANCH}}}");
        ResourceTemplate::new(uri, name).with_description(*told).with_mime_type(*media)
    };
    KINDS.iter().map(template).collect()
}

/// The resources of the connection's session.
pub(crate) fn list(connection: &Connection) -> Vec<Resource> {
    let Some(session) = connection.default_session() else { return Vec::new() };
    let branch = session.branch_str().map(|branch| format!("?{BRANCH}={branch}")).unwrap_or_default();
    // Messages are too many for a list.
    let listed = KINDS.iter().filter(|(kind, ..)| !kind.contains('{'));
    let resource = |(kind, told, media): &(&str, &str, &str)| {
        let uri = format!("{SCHEME}{}/{kind}{branch}", session.name);
        Resource::new(uri, *kind).with_description(*told).with_mime_type(*media)
    };
    listed.map(resource).collect()
}

/// Something of a session that a URI names.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Named {
    Record,
    Context,
    Message(Seq),
}

/// Reads a resource.
pub(crate) async fn read(api: &impl Api, uri: &str) -> Result<ResourceContents, ErrorData> {
    let (session, named) = parse(uri).map_err(|told| ErrorData::resource_not_found(told, None))?;
    let (rest, accept) = match named {
        Named::Record => ("/summary".to_owned(), MARKDOWN),
        Named::Context => ("/context".to_owned(), JSON),
        Named::Message(seq) => (format!("/messages?from_seq={seq}&to_seq={seq}"), JSON),
    };
    let reply = answered(api, Call { accept, ..Call::read(session.path_of(&rest)) }).await?;
    let text = match named {
        Named::Message(seq) => {
            let message = reply.json().pointer_mut("/items/0").map(Value::take);
            let missing = || ErrorData::resource_not_found(format!("the session has no message {seq}"), None);
            message.ok_or_else(missing)?.to_string()
        }
        Named::Record | Named::Context => reply.text,
    };
    Ok(ResourceContents::text(text, uri).with_mime_type(accept))
}

/// Makes a call that reads; a refusal is an error of the protocol with the API's words.
pub(crate) async fn answered(api: &impl Api, call: Call) -> Result<Reply, ErrorData> {
    let reply = api.call(call).await.map_err(|away| ErrorData::internal_error(away.to_string(), None))?;
    match reply.status {
        200..300 => Ok(reply),
        404 => Err(ErrorData::resource_not_found(reply.told(), None)),
        400..500 => Err(ErrorData::invalid_params(reply.told(), None)),
        _ => Err(ErrorData::internal_error(reply.told(), None)),
    }
}

fn parse(uri: &str) -> Result<(SessionRef, Named), String> {
    let none =
        || format!("no such resource; there are {SCHEME}{{session}}/record, /context and /messages/{{seq}}");
    let named = uri.strip_prefix(SCHEME).ok_or_else(none)?;
    let (path, query) = named.split_once('?').map_or((named, None), |(path, query)| (path, Some(query)));
    let (name, rest) = path.split_once('/').ok_or_else(none)?;
    let decoded = |text: &str| percent_decode_str(text).decode_utf8().map(String::from).map_err(|_| none());
    let name = SessionName::parse(&decoded(name)?).map_err(|refused| refused.to_string())?;
    let branch = match query {
        None | Some("") => None,
        Some(query) => {
            let branch = query.strip_prefix("branch=").ok_or_else(none)?;
            Some(BranchName::parse(&decoded(branch)?).map_err(|refused| refused.to_string())?)
        }
    };
    let named = match rest.split_once('/') {
        None if rest == "record" => Named::Record,
        None if rest == "context" => Named::Context,
        Some(("messages", seq)) => Named::Message(seq.parse().map_err(|_| none())?),
        _ => return Err(none()),
    };
    Ok((SessionRef { name, branch }, named))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_names_something_of_a_session() {
        let parsed = |uri: &str| parse(uri).map(|(session, named)| (session.to_string(), named));
        for (uri, session, named) in [
            ("anchord://sessions/s/record", "s", Named::Record),
            ("anchord://sessions/s/context?branch=b", "s?branch=b", Named::Context),
            ("anchord://sessions/a%3Ab@c/messages/7", "a:b@c", Named::Message(7)),
            ("anchord://sessions/s/messages/-1", "s", Named::Message(-1)),
        ] {
            assert_eq!(parsed(uri), Ok((session.to_owned(), named)));
        }
        for uri in [
            "",
            "file:///etc/passwd",
            "anchord://sessions/s",
            "anchord://sessions/s/",
            "anchord://sessions/../context",
            "anchord://sessions/%2E%2E/context",
            "anchord://sessions/a%2Fb/context",
            "anchord://sessions/s%00/record",
            "anchord://sessions/s/messages/1/mark",
            "anchord://sessions/s/messages/x",
            "anchord://sessions/s/record?branch=a/b",
            "anchord://sessions/s/record?format=anthropic",
            "anchord://sessions/s/export",
        ] {
            assert!(parsed(uri).is_err(), "{uri}");
        }
    }
}
