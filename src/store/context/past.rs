//! Reads what a context was made of at an earlier moment: a version, and the messages that there were then.
//!
//! Settings, pins and marks have no history, so they are today's; which outputs were placeholders is found by counting
//! the messages once more, as appending them did.

use std::sync::Arc;

use super::{ContextSource, MessageRow, Settled, SummarySource};
use crate::domain::accounting::{Accounting, Carried, Counted};
use crate::domain::context;
use crate::domain::id::{Seq, SessionId, SessionName, TenantId};
use crate::domain::mask::{self, Marks};
use crate::domain::message::Role;
use crate::domain::pin::{self, Pin};
use crate::domain::room::Room;
use crate::domain::settings::{Policy, Settings};
use crate::domain::shape::{AsShape as _, Feature};
use crate::domain::tokens::TokenCounter;
use crate::store::base::settings_over;
use crate::store::outlines::{Outline, marks, outlines_within};
use crate::store::{Store, StoreError, Tx};

/// How often the mask position is looked at while messages are counted once more.
const MOST_STEPS: usize = 500;
/// How many messages before the anchor are looked at for the user message that was carried.
const CARRIED_WITHIN: Seq = 2_000;

/// What there is of an earlier moment.
#[derive(Clone, Debug)]
pub enum Past {
    /// There is no such session.
    NoSession,
    /// The session has no such version.
    NoVersion,
    /// The last message is none of the session's, or the version covers more: it must be within these.
    OutOfRange(Seq, Seq),
    /// What the context was made of.
    Found(Arc<ContextSource>),
}

/// A version as it was served.
struct VersionRow {
    anchor: Seq,
    head: Option<Seq>,
    summary: SummarySource,
}

/// The session's row.
struct SessionRow {
    id: SessionId,
    settings: Settings,
    accounting: Accounting,
    head: Seq,
    revision: i64,
    pins: Vec<String>,
}

impl Store {
    /// Reads what a context was made of when a message was the newest: under the version that is named, or under the one
    /// that was current then; a version without a message is meant as it was when it was published.
    ///
    /// # Errors
    /// When the database fails, or a row does not read back.
    pub async fn find_past_context(
        &self,
        tenant: TenantId,
        name: &SessionName,
        (version, through): (Option<i64>, Option<Seq>),
        budget: Option<u32>,
    ) -> Result<Past, StoreError> {
        let mut tx = self.snapshot(tenant).await?;
        let Some(session) = find_session(&mut tx, tenant, name).await? else { return Ok(Past::NoSession) };
        let key = (tenant, session.id);
        if through.is_some_and(|through| !(1..=session.head).contains(&through)) {
            return Ok(Past::OutOfRange(1, session.head));
        }
        let version = match (version, through) {
            (Some(version), _) => match find_version(&mut tx, key, version).await? {
                Some(found) => Some(found),
                None => return Ok(Past::NoVersion),
            },
            (None, Some(through)) => find_version_at(&mut tx, key, through).await?,
            (None, None) => None,
        };
        let anchor = version.as_ref().map_or(0, |version| version.anchor);
        let published = version.as_ref().and_then(|version| version.head).unwrap_or(anchor);
        let through = through.unwrap_or(published.min(session.head));
        if through < anchor {
            return Ok(Past::OutOfRange(anchor, session.head));
        }
        let policy = session.settings.policy().calibrated(session.accounting.calibration);
        let budget = budget.unwrap_or(policy.context_window);
        let system_through = session.accounting.system_through.min(through);
        let floor = anchor.max(system_through);
        let from = sqlx::query_scalar!(
            "select tail_within($1, $2, $3, $4, $5)",
            tenant.0,
            session.id.0,
            floor,
            through,
            i64::from(budget)
        )
        .fetch_one(&mut *tx)
        .await?
        .map_or(floor + 1, |from| from.max(floor + 1));
        let outlines = outlines_within(&mut tx, key, (from - 1, through), i64::MAX).await?;
        let is_carried_sought =
            version.is_some() && !outlines.iter().any(|outline| speaks(outline) && outline.seq <= published);
        let carried = if is_carried_sought {
            find_carried(&mut tx, key, (system_through, anchor)).await?
        } else {
            None
        };
        let (entries, marked) = read_messages(
            &mut tx,
            key,
            (system_through, carried.map(|carried| carried.seq)),
            (from, through),
        )
        .await?;
        tx.commit().await?;
        let moment = Moment { anchor, published, through, floor, from };
        Ok(Past::Found(Arc::new(source(
            session,
            version,
            moment,
            (entries, marked, outlines, carried),
            &policy,
        ))))
    }
}

/// Where in a session a context was made.
#[derive(Clone, Copy)]
struct Moment {
    /// The last message that the version covered.
    anchor: Seq,
    /// The newest message when it was published.
    published: Seq,
    /// The newest message.
    through: Seq,
    /// What is not after it is no part of the tail.
    floor: Seq,
    /// The first message of the tail that the budget can hold.
    from: Seq,
}

type Read = (Vec<context::Entry>, Marks, Vec<Outline>, Option<Carried>);

fn source(
    session: SessionRow,
    version: Option<VersionRow>,
    moment: Moment,
    (mut entries, marks_read, outlines, carried): Read,
    policy: &Policy,
) -> ContextSource {
    let SessionRow { id, settings, accounting, revision, pins, .. } = session;
    let counter = TokenCounter::new(settings.tokenizer.unwrap_or_default());
    let pins = pin::served(&pin::together(settings.wide_pins(), pins.into_iter().map(Pin::new).collect()));
    let pins = pins.map(|text| {
        let tokens = context::Counted::new(&text, &counter).tokens;
        (text, tokens)
    });
    let tail = entries.split_off(entries.partition_point(|entry| entry.seq < moment.from));
    let system_through = accounting.system_through.min(moment.through);
    let covered = entries.split_off(entries.partition_point(|entry| entry.seq <= system_through));
    let summary = version.map(|version| version.summary);
    let start = Accounting {
        system_through,
        system_tokens: entries.iter().fold(0, |sum, entry| sum.saturating_add(entry.tokens)),
        calibration: accounting.calibration,
        pins_tokens: pins.as_ref().map_or(0, |pins| pins.1),
        summary_tokens: summary.as_ref().map_or(0, |summary| summary.rendering.1),
        digest_tokens: summary
            .as_ref()
            .and_then(|summary| summary.digest.as_ref())
            .map_or(0, |digest| digest.1),
        last_user: carried,
        ..Accounting::default()
    };
    ContextSource {
        accounting: counted_again(&start, moment, &outlines, policy),
        settled: Arc::new(Settled {
            session: id,
            anchor_seq: moment.anchor,
            context_revision: revision,
            summary,
            pins,
            settings,
            system: entries,
            carried: covered.into_iter().next(),
            system_through,
            // Nothing is held of it, so nothing is compared with them.
            stored_settings: (String::new(), String::new()),
        }),
        head_seq: moment.through,
        tail,
        tail_omitted: (moment.from > moment.floor + 1).then_some((moment.floor + 1, moment.from - 1)),
        marks: marks_read,
    }
}

/// Counts a tail as publishing its version and appending what came since did.
fn counted_again(start: &Accounting, moment: Moment, tail: &[Outline], policy: &Policy) -> Accounting {
    let marks = marks(tail);
    let there = tail.partition_point(|outline| outline.seq <= moment.published);
    let (old, new) = tail.split_at(there);
    let counted: Vec<Counted> = old.iter().map(Outline::counted).collect();
    let mut counts = start.rebuilt(moment.anchor, &counted, policy.preserve_recent);
    if moment.anchor > 0 {
        counts.mask_to(Room::of(policy, None, &counts), policy.mask, old, &marks);
    }
    let stride = new.len().div_ceil(MOST_STEPS).max(1);
    for (place, outline) in new.iter().enumerate() {
        if place % stride == 0
            && let Some(level) = counts.mask_level(policy)
        {
            let known = tail.get(..there + place).unwrap_or_default();
            let upto = mask::step(counts.mask_upto, known, &marks, level);
            if upto > counts.mask_upto {
                counts.mask_through(upto, known, &marks);
            }
        }
        counts.push(&outline.counted(), policy.preserve_recent);
    }
    counts
}

/// Whether a message is a person's, and no tool's result in a user's name.
fn speaks(outline: &Outline) -> bool {
    outline.role == Role::User && !outline.shape().is_some_and(|shape| shape.has(Feature::OnlyResults))
}

async fn find_session(
    tx: &mut Tx,
    tenant: TenantId,
    name: &SessionName,
) -> Result<Option<SessionRow>, StoreError> {
    let row = sqlx::query!(
        r#"select s.id, s.settings, t.settings as defaults, s.accounting, s.head_seq, s.context_revision,
                  array(select p.body from pins p where p.tenant_id = s.tenant_id and p.session_id = s.id
                        order by p.position) as "pins!"
           from sessions s join tenants t on t.id = s.tenant_id where s.tenant_id = $1 and s.name = $2"#,
        tenant.0,
        name.as_str()
    )
    .fetch_optional(&mut **tx)
    .await?;
    row.map(|row| {
        let id = SessionId(row.id);
        let settings = settings_over(id, row.settings, row.defaults)?;
        let accounting = serde_json::from_value(row.accounting)
            .map_err(|error| StoreError::corrupt("sessions", "accounting", row.id, error))?;
        let revision = row.context_revision + settings.wide_revision();
        Ok(SessionRow { id, settings, accounting, head: row.head_seq, revision, pins: row.pins })
    })
    .transpose()
}

/// The number of the version that was current when a message was the newest.
async fn find_version_at(
    tx: &mut Tx,
    key: (TenantId, SessionId),
    through: Seq,
) -> Result<Option<VersionRow>, StoreError> {
    let (tenant, session) = key;
    // A version from before it was noted what was the newest message then counts from the one that it covers last.
    let version = sqlx::query_scalar!(
        "select version from summaries
         where tenant_id = $1 and session_id = $2 and coalesce(head_seq, through_seq) <= $3
         order by version desc limit 1",
        tenant.0,
        session.0,
        through
    )
    .fetch_optional(&mut **tx)
    .await?;
    match version {
        Some(version) => find_version(tx, key, version).await,
        None => Ok(None),
    }
}

async fn find_version(
    tx: &mut Tx,
    (tenant, session): (TenantId, SessionId),
    version: i64,
) -> Result<Option<VersionRow>, StoreError> {
    let row = sqlx::query!(
        "select version, through_seq, head_seq, rendering, rendering_tokens, least_rendering, least_tokens, digest,
                digest_tokens, recap
         from summaries where tenant_id = $1 and session_id = $2 and version = $3",
        tenant.0,
        session.0,
        version
    )
    .fetch_optional(&mut **tx)
    .await?;
    let whole = |tokens: i32| u32::try_from(tokens).unwrap_or_default();
    Ok(row.map(|row| VersionRow {
        anchor: row.through_seq,
        head: row.head_seq,
        summary: SummarySource {
            version: row.version,
            rendering: (row.rendering, whole(row.rendering_tokens)),
            least: (row.least_rendering, whole(row.least_tokens)),
            digest: row.digest.map(|digest| (digest, row.digest_tokens.map_or(0, whole))),
            recap: row.recap,
        },
    }))
}

/// The user message that a version covered and that was served beside it.
async fn find_carried(
    tx: &mut Tx,
    key: (TenantId, SessionId),
    (system_through, anchor): (Seq, Seq),
) -> Result<Option<Carried>, StoreError> {
    let after = system_through.max(anchor - CARRIED_WITHIN);
    let before = outlines_within(tx, key, (after, anchor), CARRIED_WITHIN).await?;
    let newest = before.iter().rfind(|outline| speaks(outline));
    Ok(newest.map(|outline| Carried { seq: outline.seq, tokens: outline.tokens }))
}

/// The messages of the system prompt, the carried one and the tail, in order.
async fn read_messages(
    tx: &mut Tx,
    (tenant, session): (TenantId, SessionId),
    (system_through, carried): (Seq, Option<Seq>),
    (from, through): (Seq, Seq),
) -> Result<(Vec<context::Entry>, Marks), StoreError> {
    let rows = sqlx::query_as!(
        MessageRow,
        r#"select m.seq as "seq?", m.role as "role?", m.format as "format?", m.tokens as "tokens?", m.shape, m.keep,
                  m.original as "body?"
           from (values (1::bigint, $3::bigint), ($4, $4), ($5, $6)) as wanted (from_seq, to_seq)
           cross join lateral (
             select * from messages x
             where x.tenant_id = $1 and x.session_id = $2 and x.seq between wanted.from_seq and wanted.to_seq
             order by x.seq
           ) m
           order by m.seq"#,
        tenant.0,
        session.0,
        system_through,
        carried,
        from,
        through
    )
    .fetch_all(&mut **tx)
    .await?;
    let mut marks = Marks::new();
    let entries = rows.into_iter().map(|row| row.read(session, &mut marks)).collect::<Result<_, _>>()?;
    Ok((entries, marks))
}
