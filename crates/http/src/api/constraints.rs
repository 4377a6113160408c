//! Removes extracted constraints: a caller drops a constraint that was extracted by mistake.

use crate::api::prelude::*;
use anchord_store::constraints::Removal;

/// The path of a constraint.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct ConstraintPath {
    /// The session's id, chosen by the caller.
    #[param(inline, value_type = SessionName)]
    #[serde(deserialize_with = "params::session")]
    pub session_id: SessionRef,
    /// The constraint's id, as the summary names it.
    pub constraint_id: String,
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
pub async fn remove_constraint(
    Writer { caller, state }: Writer,
    Path(path): Path<ConstraintPath>,
) -> Result<StatusCode> {
    let _memory = state.admission.assemblies.take_for_record(caller.tenant).await?;
    let removal = state.store.remove_constraint(caller.tenant, &path.session_id, &path.constraint_id).await?;
    match removal {
        Removal::Done => Ok(StatusCode::NO_CONTENT),
        Removal::NoSession => Err(ApiError::NotFound(Kind::SessionNotFound)),
        Removal::NoConstraint => Err(ApiError::NotFound(Kind::ConstraintNotFound)),
        Removal::IsPin => Err(ApiError::parameter("constraint_id", "is a pin; set the pins without it")),
    }
}
