//! The record of a version, each entry with the messages that it came from, and the text that contexts show of it.

use askama::Template;
use axum::extract::Query;
use axum::response::Response;
use serde::Deserialize;

use super::{OfSession, Place, html};
use crate::entry::{Section, mark_unsent, sections};
use crate::fault::Fault;
use crate::view::{Look as _, Page, count, percent_or, shown, time, word};
use crate::whereabouts::{Shown, is_same};

/// The most characters of the rendering.
const RENDERED: usize = 200_000;

#[derive(Default, Template)]
#[template(path = "record.html")]
struct Record {
    page: Page,
    place: Place,
    version: i64,
    is_current: bool,
    /// Whether a roll back to it would change something.
    can_return: bool,
    versions: Vec<(i64, String)>,
    about: String,
    scores: String,
    sections: Vec<Section>,
    unsent: usize,
    rendering: String,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Wanted {
    version: Option<i64>,
}

pub(super) async fn show(
    OfSession { visit, place }: OfSession,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Fault> {
    let session = visit.get(place.api("", &[])).await?;
    let current = session.whole("summary_version");
    let version = wanted.version.unwrap_or(current);
    let title = format!("{}: record", place.session);
    if version == 0 {
        let page = Page::of(&visit, "sessions", &title);
        return html(&Record { page, place, ..Record::default() });
    }
    let path = format!("/summaries/{version}");
    let (record, listed, rendering, context) = futures::try_join!(
        visit.get(place.api(&path, &[])),
        visit.get(place.api("/summaries", &[("limit", "100")])),
        visit.text(place.api(&path, &[]), "text/markdown"),
        visit.look(Shown::path(&place, None)),
    )?;
    let mut sections = sections(&record);
    if version == current && !context.is_null() {
        mark_unsent(&mut sections, &Shown::of(&context));
    }
    // A roll back keeps the time of the compression; the version is from when it was made.
    let made = listed.list("items").iter().find(|one| one.whole("version") == version);
    let made = made.map_or_else(|| record.text("last_compressed_at"), |one| one.text("created_at"));
    let number = |one: &serde_json::Value| one.whole("version");
    let versions = listed.list("items").iter().map(number);
    let versions = versions.map(|n| (n, place.page("/record", &[("version", &n.to_string())]))).collect();
    html(&Record {
        page: Page::of(&visit, "sessions", &title),
        version,
        is_current: version == current,
        can_return: !is_same(&listed, version, current),
        versions,
        about: format!(
            "{} by {}, messages {} to {}, {}",
            word(&record.text("strategy")),
            word(&record.text("engine")),
            count(record.whole("from_seq")),
            count(record.whole("through_seq")),
            time(&made)
        ),
        scores: format!(
            "probes {}, facts {}, exam {}",
            percent_or(record.share("probe_score")),
            percent_or(record.share("facts_score")),
            percent_or(record.under("exam").share("score"))
        ),
        unsent: sections.iter().flat_map(|section| &section.entries).filter(|entry| entry.is_unsent).count(),
        sections,
        rendering: shown(&rendering, RENDERED),
        place,
    })
}
