//! Removes extracted constraints that a caller drops.
//!
//! A version's record is immutable and keeps the constraint. Its rendering is replaced, so that contexts stop showing
//! the constraint at once, and the next version does not take it up again.

use std::collections::BTreeSet;

use super::compute::compute;
use super::error::expect_rows;
use super::load::{self, Loaded, Tries};
use super::sessions::{self, Session};
use super::settle::end::without_nul;
use super::{ledger, summaries};
use crate::prelude::*;
use anchord_context::context::{Counted, summary_message_text};
use anchord_facts::ledger::constraints::ConstraintSource;
use anchord_messages::tokens::TokenCounter;
use anchord_record::digest;
use anchord_record::render::{ServedSummary, Subject};
use anchord_record::version::Version;

/// The outcome of a removal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removal {
    /// There is no such session.
    NoSession,
    /// The current version has no such constraint.
    NoConstraint,
    /// It is a pin; pins are only replaced as a whole.
    IsPin,
    /// It is removed, now or by an earlier call.
    Done,
}

impl Store {
    /// Removes an extracted constraint of the current version for good.
    ///
    /// # Errors
    /// When the database fails, or the version does not parse.
    pub async fn remove_constraint(
        &self,
        tenant: TenantId,
        name: &SessionRef,
        constraint: &str,
    ) -> Result<Removal> {
        let mut tries = Tries::default();
        loop {
            let Some(loaded) = self.load_session(tenant, name).await? else { return Ok(Removal::NoSession) };
            let removal = match self.without_constraint(&loaded, constraint).await? {
                Without::Not(removal) => Some(removal),
                Without::Shown(version) => self.write_removal(loaded, constraint, &version).await?,
            };
            if let Some(removal) = removal {
                return Ok(removal);
            }
            tries.again().await?;
        }
    }

    /// The texts of the current version without a constraint.
    async fn without_constraint(&self, loaded: &Loaded, constraint: &str) -> Result<Without> {
        let (tenant, session) = (loaded.tenant, loaded.session.clone());
        let Some(number) = session.version else { return Ok(Without::Not(Removal::NoConstraint)) };
        let mut tx = self.snapshot(tenant).await?;
        let current = summaries::find(&mut tx, session.id.of(tenant), number).await?;
        let mut removed: BTreeSet<String> =
            ledger::list_removed_constraints(&mut tx, session.id.of(tenant)).await?;
        tx.commit().await?;
        // The session was erased a moment ago.
        let Some(current) = current else { return Ok(Without::Not(Removal::NoSession)) };
        let mut version = current.version;
        let record = &version.summary;
        let mut all = record.constraints.iter().chain(&record.proposed_constraints);
        let found = all.find(|known| known.id == constraint);
        match found.map(|found| found.source) {
            None => return Ok(Without::Not(Removal::NoConstraint)),
            Some(ConstraintSource::Pin) => return Ok(Without::Not(Removal::IsPin)),
            Some(ConstraintSource::User | ConstraintSource::System) => {}
        }
        if !removed.insert(constraint.to_owned()) {
            return Ok(Without::Not(Removal::Done));
        }
        version.summary.constraints.retain(|known| !removed.contains(&known.id));
        let shown = compute(tenant, move || {
            digest::forget(&mut version.summary.digest, &removed);
            RenderedTexts::new(&session, &version)
        });
        Ok(Without::Shown(shown.await?))
    }

    /// Stores the removal and the new texts; returns `None`, with nothing changed, when the session has changed since
    /// it was read.
    async fn write_removal(
        &self,
        loaded: Loaded,
        constraint: &str,
        shown: &RenderedTexts,
    ) -> Result<Option<Removal>> {
        let tenant = loaded.tenant;
        let mut tx = self.begin(tenant).await?;
        if !load::hold_as_read(&mut tx, &loaded).await? {
            return Ok(None);
        }
        let mut session = loaded.session;
        sqlx::query!(
            "insert into removed_constraints (tenant_id, session_id, constraint_id) values ($1, $2, $3)
             on conflict do nothing",
            tenant.0,
            session.id.0,
            constraint
        )
        .execute(&mut *tx)
        .await?;
        // The version that another branch began with stays as it is there.
        own_version(&mut tx, tenant, &mut session).await?;
        shown.write(&mut tx, tenant, &session).await?;
        session.show(shown.rendering.1, shown.digest.as_ref().map_or(0, |digest| digest.1));
        sessions::update(&mut tx, tenant, &session).await?;
        tx.commit().await?;
        Ok(Some(Removal::Done))
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

/// A version without a constraint.
enum Without {
    /// The constraint cannot be removed, or is removed already.
    Not(Removal),
    /// The texts without the constraint.
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
        let message = |text: &str| {
            let text = summary_message_text(text);
            let tokens = Counted::new(&text, &counter).tokens;
            (text, tokens)
        };
        let served = ServedSummary::of(&subject, &count);
        let rendering = served.within(version.meta.max_tokens);
        let smaller = served.smaller(rendering.tokens).iter().map(|form| message(&form.text)).collect();
        let rendering = message(&rendering.text);
        let digest = digest::served(&version.summary.digest, &counter);
        let digest = (!digest.text.is_empty()).then_some((digest.text, digest.tokens));
        Self { rendering, smaller, digest }
    }

    async fn write(&self, connection: &mut PgConnection, tenant: TenantId, session: &Session) -> Result<()> {
        let whole = |tokens: u32| i32::try_from(tokens).unwrap_or(i32::MAX);
        let (texts, tokens): (Vec<String>, Vec<i32>) =
            self.smaller.iter().map(|(text, tokens)| (without_nul(text), whole(*tokens))).unzip();
        let done = sqlx::query!(
            "update summaries set rendering = $4, rendering_tokens = $5, smaller_renderings = $6,
                                  smaller_tokens = $7,                                  digest = $8, digest_tokens = $9
             where tenant_id = $1 and session_id = $2 and version = $3",
            tenant.0,
            session.id.0,
            session.version,
            without_nul(&self.rendering.0),
            whole(self.rendering.1),
            &texts,
            &tokens,
            self.digest.as_ref().map(|digest| without_nul(&digest.0)),
            self.digest.as_ref().map(|digest| whole(digest.1))
        )
        .execute(connection)
        .await?;
        expect_rows("the rendering of a version", 1, done.rows_affected())
    }
}
