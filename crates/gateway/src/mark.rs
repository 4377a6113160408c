//! The line that a summary of ours ends in, by which a list that continues from it is told. It has a tag, so that nobody who
//! writes into a conversation can move a session.

use std::sync::LazyLock;

use regex::Regex;

use anchord_messages::id::{SessionName, TenantId};
use anchord_store::secrets::SecretKeys;

/// How it begins.
pub(crate) const BEGINS: &str = "[anchord: session ";

static MARK: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\[anchord: session ([A-Za-z0-9._:@+=-]{1,200}), branch ([A-Za-z0-9._-]{1,100}), message ([0-9]{1,15}), ([0-9a-f]{8,64})\]").ok()
});

/// A place in a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    pub(crate) branch: String,
    pub(crate) seq: i64,
}

/// Marks of one tenant.
#[derive(Clone, Debug)]
pub(crate) struct Marks {
    keys: SecretKeys,
    tenant: TenantId,
}

impl Marks {
    pub(crate) fn of(keys: &SecretKeys, tenant: TenantId) -> Self {
        Self { keys: keys.clone(), tenant }
    }

    /// The line that names a place.
    pub(crate) fn write(&self, session: &SessionName, position: &Position) -> String {
        let place = place(session.as_str(), position);
        let tag = self.keys.tag(self.tenant, &place).unwrap_or_default();
        format!("[anchord: {place}, {tag}]")
    }

    /// The last place that a text names, if we wrote the line.
    pub(crate) fn read(&self, text: &str) -> Option<(SessionName, Position)> {
        let found = MARK.as_ref()?.captures_iter(text).last()?;
        let part = |at| found.get(at).map_or("", |part| part.as_str());
        let position = Position { branch: part(2).to_owned(), seq: part(3).parse().ok()? };
        let session = SessionName::parse(part(1)).ok()?;
        let is_ours = self.keys.has_tag(self.tenant, &place(session.as_str(), &position), part(4));
        is_ours.then_some((session, position))
    }
}

fn place(session: &str, Position { branch, seq }: &Position) -> String {
    format!("session {session}, branch {branch}, message {seq}")
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_mark_is_read_for_its_tenant_and_as_it_was_written() {
        let keys = SecretKeys::of_this_process();
        let [ours, theirs] = [1, 2].map(|id| Marks::of(&keys, TenantId(Uuid::from_u128(id))));
        let session = SessionName::parse("s1").unwrap();
        let position = Position { branch: "main".to_owned(), seq: 42 };
        let mark = ours.write(&session, &position);
        assert_eq!(ours.read(&format!("said. {mark} more")), Some((session, position)));
        assert_eq!(theirs.read(&mark), None);
        for (from, to) in [("42", "43"), ("s1", "s2"), ("main", "other"), (", message", ",  message")] {
            assert_eq!(ours.read(&mark.replace(from, to)), None, "{from}");
        }
        assert_eq!(Marks::of(&SecretKeys::of_this_process(), TenantId(Uuid::from_u128(1))).read(&mark), None);
    }
}
