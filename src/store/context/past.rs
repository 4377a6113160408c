//! Reads what a context was made of at an earlier moment: a version, and the messages that there were then.
//!
//! Settings, pins and marks have no history, so they are today's; which outputs were placeholders is found by counting
//! the messages once more, as appending them did.

use std::sync::Arc;

use super::{ContextSource, MessageRow, Settled, SummarySource};
use crate::background;
use crate::domain::accounting::{Accounting, Carried, Counted};
use crate::domain::context;
use crate::domain::id::{Seq, SessionId, SessionName, TenantId};
use crate::domain::mask::{self, Marks};
use crate::domain::message::Role;
use crate::domain::outline::{Outline, marks};
use crate::domain::pin::{self, Pin};
use crate::domain::room::Room;
use crate::domain::settings::{Policy, Settings};
use crate::domain::shape::{AsShape as _, Feature};
use crate::domain::tokens::TokenCounter;
use crate::store::base::settings_over;
use crate::store::outlines::outlines_within;
use crate::store::{Store, StoreError, Tx};

/// How many messages after an anchor are counted once more.
const MOST_COUNTED: Seq = 20_000;
/// How many of them are looked at in all while the mask position moves: of a long tail it is looked at more seldom.
const MOST_LOOKS: usize = 1_000_000;
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
    /// The version is from before it was noted what was the newest message then, and no message is named.
    NoHead,
    /// What the context was made of.
    Found(Arc<ContextSource>),
}

/// A version as it was served.
struct VersionRow {
    anchor: Seq,
    head: Option<Seq>,
    /// Through which message outputs were placeholders when it was published; `None` where that is not known.
    mask_upto: Option<Seq>,
    /// The user message that was served beside it.
    carried: Option<Seq>,
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
        if through.is_none() && version.as_ref().is_some_and(|version| version.head.is_none()) {
            return Ok(Past::NoHead);
        }
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
        // What counts as masked depends on all of the tail; of a very long one on its end.
        let counted_from = floor.max(through - MOST_COUNTED).min(from - 1);
        let outlines = outlines_within(&mut tx, key, (counted_from, through), MOST_COUNTED).await?;
        let starts = find_appends(&mut tx, key, (published, through)).await?;
        let carried = match &version {
            Some(VersionRow { mask_upto: Some(_), carried: Some(seq), .. }) => {
                find_user(&mut tx, key, (seq - 1, *seq)).await?
            }
            Some(VersionRow { mask_upto: Some(_), .. }) | None => None,
            // From before it was noted: as publishing it decides.
            Some(_) if !outlines.iter().any(|outline| speaks(outline) && outline.seq <= published) => {
                find_user(&mut tx, key, (system_through.max(anchor - CARRIED_WITHIN), anchor)).await?
            }
            _ => None,
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
        let read = (entries, marked, (outlines, starts), carried);
        let made = background::spawn(move || source(session, version, moment, read, &policy)).await;
        Ok(Past::Found(Arc::new(made.map_err(|_| sqlx::Error::WorkerCrashed)?)))
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

/// Messages, marks, what is counted with the first message of each append, and the user message beside the version.
type Read = (Vec<context::Entry>, Marks, (Vec<Outline>, Vec<Seq>), Option<Carried>);

fn source(
    session: SessionRow,
    version: Option<VersionRow>,
    moment: Moment,
    (mut entries, marks_read, (outlines, starts), carried): Read,
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
    let mask_upto = version.as_ref().and_then(|version| version.mask_upto);
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
        mask_upto: mask_upto.unwrap_or_default(),
        ..Accounting::default()
    };
    ContextSource {
        accounting: counted_again(&start, moment, (&outlines, &starts), policy),
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

/// Counts a tail as publishing its version and appending what came since did; the mask position is moved before an append.
fn counted_again(
    start: &Accounting,
    moment: Moment,
    (tail, starts): (&[Outline], &[Seq]),
    policy: &Policy,
) -> Accounting {
    let marks = marks(tail);
    let there = tail.partition_point(|outline| outline.seq <= moment.published);
    let (old, new) = tail.split_at(there);
    let counted: Vec<Counted> = old.iter().map(Outline::counted).collect();
    let mut counts = start.rebuilt(moment.anchor, &counted, policy.preserve_recent);
    if start.mask_upto > 0 {
        counts.mask_through(start.mask_upto, old, &marks);
    } else if moment.anchor > 0 {
        counts.mask_to(Room::of(policy, None, &counts), policy.mask, old, &marks);
    }
    let stride = (tail.len() * starts.len()).div_ceil(MOST_LOOKS).max(1);
    let mut looks = starts.iter().step_by(stride).peekable();
    for (place, outline) in new.iter().enumerate() {
        let mut begins = false;
        while looks.next_if(|start| **start <= outline.seq).is_some() {
            begins = true;
        }
        if begins && let Some(level) = counts.mask_level(policy) {
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
        "select version, through_seq, head_seq, mask_upto, carried_seq, rendering, rendering_tokens, least_rendering, least_tokens, digest,
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
        mask_upto: row.mask_upto,
        carried: row.carried_seq,
        summary: SummarySource {
            version: row.version,
            rendering: (row.rendering, whole(row.rendering_tokens)),
            least: (row.least_rendering, whole(row.least_tokens)),
            digest: row.digest.map(|digest| (digest, row.digest_tokens.map_or(0, whole))),
            recap: row.recap,
        },
    }))
}

/// The first message of each append among some.
async fn find_appends(
    tx: &mut Tx,
    (tenant, session): (TenantId, SessionId),
    (after, through): (Seq, Seq),
) -> Result<Vec<Seq>, StoreError> {
    // What was appended together was stored in one transaction.
    Ok(sqlx::query_scalar!(
        "select m.seq
         from (
           select x.seq, x.created_at, lag(x.created_at) over (order by x.seq) as before
           from messages x where x.tenant_id = $1 and x.session_id = $2 and x.seq > $3 and x.seq <= $4
           order by x.seq limit $5
         ) m
         where m.before is null or m.before <> m.created_at
         order by m.seq",
        tenant.0,
        session.0,
        after.max(through - MOST_COUNTED),
        through,
        MOST_COUNTED
    )
    .fetch_all(&mut **tx)
    .await?)
}

/// The newest message of a person among some.
async fn find_user(
    tx: &mut Tx,
    key: (TenantId, SessionId),
    within: (Seq, Seq),
) -> Result<Option<Carried>, StoreError> {
    let found = outlines_within(tx, key, within, CARRIED_WITHIN).await?;
    let newest = found.iter().rfind(|outline| speaks(outline));
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
                  m.body as "body?"
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
