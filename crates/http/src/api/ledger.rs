//! Lists the ledger: the facts that code, not a model, extracted from the messages of a session.
//!
//! Files, errors, identifiers, constraints and requests come from the current version's record, commands and test runs from
//! their rows. Messages after the anchor are read within the request, so that the ledger is never behind the session.

use std::collections::BTreeSet;

use strum::{IntoStaticStr, VariantArray};

use crate::api::prelude::*;
use anchord_facts::ledger::FileAction;
use anchord_facts::ledger::TestOutcome;
use anchord_facts::ledger::constraints::{Constraint, ConstraintMode, ConstraintSource};
use anchord_facts::ledger::{self, CommandFact, Facts, LedgerState, TestRunFact};
use anchord_facts::redact::redact;
use anchord_facts::thing::Thing;
use anchord_messages::format::{self, Format};
use anchord_messages::message::Numbered;
use anchord_record::merge::{MergeContext, merge};
use anchord_record::proposal::Proposal;
use anchord_record::redacted::redact_facts;
use anchord_record::summary::{ErrorStatus, FileStatus, RequestState, Summary};
use anchord_store::ledger::{self as rows, EntryRow, Place};
use anchord_store::messages::{self, SeqRange, StoredMessage};
use anchord_store::sessions::{self, Session};
use anchord_store::{Tx, pins, summaries};

/// The most messages after the anchor that one request reads; their bytes are limited too, by a page of messages.
const MAX_TAIL_MESSAGES: i64 = 10_000;

/// The subject of a fact.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    ToSchema,
    IntoStaticStr,
    VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum LedgerKind {
    /// A file that the session read or changed.
    File,
    /// A command that was run.
    Command,
    /// A run of tests.
    TestRun,
    /// An error that occurred.
    Error,
    /// A version, port, URL, id or figure.
    Identifier,
    /// The requirement, verbatim.
    Constraint,
    /// What a person asked for.
    Request,
}

/// Which facts to list.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct LedgerQuery {
    /// Only facts of this kind.
    #[param(inline)]
    pub kind: Option<LedgerKind>,
    /// Items of the page.
    #[param(minimum = 1, maximum = 1000, default = 50)]
    pub limit: Option<u32>,
    /// `next_cursor` of the page before.
    #[param(max_length = 1024)]
    pub cursor: Option<String>,
}

/// A page of facts.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct LedgerPage {
    /// The facts, by kind, and within a kind in the order of their first appearance.
    pub items: Vec<LedgerItem>,
    /// The `cursor` of the next page; null on the last one.
    #[schema(required = true)]
    pub next_cursor: Option<String>,
    /// The last message that the facts were read from; less than the newest one when very much lies
    /// after the anchor.
    pub through_seq: Seq,
}

/// The change of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum LedgerFileAction {
    /// It was made.
    Created,
    /// It existed and was changed.
    Modified,
    /// It was deleted.
    Deleted,
    /// It has another path now.
    Renamed,
    /// It was read and not changed.
    Read,
}

impl From<FileAction> for LedgerFileAction {
    fn from(action: FileAction) -> Self {
        match action {
            FileAction::Created => Self::Created,
            FileAction::Modified => Self::Modified,
            FileAction::Deleted => Self::Deleted,
            FileAction::Renamed => Self::Renamed,
        }
    }
}

/// One fact. Every fact has `kind` and `seqs`, the messages that show it.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum LedgerItem {
    /// A file that the session read or changed.
    #[schema(title = "FileFact")]
    File {
        /// The path, one spelling for one file.
        path: String,
        /// Its change.
        action: LedgerFileAction,
        /// Its path before it was renamed.
        #[serde(skip_serializing_if = "Option::is_none")]
        renamed_from: Option<String>,
        /// Its changes, oldest first.
        changes: Vec<String>,
        /// Whether the latest test run after the change passed.
        #[serde(skip_serializing_if = "Option::is_none")]
        status: Option<FileStatus>,
        /// Created and deleted within the session.
        transient: bool,
        /// Why it was read, when the session says so.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// The messages that show it.
        seqs: Vec<Seq>,
    },
    /// A command that was run.
    #[schema(title = "CommandFact")]
    Command {
        /// The command.
        command: String,
        /// Its exit code, when the result says so.
        #[serde(skip_serializing_if = "Option::is_none")]
        exit_code: Option<i32>,
        /// Whether it failed, when the result says so.
        #[serde(skip_serializing_if = "Option::is_none")]
        failed: Option<bool>,
        /// The call and its result.
        seqs: Vec<Seq>,
    },
    /// A run of tests.
    #[schema(title = "TestRunFact")]
    TestRun {
        /// The command.
        command: String,
        /// How it ended.
        outcome: TestOutcome,
        /// Tests passed.
        #[serde(skip_serializing_if = "Option::is_none")]
        passed: Option<u32>,
        /// Tests failed.
        #[serde(skip_serializing_if = "Option::is_none")]
        failed: Option<u32>,
        /// Names of failing tests.
        failing: Vec<String>,
        /// The call and its result.
        seqs: Vec<Seq>,
    },
    /// An error that occurred.
    #[schema(title = "ErrorFact")]
    Error {
        /// Its kind (`TypeError`, `E0308` …), when it has one.
        #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
        error_type: Option<String>,
        /// Its first useful line.
        message: String,
        /// Whether it is resolved.
        status: ErrorStatus,
        /// How it was resolved.
        #[serde(skip_serializing_if = "Option::is_none")]
        resolution: Option<String>,
        /// Where it occurred.
        #[serde(skip_serializing_if = "Option::is_none")]
        location: Option<String>,
        /// How many times it occurred.
        count: u32,
        /// The messages that show it.
        seqs: Vec<Seq>,
    },
    /// A version, port, URL, id or figure.
    #[schema(title = "IdentifierFact")]
    Identifier {
        /// Its name.
        key: String,
        /// Its value, verbatim.
        value: String,
        /// The messages that show it.
        seqs: Vec<Seq>,
    },
    /// The requirement, verbatim.
    #[schema(title = "ConstraintFact")]
    Constraint {
        /// Its id, for `DELETE …/constraints/{id}`.
        id: String,
        /// Its text, verbatim.
        text: String,
        /// Where it comes from.
        source: ConstraintSource,
        /// Whether it is only proposed: it takes effect when its text is pinned (setting `constraints`: `propose`).
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        proposed: bool,
        /// Whether it permits what an earlier one forbade, or releases from it, and demands nothing.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        permits: bool,
        /// The texts of the earlier constraints that it replaced.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        replaces: Vec<String>,
        /// The messages that show it; empty for pins.
        seqs: Vec<Seq>,
    },
    /// What a person asked for.
    #[schema(title = "RequestFact")]
    Request {
        /// Its id, for `DELETE …/requests/{id}`.
        id: String,
        /// The request, quoted and shortened.
        text: String,
        /// Its state.
        state: RequestState,
        /// The messages that it came from.
        seqs: Vec<Seq>,
    },
}

/// The position of an item: its kind, and its place among those of the kind.
type Position = (LedgerKind, Seq, i32);

/// Lists the facts of a session: files, commands, test runs, errors, identifiers, constraints, requests.
#[utoipa::path(
    get, path = "/v1/sessions/{session_id}/ledger", tag = "ledger", operation_id = "ledger.list", params(SessionPath, LedgerQuery),
    responses((status = 200, body = LedgerPage, description = "A page of facts."))
)]
pub async fn list_ledger(
    Reader { caller, state }: Reader,
    Path(path): Path<SessionPath>,
    Query(query): Query<LedgerQuery>,
) -> Result<Reply<LedgerPage>> {
    let scope = format!("ledger {} {:?}", path.session_id, query.kind);
    let paging = Paging::<Position>::read(&caller, &scope, query.limit, query.cursor.as_deref())?;
    let _memory = state.admission.assemblies.take_for_record(caller.tenant).await?;
    let mut tx = state.store.snapshot(caller.tenant).await?;
    let source = load(&mut tx, caller.tenant, &path.session_id).await?;
    let (session, anchor) = (source.session.id, source.session.anchor_seq);
    let book = caller.compute(move |_| Ok(source.read())).await?;

    let mut items: Vec<(Position, LedgerItem)> = Vec::new();
    for &kind in LedgerKind::VARIANTS {
        let wanted = query.kind.is_none_or(|only| only == kind);
        let passed = paging.after.is_some_and(|(after, ..)| after > kind);
        let room = paging.rows() - i64::try_from(items.len()).unwrap_or(i64::MAX);
        if !wanted || passed || room <= 0 {
            continue;
        }
        let after =
            paging.after.filter(|(after, ..)| *after == kind).map(|(_, seq, ordinal)| Place { seq, ordinal });
        if matches!(kind, LedgerKind::Command | LedgerKind::TestRun) {
            let stored =
                rows::list(&mut tx, session.of(caller.tenant), kind.into(), (after, anchor), room).await?;
            items.extend(stored.iter().map(|row| read_entry(kind, row)).collect::<Result<Vec<_>, _>>()?);
        }
        items.extend(book.items(kind).into_iter().filter_map(|(place, item)| {
            after.is_none_or(|after| place > after).then_some(((kind, place.seq, place.ordinal), item))
        }));
    }
    tx.commit().await?;
    items.truncate(paging.limit + 1);
    let page = paging.page(items, |(position, _)| *position).map(|(_, item)| item);
    Ok(Reply(LedgerPage { items: page.items, next_cursor: page.next_cursor, through_seq: book.through_seq }))
}

/// Source of the ledger's facts.
struct Source {
    session: Session,
    version: i64,
    record: Summary,
    carry: LedgerState,
    pins: Vec<Constraint>,
    removed: BTreeSet<String>,
    tail: Vec<StoredMessage>,
}

/// The facts without rows: those of the record, and those of the messages after the anchor.
struct Book {
    record: Summary,
    commands: Vec<CommandFact>,
    test_runs: Vec<TestRunFact>,
    through_seq: Seq,
}

async fn load(tx: &mut Tx, tenant: TenantId, name: &SessionRef) -> Result<Source> {
    let session = sessions::find(tx, tenant, name).await?.or_missing(Kind::SessionNotFound)?;
    let current = match session.version {
        Some(version) => summaries::find(tx, session.id.of(tenant), version).await?,
        None => None,
    };
    let range = SeqRange { from: session.anchor_seq + 1, to: session.head_seq };
    let tail = messages::list(tx, session.id.of(tenant), range, MAX_TAIL_MESSAGES).await?;
    // Contexts have pins verbatim, because that is what a pin is for; a list of facts shows no secret.
    let pins = pins::list_all(tx, tenant, &session).await?.into_iter().map(|pin| {
        Constraint::new(pin.id, redact(&pin.text).into_owned(), ConstraintSource::Pin, Vec::new())
    });
    let removed = rows::list_dropped_entries(tx, session.id.of(tenant)).await?;
    let (record, carry) = current.map(|stored| (stored.version.summary, stored.carry)).unwrap_or_default();
    Ok(Source {
        version: session.last_version + 1,
        record,
        carry,
        pins: pins.collect(),
        removed,
        tail,
        session,
    })
}

impl Source {
    /// Reads the facts of the messages after the anchor into the record, as a compression would.
    fn read(self) -> Book {
        let anchor = self.session.anchor_seq;
        let through_seq = self.tail.last().map_or(anchor, |message| message.seq);
        let span: Vec<Numbered> = self
            .tail
            .iter()
            .filter_map(|stored| {
                // Stored messages normally parse; one that does not is skipped, and is no failure.
                let format = stored.format.parse::<Format>().ok()?;
                let message = format::parse(format, &stored.body).ok()?;
                let message = if stored.is_retrieved { message.as_documents() } else { message };
                Some(Numbered { seq: stored.seq, message })
            })
            .collect();
        let mut facts = ledger::read(&span, &self.carry, &self.record.known());
        redact_facts(&mut facts);
        if self.session.effective_settings().constraints == Some(ConstraintMode::Propose) {
            facts.propose_constraints();
        }
        let context = MergeContext {
            version: self.version,
            anchor,
            through_seq,
            pins: &self.pins,
            dropped_entries: &self.removed,
        };
        // Nothing is merged when no message came since.
        let mut record = self.record;
        record.leave_dropped(&self.removed);
        let merged = merge(Some(record), &facts, &Proposal::default(), context);
        let Facts { commands, test_runs, .. } = facts;
        Book { record: merged.summary, commands, test_runs, through_seq }
    }
}

impl Book {
    /// The items of a kind with their places, ascending. Items of the record are placed by their index, items of the
    /// tail by their first message, which comes after every stored one.
    fn items(&self, kind: LedgerKind) -> Vec<(Place, LedgerItem)> {
        let record = &self.record;
        match kind {
            LedgerKind::File => {
                let changed = record.files_modified.iter().map(|file| LedgerItem::File {
                    path: file.path.clone(),
                    action: file.action.into(),
                    renamed_from: file.renamed_from.clone(),
                    changes: file.changes.clone(),
                    status: Some(file.status),
                    transient: file.transient,
                    reason: None,
                    seqs: file.seqs.clone(),
                });
                let read = record.files_read.iter().map(|file| LedgerItem::File {
                    path: file.path.clone(),
                    action: LedgerFileAction::Read,
                    renamed_from: None,
                    changes: Vec::new(),
                    status: None,
                    transient: false,
                    reason: file.reason.clone(),
                    seqs: file.seqs.clone(),
                });
                by_index(changed.chain(read))
            }
            LedgerKind::Command => by_message(&self.commands, |fact| &fact.seqs, command),
            LedgerKind::TestRun => by_message(&self.test_runs, |fact| &fact.seqs, test_run),
            LedgerKind::Error => by_index(record.errors.iter().map(|error| LedgerItem::Error {
                error_type: error.kind.clone(),
                message: error.message.clone(),
                status: error.status,
                resolution: error.resolution.clone(),
                location: error.location.clone(),
                count: error.count,
                seqs: error.seqs.clone(),
            })),
            LedgerKind::Identifier => by_index(record.things.iter().flat_map(identifiers)),
            LedgerKind::Request => by_index(record.requests.iter().map(|request| LedgerItem::Request {
                id: request.id(),
                text: request.text.clone(),
                state: request.state,
                seqs: request.seqs.clone(),
            })),
            LedgerKind::Constraint => {
                let binding = record.constraints.iter().map(|constraint| (constraint, false));
                let proposed = record.proposed_constraints.iter().map(|constraint| (constraint, true));
                by_index(binding.chain(proposed).map(|(constraint, proposed)| LedgerItem::Constraint {
                    id: constraint.id.clone(),
                    text: constraint.text.clone(),
                    source: constraint.source,
                    proposed,
                    permits: constraint.permits,
                    replaces: constraint.replaces.clone(),
                    seqs: constraint.seqs.clone(),
                }))
            }
        }
    }
}

/// A thing as keys and values: its id, and each of its properties under a name that contains the thing's.
fn identifiers(thing: &Thing) -> Vec<LedgerItem> {
    let item = |key: &str, value: &str| LedgerItem::Identifier {
        key: key.to_owned(),
        value: value.to_owned(),
        seqs: thing.seqs.clone(),
    };
    let whole = format!("{} {}", thing.kind, thing.id);
    let whole = whole.trim();
    let own = (!thing.kind.is_empty() || thing.properties.is_empty()).then(|| item(&thing.kind, &thing.id));
    let properties = thing.properties.iter().map(|property| match property.name.as_str() {
        "" => item(whole, &property.value),
        name => item(&format!("{whole} {name}"), &property.value),
    });
    own.into_iter().chain(properties).collect()
}

fn by_index(items: impl Iterator<Item = LedgerItem>) -> Vec<(Place, LedgerItem)> {
    (1..).zip(items).map(|(seq, item)| (Place { seq, ordinal: 0 }, item)).collect()
}

/// Places facts by their first message. The ordinal counts all facts, so that each place is unique.
fn by_message<T: Clone>(
    facts: &[T],
    seqs: impl Fn(&T) -> &Vec<Seq>,
    item: impl Fn(T) -> LedgerItem,
) -> Vec<(Place, LedgerItem)> {
    let mut placed: Vec<(Place, LedgerItem)> = (0..)
        .zip(facts)
        .map(|(ordinal, fact)| {
            let seq = seqs(fact).first().copied().unwrap_or_default();
            (Place { seq, ordinal }, item(fact.clone()))
        })
        .collect();
    placed.sort_by_key(|(place, _)| *place);
    placed
}

fn command(fact: CommandFact) -> LedgerItem {
    LedgerItem::Command {
        command: fact.command,
        exit_code: fact.exit_code,
        failed: fact.failed,
        seqs: fact.seqs,
    }
}

fn test_run(fact: TestRunFact) -> LedgerItem {
    LedgerItem::TestRun {
        command: fact.command,
        outcome: fact.outcome,
        passed: fact.passed,
        failed: fact.failed,
        failing: fact.failing,
        seqs: fact.seqs,
    }
}

fn read_entry(kind: LedgerKind, row: &EntryRow) -> Result<(Position, LedgerItem)> {
    let read = if kind == LedgerKind::Command {
        serde_json::from_str(&row.value).map(command)
    } else {
        serde_json::from_str(&row.value).map(test_run)
    };
    let place = row.place;
    let item = read.map_err(|error| {
        let key = format!("{} {}", place.seq, place.ordinal);
        StoreError::corrupt("ledger_entries", "value", key, error)
    })?;
    Ok(((kind, place.seq, place.ordinal), item))
}

#[cfg(test)]
mod tests {
    use anchord_facts::thing::Property;

    use super::*;

    #[test]
    fn a_thing_is_shown_as_keys_that_name_it() {
        let thing = Thing {
            kind: "reservation".into(),
            id: "LQ940Q".into(),
            properties: vec![Property::new("cabin", "economy"), Property::new("", "paid")],
            seqs: vec![5],
            ..Thing::default()
        };
        let shown = serde_json::to_value(identifiers(&thing)).unwrap();
        let shown: Vec<_> =
            shown.as_array().unwrap().iter().map(|item| (&item["key"], &item["value"])).collect();
        assert_eq!(
            shown,
            [
                (&"reservation".into(), &"LQ940Q".into()),
                (&"reservation LQ940Q cabin".into(), &"economy".into()),
                (&"reservation LQ940Q".into(), &"paid".into())
            ]
        );
    }

    #[test]
    fn kinds_are_listed_in_the_order_in_which_they_are_compared() {
        assert!(LedgerKind::VARIANTS.is_sorted());
        for &kind in LedgerKind::VARIANTS {
            assert_eq!(serde_json::to_value(kind).unwrap(), <&str>::from(kind));
        }
    }
}
