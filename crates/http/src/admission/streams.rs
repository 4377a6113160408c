//! The event streams that a process has open: their number is limited, in all, by tenant and by key, and they end when
//! the process does.

use tokio_util::sync::CancellationToken;

use crate::problem::{ApiError, Result};
use anchord_messages::id::{KeyId, TenantId};
use anchord_runtime::shares::{Full, Permit, Shares};

/// The most open streams of a process.
const MAX_STREAMS: u32 = 1_024;
/// The most open streams of a tenant.
const TENANT_STREAMS: u32 = 256;
/// The most open streams of a key.
const KEY_STREAMS: u32 = 128;

/// State that all event streams of a process share.
#[derive(Clone, Debug)]
pub struct Streams {
    /// Ends all streams, so that none delays a shutdown.
    stop: CancellationToken,
    of_keys: Shares<KeyId>,
    of_tenants: Shares<TenantId>,
}

/// A place among the streams, held as long as the stream.
#[derive(Debug)]
pub(crate) struct Place {
    _of_key: Permit,
    _of_tenant: Permit,
}

impl Streams {
    /// Streams that end when `stop` is cancelled.
    pub fn new(stop: CancellationToken) -> Self {
        Self {
            stop,
            of_keys: Shares::new(u32::MAX, KEY_STREAMS),
            of_tenants: Shares::new(MAX_STREAMS, TENANT_STREAMS),
        }
    }

    /// Admits another stream while it holds the place, or rejects it.
    pub(crate) fn acquire(&self, tenant: TenantId, key: KeyId) -> Result<Place> {
        let refuse = |of| {
            move |full| match full {
                Full::Share(limit) => ApiError::TooManyStreams { of, limit },
                Full::Total(limit) => ApiError::TooManyStreams { of: "process", limit },
            }
        };
        let of_key = self.of_keys.try_take(key, 1).map_err(refuse("key"))?;
        let of_tenant = self.of_tenants.try_take(tenant, 1).map_err(refuse("tenant"))?;
        Ok(Place { _of_key: of_key, _of_tenant: of_tenant })
    }

    /// Is cancelled when all streams must end.
    pub(crate) fn stop(&self) -> &CancellationToken {
        &self.stop
    }
}
