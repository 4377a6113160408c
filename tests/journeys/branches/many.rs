//! Many branches of one session: deep, as many as there may be, and made at once.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{SESSION, contents, context, count, forked, say, words};
use crate::support::app::app;
use crate::support::erasing::{hold_erasing, until_waiting};
use anchord_store::branches::MAX_BRANCHES;

/// Numbers that look random, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(bound.max(1)).unwrap_or(1)).unwrap_or_default()
    }
}

#[tokio::test]
async fn every_message_of_every_branch_of_a_deep_tree_is_found() {
    let app = app().await;
    let mut random = Random(0x5eed);
    say(&app, "", &words("root", 2)).await;
    let mut model = BTreeMap::from([("main".to_owned(), words("root", 2))]);
    let mut deepest = "main".to_owned();
    for number in 0..160 {
        // Mostly the deepest one is forked, near its end, so that the tree is deep; else any, anywhere.
        let names: Vec<String> = model.keys().cloned().collect();
        let is_deep = random.below(16) > 0;
        let from = if is_deep { deepest.clone() } else { names[random.below(names.len())].clone() };
        let shared = &model[&from];
        let seq = if is_deep { shared.len() - random.below(2) } else { random.below(shared.len() + 1) };
        let name = format!("b{number}");
        forked(&app, json!({"name": name, "from": from, "seq": seq})).await;
        let own = words(&name, 2);
        say(&app, &format!("?branch={name}"), &own).await;
        let whole: Vec<String> = shared[..seq].iter().chain(&own).cloned().collect();
        if is_deep {
            deepest.clone_from(&name);
        }
        model.insert(name, whole);
    }
    assert!(count(&app, "select max(depth)::bigint from sessions").await >= 120);
    for (name, said) in &model {
        assert_eq!(&contents(&app, &format!("?branch={name}&limit=1000")).await, said, "{name}");
    }
    let served = context(&app, &format!("?branch={deepest}")).await;
    assert_eq!(served["messages"].as_array().map(Vec::len), Some(model[&deepest].len()));
    // The first owner is found by few steps, however deep the branch is.
    let jumps = "with recursive steps (id, jump_id, base_seq, place) as (
                   select id, jump_id, base_seq, 0 from sessions where depth = (select max(depth) from sessions)
                   union all
                   select s.id, s.jump_id, s.base_seq, steps.place + 1 from steps join sessions s on s.id = steps.jump_id
                 ) select max(place)::bigint from steps";
    assert!(count(&app, jumps).await <= 14);
    app.store.flush_usage(None).await.expect("a flush");
    let stored = count(&app, "select sum(octet_length(body))::bigint from messages").await;
    assert_eq!(count(&app, "select sum(bytes)::bigint from usage_by_day").await, stored, "counted once");
}

/// As many branches as a session may have are made by rows: twenty thousand requests take minutes.
#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "rows that no operation makes so fast")]
async fn a_session_has_so_many_branches_and_no_more_until_one_is_erased() {
    let app = app().await;
    for session in ["s", "other"] {
        let settings = r#"{"task_id": "task", "auto": false}"#;
        assert_eq!(app.call("PUT", &format!("/v1/sessions/{session}"), settings).await.status, 201);
    }
    say(&app, "", &words("first", 4)).await;
    forked(&app, json!({"name": "b"})).await;
    let mut connection = app.database.connect_as_superuser().await;
    let others = sqlx::query(
        "insert into sessions (tenant_id, id, name, settings, head_seq, indexed_seq, accounting, recent, root_id, branch,
                               depth, base_id, base_seq, jump_id, jump_seq, version_base_id)
         select b.tenant_id, made.id, E'\\x02' || made.id, b.settings, b.head_seq, b.indexed_seq, b.accounting, b.recent,
                b.root_id, 'b' || n, b.depth, b.base_id, b.base_seq, b.jump_id, b.jump_seq, b.version_base_id
         from sessions b, generate_series(2, $1) n,
              lateral (select gen_random_uuid() as id where n > 0) made
         where b.branch = 'b'",
    );
    let others = others.bind(MAX_BRANCHES - 1).execute(&mut connection).await.expect("rows");
    assert_eq!(others.rows_affected(), u64::try_from(MAX_BRANCHES - 2).unwrap());
    let counted = format!("update sessions set branch_count = {} where name = 's'", MAX_BRANCHES - 1);
    sqlx::query(sqlx::AssertSqlSafe(counted)).execute(&mut connection).await.expect("a count");

    forked(&app, json!({"name": "last"})).await;
    let truncate = json!({"seq": 2});
    let other = json!({"messages": [{"role": "user", "content": "another beginning"}]});
    let refused = async || {
        for (method, path, body) in [
            ("POST", "branches", json!({})),
            ("POST", "truncate", truncate.clone()),
            ("PUT", "transcript", other.clone()),
        ] {
            let reply = app.call(method, &format!("{SESSION}/{path}"), body.to_string()).await;
            let (status, kind, _) = reply.refusal();
            assert_eq!((status, kind.as_str()), (409, "too-many-branches"), "{path}");
        }
        assert_eq!(contents(&app, "").await, words("first", 4));
    };
    refused().await;
    let all = format!(
        "select count(*) - {MAX_BRANCHES} from sessions where root_id is not null and dropped_at is null"
    );
    assert_eq!(count(&app, &all).await, 0);
    for make in ["branches", "truncate", "transcript"] {
        assert_eq!(app.call("DELETE", &format!("{SESSION}/branches/b7"), "").await.status, 204);
        let made = match make {
            "branches" => app.call("POST", &format!("{SESSION}/branches"), r#"{"name": "b7"}"#).await,
            "truncate" => app.call("POST", &format!("{SESSION}/truncate"), truncate.to_string()).await,
            _ => app.call("PUT", &format!("{SESSION}/transcript"), other.to_string()).await,
        };
        assert!(made.status.is_success(), "{make}: {}", made.text);
        let current = if make == "branches" { "main" } else { break };
        let to = json!({"name": current}).to_string();
        assert_eq!(app.call("PUT", &format!("{SESSION}/current-branch"), to).await.status, 200);
        refused().await;
    }

    // While all of them are erased, which is one statement, nothing else of the tenant or of the task waits.
    hold_erasing(&mut connection, "s").await;
    let meanwhile = async {
        until_waiting(&mut app.database.connect().await, 1).await;
        for (method, path, body) in [
            ("POST", "other/messages", json!({"messages": [{"role": "user", "content": "meanwhile"}]})),
            ("POST", "other/branches", json!({"name": "b"})),
            ("PUT", "new", json!({"task_id": "task"})),
            ("PATCH", "other", json!({"task_id": "another"})),
            ("DELETE", "new", Value::Null),
        ] {
            let body = if body.is_null() { String::new() } else { body.to_string() };
            app.call(method, &format!("/v1/sessions/{path}"), body).await.good();
        }
        sqlx::query("select pg_advisory_unlock(77)").execute(&mut connection).await.expect("the lock");
    };
    let (erased, ()) = futures::join!(app.call("DELETE", SESSION, ""), meanwhile);
    assert_eq!(erased.status, 204);
    assert_eq!(app.call("GET", SESSION, "").await.status, 404);
    assert_eq!(app.call("GET", &format!("{SESSION}/messages?branch=b9"), "").await.status, 404);
}

#[tokio::test]
async fn appends_forks_and_switches_at_once_mix_no_branches() {
    let app = app().await;
    say(&app, "", &words("first", 2)).await;
    let appends = (0..12).map(|number| {
        let app = &app;
        async move { say(app, "", &[format!("said-{number}")]).await["branch"].clone() }
    });
    let moves = (0..6).map(|number| {
        let app = &app;
        async move { forked(app, json!({"name": format!("b{number}"), "seq": 2, "switch": true})).await }
    });
    let (told, _) = futures::join!(futures::future::join_all(appends), futures::future::join_all(moves));
    let mut found = 0;
    for name in ["main", "b0", "b1", "b2", "b3", "b4", "b5"] {
        let read = contents(&app, &format!("?branch={name}")).await;
        assert_eq!(read[..2], words("first", 2)[..]);
        for said in &read[2..] {
            let number: usize = said.trim_start_matches("said-").parse().expect("a number");
            let branch = told[number].as_str().unwrap_or("main");
            assert_eq!(branch, name, "{said}");
            found += 1;
        }
    }
    assert_eq!(found, 12);
}
