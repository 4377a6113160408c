//! Imports a session in one transaction: what a call brings is stored together or not at all.
//!
//! Everything is a caller's text. Its documents are parsed before they come here; what is checked here is that they fit the
//! session: positions and versions that are there, parts that are named, no number that is taken.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::bounds::{self, Made};
use super::branches::{self, Graft};
use super::compressions::{self, Kind, NewJob};
use super::context::find_user;
use super::dump::{
    BegunWithDump, CompressionDump, EvaluationDump, FactDump, ForkDump, NoteDump, ProbeDump, TodosDump,
    VersionDump, imported_id,
};
use super::gather::{self, Append, AppendError, Reply};
use super::notes::{self, NotesRoom};
use super::outlines::outlines_within;
use super::pins::{self, PinEdit, PinEdited};
use super::sessions::{self, PutOutcome, Session};
use super::{load, lock, probes};
use crate::prelude::*;
use anchord_context::pin::Pin;
use anchord_record::parts::StoredSummary;
use anchord_record::strategy::Strategy;
use anchord_record::version::VersionMeta;
use anchord_session::accounting::RetainedMessage;
use anchord_session::compression::Request;
use anchord_session::session::{CountState, Restored};
use anchord_session::settings::SettingsError;

/// Lines of an import that are stored together.
#[derive(Debug)]
pub struct Part {
    /// Its first line, from 0.
    pub line: usize,
    /// The branch that it is of.
    pub branch: BranchName,
    /// What it brings.
    pub brings: Brings,
}

/// What lines of an import bring.
#[derive(Debug)]
pub enum Brings {
    /// The session, with its branch main, its settings, and when it was created.
    Session(Box<Own>, Map<String, Value>, Option<DateTime<Utc>>),
    /// Another branch.
    Branch(Box<Own>, Box<Begun>),
    /// Messages, and when each was stored where they come from.
    Messages(Box<Append>, Vec<Option<DateTime<Utc>>>),
    /// A version.
    Version(Box<VersionMeta>, Box<VersionDump>),
    /// Commands and test runs.
    Facts(Vec<FactDump>),
    /// Probes.
    Probes(Vec<ProbeDump>),
    /// An evaluation.
    Evaluation(Box<EvaluationDump>),
    /// A compression that has ended.
    Compression(Box<CompressionDump>),
    /// What of the branch's counts does not follow from the rest.
    Counts(Box<CountState>),
    /// The end.
    End {
        /// How many messages all branches have of their own.
        messages: i64,
        /// The current branch.
        current: BranchName,
        /// The branches that are erased, though others stand on them.
        erased: Vec<BranchName>,
    },
}

/// What a branch has of its own beside messages and versions.
#[derive(Clone, Debug, Default)]
pub struct Own {
    /// Its pins.
    pub pins: Vec<Pin>,
    /// Its agent's notes, with what they were before.
    pub notes: Vec<NoteDump>,
    /// Its caller's todo list.
    pub todos: Option<TodosDump>,
    /// Ids of extracted constraints that its caller removed.
    pub dropped_entries: Vec<String>,
}

/// Where a branch begins.
#[derive(Clone, Debug)]
pub struct Begun {
    /// The last message that it shares.
    pub from: ForkDump,
    /// The version that it begins with.
    pub with: Option<BegunWithDump>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
}

/// What an import has stored.
#[derive(Debug, Default)]
pub struct Stored {
    /// The session; `None` when there is none.
    pub session: Option<SessionId>,
    /// The replies to its appends.
    pub replies: Vec<Reply>,
    /// The position that the next message of main will get.
    pub next_seq: Seq,
    /// How many branches it made beside main.
    pub branches: usize,
    /// Versions.
    pub versions: usize,
    /// Probes.
    pub probes: usize,
    /// Evaluations.
    pub evaluations: usize,
    /// Compressions that have ended.
    pub compressions: usize,
    /// Whether the session was made; then it is counted after the commit ([`Store::count_session`]).
    pub is_made: bool,
}

/// Why an import is refused; nothing of it may be committed.
#[derive(Debug)]
pub enum ImportError {
    /// A line is refused.
    Refused {
        /// The line, from 0.
        line: usize,
        /// Why.
        why: Refusal,
    },
    /// The database failed.
    Store(StoreError),
}

impl From<StoreError> for ImportError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Why a line is refused.
#[derive(Debug)]
pub enum Refusal {
    /// The session has messages or branches, so that it cannot get another head.
    NotNew,
    /// There is no such session, because no line has brought it.
    NoSession,
    /// No import has begun the session, or it has ended.
    NotImporting,
    /// The session has another version, or a compression waits or runs: somebody works with it.
    Busy,
    /// The settings are rejected.
    Settings(SettingsError),
    /// The pins take too many tokens.
    Pins {
        /// The tokens that they would take.
        tokens: u32,
        /// The most tokens that they may take.
        max_tokens: u32,
    },
    /// The notes take too many tokens.
    Notes(NotesRoom),
    /// The messages are rejected; with the position of the first.
    Messages(AppendError, Seq),
    /// A field does not fit the rest of the session.
    Misfit {
        /// The field.
        pointer: String,
        /// What it must be.
        detail: &'static str,
    },
}

/// Why a part is not stored.
enum Stop {
    Refused(Refusal),
    Store(StoreError),
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<sqlx::Error> for Stop {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

fn misfit(pointer: impl Into<String>, detail: &'static str) -> Stop {
    Refusal::Misfit { pointer: pointer.into(), detail }.into()
}

fn no_branch() -> Stop {
    misfit("/branch", "must be one that a line before has brought")
}

fn require(holds: bool, pointer: &str, detail: &'static str) -> Result<(), Stop> {
    if holds { Ok(()) } else { Err(misfit(pointer, detail)) }
}

/// Stores an import in an open transaction.
///
/// # Errors
/// When a line is refused, the database fails, the session or its tenant changes meanwhile, or the tenant may have no more
/// sessions.
pub async fn import(
    store: &Store,
    tx: &mut Tx,
    tenant: TenantId,
    name: &SessionName,
    parts: Vec<Part>,
) -> Result<Stored, ImportError> {
    let main = SessionRef::main(name.clone());
    let was_there = sessions::find(tx, tenant, &main).await?.is_some();
    let mut importing = Importing { tx, tenant, name, stored: Stored::default(), unsettled: None };
    for part in parts {
        let line = part.line;
        importing.take(part).await.map_err(|stop| match stop {
            Stop::Refused(why) => ImportError::Refused { line, why },
            Stop::Store(error) => ImportError::Store(error),
        })?;
    }
    let settled = importing.count_unsettled().await;
    let mut stored = importing.stored;
    match settled {
        Ok(()) => {}
        Err(Stop::Store(error)) => return Err(error.into()),
        Err(Stop::Refused(why)) => return Err(ImportError::Refused { line: 0, why }),
    }
    let session = sessions::find(tx, tenant, &main).await?;
    stored.is_made = session.is_some() && !was_there;
    if stored.is_made {
        store.require_session_room(tx, tenant, Made::InTransaction).await?;
    }
    stored.next_seq = session.as_ref().map_or(1, |session| session.head_seq + 1);
    stored.session = session.map(|session| session.id);
    Ok(stored)
}

struct Importing<'a> {
    tx: &'a mut Tx,
    tenant: TenantId,
    name: &'a SessionName,
    stored: Stored,
    /// The branch that has new versions and no counts of them yet, and what the newest one was served with.
    unsettled: Option<(BranchName, CountState)>,
}

impl Importing<'_> {
    async fn take(&mut self, Part { branch, brings, .. }: Part) -> Result<(), Stop> {
        let goes_on = matches!(brings, Brings::Version(..) | Brings::Counts(_));
        if self.unsettled.as_ref().is_some_and(|(unsettled, _)| !goes_on || *unsettled != branch) {
            self.count_unsettled().await?;
        }
        let is_plain_end =
            matches!(&brings, Brings::End { current, erased, .. } if current.is_main() && erased.is_empty());
        if !is_plain_end && !matches!(brings, Brings::Session(..) | Brings::Messages(..)) {
            self.require_importing().await?;
        }
        match brings {
            Brings::Session(own, settings, created_at) => self.begin(*own, settings, created_at).await,
            Brings::Branch(own, begun) => self.branch(&branch, *own, *begun).await,
            Brings::Messages(append, times) => self.append(*append, &times).await,
            Brings::End { messages, current, erased } => self.end(messages, &current, &erased).await,
            Brings::Version(meta, version) => self.version(branch, *meta, *version).await,
            Brings::Facts(facts) => self.facts(&branch, &facts).await,
            Brings::Probes(probes) => self.probes(&branch, &probes).await,
            Brings::Evaluation(evaluation) => self.evaluation(&branch, *evaluation).await,
            Brings::Compression(compression) => self.compression(&branch, *compression).await,
            Brings::Counts(counts) => {
                self.unsettled = None;
                self.counts(&branch, *counts).await
            }
        }
    }

    fn of(&self, branch: &BranchName) -> SessionRef {
        SessionRef { name: self.name.clone(), branch: Some(branch.clone()) }
    }

    /// Checks that the session was begun by an import that has not ended: no file changes any other one.
    async fn require_importing(&mut self) -> Result<(), Stop> {
        let found = sqlx::query_scalar!(
            "select importing from sessions where tenant_id = $1 and name = $2",
            self.tenant.0,
            self.name.as_str()
        )
        .fetch_optional(&mut **self.tx)
        .await?;
        match found {
            None => Err(Refusal::NoSession.into()),
            Some(false) => Err(Refusal::NotImporting.into()),
            Some(true) => Ok(()),
        }
    }

    /// Locks a branch and reads it then.
    async fn hold(&mut self, branch: &BranchName) -> Result<Session, Stop> {
        let of = self.of(branch);
        let held = sessions::lock(self.tx, self.tenant, &of).await?;
        held.ok_or_else(|| if branch.is_main() { Refusal::NoSession.into() } else { no_branch() })
    }

    async fn begin(
        &mut self,
        own: Own,
        settings: Map<String, Value>,
        created_at: Option<DateTime<Utc>>,
    ) -> Result<(), Stop> {
        let of = SessionRef::main(self.name.clone());
        let put = sessions::put(self.tx, self.tenant, &of, &settings).await?.ok_or(StoreError::Contended)?;
        let session = match put {
            PutOutcome::Refused(refused) => return Err(Refusal::Settings(refused).into()),
            PutOutcome::NoBranch => return Err(Refusal::NotNew.into()),
            PutOutcome::Created(session) | PutOutcome::Updated(session) => session,
        };
        if session.head_seq > 0 || session.has_branches || session.last_version > 0 {
            return Err(Refusal::NotNew.into());
        }
        // Retention counts from the id and the last write.
        sqlx::query!(
            "update sessions set created_at = coalesce($3, created_at), importing = true where tenant_id = $1 and id = $2",
            self.tenant.0,
            session.id.0,
            created_at
        )
        .execute(&mut **self.tx)
        .await?;
        self.own(&of, session.id, own).await
    }

    async fn branch(&mut self, branch: &BranchName, own: Own, begun: Begun) -> Result<(), Stop> {
        let graft = Graft {
            name: branch,
            from: (&begun.from.branch, begun.from.seq),
            version: begun.with.as_ref().map(|with| (&with.branch, with.version)),
            created_at: begun.created_at,
        };
        if let Err(field) = branches::graft(self.tx, self.tenant, self.name, &graft).await? {
            return Err(misfit(field, "does not fit the branches before it"));
        }
        self.stored.branches += 1;
        let of = self.of(branch);
        let id = sessions::find_id(self.tx, self.tenant, &of).await?.ok_or(StoreError::Contended)?;
        self.own(&of, id, own).await
    }

    /// Gives a branch what it has of its own beside messages and versions.
    async fn own(&mut self, of: &SessionRef, id: SessionId, own: Own) -> Result<(), Stop> {
        let tenant = self.tenant;
        match pins::edit(self.tx, tenant, of, PinEdit::Replace(&own.pins)).await? {
            PinEdited::Done(_) => {}
            PinEdited::TooLarge { tokens, max_tokens } => {
                return Err(Refusal::Pins { tokens, max_tokens }.into());
            }
            PinEdited::NoOwner | PinEdited::NoPin | PinEdited::TooMany | PinEdited::Changed => {
                return Err(StoreError::Contended.into());
            }
        }
        let has_notes = !notes::list(self.tx, id.of(tenant)).await?.is_empty();
        require(own.notes.is_empty() || !has_notes, "/notes", "the session has notes already")?;
        if !own.notes.is_empty()
            && let Some(room) = notes::restore(self.tx, tenant, of, &own.notes).await?
        {
            return Err(Refusal::Notes(room).into());
        }
        if let Some(todos) = own.todos {
            let corrupt = |error| StoreError::corrupt("todo_lists", "items", id.0, error);
            sqlx::query!(
                "insert into todo_lists (tenant_id, session_id, revision, items, changes, version, updated_at)
                 values ($1, $2, $3, $4::text::json, $5::text::json, $6, $7)
                 on conflict (tenant_id, session_id) do update
                 set revision = todo_lists.revision + 1, items = excluded.items, changes = excluded.changes,
                     version = excluded.version, updated_at = excluded.updated_at",
                tenant.0,
                id.0,
                todos.revision,
                serde_json::to_string(&todos.items).map_err(corrupt)?,
                serde_json::to_string(&todos.changes).map_err(corrupt)?,
                todos.version,
                todos.updated_at
            )
            .execute(&mut **self.tx)
            .await?;
        }
        sqlx::query!(
            "insert into dropped_entries (tenant_id, session_id, entry_id)
             select $1, $2, c.id from unnest($3::text[]) as c(id) on conflict do nothing",
            tenant.0,
            id.0,
            &own.dropped_entries
        )
        .execute(&mut **self.tx)
        .await?;
        lock::touch(self.tx, tenant, id).await?;
        Ok(())
    }

    async fn append(&mut self, append: Append, times: &[Option<DateTime<Utc>>]) -> Result<(), Stop> {
        let (of, first) = (append.session.clone(), append.expected_next_seq.unwrap_or_default());
        sessions::lock(self.tx, self.tenant, &of).await?;
        match gather::append_within(self.tx, append).await? {
            Ok(reply) => self.stored.replies.push(reply),
            Err(AppendError::NoBranch) => return Err(no_branch()),
            Err(refused) => return Err(Refusal::Messages(refused, first).into()),
        }
        let id = sessions::find_id(self.tx, self.tenant, &of).await?.ok_or(StoreError::Contended)?;
        // Messages of one time were appended together, which decides what was clipped at an earlier moment.
        sqlx::query!(
            "update messages m set created_at = t.at
             from unnest($4::timestamptz[]) with ordinality as t(at, place)
             where m.tenant_id = $1 and m.session_id = $2 and m.seq = $3 + t.place - 1 and t.at is not null",
            self.tenant.0,
            id.0,
            first,
            times as &[Option<DateTime<Utc>>]
        )
        .execute(&mut **self.tx)
        .await?;
        Ok(())
    }

    async fn version(
        &mut self,
        branch: BranchName,
        meta: VersionMeta,
        dump: VersionDump,
    ) -> Result<(), Stop> {
        let session = self.hold(&branch).await?;
        let (key, last) = (session.id.of(self.tenant), session.last_version);
        if session.live.is_some() || meta.version <= last {
            return Err(Refusal::Busy.into());
        }
        require(meta.version == last + 1, "/version/meta/version", "must follow the version before it")?;
        let parent_fits = meta.parent_version.is_none_or(|parent| (1..=last).contains(&parent));
        require(parent_fits, "/version/meta/parent_version", "must be a version before it")?;
        let (from, through) = (meta.from_seq, meta.through_seq);
        require(
            (1..=session.head_seq).contains(&through),
            "/version/meta/through_seq",
            "must be a message that is there",
        )?;
        require((1..=through).contains(&from), "/version/meta/from_seq", "must be at most `through_seq`")?;
        let head = dump.head_seq;
        require(
            (through..=session.head_seq).contains(&head),
            "/version/head_seq",
            "must be a message that is there, not before `through_seq`",
        )?;
        require((0..=head).contains(&dump.mask_upto), "/version/mask_upto", "must be at most `head_seq`")?;
        if let Some(seq) = dump.carried_seq {
            let is_persons =
                (1..=through).contains(&seq) && find_user(self.tx, key, (seq - 1, seq)).await?.is_some();
            require(is_persons, "/version/carried_seq", "must be a message of a person that it covers")?;
        }
        let count = i64::from(i32::MAX).min(meta.version);
        require(
            (0..=count).contains(&meta.compression_count),
            "/version/meta/compression_count",
            "must be at most `version`",
        )?;
        bounds::require_version_room(self.tx, self.tenant, last).await?;
        self.write_version(key, &meta, &dump).await?;
        self.check_record(key, &dump).await?;
        let compressions = i32::try_from(meta.compression_count).unwrap_or(i32::MAX);
        sqlx::query!(
            "update sessions set version = $3, last_version = $3, anchor_seq = $4, compression_count = $5,
                    revision = revision + 1, updated_at = now()
             where tenant_id = $1 and id = $2",
            self.tenant.0,
            key.id.0,
            meta.version,
            through,
            compressions
        )
        .execute(&mut **self.tx)
        .await?;
        let mut counts = CountState::of(&session);
        counts.mask_upto = dump.mask_upto;
        counts.mask_from = dump.mask_from;
        counts.carried = dump.carried_seq;
        counts.suspended = meta.strategy == Strategy::Rollback;
        self.unsettled = Some((branch, counts));
        self.stored.versions += 1;
        Ok(())
    }

    async fn write_version(
        &mut self,
        key: SessionKey,
        meta: &VersionMeta,
        dump: &VersionDump,
    ) -> Result<(), Stop> {
        let new: BTreeSet<i64> = dump.new_parts.iter().map(|part| part.id).collect();
        let are_own = new.len() == dump.new_parts.len() && new.iter().all(|id| id >> 20 == meta.version);
        require(are_own, "/version/new_parts", "must have ids of this version, each once")?;
        let text = serde_json::to_string(meta)
            .map_err(|error| StoreError::corrupt("summaries", "meta", key.id.0, error))?;
        let (smaller, tokens): (Vec<&str>, Vec<i32>) =
            dump.smaller.iter().map(|smaller| (smaller.text.as_str(), smaller.tokens)).unzip();
        sqlx::query!(
            "insert into summaries (tenant_id, session_id, version, parent_version, compression_id, from_seq, through_seq, meta,
                                    document, parts, carry, rendering, rendering_tokens, smaller_renderings, smaller_tokens,
                                    recap, digest, digest_tokens, head_seq, mask_upto, mask_from, carried_seq, created_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8::text::json, $9::text::json, $10, $11::text::json, $12, $13, $14, $15, $16,
                     $17, $18, $19, $20, $21, $22, $23)",
            key.tenant.0,
            key.id.0,
            meta.version,
            meta.parent_version,
            dump.compression_id.map(|id| imported_id(key.id, id)),
            meta.from_seq,
            meta.through_seq,
            text,
            dump.document.get(),
            &dump.parts,
            dump.carry.get(),
            dump.rendering.text,
            dump.rendering.tokens,
            &smaller as &[&str],
            &tokens,
            dump.recap,
            dump.digest.as_ref().map(|digest| digest.text.as_str()),
            dump.digest.as_ref().map(|digest| digest.tokens),
            dump.head_seq,
            dump.mask_upto,
            i64::from(dump.mask_from),
            dump.carried_seq,
            dump.created_at
        )
        .execute(&mut **self.tx)
        .await?;
        let ids: Vec<i64> = dump.new_parts.iter().map(|part| part.id).collect();
        let entries: Vec<&str> = dump.new_parts.iter().map(|part| part.entries.get()).collect();
        sqlx::query!(
            "insert into record_parts (tenant_id, session_id, id, entries)
             select $1, $2, p.id, p.entries from unnest($3::bigint[], $4::text[]) as p(id, entries)",
            key.tenant.0,
            key.id.0,
            &ids,
            &entries as &[&str]
        )
        .execute(&mut **self.tx)
        .await?;
        Ok(())
    }

    /// Reads the record of a version back as the next one will.
    async fn check_record(&mut self, key: SessionKey, dump: &VersionDump) -> Result<(), Stop> {
        let texts = sqlx::query_scalar!(
            r#"select p.entries as "entries?"
               from unnest($3::bigint[]) with ordinality as named(id, place)
               left join version_lineage($1, $2) owner
                 on named.id >> 20 > owner.after_version and named.id >> 20 <= owner.through_version
               left join lateral (
                 select x.entries from record_parts x
                 where x.tenant_id = $1 and x.session_id = owner.session_id and x.id = named.id limit 1
               ) p on true
               order by named.place"#,
            key.tenant.0,
            key.id.0,
            &dump.parts
        )
        .fetch_all(&mut **self.tx)
        .await?;
        let texts: Option<Vec<String>> = texts.into_iter().collect();
        let texts = texts.ok_or_else(|| misfit("/version/parts", "must name parts that are there"))?;
        let record =
            StoredSummary { document: dump.document.get().to_owned(), parts: dump.parts.clone(), texts };
        require(record.summary().is_ok(), "/version/document", "must be a record, with its parts")
    }

    async fn facts(&mut self, branch: &BranchName, facts: &[FactDump]) -> Result<(), Stop> {
        let session = self.hold(branch).await?;
        let (mut kinds, mut seqs, mut ordinals, mut values) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (at, fact) in facts.iter().enumerate() {
            let fits = (1..=session.head_seq).contains(&fact.seq) && fact.ordinal >= 0;
            require(fits, &format!("/facts/{at}/seq"), "must be a message that is there")?;
            kinds.push(fact.kind.as_ref());
            seqs.push(fact.seq);
            ordinals.push(fact.ordinal);
            values.push(fact.value.get());
        }
        let done = sqlx::query!(
            "insert into ledger_entries (tenant_id, session_id, kind, first_seq, ordinal, value)
             select $1, $2, e.kind, e.seq, e.ordinal, e.value::json
             from unnest($3::text[], $4::bigint[], $5::integer[], $6::text[]) as e(kind, seq, ordinal, value)
             on conflict do nothing",
            self.tenant.0,
            session.id.0,
            &kinds as &[&str],
            &seqs,
            &ordinals,
            &values as &[&str]
        )
        .execute(&mut **self.tx)
        .await?;
        require(done.rows_affected() == facts.len() as u64, "/facts", "must have each fact once")
    }

    async fn probes(&mut self, branch: &BranchName, probes: &[ProbeDump]) -> Result<(), Stop> {
        let session = self.hold(branch).await?;
        let is_here = |version: Option<i64>| {
            version.is_none_or(|version| (1..=session.last_version).contains(&version))
        };
        let (mut ids, mut sources, mut versions) = (Vec::new(), Vec::new(), Vec::new());
        let (mut retired, mut texts, mut times) = (Vec::new(), Vec::new(), Vec::new());
        for (at, probe) in probes.iter().enumerate() {
            require(
                is_here(probe.version),
                &format!("/probes/{at}/version"),
                "must be a version that is there",
            )?;
            require(
                is_here(probe.retired_in_version),
                &format!("/probes/{at}/retired_in_version"),
                "must be a version that is there",
            )?;
            ids.push(probe.id.0);
            sources.push(if probe.version.is_some() { "generated" } else { probes::CALLER });
            versions.push(probe.version);
            retired.push(probe.retired_in_version);
            texts.push(probe.probe.get());
            times.push(probe.created_at);
        }
        let done = sqlx::query!(
            "insert into probes (tenant_id, session_id, id, source, version, retired_in_version, probe, created_at)
             select $1, $2, p.id, p.source, p.version, p.retired, p.probe::json, p.at
             from unnest($3::uuid[], $4::text[], $5::bigint[], $6::bigint[], $7::text[], $8::timestamptz[])
               as p(id, source, version, retired, probe, at)
             on conflict do nothing",
            self.tenant.0,
            session.id.0,
            &ids,
            &sources as &[&str],
            &versions as &[Option<i64>],
            &retired as &[Option<i64>],
            &texts as &[&str],
            &times
        )
        .execute(&mut **self.tx)
        .await?;
        require(done.rows_affected() == probes.len() as u64, "/probes", "must have each probe once")?;
        let callers = probes::count_callers(self.tx, session.id.of(self.tenant)).await?;
        require(
            callers <= probes::MAX_CALLERS,
            "/probes",
            "has more probes of the caller than a session may have",
        )?;
        lock::touch(self.tx, self.tenant, session.id).await?;
        self.stored.probes += probes.len();
        Ok(())
    }

    async fn evaluation(&mut self, branch: &BranchName, dump: EvaluationDump) -> Result<(), Stop> {
        let session = self.hold(branch).await?;
        let is_here = dump.version.is_none_or(|version| (1..=session.last_version).contains(&version));
        require(is_here, "/evaluation/version", "must be a version that is there")?;
        let done = sqlx::query!(
            "insert into evaluations (tenant_id, session_id, id, version, compression_id, scores, results, created_at)
             values ($1, $2, $3, $4, $5, $6::text::json, $7::text::json, $8) on conflict do nothing",
            self.tenant.0,
            session.id.0,
            dump.id.0,
            dump.version,
            dump.compression_id.map(|id| imported_id(session.id, id)),
            dump.scores.get(),
            dump.results.get(),
            dump.created_at
        )
        .execute(&mut **self.tx)
        .await?;
        require(done.rows_affected() == 1, "/evaluation/id", "must be of one evaluation")?;
        self.stored.evaluations += 1;
        Ok(())
    }

    async fn compression(&mut self, branch: &BranchName, dump: CompressionDump) -> Result<(), Stop> {
        let session = self.hold(branch).await?;
        let is_version = |version: Option<i64>| {
            version.is_none_or(|version| (1..=session.last_version).contains(&version))
        };
        require(is_version(dump.version), "/compression/version", "must be a version that is there")?;
        require(
            is_version(dump.parent_version),
            "/compression/parent_version",
            "must be a version that is there",
        )?;
        let is_message = |seq: Option<Seq>| seq.is_none_or(|seq| (0..=session.head_seq).contains(&seq));
        require(
            is_message(dump.from_seq.map(|seq| seq.saturating_sub(1))),
            "/compression/from_seq",
            "must be a message that is there",
        )?;
        require(is_message(dump.through_seq), "/compression/through_seq", "must be a message that is there")?;
        let done = sqlx::query!(
            "insert into compressions (tenant_id, id, session_id, kind, status, trigger, request, parent_version, from_seq,
                                       through_seq, version, attempt, report, created_at, started_at, finished_at)
             values ($1, $2, $3, $4, $5, $6, $7::text::json, $8, $9, $10, $11, $12, $13::text::json, $14, $15, $16)
             on conflict do nothing",
            self.tenant.0,
            imported_id(session.id, dump.id),
            session.id.0,
            dump.kind.as_ref(),
            dump.status.as_ref(),
            dump.trigger,
            dump.request.get(),
            dump.parent_version,
            dump.from_seq,
            dump.through_seq,
            dump.version,
            dump.attempts,
            dump.report.as_ref().map(|report| report.get()),
            dump.created_at,
            dump.started_at,
            dump.finished_at
        )
        .execute(&mut **self.tx)
        .await?;
        require(done.rows_affected() == 1, "/compression/id", "must be of one compression")?;
        self.stored.compressions += 1;
        Ok(())
    }

    /// Counts a branch that has new versions, when no line says more of it.
    async fn count_unsettled(&mut self) -> Result<(), Stop> {
        match self.unsettled.take() {
            Some((branch, counts)) => self.counts(&branch, counts).await,
            None => Ok(()),
        }
    }

    async fn counts(&mut self, branch: &BranchName, state: CountState) -> Result<(), Stop> {
        let mut session = self.hold(branch).await?;
        let key = session.id.of(self.tenant);
        if let Some(field) = state.misfit(&session) {
            return Err(misfit(format!("/counts/{field}"), "does not fit the session"));
        }
        let mut kept = Vec::new();
        for seq in &state.kept {
            let known = session.accounting.kept.iter().find(|kept| kept.seq == *seq).copied();
            kept.extend(match known {
                Some(kept) => Some(kept),
                None => outlines_within(self.tx, key, (seq - 1, *seq), 1)
                    .await?
                    .first()
                    // The system prompt is served whole anyway.
                    .filter(|found| found.seq > session.accounting.system_through)
                    .map(|found| RetainedMessage { seq: found.seq, tokens: found.tokens }),
            });
        }
        let carried = match state.carried {
            Some(seq) => find_user(self.tx, key, (seq - 1, seq)).await?,
            None => None,
        };
        require(
            carried.is_some() == state.carried.is_some(),
            "/counts/carried",
            "must be a message of a person",
        )?;
        let served = match session.version {
            Some(version) => {
                let row = sqlx::query!(
                    "select rendering_tokens, digest_tokens from summaries
                     where tenant_id = $1 and session_id = version_owner($1, $2, $3) and version = $3",
                    key.tenant.0,
                    key.id.0,
                    version
                )
                .fetch_one(&mut **self.tx)
                .await?;
                let tokens = |tokens: i32| u32::try_from(tokens).unwrap_or_default();
                (tokens(row.rendering_tokens), row.digest_tokens.map_or(0, tokens))
            }
            None => (0, 0),
        };
        let tail = load::tail(self.tx, key, session.floor()).await?;
        session.restore(state, Restored { kept: &kept, carried, served, tail: &tail });
        sessions::update(self.tx, self.tenant, &session).await?;
        let recent = session.recent.write();
        let recent = recent.map_err(|error| StoreError::corrupt("sessions", "recent", key.id.0, error))?;
        sqlx::query!(
            "update sessions set recent = $3 where tenant_id = $1 and id = $2",
            key.tenant.0,
            key.id.0,
            recent
        )
        .execute(&mut **self.tx)
        .await?;
        if session.version.is_some() && session.indexed_seq < session.head_seq {
            let job = NewJob { kind: Kind::Index, trigger: "recall", request: &Request::default() };
            compressions::enqueue(self.tx, key, job).await?;
        }
        Ok(())
    }

    async fn end(&mut self, messages: i64, current: &BranchName, erased: &[BranchName]) -> Result<(), Stop> {
        let of = SessionRef::main(self.name.clone());
        let main = sessions::lock(self.tx, self.tenant, &of).await?.ok_or(Refusal::NoSession)?;
        let there = sqlx::query_scalar!(
            r#"select (
                 (select x.head_seq from sessions x where x.tenant_id = $1 and x.id = $2)
                 + coalesce((select sum(y.head_seq - y.base_seq) from sessions y where y.root_id = $2 and y.tenant_id = $1), 0)
               )::bigint as "messages!""#,
            self.tenant.0,
            main.root.0
        )
        .fetch_one(&mut **self.tx)
        .await?;
        require(
            there == messages,
            "/messages",
            "the session has another number of messages then; lines before this one are missing",
        )?;
        sqlx::query!(
            "update sessions set importing = false where tenant_id = $1 and id = $2",
            self.tenant.0,
            main.root.0
        )
        .execute(&mut **self.tx)
        .await?;
        branches::settle_import(self.tx, self.tenant, self.name, (current, erased)).await?.map_err(
            |pointer| misfit(pointer, "must be a branch of the session, and not both current and erased"),
        )
    }
}
