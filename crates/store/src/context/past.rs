//! Finds the parts of a context at an earlier moment: a version, and the messages that existed then.
//!
//! Settings, the tenant's pins and marks have no history, so they are today's; the session's own pins are those of then that are
//! still there, and notes are those of then. Which outputs were placeholders is found by
//! counting the messages again, as the appends did.

use super::source::ContextSource;
use super::texts::{self, TextSelection, Texts};
use crate::compute::compute;
use crate::outlines::outlines_within;
use crate::prelude::*;
use crate::{notes, sessions};
use anchord_context::mask::Clipping;
use anchord_context::note;
use anchord_messages::tokens::TokenCounter;
use anchord_session::accounting::{Accounting, Moment, RetainedMessage};
use anchord_session::outline::Outline;
use anchord_session::session::Session;

/// The most messages after an anchor that are counted again.
const MOST_COUNTED: Seq = 20_000;
/// How many messages before the anchor are searched for the carried user message.
pub(crate) const CARRIED_WITHIN: Seq = 2_000;

/// Which earlier context to look for.
#[derive(Clone, Copy, Debug)]
pub struct Past {
    /// The version; `None` for the one that was current then, 0 for none.
    pub version: Option<i64>,
    /// The newest message; `None` for the one when the version was published.
    pub through: Option<Seq>,
    /// The moment by which the session's own pins, and the notes, must have been there; `None` for pins of today.
    pub pinned_by: Option<DateTime<Utc>>,
}

/// The result of looking for an earlier context.
#[derive(Clone, Debug)]
pub enum FoundPast {
    /// There is no such session.
    NoSession,
    /// The session has no such version.
    NoVersion,
    /// The last message is none of the session's, or the version covers more; the allowed range.
    OutOfRange(Seq, Seq),
    /// The parts of the context.
    Found(Box<ContextSource>),
}

/// A version, beside its texts.
struct VersionRow {
    version: i64,
    anchor: Seq,
    /// The newest message when it was published.
    head: Seq,
    /// Which outputs were clipped then.
    clipping: Clipping,
    carried: Carried,
}

/// The user message that was served beside a version.
#[derive(Clone, Copy)]
enum Carried {
    /// This one was, or none was.
    Recorded(Option<Seq>),
    /// It is decided as publishing does: the version was published with messages that the branch does not have.
    Decided,
}

impl Store {
    /// Reads the parts of the context at the moment when a message was the newest: under the named version, or the
    /// one that was current then. A version without a message means the moment when it was published.
    pub async fn find_past_context(
        &self,
        tenant: TenantId,
        name: &SessionRef,
        Past { version, through, pinned_by }: Past,
        budget: Option<u32>,
    ) -> Result<FoundPast> {
        let mut tx = self.snapshot(tenant).await?;
        let Some(session) = sessions::find(&mut tx, tenant, name).await? else {
            return Ok(FoundPast::NoSession);
        };
        let key = session.id.of(tenant);
        if through.is_some_and(|through| !(1..=session.head_seq).contains(&through)) {
            return Ok(FoundPast::OutOfRange(1, session.head_seq));
        }
        let version = match (version, through) {
            (Some(0), _) | (None, None) => None,
            (Some(version), _) => match find_version(&mut tx, (tenant, &session), version).await? {
                Some(found) => Some(found),
                None => return Ok(FoundPast::NoVersion),
            },
            (None, Some(through)) => find_version_at(&mut tx, (tenant, &session), through).await?,
        };
        let anchor = version.as_ref().map_or(0, |version| version.anchor);
        let published = version.as_ref().map_or(0, |version| version.head);
        let through = through.unwrap_or(published.min(session.head_seq));
        if through < anchor {
            return Ok(FoundPast::OutOfRange(anchor, session.head_seq));
        }
        let policy = session.policy();
        let budget = budget.unwrap_or(policy.context_window);
        let system_through = session.accounting.system_through.min(through);
        let floor = anchor.max(system_through);
        let from = texts::find_tail(&mut tx, key, (floor + 1, through), budget).await?;
        // Masking depends on the whole tail; for a very long tail only its end is counted.
        let counted_from = floor.max(through - MOST_COUNTED).min(from - 1);
        let outlines = outlines_within(&mut tx, key, (counted_from, through), MOST_COUNTED).await?;
        let starts = find_appends(&mut tx, key, (published, through)).await?;
        let carried = match version.as_ref().map(|version| version.carried) {
            Some(Carried::Recorded(Some(seq))) => find_user(&mut tx, key, (seq - 1, seq)).await?,
            Some(Carried::Decided)
                if !outlines
                    .iter()
                    .any(|outline| outline.of_person().is_some() && outline.seq <= published) =>
            {
                find_user(&mut tx, key, (system_through.max(anchor - CARRIED_WITHIN), anchor)).await?
            }
            Some(Carried::Recorded(None) | Carried::Decided) | None => None,
        };
        let kept = session.accounting.kept_beside(anchor.max(from - 1), carried.map(|carried| carried.seq));
        let kept: Vec<Seq> = kept.map(|kept| kept.seq).collect();
        let asked = outlines.iter().rev().find_map(Outline::of_person).map(|asked| asked.seq);
        let wanted = TextSelection {
            version: version.as_ref().map(|version| version.version),
            system_through,
            carried: carried.map(|carried| carried.seq),
            requests: match &version {
                Some(_) => Vec::new(),
                None => texts::requests_before(from, floor, asked, &kept),
            },
            kept,
            tail: (from, through),
            // By a moment they are told apart more exactly than by a message.
            notes_through: pinned_by.map_or_else(|| notes::through(&session, through), |_| through),
            pinned_by,
        };
        let texts = texts::read(&mut tx, key, &wanted).await?;
        tx.commit().await?;
        let moment = Moment { anchor, published };
        let clipping = version.map_or_else(Clipping::default, |version| version.clipping);
        let made = compute(tenant, move || {
            let mut counts = start(&session.accounting, &texts, clipping, carried);
            let counter = TokenCounter::new(session.effective_settings().tokenizer.unwrap_or_default());
            counts.notes_tokens = note::tokens(&texts.notes, counter);
            let counts = counts.counted_again(moment, (&outlines, &starts), &policy);
            let session = Session {
                anchor_seq: anchor,
                head_seq: through,
                version: wanted.version,
                accounting: counts,
                ..session
            };
            ContextSource::new(session, &wanted, texts)
        });
        Ok(FoundPast::Found(Box::new(made.await?)))
    }
}

/// The counts at the moment when the version was published, without its tail and without notes.
fn start(
    now: &Accounting,
    texts: &Texts,
    clipping: Clipping,
    carried: Option<RetainedMessage>,
) -> Accounting {
    let summary = texts.summary.as_ref();
    Accounting {
        system_through: texts.system.last().map_or(0, |entry| entry.seq),
        system_tokens: texts.system.iter().fold(0, |sum, entry| sum.saturating_add(entry.tokens)),
        format: now.format,
        calibration: now.calibration.clone(),
        tokenizer: now.tokenizer,
        model: now.model.clone(),
        model_revision: now.model_revision,
        under: now.under.clone(),
        pins_tokens: now.pins_tokens,
        // Messages after the moment are not served.
        kept: now.kept.clone(),
        pins_revision: now.pins_revision,
        last_note: now.last_note,
        summary_tokens: summary.map_or(0, |summary| summary.rendering.1),
        digest_tokens: summary.and_then(|summary| summary.digest.as_ref()).map_or(0, |digest| digest.1),
        last_user: carried,
        mask_upto: clipping.upto,
        mask_from: clipping.from,
        ..Accounting::default()
    }
}

/// Finds the version that was current when a message was the newest.
async fn find_version_at(
    tx: &mut Tx,
    (tenant, session): (TenantId, &Session),
    through: Seq,
) -> Result<Option<VersionRow>> {
    let begun_with = &session.accounting.begun_with;
    let versions: Vec<i64> = begun_with.iter().map(|begun| begun.version).collect();
    let published: Vec<Seq> = begun_with.iter().map(|begun| begun.published).collect();
    // Of an inherited one the newest message may be of another branch (`Session::published_here`).
    let version = sqlx::query_scalar!(
        r#"select v.version as "version!"
           from version_lineage($1, $2) owner
           cross join lateral (
             select x.version from summaries x
             where x.tenant_id = $1 and x.session_id = owner.session_id and x.version > owner.after_version
               and x.version <= owner.through_version
               and least(
                 x.head_seq,
                 (select begun.published
                  from unnest($4::bigint[], $5::bigint[]) as begun (version, published)
                  where x.version <= begun.version order by begun.version limit 1)
               ) <= $3
             order by x.version desc limit 1
           ) v
           order by v.version desc limit 1"#,
        tenant.0,
        session.id.0,
        through,
        &versions,
        &published
    )
    .fetch_optional(&mut **tx)
    .await?;
    match version {
        Some(version) => find_version(tx, (tenant, session), version).await,
        None => Ok(None),
    }
}

async fn find_version(
    tx: &mut Tx,
    (tenant, session): (TenantId, &Session),
    version: i64,
) -> Result<Option<VersionRow>> {
    let row = sqlx::query!(
        "select version, through_seq, head_seq, mask_upto, mask_from, carried_seq from summaries
         where tenant_id = $1 and session_id = version_owner($1, $2, $3) and version = $3",
        tenant.0,
        session.id.0,
        version
    )
    .fetch_optional(&mut **tx)
    .await?;
    let here = |seq: Seq| session.published_here(version, seq);
    Ok(row.map(|row| {
        let head = here(row.head_seq);
        let is_recorded = head == row.head_seq;
        VersionRow {
            version: row.version,
            anchor: row.through_seq,
            head,
            clipping: Clipping::of(here(row.mask_upto), u32::try_from(row.mask_from).unwrap_or(u32::MAX)),
            carried: if is_recorded { Carried::Recorded(row.carried_seq) } else { Carried::Decided },
        }
    }))
}

/// The first message of each append within a range.
pub(crate) async fn find_appends(
    tx: &mut PgConnection,
    key: SessionKey,
    (after, through): (Seq, Seq),
) -> Result<Vec<Seq>> {
    // Messages that were appended together have the same transaction time.
    Ok(sqlx::query_scalar!(
        "select m.seq
         from (
           select x.seq, x.created_at, lag(x.created_at) over (order by x.seq) as before
           from lineage($1, $2, $3::bigint + 1, $4) owner
           cross join lateral (
             select y.seq, y.created_at from messages y
             where y.tenant_id = $1 and y.session_id = owner.session_id
               and y.seq between owner.first_seq and owner.last_seq
             offset 0
           ) x
           order by x.seq limit $5
         ) m
         where m.before is null or m.before <> m.created_at
         order by m.seq",
        key.tenant.0,
        key.id.0,
        after.max(through - MOST_COUNTED),
        through,
        MOST_COUNTED
    )
    .fetch_all(tx)
    .await?)
}

/// Finds the newest message of a person within a range.
pub(crate) async fn find_user(
    tx: &mut PgConnection,
    key: SessionKey,
    within: (Seq, Seq),
) -> Result<Option<RetainedMessage>> {
    let found = outlines_within(tx, key, within, CARRIED_WITHIN).await?;
    Ok(found.iter().rev().find_map(Outline::of_person))
}
