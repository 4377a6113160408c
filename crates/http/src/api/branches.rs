//! Branches of a session: listing, forking, switching, going back and erasing.

use uuid::Uuid;

use crate::api::prelude::*;
use crate::extract::params::{BRANCH, NoParameters};
use anchord_store::branches::{Branch, DropOutcome, Fork, ForkOutcome, MAX_BRANCHES};

/// The path of a branch.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct BranchPath {
    /// The session's id, chosen by the caller.
    #[param(inline)]
    pub session_id: SessionName,
    /// The branch's name.
    #[param(inline)]
    pub branch: BranchName,
}

/// Where to fork, and how the new branch is called.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
#[schema(as = CreateBranch, examples(json!({"name": "retry-2", "seq": 4, "switch": true})))]
pub struct NewBranch {
    /// The new branch's name. Default: a generated one.
    pub name: Option<BranchName>,
    /// The last message that it shares; 0 shares none. Default: the newest.
    #[schema(minimum = 0)]
    pub seq: Option<Seq>,
    /// The branch to fork. Default: the current one.
    pub from: Option<BranchName>,
    /// Whether the new branch becomes the current one. Default false.
    pub switch: bool,
}

/// Which branch becomes the current one.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ReplaceCurrentBranch, examples(json!({"name": "main"})))]
pub struct NewCurrentBranch {
    /// Its name.
    pub name: BranchName,
    /// As a GET returns it. Ignored.
    #[serde(default, rename = "is_current")]
    #[schema(value_type = Option<bool>, read_only)]
    _is_current: ReadOnly,
}

/// Where to go back to.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = TruncateSession, examples(json!({"seq": 4})))]
pub struct NewTruncation {
    /// The message that becomes the newest; 0 for none.
    #[schema(minimum = 0)]
    pub seq: Seq,
}

/// Lists the branches of a session, oldest first.
#[utoipa::path(
    get, path = "/v1/sessions/{session_id}/branches", tag = "branches", operation_id = "branches.list",
    params(SessionPath, PageQuery),
    responses((status = 200, body = Page<Branch>, description = "A page of branches, oldest first."))
)]
pub async fn list_branches(
    Reader { caller, state }: Reader,
    Path(path): Path<SessionPath>,
    Query(query): Query<PageQuery>,
) -> Result<Reply<Page<Branch>>> {
    let name = &session_of(path)?;
    let scope = format!("branches {name}");
    let paging = Paging::<Uuid>::read(&caller, &scope, query.limit, query.cursor.as_deref())?;
    let after = paging.after.map(SessionId);
    let found = state.store.list_branches(caller.tenant, name, after, paging.rows()).await?;
    let rows = found.or_missing(Kind::SessionNotFound)?;
    Ok(Reply(paging.page(rows, |branch| branch.id.0)))
}

/// Forks a branch.
///
/// The new one shares the messages through `seq`, with the newest version that covers none beyond, and goes on by itself.
/// Nothing is copied but pins, todo list, notes and the caller's probes, so that it costs the same at any length.
#[utoipa::path(
    post, path = "/v1/sessions/{session_id}/branches", tag = "branches", operation_id = "branches.create",
    params(SessionPath), request_body = NewBranch,
    responses(
        (status = 201, body = Branch, description = "The branch is made.",
         headers(("Location" = String, description = "Where the branch is."))),
        (status = 409, body = Problem, content_type = "application/problem+json",
         description = "The session has a branch of this name (`/problems/branch-exists`), or as many as it may (`/problems/too-many-branches`); nothing is made.")
    )
)]
pub async fn create_branch(
    Writer { caller, state }: Writer,
    Path(path): Path<SessionPath>,
    _: Query<NoParameters>,
    key: IdempotencyKey,
    body: Json<NewBranch>,
) -> Result<KeptReply> {
    let NewBranch { name, seq, from, switch } = body.value;
    let seq = seq.map(|seq| position("/seq", seq)).transpose()?;
    if from.is_some() && path.session_id.branch.is_some() {
        return Err(ApiError::invalid("/from", "names the branch to fork, and so does `?branch=`; send one"));
    }
    let of = SessionRef { branch: from.or(path.session_id.branch), name: path.session_id.name };
    let mut tx = state.store.begin(caller.tenant).await?;
    let claimed = first_or_replay!(key.claim(&state.store, &mut tx, caller.tenant, body.digest).await?);
    let fork = Fork { name, seq, switch, first_digest: None };
    let outcome = anchord_store::branches::fork(&mut tx, caller.tenant, &of, fork).await?;
    if matches!(outcome, ForkOutcome::NoSession) {
        drop(tx);
        return Err(missing(&state, &caller, &of.name).await?);
    }
    let branch = forked(outcome)?;
    let (id, name) = (branch.id, of.name);
    let location = format!("/v1/sessions/{name}/branches/{}", branch.name);
    let reply = KeptReply::json(StatusCode::CREATED, &branch)?;
    let reply = reply.with(&header::LOCATION, location);
    claimed.commit(&state.store, tx, Some(id), reply).await
}

/// Reads a branch.
#[utoipa::path(
    get, path = "/v1/sessions/{session_id}/branches/{branch}", tag = "branches", operation_id = "branches.get",
    params(BranchPath),
    responses((status = 200, body = Branch, description = "The branch."))
)]
pub async fn find_branch(
    Reader { caller, state }: Reader,
    Path(path): Path<BranchPath>,
    _: Query<NoParameters>,
) -> Result<Reply<Branch>> {
    let of = SessionRef { name: path.session_id, branch: Some(path.branch) };
    let found = state.store.find_branch(caller.tenant, &of).await?;
    match found {
        Some(branch) => Ok(Reply(branch)),
        None => Err(missing(&state, &caller, &of.name).await?),
    }
}

/// Switches to a branch.
///
/// Operations that name no branch act on it from then on.
#[utoipa::path(
    put, path = "/v1/sessions/{session_id}/current-branch", tag = "branches", operation_id = "branches.switch",
    params(SessionPath), request_body = NewCurrentBranch,
    responses((status = 200, body = Branch, description = "The branch, which is the current one."))
)]
pub async fn switch_branch(
    Writer { caller, state }: Writer,
    Path(path): Path<SessionPath>,
    _: Query<NoParameters>,
    body: Json<NewCurrentBranch>,
) -> Result<Reply<Branch>> {
    let (name, to) = (&session_of(path)?, &body.value.name);
    let switched = state.store.switch_branch(caller.tenant, name, to).await?;
    match switched {
        Some(branch) => Ok(Reply(branch)),
        None => Err(missing(&state, &caller, name).await?),
    }
}

/// Goes back to a message.
///
/// A fork there becomes the current branch. Nothing that is stored is lost: the branch before has it. Going back to the newest
/// message changes nothing, and a branch that was gone back to and has no message of its own yet is used again.
#[utoipa::path(
    post, path = "/v1/sessions/{session_id}/truncate", tag = "branches", operation_id = "branches.truncate",
    params(SessionPath), request_body = NewTruncation,
    responses(
        (status = 200, body = Branch, description = "The current branch, which ends there."),
        (status = 409, body = Problem, content_type = "application/problem+json",
         description = "The session has as many branches as it may (`/problems/too-many-branches`); nothing has changed.")
    )
)]
pub async fn truncate_session(
    Writer { caller, state }: Writer,
    Path(path): Path<SessionPath>,
    _: Query<NoParameters>,
    key: IdempotencyKey,
    body: Json<NewTruncation>,
) -> Result<KeptReply> {
    let seq = position("/seq", body.value.seq)?;
    let mut tx = state.store.begin(caller.tenant).await?;
    let claimed = first_or_replay!(key.claim(&state.store, &mut tx, caller.tenant, body.digest).await?);
    let of = &path.session_id;
    let outcome = anchord_store::branches::truncate(&mut tx, caller.tenant, of, seq).await?;
    if matches!(outcome, ForkOutcome::NoSession) {
        drop(tx);
        return Err(missing(&state, &caller, &of.name).await?);
    }
    let branch = forked(outcome)?;
    let id = branch.id;
    let reply = KeptReply::json(StatusCode::OK, &branch)?;
    claimed.commit(&state.store, tx, Some(id), reply).await
}

/// Erases a branch.
///
/// It can be named no more from then on. Messages that other branches share with it stay with them, and the rest is deleted in the
/// background.
#[utoipa::path(
    delete, path = "/v1/sessions/{session_id}/branches/{branch}", tag = "branches", operation_id = "branches.delete",
    params(BranchPath),
    responses(
        (status = 204, description = "The branch is erased."),
        (status = 409, body = Problem, content_type = "application/problem+json",
         description = "It is the current branch (`/problems/branch-is-current`): switch first.")
    )
)]
pub async fn delete_branch(
    Writer { caller, state }: Writer,
    Path(path): Path<BranchPath>,
    _: Query<NoParameters>,
) -> Result<StatusCode> {
    let BranchPath { session_id, branch } = path;
    match state.store.drop_branch(caller.tenant, &session_id, &branch, caller.actor()).await? {
        DropOutcome::Dropped => Ok(StatusCode::NO_CONTENT),
        DropOutcome::NotFound => Err(missing(&state, &caller, &session_id).await?),
        DropOutcome::IsCurrent => Err(ApiError::BranchIsCurrent(branch)),
    }
}

/// The session of an operation on all of its branches.
fn session_of(path: SessionPath) -> Result<SessionName> {
    if path.session_id.branch.is_some() {
        let detail = "this operation is of the session, not of one of its branches";
        return Err(ApiError::parameter(BRANCH, detail));
    }
    Ok(path.session_id.name)
}

/// The absent resource: the session, or its branch.
async fn missing(state: &AppState, caller: &Caller, name: &SessionName) -> Result<ApiError> {
    let session = state.store.list_branches(caller.tenant, name, None, 1).await?;
    Ok(ApiError::NotFound(if session.is_some() { Kind::BranchNotFound } else { Kind::SessionNotFound }))
}

/// Checks the last message that is shared.
fn position(pointer: &str, seq: Seq) -> Result<Seq> {
    if seq < 0 { Err(ApiError::invalid(pointer, "must be at least 0")) } else { Ok(seq) }
}

/// The branch that a fork came to.
fn forked(outcome: ForkOutcome) -> Result<Branch> {
    match outcome {
        ForkOutcome::Forked(branch) | ForkOutcome::Reused(branch) | ForkOutcome::Unchanged(branch) => {
            Ok(branch)
        }
        ForkOutcome::NoSession => Err(ApiError::NotFound(Kind::BranchNotFound)),
        ForkOutcome::Exists(name) => Err(ApiError::BranchExists(name)),
        ForkOutcome::TooMany => Err(ApiError::TooManyBranches { limit: MAX_BRANCHES }),
        ForkOutcome::BeyondHead { head_seq } => {
            Err(ApiError::invalid("/seq", format!("must be at most {head_seq}, the branch's newest message")))
        }
    }
}
