//! What tests of this crate build on: a test names only the fields that it is about.

use std::collections::BTreeSet;

use chrono::DateTime;

use crate::entries::{ErrorEntry, ModifiedFile};
use crate::merge::MergeContext;
use crate::probe::{Match, Probe, ProbeKind};
use crate::strategy::{Engine, Strategy, Verifiable};
use crate::version::VersionMeta;
use anchord_facts::ledger::{ErrorFact, FileAction, FileFact, TestOutcome, TestRunFact};

/// A version that was made without a model, of a session that nothing was measured of.
pub fn meta(version: i64) -> VersionMeta {
    VersionMeta {
        phase: None,
        version,
        parent_version: None,
        strategy: Strategy::Anchored,
        verifiable: Verifiable::Yes,
        engine: Engine::Extractive,
        model: None,
        compression_count: version,
        last_compressed_at: DateTime::UNIX_EPOCH,
        from_seq: 1,
        through_seq: 1,
        tokens_before: 1,
        tokens_after: 1,
        max_tokens: 4000,
        reduction: None,
        probe_score: None,
        facts_score: None,
        exam: None,
        warnings: vec![],
        imported: false,
    }
}

/// The merge of a version whose span has a hundred messages.
pub fn ctx(version: i64) -> MergeContext<'static> {
    static NONE_REMOVED: BTreeSet<String> = BTreeSet::new();
    MergeContext {
        version,
        anchor: (version - 1) * 100,
        through_seq: version * 100,
        pins: &[],
        dropped_entries: &NONE_REMOVED,
    }
}

pub fn modified(path: &str, action: FileAction, changes: &[&str], seq: i64) -> ModifiedFile {
    let changes = changes.iter().map(|c| (*c).to_owned()).collect();
    ModifiedFile::of(FileFact { changes, ..file_fact(path, None, seq) }, action)
}

/// An open error.
pub fn error(message: &str, seq: i64) -> ErrorEntry {
    ErrorEntry::of(&error_fact(message, seq))
}

pub fn file_fact(path: &str, action: Option<FileAction>, seq: i64) -> FileFact {
    FileFact {
        path: path.into(),
        action,
        overwrite_possible: false,
        renamed_from: None,
        transient: false,
        changes: vec![format!("change {seq}")],
        reason: None,
        seqs: vec![seq],
    }
}

pub fn error_fact(message: &str, seq: i64) -> ErrorFact {
    ErrorFact {
        kind: None,
        message: message.into(),
        location: None,
        command: None,
        resolution: None,
        count: 1,
        seqs: vec![seq],
    }
}

pub fn run_fact(command: &str, outcome: TestOutcome, seq: i64) -> TestRunFact {
    TestRunFact {
        command: command.into(),
        outcome,
        passed: None,
        failed: None,
        failing: vec![],
        seqs: vec![seq],
    }
}

/// A question about one fact, which nothing hangs on.
pub fn probe(question: &str, expected: &str) -> Probe {
    Probe {
        kind: ProbeKind::Recall,
        question: question.into(),
        expected: vec![expected.into()],
        mode: Match::All,
        section: None,
        exact: false,
        critical: false,
        seqs: vec![],
        reference: None,
    }
}
