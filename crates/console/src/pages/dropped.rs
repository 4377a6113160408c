//! The page of what is missing: entries that a version dropped, and facts and words of the originals that the current context
//! lacks.

use askama::Template;
use axum::extract::Query;
use axum::response::Response;
use serde::Deserialize;
use serde_json::Value;

use super::{OfSession, Place, html};
use crate::entry::{Entry, name_of};
use crate::fault::Fault;
use crate::lost::{self, Lost, folded};
use crate::view::{Look as _, Page, count, meant, shown, typed};
use crate::visit::Visit;
use crate::whereabouts::{self, Shown, Standing, Wanted, standing};

/// The messages that one view of the page searches for missing words.
const WINDOW: i64 = 1_000;
/// The most pages of the ledger that are read; facts beyond them are not shown.
const PAGES: usize = 5;
/// The most items that are shown.
const MOST: usize = 300;
/// The newest versions, which are all that can be chosen.
const VERSIONS: &str = "100";
/// The most pages of messages that are read for one window; words beyond them are not searched.
const MESSAGE_PAGES: usize = 8;
/// The longest text that a form takes to pin, in characters.
const MAX_PINNED_CHARS: usize = 4_000;

#[derive(Template)]
#[template(path = "dropped.html")]
struct Dropped {
    page: Page,
    place: Place,
    wanted: Asked,
    current: i64,
    from: i64,
    to: i64,
    versions: Vec<i64>,
    changes: Vec<Change>,
    lost: Vec<Item>,
    more: usize,
    /// The messages whose words were looked for, as text.
    window: (String, String),
    before: String,
    after: String,
}

/// A section that differs between two versions.
struct Change {
    name: String,
    dropped: Vec<Entry>,
    changed: Vec<(Entry, Entry)>,
    added: usize,
}

/// A missing fact or sentence, as the page shows it.
struct Item {
    kind: &'static str,
    /// The text, shortened.
    text: String,
    /// The text for the form that pins it, which shortens less.
    whole: String,
    seqs: Vec<i64>,
    standing: Standing,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Asked {
    from: Option<i64>,
    to: Option<i64>,
    #[serde(default, deserialize_with = "typed")]
    q: String,
    /// The first message whose words are looked for.
    at: Option<i64>,
}

pub(super) async fn show(
    OfSession { visit, place }: OfSession,
    Query(wanted): Query<Asked>,
) -> Result<Response, Fault> {
    let session = visit.get(place.api("", &[])).await?;
    let (current, anchor) = (session.whole("summary_version"), session.whole("anchor_seq"));
    let listed = visit.get(place.api("/summaries", &[("limit", VERSIONS)])).await?;
    let numbered = whereabouts::versions(&listed);
    let versions: Vec<i64> = numbered.iter().map(|version| version.number).collect();
    let to = wanted.to.unwrap_or(current);
    let parent = listed
        .list("items")
        .iter()
        .find(|one| one.whole("version") == to)
        .map(|one| one.whole("parent_version"));
    let from = wanted.from.or(parent).unwrap_or_default();
    let q = folded(&meant(&wanted.q));
    let changes =
        if to > 0 && from > 0 { changes(&visit, &place, (from, to), &q).await? } else { Vec::new() };
    let context = visit.look(Shown::path(&place, None)).await?;
    let now = Shown::of(&context);
    let facts = lost::facts(&ledger(&visit, &place).await?, now.whole());
    let at = wanted.at.unwrap_or((anchor - WINDOW + 1).max(1)).clamp(1, anchor.max(1));
    let until = (at + WINDOW - 1).min(anchor);
    let mut all =
        if anchor > 0 { missing_words(&visit, &place, (at, until), now.whole()).await? } else { Vec::new() };
    all.extend(facts);
    all.sort_by_key(|lost| lost::ORDER.iter().position(|kind| *kind == lost.kind));
    all.retain(|lost| q.is_empty() || folded(&lost.text).contains(&q) || lost.kind.contains(&q));
    let more = all.len().saturating_sub(MOST);
    all.truncate(MOST);
    let targets: Vec<Wanted> = all
        .iter()
        .map(|lost| Wanted { text: folded(&lost.mark), seq: lost.seqs.first().copied().unwrap_or_default() })
        .collect();
    let standings = standing((&visit, &place), &now, &numbered, &targets).await?;
    let lost = all.into_iter().zip(standings).map(|(lost, standing)| item(lost, standing)).collect();
    let page_at = |seq: i64| {
        let seq = seq.to_string();
        place.page(
            "/dropped",
            &[("at", &seq), ("q", &wanted.q), ("from", &from.to_string()), ("to", &to.to_string())],
        )
    };
    html(&Dropped {
        page: Page::of(&visit, "sessions", &format!("{}: dropped", place.session)),
        before: if at > 1 { page_at((at - WINDOW).max(1)) } else { String::new() },
        after: if until < anchor { page_at(until + 1) } else { String::new() },
        window: (count(at), count(until)),
        place,
        wanted,
        current,
        from,
        to,
        versions,
        changes,
        lost,
        more,
    })
}

fn item(lost: Lost, standing: Standing) -> Item {
    let whole: String = lost.text.chars().take(MAX_PINNED_CHARS).collect();
    Item {
        kind: lost.kind,
        text: shown(&lost.text, 600),
        whole: shown(&whole, usize::MAX),
        seqs: lost.seqs,
        standing,
    }
}

/// The differences between two versions, of entries that contain the words that were typed.
async fn changes(
    visit: &Visit,
    place: &Place,
    (from, to): (i64, i64),
    q: &str,
) -> Result<Vec<Change>, Fault> {
    let path = format!("/summaries/{to}/diff");
    let diff = visit.look(place.api(&path, &[("from", &from.to_string())])).await?;
    let matches =
        |entry: &Entry| q.is_empty() || folded(&format!("{} {}", entry.text, entry.more)).contains(q);
    let sections = diff.list("sections").iter().map(|section| Change {
        name: name_of(&section.text("section")),
        dropped: section.list("dropped").iter().map(Entry::of).filter(&matches).collect(),
        changed: section
            .list("changed")
            .iter()
            .map(|change| (Entry::of(change.under("from")), Entry::of(change.under("to"))))
            .filter(|(_, to)| matches(to))
            .collect(),
        added: section.list("added").len(),
    });
    Ok(sections
        .filter(|change| !change.dropped.is_empty() || !change.changed.is_empty() || change.added > 0)
        .collect())
}

/// The facts of a session, page by page; the search reads them, too.
pub(super) async fn ledger(visit: &Visit, place: &Place) -> Result<Vec<Value>, Fault> {
    let mut all = Vec::new();
    let mut cursor = String::new();
    for _ in 0..PAGES {
        let page = visit.get(place.api("/ledger", &[("limit", "1000"), ("cursor", &cursor)])).await?;
        all.extend_from_slice(page.list("items"));
        cursor = page.text("next_cursor");
        if cursor.is_empty() {
            break;
        }
    }
    Ok(all)
}

/// The words of messages that the context lacks.
async fn missing_words(
    visit: &Visit,
    place: &Place,
    (from, to): (i64, i64),
    context: &str,
) -> Result<Vec<Lost>, Fault> {
    let mut all = Vec::new();
    let mut from = from;
    // A page has fewer messages than asked for when they are large.
    for _ in 0..MESSAGE_PAGES {
        let pairs =
            [("from_seq", from.to_string()), ("to_seq", to.to_string()), ("limit", WINDOW.to_string())];
        let pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let page = visit.get(place.api("/messages", &pairs)).await?;
        all.extend(lost::words(page.list("items"), context));
        match page.list("items").last().map(|last| last.whole("seq")) {
            Some(last) if last < to => from = last + 1,
            _ => break,
        }
    }
    Ok(all)
}
