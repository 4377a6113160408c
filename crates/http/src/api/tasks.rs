//! Tasks: their usage over all their sessions, and their outcome.

use crate::api::prelude::*;
use anchord_session::usage::TaskStatus;
use anchord_store::usage::Task;

/// The path of a task.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct TaskPath {
    /// The task's id, as sessions name it in `task_id`.
    #[param(min_length = 1, max_length = 200, example = "auth-rewrite")]
    pub task_id: String,
}

/// The status of a task.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(examples(json!({"status": "completed"})), as = TaskUpdate)]
pub struct NewTaskStatus {
    /// The status. `completed`, `failed` and `abandoned` end the task; `active` reopens it.
    pub status: TaskStatus,
}

/// Reads a task: tokens, requests, what was fetched again, and what the service added to the agent's time.
///
/// A use belongs to the task that its session had at that time. Erasing a session takes its figures along,
/// and the last one of a task takes the task.
#[utoipa::path(
    get, path = "/v1/tasks/{task_id}", tag = "tasks", operation_id = "tasks.get", params(TaskPath),
    responses((status = 200, body = Task, description = "The task."))
)]
pub async fn find_task(Reader { caller, state }: Reader, Path(path): Path<TaskPath>) -> Result<Reply<Task>> {
    Ok(Reply(state.store.find_task(caller.tenant, &path.task_id).await?.or_missing(Kind::TaskNotFound)?))
}

/// Sets the status of a task.
///
/// A task exists as soon as a session names it, and is active until its status is set here.
#[utoipa::path(
    put, path = "/v1/tasks/{task_id}", tag = "tasks", operation_id = "tasks.put", params(TaskPath), request_body = NewTaskStatus,
    responses((status = 200, body = Task, description = "The task as it is now."))
)]
pub async fn put_task(
    Writer { caller, state }: Writer,
    Path(path): Path<TaskPath>,
    body: Json<NewTaskStatus>,
) -> Result<Reply<Task>> {
    let found = state.store.put_task(caller.tenant, &path.task_id, body.value.status).await?;
    Ok(Reply(found.or_missing(Kind::TaskNotFound)?))
}
