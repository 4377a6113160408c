//! Reads the texts that a context is made of, for a session whose row was read before. This is a later snapshot than the
//! row's: the caller compares `context_revision` and rejects the texts when it differs. Messages never change.

use crate::prelude::*;
use anchord_context::context::{Entry, OPENING_WITHIN};
use anchord_context::mask::{Keep, Marks};
use anchord_context::note::Note;
use anchord_context::pin::Pin;
use anchord_messages::format::Format;
use anchord_messages::message::Role;
use anchord_messages::shape::Shape;

/// How many messages a page of the search for the tail has.
const TAIL_PAGE: Seq = 500;
/// The most bytes of the tail's bodies, or so many for each token of the budget when that is more.
const TAIL_BYTES: i64 = 16 * 1_024 * 1_024;
const TOKEN_BYTES: i64 = 8;

/// A summary as contexts serve it.
#[derive(Clone, Debug)]
pub struct SummarySource {
    /// Its version.
    pub version: i64,
    /// The text of the message that serves it, and that message's tokens.
    pub rendering: (String, u32),
    /// Smaller renderings, as messages with their tokens, the largest first.
    pub smaller: Vec<(String, u32)>,
    /// The text of the message that serves the digest, and that message's tokens.
    pub digest: Option<(String, u32)>,
    /// The recap: current task, open errors and next steps.
    pub recap: String,
}

/// Which texts of a session to read.
#[derive(Clone, Debug)]
pub(super) struct TextSelection {
    /// The version.
    pub(super) version: Option<i64>,
    /// The last of the leading system messages; 0 when there is none.
    pub(super) system_through: Seq,
    /// The user message that is served beside the version.
    pub(super) carried: Option<Seq>,
    /// The messages that are kept beside it, ascending.
    pub(super) kept: Vec<Seq>,
    /// Messages before the tail that are read with it, ascending.
    pub(super) requests: Vec<Seq>,
    /// The first and the last message of the tail; it is empty when the first is greater.
    pub(super) tail: (Seq, Seq),
    /// The message through which notes count.
    pub(super) notes_through: Seq,
    /// The moment by which the session's own pins and notes must have been there; `None` for those of today.
    pub(super) pinned_by: Option<DateTime<Utc>>,
}

/// The texts.
#[derive(Debug, Default)]
pub(super) struct Texts {
    /// The context revision of the session in this snapshot; `None` when the session is gone.
    pub(super) context_revision: Option<i64>,
    pub(super) summary: Option<SummarySource>,
    pub(super) pins: Vec<Pin>,
    pub(super) notes: Vec<Note>,
    pub(super) system: Vec<Entry>,
    pub(super) carried: Option<Entry>,
    pub(super) kept: Vec<Entry>,
    pub(super) tail: Vec<Entry>,
    pub(super) marks: Marks,
}

impl Texts {
    /// Whether everything that was wanted was found.
    pub(super) fn are_all_of(&self, wanted: &TextSelection) -> bool {
        let of = |from: Seq, through: Seq| usize::try_from(through + 1 - from).unwrap_or_default();
        self.summary.is_some() == wanted.version.is_some()
            && self.system.len() == of(1, wanted.system_through)
            && self.carried.is_some() == wanted.carried.is_some()
            && self.kept.len() == wanted.kept.len()
            && self.tail.len() == wanted.requests.len() + of(wanted.tail.0, wanted.tail.1)
    }
}

/// The messages of a session without a version that are read although they stand before its newest: the one that opened it is
/// among its first, and `asked` is the newest request.
pub(super) fn requests_before(from: Seq, floor: Seq, asked: Option<Seq>, kept: &[Seq]) -> Vec<Seq> {
    let opening = (floor + 1..).take(OPENING_WITHIN);
    let asked = asked.filter(|asked| !opening.clone().any(|seq| seq == *asked));
    opening.chain(asked).filter(|seq| *seq < from && !kept.contains(seq)).collect()
}

/// Finds the first of the newest messages that a budget has room for. Each counts with its tool outputs as placeholders, and
/// with an eighth of the budget at most. The bodies are bounded, too, because a placeholder may stand for megabytes.
pub(super) async fn find_tail(
    connection: &mut PgConnection,
    key: SessionKey,
    (first, through): (Seq, Seq),
    budget: u32,
) -> Result<Seq> {
    let budget = i64::from(budget);
    let (mut from, mut left, mut bytes) = (through + 1, budget, TAIL_BYTES.max(budget * TOKEN_BYTES));
    while left > 0 && bytes > 0 && from > first {
        let page = sqlx::query!(
            r#"select min(w.seq) as seq, sum(w.cost)::bigint as cost, sum(w.bytes)::bigint as bytes
               from (
                 select p.seq, p.cost, p.bytes, sum(p.cost) over newest - p.cost as before,
                        sum(p.bytes) over newest - p.bytes as bytes_before
                 from (
                   select m.seq, greatest(least(coalesce(m.least_tokens, m.tokens), $5::bigint / 8), 1) as cost,
                          octet_length(m.body)::bigint as bytes
                   from lineage($1, $2, $3, $4) owner
                   cross join lateral (
                     select x.seq, x.tokens, x.least_tokens, x.body from messages x
                     where x.tenant_id = $1 and x.session_id = owner.session_id
                       and x.seq between owner.first_seq and owner.last_seq
                     order by x.seq desc offset 0
                   ) m
                 ) p
                 window newest as (order by p.seq desc)
               ) w
               where w.before < $6::bigint and w.bytes_before < $7::bigint"#,
            key.tenant.0,
            key.id.0,
            // A page reads at most as far back as it has rows, so that it asks for no owner beyond.
            first.max(from - TAIL_PAGE),
            from - 1,
            budget,
            left,
            bytes
        )
        .fetch_one(&mut *connection)
        .await?;
        // No message: the session was erased.
        let Some(seq) = page.seq else { break };
        from = seq;
        left -= page.cost.unwrap_or_default();
        bytes -= page.bytes.unwrap_or_default();
    }
    Ok(from.max(first))
}

/// Reads the texts in one statement, in a transaction of the tenant.
pub(super) async fn read(
    connection: &mut PgConnection,
    key: SessionKey,
    wanted: &TextSelection,
) -> Result<Texts> {
    let rows = sqlx::query_as!(
        Row,
        r#"select s.context_revision as "context_revision?",
                  array(select p.body from pins p where p.tenant_id = $1 and p.session_id = $2
                          and p.created_at <= coalesce($10, 'infinity'::timestamptz)
                        order by p.position) as "pins?",
                  v.rendering as "rendering?", v.rendering_tokens as "rendering_tokens?",
                  v.smaller_renderings as "smaller_renderings?", v.smaller_tokens as "smaller_tokens?",
                  v.recap as "recap?",
                  v.digest as "digest?", v.digest_tokens as "digest_tokens?",
                  n.ids as "note_ids?", n.seqs as "note_seqs?", n.texts as "note_texts?",
                  null::bigint as "seq?", null::text as "role?", null::text as "format?", null::integer as "tokens?",
                  null::text as "shape?", null::text as "keep?", null::text as "body?"
           from (
             select x.context_revision from sessions x where x.tenant_id = $1 and x.id = $2 limit 1
           ) s
           left join lateral (
             select * from summaries v
             where v.tenant_id = $1 and v.session_id = version_owner($1, $2, $3) and v.version = $3
             limit 1
           ) v on true
           cross join lateral (
             select array_agg(x.id order by x.id) as ids, array_agg(x.seq order by x.id) as seqs,
                    array_agg(x.body order by x.id) as texts
             from (
               select distinct on (y.id) y.id, y.seq, y.body from notes y
               where y.tenant_id = $1 and y.session_id = $2 and y.seq <= $8
                 and ($10::timestamptz is null or y.created_at <= $10)
               order by y.id, y.seq desc
             ) x
             where x.body is not null
           ) n
           union all
           select null, null, null, null, null, null, null, null, null, null, null, null, m.*
           from (
             select w.from_seq, w.to_seq
             from (values (1::bigint, $4::bigint), ($5::bigint, $5), ($6::bigint, $7::bigint)) as w (from_seq, to_seq)
             where w.from_seq <= w.to_seq
             union all
             select kept.seq, kept.seq from unnest($9::bigint[]) as kept (seq) offset 0
           ) wanted
           cross join lateral lineage($1, $2, wanted.from_seq, wanted.to_seq) owner
           cross join lateral (
             select m.seq, m.role, m.format, m.tokens, m.shape, m.keep, m.body from messages m
             where m.tenant_id = $1 and m.session_id = owner.session_id
               and m.seq between owner.first_seq and owner.last_seq
             -- Apart from the rest, so that they are always looked up in the index.
             offset 0
           ) m"#,
        key.tenant.0,
        key.id.0,
        wanted.version,
        wanted.system_through,
        wanted.carried,
        wanted.tail.0,
        wanted.tail.1,
        wanted.notes_through,
        &[&*wanted.kept, &*wanted.requests].concat(),
        wanted.pinned_by
    )
    .fetch_all(connection)
    .await?;
    let mut texts = Texts::default();
    for row in rows {
        match row.seq {
            Some(seq) => {
                let entry = row.message(key.id, seq, &mut texts.marks)?;
                if seq <= wanted.system_through {
                    texts.system.push(entry);
                } else if wanted.carried == Some(seq) {
                    texts.carried = Some(entry);
                } else if wanted.kept.binary_search(&seq).is_ok() {
                    texts.kept.push(entry);
                } else {
                    texts.tail.push(entry);
                }
            }
            None => row.read_own(wanted.version, &mut texts),
        }
    }
    texts.system.sort_unstable_by_key(|entry| entry.seq);
    texts.kept.sort_unstable_by_key(|entry| entry.seq);
    texts.tail.sort_unstable_by_key(|entry| entry.seq);
    Ok(texts)
}

/// A row of the read: version, pins and notes, or a message.
struct Row {
    context_revision: Option<i64>,
    pins: Option<Vec<String>>,
    rendering: Option<String>,
    rendering_tokens: Option<i32>,
    smaller_renderings: Option<Vec<String>>,
    smaller_tokens: Option<Vec<i32>>,
    recap: Option<String>,
    digest: Option<String>,
    digest_tokens: Option<i32>,
    note_ids: Option<Vec<i64>>,
    note_seqs: Option<Vec<i64>>,
    note_texts: Option<Vec<String>>,
    seq: Option<i64>,
    role: Option<String>,
    format: Option<String>,
    tokens: Option<i32>,
    shape: Option<String>,
    keep: Option<String>,
    body: Option<String>,
}

impl Row {
    fn read_own(self, version: Option<i64>, texts: &mut Texts) {
        let tokens = |tokens: Option<i32>| tokens.and_then(|n| u32::try_from(n).ok()).unwrap_or_default();
        texts.context_revision = self.context_revision;
        texts.pins = self.pins.unwrap_or_default().into_iter().map(Pin::new).collect();
        let (ids, seqs) = (self.note_ids.unwrap_or_default(), self.note_seqs.unwrap_or_default());
        let notes = ids.into_iter().zip(seqs).zip(self.note_texts.unwrap_or_default());
        texts.notes = notes.map(|((id, seq), text)| Note { id, seq, text }).collect();
        if let (Some(version), Some(rendering)) = (version, self.rendering) {
            let smaller = self.smaller_renderings.unwrap_or_default().into_iter();
            let counted = self.smaller_tokens.unwrap_or_default().into_iter().map(|n| tokens(Some(n)));
            texts.summary = Some(SummarySource {
                version,
                rendering: (rendering, tokens(self.rendering_tokens)),
                smaller: smaller.zip(counted).collect(),
                digest: self.digest.map(|digest| (digest, tokens(self.digest_tokens))),
                recap: self.recap.unwrap_or_default(),
            });
        }
    }

    /// Parses the message, and adds its mark to `marks`.
    fn message(self, session: SessionId, seq: Seq, marks: &mut Marks) -> Result<Entry> {
        let corrupt = |column| {
            StoreError::corrupt("messages", column, format!("{} {seq}", session.0), "does not parse")
        };
        if self.keep.is_some() {
            marks.insert(seq, Keep::Never);
        }
        let shape = self.shape.as_deref().map(serde_json::from_str).transpose();
        let shape: Option<Shape> = shape.map_err(|_| corrupt("shape"))?;
        let format = self
            .format
            .as_deref()
            .and_then(|word| word.parse::<Format>().ok())
            .ok_or_else(|| corrupt("format"))?;
        let body = self.body.ok_or_else(|| corrupt("body"))?;
        Ok(Entry {
            seq,
            format,
            role: self
                .role
                .as_deref()
                .and_then(|word| word.parse::<Role>().ok())
                .ok_or_else(|| corrupt("role"))?,
            tokens: self.tokens.and_then(|t| u32::try_from(t).ok()).ok_or_else(|| corrupt("tokens"))?,
            raw: Shape::served(shape.as_ref(), format, body).into(),
            shape,
        })
    }
}
