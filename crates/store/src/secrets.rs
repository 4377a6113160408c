//! Encrypts the secrets that the service must be able to read again: those that sign messages to webhooks, and tenants' keys of
//! model providers.
//!
//! What lives here: [`SecretKeys`], the operator's keys. The first one encrypts, and each decrypts what it encrypted, so
//! that a new key can be put before an old one; upkeep encrypts again what another key has encrypted, or none. Without
//! a key, secrets are stored as they are.
//! Invariant: a stored secret can be decrypted only for the webhook that it was stored for.
//!
//! A stored secret is a format byte, four bytes that name the key, a random nonce, and AES-256-GCM's output. A secret
//! that is not encrypted has the length of a secret, which is shorter. The name of a key is a part of its hash.

use std::fmt;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hmac;
use secrecy::{ExposeSecret as _, SecretSlice, SecretString};
use sha2::{Digest as _, Sha256};

use crate::prelude::*;
use anchord_messages::id::WebhookId;
use anchord_webhooks::signature::SECRET_BYTES;

/// The first byte of an encrypted secret.
const FORMAT: u8 = 1;
/// The length of a key's name.
const NAME_BYTES: usize = 4;
/// The length of a tag.
const TAG_BYTES: usize = 10;
/// The length of a key.
const KEY_BYTES: usize = 32;
/// The length of the format byte and the key's name.
const HEAD_BYTES: usize = 1 + NAME_BYTES;

/// The keys that encrypt secrets; none when secrets are stored as they are.
#[derive(Clone, Default)]
pub struct SecretKeys(Arc<Vec<SecretKey>>);

struct SecretKey {
    name: [u8; NAME_BYTES],
    key: LessSafeKey,
    tags: hmac::Key,
}

/// A secret that is sealed for a tenant is bound to this in the place of a webhook, of which none has this id.
pub(super) const SEALED: WebhookId = WebhookId(Uuid::max());

/// A text is no list of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("key {0} is not 32 bytes in base64")]
pub struct BadKey(
    /// Its place in the list, from 1.
    pub usize,
);

/// A stored secret cannot be decrypted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// It was encrypted with a key that is not configured.
    #[error("it was encrypted with the key {0}, which ANCHORD_SECRETS_KEY does not have")]
    NoKey(String),
    /// It was changed, or moved from another webhook.
    #[error("it was changed since it was encrypted")]
    Changed,
}

impl SecretKeys {
    /// Reads keys in base64, separated by commas, the one that encrypts first.
    ///
    /// # Errors
    /// When one of them is not 32 bytes in base64.
    pub fn parse(text: &SecretString) -> Result<Self, BadKey> {
        let keys = text.expose_secret().split(',').map(str::trim).zip(1..);
        keys.map(|(text, place)| SecretKey::parse(text).ok_or(BadKey(place)))
            .collect::<Result<_, _>>()
            .map(|keys| Self(Arc::new(keys)))
    }

    /// Whether secrets are encrypted.
    pub fn encrypts(&self) -> bool {
        !self.0.is_empty()
    }

    /// A key that no other process has.
    pub fn of_this_process() -> Self {
        let text = SecretString::from(STANDARD.encode(rand::random::<[u8; KEY_BYTES]>()));
        Self::parse(&text).unwrap_or_default()
    }

    /// The tag of a text that a tenant keeps for us, by which it is told from a forged one; `None` when there is no key.
    pub fn tag(&self, tenant: TenantId, text: &str) -> Option<String> {
        self.0.first().map(|key| key.tag(tenant, text))
    }

    /// Whether a text has this tag, by any key.
    pub fn has_tag(&self, tenant: TenantId, text: &str, tag: &str) -> bool {
        // Short and of one use: who guesses has no more tries than requests.
        self.0.iter().any(|key| key.tag(tenant, text) == tag)
    }

    /// Encrypts what a tenant keeps for us; `None` when there is no key.
    pub fn seal(&self, tenant: TenantId, text: &[u8]) -> Option<Vec<u8>> {
        self.0.first()?;
        self.encrypt(tenant, SEALED, text).ok()
    }

    /// Decrypts what was sealed for the tenant; `None` for anything else.
    pub fn unseal(&self, tenant: TenantId, sealed: &[u8]) -> Option<Vec<u8>> {
        if self.0.is_empty() || sealed.len() <= SECRET_BYTES {
            return None;
        }
        let text = self.decrypt(tenant, SEALED, sealed.to_vec()).ok()?;
        Some(text.expose_secret().to_vec())
    }

    /// First bytes of a secret that the first key has encrypted; `None` when there is no key.
    pub(super) fn head(&self) -> Option<Vec<u8>> {
        self.0.first().map(SecretKey::head)
    }

    /// A secret as it is stored.
    pub(super) fn encrypt(&self, tenant: TenantId, webhook: WebhookId, secret: &[u8]) -> Result<Vec<u8>> {
        let Some(first) = self.0.first() else { return Ok(secret.to_vec()) };
        let nonce = rand::random::<[u8; NONCE_LEN]>();
        let mut text = secret.to_vec();
        first
            .key
            .seal_in_place_append_tag(
                Nonce::assume_unique_for_key(nonce),
                Aad::from(bound_to(tenant, webhook)),
                &mut text,
            )
            // Only for gigabytes.
            .map_err(|_| StoreError::corrupt("webhooks", "secret", webhook.0, "too long to be encrypted"))?;
        let mut stored = first.head();
        stored.extend(nonce);
        stored.extend(text);
        Ok(stored)
    }

    /// A stored secret as it signs.
    pub(super) fn decrypt(
        &self,
        tenant: TenantId,
        webhook: WebhookId,
        stored: Vec<u8>,
    ) -> Result<SecretSlice<u8>, Unreadable> {
        if stored.len() <= SECRET_BYTES {
            return Ok(stored.into());
        }
        let ([FORMAT, name @ ..], rest) =
            stored.split_first_chunk::<HEAD_BYTES>().ok_or(Unreadable::Changed)?
        else {
            return Err(Unreadable::Changed);
        };
        let key = self.0.iter().find(|key| key.name == *name);
        let key = key.ok_or_else(|| Unreadable::NoKey(anchord_messages::shape::hex(name, NAME_BYTES)))?;
        let (nonce, text) = rest.split_first_chunk().ok_or(Unreadable::Changed)?;
        let mut text = text.to_vec();
        let secret = key
            .key
            .open_in_place(
                Nonce::assume_unique_for_key(*nonce),
                Aad::from(bound_to(tenant, webhook)),
                &mut text,
            )
            .map_err(|_| Unreadable::Changed)?;
        Ok(secret.to_vec().into())
    }
}

impl fmt::Debug for SecretKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecretKeys").field("keys", &self.0.len()).finish_non_exhaustive()
    }
}

impl SecretKey {
    fn parse(text: &str) -> Option<Self> {
        let ways = [STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD];
        let bytes = ways.iter().find_map(|way| way.decode(text).ok())?;
        let key = UnboundKey::new(&AES_256_GCM, bytes.get(..KEY_BYTES).filter(|_| bytes.len() == KEY_BYTES)?)
            .ok()?;
        let digest = Sha256::new().chain_update("anchord secrets key").chain_update(&bytes).finalize();
        let tags = Sha256::new().chain_update("anchord tags key").chain_update(&bytes).finalize();
        let tags = hmac::Key::new(hmac::HMAC_SHA256, &tags);
        Some(Self { name: *digest.first_chunk()?, key: LessSafeKey::new(key), tags })
    }

    fn tag(&self, tenant: TenantId, text: &str) -> String {
        let mut signed = hmac::Context::with_key(&self.tags);
        signed.update(tenant.0.as_bytes());
        signed.update(text.as_bytes());
        anchord_messages::shape::hex(signed.sign().as_ref(), TAG_BYTES)
    }

    fn head(&self) -> Vec<u8> {
        let mut head = vec![FORMAT];
        head.extend(self.name);
        head
    }
}

/// Data that an encrypted secret is bound to.
fn bound_to(tenant: TenantId, webhook: WebhookId) -> [u8; 32] {
    let mut bound = [0; 32];
    let (first, second) = bound.split_at_mut(16);
    first.copy_from_slice(tenant.0.as_bytes());
    second.copy_from_slice(webhook.0.as_bytes());
    bound
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const TENANT: TenantId = TenantId(Uuid::from_u128(1));
    const WEBHOOK: WebhookId = WebhookId(Uuid::from_u128(2));
    const SECRET: [u8; SECRET_BYTES] = [7; SECRET_BYTES];

    fn keys(bytes: &[u8]) -> SecretKeys {
        let list: Vec<String> = bytes.iter().map(|byte| STANDARD.encode([*byte; KEY_BYTES])).collect();
        SecretKeys::parse(&SecretString::from(list.join(", "))).unwrap()
    }

    fn read(keys: &SecretKeys, stored: &[u8]) -> Result<Vec<u8>, Unreadable> {
        keys.decrypt(TENANT, WEBHOOK, stored.to_vec()).map(|secret| secret.expose_secret().to_vec())
    }

    #[test]
    fn what_is_stored_holds_no_secret_and_is_read_back() {
        let keys = keys(&[1]);
        let stored = keys.encrypt(TENANT, WEBHOOK, &SECRET).unwrap();
        assert!(stored.starts_with(&keys.head().unwrap()));
        assert!(!stored.windows(4).any(|part| part == &SECRET[..4]), "{stored:?}");
        assert_ne!(stored, keys.encrypt(TENANT, WEBHOOK, &SECRET).unwrap(), "another nonce");
        assert_eq!(read(&keys, &stored).unwrap(), SECRET);
    }

    #[test]
    fn a_new_key_encrypts_and_the_old_one_still_decrypts() {
        let stored = keys(&[1]).encrypt(TENANT, WEBHOOK, &SECRET).unwrap();
        let both = keys(&[2, 1]);
        assert_eq!(read(&both, &stored).unwrap(), SECRET);
        let again = both.encrypt(TENANT, WEBHOOK, &SECRET).unwrap();
        assert_eq!(read(&keys(&[2]), &again).unwrap(), SECRET);
        assert!(matches!(read(&keys(&[2]), &stored), Err(Unreadable::NoKey(_))));
        assert!(matches!(read(&SecretKeys::default(), &stored), Err(Unreadable::NoKey(_))));
    }

    #[test]
    fn without_a_key_a_secret_is_stored_as_it_is_and_every_key_reads_it() {
        let stored = SecretKeys::default().encrypt(TENANT, WEBHOOK, &SECRET).unwrap();
        assert_eq!(stored, SECRET);
        assert_eq!(read(&keys(&[1]), &stored).unwrap(), SECRET);
    }

    #[test]
    fn a_secret_of_another_webhook_or_a_changed_one_is_not_read() {
        let keys = keys(&[1]);
        let stored = keys.encrypt(TENANT, WebhookId(Uuid::from_u128(3)), &SECRET).unwrap();
        assert_eq!(read(&keys, &stored), Err(Unreadable::Changed));
        let stored = keys.encrypt(TenantId(Uuid::from_u128(3)), WEBHOOK, &SECRET).unwrap();
        assert_eq!(read(&keys, &stored), Err(Unreadable::Changed));
        let good = keys.encrypt(TENANT, WEBHOOK, &SECRET).unwrap();
        for at in HEAD_BYTES..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 1;
            assert_eq!(read(&keys, &bad), Err(Unreadable::Changed), "byte {at}");
        }
        assert!(read(&keys, &good[..=SECRET_BYTES]).is_err());
    }

    #[test]
    fn what_is_no_key_is_refused_by_its_place_and_nothing_of_it_is_shown() {
        let good = STANDARD.encode([1; KEY_BYTES]);
        for (text, place) in
            [("", 1), ("hunter2", 1), (&format!("{good},hunter2"), 2), (&STANDARD.encode([1; 16]), 1)]
        {
            let refused = SecretKeys::parse(&SecretString::from(text)).unwrap_err();
            assert_eq!(refused, BadKey(place));
            assert!(!refused.to_string().contains("hunter2"));
        }
        assert!(!format!("{:?}", keys(&[1])).contains("AQEB"));
    }
}
