use super::*;
use anchord_messages::message::{Role, ToolCall};

fn said(role: Role, text: &str) -> Message {
    Message { role, name: None, parts: vec![Part::Text(text.to_owned())] }
}

fn called(arguments: &str) -> Message {
    let call = ToolCall { id: "c".to_owned(), name: "run".to_owned(), arguments: arguments.to_owned() };
    Message { role: Role::Assistant, name: None, parts: vec![Part::ToolCall(call)] }
}

fn look(wanted: &[&str], original: &str, context: &str) -> Hindsight {
    let wanted: Vec<String> = wanted.iter().map(|name| (*name).to_owned()).collect();
    let holders = wanted.iter().map(|name| (name.clone(), vec![1])).collect();
    look_back(&wanted, &holders, &BTreeMap::from([(1, said(Role::Tool, original))]), context)
}

#[test]
fn names_are_what_somebody_wrote_and_nobody_else_was_served() {
    let after = [
        called(r#"{"path":"src/store/lock.rs","limit":12}"#),
        said(Role::Tool, "GeneratedName of an output"),
        said(Role::Assistant, "Refund 3925 for HXDUBJ-17, as \"no later flight\" says; the lease is freed."),
        said(Role::User, "and src/store/lock.rs again"),
    ];
    let served = [said(Role::User, "the refund of 3925")];
    assert_eq!(wanted(&after, &served), ["src/store/lock.rs", "hxdubj-17", "no later flight"]);
}

#[test]
fn a_name_counts_when_something_of_its_message_stands_near_it() {
    let original = "reservation HXDUBJ9: price 940, seat 17C, flight HAT239, user mia_li_3668";
    let all = ["hxdubj9", "940", "17c", "hat239", "mia_li_3668"];
    let told = look(&all, original, "HXDUBJ9 costs 940 in 17C on HAT239, for mia_li_3668");
    assert_eq!((told.asked, told.found, told.score), (5, 5, Some(1.0)));
    let apart = all.map(|name| format!("{name}{}", " -".repeat(400))).concat();
    let loose = look(&all, original, &apart);
    assert_eq!((loose.asked, loose.found, loose.score), (5, 0, Some(0.0)));
    assert_eq!(loose.missing, all);
    // A part of another word is not the name.
    assert_eq!(look(&all, original, "19405 xhat2391 hat2390 mia_li_36689 17cm").found, 0);
}

#[test]
fn few_names_say_nothing_and_names_that_no_message_held_are_not_asked() {
    let few = look(&["940", "hat239"], "940 for HAT239", "");
    assert_eq!((few.asked, few.score, few.against(1.0).low), (2, None, false));
    assert_eq!(look(&["src/other.rs"], "940 for HAT239", "").asked, 0);
}

#[test]
fn of_many_names_so_many_are_taken_from_all_over() {
    let text = (0..1_000).map(|n| format!("name_{n}")).collect::<Vec<_>>().join(" ");
    let wanted = wanted(&[said(Role::User, &text)], &[]);
    assert_eq!(wanted.len(), MOST_ASKED);
    assert_eq!((wanted[0].as_str(), wanted[31].as_str()), ("name_0", "name_968"));
}

#[test]
fn other_scripts_and_odd_texts_are_read() {
    let after = [said(Role::User, "«Перенос 15:30» “第3版” \"unclosed\n`a`` …🏗️ \u{0}x.y")];
    let wanted = wanted(&after, &[]);
    assert!(wanted.contains(&"перенос 15:30".to_owned()), "{wanted:?}");
    let told = look(&["перенос 15:30", "第3版"], "«Перенос 15:30» и “第3版”", "ПЕРЕНОС 15:30, 第3版");
    assert_eq!((told.asked, told.found), (2, 2));
}

#[test]
fn a_secret_is_no_name_and_calls_are_read_alike() {
    let secret = "hunter2-prod-9f3a77";
    let after = [
        called(&format!(r#"{{"command":"PGPASSWORD={secret} psql -h db_main -c 'x'"}}"#)),
        said(Role::User, "AuthService"),
    ];
    assert_eq!(wanted(&after, &[]), ["db_main", "authservice"]);
    // What a call was given was served, however it is escaped.
    let served = [called(r#"{"content":"first\nMAX_RETRIES_3 = 5\n\u041f\u0435\u0440-15"}"#)];
    assert!(wanted(&[said(Role::User, "MAX_RETRIES_3 and Пер-15")], &served).is_empty());
}
