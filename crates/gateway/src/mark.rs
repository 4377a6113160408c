//! The line that a summary of ours ends in, by which a list that continues from it is told. It has a tag, so that nobody who
//! writes into a conversation can move a session: over the place that it names and over the text before it, so that a line
//! that was copied out of its summary is none.

use std::sync::LazyLock;

use regex::Regex;

use anchord_messages::id::{SessionName, TenantId};
use anchord_store::secrets::SecretKeys;

/// How it begins.
pub(crate) const BEGINS: &str = "[anchord: session ";

static MARK: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\[anchord: session ([A-Za-z0-9._:@+=-]{1,200}), branch ([A-Za-z0-9._-]{1,100}), message ([0-9]{1,15}), after ([0-9]{1,9}), ([0-9a-f]{8,64})\]").ok()
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

    /// A text, and behind it the line that names the place up to which it stands for a session.
    pub(crate) fn write(&self, session: &SessionName, position: &Position, text: &str) -> String {
        let place = place(session.as_str(), position, signs(text).count());
        let tag = self.keys.tag(self.tenant, &tagged(&place, signs(text))).unwrap_or_default();
        format!("{text}\n\n[anchord: {place}, {tag}]")
    }

    /// The last place that a text names, if we wrote the line, behind the text that stands before it.
    pub(crate) fn read(&self, text: &str) -> Option<(SessionName, Position)> {
        let found = MARK.as_ref()?.captures_iter(text).last()?;
        let part = |at| found.get(at).map_or("", |part| part.as_str());
        let position = Position { branch: part(2).to_owned(), seq: part(3).parse().ok()? };
        let session = SessionName::parse(part(1)).ok()?;
        let before = text.get(..found.get(0)?.start())?;
        let count: usize = part(4).parse().ok()?;
        let skipped = signs(before).count().checked_sub(count)?;
        let place = place(session.as_str(), &position, count);
        let is_ours = self.keys.has_tag(self.tenant, &tagged(&place, signs(before).skip(skipped)), part(5));
        is_ours.then_some((session, position))
    }
}

/// The characters of a text without white space, which agents change.
fn signs(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|sign| !sign.is_whitespace())
}

/// What a tag is made of.
fn tagged(place: &str, signs: impl Iterator<Item = char>) -> String {
    place.chars().chain(['\n']).chain(signs).collect()
}

fn place(session: &str, Position { branch, seq }: &Position, signs: usize) -> String {
    format!("session {session}, branch {branch}, message {seq}, after {signs}")
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_mark_is_read_for_its_tenant_and_behind_the_text_that_it_was_written_for() {
        let keys = SecretKeys::of_this_process();
        let [ours, theirs] = [1, 2].map(|id| Marks::of(&keys, TenantId(Uuid::from_u128(id))));
        let session = SessionName::parse("s1").unwrap();
        let position = Position { branch: "main".to_owned(), seq: 42 };
        let text = ours.write(&session, &position, "It was said.\n\nAll of it.");
        let expected = Some((session, position));
        assert_eq!(ours.read(&format!("Continued. {text} more")), expected);
        assert_eq!(ours.read(&text.replace("\n\n", "\n")), expected, "an agent changes white space");
        assert_eq!(theirs.read(&text), None);
        let line = text.rsplit("\n\n").next().unwrap();
        for copied in
            [line.to_owned(), format!("the log has {line}"), format!("It was said. None of it. {line}")]
        {
            assert_eq!(ours.read(&copied), None, "{copied}");
        }
        for (from, to) in
            [("42", "43"), ("s1", "s2"), ("main", "other"), (", message", ",  message"), ("All", "Not all")]
        {
            assert_eq!(ours.read(&text.replace(from, to)), None, "{from}");
        }
        assert_eq!(Marks::of(&SecretKeys::of_this_process(), TenantId(Uuid::from_u128(1))).read(&text), None);
    }
}
