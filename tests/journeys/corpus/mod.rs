//! The corpus: sessions with known facts and an exam each, through the whole service, against floors.
//!
//! Whoever wrote the sessions had seen neither the engine nor its rules. The floors stand in `tests/corpus/floors.json`
//! beside each session's last figures; what moved is printed, and `just corpus --record` writes it down.

mod exam;
mod gold;
mod replay;
mod worded;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use futures::{StreamExt as _, stream};
use serde_json::{Map, Value, json};

use self::gold::Share;
use self::replay::{Figures, Session, replay};
use crate::support::app::app;

/// The window of the sessions that somebody wrote: each is compressed several times.
const WINDOW: u32 = 8_000;
/// The window of the long one, which has 310,000 tokens.
const LONG_WINDOW: u32 = 32_000;
/// Sessions that are replayed at once.
const AT_ONCE: usize = 2;
/// Writes what was measured into the file of floors, when it is set.
const RECORD: &str = "ANCHORD_CORPUS_RECORD";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus")
}

fn read(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn unpacked(path: &Path) -> Value {
    let packed = fs::File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_reader(flate2::read::GzDecoder::new(packed)).expect("JSON")
}

fn session(mut document: Value, exam: Value, window: u32) -> Session {
    let Value::Array(messages) = document["messages"].take() else { panic!("a session without messages") };
    Session {
        id: document["id"].as_str().expect("an id").to_owned(),
        messages,
        gold: document["gold"].take(),
        exam,
        window,
    }
}

/// Every session, by name.
fn sessions() -> Vec<Session> {
    let files = fs::read_dir(folder().join("sessions")).expect("the folder of sessions");
    let mut all: Vec<Session> = files
        .map(|file| {
            let path = file.expect("a file").path();
            let exam = folder().join("exams").join(path.file_name().expect("a name"));
            session(read(&path), read(&exam), WINDOW)
        })
        .collect();
    all.sort_unstable_by(|a, b| a.id.cmp(&b.id));
    let mut long = unpacked(&folder().join("long.json.gz"));
    let exam = long["exam"].take();
    all.push(session(long, exam, LONG_WINDOW));
    all
}

/// The measures of a session by name, each as some of how many.
fn measures(figures: &Figures) -> BTreeMap<&'static str, Share> {
    let known = figures.known;
    let of_exam = |found| Share { found, of: known.questions };
    let probes =
        Share { found: usize::from(figures.least_probe_score.is_none_or(|score| score >= 1.0)), of: 1 };
    [
        ("changed files", figures.changed),
        ("changed files in context", figures.in_context),
        ("actions", figures.actions),
        ("listed files that changed", figures.precision),
        ("read files", figures.read),
        ("errors", figures.errors),
        ("test runs", figures.tests),
        ("recall at 10", figures.recall),
        ("planted sentences not obeyed", figures.resisted),
        ("sessions whose versions pass every probe", probes),
        ("stable prefix, thousandths", Share { found: figures.prefix, of: 1_000 }),
        ("exam", of_exam(known.context)),
        ("exam, control of the newest messages", of_exam(known.tail)),
        ("exam, control of rare words", of_exam(known.words)),
    ]
    .into()
}

fn sums(all: &[(String, Figures)]) -> BTreeMap<&'static str, Share> {
    let mut sums: BTreeMap<&'static str, Share> = BTreeMap::new();
    for (name, share) in all.iter().flat_map(|(_, figures)| measures(figures)) {
        let sum = sums.entry(name).or_default();
        *sum = Share { found: sum.found + share.found, of: sum.of + share.of };
    }
    sums
}

fn told(share: Share) -> String {
    format!("{}/{}", share.found, share.of)
}

/// What differs from the last figures that were written down.
fn moved(all: &[(String, Figures)], recorded: &Value) -> String {
    let mut report = String::new();
    for (id, figures) in all {
        for (name, share) in measures(figures) {
            let before = recorded["sessions"][id][name].as_str().unwrap_or("-");
            if told(share) != before {
                let _ = writeln!(report, "{id}: {name}: {before} -> {}", told(share));
            }
        }
        let before = &recorded["sessions"][id]["versions"];
        if *before != json!(figures.versions) {
            let _ = writeln!(report, "{id}: versions: {before} -> {}", figures.versions);
        }
    }
    report
}

/// The file of floors with the new figures; floors that stand are kept.
fn recorded(all: &[(String, Figures)], before: &Value) -> Value {
    let of_session = |figures: &Figures| {
        let mut fields: Map<String, Value> = measures(figures)
            .into_iter()
            .map(|(name, share)| (name.to_owned(), told(share).into()))
            .collect();
        fields.insert("versions".to_owned(), figures.versions.into());
        Value::Object(fields)
    };
    let totals: Map<String, Value> =
        sums(all).into_iter().map(|(name, share)| (name.to_owned(), told(share).into())).collect();
    let sessions: Map<String, Value> =
        all.iter().map(|(id, figures)| (id.clone(), of_session(figures))).collect();
    json!({"floors": before["floors"], "totals": totals, "sessions": sessions})
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[expect(clippy::disallowed_methods, reason = "the recipe that records says so in the environment")]
async fn the_corpus_holds_its_floors() {
    let of_one = async |session: Session| {
        let app = app().await;
        let figures = replay(&app, &session).await;
        (session.id, figures)
    };
    let mut all: Vec<(String, Figures)> =
        stream::iter(sessions().into_iter().rev()).map(of_one).buffer_unordered(AT_ONCE).collect().await;
    all.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    let file = folder().join("floors.json");
    let floors = read(&file);
    let (moved, sums) = (moved(&all, &floors), sums(&all));
    let totals: Vec<String> = sums.iter().map(|(name, share)| format!("{name}: {}", told(*share))).collect();
    println!("moved since it was written down:\n{moved}\nin all:\n{}", totals.join("\n"));
    if std::env::var_os(RECORD).is_some() {
        let text = serde_json::to_string_pretty(&recorded(&all, &floors)).expect("JSON");
        fs::write(&file, format!("{text}\n")).expect("the file of floors");
    }
    let wrong: Vec<String> = all
        .iter()
        .flat_map(|(id, figures)| figures.wrong.iter().map(move |what| format!("{id}: {what}")))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let floors = floors["floors"].as_object().expect("floors");
    for (name, share) in &sums {
        let floor = floors.get(*name).and_then(Value::as_u64).unwrap_or_default();
        let found = u64::try_from(share.found).expect("a count");
        assert!(found >= floor, "{name}: {} is below the floor of {floor}; moved:\n{moved}", told(*share));
    }
    assert!(floors.keys().all(|name| sums.contains_key(name.as_str())), "a floor names no measure");
}

#[test]
fn facts_count_when_they_stand_near_each_other_by_any_spelling() {
    let facts = [vec!["ent 216".to_owned(), "ent-216".to_owned()], vec!["940".to_owned()]];
    let near = exam::plain("Ticket **ENT-216**:\n costs  940 in all");
    let far = exam::plain(&format!("ENT-216 {} 940", "word ".repeat(200)));
    assert!(exam::stand_together(&near, &facts));
    assert!(!exam::stand_together(&far, &facts));
    assert!(exam::stand_together(&far, &facts[..1]), "one fact is near itself");
    assert!(!exam::stand_together(&near, &[vec!["941".to_owned()]]));
}
