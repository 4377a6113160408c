//! One search of a session: facts, entries of the record and messages that have some words, each with where it is now, or with
//! which version it went.

use std::collections::HashSet;

use askama::Template;
use axum::extract::Query;
use axum::response::Response;
use serde::Deserialize;
use serde_json::Value;

use super::dropped::ledger;
use super::messages::{WHOLE, in_context};
use super::recall::about;
use super::{OfSession, Place, html};
use crate::entry::{Entry, FILES, sections};
use crate::fault::Fault;
use crate::lost::{self, folded};
use crate::view::{Look as _, Page, meant, shown, typed};
use crate::visit::Visit;
use crate::whereabouts::{MOST_VERSIONS, Shown, Standing, Version, Wanted, standing, versions};

/// The most facts and entries that are shown.
const MOST: usize = 60;
/// The messages that are looked for.
const MESSAGES: &str = "20";
/// Words of questions that say nothing about what is asked for.
const EMPTY: [&str; 44] = [
    "a", "about", "agent", "an", "and", "are", "at", "be", "did", "do", "does", "for", "forget", "forgot",
    "from", "has", "have", "how", "i", "in", "is", "it", "its", "lost", "my", "not", "of", "on", "or", "our",
    "so", "that", "the", "this", "to", "was", "we", "what", "when", "where", "which", "who", "why", "you",
];
/// Sections whose entries of the current version the ledger has.
const IN_LEDGER: [&str; 6] =
    ["constraints", "proposed_constraints", "files_modified", "files_read", "errors", "things"];

#[derive(Template)]
#[template(path = "search.html")]
struct Search {
    page: Page,
    place: Place,
    q: String,
    things: Vec<Row>,
    more: usize,
    hits: Vec<Row>,
    here: usize,
    gone: usize,
    about: String,
}

/// Something that has the words.
struct Row {
    kind: String,
    text: String,
    more: String,
    /// What is pinned, unless it is the text of a message.
    whole: String,
    /// The message whose text is pinned; empty for none.
    pinned: String,
    seqs: Vec<i64>,
    /// In its place among the messages.
    around: String,
    standing: Standing,
}

/// The same, before it is known where it is.
struct Thing {
    kind: String,
    text: String,
    /// What else is known of it.
    more: String,
    /// What must be in a context for it to be there, folded.
    mark: String,
    is_file: bool,
    seqs: Vec<i64>,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Asked {
    #[serde(default, deserialize_with = "typed")]
    q: String,
}

pub(super) async fn show(
    OfSession { visit, place }: OfSession,
    Query(asked): Query<Asked>,
) -> Result<Response, Fault> {
    let session = visit.get(place.api("", &[])).await?;
    let title = format!("{}: search", place.session);
    let q = meant(asked.q.trim());
    if q.is_empty() {
        return html(&Search {
            page: Page::of(&visit, "sessions", &title),
            place,
            q: String::new(),
            things: Vec::new(),
            more: 0,
            hits: Vec::new(),
            here: 0,
            gone: 0,
            about: String::new(),
        });
    }
    let (context, found, listed) = futures::try_join!(
        visit.look(Shown::path(&place, None)),
        visit.get(place.api("/recall", &[("q", &q), ("limit", MESSAGES)])),
        visit.get(place.api("/summaries", &[("limit", "100")])),
    )?;
    let now = Shown::of(&context);
    let versions = versions(&listed);
    let words = words(&q);
    let mut things = facts(&ledger(&visit, &place).await?);
    things.extend(entries(&visit, &place, &versions).await?);
    let mut things = matching(things, &words);
    let more = things.len().saturating_sub(MOST);
    things.truncate(MOST);
    let hits: Vec<Thing> = found.list("items").iter().map(|one| hit(one, &words)).collect();
    let wanted: Vec<Wanted> = things
        .iter()
        .chain(&hits)
        .map(|thing| Wanted { text: thing.mark.clone(), seqs: thing.seqs.clone(), is_file: thing.is_file })
        .collect();
    let mut stand = standing((&visit, &place), &now, &versions, &wanted).await?.into_iter();
    let things: Vec<Row> =
        things.into_iter().zip(stand.by_ref()).map(|(thing, at)| row(&place, thing, at, false)).collect();
    let anchor = session.whole("anchor_seq");
    let hits: Vec<Row> = hits
        .into_iter()
        .zip(stand)
        .map(|(thing, mut at)| {
            let seq = thing.seqs.first().copied().unwrap_or_default();
            if at.here.is_empty() && seq > anchor {
                // No version covers it: the context says itself how it shows it, and a snippet may leave out something between.
                let said = in_context(&context, seq, anchor);
                at = if said == WHOLE {
                    Standing { here: format!("message {seq}"), ..Standing::default() }
                } else {
                    Standing { gone: said.to_owned(), ..Standing::default() }
                };
            }
            row(&place, thing, at, true)
        })
        .collect();
    let here = things
        .iter()
        .chain(&hits)
        .filter(|row| !row.standing.here.is_empty() && !row.standing.name_only)
        .count();
    html(&Search {
        page: Page::of(&visit, "sessions", &title),
        q: asked.q,
        gone: things.len() + hits.len() - here,
        here,
        things,
        more,
        hits,
        about: about(&found),
        place,
    })
}

fn row(place: &Place, thing: Thing, standing: Standing, is_message: bool) -> Row {
    let seq = thing.seqs.first().copied().unwrap_or_default();
    let from = (seq - 3).max(1).to_string();
    Row {
        around: format!("{}#m{seq}", place.page("/messages", &[("from", &from)])),
        pinned: if is_message { seq.to_string() } else { String::new() },
        // As far as a form takes it.
        whole: shown(&thing.text.chars().take(4_000).collect::<String>(), usize::MAX),
        text: shown(&thing.text, 600),
        kind: thing.kind,
        more: shown(&thing.more, 600),
        seqs: thing.seqs,
        standing,
    }
}

/// The words of a question that say what is asked for; all of it when none does.
fn words(q: &str) -> Vec<String> {
    let folded = folded(q);
    let plain = folded.split(' ').map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    let words: Vec<String> =
        plain.filter(|word| !word.is_empty() && !EMPTY.contains(word)).map(str::to_owned).collect();
    if words.is_empty() { vec![folded] } else { words }
}

/// Those that have all words; when there are none, those that have one.
fn matching(things: Vec<Thing>, words: &[String]) -> Vec<Thing> {
    let mut seen = HashSet::new();
    let mut scored: Vec<(usize, Thing)> = things
        .into_iter()
        .filter_map(|thing| {
            let text = folded(&format!("{} {} {}", thing.kind, thing.text, thing.more));
            let has = words.iter().filter(|word| text.contains(word.as_str())).count();
            (has > 0 && seen.insert(folded(&thing.text))).then_some((has, thing))
        })
        .collect();
    let all = scored.iter().any(|(has, _)| *has == words.len());
    scored.retain(|(has, _)| !all || *has == words.len());
    scored.into_iter().map(|(_, thing)| thing).collect()
}

/// The facts of the ledger.
fn facts(ledger: &[Value]) -> Vec<Thing> {
    let thing = |fact: &Value| {
        let (kind, mark, text) = lost::fact_of(fact)?;
        let seqs = fact.list("seqs").iter().filter_map(Value::as_i64).collect();
        let is_file = kind == "file";
        Some(Thing { kind: kind.to_owned(), mark: folded(&mark), is_file, text, more: String::new(), seqs })
    };
    ledger.iter().filter_map(thing).filter(|thing| !thing.mark.is_empty()).collect()
}

/// The entries of the records, the newest first: also what only an earlier version has.
async fn entries(visit: &Visit, place: &Place, versions: &[Version]) -> Result<Vec<Thing>, Fault> {
    let mut all = Vec::new();
    let mut seen = HashSet::new();
    for (at, version) in versions.iter().enumerate().take(MOST_VERSIONS) {
        let record = visit.look(place.api(&format!("/summaries/{}", version.number), &[])).await?;
        for section in sections(&record) {
            // Of an earlier version each property is looked for, as in the ledger.
            if section.key == "things" || (at == 0 && IN_LEDGER.contains(&section.key)) {
                continue;
            }
            for entry in section.entries {
                if seen.insert((section.key, folded(&entry.text))) {
                    let (mark, is_file) = (entry.mark(section.key), FILES.contains(&section.key));
                    let Entry { text, more, seqs, .. } = entry;
                    all.push(Thing { kind: section.name.to_lowercase(), text, more, mark, is_file, seqs });
                }
            }
        }
        for thing in record.list("things").iter().filter(|_| at > 0) {
            let (kind, id) = (thing.text("kind"), thing.text("id"));
            let seqs: Vec<i64> = thing.list("seqs").iter().filter_map(Value::as_i64).collect();
            for property in thing.list("properties") {
                let (name, value) = (property.text("name"), property.text("value"));
                let text = format!("{kind} {id} {name}").trim().to_owned() + ": " + &value;
                if seen.insert(("things", folded(&text))) {
                    all.push(Thing {
                        kind: "figure".to_owned(),
                        text,
                        more: String::new(),
                        mark: folded(&value),
                        is_file: false,
                        seqs: seqs.clone(),
                    });
                }
            }
        }
    }
    Ok(all)
}

/// A message that recall found: of its snippet the sentence that has the words.
fn hit(one: &Value, words: &[String]) -> Thing {
    let snippet = one.text("snippet");
    let whole = snippet.trim_matches(['…', ' ', '\n']);
    let has = |sentence: &&str| {
        let sentence = folded(sentence);
        words.iter().any(|word| sentence.contains(word.as_str()))
    };
    let meant = lost::sentences(whole).find(has).map_or(whole, |sentence| sentence.trim_matches('…'));
    let mark = folded(meant);
    let (more, seqs) = (String::new(), vec![one.whole("seq")]);
    Thing { kind: one.text("role"), mark, is_file: false, text: snippet, more, seqs }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thing(text: &str) -> Thing {
        let (kind, more) = ("figure".to_owned(), String::new());
        Thing { kind, text: text.to_owned(), more, mark: folded(text), is_file: false, seqs: vec![1] }
    }

    #[test]
    fn a_question_is_its_words() {
        assert_eq!(words("Why did my agent forget the port?"), ["port"]);
        assert_eq!(words("src/a_b.rs, parse_config"), ["src/a_b.rs", "parse_config"]);
        assert_eq!(words("why?"), ["why?"]);
    }

    #[test]
    fn what_has_all_words_is_shown_alone() {
        let found = |q: &str| {
            let all = ["port: 5433", "parser version: 2", "the port of the parser"].map(thing);
            matching(all.into(), &words(q)).into_iter().map(|thing| thing.text).collect::<Vec<_>>()
        };
        assert_eq!(found("port parser"), ["the port of the parser"]);
        assert_eq!(found("port zebra"), ["port: 5433", "the port of the parser"]);
        assert!(found("zebra").is_empty());
    }
}
