//! Names that most files of this crate use.

pub(crate) use chrono::{DateTime, Utc};
pub(crate) use serde::Serialize;
pub(crate) use utoipa::ToSchema;
pub(crate) use uuid::Uuid;

pub(crate) use crate::bulkhead::Tx;
pub(crate) use crate::connection::PgConnection;
pub(crate) use crate::error::{Result, StoreError};
pub(crate) use crate::pool::Store;
pub(crate) use anchord_messages::id::{
    BranchName, CompressionId, Seq, SessionId, SessionKey, SessionName, SessionRef, TenantId,
};
