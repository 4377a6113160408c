//! Long spans, asked in pieces: a finished piece is kept, whatever becomes of the worker, and is not paid
//! for again.

use std::collections::BTreeMap;
use std::time::Duration;

use anchord_llm::{Options, Provider};
use rstest::rstest;
use serde_json::json;

use super::{app_of, compressed, options};
use crate::support::app::COMPRESS;
use crate::support::number;
use crate::support::provider::{Act, FakeProvider};

/// Options of a model that takes the session in about ten pieces.
fn small_window(fake: &FakeProvider) -> Options {
    Options { context_tokens: 9_000, timeout: Duration::from_mins(1), ..options(fake, Provider::Openai) }
}

/// How often each piece was asked about, by its first and last message.
fn asked(fake: &FakeProvider) -> BTreeMap<(i64, i64), usize> {
    let mut asked = BTreeMap::new();
    for seen in fake.seen() {
        *asked.entry(seen.span()).or_default() += 1;
    }
    asked
}

/// A worker dies, or only loses its lease and comes back too late, in the middle of a piece.
#[rstest]
#[case::dies(false)]
#[case::comes_back_too_late(true)]
#[tokio::test]
async fn finished_pieces_are_not_paid_again_when_a_worker_is_lost(#[case] comes_back: bool) {
    let fake = FakeProvider::start([Act::Good, Act::Good, Act::Good, Act::Good, Act::Held, Act::Good]).await;
    let app = app_of(small_window(&fake), 90).await;
    let queued = app.call("POST", "/v1/sessions/s/compressions", COMPRESS).await;
    let mut look = app.database.connect().await;
    {
        let first = app.work();
        tokio::pin!(first);
        tokio::select! {
            () = &mut first => panic!("it ended"),
            () = fake.arrivals(5) => {}
        }
        assert_eq!(number(&mut look, "select count(*) from narrative_chunks").await, 4);
        if comes_back {
            let lose =
                "update compressions set lease_until = now() - interval '1 second' where status = 'running'";
            sqlx::raw_sql(lose).execute(&mut look).await.unwrap();
            app.work().await;
            // The answer that it waited for comes when another worker has ended the work.
            fake.release();
            first.await;
        }
    }
    if !comes_back {
        let lose =
            "update compressions set lease_until = now() - interval '1 second' where status = 'running'";
        sqlx::raw_sql(lose).execute(&mut look).await.unwrap();
        app.work().await;
    }
    let done = app.call("GET", queued.headers["location"].to_str().unwrap(), "").await.json();
    assert_eq!(
        (&done["status"], &done["engine"], &done["attempts"], &done["version"]),
        (&json!("succeeded"), &json!("llm"), &json!(2), &json!(1)),
        "{done}"
    );
    let asked = asked(&fake);
    assert!(asked.len() >= 6, "{asked:?}");
    let again: Vec<_> = asked.iter().filter(|(_, times)| **times > 1).collect();
    // Only the piece whose answer never came, or came to nobody.
    assert_eq!(again.len(), 1, "{asked:?}");
    let mut end = 0;
    for (from, through) in asked.keys() {
        assert_eq!(*from, end + 1, "pieces follow each other: {asked:?}");
        end = *through;
    }
    assert_eq!(number(&mut look, "select count(*) from summaries").await, 1);
    assert_eq!(number(&mut look, "select count(*) from narrative_chunks").await, 0);
    let unknown = number(&mut look, "select count(*) from llm_attempts where outcome = 'sent'").await;
    assert_eq!(unknown, i64::from(!comes_back), "the call that a worker died over is known");
    let paid = number(&mut look, "select count(*) from llm_attempts where outcome = 'ok'").await;
    assert_eq!(usize::try_from(paid).unwrap(), asked.len() + usize::from(comes_back));
}

#[tokio::test]
async fn what_was_told_of_earlier_pieces_goes_into_the_next_one() {
    let fake = FakeProvider::start([Act::Good]).await;
    let app = app_of(small_window(&fake), 60).await;
    let done = compressed(&app, "").await;
    assert_eq!(done["engine"], "llm", "{done}");
    let seen = fake.seen();
    assert!(seen.len() >= 4, "{}", seen.len());
    let told = "D1 The agent uses the csv crate for the importer";
    assert!(!seen[0].prompt().contains(told));
    for later in &seen[1..] {
        assert!(later.prompt().contains(told));
    }
    assert_eq!(done["cost"]["calls"], seen.len());
}

#[rstest]
#[case::of_the_model(9_000, u32::MAX)]
#[case::as_the_operator_wants_it(128_000, 4_904)]
#[tokio::test]
async fn a_piece_fits_the_window_whatever_the_history(
    #[case] context_tokens: u32,
    #[case] input_tokens: u32,
) {
    let fake = FakeProvider::start([Act::Good]).await;
    let app = app_of(Options { context_tokens, input_tokens, ..small_window(&fake) }, 80).await;
    assert_eq!(compressed(&app, "").await["engine"], "llm");
    assert!(fake.seen().len() > 4);
    let counter = anchord_messages::tokens::TokenCounter::default();
    for seen in fake.seen() {
        let tokens = counter.count_text(&seen.prompt());
        assert!(tokens + 4_096 <= 9_000, "{tokens}");
    }
}

#[tokio::test]
async fn a_whole_history_is_read_afresh_by_a_model_in_pieces_and_falls_back_without_one() {
    let fake = FakeProvider::start([Act::Good]).await;
    let app = app_of(options(&fake, Provider::Openai), 30).await;
    assert_eq!(compressed(&app, "").await["engine"], "llm");
    super::append(&app, &super::stretch(12)).await;
    let done = compressed(&app, r#"{"strategy": "regenerative"}"#).await;
    assert_eq!(
        (&done["status"], &done["engine"], &done["strategy_used"]),
        (&json!("succeeded"), &json!("llm"), &json!("regenerative")),
        "{done}"
    );
    assert_eq!(done["cost"]["calls"], 2, "the history and the span: {done}");
    fake.play([super::raw(401, &[])]);
    super::append(&app, &super::stretch(12)).await;
    let done = compressed(&app, r#"{"strategy": "regenerative"}"#).await;
    assert_eq!((&done["status"], &done["engine"]), (&json!("succeeded"), &json!("extractive")), "{done}");
    assert_eq!(done["cost"]["calls"], 1, "a model that fails is not asked for every page: {done}");
}

#[tokio::test]
async fn a_compression_that_is_cancelled_while_a_model_is_asked_publishes_nothing_and_leaves_nothing() {
    let fake = FakeProvider::start([Act::Good, Act::Held, Act::Good]).await;
    let app = app_of(small_window(&fake), 60).await;
    let queued = app.call("POST", "/v1/sessions/s/compressions", COMPRESS).await;
    let location = queued.headers["location"].to_str().unwrap().to_owned();
    {
        let work = app.work();
        tokio::pin!(work);
        tokio::select! {
            () = &mut work => panic!("it ended"),
            () = fake.arrivals(2) => {}
        }
        assert_eq!(app.call("DELETE", &location, "").await.status, 200);
        fake.release();
        work.await;
    }
    let asked = fake.seen().len();
    assert_eq!(asked, 2, "nothing more is asked for what was cancelled");
    let cancelled = app.call("GET", &location, "").await.json();
    assert_eq!(
        (&cancelled["status"], &cancelled["version"]),
        (&json!("cancelled"), &json!(null)),
        "{cancelled}"
    );
    assert_eq!(app.call("GET", "/v1/sessions/s/summary", "").await.status, 404);
    let done = compressed(&app, "").await;
    assert_eq!(
        (&done["status"], &done["engine"], &done["version"]),
        (&json!("succeeded"), &json!("llm"), &json!(1)),
        "{done}"
    );
    let mut look = app.database.connect().await;
    assert_eq!(number(&mut look, "select count(*) from narrative_chunks").await, 0);
}
