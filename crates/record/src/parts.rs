//! A summary in the parts that it is stored in: a version stores only the parts that the version before it has not.
//!
//! A summary is complete, and so it grows with its session, while a span changes little of it: entries come behind the
//! others, and few of those before change. So its lists are cut into parts of some entries; a version brings those that
//! no part of its base says, and names the others by their ids.
//! Invariant: a part never changes, and the parts of a version, in their order, behind its head are its summary.
//!
//! Measured: the sixtieth version of one session stores 27 KB of 299, the fortieth 41 of 191; sixty versions of
//! another, with a record of 490 KB at last, take 2.9 MB instead of 5.5. Parts of 8 entries wrote two fifths less and
//! were read up to a tenth slower. A part is recognised by a seeded hash of its content, because the merge consumes
//! the record that it builds on, and a copy would cost more than is saved. The cost: a whole record is read from some
//! hundred rows (4.1 ms instead of 3.9 at 490 KB). A version from before there were parts has its record in its
//! document.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasher as _;

use serde::de::Error as _;
use serde::{Deserialize, Serialize};

use super::digest::Turn;
use super::document::{PastIntent, TechnicalFact};
use super::section::Section;
use super::summary::{
    Blocker, CurrentState, Decision, ErrorEntry, ModifiedFile, ReadFile, Remark, RequestEntry, StepOrigin,
    Summary, TestResult,
};
use anchord_facts::ledger::constraints::Constraint;
use anchord_facts::thing::Thing;
use anchord_messages::id::Seq;

/// Entries of a part: the fewer, the less is written for one that changed; the more, the fewer rows are read for a
/// record.
const ENTRIES: usize = 16;
/// Messages whose turns are one part.
const TURNS: Seq = 32;
/// A part's id is the number of the version that brought it, times this, and its place among those of that version.
const PLACES: i64 = 1 << 20;

/// A summary as it is to be stored.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SplitSummary {
    /// What stands in no list that is cut, as JSON.
    pub head: String,
    /// The ids of its parts, in their order.
    pub parts: Vec<i64>,
    /// Those of them that are new, as JSON.
    pub new: Vec<(i64, String)>,
}

impl SplitSummary {
    /// The summary that it was written from, of one that has no part from an earlier version.
    ///
    /// # Errors
    /// When it has, or something does not read back.
    pub fn whole(&self) -> Result<Summary, serde_json::Error> {
        let texts = self.new.iter().map(|(_, text)| text.clone()).collect();
        let stored = StoredSummary {
            document: self.head.clone(),
            parts: Some(self.parts.clone()),
            texts: Some(texts),
        };
        stored.summary()
    }
}

/// A summary as it is stored.
#[derive(Clone, Debug)]
pub struct StoredSummary {
    /// Its head; all of it in a version from before there were parts.
    pub document: String,
    /// The ids of its parts, in their order; none at all when the document is all of it.
    pub parts: Option<Vec<i64>>,
    /// What they say, beside their ids.
    pub texts: Option<Vec<String>>,
}

impl StoredSummary {
    /// Reads it.
    ///
    /// # Errors
    /// When a part is not there, or something does not read back.
    pub fn summary(&self) -> Result<Summary, serde_json::Error> {
        self.each(|_, _| ())
    }

    /// Reads it, with its parts for the version after it to name.
    ///
    /// # Errors
    /// As [`Self::summary`].
    pub fn read(&self) -> Result<(Summary, Parts), serde_json::Error> {
        let mut parts = Parts { bytes: self.document.len(), ..Parts::default() };
        let summary = self.each(|part, stored| parts.add(parts.prints.hash_one(part), stored))?;
        Ok((summary, parts))
    }

    /// Puts it together, and shows each of its parts with its id and its bytes.
    fn each(&self, mut show: impl FnMut(&Part<'_>, (i64, usize))) -> Result<Summary, serde_json::Error> {
        let Some(ids) = self.parts.as_deref() else { return serde_json::from_str(&self.document) };
        let texts = self.texts.as_deref().unwrap_or_default();
        if ids.len() != texts.len() {
            return Err(serde_json::Error::custom(format!(
                "{} of {} parts are there",
                texts.len(),
                ids.len()
            )));
        }
        let mut summary = serde_json::from_str::<Head<'_>>(&self.document)?.summary();
        for (id, text) in ids.iter().zip(texts) {
            let part: Part<'_> = serde_json::from_str(text)?;
            show(&part, (*id, text.len()));
            part.join(&mut summary);
        }
        Ok(summary)
    }
}

/// The parts of a version that is stored, for the next one to name.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    /// By what they say: their ids and their bytes as JSON.
    known: HashMap<u64, (i64, usize), foldhash::fast::RandomState>,
    /// Its seed is nobody's to know, so that no text is made to pass for another one; by chance one part of 2^64 does.
    prints: foldhash::quality::RandomState,
    bytes: usize,
}

impl Parts {
    /// Writes the summary of a new version of the session that these are parts of; gives that one's own.
    ///
    /// # Errors
    /// When it does not go into JSON.
    pub fn write(self, summary: &Summary, version: i64) -> Result<(SplitSummary, Self), serde_json::Error> {
        let head = serde_json::to_string(&Head::of(summary))?;
        let mut own = Self { known: HashMap::default(), prints: self.prints, bytes: head.len() };
        let (mut parts, mut new) = (Vec::new(), Vec::new());
        let mut next = version * PLACES;
        for part in cut(summary) {
            let print = own.prints.hash_one(&part);
            let stored = if let Some(known) = self.known.get(&print) {
                *known
            } else {
                let text = serde_json::to_string(&part)?;
                let stored = (next, text.len());
                new.push((next, text));
                next += 1;
                stored
            };
            parts.push(stored.0);
            own.add(print, stored);
        }
        Ok((SplitSummary { head, parts, new }, own))
    }

    /// Bytes of the whole summary as JSON, about.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    fn add(&mut self, print: u64, stored: (i64, usize)) {
        self.bytes += stored.1;
        self.known.insert(print, stored);
    }
}

fn is_empty(left_out: &BTreeMap<Section, u32>) -> bool {
    left_out.is_empty()
}

/// What of a summary stands in no list that is cut.
#[derive(Serialize, Deserialize)]
struct Head<'a> {
    session_intent: Cow<'a, str>,
    session_intent_seqs: Cow<'a, [Seq]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session_intent_session_id: Option<Cow<'a, str>>,
    current_state: Cow<'a, CurrentState>,
    next_steps: Cow<'a, [String]>,
    next_steps_seqs: Cow<'a, [Seq]>,
    #[serde(default, skip_serializing_if = "<[_]>::is_empty")]
    next_steps_origins: Cow<'a, [StepOrigin]>,
    #[serde(default, skip_serializing_if = "is_empty")]
    left_out: Cow<'a, BTreeMap<Section, u32>>,
}

impl<'a> Head<'a> {
    fn of(summary: &'a Summary) -> Self {
        // Every section by its name: a new one is in the head or among the lists.
        let Summary {
            session_intent,
            session_intent_seqs,
            session_intent_session_id,
            requests: _,
            files_modified: _,
            files_read: _,
            decisions_made: _,
            current_state,
            errors: _,
            test_results: _,
            blockers: _,
            open_questions: _,
            findings: _,
            next_steps,
            next_steps_seqs,
            next_steps_origins,
            things: _,
            left_out,
            notes: _,
            constraints: _,
            digest: _,
        } = summary;
        Self {
            session_intent: Cow::Borrowed(session_intent),
            session_intent_seqs: Cow::Borrowed(session_intent_seqs),
            session_intent_session_id: session_intent_session_id.as_deref().map(Cow::Borrowed),
            current_state: Cow::Borrowed(current_state),
            next_steps: Cow::Borrowed(next_steps),
            next_steps_seqs: Cow::Borrowed(next_steps_seqs),
            next_steps_origins: Cow::Borrowed(next_steps_origins),
            left_out: Cow::Borrowed(left_out),
        }
    }

    /// A summary with empty lists.
    fn summary(self) -> Summary {
        Summary {
            session_intent: self.session_intent.into_owned(),
            session_intent_seqs: self.session_intent_seqs.into_owned(),
            session_intent_session_id: self.session_intent_session_id.map(Cow::into_owned),
            current_state: self.current_state.into_owned(),
            next_steps: self.next_steps.into_owned(),
            next_steps_seqs: self.next_steps_seqs.into_owned(),
            next_steps_origins: self.next_steps_origins.into_owned(),
            left_out: self.left_out.into_owned(),
            ..Summary::default()
        }
    }
}

/// The lists that are cut, in the order in which a summary is stored.
macro_rules! lists {
    ($($(#[$stored:meta])? $list:ident: $part:ident($entry:ty)),+) => {
        /// Some entries of one list.
        #[derive(Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        enum Part<'a> {
            $($part($(#[$stored])? Cow<'a, [$entry]>),)+
            Digest(Cow<'a, [Turn]>),
            // Of versions from before there were requests and things.
            IntentHistory(Cow<'a, [PastIntent]>),
            TechnicalContext(Cow<'a, [TechnicalFact]>),
        }

        impl Part<'_> {
            /// Puts its entries behind those that their list has.
            fn join(self, summary: &mut Summary) {
                match self {
                    $(Self::$part(entries) => summary.$list.extend(entries.into_owned()),)+
                    Self::Digest(turns) => summary.digest.extend(turns.into_owned()),
                    Self::IntentHistory(past) => {
                        summary.requests.extend(past.into_owned().into_iter().map(RequestEntry::from));
                    }
                    Self::TechnicalContext(facts) => {
                        summary.things.extend(facts.into_owned().into_iter().map(Thing::from));
                    }
                }
            }
        }

        /// Cuts all lists.
        fn cut(summary: &Summary) -> impl Iterator<Item = Part<'_>> {
            std::iter::empty()
                $(.chain(summary.$list.chunks(ENTRIES).map(|entries| Part::$part(Cow::Borrowed(entries)))))+
                .chain(turns(&summary.digest))
        }
    };
}

lists! {
    #[serde(with = "keyed")]
    requests: Requests(RequestEntry),
    files_modified: FilesModified(ModifiedFile),
    files_read: FilesRead(ReadFile),
    #[serde(with = "keyed")]
    decisions_made: DecisionsMade(Decision),
    #[serde(with = "keyed")]
    errors: Errors(ErrorEntry),
    test_results: TestResults(TestResult),
    blockers: Blockers(Blocker),
    open_questions: OpenQuestions(Remark),
    findings: Findings(Remark),
    things: Things(Thing),
    notes: Notes(Remark),
    constraints: Constraints(Constraint)
}

/// Entries that are stored with their keys, which no reply has.
mod keyed {
    use std::borrow::Cow;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{Decision, ErrorEntry, RequestEntry};

    /// An entry beside its key; one that was stored before there were keys has none.
    #[derive(Serialize, Deserialize)]
    struct StoredEntry<T> {
        #[serde(flatten)]
        entry: T,
        #[serde(default)]
        key: Option<u64>,
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
        serializer.collect_seq(entries.iter().map(|entry| StoredEntry { entry, key: Some(entry.key()) }))
    }

    pub(super) fn deserialize<'a, 'de, T: Keyed + Deserialize<'de>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Cow<'a, [T]>, D::Error> {
        let stored = Vec::<StoredEntry<T>>::deserialize(deserializer)?;
        let entries = stored.into_iter().map(|StoredEntry { mut entry, key }| {
            if let Some(key) = key {
                entry.set_key(key);
            }
            entry
        });
        Ok(Cow::Owned(entries.collect()))
    }
}

/// Cuts turns where their numbers do: some go and others stay, and what stays is to be the same part.
fn turns(digest: &[Turn]) -> impl Iterator<Item = Part<'_>> {
    let together = |a: &Turn, b: &Turn| a.seq / TURNS == b.seq / TURNS;
    digest.chunk_by(together).map(|turns| Part::Digest(Cow::Borrowed(turns)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::{ErrorStatus, FileStatus, RequestState};
    use anchord_facts::key::Key;
    use anchord_facts::ledger::FileAction;
    use anchord_facts::thing::Property;

    fn error(number: usize) -> ErrorEntry {
        ErrorEntry {
            kind: Some("E0308".to_owned()),
            message: format!("mismatched types \u{0} \"{number}\""),
            status: ErrorStatus::Open,
            resolution: None,
            location: None,
            count: 1,
            resolved_in_version: None,
            seqs: vec![1, 2],
            session_id: None,
            key: Key::default(),
            key_anywhere: Key::default(),
        }
    }

    /// A summary with something in every section, and with so many errors.
    fn record(errors: usize) -> Summary {
        let (seqs, session_id) = (vec![3], Some("other".to_owned()));
        let text = || "text \u{1F600}".to_owned();
        Summary {
            session_intent: text(),
            session_intent_seqs: seqs.clone(),
            session_intent_session_id: session_id.clone(),
            requests: vec![RequestEntry {
                outcome: None,
                text: text(),
                state: RequestState::Done,
                superseded_by: None,
                seqs: seqs.clone(),
                session_id: None,
                key: Key::default(),
            }],
            files_modified: vec![ModifiedFile {
                purpose: None,
                path: "a.rs".to_owned(),
                action: FileAction::Renamed,
                renamed_from: Some("b.rs".to_owned()),
                changes: vec![text()],
                status: FileStatus::Pass,
                overwrite_possible: true,
                transient: false,
                seqs: seqs.clone(),
                session_id: session_id.clone(),
            }],
            files_read: vec![ReadFile { path: text(), reason: None, seqs: seqs.clone(), session_id: None }],
            decisions_made: vec![Decision {
                decision: text(),
                rationale: String::new(),
                alternatives: vec![text(), text()],
                superseded_by: None,
                seqs: seqs.clone(),
                session_id: None,
                key: Key::default(),
            }],
            current_state: CurrentState { text: text(), seqs: seqs.clone(), ..CurrentState::default() },
            errors: (0..errors).map(error).collect(),
            test_results: Vec::new(),
            blockers: vec![Blocker { text: text(), seqs: seqs.clone(), session_id: None }],
            next_steps: vec![text()],
            next_steps_seqs: seqs.clone(),
            next_steps_origins: vec![StepOrigin {
                step: text(),
                session_id: "other".to_owned(),
                seqs: seqs.clone(),
            }],
            open_questions: vec![Remark { text: text(), seqs: seqs.clone(), session_id: None }],
            findings: Vec::new(),
            things: vec![Thing {
                kind: text(),
                id: text(),
                properties: vec![Property::new("name", text())],
                seqs: seqs.clone(),
                ..Thing::default()
            }],
            notes: Vec::new(),
            left_out: BTreeMap::from([(Section::Things, 3)]),
            constraints: Vec::new(),
            digest: Vec::new(),
        }
    }

    /// What is stored of a session, version by version.
    #[derive(Default)]
    struct Shelf {
        texts: HashMap<i64, String>,
        stored: Vec<StoredSummary>,
    }

    impl Shelf {
        /// Stores a version on top of others, and tells how many parts it brought.
        fn store(&mut self, base: Parts, summary: &Summary) -> (usize, Parts) {
            let version = i64::try_from(self.stored.len()).unwrap() + 1;
            let (written, parts) = base.write(summary, version).unwrap();
            let new = written.new.len();
            for (id, text) in written.new {
                assert!(self.texts.insert(id, text).is_none(), "part {id} is there already");
            }
            let texts = written.parts.iter().map(|id| self.texts[id].clone()).collect();
            self.stored.push(StoredSummary {
                document: written.head,
                parts: Some(written.parts),
                texts: Some(texts),
            });
            (new, parts)
        }

        fn read(&self, version: usize) -> (Summary, Parts) {
            self.stored[version - 1].read().unwrap()
        }
    }

    #[test]
    fn a_version_brings_what_changed_and_every_version_reads_back() {
        let mut shelf = Shelf::default();
        let first = record(ENTRIES * 5 + 3);
        // Errors in six parts, and one of each other list that is not empty.
        assert_eq!(shelf.store(Parts::default(), &first).0, 13);
        let mut second = first.clone();
        second.errors[ENTRIES].status = ErrorStatus::Resolved;
        second.errors.push(error(999));
        second.current_state.text.push('!');
        let (new, parts) = shelf.store(shelf.read(1).1, &second);
        assert_eq!(new, 2, "the part with the resolved one, and the last");
        // On what was read back, and on what the writer has.
        assert_eq!(shelf.store(shelf.read(2).1, &second).0, 0);
        assert_eq!(shelf.store(parts, &second).0, 0);
        // What goes at the front moves all that is behind it.
        let mut fifth = second.clone();
        fifth.errors.insert(0, error(1000));
        assert_eq!(shelf.store(shelf.read(4).1, &fifth).0, 6);
        for (version, record) in [(1, &first), (2, &second), (3, &second), (4, &second), (5, &fifth)] {
            assert_eq!(&shelf.read(version).0, record, "version {version}");
        }
    }

    #[test]
    fn a_list_that_is_gone_or_says_the_same_in_another_place_costs_nothing() {
        let mut shelf = Shelf::default();
        let first = record(ENTRIES * 2);
        let (_, parts) = shelf.store(Parts::default(), &first);
        let mut second = first.clone();
        let (front, back) = second.errors.split_at(ENTRIES);
        second.errors = [back, front, front].concat();
        second.blockers.clear();
        assert_eq!(shelf.store(parts, &second).0, 0);
        assert_eq!(shelf.read(2).0, second);
    }

    #[test]
    fn lists_with_the_same_entries_are_told_apart() {
        let mut summary = Summary::default();
        summary.findings.push(Remark { text: "t".to_owned(), seqs: vec![1], session_id: None });
        let mut shelf = Shelf::default();
        let (_, parts) = shelf.store(Parts::default(), &summary);
        summary.findings.clear();
        summary.notes.push(Remark { text: "t".to_owned(), seqs: vec![1], session_id: None });
        assert_eq!(shelf.store(parts, &summary).0, 1);
        assert_eq!(shelf.read(2).0, summary);
    }

    #[test]
    fn keys_are_stored_read_back_and_never_served() {
        let (record, mut shelf) = (record(2), Shelf::default());
        shelf.store(Parts::default(), &record);
        let key = record.errors[1].key();
        let (stored, entry) = (serde_json::to_string(&shelf.texts).unwrap(), format!("\\\"key\\\":{key}"));
        assert!(stored.contains(&entry), "{entry} in {stored}");
        let read = shelf.read(1).0;
        assert_eq!(read.errors[1].key.get(|| 0), key);
        assert_eq!(read.requests[0].key.get(|| 0), read.decisions_made[0].key.get(|| 1));
        let served = serde_json::to_value(&read).unwrap();
        for list in ["requests", "decisions_made", "errors"] {
            assert!(served[list][0].is_object() && served[list][0].get("key").is_none(), "{served}");
        }
    }

    #[test]
    fn a_part_from_before_there_were_keys_is_read_and_written_no_second_time() {
        let (record, mut shelf) = (record(2), Shelf::default());
        shelf.store(Parts::default(), &record);
        let without_keys = |text: &String| {
            let mut part: serde_json::Value = serde_json::from_str(text).unwrap();
            let entries =
                part.as_object_mut().unwrap().values_mut().flat_map(|all| all.as_array_mut().unwrap());
            entries.filter_map(serde_json::Value::as_object_mut).for_each(|entry| {
                entry.remove("key");
            });
            part.to_string()
        };
        let texts = &mut shelf.stored[0].texts;
        *texts = texts.as_ref().map(|texts| texts.iter().map(without_keys).collect());
        let (read, parts) = shelf.read(1);
        assert_eq!(read.errors[1].key(), record.errors[1].key());
        assert_eq!(shelf.store(parts, &record).0, 0);
    }

    #[test]
    fn a_part_that_is_gone_or_is_none_is_an_error() {
        let mut shelf = Shelf::default();
        shelf.store(Parts::default(), &record(40));
        let mut stored = shelf.stored.remove(0);
        stored.texts.as_mut().unwrap().pop();
        assert!(stored.read().unwrap_err().to_string().contains("9 of 10 parts are there"));
        stored.texts.as_mut().unwrap().push(r#"{"error":[]}"#.to_owned());
        assert!(stored.read().is_err());
        stored.texts = None;
        assert!(stored.read().is_err());
        // A head is not taken for a whole summary.
        stored.parts = None;
        assert!(stored.read().is_err());
    }

    #[test]
    fn parts_of_loose_values_and_past_intents_are_read_as_things_and_requests() {
        let mut shelf = Shelf::default();
        shelf.store(Parts::default(), &Summary::default());
        let mut stored = shelf.stored.remove(0);
        stored.parts = Some(vec![1, 2]);
        stored.texts = Some(vec![
            r#"{"intent_history":[{"text":"Build it","seqs":[1]}]}"#.to_owned(),
            r#"{"technical_context":[{"key":"port","value":"80","seqs":[2]}]}"#.to_owned(),
        ]);
        let (record, _) = stored.read().unwrap();
        assert_eq!((record.requests[0].text.as_str(), record.things[0].id.as_str()), ("Build it", "port"));
    }

    #[test]
    fn a_version_from_before_there_were_parts_is_its_document() {
        let summary = record(40);
        let document = serde_json::to_string(&summary).unwrap();
        let (read, parts) = StoredSummary { document, parts: None, texts: None }.read().unwrap();
        assert_eq!(read, summary);
        let (written, _) = parts.write(&summary, 2).unwrap();
        assert_eq!(written.new.len(), written.parts.len());
        assert_eq!(written.whole().unwrap(), summary);
        assert_eq!(written.new[0].0, 2 * PLACES);
    }
}
