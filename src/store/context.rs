//! Everything that a context is made of, read in one round trip.

use super::sessions::read_settings;
use super::{Store, StoreError};
use crate::domain::accounting::Accounting;
use crate::domain::context::Entry;
use crate::domain::format::Format;
use crate::domain::id::{Seq, SessionId, SessionName, TenantId};
use crate::domain::mask::{Keep, Marks};
use crate::domain::message::Role;
use crate::domain::settings::Settings;

/// What a context is made of, at one moment.
#[derive(Clone, Debug)]
pub struct ContextSource {
    /// The session's internal id.
    pub session: SessionId,
    /// The settings, the tenant's defaults below them.
    pub settings: Settings,
    /// Running token and message counts.
    pub accounting: Accounting,
    /// The newest message.
    pub head_seq: Seq,
    /// Through which message the summary covers the session.
    pub anchor_seq: Seq,
    /// Grows with every change of pins or settings.
    pub context_revision: i64,
    /// The current summary.
    pub summary: Option<SummarySource>,
    /// The pins' texts, in order.
    pub pins: Vec<String>,
    /// The leading system and developer messages.
    pub system: Vec<Entry>,
    /// The user message that the summary covers and that is still served.
    pub carried: Option<Entry>,
    /// The messages after the anchor, ascending, as many of the newest as the budget can hold.
    pub tail: Vec<Entry>,
    /// Messages after the anchor that were not read.
    pub tail_omitted: Option<(Seq, Seq)>,
    /// The caller's marks of the tail's messages.
    pub marks: Marks,
}

/// A summary as contexts serve it.
#[derive(Clone, Debug)]
pub struct SummarySource {
    /// Its version.
    pub version: i64,
    /// The text of the message that serves it, and that message's tokens.
    pub rendering: (String, u32),
    /// The same at its smallest.
    pub least: (String, u32),
    /// Current task, open errors and next steps once more.
    pub recap: String,
}

impl Store {
    /// Reads what a context within `budget` tokens is made of; `None` when there is no such session.
    /// The cost grows with the budget, not with the session.
    ///
    /// # Errors
    /// When the database fails, or a row does not read back.
    pub async fn find_context(
        &self,
        tenant: TenantId,
        session: &SessionName,
        budget: Option<u32>,
    ) -> Result<Option<ContextSource>, StoreError> {
        let row = loop {
            let mut reading = self.readers.acquire(&self.pool).await?;
            let read = sqlx::query!(
            r#"select session_id as "session_id!", settings::text as "settings!", defaults::text as "defaults!",
                      accounting::text as "accounting!", head_seq as "head_seq!", anchor_seq as "anchor_seq!",
                      version, context_revision as "context_revision!", rendering, rendering_tokens,
                      least_rendering, least_tokens, recap, pins as "pins!", tail_from as "tail_from!",
                      seqs, roles, formats, tokens, shapes as "shapes: Vec<Option<String>>",
                      keeps as "keeps: Vec<Option<String>>", bodies
               from read_context($1, $2, $3)"#,
            tenant.0,
            session.as_str(),
            budget.map(i64::from)
        )
        .fetch_optional(&mut *reading)
.await;
            match read {
                Ok(row) => {
                    reading.keep();
                    break row;
                }
                // The server may have restarted since; a connection that is new is not tried again.
                Err(error) if reading.was_kept && super::error::is_lost(&error) => {}
                Err(error) => return Err(error.into()),
            }
        };
        let Some(row) = row else { return Ok(None) };
        let corrupt = |table, column, reason: &dyn std::fmt::Display| {
            StoreError::corrupt(table, column, row.session_id, reason)
        };
        let own = read_settings(&row.settings).map_err(|e| corrupt("sessions", "settings", &e))?;
        let defaults = read_settings(&row.defaults).map_err(|e| corrupt("tenants", "settings", &e))?;
        let accounting: Accounting =
            serde_json::from_str(&row.accounting).map_err(|e| corrupt("sessions", "accounting", &e))?;
        let summary = match (row.version, row.rendering, row.least_rendering) {
            (Some(version), Some(rendering), Some(least)) => Some(SummarySource {
                version,
                rendering: (rendering, whole(row.rendering_tokens)),
                least: (least, whole(row.least_tokens)),
                recap: row.recap.unwrap_or_default(),
            }),
            (None, ..) => None,
            _ => return Err(corrupt("sessions", "version", &"there is no such version")),
        };
        let columns = Columns {
            seqs: row.seqs.unwrap_or_default(),
            roles: row.roles.unwrap_or_default(),
            formats: row.formats.unwrap_or_default(),
            tokens: row.tokens.unwrap_or_default(),
            shapes: row.shapes.unwrap_or_default(),
            keeps: row.keeps.unwrap_or_default(),
            bodies: row.bodies.unwrap_or_default(),
        };
        let (mut entries, marks) = columns.read().map_err(|(column, seq)| {
            StoreError::corrupt("messages", column, format!("{} {seq}", row.session_id), "does not parse")
        })?;
        let floor = row.anchor_seq.max(accounting.system_through);
        let mut tail = entries.split_off(entries.partition_point(|entry| entry.seq <= floor));
        tail.retain(|entry| entry.seq > floor);
        let covered = entries.split_off(entries.partition_point(|e| e.seq <= accounting.system_through));
        Ok(Some(ContextSource {
            session: SessionId(row.session_id),
            settings: own.over(&defaults),
            accounting,
            head_seq: row.head_seq,
            anchor_seq: row.anchor_seq,
            context_revision: row.context_revision,
            summary,
            pins: row.pins,
            system: entries,
            carried: covered.into_iter().next(),
            tail,
            tail_omitted: (row.tail_from > floor + 1).then_some((floor + 1, row.tail_from - 1)),
            marks,
        }))
    }
}

fn whole(tokens: Option<i32>) -> u32 {
    tokens.and_then(|tokens| u32::try_from(tokens).ok()).unwrap_or_default()
}

/// Messages, column by column, as the database sends them.
struct Columns {
    seqs: Vec<i64>,
    roles: Vec<String>,
    formats: Vec<String>,
    tokens: Vec<i32>,
    shapes: Vec<Option<String>>,
    keeps: Vec<Option<String>>,
    bodies: Vec<String>,
}

impl Columns {
    /// The messages in order with their marks, or the column and the seq that do not parse.
    fn read(self) -> Result<(Vec<Entry>, Marks), (&'static str, Seq)> {
        let mut marks = Marks::new();
        let mut entries = Vec::with_capacity(self.seqs.len());
        let words = self.roles.iter().zip(&self.formats).zip(self.tokens);
        let texts = self.shapes.into_iter().zip(self.keeps).zip(self.bodies);
        for ((seq, ((role, format), tokens)), ((shape, keep), raw)) in
            self.seqs.into_iter().zip(words).zip(texts)
        {
            match keep.as_deref() {
                Some("always") => drop(marks.insert(seq, Keep::Always)),
                Some("never") => drop(marks.insert(seq, Keep::Never)),
                Some(_) => return Err(("keep", seq)),
                None => {}
            }
            let shape = shape.as_deref().map(serde_json::from_str).transpose();
            entries.push(Entry {
                seq,
                format: Format::from_name(format).ok_or(("format", seq))?,
                role: Role::parse(role).ok_or(("role", seq))?,
                tokens: u32::try_from(tokens).map_err(|_| ("tokens", seq))?,
                shape: shape.map_err(|_| ("shape", seq))?,
                raw,
            });
        }
        entries.sort_unstable_by_key(|entry| entry.seq);
        Ok((entries, marks))
    }
}
