use super::*;
use crate::todo_list::TodoItem;
use anchord_messages::format::{self, Format};
use anchord_messages::message::Numbered;

fn doing(content: &str) -> Vec<Todo> {
    vec![Todo::new(content.to_owned(), TodoStatus::InProgress)]
}

fn span(texts: &[&str]) -> Vec<Numbered> {
    (1..)
        .zip(texts)
        .map(|(seq, text)| {
            let body = serde_json::json!({"role": "assistant", "content": text}).to_string();
            Numbered { seq, message: format::parse(Format::OpenaiChat, &body).unwrap() }
        })
        .collect()
}

fn after(content: &str, texts: &[&str]) -> (TodoStatus, Option<TodoStatus>) {
    let followed = follow(&doing(content), &Reading::each(&span(texts)), ToolEvidence::default());
    (followed.items[0].status, followed.items[0].proposed_status)
}

mod cases;

const DONE_NOW: (TodoStatus, Option<TodoStatus>) = (TodoStatus::Completed, None);
const PROPOSED: (TodoStatus, Option<TodoStatus>) = (TodoStatus::InProgress, Some(TodoStatus::Completed));
const OPEN: (TodoStatus, Option<TodoStatus>) = (TodoStatus::InProgress, None);

#[test]
fn a_clause_that_says_so_completes_an_item() {
    for (item, text) in [
        ("Add login form", "The login form is done."),
        ("Implement token rotation", "I implemented the token rotation, but the docs are missing."),
        ("Fix bug 12 in the parser", "Fixed bug 12 in the parser."),
        ("Write the migration", "Migration written and deployed."),
        ("Translate the labels", "All labels are translated."),
        ("Add login form", "Progress:\n- [x] Add login form\n- [ ] Add tests"),
        ("修复登录错误", "登录错误已修复。"),
    ] {
        assert_eq!(after(item, &[text]), DONE_NOW, "{item}: {text}");
    }
}

#[test]
fn a_negation_a_condition_and_another_number_complete_nothing() {
    for (item, text) in [
        ("Add login form", "The login form is not done yet."),
        ("Add login form", "Once the login form is done, I will write the docs."),
        ("Add login form", "Is the login form done?"),
        ("Add login form", "The login form isn't finished."),
        ("Fix bug 12 in the parser", "Fixed bug 13 in the parser."),
        ("Add login form", "The signup page is done."),
        ("修复登录错误", "登录错误还没有修复，测试完成。"),
        ("Write tests", "I finished running everything."),
        ("Translate the labels", "The labels are not translated yet."),
    ] {
        assert_eq!(after(item, &[text]).0, TodoStatus::InProgress, "{item}: {text}");
    }
    assert_eq!(after("Add login form", &["The login form is not done yet."]), OPEN);
    assert_eq!(after("Add login form", &["Once the login form is done, I will write the docs."]), OPEN);
}

#[test]
fn what_is_said_less_clearly_is_proposed() {
    for text in [
        "I think the login form is done.",
        "The login form, after a long night: done.",
        "The login form is done with no styling.",
    ] {
        assert_ne!(after("Add login form", &[text]), DONE_NOW, "{text}");
    }
    assert_eq!(after("Add login form", &["I think the login form is done."]), PROPOSED);
    assert_eq!(after("Add login form", &["The login form is done with no styling."]), PROPOSED);
}

#[test]
fn a_later_word_takes_an_earlier_one_back() {
    let texts = ["The login form is done.", "I was wrong: the login form is not done."];
    assert_eq!(after("Add login form", &texts), OPEN);
}

#[test]
fn a_list_that_a_tool_wrote_counts_and_pending_items_stay() {
    let items = vec![TodoItem { content: "add login form".into(), status: TodoStatus::Completed }];
    let written = TodoList { items, seqs: vec![3] };
    let mut list = doing("Add login form");
    list.push(Todo::new("Docs are done".into(), TodoStatus::Pending));
    let followed = follow(
        &list,
        &Reading::each(&span(&["Docs are done."])),
        ToolEvidence { written: Some(&written), failed_at: None },
    );
    assert_eq!(followed.items[0].status, TodoStatus::Completed);
    assert_eq!(followed.items[1].status, TodoStatus::Pending);
    assert_eq!(followed.changes.len(), 1);
    assert_eq!(followed.changes[0].seqs, [3]);
}

#[test]
fn a_new_list_tells_what_came_went_and_moved_on() {
    let before = [doing("a"), doing("b"), doing("b")].concat();
    let mut after = [doing("a"), doing("b")].concat();
    after[0].status = TodoStatus::Completed;
    after.push(Todo::new("c".into(), TodoStatus::Pending));
    let told: Vec<(String, bool, bool)> = changes(&before, &after)
        .into_iter()
        .map(|change| (change.content, change.from.is_some(), change.to.is_some()))
        .collect();
    let named = |name: &str, from, to| (name.to_owned(), from, to);
    assert_eq!(told, [named("a", true, true), named("c", false, true), named("b", true, false)]);
}

#[test]
fn a_megabyte_of_claims_is_read_in_linear_time() {
    let text = "The login form is done and the signup is not done, if it was. ".repeat(17_000);
    let list: Vec<Todo> = (0..200)
        .map(|i| Todo::new(format!("login form signup {i} {}", "word ".repeat(100)), TodoStatus::InProgress))
        .collect();
    assert_eq!(follow(&list, &Reading::each(&span(&[&text])), ToolEvidence::default()).items.len(), 200);
}
