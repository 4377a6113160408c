//! Tasks: their usage over all their sessions, and their outcome.

use axum::extract::State;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::auth::{Reader, Writer};
use super::json::{Json, Reply};
use super::params::Path;
use super::problem::{ApiError, Resource};
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

/// How a task stands.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(examples(json!({"status": "completed"})))]
pub struct NewTaskStatus {
    /// `completed`, `failed` and `abandoned` end the task; `active` opens it again.
    pub status: TaskStatus,
}

/// A task: how it stands, and what it used over all of its sessions.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Task {
    /// The task's id.
    pub task_id: String,
    /// How it stands.
    pub status: TaskStatus,
    /// When it ended; null while it is active.
    #[schema(required = true)]
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
    get, path = "/v1/tasks/{task_id}", tag = "tasks", params(TaskPath),
    responses((status = 200, body = Task, description = "The task."))
)]
pub async fn find_task(
    Reader(caller): Reader,
    State(state): State<AppState>,
    Path(path): Path<TaskPath>,
) -> Result<Reply<Task>, ApiError> {
    let found = state.store.find_task(caller.tenant, &path.task_id).await?;
    let usage = found.ok_or(ApiError::NotFound(Resource::Task))?;
    Ok(Reply(Task::of(path.task_id, &usage)))
}

/// Ends a task, or opens it again.
///
/// A task is there as soon as a session names it, and active until it is ended here.
#[utoipa::path(
    put, path = "/v1/tasks/{task_id}", tag = "tasks", params(TaskPath), request_body = NewTaskStatus,
    responses((status = 200, body = Task, description = "The task as it is now."))
)]
pub async fn put_task(
    Writer(caller): Writer,
    State(state): State<AppState>,
    Path(path): Path<TaskPath>,
    body: Json<NewTaskStatus>,
) -> Result<Reply<Task>, ApiError> {
    let found = state.store.put_task(caller.tenant, &path.task_id, body.value.status).await?;
    let usage = found.ok_or(ApiError::NotFound(Resource::Task))?;
    Ok(Reply(Task::of(path.task_id, &usage)))
}
