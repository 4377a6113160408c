//! Todo lists that agents keep through tools: whole lists, and single items added or changed.

use serde_json::{Map, Value};

use super::invocation::Invocation;
use super::line::clip_bytes;
use super::tools::{self, Kind};
use super::{TodoItem, TodoList, TodoStatus};

/// The most items of a list.
const MAX_ITEMS: usize = 100;
/// The most bytes of one item.
const ITEM_BYTES: usize = 300;

/// The effect of a call on the todo list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TodoUpdate {
    /// The items are the whole list.
    pub replaces: bool,
    /// Items by id, each with `true` while it is still to be done.
    pub items: Vec<(String, bool)>,
}

/// Applies a span's tool uses to the todo list. `items` is the list by task id, kept between spans. Returns the list at
/// the span's end, when a tool wrote one in the span.
pub(super) fn follow(uses: &[Invocation<'_>], items: &mut Vec<(String, TodoItem)>) -> Option<TodoList> {
    let mut seqs = Vec::new();
    let mut touched = false;
    for one in uses {
        if let Some(list) = progress(one) {
            *items = list;
            touched = true;
            seqs = one.seqs();
            continue;
        }
        if one.failed == Some(true) || one.command.is_some() {
            continue;
        }
        let kind = tools::tool(&one.tool).kind;
        if !matches!(kind, Kind::Todos | Kind::AddTodo | Kind::ChangeTodo) {
            continue;
        }
        let Some(arguments) = one.fields() else { continue };
        let done = if kind == Kind::Todos {
            whole(&arguments, items)
        } else if kind == Kind::AddTodo {
            add(&arguments, one.output.as_deref().unwrap_or(""), items)
        } else {
            change(&arguments, items)
        };
        if done {
            touched = true;
            if kind == Kind::Todos {
                seqs.clear();
            }
            seqs.extend(one.seqs());
        }
    }
    items.truncate(MAX_ITEMS);
    seqs.sort_unstable();
    seqs.dedup();
    touched.then(|| TodoList { items: items.iter().map(|(_, item)| item.clone()).collect(), seqs })
}

/// The change to the list that a call asks for, before its result exists. A single added item is not included, because
/// its id is only in the result.
pub(super) fn announced(kind: Kind, arguments: &Map<String, Value>) -> Option<TodoUpdate> {
    let open = |items: Vec<(String, TodoItem)>| {
        items.into_iter().map(|(id, item)| (id, item.status != TodoStatus::Completed)).collect()
    };
    if let Some(markdown) = arguments.get("task_progress").and_then(Value::as_str) {
        return Some(TodoUpdate { replaces: true, items: open(checklist(markdown)) });
    }
    if kind == Kind::Todos {
        let mut items = Vec::new();
        let replaces = arguments.get("merge").and_then(Value::as_bool) != Some(true);
        whole(arguments, &mut items).then(|| TodoUpdate { replaces, items: open(items) })
    } else if kind == Kind::ChangeTodo {
        let status = status_of(text_of(arguments, &["status", "state"])?);
        let is_open = status.is_some_and(|status| status != TodoStatus::Completed);
        Some(TodoUpdate { replaces: false, items: vec![(id_of(arguments)?, is_open)] })
    } else {
        None
    }
}

fn text_of<'v>(object: &'v Map<String, Value>, keys: &[&str]) -> Option<&'v str> {
    keys.iter().find_map(|k| object.get(*k)?.as_str()).filter(|t| !t.trim().is_empty())
}

const CONTENT: &[&str] = &["content", "step", "subject", "title", "description", "task", "text", "name"];

fn id_of(object: &Map<String, Value>) -> Option<String> {
    match ["id", "taskId", "task_id"].iter().find_map(|k| object.get(*k))? {
        Value::String(id) => Some(clip_bytes(id, ITEM_BYTES)),
        Value::Number(id) => Some(id.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Parses a status; `None` for a deleted or cancelled item.
fn status_of(word: &str) -> Option<TodoStatus> {
    let word: String =
        word.chars().filter(char::is_ascii_alphabetic).map(|c| c.to_ascii_lowercase()).collect();
    match word.as_str() {
        "cancelled" | "canceled" | "deleted" | "removed" => None,
        "completed" | "complete" | "done" | "finished" => Some(TodoStatus::Completed),
        "inprogress" | "doing" | "active" | "started" => Some(TodoStatus::InProgress),
        _ => Some(TodoStatus::Pending),
    }
}

fn whole(arguments: &Map<String, Value>, items: &mut Vec<(String, TodoItem)>) -> bool {
    let value =
        ["todos", "plan", "task_list", "todoList", "items", "tasks"].iter().find_map(|k| arguments.get(*k));
    let listed: Vec<(String, TodoItem)> = match value {
        Some(Value::Array(list)) => list
            .iter()
            .take(MAX_ITEMS)
            .enumerate()
            .filter_map(|(at, item)| {
                let object = item.as_object()?;
                let content = clip_bytes(text_of(object, CONTENT)?.trim(), ITEM_BYTES);
                let status = status_of(text_of(object, &["status", "state"]).unwrap_or("pending"))?;
                Some((id_of(object).unwrap_or_else(|| (at + 1).to_string()), TodoItem { content, status }))
            })
            .collect(),
        Some(Value::String(markdown)) => checklist(markdown),
        _ => return false,
    };
    if arguments.get("merge").and_then(Value::as_bool) == Some(true) {
        for (id, item) in listed {
            let room = items.len() < MAX_ITEMS;
            match items.iter_mut().find(|(i, _)| *i == id) {
                Some((_, old)) => *old = item,
                None if room => items.push((id, item)),
                None => {}
            }
        }
    } else {
        *items = listed;
    }
    true
}

/// The checklist that Cline adds to the arguments of any call.
fn progress(one: &Invocation<'_>) -> Option<Vec<(String, TodoItem)>> {
    if !one.arguments.contains("\"task_progress\"") {
        return None;
    }
    let list = checklist(one.fields()?.get("task_progress")?.as_str()?);
    (!list.is_empty()).then_some(list)
}

fn checklist(markdown: &str) -> Vec<(String, TodoItem)> {
    let item = |line: &str| {
        let rest = line.trim_start().trim_start_matches(['-', '*']).trim_start().strip_prefix('[')?;
        let (mark, content) = rest.split_once(']')?;
        let status = match mark.trim() {
            "x" | "X" => TodoStatus::Completed,
            "-" | "~" | "/" => TodoStatus::InProgress,
            _ => TodoStatus::Pending,
        };
        Some(TodoItem { content: clip_bytes(content.trim(), ITEM_BYTES), status })
    };
    markdown
        .lines()
        .filter_map(item)
        .take(MAX_ITEMS)
        .enumerate()
        .map(|(at, i)| ((at + 1).to_string(), i))
        .collect()
}

fn add(arguments: &Map<String, Value>, output: &str, items: &mut Vec<(String, TodoItem)>) -> bool {
    let Some(content) = text_of(arguments, &["subject", "title", "content", "description"]) else {
        return false;
    };
    let told: String = output
        .split_once('#')
        .map(|(_, rest)| rest.chars().take_while(char::is_ascii_digit).collect())
        .unwrap_or_default();
    let id = if told.is_empty() { (items.len() + 1).to_string() } else { told };
    let item = TodoItem { content: clip_bytes(content.trim(), ITEM_BYTES), status: TodoStatus::Pending };
    if let Some((_, old)) = items.iter_mut().find(|(i, _)| *i == id) {
        *old = item;
        return true;
    }
    let room = items.len() < MAX_ITEMS;
    if room {
        items.push((id, item));
    }
    room
}

fn change(arguments: &Map<String, Value>, items: &mut Vec<(String, TodoItem)>) -> bool {
    let Some(id) = id_of(arguments) else { return false };
    let Some(at) = items.iter().position(|(i, _)| *i == id) else { return false };
    if let Some(word) = text_of(arguments, &["status", "state"]) {
        let Some(status) = status_of(word) else {
            items.remove(at);
            return true;
        };
        if let Some((_, item)) = items.get_mut(at) {
            item.status = status;
        }
    }
    if let (Some(content), Some((_, item))) =
        (text_of(arguments, &["subject", "title", "content"]), items.get_mut(at))
    {
        item.content = clip_bytes(content.trim(), ITEM_BYTES);
    }
    true
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn after(calls: &[(&str, String)]) -> Vec<(String, TodoItem)> {
        let call = |(tool, arguments): &(&str, String)| {
            let mut one =
                Invocation::pending(Cow::Owned((*tool).to_owned()), Cow::Owned(arguments.clone()), 1);
            one.answer(Cow::Borrowed("Task #3 created"), None, 2);
            one
        };
        let uses: Vec<Invocation<'_>> = calls.iter().map(call).collect();
        let mut items = Vec::new();
        let _ = follow(&uses, &mut items);
        items
    }

    const TOOLS: &[&str] = &[
        "TodoWrite", "update_plan", "TaskCreate", "TaskUpdate", "task_tracker", "write_todos", "update_todo",
    ];
    const TOKENS: &[&str] = &[
        "{", "}", "[", "]", "\"todos\":", "\"plan\":", "\"content\":", "\"step\":", "\"status\":", "\"id\":",
        "\"merge\":true", "\"done\"", "\"in_progress\"", "\"a\"", "\"汉 é\"", ",", "1", "null",
        "\"- [x] a\\n- [ ] b\"", "\"taskId\":\"3\"", "\"subject\":\"s\"",
    ];

    proptest! {
        #[test]
        fn no_arguments_make_more_items_than_they_have_or_longer_ones(
            calls in prop::collection::vec((prop::sample::select(TOOLS), prop::collection::vec(prop::sample::select(TOKENS), 0..30), 0..6_usize), 0..8),
        ) {
            let calls: Vec<(&str, String)> = calls
                .into_iter()
                .map(|(tool, tokens, cut)| {
                    let text = tokens.concat();
                    (tool, text[..text.floor_char_boundary(text.len().saturating_sub(cut))].to_owned())
                })
                .collect();
            let all: usize = calls.iter().map(|(_, arguments)| arguments.len()).sum();
            let items = after(&calls);
            prop_assert!(items.len() <= MAX_ITEMS && items.len() <= all);
            prop_assert!(items.iter().all(|(_, i)| i.content.len() <= ITEM_BYTES));
        }

        #[test]
        fn a_list_comes_back_as_it_was_written(
            contents in prop::collection::vec("[a-zé汉][a-zé汉 ]{0,20}[a-z]", 0..12),
            done in prop::collection::vec(any::<bool>(), 12),
        ) {
            let status = |at: usize| if done[at] { "completed" } else { "pending" };
            let todos: Vec<Value> =
                contents.iter().enumerate().map(|(at, c)| json!({"content": c, "status": status(at)})).collect();
            let told: Vec<String> =
                after(&[("TodoWrite", json!({"todos": todos}).to_string())]).into_iter().map(|(_, i)| i.content).collect();
            prop_assert_eq!(&told, &contents);
            let lines: Vec<String> = contents
                .iter()
                .enumerate()
                .map(|(at, c)| format!("- [{}] {c}", if done[at] { 'x' } else { ' ' }))
                .collect();
            let items = after(&[("update_todo", json!({"todos": lines.join("\n")}).to_string())]);
            let marks: Vec<(String, bool)> =
                items.into_iter().map(|(_, i)| (i.content, i.status == TodoStatus::Completed)).collect();
            let expected: Vec<(String, bool)> = contents.into_iter().zip(done).collect();
            prop_assert_eq!(marks, expected);
        }
    }

    #[test]
    fn lists_that_are_merged_again_and_again_stay_bounded() {
        let call = |at: usize| {
            let todos: Vec<Value> = (0..100)
                .map(|n| json!({"id": format!("{at}-{n}"), "content": "x", "status": "pending"}))
                .collect();
            ("TodoWrite", json!({"merge": true, "todos": todos}).to_string())
        };
        assert_eq!(after(&(0..200).map(call).collect::<Vec<_>>()).len(), MAX_ITEMS);
    }
}
