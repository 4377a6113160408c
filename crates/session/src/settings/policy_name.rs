//! The named policies: which signals count.

use serde::{Deserialize, Serialize};
use strum::VariantArray as _;
use utoipa::ToSchema;

use crate::signal::{HistoryScope, SignalKind};

/// A named set of signals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PolicyName {
    /// The utilisation rows alone.
    #[default]
    Utilization,
    /// The number of uncompressed messages.
    MessageCount,
    /// Utilisation, turns and task boundaries.
    Protocol,
    /// Every signal.
    Combined,
}

impl PolicyName {
    /// Whether a signal counts under the policy.
    pub fn counts(self, kind: SignalKind) -> bool {
        match self {
            Self::Utilization => kind == SignalKind::Utilization,
            Self::MessageCount => kind == SignalKind::MessageCount,
            Self::Protocol => {
                matches!(kind, SignalKind::Utilization | SignalKind::TurnCount | SignalKind::TaskBoundary)
            }
            Self::Combined => true,
        }
    }

    /// The history that its signals need.
    pub fn history(self) -> HistoryScope {
        let counted = SignalKind::VARIANTS.iter().filter(|kind| self.counts(**kind));
        counted.map(|kind| kind.history()).max().unwrap_or_default()
    }
}
