//! Sessions that are played, of which it is known what comes of them.

use anchord_messages::tokens::TokenCounter;
use anchord_session::settings::Settings;
use serde_json::json;

use crate::kept::{self, Kind};
use crate::piece::count;
use crate::replay::Transcript;
use crate::sessions::{Session, Told};
use crate::ways::{Played, Way};

/// An agent that reads a file in each round, the first one again in the last.
fn session(rounds: usize) -> Session {
    let mut raw = vec![
        json!({"role": "system", "content": "You keep a parcel service running."}),
        json!({"role": "user", "content": "Find out why parcels arrive twice."}),
    ];
    for round in 0..rounds {
        let about = if round + 1 == rounds { 0 } else { round };
        let path = format!("parcels/unit_{about}7.py");
        let call = json!({"id": format!("call_{round}"), "type": "function",
            "function": {"name": "read_file", "arguments": json!({"path": path}).to_string()}});
        let output = format!("the belt of {path} was looked at, and all of it is in order\n").repeat(20);
        raw.push(json!({"role": "assistant", "content": format!("On to {path}."), "tool_calls": [call]}));
        raw.push(json!({"role": "tool", "tool_call_id": format!("call_{round}"), "content": output}));
    }
    raw.push(json!({"role": "assistant", "content": "Done."}));
    let raw: Vec<String> = raw.iter().map(ToString::to_string).collect();
    let transcript = Transcript::read(&raw, TokenCounter::default()).expect("messages");
    Session::of("made".to_owned(), transcript, Told::default())
}

fn play(way: Way, session: &Session) -> Played {
    way.play(session, &Settings { context_window: Some(8_000), ..Settings::default() }, None)
}

#[test]
fn every_way_answers_every_call() {
    let session = session(40);
    for way in Way::ALL {
        let Played { tally, last, .. } = play(way, &session);
        assert_eq!((tally.calls, tally.refused), (41, 0), "{}", way.name());
        let is_large = tally.largest > 8_000.0;
        assert_eq!(is_large, way == Way::Everything, "{}: {}", way.name(), tally.largest);
        assert!(!last.is_empty(), "{}", way.name());
    }
}

#[test]
fn everything_knows_everything_and_truncation_nothing_old() {
    let session = session(40);
    let needs = |way| play(way, &session).tally.known.needs;
    let (all, newest, service) = (needs(Way::Everything), needs(Way::Truncate), needs(Way::Service));
    assert!(all.of >= 1 && all.found == all.of, "{all:?}");
    assert_eq!((newest.found, newest.of), (0, all.of));
    assert_eq!((service.found, service.of), (all.of, all.of), "the record names the file");
}

#[test]
fn a_summary_costs_what_it_reads_and_five_times_what_it_says() {
    let session = session(40);
    let compact = play(Way::Compact, &session).tally;
    let everything = play(Way::Everything, &session).tally;
    assert!(compact.tokens < everything.tokens && compact.compressions >= 2, "{compact:?}");
    assert!((compact.written / 1_500.0 - count(compact.compressions)).abs() < 0.01, "{compact:?}");
    // What a summary reads stood in the prompt before, but for the newest output.
    assert!(compact.read > 0.0 && compact.read_cached > compact.read, "{compact:?}");
    let summaries = compact.read + compact.read_cached / 10.0 + compact.written * 5.0;
    assert!((compact.summaries() - summaries).abs() < 0.01);
    let prompts = compact.tokens - compact.cached + compact.cached / 10.0;
    assert!((compact.cost() - prompts - summaries).abs() < 0.01);
    assert_eq!((everything.compressions, everything.breaks), (0, 0));
}

#[test]
fn the_facts_of_the_ledger_are_found_where_they_stand() {
    let session = session(40);
    let facts = kept::facts(&session);
    let files = facts.iter().filter(|fact| fact.kind == Kind::File).count();
    assert_eq!(files, 39, "the last round reads the first one's again: {facts:?}");
    let found = |way| {
        let played = play(way, &session);
        let kept = kept::kept(&facts, &played.last);
        (kept.shares[0].found, kept.lost.len())
    };
    assert_eq!(found(Way::Everything), (39, 0));
    let (newest, lost) = found(Way::Truncate);
    assert!(newest < 20 && lost == 39 - newest, "{newest} of 39");
    let played = play(Way::Service, &session);
    let record = played.record.expect("a record");
    assert!(record.through > 10 && record.text.contains("unit_57.py"), "{record:?}");
    assert!(found(Way::Service).0 > newest, "the record lists files that were read");
}
