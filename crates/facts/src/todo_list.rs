//! The types of todo lists: the list that a tool writes, the list that the caller keeps, and its changes.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::wording::{self, one_line};
use anchord_messages::id::Seq;

/// A todo list as a tool wrote it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TodoList {
    /// Its items, in the list's order.
    pub items: Vec<TodoItem>,
    /// The messages that the list came from.
    pub seqs: Vec<Seq>,
}

/// One item of a todo list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TodoItem {
    /// The task.
    pub content: String,
    /// Whether it is done.
    pub status: TodoStatus,
}

/// How far a todo item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TodoStatus {
    /// Not started.
    Pending,
    /// In progress.
    InProgress,
    /// Done.
    Completed,
}

/// One item of a caller's list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Todo {
    /// The task.
    pub content: String,
    /// How far it is.
    pub status: TodoStatus,
    /// The status that a compression infers without certainty. Only the caller changes `status`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposed_status: Option<TodoStatus>,
    /// The messages about its completion.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seqs: Vec<Seq>,
}

impl Todo {
    /// An item as its caller gives it.
    pub fn new(content: String, status: TodoStatus) -> Self {
        Self { content, status, proposed_status: None, seqs: Vec::new() }
    }
}

/// How one item differs from what it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TodoChange {
    /// The item.
    pub content: String,
    /// The status before; null for a new item.
    #[schema(required = true)]
    pub from: Option<TodoStatus>,
    /// The status after; null for a removed item.
    #[schema(required = true)]
    pub to: Option<TodoStatus>,
    /// Whether the change is only proposed: the item keeps its status until the caller changes it.
    pub proposed: bool,
    /// The clause of the message that shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// The messages that it came from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seqs: Vec<Seq>,
}

/// A list after a span, and what the span changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Followed {
    /// The items, in the caller's order.
    pub items: Vec<Todo>,
    /// What is different, and what is proposed.
    pub changes: Vec<TodoChange>,
}

impl Followed {
    /// The caller's list in the ledger's type, to replace the list that a tool wrote.
    pub fn list(&self) -> TodoList {
        let item = |todo: &Todo| TodoItem { content: one_line(&todo.content), status: todo.status };
        let mut seqs = Vec::new();
        for change in &self.changes {
            wording::join_seqs(&mut seqs, &change.seqs);
        }
        TodoList { items: self.items.iter().map(item).collect(), seqs }
    }
}
