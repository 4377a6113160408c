use rstest::rstest;

use super::*;
use crate::ledger::tests::Talk;
use crate::ledger::{EarlierNames, LedgerState, read as read_facts};
use anchord_messages::message::Numbered;

fn use_of(tool: &str, arguments: &str, output: &str) -> Vec<Numbered> {
    Talk::from(4).tool(tool, arguments.parse().unwrap(), output).span().to_vec()
}

/// What is shown by one use of a tool, a line for each thing.
fn shown(tool: &str, arguments: &str, output: &str) -> Vec<String> {
    let facts =
        read_facts(&use_of(tool, arguments, output), &LedgerState::default(), &EarlierNames::default());
    let line = |thing: &Thing| {
        let properties: Vec<String> =
            thing.properties.iter().map(|p| format!("{}={}", p.name, p.value)).collect();
        format!("{} {}: {}", thing.kind, thing.id, properties.join("; "))
    };
    facts.things.iter().map(line).collect()
}

fn ran(command: &str, output: &str) -> Vec<String> {
    shown("Bash", &serde_json::json!({ "command": command }).to_string(), output)
}

#[test]
fn an_object_with_an_id_is_a_thing_with_all_that_is_said_of_it() {
    let output = r#"{"reservation_id": "LQ940Q", "cabin": "economy", "insurance": null, "flights": [
        {"flight_number": "HAT294", "date": "2024-05-16"}, {"flight_number": "HAT013", "date": "2024-05-17"}],
        "passengers": [{"first": "Omar"}], "bags": {"free": 2, "paid": 0}}"#;
    assert_eq!(
        shown("get_reservation_details", r#"{"reservation_id": "LQ940Q"}"#, output),
        [
            "reservation LQ940Q: cabin=economy; flights=(flight_number, date) HAT294, 2024-05-16; HAT013, 2024-05-17; \
             passengers={first: Omar}; bags=free: 2, paid: 0"
        ]
    );
}

#[rstest]
#[case::by_the_call("get_user", r#"{"user_id": "u_7"}"#, r#"{"email": "a@b.c", "tier": "gold"}"#, &["user u_7: email=a@b.c; tier=gold"])]
#[case::in_a_list("list_orders", "{}", r#"[{"id": 7, "total": 12.50}, {"id": 8, "total": 3}]"#, &["order 7: total=12.50", "order 8: total=3"])]
#[case::wrapped("query", "{}", r#"{"data": {"issues": {"nodes": [{"identifier": "ENT-1", "title": "t"}]}}}"#, &["issue ENT-1: title=t"])]
#[case::under_ids("get_cards", "{}", r#"{"cards": {"card_1": {"balance": 3}, "card_2": {"balance": 4}}}"#, &["card card_1: balance=3", "card card_2: balance=4"])]
#[case::beyond_64_bits("get_order", "{}", r#"{"id": "o1", "serial": 123456789012345678901234567890}"#, &["order o1: serial=123456789012345678901234567890"])]
#[case::in_another_language("查询订单", "{}", r#"{"订单编号": "A-12", "状态": "已发货", "金额": 30}"#, &["查询订单 A-12: 状态=已发货; 金额=30"])]
#[case::a_failure("get_order", r#"{"order_id": "7"}"#, r#"{"error": "order not found"}"#, &[])]
#[case::no_identity("get_weather", "{}", r#"{"temperature": 3, "wind": "calm"}"#, &[])]
#[case::ids_of_machines("get_issue", "{}", r#"{"identifier": "ENT-1", "id": "ef5624bc-1c4f-442c-9eb7-a8a3298af18a", "teamId": "832db0be-d9d8-45dc-9774-7f35babe62c0", "author": {"name": "Ana", "avatar_url": "https://x/y", "id": "832db0be-d9d8-45dc-9774-7f35babe62c0"}}"#, &["issue ENT-1: author=name: Ana"])]
#[case::a_file("Read", r#"{"file_path": "a.json"}"#, r#"{"id": 7, "name": "x", "total": 2}"#, &[])]
#[case::nothing_but_ids("list_ids", "{}", r#"[{"id": 1}, {"id": 2}]"#, &[])]
fn objects(#[case] tool: &str, #[case] arguments: &str, #[case] output: &str, #[case] expected: &[&str]) {
    assert_eq!(shown(tool, arguments, output), expected);
}

#[rstest]
#[case::markdown("list_people", "| name | role |\n|------|------|\n| Ada | lead |\n| Bo | dev |\n", &["people Ada: role=lead", "people Bo: role=dev"])]
#[case::psql("run_query", " id | total \n----+-------\n  1 |    30\n  2 |    40\n(2 rows)\n", &["1: total=30", "2: total=40"])]
#[case::key_values("describe_volume", "Name: vol-1\nState: in use\nSize: 30 GB\n", &["volume vol-1: state=in use; size=30 GB"])]
#[case::prose("ask_expert", "Note: this is fine.\nI think: it works.\n", &[])]
fn tables(#[case] tool: &str, #[case] output: &str, #[case] expected: &[&str]) {
    let told = shown(tool, "{}", output);
    assert_eq!(told.len(), expected.len(), "{told:?}");
    for (told, expected) in told.iter().zip(expected) {
        assert!(told.ends_with(expected), "{told}");
    }
}

#[rstest]
#[case::kubectl("kubectl get pods", "NAME      READY   STATUS\nweb-1     1/1     Running\nweb-2     0/1     CrashLoopBackOff\n", &["pod web-1: ready=1/1; status=Running", "pod web-2: ready=0/1; status=CrashLoopBackOff"])]
#[case::gh("gh pr checks 7", "lint\tpass\t12s\thttps://x/1\nunit\tfail\t3m\thttps://x/2\n", &["pr checks lint: =pass, 12s, https://x/1", "pr checks unit: =fail, 3m, https://x/2"])]
#[case::a_log("gh run view 7 --log", "shell-test\tRun specs\t2026-08-11T07:31:45.4187639Z make: error 2\nshell-check\tRun specs\t2026-08-11T07:31:58.8641752Z done\n", &[])]
#[case::tabs_under_names("acme list", "id\tname\tstate\nw-1\tshop\tup\nw-2\tapi\tdown\n", &["w-1: name=shop; state=up", "w-2: name=api; state=down"])]
#[case::files("cat pods.txt", "NAME      READY   STATUS\nweb-1     1/1     Running\n", &[])]
#[case::json_lines("docker ps --format json", "{\"ID\":\"ab12\",\"State\":\"up\"}\n{\"ID\":\"cd34\",\"State\":\"down\"}\n", &["ps ab12: State=up", "ps cd34: State=down"])]
fn commands(#[case] command: &str, #[case] output: &str, #[case] expected: &[&str]) {
    let told = ran(command, output);
    assert_eq!(told.len(), expected.len(), "{told:?}");
    for (told, expected) in told.iter().zip(expected) {
        let (_, said) = told.split_once(": ").unwrap();
        let (_, wanted) = expected.split_once(": ").unwrap();
        assert_eq!(said, wanted);
        assert!(told.contains(expected.split_once(": ").unwrap().0.rsplit(' ').next().unwrap()), "{told}");
    }
}

#[test]
fn a_million_rows_are_bounded_and_counted() {
    let rows: Vec<String> = (0..1_000_000).map(|n| format!(r#"{{"id":"r{n}","v":{n}}}"#)).collect();
    let span = use_of("list_rows", "{}", &format!("[{}]", rows.join(",")));
    let facts = read_facts(&span, &LedgerState::default(), &EarlierNames::default());
    assert_eq!(facts.things.len(), MOST_OF_SPAN);
    assert_eq!(facts.things.len() + facts.things_left_out as usize, 1_000_000);
    assert!(facts.things.iter().map(Thing::bytes).sum::<usize>() <= MOST_BYTES_OF_SPAN);
}

#[test]
fn an_object_nested_a_hundred_deep_is_told_as_far_as_it_goes() {
    let deep = format!(r#"{{"id":"x","inner":{}1{}}}"#, r#"{"a":"#.repeat(100), "}".repeat(100));
    assert_eq!(shown("get_tree_node_of_market", "{}", &deep).len(), 0, "a tree is about files");
    let told = shown("get_market", "{}", &deep);
    assert_eq!(told.len(), 1);
    assert!(
        told[0].starts_with("market x: inner=") && told[0].contains('…') && told[0].len() < 200,
        "{told:?}"
    );
}

#[test]
fn ids_that_collide_are_kept_apart_by_their_kind() {
    let users = use_of(
        "get_users",
        "{}",
        r#"{"users": [{"id": 1, "name": "Ada"}], "orders": [{"id": 1, "total": 30}]}"#,
    );
    let facts = read_facts(&users, &LedgerState::default(), &EarlierNames::default());
    let told: Vec<_> = facts
        .things
        .iter()
        .map(|t| (t.kind.as_str(), t.id.as_str(), t.properties[0].value.as_str()))
        .collect();
    assert_eq!(told, [("user", "1", "Ada"), ("order", "1", "30")]);
}

#[test]
fn who_names_a_thing_is_counted() {
    let order = r#"{"id": "ORD-7", "total": 3}"#;
    let talk =
        Talk::from(4).tool("get_order", serde_json::json!({}), order).user("Cancel ORD-7, not ORD-70.");
    let known = EarlierNames { things: vec!["OLD-1", "ORD-70"], ..EarlierNames::default() };
    let facts = read_facts(talk.span(), &LedgerState::default(), &known);
    assert_eq!(facts.named, [("ORD-7".to_owned(), vec![6]), ("ORD-70".to_owned(), vec![6])]);
}

proptest::proptest! {
    #[test]
    fn any_output_is_read_within_bounds(text in "[\\[\\]{}:,\"|\\-a-c0-9\\t\\n .é]{0,300}", tool in "[a-z_]{0,12}") {
        for thing in shown(&tool, "{}", &text) {
            proptest::prop_assert!(thing.len() < 40_000);
        }
    }
}

#[rstest]
#[case::another_record_of_keys("list_hosts", "{}", "Name: web-1\nStatus: up\nIP: 1\nName: web-2\nStatus: down\nZone: b\n", &["host web-1: status=up; ip=1", "host web-2: status=down; zone=b"])]
#[case::indented("get_pod", "{}", "Name: web-1\nAge: 5\nNode: n1\nOwner:\n  Name: bob\n  Status: fired\n  Team: x\n", &["pod web-1: age=5; node=n1"])]
#[case::rows_of_one_owner("list_lines", "{}", r#"[{"user_id":"u1","status":"shipped"},{"user_id":"u1","status":"lost"}]"#, &[])]
#[case::another_things_id("get_refund", "{}", r#"{"refund":{"order_id":"A1","status":"denied"}}"#, &[])]
#[case::where_it_looked("get_pr", r#"{"repo":"b","number":7}"#, r#"{"number":7,"state":"merged"}"#, &["pr (repo b) 7: state=merged"])]
#[case::a_try("update_order", r#"{"order_id":"7","dry_run":true}"#, r#"{"order_id":"7","state":"paid"}"#, &[])]
#[case::what_goes("delete_order", r#"{"order_id":"7"}"#, r#"{"order_id":"7","state":"paid"}"#, &["order 7: state=paid; shown by=delete_order"])]
#[case::turned_around("get_order", r#"{"order_id":"7"}"#, "{\"order_id\":\"7\",\"state\":\"a\u{202e}b\"}", &["order 7: state=ab"])]
#[case::secrets("get_account", "{}", r#"{"account_id":"x1","password":"hunter2","session_token":"t"}"#, &["account x1: password=[REDACTED:property]; session_token=[REDACTED:property]"])]
#[case::a_secret_is_no_id("get_login", "{}", r#"{"token":"tok-123","x":1}"#, &[])]
#[case::secrets_of_a_table("list_people", "{}", "| name | password |\n|---|---|\n| Ada | correct horse |\n", &["people Ada: password=[REDACTED:property]"])]
fn what_is_told_of_a_thing_is_true_and_no_secret(
    #[case] tool: &str,
    #[case] arguments: &str,
    #[case] output: &str,
    #[case] expected: &[&str],
) {
    assert_eq!(shown(tool, arguments, output), expected);
}

#[test]
fn one_thing_under_one_id_is_one_entry() {
    let told = |calls: &[(&str, &str)]| {
        let span: Vec<Numbered> =
            calls.iter().flat_map(|(tool, output)| use_of(tool, "{}", output)).collect();
        let facts = read_facts(&span, &LedgerState::default(), &EarlierNames::default());
        facts.things.iter().map(|t| format!("{} {}", t.kind, t.id)).collect::<Vec<_>>()
    };
    let build = r#"{"id": "build-77", "state": "queued"}"#;
    let nightly = r#"{"nightly_build_id": "build-77", "state": "done"}"#;
    assert_eq!(
        told(&[("get_build", build), ("query", nightly), ("query", build)]),
        ["nightly build build-77"]
    );
    let issue = r#"{"id": "ENT-217", "state": "open"}"#;
    let listed =
        |team: &str| use_of("list_issues", &format!(r#"{{"team": "{team}"}}"#), &format!("[{issue}]"));
    let span = [listed("a"), listed("b"), use_of("get_issue", "{}", issue)].concat();
    let facts = read_facts(&span, &LedgerState::default(), &EarlierNames::default());
    assert_eq!(facts.things.iter().map(Thing::key).collect::<Vec<_>>(), ["issue\u{1f}ENT-217"]);
    // A number is the id of many things, and a name of things of several kinds.
    assert_eq!(
        told(&[("get_build", r#"{"id": 77, "state": "a"}"#), ("query", r#"{"id": 77, "state": "a"}"#)]).len(),
        2
    );
    assert_eq!(told(&[("get_pod", build), ("get_deployment", build)]).len(), 2);
}
