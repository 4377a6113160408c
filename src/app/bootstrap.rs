//! Needs of a service before its first call: the first API key, without which no other could be created, the operator
//! token, and the key that encrypts secrets.
//!
//! A service generates them only for an embedded database, on its user's own machine, in files of mode 0600, so that
//! the first call works without a manual. Any other service has only what its operator configured.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use secrecy::{ExposeSecret as _, SecretString};
use uuid::Uuid;

use anchord_http::extract::auth::{ADMIN, READ, WRITE};
use anchord_http::operator_token::OperatorToken;
use anchord_messages::id::TenantId;
use anchord_runtime::clock::Clock;
use anchord_store::Store;
use anchord_store::audit::Actor;
use anchord_store::keys::{self, Line, NewKey};
use anchord_store::secrets::SecretKeys;

/// The tenant of the bootstrap key. Its id is fixed, so that two processes that start at the same time use the same
/// one.
const DEFAULT_TENANT: TenantId = TenantId(Uuid::from_u128(1));
const DEFAULT_TENANT_NAME: &str = "default";
/// The file of a generated key in the data folder.
const KEY_FILE: &str = "api-key";
/// The file of a generated operator token.
const OPERATOR_TOKEN_FILE: &str = "operator-token";
/// The file of the generated key that encrypts secrets.
const SECRETS_KEY_FILE: &str = "secrets-key";

/// The API key that a service starts with.
#[derive(Debug)]
pub enum BootstrapKey {
    /// Generated at the first start of a service with an embedded database.
    Generated {
        /// The key, when it was generated in this start.
        made_now: Option<SecretString>,
        /// The file that holds it.
        file: PathBuf,
    },
    /// Configured by the operator.
    Given,
    /// None: the operator creates keys.
    None,
}

/// Ensures that the tenant `default` has the operator's key or, with an embedded database in `data_dir`, a generated
/// one.
pub(super) async fn ensure_key(
    store: &Store,
    clock: Clock,
    given: Option<&SecretString>,
    data_dir: Option<&Path>,
) -> Result<(BootstrapKey, Option<SecretString>)> {
    let (key, bootstrap) = match (given, data_dir) {
        (Some(given), _) => (given.clone(), BootstrapKey::Given),
        (None, Some(data_dir)) => {
            let file = data_dir.join(KEY_FILE);
            let (key, is_new) = read_or_make(&file, keys::generate)?;
            (key.clone(), BootstrapKey::Generated { made_now: is_new.then_some(key), file })
        }
        (None, None) => return Ok((BootstrapKey::None, None)),
    };
    register(store, clock, &key).await.context("the key of the tenant default cannot be stored")?;
    Ok((bootstrap, Some(key)))
}

async fn register(store: &Store, clock: Clock, key: &SecretString) -> Result<()> {
    let scopes = [READ, WRITE, ADMIN].map(str::to_owned).to_vec();
    // On every start but the first, both exist already.
    let key = NewKey::given(key, scopes);
    store.insert_tenant(DEFAULT_TENANT, DEFAULT_TENANT_NAME, Actor::Cli).await?;
    store.insert_key(DEFAULT_TENANT, &key, Actor::Cli).await?;
    if store.find_key(key.digest, Line::InUse, clock.now()).await?.is_none() {
        // A start must not undo a revocation.
        tracing::warn!("the API key of the tenant default was revoked; it opens nothing");
    }
    Ok(())
}

/// The operator token: the configured one or, with an embedded database in `data_dir`, a generated one, with its file.
pub(super) fn operator_token(
    given: Option<&SecretString>,
    data_dir: Option<&Path>,
) -> Result<(Option<OperatorToken>, Option<PathBuf>)> {
    let (token, file) = match (given, data_dir) {
        (Some(given), _) => (given.clone(), None),
        (None, Some(data_dir)) => {
            let file = data_dir.join(OPERATOR_TOKEN_FILE);
            // It has the form of an API key, so that what recognises leaked keys recognises it, too.
            (read_or_make(&file, keys::generate)?.0, Some(file))
        }
        (None, None) => return Ok((None, None)),
    };
    Ok((Some(OperatorToken::new(token.expose_secret())), file))
}

/// The keys that encrypt secrets: the operator's or, with an embedded database in `data_dir`, a generated one. A backup
/// of the database then has no secret, because the key is in a file beside it.
pub(super) fn secret_keys(given: Option<&SecretString>, data_dir: Option<&Path>) -> Result<SecretKeys> {
    let (key, source) = match (given, data_dir) {
        (Some(given), _) => (given.clone(), "ANCHORD_SECRETS_KEY".to_owned()),
        (None, Some(data_dir)) => {
            let file = data_dir.join(SECRETS_KEY_FILE);
            (read_or_make(&file, secrets_key)?.0, format!("the key file {}", file.display()))
        }
        (None, None) => {
            tracing::warn!(
                "secrets.plain: without ANCHORD_SECRETS_KEY, the database has the secrets of webhooks as they are"
            );
            return Ok(SecretKeys::default());
        }
    };
    SecretKeys::parse(&key).context(source)
}

/// The keys that a service sealed with: those that are given, or that of its data folder.
///
/// # Errors
/// When there are none, or they are none.
pub fn sealing_keys(given: Option<&SecretString>, data_dir: &Path) -> Result<SecretKeys> {
    let file = data_dir.join(SECRETS_KEY_FILE);
    if let Some(given) = given {
        return SecretKeys::parse(given).context("ANCHORD_SECRETS_KEY");
    }
    let read = fs::read_to_string(&file);
    let read = read.with_context(|| format!("no ANCHORD_SECRETS_KEY, and no key at {}", file.display()))?;
    SecretKeys::parse(&SecretString::from(read.trim()))
        .with_context(|| format!("the key file {}", file.display()))
}

fn secrets_key() -> SecretString {
    SecretString::from(STANDARD.encode(rand::random::<[u8; 32]>()))
}

/// Reads a key from its file, or generates it; returns whether it was generated now.
fn read_or_make(file: &Path, generate: fn() -> SecretString) -> Result<(SecretString, bool)> {
    let read = match fs::read_to_string(file) {
        Ok(text) if !text.trim().is_empty() => Ok((SecretString::from(text.trim()), false)),
        Ok(_) => Err(std::io::Error::new(ErrorKind::InvalidData, "is empty; remove it to get a new key")),
        Err(error) if error.kind() == ErrorKind::NotFound => make(file, generate()).map(|key| (key, true)),
        Err(error) => Err(error),
    };
    read.with_context(|| format!("the key file {}", file.display()))
}

/// Writes a new key and moves it to its place last, so that the file is always complete.
fn make(file: &Path, key: SecretString) -> std::io::Result<SecretString> {
    let unfinished = file.with_extension("unfinished");
    match fs::remove_file(&unfinished) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut writing = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&unfinished)?;
    writeln!(writing, "{}", key.expose_secret())?;
    writing.sync_all()?;
    fs::rename(&unfinished, file)?;
    Ok(key)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt as _;

    use super::*;

    #[test]
    fn a_generated_key_is_kept_for_its_owner_alone_and_read_back() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join(KEY_FILE);
        let (made, is_new) = read_or_make(&file, keys::generate).expect("a new key");
        assert!(is_new);
        assert_eq!(fs::metadata(&file).expect("a file").mode() & 0o777, 0o600);
        assert!(made.expose_secret().starts_with("anchord_") && keys::may_be_key(made.expose_secret()));
        let (read, is_new) = read_or_make(&file, keys::generate).expect("the same key");
        assert!(!is_new);
        assert_eq!(read.expose_secret(), made.expose_secret());
    }

    #[test]
    fn two_services_get_two_keys() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let [a, b] =
            ["a", "b"].map(|name| read_or_make(&folder.path().join(name), keys::generate).expect("a key").0);
        assert_ne!(a.expose_secret(), b.expose_secret());
    }

    #[test]
    fn an_empty_key_file_is_no_key() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join(KEY_FILE);
        fs::write(&file, "\n").expect("a file");
        let refused = read_or_make(&file, keys::generate).expect_err("there is no key in it");
        assert!(format!("{refused:#}").contains("remove it"), "{refused:#}");
    }

    #[test]
    fn an_operator_token_is_made_for_an_embedded_database_alone_and_a_configured_one_stands_before_it() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join(OPERATOR_TOKEN_FILE);
        let given = SecretString::from("configured-configured-configured-configured");
        let (token, told) = operator_token(Some(&given), Some(folder.path())).expect("the configured one");
        assert!(token.is_some() && told.is_none() && !file.exists(), "a file was made in vain");
        let (token, told) = operator_token(None, None).expect("none");
        assert!(token.is_none() && told.is_none());
        let (token, told) = operator_token(None, Some(folder.path())).expect("a new one");
        assert!(token.is_some() && told.as_deref() == Some(file.as_path()));
        assert_eq!(fs::metadata(&file).expect("a file").mode() & 0o777, 0o600);
    }

    #[test]
    fn a_service_with_an_embedded_database_encrypts_with_a_key_of_its_own() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        assert!(secret_keys(None, Some(folder.path())).expect("a new key").encrypts());
        let file = folder.path().join(SECRETS_KEY_FILE);
        let text = fs::read_to_string(&file).expect("a file");
        assert!(secret_keys(None, Some(folder.path())).expect("the same key").encrypts());
        assert_eq!(fs::read_to_string(&file).expect("a file"), text);
        assert!(!secret_keys(None, None).expect("none").encrypts());
        fs::write(&file, "hunter2").expect("a file");
        let refused = format!("{:#}", secret_keys(None, Some(folder.path())).expect_err("no key"));
        assert!(refused.contains("secrets-key") && !refused.contains("hunter2"), "{refused}");
    }
}
