//! Todo lists: the caller's list of a session, which compressions read and update.

use crate::api::prelude::*;
use anchord_facts::ledger::TodoStatus;
use anchord_facts::todo::{MAX_TODO_CHARS, MAX_TODOS, Todo, TodoChange};
use anchord_store::todos::TodoList;

/// The list that replaces the one there is. The reply of a GET can be sent back.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(examples(json!({"todos": [{"content": "Add the login form", "status": "in_progress"}]})))]
#[schema(as = ReplaceTodos)]
pub struct NewTodos {
    /// The items, in order.
    #[schema(max_items = 200)]
    pub todos: Vec<NewTodo>,
    /// As a GET returns it. Ignored.
    #[serde(default, rename = "changes")]
    #[schema(value_type = Option<Vec<TodoChange>>, read_only)]
    _changes: ReadOnly,
    /// As a GET returns it. Ignored.
    #[serde(default, rename = "changed_in_version")]
    #[schema(value_type = Option<i64>, read_only)]
    _changed_in_version: ReadOnly,
    /// As a GET returns it. Ignored.
    #[serde(default, rename = "revision")]
    #[schema(value_type = Option<i64>, read_only)]
    _revision: ReadOnly,
    /// As a GET returns it. Ignored.
    #[serde(default, rename = "updated_at")]
    #[schema(value_type = Option<DateTime<Utc>>, read_only)]
    _updated_at: ReadOnly,
}

/// One item of a list.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = TodoInput)]
pub struct NewTodo {
    /// The task.
    #[schema(min_length = 1, max_length = 1000)]
    pub content: String,
    /// How far it is.
    pub status: TodoStatus,
    /// As a GET returns it. Ignored.
    #[serde(default, skip_serializing, rename = "proposed_status")]
    #[schema(value_type = Option<TodoStatus>, read_only)]
    _proposed_status: ReadOnly,
    /// As a GET returns it. Ignored.
    #[serde(default, skip_serializing, rename = "seqs")]
    #[schema(value_type = Option<Vec<i64>>, read_only)]
    _seqs: ReadOnly,
}

impl NewTodo {
    const fn new(content: String, status: TodoStatus) -> Self {
        Self { content, status, _proposed_status: ReadOnly, _seqs: ReadOnly }
    }
}

impl From<Todo> for NewTodo {
    fn from(todo: Todo) -> Self {
        Self::new(todo.content, todo.status)
    }
}

/// Reads a session's todo list.
///
/// After a compression it tells what the messages completed (`changes`), and what they seem to complete
/// (`proposed_status`), which only the caller sets.
#[utoipa::path(
    get, path = "/v1/sessions/{session_id}/todos", tag = "todos", operation_id = "todos.list", params(SessionPath),
    responses((status = 200, body = TodoList, description = "The list; empty before the first."))
)]
pub async fn find_todos(
    Reader { caller, state }: Reader,
    Path(path): Path<SessionPath>,
) -> Result<Reply<TodoList>> {
    let found = state.store.find_todos(caller.tenant, &path.session_id).await?;
    Ok(Reply(found.or_missing(Kind::SessionNotFound)?))
}

/// Replaces a session's todo list.
///
/// At the next compression its completed items become decisions made, those in progress the task in hand,
/// and the open ones the next steps; it overrides lists written by tools. The reply tells what is
/// different from the list before.
#[utoipa::path(
    put, path = "/v1/sessions/{session_id}/todos", tag = "todos", operation_id = "todos.replace", params(SessionPath), request_body = NewTodos,
    responses((status = 200, body = TodoList, description = "The list as it is now, and what changed."))
)]
pub async fn replace_todos(
    Writer { caller, state }: Writer,
    Path(path): Path<SessionPath>,
    body: Json<NewTodos>,
) -> Result<Reply<TodoList>> {
    let items = read_todos(body.value.todos)?;
    let found = state.store.replace_todos(caller.tenant, &path.session_id, items).await?;
    Ok(Reply(found.or_missing(Kind::SessionNotFound)?))
}

/// Checks the items.
pub(crate) fn read_todos(new: Vec<NewTodo>) -> Result<Vec<Todo>> {
    if new.len() > MAX_TODOS {
        return Err(ApiError::invalid("/todos", format!("must hold at most {MAX_TODOS} items")));
    }
    let mut errors = Vec::new();
    for (index, todo) in new.iter().enumerate() {
        let refused = if todo.content.trim().is_empty() {
            "must not be blank".to_owned()
        } else if todo.content.contains('\0') {
            "must not contain NUL".to_owned()
        } else if todo.content.chars().count() > MAX_TODO_CHARS {
            format!("must have at most {MAX_TODO_CHARS} characters")
        } else {
            continue;
        };
        errors.push(FieldError { pointer: format!("/todos/{index}/content"), detail: refused });
    }
    if !errors.is_empty() {
        return Err(ApiError::Invalid(errors));
    }
    Ok(new.into_iter().map(|todo| Todo::new(todo.content, todo.status)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_taken_is_refused_at_its_place() {
        let todo = |content: &str| NewTodo::new(content.to_owned(), TodoStatus::Pending);
        let refused = read_todos(vec![todo("fine"), todo(" "), todo("a\0"), todo(&"x".repeat(1001))]);
        let Err(ApiError::Invalid(errors)) = refused else { panic!("taken") };
        let pointers: Vec<&str> = errors.iter().map(|error| error.pointer.as_str()).collect();
        assert_eq!(pointers, ["/todos/1/content", "/todos/2/content", "/todos/3/content"]);
        assert!(read_todos(vec![todo("x"); 201]).is_err());
    }
}
