//! Takes entries out of the record that a caller drops: a constraint that was extracted by mistake, a request that is over.
//!
//! A version's record is immutable and keeps the entry. Its rendering is replaced, so that contexts stop showing the
//! constraint at once and the request as open, and the next version's record is without the one and has the other as dropped.

use std::collections::BTreeSet;

use super::compute::compute;
use super::error::expect_rows;
use super::load::{self, Loaded, Tries};
use super::sessions::{self, Session};
use super::settle::end::{bounded, without_nul};
use super::{ledger, summaries};
use crate::prelude::*;
use anchord_context::context::summary_message;
use anchord_facts::ledger::constraints::ConstraintSource;
use anchord_messages::tokens::TokenCounter;
use anchord_record::digest;
use anchord_record::render::{Rendering, ServedSummary, Subject};
use anchord_record::summary::{RequestState, Summary};
use anchord_record::version::Version;

/// An entry, by its id.
#[derive(Clone, Copy, Debug)]
pub enum Entry<'a> {
    /// An extracted constraint, or one that is proposed.
    Constraint(&'a str),
    /// A request.
    Request(&'a str),
}

/// The outcome of dropping an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dropped {
    /// There is no such session.
    NoSession,
    /// The current version has no such entry.
    NoEntry,
    /// It is a pin; pins are only replaced as a whole.
    IsPin,
    /// It is dropped, now or by an earlier call, or was over before.
    Done,
}

impl<'a> Entry<'a> {
    fn id(self) -> &'a str {
        let (Self::Constraint(id) | Self::Request(id)) = self;
        id
    }

    /// What there is to say before it is dropped from a record; `None` when it can be.
    fn refused(self, record: &Summary) -> Option<Dropped> {
        match self {
            Self::Constraint(id) => {
                let mut all = record.constraints.iter().chain(&record.proposed_constraints);
                match all.find(|known| known.id == id).map(|found| found.source) {
                    None => Some(Dropped::NoEntry),
                    Some(ConstraintSource::Pin) => Some(Dropped::IsPin),
                    Some(ConstraintSource::User | ConstraintSource::System) => None,
                }
            }
            Self::Request(id) => match record.requests.iter().find(|known| known.id() == id) {
                None => Some(Dropped::NoEntry),
                Some(found) if found.state != RequestState::Open => Some(Dropped::Done),
                Some(_) => None,
            },
        }
    }
}

impl Store {
    /// Drops an entry of the current version for good.
    pub async fn drop_entry(&self, tenant: TenantId, name: &SessionRef, entry: Entry<'_>) -> Result<Dropped> {
        let mut tries = Tries::default();
        loop {
            let Some(loaded) = self.load_session(tenant, name).await? else { return Ok(Dropped::NoSession) };
            let dropped = match self.without(&loaded, entry).await? {
                Without::Not(outcome) => Some(outcome),
                Without::Shown(version) => self.write_dropped(loaded, entry, &version).await?,
            };
            if let Some(dropped) = dropped {
                return Ok(dropped);
            }
            tries.again().await?;
        }
    }

    /// The texts of the current version without an entry.
    async fn without(&self, loaded: &Loaded, entry: Entry<'_>) -> Result<Without> {
        let (tenant, session) = (loaded.tenant, loaded.session.clone());
        let Some(number) = session.version else { return Ok(Without::Not(Dropped::NoEntry)) };
        let mut tx = self.snapshot(tenant).await?;
        let current = summaries::find(&mut tx, session.id.of(tenant), number).await?;
        let mut dropped: BTreeSet<String> =
            ledger::list_dropped_entries(&mut tx, session.id.of(tenant)).await?;
        tx.commit().await?;
        // The session was erased a moment ago.
        let Some(current) = current else { return Ok(Without::Not(Dropped::NoSession)) };
        let mut version = current.version;
        if let Some(outcome) = entry.refused(&version.summary) {
            return Ok(Without::Not(outcome));
        }
        if !dropped.insert(entry.id().to_owned()) {
            return Ok(Without::Not(Dropped::Done));
        }
        let shown = compute(tenant, move || {
            version.summary.leave_dropped(&dropped);
            RenderedTexts::new(&session, &version)
        });
        Ok(Without::Shown(shown.await?))
    }

    /// Stores that it is dropped, and the new texts; returns `None`, with nothing changed, when the session has changed since
    /// it was read.
    async fn write_dropped(
        &self,
        loaded: Loaded,
        entry: Entry<'_>,
        shown: &RenderedTexts,
    ) -> Result<Option<Dropped>> {
        let tenant = loaded.tenant;
        let mut tx = self.begin(tenant).await?;
        if !load::hold_as_read(&mut tx, &loaded).await? {
            return Ok(None);
        }
        let mut session = loaded.session;
        sqlx::query!(
            "insert into dropped_entries (tenant_id, session_id, entry_id) values ($1, $2, $3)
             on conflict do nothing",
            tenant.0,
            session.id.0,
            entry.id()
        )
        .execute(&mut *tx)
        .await?;
        // The version that another branch began with stays as it is there.
        own_version(&mut tx, tenant, &mut session).await?;
        shown.write(&mut tx, tenant, &session).await?;
        session.show(shown.rendering.1, shown.digest.as_ref().map_or(0, |digest| digest.1));
        sessions::update(&mut tx, tenant, &session).await?;
        tx.commit().await?;
        Ok(Some(Dropped::Done))
    }
}

/// Makes the current version one of the branch's own, under the next number, when it is one that it began with.
async fn own_version(tx: &mut Tx, tenant: TenantId, session: &mut Session) -> Result<()> {
    let Some(current) = session.version else { return Ok(()) };
    let key = session.id.of(tenant);
    if summaries::owner(tx, key, current).await? == session.id {
        return Ok(());
    }
    let Some(stored) = summaries::find(tx, session.id.of(tenant), current).await? else { return Ok(()) };
    let mut meta = stored.version.meta;
    (meta.version, meta.parent_version) = (session.last_version + 1, Some(current));
    summaries::adopt_probes(tx, key, current).await?;
    summaries::copy_version(tx, key, current, &meta).await?;
    session.last_version = meta.version;
    session.version = Some(meta.version);
    summaries::note_served(tx, key, meta.version, &session.accounting).await?;
    sessions::update_for_version(tx, tenant, session).await
}

/// A version without an entry.
enum Without {
    /// The entry cannot be dropped, or is dropped already.
    Not(Dropped),
    /// The texts without the entry.
    Shown(RenderedTexts),
}

/// The texts that contexts show of a version, with their tokens as messages.
struct RenderedTexts {
    rendering: (String, u32),
    smaller: Vec<(String, u32)>,
    digest: Option<(String, u32)>,
}

impl RenderedTexts {
    fn new(session: &Session, version: &Version) -> Self {
        let settings = session.effective_settings();
        let counter = TokenCounter::new(settings.tokenizer.unwrap_or_default());
        let subject = Subject {
            summary: &version.summary,
            meta: &version.meta,
            session_id: session.name.as_str(),
            task_id: settings.task_id.as_deref(),
            started: session.created_at,
            last_activity: version.meta.last_compressed_at,
        };
        let count = |text: &str| counter.count_text(text);
        let message = |form: &Rendering| summary_message(&form.text, counter);
        let served = ServedSummary::of(&subject, &count);
        let rendering = served.within(version.meta.max_tokens);
        let smaller = served.smaller(rendering.tokens).iter().map(message).collect();
        let rendering = message(&rendering);
        let digest = digest::served(&version.summary.digest, &counter);
        let digest = (!digest.text.is_empty()).then_some((digest.text, digest.tokens));
        Self { rendering, smaller, digest }
    }

    async fn write(&self, connection: &mut PgConnection, tenant: TenantId, session: &Session) -> Result<()> {
        let (texts, tokens): (Vec<String>, Vec<i32>) =
            self.smaller.iter().map(|(text, tokens)| (without_nul(text), bounded(*tokens))).unzip();
        let done = sqlx::query!(
            "update summaries set rendering = $4, rendering_tokens = $5, smaller_renderings = $6,
                                  smaller_tokens = $7,                                  digest = $8, digest_tokens = $9
             where tenant_id = $1 and session_id = $2 and version = $3",
            tenant.0,
            session.id.0,
            session.version,
            without_nul(&self.rendering.0),
            bounded(self.rendering.1),
            &texts,
            &tokens,
            self.digest.as_ref().map(|digest| without_nul(&digest.0)),
            self.digest.as_ref().map(|digest| bounded(digest.1))
        )
        .execute(connection)
        .await?;
        expect_rows("the rendering of a version", 1, done.rows_affected())
    }
}
