//! Entries that are stored with their keys, which no reply has.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::summary::{Decision, ErrorEntry, RequestEntry};

/// An entry beside its key.
#[derive(Serialize, Deserialize)]
struct StoredEntry<T> {
    #[serde(flatten)]
    entry: T,
    key: u64,
}

pub(super) trait Keyed: Clone {
    fn key(&self) -> u64;
    fn set_key(&mut self, key: u64);
}

macro_rules! keyed {
    ($($entry:ty),+) => {$(
        impl Keyed for $entry {
            fn key(&self) -> u64 {
                <$entry>::key(self)
            }

            fn set_key(&mut self, key: u64) {
                self.key = key.into();
            }
        }
    )+};
}

keyed!(RequestEntry, Decision, ErrorEntry);

pub(super) fn serialize<T: Keyed + Serialize, S: Serializer>(
    entries: &[T],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(entries.iter().map(|entry| StoredEntry { entry, key: entry.key() }))
}

pub(super) fn deserialize<'a, 'de, T: Keyed + Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Cow<'a, [T]>, D::Error> {
    let stored = Vec::<StoredEntry<T>>::deserialize(deserializer)?;
    let entries = stored.into_iter().map(|StoredEntry { mut entry, key }| {
        entry.set_key(key);
        entry
    });
    Ok(Cow::Owned(entries.collect()))
}
