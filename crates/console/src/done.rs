//! What a form did, told on the page that it leads to. The address has a word and a number of ours, and no text of anybody.

use std::fmt::Write as _;

use crate::PATH;
use crate::view::some;

/// The name of the word in the address.
const NAME: &str = "done";

/// What changes the next context.
const CHANGING: [&str; 7] =
    ["pin", "unpin", "roll-back", "drop-constraint", "close-request", "edit-note", "remove-note"];

/// An address with the word for what was done, and its number.
pub(crate) fn told(back: &str, what: &str, number: i64) -> String {
    let (path, anchor) = back.split_once('#').map_or((back, None), |(path, anchor)| (path, Some(anchor)));
    let (mut to, _) = taken(path);
    to.push(if to.contains('?') { '&' } else { '?' });
    let _ = write!(to, "{NAME}={what}.{number}");
    if let Some(anchor) = anchor {
        to.push('#');
        to.push_str(anchor);
    }
    to
}

/// The address without the word, and what it says.
pub(crate) fn taken(path: &str) -> (String, String) {
    let Some((page, query)) = path.split_once('?') else { return (path.to_owned(), String::new()) };
    let mut said = String::new();
    let mut rest = Vec::new();
    for pair in query.split('&') {
        match pair.split_once('=') {
            Some((NAME, value)) => {
                let (what, number) = value.split_once('.').unwrap_or((value, ""));
                said = words(what, number.parse().unwrap_or_default());
            }
            _ => rest.push(pair),
        }
    }
    let page = if rest.is_empty() { page.to_owned() } else { format!("{page}?{}", rest.join("&")) };
    (page, said)
}

/// The page of the next context of the session at an address, when what was done there changes that.
pub(crate) fn next(path: &str) -> String {
    let (page, query) = path.split_once('?').unwrap_or((path, ""));
    let value = |name: &str| {
        query
            .split('&')
            .filter_map(|pair| pair.split_once('='))
            .find(|(key, _)| *key == name)
            .map(|(_, value)| value)
    };
    let what = value(NAME).and_then(|value| value.split('.').next()).unwrap_or_default();
    let session = page.strip_prefix(PATH).and_then(|rest| rest.strip_prefix("/sessions/"));
    let session = session.and_then(|rest| rest.split('/').next()).filter(|session| !session.is_empty());
    match session {
        Some(session) if CHANGING.contains(&what) => {
            let branch = value("branch").map(|branch| format!("?branch={branch}")).unwrap_or_default();
            format!("{PATH}/sessions/{session}/next{branch}")
        }
        _ => String::new(),
    }
}

fn words(what: &str, number: i64) -> String {
    let plain = match what {
        "pin" => {
            return format!(
                "Pinned: every context has it from the next call on, word for word; its text is {}. \
                 Memory has the button that takes it back.",
                some(number, "token")
            );
        }
        "roll-back" => {
            return format!(
                "Rolled back: what that version had is current again, as version {number}, from the next call on. \
                 To undo it, roll back to version {}.",
                number - 1
            );
        }
        "unpin" => "Unpinned: contexts have it no longer from the next call on.",
        "drop-constraint" => {
            "Dropped: contexts show the constraint no longer from the next call on, and no later version takes it up. \
             Its messages stay as they are."
        }
        "close-request" => {
            "Closed: contexts show the request as dropped from the next call on, and so does the next version. When somebody \
             asks for it again, it is open again."
        }
        "edit-note" => "Saved: contexts have the note as it is now from the next call on.",
        "remove-note" => "Removed: contexts have the note no longer from the next call on.",
        "compress" => "Compressed, or still at it: the list below says which.",
        "revoke-key" => "Revoked: the key is refused from now on, and is signed out here.",
        "test-webhook" => "A test is on its way to the webhook: its deliveries have it.",
        "enable-webhook" => "The webhook is on.",
        "disable-webhook" => "The webhook is off.",
        "redeliver" => "The delivery is on its way again.",
        _ => "",
    };
    plain.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_says_what_was_done_once_and_is_then_itself_again() {
        let first = told("/console/sessions/s/record?version=1#x", "roll-back", 3);
        assert_eq!(first, "/console/sessions/s/record?version=1&done=roll-back.3#x");
        let (page, said) = taken("/console/sessions/s/record?version=1&done=roll-back.3");
        assert_eq!(page, "/console/sessions/s/record?version=1");
        assert!(said.contains("as version 3") && said.ends_with("to version 2."), "{said}");
        assert_eq!(
            next("/console/sessions/s%2F1/record?branch=b&done=pin.4"),
            "/console/sessions/s%2F1/next?branch=b"
        );
        assert_eq!(next("/console/sessions/s/record?done=compress.4"), "");
        assert_eq!(told("/console/a?done=pin.4", "unpin", 0), "/console/a?done=unpin.0");
        let invented = taken("/console/a?done=<b>owned</b>.7");
        assert_eq!(invented, ("/console/a".to_owned(), String::new()));
    }
}
