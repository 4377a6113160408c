//! Names that most operations use.

pub(crate) use axum::http::{StatusCode, header};
pub(crate) use axum::response::{IntoResponse, Response};
pub(crate) use chrono::{DateTime, Utc};
pub(crate) use serde::{Deserialize, Serialize};
pub(crate) use serde_json::{Map, Value};
pub(crate) use utoipa::{IntoParams, ToSchema};

pub(crate) use crate::extract::auth::{Admin, Caller, Operator, Reader, Writer};
pub(crate) use crate::extract::idempotency::{Claim, IdempotencyKey, KeptReply, first_or_replay};
pub(crate) use crate::extract::json::{Json, JsonBytes, Object, OptionalJson, ReadOnly, Reply};
pub(crate) use crate::extract::paging::{Page, PageQuery, Paging};
pub(crate) use crate::extract::params::{self, Path, Query, SessionPath, session_path};
pub(crate) use crate::problem::{ApiError, FieldError, Kind, OrMissing as _, Problem, Result};
pub(crate) use crate::state::AppState;
pub(crate) use anchord_messages::id::{
    BranchName, Seq, SessionId, SessionKey, SessionName, SessionRef, TenantId,
};
pub(crate) use anchord_store::StoreError;
