//! The operator token, of which a process stores the digest only.

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// The SHA-256 digest of the operator token.
#[derive(Clone, Copy)]
pub struct OperatorToken([u8; 32]);

impl OperatorToken {
    /// Hashes a token.
    pub fn new(token: &str) -> Self {
        Self(Sha256::digest(token.as_bytes()).into())
    }

    /// The digest.
    pub(crate) fn digest(self) -> [u8; 32] {
        self.0
    }

    /// Compares with a digest, in constant time.
    pub(crate) fn is_digest(self, digest: &[u8; 32]) -> bool {
        self.0.ct_eq(digest).into()
    }

    /// Compares in constant time.
    pub(crate) fn matches(&self, token: &str) -> bool {
        self.0.ct_eq(&Self::new(token).0).into()
    }
}

impl std::fmt::Debug for OperatorToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("OperatorToken(…)")
    }
}
