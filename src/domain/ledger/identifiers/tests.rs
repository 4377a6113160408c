use super::super::super::message::{Message, Part};
use super::*;
use rstest::rstest;
use std::borrow::Cow;

fn read(span: &[Numbered], uses: &[Invocation<'_>]) -> Vec<IdentifierFact> {
    let said: Vec<_> = span.iter().map(|n| super::super::prose::person_text(&n.message)).collect();
    super::read(span, &said, uses)
}

fn said(role: Role, text: &str) -> Vec<(String, String)> {
    let span = [Numbered {
        seq: 3,
        message: Message { role, name: None, parts: vec![Part::Text(text.to_owned())] },
    }];
    read(&span, &[]).into_iter().map(|f| (f.key, f.value)).collect()
}

fn used(tool: &str, arguments: &str, command: Option<&str>, output: &str) -> Vec<(String, String)> {
    let invocation = Invocation {
        tool: Cow::Borrowed(tool),
        arguments: Cow::Borrowed(arguments),
        command: command.map(Cow::Borrowed),
        cwd: None,
        output: Some(Cow::Borrowed(output)),
        exit_code: None,
        failed: None,
        call_seq: 1,
        result_seq: Some(2),
    };
    read(&[], &[invocation]).into_iter().map(|f| (f.key, f.value)).collect()
}

#[rstest]
#[case("My user ID is ana_li_6136", "user_id", "ana_li_6136")]
#[case("reservation number: XEW9D1", "reservation_number", "XEW9D1")]
#[case("flight HAT030 is full", "flight_number", "HAT030")]
#[case("the server listens on port 8080", "port", "8080")]
#[case("see https://ana:pw@example.com/a?x=1.", "url", "https://example.com/a?x=1")]
#[case("fixed in commit 45ffe0a", "commit", "45ffe0a")]
#[case("look at PR #123", "pull_request", "#123")]
#[case("this is ENT-212", "ticket", "ENT-212")]
#[case("it costs $1,200.50 in all", "amount", "$1,200.50")]
#[case("一共 500元", "amount", "500元")]
#[case("let's meet on 2026-03-01", "date", "2026-03-01")]
#[case("upgrade to Django 4.2.1", "django_version", "4.2.1")]
#[case("set `DATABASE_URL` first", "env_or_constant", "DATABASE_URL")]
#[case("mail ana@example.com", "email", "ana@example.com")]
#[case("host 10.1.2.3", "ip", "10.1.2.3")]
fn an_identifier_in_speech_is_kept_with_its_key(#[case] text: &str, #[case] key: &str, #[case] value: &str) {
    let found = said(Role::User, text);
    assert!(found.contains(&(key.to_owned(), value.to_owned())), "{found:?}");
}

#[rstest]
#[case("It is encoded as UTF-8 with SHA-256.")]
#[case("It took 3 of the 5 tries.")]
#[case("In section 1.2 we say so.")]
fn plain_words_are_no_identifiers(#[case] text: &str) {
    assert_eq!(said(Role::User, text), []);
}

#[test]
fn json_keys_name_their_values() {
    let found = used(
        "get_order",
        r#"{"order_id": "W77", "id": "x-1", "note": "some text here"}"#,
        None,
        r#"{"items": [{"id": "i-9", "price": 12.5}], "user": {"id": 4}}"#,
    );
    for (key, value) in
        [("order_id", "W77"), ("order_id", "x-1"), ("item_id", "i-9"), ("price", "12.5"), ("user_id", "4")]
    {
        assert!(found.contains(&(key.to_owned(), value.to_owned())), "{key} in {found:?}");
    }
    assert_eq!(found.len(), 5);
}

#[test]
fn a_commit_is_kept_with_its_subject() {
    let found = used("bash", "", Some("git commit -m x"), "[main 45ffe0a] Release v0.8.0\n 1 file changed");
    assert_eq!(found, [("commit".to_owned(), "45ffe0a Release v0.8.0".to_owned())]);
}

#[test]
fn hashes_of_lock_files_are_no_identifiers() {
    let output = (0..200)
        .map(|n| format!("sha512-{n}aGVsbG8gd29ybGQ=\nintegrity 9f86d081884c7d659a2feaa0c55ad015{n:08x}"))
        .collect::<Vec<_>>()
        .join("\n");
    assert_eq!(used("bash", "", Some("cat yarn.lock"), &output), []);
}

#[test]
fn secrets_under_keys_are_not_kept() {
    assert_eq!(used("login", r#"{"api_token_id": "abc123", "password": "x1"}"#, None, ""), []);
}

#[test]
fn many_identifiers_are_bounded_and_calls_come_first() {
    let text = (0..400).map(|n| format!("ticket ABC-{n}")).collect::<Vec<_>>().join("\n");
    let span = [Numbered {
        seq: 1,
        message: Message { role: Role::Assistant, name: None, parts: vec![Part::Text(text)] },
    }];
    assert!(read(&span, &[]).len() <= MAX_IDENTIFIERS);
}

proptest::proptest! {
    #[test]
    fn no_text_panics(text in "\\PC{0,300}") {
        let _ = said(Role::User, &text);
        let _ = used("bash", &text, Some(&text), &text);
    }
}

#[rstest]
#[case("Das Budget liegt bei 4.500 Euro.", "amount", "4.500 Euro")]
#[case("Der Saal ist am 14. Juni belegt.", "date", "14. Juni")]
#[case("commandée le 4 mars 2026", "date", "4 mars 2026")]
#[case("El lanzamiento es el 12 de octubre.", "date", "12 de octubre")]
#[case("Сдать нужно до 3 мая 2026, не позже.", "date", "3 мая 2026")]
#[case("His phone number is 555-0142.", "phone_number", "555-0142")]
fn figures_of_other_languages_are_read(#[case] text: &str, #[case] key: &str, #[case] value: &str) {
    assert_eq!(said(Role::User, text), [(key.to_owned(), value.to_owned())]);
}
