//! One search of a session: facts, entries of the record and messages that have some words, each with where it is now, or with
//! which version it went.

use std::collections::HashSet;

use askama::Template;
use axum::extract::Query;
use axum::response::Response;
use serde::Deserialize;
use serde_json::Value;

use super::dropped::ledger;
use super::recall::about;
use super::{OfSession, Place, html};
use crate::entry::{Entry, FILES, sections};
use crate::fault::Fault;
use crate::lost::{self, folded};
use crate::served::Served;
use crate::view::{Look as _, Page, line, meant, shown, typed};
use crate::visit::Visit;
use crate::whereabouts::{MOST_VERSIONS, Shown, Standing, Version, Wanted, standing, versions};

/// The most facts and entries that are shown.
const MOST: usize = 60;
/// The least characters of a fact by which a part of a text is known, and the most parts that are named.
const LEAST_OF_A_FACT: usize = 3;
const MOST_PARTS: usize = 3;
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

#[derive(Default, Template)]
#[template(path = "search.html")]
struct Search {
    page: Page,
    place: Place,
    q: String,
    things: Vec<Row>,
    more: usize,
    hits: Vec<Row>,
    here: usize,
    part: usize,
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
        return html(&Search { page: Page::of(&visit, "sessions", &title), place, ..Search::default() });
    }
    let (context, next, found, listed, pins) = futures::try_join!(
        visit.look(Shown::path(&place, None)),
        visit.look(place.api("/context", &[])),
        visit.get(place.api("/recall", &[("q", &q), ("limit", MESSAGES)])),
        visit.get(place.api("/summaries", &[("limit", "100")])),
        visit.get(place.api("/pins", &[])),
    )?;
    let now = Shown::of(&context);
    let versions = versions(&listed);
    let words = words(&q);
    let mut things = facts(&ledger(&visit, &place).await?);
    let known = Known::of(&pins, &things, (&words, &now));
    things.extend(entries(&visit, &place, &versions).await?);
    let mut things = matching(things, &words);
    let more = things.len().saturating_sub(MOST);
    things.truncate(MOST);
    let hits: Vec<Thing> = found.list("items").iter().map(|one| hit(one, &words, &now)).collect();
    let wanted: Vec<Wanted> = things
        .iter()
        .chain(&hits)
        .map(|thing| Wanted { text: thing.mark.clone(), seqs: thing.seqs.clone(), is_file: thing.is_file })
        .collect();
    let mut stand = standing((&visit, &place), &now, &versions, &wanted).await?.into_iter();
    let things: Vec<Row> = things
        .into_iter()
        .zip(stand.by_ref())
        .map(|(thing, at)| {
            let at = known.completed(at, &thing, &now);
            row(&place, thing, at, false)
        })
        .collect();
    let anchor = session.whole("anchor_seq");
    let served = Served::of(&next);
    let hits: Vec<Row> = hits
        .into_iter()
        .zip(stand)
        .map(|(thing, mut at)| {
            let seq = thing.seqs.first().copied().unwrap_or_default();
            if at.here.is_empty()
                && seq > anchor
                && let Some(served) = &served
            {
                // No version covers it: the context says itself how it shows it, and a snippet may leave out something between.
                let has = served.has(seq, &thing.kind);
                at = if has.is_whole() {
                    Standing { here: format!("message {seq}"), ..Standing::default() }
                } else {
                    Standing { gone: has.told().to_owned(), ..Standing::default() }
                };
            }
            let at = known.completed(at, &thing, &now);
            row(&place, thing, at, true)
        })
        .collect();
    let here = things
        .iter()
        .chain(&hits)
        .filter(|row| !row.standing.here.is_empty() && !row.standing.name_only)
        .count();
    let part = things.iter().chain(&hits).filter(|row| !row.standing.part.is_empty()).count();
    html(&Search {
        page: Page::of(&visit, "sessions", &title),
        q: asked.q,
        gone: things.len() + hits.len() - here - part,
        here,
        part,
        things,
        more,
        hits,
        about: about(&found),
        place,
    })
}

/// What else a context may have of a text that it does not have as a whole.
struct Known {
    /// Texts of pins as they are, and folded.
    pins: Vec<(String, String)>,
    /// Facts that have the words and are in the context, each with where.
    facts: Vec<(Fact, String)>,
}

/// A fact, as far as a text of the same message is known by it.
struct Fact {
    text: String,
    mark: String,
    seqs: Vec<i64>,
}

impl Known {
    fn of(pins: &Value, facts: &[Thing], (words, now): (&[String], &Shown)) -> Self {
        let own = pins.list("pins").iter().chain(pins.list("tenant_pins"));
        let pins = own.map(|pin| (pin.text("text"), folded(&pin.text("text"))));
        let has_words = |thing: &&Thing| {
            let text = folded(&thing.text);
            words.iter().any(|word| text.contains(word.as_str()))
        };
        let counts = |thing: &&Thing| !thing.is_file && thing.mark.chars().count() >= LEAST_OF_A_FACT;
        let facts = facts.iter().filter(counts).filter(has_words).filter_map(|thing| {
            let Thing { text, mark, .. } = thing;
            let (text, mark, seqs) = (text.clone(), mark.clone(), thing.seqs.clone());
            let here = now.find(&Wanted { text: mark.clone(), seqs: Vec::new(), is_file: false });
            (!here.is_empty()).then_some((Fact { text, mark, seqs }, here))
        });
        Self { pins: pins.collect(), facts: facts.collect() }
    }

    /// How a text stands, with what the context has of one that it does not have as a whole.
    fn completed(&self, at: Standing, thing: &Thing, now: &Shown) -> Standing {
        if !at.here.is_empty() {
            return at;
        }
        let (here, all, places) = now.lines_of(&thing.text);
        if here == all {
            return Standing { here: places, ..Standing::default() };
        }
        let text = folded(&thing.text);
        let mut parts: Vec<String> = Vec::new();
        if here > 0 {
            parts.push(format!("{here} of {all} sentences and lines, in: {places}"));
        }
        let pinned = self.pins.iter().filter(|(_, pin)| !pin.is_empty() && text.contains(pin.as_str()));
        parts.extend(pinned.map(|(pin, _)| format!("“{}”, in: pins", line(pin, 80))));
        let of_it =
            |fact: &Fact| text.contains(&fact.mark) && fact.seqs.iter().any(|seq| thing.seqs.contains(seq));
        let facts = self.facts.iter().filter(|(fact, _)| of_it(fact));
        parts.extend(facts.map(|(fact, here)| format!("{}, in: {here}", line(&fact.text, 80))));
        parts.truncate(MOST_PARTS);
        Standing { part: parts.join("; "), ..at }
    }
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
fn hit(one: &Value, words: &[String], now: &Shown) -> Thing {
    let snippet = one.text("snippet");
    let has = |sentence: &&str| {
        let sentence = folded(sentence);
        words.iter().any(|word| sentence.contains(word.as_str()))
    };
    // Behind a speaker's name the text may have been cut, too.
    let meant = snippet.split('…').flat_map(lost::sentences).find(has).unwrap_or(&snippet);
    let mut mark = folded(meant);
    // The name may stand beside the text.
    if !now.has(&mark, &[])
        && let Some((name, said)) = mark.split_once(": ")
        && !name.contains(' ')
        && snippet.starts_with(meant)
        && now.has(said, &[])
    {
        mark = said.to_owned();
    }
    let (more, seqs) = (String::new(), vec![one.whole("seq")]);
    Thing { kind: one.text("role"), mark, is_file: false, text: snippet, more, seqs }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

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

    #[test]
    fn of_a_text_that_is_not_there_it_is_told_what_is() {
        let now = Shown::of(&json!({
            "messages": [
                {"role": "system", "content": "Constraints that hold for the whole session:\n- port: 5433\n- Never on Fridays at all."}
            ],
            "sources": [null]
        }));
        let pins = json!({"pins": [{"text": "port: 5433"}, {"text": "never on Fridays"}], "tenant_pins": []});
        let facts = [Thing { text: "port: 5433".to_owned(), mark: "5433".to_owned(), ..thing("") }];
        let known = |q: &str| Known::of(&pins, &facts, (&words(q), &now));
        let gone = || Standing { gone: "went with".to_owned(), version: 2, ..Standing::default() };
        let part = |q: &str, text: &str| known(q).completed(gone(), &thing(text), &now);
        let of_fact = part("port", "It listens on port 5433 of the host.");
        assert_eq!((of_fact.part.as_str(), of_fact.version), ("port: 5433, in: pins", 2));
        assert_eq!(part("host", "It listens on port 5433 of the host.").part, "", "nobody asked for it");
        assert_eq!(part("x", "We ship it never on fridays.").part, "“never on Fridays”, in: pins");
        assert_eq!(
            part("x", "Never on Fridays at all. Nor on Sundays.").part,
            "1 of 2 sentences and lines, in: pins; “never on Fridays”, in: pins"
        );
        assert_eq!(part("x", "never on Fridays  at all.").here, "pins");
        assert_eq!(part("x", "Another thing altogether."), gone());
    }
}
