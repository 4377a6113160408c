//! State that the parts of one request share.

use std::sync::{Arc, OnceLock};

use tokio_util::sync::CancellationToken;

use crate::state::AppState;
use anchord_messages::id::TenantId;
use anchord_store::keys::KeyDigest;

/// State that the parts of one request share: its tenant, once that is known, and whether anybody waits for the reply.
#[derive(Clone, Debug, Default)]
pub struct Scope(Arc<ScopeParts>);

#[derive(Debug, Default)]
struct ScopeParts {
    tenant: OnceLock<TenantId>,
    key: OnceLock<KeyDigest>,
    cell: OnceLock<(TenantId, AppState)>,
    abandoned: CancellationToken,
}

impl Scope {
    /// The tenant; `None` for the operator, and before the key is known.
    pub(crate) fn tenant(&self) -> Option<TenantId> {
        self.0.tenant.get().copied()
    }

    pub(crate) fn set_tenant(&self, tenant: TenantId) {
        // A request with several extractors of callers has one tenant all the same.
        let _ = self.0.tenant.set(tenant);
    }

    /// The digest of the key; `None` for the operator, and before the key is known.
    pub(crate) fn key(&self) -> Option<&KeyDigest> {
        self.0.key.get()
    }

    pub(crate) fn set_key(&self, key: KeyDigest) {
        let _ = self.0.key.set(key);
    }

    /// The tenant that the request is about, also when the operator asks, and its cell.
    pub(crate) fn cell(&self) -> Option<&(TenantId, AppState)> {
        self.0.cell.get()
    }

    pub(crate) fn set_cell(&self, tenant: TenantId, cell: AppState) {
        let _ = self.0.cell.set((tenant, cell));
    }

    /// Is cancelled when the client is gone, or has had a timeout as its reply.
    pub(crate) fn abandoned(&self) -> &CancellationToken {
        &self.0.abandoned
    }
}
