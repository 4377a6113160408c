//! Takes entries out of the record: a caller drops a constraint that was extracted by mistake, and closes a request.

use crate::api::prelude::*;
use anchord_store::dropped::{Dropped, Entry};

session_path! {
    /// The path of a constraint.
    ConstraintPath {
        /// The constraint's id, as the summary names it.
        constraint_id: String,
    }
}

session_path! {
    /// The path of a request.
    RequestPath {
        /// The request's id, as the ledger names it.
        #[param(example = "req_31_9f2c4b7a1d3e5f60")]
        request_id: String,
    }
}

/// Drops an extracted constraint.
///
/// Contexts stop showing it at once, under a new `context_revision`, and no later version takes it up
/// again. The record of the current version stays as it is. Delete pins with `DELETE …/pins/{pin_id}`.
#[utoipa::path(
    delete, path = "/v1/sessions/{session_id}/constraints/{constraint_id}", tag = "constraints", operation_id = "constraints.delete",
    params(ConstraintPath),
    responses((status = 204, description = "It is dropped."))
)]
pub async fn remove_constraint(writer: Writer, Path(path): Path<ConstraintPath>) -> Result<StatusCode> {
    let entry = Entry::Constraint(&path.constraint_id);
    Box::pin(drop_entry(writer, &path.session_id, entry, Kind::ConstraintNotFound)).await
}

/// Closes a request of a person that is open in the record.
///
/// Contexts show it as dropped at once, under a new `context_revision`, and so do the records of later versions, until a person asks for
/// it again. The record of the current version stays as it is, and the intent follows with the next one. One that is over already stays as it is.
#[utoipa::path(
    delete, path = "/v1/sessions/{session_id}/requests/{request_id}", tag = "requests", operation_id = "requests.close",
    params(RequestPath),
    responses((status = 204, description = "It is closed."))
)]
pub async fn close_request(writer: Writer, Path(path): Path<RequestPath>) -> Result<StatusCode> {
    let entry = Entry::Request(&path.request_id);
    Box::pin(drop_entry(writer, &path.session_id, entry, Kind::RequestNotFound)).await
}

async fn drop_entry(
    Writer { caller, state }: Writer,
    session: &SessionRef,
    entry: Entry<'_>,
    missing: Kind,
) -> Result<StatusCode> {
    let _memory = state.admission.assemblies.take_for_record(caller.tenant).await?;
    match state.store.drop_entry(caller.tenant, session, entry).await? {
        Dropped::Done => Ok(StatusCode::NO_CONTENT),
        Dropped::NoSession => Err(ApiError::NotFound(Kind::SessionNotFound)),
        Dropped::NoEntry => Err(ApiError::NotFound(missing)),
        Dropped::IsPin => Err(ApiError::parameter("constraint_id", "is a pin; set the pins without it")),
    }
}
