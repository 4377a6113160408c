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

#[test]
fn a_later_word_takes_an_earlier_one_back() {
    let texts = ["The login form is done.", "I was wrong: the login form is not done."];
    assert_eq!(after("Add login form", &texts), (TodoStatus::InProgress, None));
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
