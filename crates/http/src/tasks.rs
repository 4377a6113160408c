//! Tasks: their usage over all their sessions, and their outcome.

use axum::extract::State;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::auth::{Reader, Writer};
use super::json::{Json, Reply};
use super::params::Path;
use super::problem::{ApiError, Kind};
use super::state::AppState;
use anchord_session::usage::{TaskStatus, UsageFigures};
use anchord_store::usage::TaskUsage;

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
#[schema(examples(json!({"status": "completed"})))]
#[schema(as = TaskUpdate)]
pub struct NewTaskStatus {
    /// The status. `completed`, `failed` and `abandoned` end the task; `active` reopens it.
    pub status: TaskStatus,
}

/// A task: its status, and the usage of all its sessions.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Task {
    /// The task's id.
    pub task_id: String,
    /// The status.
    pub status: TaskStatus,
    /// When it ended; null while it is active.
    #[schema(required = true)]
    #[serde(serialize_with = "anchord_messages::time::serialize_option")]
    pub ended_at: Option<DateTime<Utc>>,
    /// Sessions that are part of it, or were when they used something.
    pub sessions: i64,
    /// Versions that compressions of these sessions published.
    pub compressions: i64,
    /// What the sessions used while they were part of it.
    #[serde(flatten)]
    pub figures: UsageFigures,
}

impl Task {
    fn of(task_id: String, usage: &TaskUsage) -> Self {
        Self {
            task_id,
            status: usage.status,
            ended_at: usage.ended_at,
            sessions: usage.sessions,
            compressions: usage.compressions,
            figures: usage.tally.report(Some(usage.active_us)),
        }
    }
}

/// Reads a task: tokens, requests, what was fetched again, and what the service added to the agent's time.
///
/// A use belongs to the task that its session had at that time. Erasing a session takes its figures along,
/// and the last one of a task takes the task.
#[utoipa::path(
    get, path = "/v1/tasks/{task_id}", tag = "tasks", operation_id = "tasks.get", params(TaskPath),
    responses((status = 200, body = Task, description = "The task."))
)]
pub async fn find_task(
    Reader(caller): Reader,
    State(state): State<AppState>,
    Path(path): Path<TaskPath>,
) -> Result<Reply<Task>, ApiError> {
    let found = state.store.find_task(caller.tenant, &path.task_id).await?;
    let usage = found.ok_or(ApiError::NotFound(Kind::TaskNotFound))?;
    Ok(Reply(Task::of(path.task_id, &usage)))
}

/// Sets the status of a task.
///
/// A task exists as soon as a session names it, and is active until its status is set here.
#[utoipa::path(
    put, path = "/v1/tasks/{task_id}", tag = "tasks", operation_id = "tasks.put", params(TaskPath), request_body = NewTaskStatus,
    responses((status = 200, body = Task, description = "The task as it is now."))
)]
pub async fn put_task(
    Writer(caller): Writer,
    State(state): State<AppState>,
    Path(path): Path<TaskPath>,
    body: Json<NewTaskStatus>,
) -> Result<Reply<Task>, ApiError> {
    let found = state.store.put_task(caller.tenant, &path.task_id, body.value.status).await?;
    let usage = found.ok_or(ApiError::NotFound(Kind::TaskNotFound))?;
    Ok(Reply(Task::of(path.task_id, &usage)))
}
